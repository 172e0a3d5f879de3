"""The README's tour, pasted as it stands."""

import os
import re
import subprocess

from support.program import PROGRAM, REPOSITORY, environment


def block(marker):
    """The first block of code that has the marker in it."""
    blocks = re.findall(r"```(?:bash|sh)\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.S)
    return next(text for text in blocks if marker in text)


def flags():
    """The options of the tour's server."""
    return re.search(r'make run ARGS="(.*)"', block("make run ARGS")).group(1).split()


def test_the_tour(make_server, tmp_path):
    follow(make_server(*flags()).start(), tmp_path)


def follow(server, tmp_path):
    """Fails unless each step of the tour works. A server only has to have a `url`."""
    tour = block("sign_in()").replace("http://localhost:8080", server.url)
    told = subprocess.run(
        ["bash", "-c", tour], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    print(told.stdout, told.stderr)
    assert told.returncode == 0
    # Two people, a code that was read, an alert on the stream, its acknowledgement, its end, and a
    # clear refusal.
    assert '"name":"Ana"' in told.stdout and '"name":"Ben"' in told.stdout
    assert '{"text":"{' in told.stdout
    assert "event: alert" in told.stdout and '"kind":"missedCheckIn"' in told.stdout
    alert = told.stdout.strip().splitlines()[-2]
    assert '"isActive":false' in alert and '"name":"Ben"' in alert and '"ledger":[{' in alert
    assert '"field":"id"' in told.stdout.strip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_client(make_server, tmp_path):
    server = make_server(*flags()).start()
    script = (
        block("ana sign-in")
        .replace("http://localhost:8080", server.url)
        .replace("$PWD/.build-release/release", os.path.dirname(PROGRAM))
    )
    told = subprocess.run(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    print(told.stdout, told.stderr)
    assert told.returncode == 0
    for words in (
        "Signed in",
        "Ana is among your contacts now",
        "Checked in at",
        "Ana is asked",
        "You are on it",
        "Alert ended. Ben has been told.",
        '"contacts":[{',
    ):
        assert words in told.stdout, words
    assert re.search(r"\d\d:\d\d:\d\d  ALERT: Ana needs help", told.stdout)
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_lists_each_option():
    told = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, text=True, timeout=60)
    options = set(re.findall(r"^  (--[a-z-]+)", told.stdout, re.M)) - {"--version"}
    table = (REPOSITORY / "Docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| (?:`(--[a-z-]+)`)? ?\| `LIFESIGNAL_([A-Z_]+)` \|", table, re.M)
    assert {flag for flag, _ in rows if flag} == options
    for flag, variable in rows:
        if flag:
            assert variable == flag.removeprefix("--").replace("-", "_").upper()
