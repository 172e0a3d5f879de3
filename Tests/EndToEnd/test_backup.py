"""Restores a backup that was made while the server was writing, and serves it. The backup contains
everything that was answered before it."""

import base64
import json
import math
import os
import resource
import shutil
import sqlite3
import stat
import tempfile
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from support.api import Client, begin_session, sign_in
from support.load import Book, Load
from support.population import Population
from support.program import phone_number, run
from support.promises import Promises
from support.waiting import wait_until

NOBODY = 65534


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
    # Check-ins after the backup are only in the first server, so an alert may still be open here.
    promised_only = Load(population, seed=5)
    promised_only.book = promised
    Promises(promised_only).everything()
    sign_in(restored, phone_number(0)).check_in()


def test_restore_keeps_the_replaced_database(make_server, tmp_path):
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


def test_verified_backup_sets_age_metric(make_server, tmp_path):
    server = make_server().start()
    sign_in(server, phone_number(0)).check_in()
    assert backup_age(server) == math.inf, "an alert on the age fires without any backup"
    said = succeeded(run("backup", tmp_path / "b", "--verify", "--database", server.database))
    assert "Verified: 1 people, 0 contacts, 1 check-ins, 0 alerts." in said
    server.stop()
    server.start_again()
    wait_until(lambda: backup_age(server) < 60, 30, "the age of the backup")


def test_backup_fails_while_the_server_has_lost_its_log(make_server, tmp_path):
    server = make_server().start()
    sign_in(server, phone_number(0)).check_in()
    logs = [server.database.with_name(server.database.name + end) for end in ("-wal", "-shm")]
    for log in logs:
        log.rename(tmp_path / log.name)
    failed = run("backup", tmp_path / "b", "--verify", "--database", server.database)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert f"{logs[0].name} was moved, deleted or replaced" in failed.stderr
    assert "No backup was made." in failed.stderr and not (tmp_path / "b").exists()
    # Other advice, such as a restore, would lose what the server has stored.
    doctor = run("doctor", "--database", server.database, "--port", 0)
    assert doctor.returncode == 1 and len(doctor.stdout.splitlines()) == 1, doctor.stdout
    assert f"BAD   running server: {logs[0]} was moved" in doctor.stdout
    for log in logs:
        (tmp_path / log.name).rename(log)
    said = succeeded(run("backup", tmp_path / "b", "--verify", "--database", server.database))
    assert "Verified: 1 people" in said
    doctor = run("doctor", "--database", server.database, "--port", 0)
    assert "ok    database: " in succeeded(doctor)


def test_doctor_says_how_old_the_backup_is(make_server, tmp_path):
    server = make_server().start()

    def doctor():
        return succeeded(run("doctor", "--database", server.database, "--port", 0))

    assert "note  backup: no verified one is known" in doctor()
    succeeded(run("backup", tmp_path / "b", "--verify", "--database", server.database))
    assert "ok    backup: the last verified one is 0 hours old" in doctor()
    path = server.database.with_name("lifesignal.sqlite.verified")
    note = json.loads(path.read_text())
    for hours, grade in ((35, "ok  "), (37, "note")):
        time = datetime.now(UTC) - timedelta(hours=hours, minutes=1)
        path.write_text(json.dumps(note | {"verifiedAt": f"{time:%Y-%m-%dT%H:%M:%SZ}"}))
        assert f"{grade}  backup: the last verified one is {hours} hours old" in doctor()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_backup_by_root_counts_for_the_owner_of_the_database(make_server, tmp_path):
    server = make_server().start()
    server.stop()
    # Another user can't enter the folders that pytest makes.
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "lifesignal.sqlite")
        shutil.copy(server.database, database)
        for path in (Path(folder), database):
            os.chown(path, NOBODY, NOBODY)
        key = server.database.with_name("lifesignal.sqlite.key")
        made = ("backup", tmp_path / "b", "--verify", "--database", database, "--key-file", key)
        succeeded(run(*made))
        note = database.with_name("lifesignal.sqlite.verified")
        assert (note.stat().st_uid, stat.S_IMODE(note.stat().st_mode)) == (NOBODY, 0o644)

        def doctor():
            options = ("--database", database, "--port", 0)
            return run("doctor", *options, user=NOBODY, group=NOBODY, extra_groups=[]).stdout

        assert "ok    backup: the last verified one is 0 hours old" in doctor()
        os.chown(note, 0, 0)
        note.chmod(0o600)
        assert "note  backup: " in doctor() and f"chmod 644 {note}" in doctor()


