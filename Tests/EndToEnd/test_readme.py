"""Runs the README's tour unchanged."""

import os
import re
import subprocess

from support.program import PROGRAM, REPOSITORY, environment
from support.readme import block, flags


def test_readme_tour_works(make_server, tmp_path):
    follow(make_server(*flags()).start(), tmp_path)


def follow(server, tmp_path):
    """Follows the tour, and fails unless each step works. The server needs only a `url`."""
    tour = block("sign_in()").replace("http://localhost:8080", server.url)
    told = subprocess.run(
        ["bash", "-c", tour], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    print(told.stdout, told.stderr)
    assert told.returncode == 0
    # Checks two users, a decoded code, an alert on the stream, its acknowledgement and end, and a
    # clear refusal.
    assert '"name":"Ana"' in told.stdout and '"name":"Ben"' in told.stdout
    assert '{"text":"{' in told.stdout
    assert "event: alert" in told.stdout and '"kind":"missedCheckIn"' in told.stdout
    alert = told.stdout.strip().splitlines()[-2]
    assert '"isActive":false' in alert and '"name":"Ben"' in alert and '"ledger":[{' in alert
    assert '"field":"id"' in told.stdout.strip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_readme_client_examples_work_after_the_tour(make_server, tmp_path):
    server = make_server(*flags()).start()
    follow(server, tmp_path)
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
        "Ana is now your contact",
        "Checked in at",
        "Your ping to Ana is left in LifeSignal",
        "You are on it",
        "Alert ended. Ben is being told.",
        '"contacts":[{',
    ):
        assert words in told.stdout, words
    assert re.search(r"\d\d:\d\d:\d\d  ALERT: Ana needs help", told.stdout)
    assert list(tmp_path.iterdir()) == []


def test_configuration_page_lists_each_option():
    told = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, text=True, timeout=60)
    options = set(re.findall(r"^  (--[a-z-]+)", told.stdout, re.M)) - {"--version"}
    table = (REPOSITORY / "Docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| (?:`(--[a-z-]+)`)? ?\| `LIFESIGNAL_([A-Z_]+)` \|", table, re.M)
    assert {flag for flag, _ in rows if flag} == options
    for flag, variable in rows:
        if flag:
            assert variable == flag.removeprefix("--").replace("-", "_").upper()
