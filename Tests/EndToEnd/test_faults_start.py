"""A server that can't start says why in plain words, quickly, with an exit code, and without
changing any file."""

import hashlib
import os
import socket
import sqlite3
import time

import pytest

from support.api import Client, sign_in
from support.program import phone_number

QUICKLY = 10


def refuses_to_start(server, *words):
    """Checks that the server soon ends by itself with a failure, and that its output contains each
    of `words`."""
    started = time.monotonic()
    server.launch()
    code = server.wait_for_end(QUICKLY)
    print(f"exit code {code} after {time.monotonic() - started:.2f} s: {server.output().strip()}")
    assert code > 0, f"ended with {code}"
    for word in words:
        assert str(word) in server.output(), f"“{word}” is not in: {server.output()}"
    assert "Fatal error" not in server.output() and "ready at" not in server.output()


def fingerprint(path):
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns


GARBAGE = {
    "random bytes": os.urandom(100_000),
    "a text": b"Dear diary, this is not a database.\n" * 100,
    "one byte": b"x",
    "a header and nothing behind it": b"SQLite format 3\0",
    "a header and random bytes": b"SQLite format 3\0" + os.urandom(50_000),
}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE.keys())
def test_file_is_not_a_database(make_server, content):
    server = make_server()
    server.database.write_bytes(content)
    before = fingerprint(server.database)
    refuses_to_start(
        server, server.database, "is not a LifeSignal database or is damaged", "restore"
    )
    assert fingerprint(server.database) == before


def test_partly_overwritten_database(make_server):
    """If pages in the middle of the file are overwritten, the server refuses to start, or never
    answers with wrong data."""
    server = make_server().start()
    sign_in(server, phone_number(0))
    server.stop()
    whole = server.database.read_bytes()
    server.database.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    refuses_to_start(server, "damaged")


def test_database_of_other_software(make_server):
    server = make_server()
    with sqlite3.connect(server.database) as connection:
        connection.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, nickname TEXT)")
    connection.close()
    before = fingerprint(server.database)[0]
    refuses_to_start(server, server.database)
    assert fingerprint(server.database)[0] == before