@pytest.mark.parametrize("ahead, age", [(timedelta(days=2), math.inf), (timedelta(hours=20), 0)])
def test_backup_by_a_wrong_clock_does_not_count_as_new(make_server, tmp_path, ahead, age):
    server = make_server().start()
    succeeded(run("backup", tmp_path / "b", "--verify", "--database", server.database))
    server.stop()
    path = server.database.with_name("lifesignal.sqlite.verified")
    note = json.loads(path.read_text())
    time = datetime.now(UTC) + ahead
    path.write_text(json.dumps(note | {"verifiedAt": f"{time:%Y-%m-%dT%H:%M:%SZ}"}))
    server.start_again()
    wait_until(lambda: backup_age(server) == age, 30, "the age of the backup")


def test_backup_without_a_note_of_its_time_is_whole(server, tmp_path):
    """As on a full disk: nothing can be written beside the database."""
    note = server.database.with_name("lifesignal.sqlite.verified")
    note.mkdir()
    (note / "file").touch()
    backup = tmp_path / "backup.sqlite"
    done = run("backup", backup, "--verify", "--database", server.database)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "Verified: 0 people" in done.stdout and backup.stat().st_size
    assert f"The time can't be noted in {note}." in done.stderr
    assert run("restore", backup, "--database", tmp_path / "new.sqlite").returncode == 0


def test_damaged_copy_fails_verification(make_server, tmp_path, monkeypatch):
    server = make_server().start()
    server.stop()
    # A row with an invalid reference, which SQLite's own check doesn't detect.
    with sqlite3.connect(server.database) as database:
        database.execute(
            "INSERT INTO qr_codes (user_id, id, created_at) VALUES (?, ?, 0)",
            (b"a" * 16, b"b" * 16),
        )
    refused = run("backup", tmp_path / "b", "--verify", "--database", server.database)
    assert refused.returncode == 1 and "damaged" in refused.stderr
    assert not server.database.with_name("lifesignal.sqlite.verified").exists()


def test_backup_never_overwrites(server, tmp_path):
    backup = tmp_path / "backup.sqlite"
    backup.write_text("precious")
    result = run("backup", backup, "--database", server.database)
    assert result.returncode != 0 and "never overwrites" in result.stderr
    assert backup.read_text() == "precious"


@pytest.mark.parametrize("name", ["backup.sqlite", "backup.sqlite.key"])
def test_backup_refuses_a_link_to_nothing(server, tmp_path, name):
    link = tmp_path / name
    link.symlink_to(tmp_path / "nowhere")
    result = run("backup", tmp_path / "backup.sqlite", "--database", server.database)
    assert result.returncode == 1 and str(link) in result.stderr, result
    assert str(server.database) not in result.stderr
    assert [path.name for path in tmp_path.glob("backup*")] == [name] and link.is_symlink()
    link.unlink()
    succeeded(run("backup", tmp_path / "backup.sqlite", "--database", server.database))
    assert (tmp_path / "backup.sqlite.key").stat().st_size


def test_backup_keeps_a_folder_with_its_temporary_name(server, tmp_path):
    precious = tmp_path / "backup.sqlite.partial" / "precious"
    precious.parent.mkdir()
    precious.write_text("kept")
    result = run("backup", tmp_path / "backup.sqlite", "--database", server.database)
    assert result.returncode == 1 and f"{precious.parent} can't be opened" in result.stderr, result
    assert precious.read_text() == "kept" and not (tmp_path / "backup.sqlite").exists()


def test_restore_refuses_a_key_that_is_a_link_to_nothing(make_server, tmp_path):
    server = make_server().start()
    server.stop()
    backup, key = tmp_path / "backup.sqlite", tmp_path / "server.key"
    succeeded(run("backup", backup, "--database", server.database))
    key.symlink_to(tmp_path / "nowhere")
    before = sorted(server.database.parent.iterdir())
    result = run("restore", backup, "--database", server.database, "--key-file", key)
    assert result.returncode == 1 and str(key) in result.stderr, result
    assert sorted(server.database.parent.iterdir()) == before


