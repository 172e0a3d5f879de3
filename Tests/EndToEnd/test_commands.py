import io
import os
import re
import socket
import sqlite3

import pytest
from PIL import Image

from support.api import Client
from support.program import REPOSITORY, run
from support.waiting import wait_until

NOBODY = 65534


def doctor(tmp_path, *arguments, **environment):
    return run(
        "doctor",
        "--database",
        tmp_path / "lifesignal.sqlite",
        "--port",
        0,
        *arguments,
        env=environment,
    )


def test_doctor_before_the_first_start(tmp_path):
    result = doctor(tmp_path)
    assert (
        "there is none yet" in result.stdout
        and "disk:" in result.stdout
        and "port:" in result.stdout
    )
    assert result.returncode == 0 and "All is well." in result.stdout, result.stdout + result.stderr
    assert not list(tmp_path.iterdir()), "looking makes nothing"


def test_doctor_beside_a_running_server(server):
    result = run("doctor", "--database", server.database, "--port", 0)
    assert "is whole, schema version" in result.stdout and result.returncode == 0, (
        result.stdout + result.stderr
    )


def test_doctor_finds_a_damaged_database(tmp_path):
    (tmp_path / "lifesignal.sqlite").write_bytes(os.urandom(10_000))
    result = doctor(tmp_path)
    assert result.returncode == 1 and "BAD   database" in result.stdout, (
        result.stdout + result.stderr
    )
    assert "lifesignal restore" in result.stdout
    for unknown in ("key:", "Web Push:", "text messages:"):
        assert unknown not in result.stdout, "what can't be read isn't called good"


def internal_port(server):
    return wait_until(
        lambda: re.search(r"Health and metrics: http://127.0.0.1:(\d+)", server.output()),
        30,
        "the port",
    )[1]


@pytest.mark.parametrize("internal", [(), ("--internal-port", 0)], ids=["one", "two"])
def test_doctor_knows_the_port_of_a_running_server(make_server, internal):
    server = make_server(*internal).start()
    options = ()
    if internal:
        options = ("--internal-port", internal_port(server))
    place = ("--host", "127.0.0.1", "--port", server.port)
    result = run("doctor", "--database", server.database, *place, *options)
    own = f"ok    port: the server of this database has 127.0.0.1:{server.port}"
    assert own in result.stdout and result.returncode == 0, result.stdout + result.stderr


def test_doctor_finds_taken_port(server, tmp_path):
    result = run("doctor", "--database", tmp_path / "lifesignal.sqlite", "--port", server.port)
    assert result.returncode == 1 and "BAD   port" in result.stdout, result.stdout + result.stderr


def test_doctor_finds_file_in_place_of_the_socket(tmp_path):
    path = tmp_path / "file"
    listen = ("--listen", f"unix:{path}")
    assert f"ok    port: unix:{path}" in doctor(tmp_path, *listen).stdout
    path.write_text("mine")
    result = doctor(tmp_path, *listen)
    reason = f"BAD   port: --listen: {path} exists and is not a socket."
    assert reason in result.stdout and result.returncode == 1, result.stdout + result.stderr