def test_database_of_newer_version(make_server):
    server = make_server().start()
    server.stop()
    with sqlite3.connect(server.database) as connection:
        connection.execute("INSERT INTO schema_versions (version) VALUES (999)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = fingerprint(server.database)[0]
    refuses_to_start(server, "version 999", "newer LifeSignal")
    assert fingerprint(server.database)[0] == before


def test_database_path_is_a_folder(make_server):
    server = make_server()
    server.database.mkdir()
    refuses_to_start(server, server.database, "folder")


def test_parent_folder_is_a_file(make_server):
    server = make_server()
    (server.folder / "file").write_text("in the way")
    server.database = server.folder / "file" / "lifesignal.sqlite"
    refuses_to_start(server, "file")


def test_second_server_on_the_same_file(make_server):
    first = make_server().start()
    person = sign_in(first, phone_number(0))
    second = make_server(database=first.database)
    refuses_to_start(second, first.database, "another LifeSignal server")
    person.check_in()
    first.kill()
    second.start()
    person.server = second
    assert len(person.get("/v1/check-ins")["items"]) == 1


def test_start_on_taken_port(make_server):
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        occupied.listen()
        port = occupied.getsockname()[1]
        taken = make_server("--port", port)
        refuses_to_start(taken, f"port {port}", "taken", "another --port.")
        other = make_server("--internal-port", port).launch()
        assert other.wait_for_end(QUICKLY) == 1
        assert f"port {port} on" in other.output() and "another --internal-port." in other.output()
        for server in (taken, other):
            assert "accepts no more connections" not in server.output(), server.output()
    server = make_server("--port", port).start()
    assert server.port == port and Client(server).get("/health/live")["status"] == "ok"


def test_start_on_foreign_address(make_server):
    refuses_to_start(make_server("--host", "192.0.2.1"), "192.0.2.1")


def test_start_on_unknown_host(make_server):
    server = make_server("--host", "nowhere.invalid")
    refuses_to_start(server, "--host nowhere.invalid is neither an address of this machine")
    assert "UnknownHost" not in server.output()


def test_empty_variables_count_as_unset(make_server):
    names = [
        *("HOST", "PORT", "LOG_LEVEL", "LOG_FORMAT", "SMS_BUDGET", "TRUST_PROXY", "VOICE"),
        *("MAIL_SERVER", "KEY", "KEY_FILE", "PUBLIC_URL", "HEARTBEAT_URL", "TWILIO_BASE_URL"),
        *("PUSH_CONTACT", "CANARY_PHONES", "DATABASE"),
    ]
    empty = {f"LIFESIGNAL_{name}": "" for name in names}
    assert Client(make_server(env=empty).start()).get("/health/live")["status"] == "ok"


def test_start_with_short_key_file(make_server):
    server = make_server()
    server.database.with_name("lifesignal.sqlite.key").write_bytes(b"short")
    refuses_to_start(server, "lifesignal.sqlite.key", "32 bytes")


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--port", "65536"], {}, ["--port"]),
        (["--port", "-1"], {}, ["port"]),
        (["--port", "many"], {}, ["--port"]),
        ([], {"LIFESIGNAL_LOG_LEVEL": "loud"}, ["LIFESIGNAL_LOG_LEVEL must be", 'not "loud"']),
        (
            [],
            {"LIFESIGNAL_SMS_BUGDET": "100"},
            ["LIFESIGNAL_SMS_BUGDET is not a setting", "Did you mean LIFESIGNAL_SMS_BUDGET?"],
        ),
        ([], {"LIFESIGNAL_DATABSE": ""}, ["Did you mean LIFESIGNAL_DATABASE?"]),
        ([], {"LIFESIGNAL_COLOUR_OF_THE_PAGES": "blue"}, ["is not a setting", "Did you mean"]),
        (["--trust-proxy", "--proxy-hops", "0"], {}, ["--proxy-hops"]),
        (["--codes-to-new-numbers", "-1"], {}, ["codes-to-new-numbers"]),
        (["--log-format", "xml"], {}, ["--log-format"]),
        (["--sms", "pigeon"], {}, ["--sms"]),
        (
            ["--sms", "twilio"],
            {},
            [
                "LIFESIGNAL_TWILIO_ACCOUNT_SID",
                "LIFESIGNAL_TWILIO_AUTH_TOKEN",
                "LIFESIGNAL_TWILIO_FROM",
            ],
        ),
        (["--public-url", "ftp://example.org"], {}, ["--public-url"]),
        (["--public-url", "https://example.org//"], {}, ["--public-url", "a path like"]),
        (["--public-url", "https://example.org/a%20b"], {}, ["--public-url", "a path like"]),
        (["--public-url", "https://example.org/v1"], {}, ["--public-url", "own paths"]),
        (["--public-url", "https://example.org/a?b=c"], {}, ["--public-url", "must be like"]),
        (["--public-url", "https://example.org#a"], {}, ["--public-url", "must be like"]),
        (["--public-url", "https://me@example.org"], {}, ["--public-url", "must be like"]),
        (["--other-urls", "nonsense"], {}, ["--other-urls", "must be like"]),
        (["--other-urls", "https://example.org"], {}, ["--other-urls", "the scheme and the path"]),
        (["--other-urls", "http://localhost/x"], {}, ["--other-urls", "the scheme and the path"]),
        (["--public-url", "nonsense"], {}, ["--public-url"]),
        (["--test-phone", "12345"], {}, ["--test-phone"]),
        (["--test-phone", "+15550100=12"], {}, ["--test-phone"]),
        (["--test-phone", "=000000"], {}, ["--test-phone"]),
        ([], {"LIFESIGNAL_CANARY_PHONES": "+15550190=123456"}, ["LIFESIGNAL_CANARY_PHONES"]),
        (["--requests-per-user", "-5"], {}, ["requests-per-user"]),
        (["--codes-per-number", "0"], {}, ["--codes-per-number"]),
        (["--sms-validity-minutes", "0"], {}, ["--sms-validity-minutes"]),
        (["--no-such-option"], {}, ["--no-such-option"]),
        (["--database"], {}, ["--database"]),
        ([], {"LIFESIGNAL_SMS_VALIDITY_MINUTES": "soon"}, ["LIFESIGNAL_SMS_VALIDITY_MINUTES"]),
        ([], {"LIFESIGNAL_TRUST_PROXY": "perhaps"}, ["LIFESIGNAL_TRUST_PROXY"]),
        ([], {"LIFESIGNAL_TEST_PHONE": "+15550100=000000,nonsense"}, ["--test-phone", "nonsense"]),
    ],
    ids=str,
)
def test_start_with_invalid_option(make_server, arguments, environment, words):
    server = make_server(*arguments, env=environment)
    refuses_to_start(server, *words)
    assert not server.database.exists(), "nothing is made before every option has been checked"