def test_restore_keeps_a_link_to_the_database(make_server, tmp_path):
    server = make_server().start()
    server.stop()
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    disk = tmp_path / "disk"
    disk.mkdir()
    file = disk / "data.sqlite"
    server.database.rename(file)
    server.database.symlink_to(file)
    said = succeeded(run("restore", backup, "--database", server.database))
    assert f"The replaced database is now {file}.before-restore-" in said, said
    assert server.database.is_symlink() and file.stat().st_size
    server.start()
    sign_in(server, phone_number(0)).check_in()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
def test_restore_by_root_follows_no_link_of_another_user(make_server, tmp_path):
    """The server's user could make root replace any file."""
    server = make_server().start()
    server.stop()
    backup, file = tmp_path / "backup.sqlite", tmp_path / "roots.conf"
    succeeded(run("backup", backup, "--database", server.database))
    file.write_text("precious")
    link = tmp_path / "link.sqlite"
    link.symlink_to(file)
    os.lchown(link, 65534, 65534)
    key = server.database.with_name("lifesignal.sqlite.key")
    result = run("restore", backup, "--database", link, "--key-file", key)
    assert result.returncode == 1 and "a link of another user" in result.stderr, result
    assert file.read_text() == "precious" and not list(tmp_path.glob("roots.conf.*"))


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
def test_restore_refuses_other_files(make_server, tmp_path, content):
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


def test_backup_of_missing_database_fails(tmp_path):
    result = run("backup", tmp_path / "backup.sqlite", "--database", tmp_path / "missing.sqlite")
    assert result.returncode != 0 and "missing.sqlite" in result.stderr, result
    assert not list(tmp_path.iterdir()), "a failed backup leaves nothing behind"


def test_key_at_own_path_is_backed_up_and_restored(make_server, tmp_path):
    """The path of the key is either an option or in the server's environment."""
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


def test_backup_reports_missing_key(make_server, tmp_path):
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
    assert "WITHOUT A KEY" in said and "the server does not start" in said


def test_backup_copies_no_key_file_for_key_in_environment(make_server, tmp_path):
    """The package always has a key file, which the server doesn't use beside LIFESIGNAL_KEY."""
    unused = tmp_path / "server.key"
    unused.write_bytes(b"y" * 32)
    key = base64.b64encode(b"x" * 32).decode()
    env = {"LIFESIGNAL_KEY": key, "LIFESIGNAL_KEY_FILE": str(unused)}
    server = make_server("--begin-anew", env=env).start()
    said = succeeded(run("backup", tmp_path / "a", "--database", server.database, env=env))
    assert "Keep LIFESIGNAL_KEY with it" in said and "WITH ANOTHER KEY" not in said
    assert "beside it" not in said and not (tmp_path / "a.key").exists()
    env["LIFESIGNAL_KEY"] = base64.b64encode(b"z" * 32).decode()
    said = succeeded(run("backup", tmp_path / "b", "--database", server.database, env=env))
    assert "WITH ANOTHER KEY: LIFESIGNAL_KEY" in said and "Keep" not in said
    unused.unlink()
    env["LIFESIGNAL_KEY"] = key
    succeeded(run("backup", tmp_path / "c", "--database", server.database, env=env))


def test_backup_beside_another_key_says_so(make_server, tmp_path):
    server = make_server().start()
    other = tmp_path / "other.key"
    other.write_bytes(b"y" * 32)
    backup = ["backup", "--database", server.database, "--key-file"]
    note = server.database.with_name("lifesignal.sqlite.verified")
    said = succeeded(run(*backup, other, tmp_path / "a", "--verify"))
    assert f"WITH ANOTHER KEY: {other}" in said and "The key is beside it" not in said
    assert "Verified: " in said and not note.exists(), "an unusable backup doesn't count"
    own = server.database.with_name("lifesignal.sqlite.key")
    said = succeeded(run(*backup, own, tmp_path / "b", "--verify"))
    assert f"The key is beside it: {tmp_path / 'b.key'}" in said and "ANOTHER" not in said
    assert note.exists()


