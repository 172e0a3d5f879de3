"""A server that can't start says why in plain words, quickly, with an exit code, and without
touching anything."""

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
    """The server ends by itself, soon, with a failure, and every one of `words` is in what it
    says."""
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
def test_a_file_that_is_no_database(make_server, content):
    server = make_server()
    server.database.write_bytes(content)
    before = fingerprint(server.database)
    refuses_to_start(
        server, server.database, "is not a LifeSignal database or is damaged", "restore"
    )
    assert fingerprint(server.database) == before


def test_a_database_with_a_hole(make_server):
    """Pages in the middle have been overwritten: either the server refuses, or it never answers
    with nonsense."""
    server = make_server().start()
    sign_in(server, phone_number(0))
    server.stop()
    whole = server.database.read_bytes()
    server.database.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    refuses_to_start(server, "damaged")


def test_a_database_of_something_else(make_server):
    server = make_server()
    with sqlite3.connect(server.database) as connection:
        connection.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, nickname TEXT)")
    connection.close()
    before = fingerprint(server.database)[0]
    refuses_to_start(server, server.database)
    assert fingerprint(server.database)[0] == before


def test_a_database_of_a_newer_version(make_server):
    server = make_server().start()
    server.stop()
    with sqlite3.connect(server.database) as connection:
        connection.execute("INSERT INTO schema_versions (version) VALUES (999)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = fingerprint(server.database)[0]
    refuses_to_start(server, "version 999", "newer LifeSignal")
    assert fingerprint(server.database)[0] == before


def test_a_folder_in_the_place_of_the_database(make_server):
    server = make_server()
    server.database.mkdir()
    refuses_to_start(server, server.database, "folder")


def test_a_folder_that_is_a_file(make_server):
    server = make_server()
    (server.folder / "file").write_text("in the way")
    server.database = server.folder / "file" / "lifesignal.sqlite"
    refuses_to_start(server, "file")


def test_a_second_server_on_the_same_file(make_server):
    first = make_server().start()
    person = sign_in(first, phone_number(0))
    second = make_server(database=first.database)
    refuses_to_start(second, first.database, "another LifeSignal server")
    person.check_in()
    first.kill()
    second.start()
    person.server = second
    assert len(person.get("/v1/check-ins")["items"]) == 1


def test_a_port_that_is_taken(make_server):
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        occupied.listen()
        port = occupied.getsockname()[1]
        refuses_to_start(make_server("--port", port), port, "taken", "--port")
    server = make_server("--port", port).start()
    assert server.port == port and Client(server).get("/health/live")["status"] == "ok"


def test_an_address_that_is_not_ours(make_server):
    refuses_to_start(make_server("--host", "192.0.2.1"), "192.0.2.1")


def test_a_key_file_that_is_too_short(make_server):
    server = make_server()
    server.database.with_name("lifesignal.sqlite.key").write_bytes(b"short")
    refuses_to_start(server, "lifesignal.sqlite.key", "32 bytes")


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--port", "65536"], {}, ["--port"]),
        (["--port", "-1"], {}, ["port"]),
        (["--port", "many"], {}, ["--port"]),
        (
            [],
            {"LIFESIGNAL_REQUESTS_PER_USER_X": "1", "LIFESIGNAL_LOG_LEVEL": "loud"},
            ["--log-level"],
        ),
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
        (["--public-url", "https://example.org/path"], {}, ["--public-url"]),
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
def test_an_option_that_makes_no_sense(make_server, arguments, environment, words):
    server = make_server(*arguments, env=environment)
    refuses_to_start(server, *words)
    assert not server.database.exists(), "nothing is made before every option has been checked"