def test_doctor_finds_taken_internal_port(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = doctor(tmp_path, "--internal-port", port)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"BAD   internal port: 127.0.0.1:{port} can't be used" in result.stdout
    assert "give another --internal-port." in result.stdout
    free = doctor(tmp_path, "--internal-port", port)
    assert f"ok    internal port: 127.0.0.1:{port} is free" in free.stdout, free.stdout
    assert "internal port" not in doctor(tmp_path).stdout


def test_doctor_knows_internal_port_of_a_running_server(make_server):
    server = make_server("--internal-port", 0).start()
    port = internal_port(server)
    result = run(
        *("doctor", "--database", server.database, "--port", 0, "--internal-port", port),
    )
    answers = f"ok    internal port: a LifeSignal server answers at 127.0.0.1:{port}"
    assert answers in result.stdout and result.returncode == 0, result.stdout + result.stderr


def test_doctor_finds_foreign_address(tmp_path):
    result = doctor(tmp_path, "--host", "192.0.2.1")
    assert result.returncode == 1 and "192.0.2.1" in result.stdout, result.stdout + result.stderr


def test_doctor_finds_unknown_host(tmp_path):
    result = doctor(tmp_path, "--host", "nowhere.invalid")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "BAD   port: --host nowhere.invalid has no address" in result.stdout


def test_doctor_finds_taken_port_on_ipv6(tmp_path):
    with socket.socket(socket.AF_INET6) as occupied:
        try:
            occupied.bind(("::1", 0))
        except OSError as error:
            pytest.skip(f"no IPv6 here: {error}")
        occupied.listen()
        port = occupied.getsockname()[1]
        database = ["--database", tmp_path / "lifesignal.sqlite"]
        result = run("doctor", *database, "--host", "::1", "--port", port)
        assert result.returncode == 1 and f"BAD   port: ::1:{port}" in result.stdout, result.stdout
        free = run("doctor", *database, "--host", "127.0.0.1", "--port", port)
        assert "ok    port: " in free.stdout, free.stdout


def test_doctor_finds_short_key(tmp_path):
    key = tmp_path / "server.key"
    key.write_bytes(b"short")
    result = doctor(tmp_path, "--key-file", key)
    assert result.returncode == 1 and "BAD   key: " in result.stdout, result.stdout
    assert "at least 32 bytes" in result.stdout and str(key) in result.stdout


def test_key_that_others_can_read_is_named(server):
    key = server.database.with_name(server.database.name + ".key")
    server.stop()
    key.chmod(0o644)
    result = run("doctor", "--database", server.database, "--port", 0)
    assert result.returncode == 1, result.stdout
    assert f"BAD   key: other users can read {key}" in result.stdout and "chmod" in result.stdout
    # People rely on the server, so it starts all the same.
    server.start()
    assert "the server's key is no secret" in server.output()
    server.stop()
    key.chmod(0o600)
    result = run("doctor", "--database", server.database, "--port", 0)
    assert f"ok    key: {key}" in result.stdout


def test_doctor_finds_unreachable_hosts(tmp_path):
    gateway = tmp_path / "gateway.json"
    gateway.write_text(
        '{"url": "https://gateway.invalid/{to}", "form": {"to": "{to}", "text": "{text}"}}'
    )
    result = doctor(
        tmp_path,
        *("--mail-server", "smtp://mail.invalid:587", "--mail-from", "a@example.org"),
        *("--sms", "gateway", "--sms-gateway-file", gateway),
        *("--heartbeat-url", "https://heartbeat.invalid/x"),
        *("--traces-url", "https://traces.invalid"),
        *("--public-url", "https://lifesignal.invalid"),
    )
    assert result.returncode == 1, result.stdout + result.stderr
    for subject, host in [
        ("mail server", "mail.invalid"),
        ("SMS gateway", "gateway.invalid"),
        ("heartbeat", "heartbeat.invalid"),
        ("traces", "traces.invalid"),
        ("public URL", "lifesignal.invalid"),
    ]:
        assert f"BAD   {subject}: {host} has no address" in result.stdout, result.stdout
    assert "All is well" not in result.stdout


def test_doctor_says_what_goes_beside_the_proxy(tmp_path):
    assert "outbound proxy" not in doctor(tmp_path).stdout
    found = doctor(
        tmp_path,
        *("--outbound-proxy", "http://127.0.0.1:3128"),
        *("--heartbeat-url", "http://127.0.0.1:9"),
    )
    assert "note  outbound proxy: not used for webhooks, push services other" in found.stdout
    assert ", the heartbeat" in found.stdout and "traces" not in found.stdout, found.stdout
    assert found.returncode == 0


def test_doctor_explains_unusable_database(server, tmp_path):
    server.stop()
    with sqlite3.connect(server.database) as connection:
        connection.execute("INSERT INTO schema_versions (version) VALUES (999)")
    connection.close()
    newer = run("doctor", "--database", server.database, "--port", 0)
    assert newer.returncode == 1 and "schema version 999" in newer.stdout, newer.stdout
    assert "Install the newer LifeSignal" in newer.stdout and "restore" not in newer.stdout

    folder = run("doctor", "--database", tmp_path, "--port", 0)
    assert folder.returncode == 1 and "it is a folder" in folder.stdout, folder.stdout
    assert "lifesignal restore" not in folder.stdout

    if os.geteuid() == 0:
        shut = tmp_path / "shut" / "lifesignal.sqlite"
        shut.parent.mkdir()
        shut.write_bytes(server.database.read_bytes())
        shut.chmod(0o600)
        for path in (*tmp_path.parents, tmp_path, shut.parent):
            path.chmod(path.stat().st_mode | 0o111)
        unreadable = run("doctor", "--database", shut, "--port", 0, user=NOBODY, extra_groups=[])
        assert unreadable.returncode == 1 and "it can't be read" in unreadable.stdout, unreadable
        assert "lifesignal restore" not in unreadable.stdout


DOCUMENTED = sorted(
    set(
        re.findall(
            r"LIFESIGNAL_[A-Z_]*[A-Z](?![A-Z_])", (REPOSITORY / "Docs/configuration.md").read_text()
        )
    )
)


def test_every_documented_variable_is_known(tmp_path):
    """`doctor` refuses unknown variables, even empty ones."""
    assert len(DOCUMENTED) > 40
    result = doctor(tmp_path, **{name: "" for name in DOCUMENTED})
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_variable_in_sources_is_known(tmp_path):
    sources = [*(REPOSITORY / "Sources/Apps").rglob("*.swift")]
    text = "\n".join(path.read_text() for path in sources)
    names = set(re.findall(r"\bLIFESIGNAL_[A-Z_]+[A-Z]\b", text))
    read = re.findall(r'(?:read\.\w+|integer|budget|url)\((?:[^"()]*?, )?"([A-Z][A-Z_]+)"', text)
    names |= {f"LIFESIGNAL_{name}" for name in read}
    assert "LIFESIGNAL_LEDGER_DAYS" in names and len(names) > 60
    result = doctor(tmp_path, **{name: "" for name in names})
    assert result.returncode == 0, result.stdout + result.stderr


APPLE_APP = "TEAM012345.org.example.lifesignal"
ANDROID_APP = "org.example.lifesignal=" + ":".join(["A1"] * 32)


def test_doctor_names_apps_that_open_links(tmp_path):
    assert "ok    links: they open the web app" in doctor(tmp_path).stdout
    apps = ["--ios-app", APPLE_APP, "--android-app", ANDROID_APP]
    assert "note  links: Apple and Google read only over https" in doctor(tmp_path, *apps).stdout
    environment = {"LIFESIGNAL_IOS_APP": APPLE_APP, "LIFESIGNAL_ANDROID_APP": ANDROID_APP}
    url = ["--public-url", "https://127.0.0.1"]
    for given in (doctor(tmp_path, *apps, *url), doctor(tmp_path, *url, **environment)):
        assert f"ok    links: they open {APPLE_APP} and org.example.lifesignal\n" in given.stdout
        assert given.returncode == 0


@pytest.mark.parametrize(
    "option, value",
    [("--ios-app", "org.example.lifesignal"), ("--android-app", ANDROID_APP.rstrip("1"))],
)
def test_malformed_apps_are_refused(tmp_path, option, value):
    result = doctor(tmp_path, option, value)
    assert result.returncode != 0 and option in result.stderr and value in result.stderr


def test_apps_are_served_from_the_environment(make_server):
    server = make_server(env={"LIFESIGNAL_IOS_APP": f"{APPLE_APP}, {APPLE_APP}.beta"})
    client = Client(server.start())
    answer = client.send("GET", "/.well-known/apple-app-site-association")
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
    [details] = answer.json()["applinks"]["details"]
    assert details["appIDs"] == [APPLE_APP, f"{APPLE_APP}.beta"]
    assert client.send("GET", "/.well-known/assetlinks.json").status_code == 404


def test_doctor_refuses_what_serve_refuses(tmp_path):
    result = doctor(tmp_path, "--log-level", "loud")
    assert result.returncode != 0 and "--log-level" in result.stderr


TEXTS = [
    "a",
    "https://example.org/?a=b&c=d",
    "Grüße, 世界 🚨",
    "line one\nline two",
    "0" * 2000,
    "ä" * 1000,
    '{"id":"x"}',
    " spaces ",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{len(text)} characters")
def test_qr_encode_and_decode(tmp_path, text):
    picture = tmp_path / "code.png"
    assert run("qr", "encode", text, "--output", picture).returncode == 0
    with Image.open(picture) as image:
        assert image.format == "PNG" and image.width == image.height
    result = run("qr", "decode", picture)
    assert result.returncode == 0 and result.stdout == text + "\n", result


def test_qr_from_a_photo(tmp_path):
    """The photo shows the code rotated, grey and with a border, as a JPEG of medium quality."""
    text = "lifesignal in a photo"
    assert run("qr", "encode", text, "-o", tmp_path / "code.png").returncode == 0
    with Image.open(tmp_path / "code.png") as image:
        photo = Image.new("L", (900, 700), 200)
        photo.paste(
            image.convert("L").resize((400, 400)).rotate(20, expand=True, fillcolor=200), (150, 60)
        )
        photo.save(tmp_path / "photo.jpg", quality=60)
    result = run("qr", "decode", tmp_path / "photo.jpg")
    assert result.returncode == 0 and result.stdout == text + "\n", result


def test_qr_refuses_invalid_input(tmp_path):
    too_long = run("qr", "encode", "x" * 3000, "-o", tmp_path / "code.png")
    assert too_long.returncode != 0 and "too long" in too_long.stderr
    empty = run("qr", "encode", "", "-o", tmp_path / "code.png")
    assert empty.returncode != 0 and not (tmp_path / "code.png").exists()
    missing = run("qr", "decode", tmp_path / "missing.png")
    assert missing.returncode != 0 and "missing.png" in missing.stderr
    nowhere = run("qr", "encode", "x", "-o", tmp_path / "no/such/folder.png")
    assert nowhere.returncode != 0 and "folder.png" in nowhere.stderr


def test_qr_decode_without_a_code(tmp_path):
    blank = io.BytesIO()
    Image.new("RGB", (100, 100), "white").save(blank, "PNG")
    for content, words in [
        (blank.getvalue(), "No QR code"),
        (b"text", "neither a PNG nor a JPEG"),
        (blank.getvalue()[:50], "damaged"),
    ]:
        (tmp_path / "picture").write_bytes(content)
        result = run("qr", "decode", tmp_path / "picture")
        assert result.returncode != 0 and words in result.stderr and not result.stdout, result


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["serve"],
        ["config"],
        ["doctor"],
        ["backup"],
        ["restore"],
        ["qr"],
        ["qr", "encode"],
        ["demo"],
    ],
    ids=" ".join,
)
def test_help(command):
    result = run(*command, "--help")
    assert result.returncode == 0 and "USAGE" in result.stdout


def test_version():
    assert re.fullmatch(r"\d+( \(\S+\))?\n", run("--version").stdout)


def test_unknown_command_is_refused():
    result = run("fly")
    assert result.returncode != 0 and "fly" in result.stderr