def test_restore_refuses_another_key(make_server, tmp_path):
    server = make_server().start()
    person = sign_in(server, phone_number(0), "Ana")
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    server.stop()
    key = server.database.with_name("lifesignal.sqlite.key")
    own = key.read_bytes()
    key.write_bytes(b"x" * 64)
    before = server.database.read_bytes()
    refused = run("restore", backup, "--database", server.database)
    assert refused.returncode == 1 and "is not the key of this backup" in refused.stderr
    # The present key stays beside it, for the database that is replaced.
    assert f"install -b -m 600 {backup}.key {key}" in refused.stderr
    assert server.database.read_bytes() == before and key.read_bytes() == b"x" * 64
    assert not list(server.folder.glob("*before-restore*"))
    env = {"LIFESIGNAL_KEY": base64.b64encode(b"x" * 64).decode()}
    refused = run("restore", backup, "--database", server.database, env=env)
    assert refused.returncode == 1 and "LIFESIGNAL_KEY is not the key" in refused.stderr
    assert f"first: base64 -w 0 {backup}.key." in refused.stderr

    backup.with_name("backup.sqlite.key").write_bytes(b"y" * 64)
    key.unlink()
    refused = run("restore", backup, "--database", server.database)
    assert refused.returncode == 1 and "is not the key of this backup" in refused.stderr
    assert not key.exists()

    key.write_bytes(own)
    succeeded(run("restore", backup, "--database", server.database))
    server.start()
    assert person.get("/v1/me")["name"] == "Ana"


@pytest.mark.parametrize(
    "content, words",
    [
        (None, "there is no key at {}, so"),
        (b"y" * 64, "{} is another key, so"),
        (b"y", "{} has 1 bytes, fewer than a key, so"),
    ],
    ids=["missing", "another", "short"],
)
def test_restore_says_where_to_look_for_the_key(make_server, tmp_path, content, words):
    server = make_server().start()
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    server.stop()
    server.database.with_name("lifesignal.sqlite.key").write_bytes(b"x" * 64)
    beside = backup.with_name("backup.sqlite.key")
    beside.unlink()
    if content is not None:
        beside.write_bytes(content)
    for env in ({}, {"LIFESIGNAL_KEY": base64.b64encode(b"x" * 64).decode()}):
        refused = run("restore", backup, "--database", server.database, env=env)
        assert refused.returncode == 1 and "is not the key of this backup" in refused.stderr
        assert f"{words.format(beside)} look beside the other backups" in refused.stderr
        assert "install" not in refused.stderr and "base64" not in refused.stderr


@pytest.mark.parametrize("content", [b"short", b""], ids=["short", "empty"])
def test_restore_takes_no_broken_key(make_server, tmp_path, content):
    server = make_server().start()
    person = sign_in(server, phone_number(0), "Ana")
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    server.stop()
    beside = backup.with_name("backup.sqlite.key")
    beside.write_bytes(content)
    words = f"{beside} has {len(content)} bytes, fewer than a key"
    restore = ("restore", backup, "--database", server.database)
    # The server's own key is the right one.
    said = succeeded(run(*restore))
    assert words in said and "install" not in said

    key = server.database.with_name("lifesignal.sqlite.key")
    own = key.read_bytes()
    key.unlink()
    before = sorted(server.folder.iterdir())
    refused = run(*restore)
    assert refused.returncode == 1 and f"{words}. Nothing was changed." in refused.stderr
    assert sorted(server.folder.iterdir()) == before
    said = succeeded(run(*restore, "--accept-new-key"))
    assert f"WITHOUT A KEY: {words}." in said and not key.exists()

    key.write_bytes(own)
    key.chmod(0o600)
    server.start()
    assert person.get("/v1/me")["name"] == "Ana"


def test_replacing_lost_key_needs_an_option(make_server, tmp_path):
    server = make_server().start()
    sign_in(server, phone_number(0), "Ana")
    backup = tmp_path / "backup.sqlite"
    succeeded(run("backup", backup, "--database", server.database))
    backup.with_name("backup.sqlite.key").unlink()
    server.stop()
    key = server.database.with_name("lifesignal.sqlite.key")
    key.write_bytes(b"x" * 64)
    said = succeeded(run("restore", backup, "--database", server.database, "--accept-new-key"))
    assert "--accept-new-key" in said.splitlines()[-1]
    server.launch()
    assert server.wait_for_end() == 1 and "--accept-new-key" in server.output()
    server.arguments = (*server.arguments, "--accept-new-key")
    server.start()
    person = begin_session(Client(server), phone_number(0))
    assert person.get("/v1/me")["name"] == "Ana"


