"""A backup while the server writes, restored elsewhere and served from: everything answered before
it is in it."""

import math
import sqlite3
import urllib.request

import pytest

from support.api import sign_in
from support.load import Book, Load
from support.population import Population
from support.program import phone_number, run
from support.promises import Promises
from support.waiting import wait_until


def succeeded(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_backup_under_load_and_restore(make_server, tmp_path):
    server = make_server("--demo-intervals").start()
    population = Population(server)
    load = Load(population, seed=4)
    load.run_for(1)
    backup = tmp_path / "backup.sqlite"
    promised = Book(
        dict(load.book.check_ins),
        dict(load.book.raised),
        dict(load.book.ended),
        dict(load.book.taken),
    )
    assert "checked" in succeeded(run("backup", backup, "--database", server.database))
    load.run_for(0.5)
    load.stop()
    assert len(load.book) > len(promised)
    assert backup.stat().st_mode & 0o077 == 0, "a backup is for its owner's eyes only"
    assert (
        backup.with_name("backup.sqlite.key").read_bytes()
        == server.database.with_name("lifesignal.sqlite.key").read_bytes()
    )

    restored = make_server("--demo-intervals")
    succeeded(run("restore", backup, "--database", restored.database))
    restored.start()
    for person in population.dependents + population.responders:
        person.server = restored
    # Later check-ins are in the first server only, so an alert may still be open here.
    promised_only = Load(population, seed=5)
    promised_only.book = promised
    Promises(promised_only).everything()
    sign_in(restored, phone_number(0)).check_in()


def test_restore_keeps_what_stood_there(make_server, tmp_path):
    server = make_server().start()
    person = sign_in(server, phone_number(0), "Before the backup")
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    person.call("PATCH", "/v1/me", {"name": "After the backup"})
    server.stop()
    said = succeeded(run("restore", backup, "--database", server.database))
    kept = next(
        path
        for path in server.folder.glob("lifesignal.sqlite.before-restore-*")
        if not path.name.endswith(("-wal", "-shm"))
    )
    assert str(kept) in said
    with sqlite3.connect(kept) as connection:
        assert connection.execute("SELECT name FROM users").fetchall() == [("After the backup",)]
    connection.close()
    server.start()
    assert person.get("/v1/me")["name"] == "Before the backup"


def backup_age(server):
    figures = urllib.request.urlopen(f"{server.url}/metrics").read().decode()
    line = next(l for l in figures.splitlines() if l.startswith("lifesignal_backup_age_seconds "))
    return float(line.split()[1].replace("+Inf", "inf"))


def test_a_verified_backup_is_counted_and_its_age_is_a_metric(make_server, tmp_path):
    server = make_server().start()
    sign_in(server, phone_number(0)).check_in()
    assert backup_age(server) == math.inf, "an alert on the age fires without any backup"
    said = succeeded(run("backup", tmp_path / "b", "--verify", "--database", server.database))
    assert "Verified: 1 people, 0 contacts, 1 check-ins, 0 alerts." in said
    server.stop()
    server.start_again()
    wait_until(lambda: backup_age(server) < 60, 30, "the age of the backup")


def test_a_damaged_copy_is_no_verified_backup(make_server, tmp_path, monkeypatch):
    server = make_server().start()
    server.stop()
    # A row that refers to nobody: SQLite alone calls such a file whole.
    with sqlite3.connect(server.database) as database:
        database.execute(
            "INSERT INTO qr_codes (user_id, id, created_at) VALUES (?, ?, 0)",
            (b"a" * 16, b"b" * 16),
        )
    refused = run("backup", tmp_path / "b", "--verify", "--database", server.database)
    assert refused.returncode == 1 and "damaged" in refused.stderr
    assert not server.database.with_name("lifesignal.sqlite.verified").exists()


def test_a_backup_never_overwrites(server, tmp_path):
    backup = tmp_path / "backup.sqlite"
    backup.write_text("precious")
    result = run("backup", backup, "--database", server.database)
    assert result.returncode != 0 and "never overwrites" in result.stderr
    assert backup.read_text() == "precious"


def test_restore_refuses_while_a_server_runs(server, tmp_path):
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    person = sign_in(server, phone_number(0))
    result = run("restore", backup, "--database", server.database)
    assert result.returncode != 0 and "another LifeSignal server" in result.stderr, result
    assert person.check_in()


@pytest.mark.parametrize(
    "content", [b"", b"no database at all", None], ids=["empty", "garbage", "missing"]
)
def test_restore_refuses_what_is_no_backup(make_server, tmp_path, content):
    server = make_server().start()
    person = sign_in(server, phone_number(0))
    server.stop()
    backup = tmp_path / "backup.sqlite"
    if content is not None:
        backup.write_bytes(content)
    result = run("restore", backup, "--database", server.database)
    assert result.returncode != 0 and str(backup) in result.stderr, result
    server.start()
    assert person.get("/v1/me")["id"] == person.id


def test_backup_of_nothing(tmp_path):
    result = run("backup", tmp_path / "backup.sqlite", "--database", tmp_path / "missing.sqlite")
    assert result.returncode != 0 and "missing.sqlite" in result.stderr, result
    assert not list(tmp_path.iterdir()), "a failed backup leaves nothing behind"


def test_a_key_with_a_path_of_its_own_is_backed_up_and_restored(make_server, tmp_path):
    """Given as an option, or by the environment of the server."""
    key = tmp_path / "elsewhere.key"
    server = make_server("--key-file", key).start()
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database, "--key-file", key))
    assert backup.with_name("backup.sqlite.key").read_bytes() == key.read_bytes()
    server.stop()
    place, new_key = tmp_path / "new" / "lifesignal.sqlite", tmp_path / "keys" / "new.key"
    said = succeeded(
        run(
            "restore",
            backup,
            env={"LIFESIGNAL_DATABASE": str(place), "LIFESIGNAL_KEY_FILE": str(new_key)},
        )
    )
    assert new_key.read_bytes() == key.read_bytes() and "--key-file" in said
    assert new_key.stat().st_mode & 0o077 == 0


