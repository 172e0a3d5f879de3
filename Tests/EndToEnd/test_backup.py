"""A backup while the server writes, restored elsewhere and served from: everything answered before it is in it."""

import sqlite3

import pytest

from support.api import sign_in
from support.load import Book, Load
from support.population import Population
from support.program import phone_number, run
from support.promises import Promises


def succeeded(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_backup_under_load_and_restore(make_server, tmp_path):
    server = make_server("--demo-intervals").start()
    population = Population(server)
    load = Load(population, seed=4)
    load.run_for(1)
    backup = tmp_path / "backup.sqlite"
    promised = Book(dict(load.book.check_ins), dict(load.book.raised), dict(load.book.ended), dict(load.book.taken))
    assert "checked" in succeeded(run("backup", backup, "--database", server.database))
    load.run_for(0.5)
    load.stop()
    assert len(load.book) > len(promised)
    assert backup.stat().st_mode & 0o077 == 0, "a backup is for its owner's eyes only"
    assert backup.with_name("backup.sqlite.key").read_bytes() == server.database.with_name("lifesignal.sqlite.key").read_bytes()

    restored = make_server("--demo-intervals")
    succeeded(run("restore", backup, "--database", restored.database))
    restored.start()
    for person in population.dependents + population.responders:
        person.server = restored
    # What came after the backup is in the first server only, so an alert may still be open here.
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
    kept = next(path for path in server.folder.glob("lifesignal.sqlite.before-restore-*") if not path.name.endswith(("-wal", "-shm")))
    assert str(kept) in said
    with sqlite3.connect(kept) as connection:
        assert connection.execute("SELECT name FROM users").fetchall() == [("After the backup",)]
    connection.close()
    server.start()
    assert person.get("/v1/me")["name"] == "Before the backup"


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


@pytest.mark.parametrize("content", [b"", b"no database at all", None], ids=["empty", "garbage", "missing"])
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