def test_backup_and_restore_name_the_failing_file(make_server, tmp_path):
    server = make_server().start()
    server.stop()
    nowhere = tmp_path / "missing" / "backup.sqlite"
    refused = run("backup", nowhere, "--database", server.database)
    assert refused.returncode == 1 and f"{nowhere} can't be opened" in refused.stderr
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + os.urandom(50_000))
    refused = run("restore", broken, "--database", server.database)
    assert refused.returncode == 1 and f"{broken} is not a LifeSignal database" in refused.stderr
    assert "restore another backup" in refused.stderr and "Move it away" not in refused.stderr
    refused = run("restore", tmp_path, "--database", server.database)
    assert refused.returncode == 1 and "it is a folder" in refused.stderr


def test_backup_reports_full_disk(make_server, tmp_path):
    server = make_server().start()
    server.stop()
    backup = tmp_path / "backup.sqlite"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    refused = run(
        "backup", backup, "--database", server.database, preexec_fn=limit, restore_signals=False
    )
    assert refused.returncode == 1, refused
    assert f"the disk that holds {backup} is full" in refused.stderr
    assert not list(tmp_path.glob("backup*"))


def test_vanished_database_is_not_recreated(make_server):
    server = make_server().start()
    sign_in(server, phone_number(0), "Ana")
    server.stop()
    for path in server.folder.glob("lifesignal.sqlite*"):
        if path.suffix != ".key":
            path.unlink()
    for content in (None, b""):
        if content is not None:
            server.database.write_bytes(content)
        server.launch()
        assert server.wait_for_end() == 1
        for words in ("there is no database at", "restore BACKUP", "--begin-anew"):
            assert words in server.output()
        assert not server.database.exists() or not server.database.stat().st_size
    doctor = run("doctor", "--database", server.database, "--port", 0)
    assert doctor.returncode == 1 and "BAD   database: there is no database" in doctor.stdout

    marker = server.database.with_name("lifesignal.sqlite.begin-anew")
    marker.touch()
    server.start()
    assert not marker.exists(), "it counts once"
    server.stop()
    server.database.unlink()
    server.launch()
    assert server.wait_for_end() == 1
    server.arguments = (*server.arguments, "--begin-anew")
    server.start()
    sign_in(server, phone_number(0), "Ana")


def test_unreachable_key_does_not_count_as_missing(make_server):
    """Root may enter every folder. A link to itself fails for root, too."""
    server = make_server().start()
    server.stop()
    key = server.database.with_name("lifesignal.sqlite.key")
    key.unlink()
    key.symlink_to(key)
    server.launch()
    assert server.wait_for_end() == 1
    assert f"the key file {key} can't be read" in server.output()
    for path in server.folder.glob("lifesignal.sqlite*"):
        if path != key:
            path.unlink()
    server.launch()
    assert server.wait_for_end() == 1
    assert f"the key file {key} can't be read" in server.output()
    assert not server.database.exists()


def test_server_needs_its_key_to_start(make_server):
    server = make_server().start()
    person = sign_in(server, phone_number(0), "Ana")
    server.stop()
    key = server.database.with_name("lifesignal.sqlite.key")
    own = key.read_bytes()
    key.unlink()
    server.launch()
    assert server.wait_for_end() == 1
    assert f"there is no key at {key}" in server.output() and not key.exists()
    key.write_bytes(b"")
    key.chmod(0o600)
    server.launch()
    assert server.wait_for_end() == 1
    short = f"{key} must hold at least 32 bytes, and has 0. If the server has never started"
    assert short in server.output()
    key.write_bytes(bytes(range(32)))
    key.chmod(0o644)
    server.launch()
    assert server.wait_for_end() == 1
    assert "is not the one of its database" in server.output()
    assert "chmod" not in server.output(), "the file may be another program's"
    key.chmod(0o600)
    doctor = run("doctor", "--database", server.database, "--port", 0)
    assert doctor.returncode == 1 and "is not the key of this database" in doctor.stdout
    assert "Web Push" not in doctor.stdout, doctor.stdout
    key.write_bytes(own)
    server.start()
    assert person.get("/v1/me")["name"] == "Ana"


def test_serve_refuses_after_interrupted_restore(make_server, tmp_path):
    server = make_server()
    (server.folder / "lifesignal.sqlite.restoring").write_bytes(b"half a backup")
    url = ["--public-url", "http://localhost"]
    result = run("serve", "--database", server.database, "--port", 0, *url)
    assert result.returncode != 0 and "interrupted" in result.stderr, result
    assert not server.database.exists()


def test_restored_server_has_new_epoch(make_server, tmp_path):
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