def test_a_missing_key_is_told(make_server, tmp_path):
    server = make_server("--key-file", tmp_path / "elsewhere.key").start()
    missing = run(
        "backup",
        tmp_path / "a.sqlite",
        "--database",
        server.database,
        "--key-file",
        tmp_path / "no.key",
    )
    assert missing.returncode != 0 and "no.key" in missing.stderr
    assert not (tmp_path / "a.sqlite").exists()
    assert "WITHOUT A KEY" in succeeded(
        run("backup", tmp_path / "b.sqlite", "--database", server.database)
    )
    server.stop()
    said = succeeded(run("restore", tmp_path / "b.sqlite", "--database", tmp_path / "new.sqlite"))
    assert "WITHOUT A KEY" in said


def test_a_key_that_is_there_is_never_overwritten(make_server, tmp_path):
    server = make_server().start()
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    server.stop()
    key = server.database.with_name("lifesignal.sqlite.key")
    key.write_bytes(b"x" * 64)
    assert "THE KEYS DIFFER" in succeeded(run("restore", backup, "--database", server.database))
    assert key.read_bytes() == b"x" * 64


def test_serve_does_not_replace_an_interrupted_restore_by_an_empty_database(make_server, tmp_path):
    server = make_server()
    (server.folder / "lifesignal.sqlite.restoring").write_bytes(b"half a backup")
    result = run("serve", "--database", server.database, "--port", 0)
    assert result.returncode != 0 and "interrupted" in result.stderr, result
    assert not server.database.exists()


def test_a_restored_server_has_another_epoch(make_server, tmp_path):
    def epoch():
        with urllib.request.urlopen(server.url + "/health/live") as answer:
            return answer.headers["X-LifeSignal-Epoch"]

    server = make_server().start()
    first = epoch()
    server.stop()
    server.start()
    assert first and epoch() == first
    succeeded(run("backup", tmp_path / "backup.sqlite", "--database", server.database))
    server.stop()
    succeeded(run("restore", tmp_path / "backup.sqlite", "--database", server.database))
    server.start()
    assert epoch() not in (first, None)
