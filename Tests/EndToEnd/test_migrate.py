"""`lifesignal migrate` copies a whole SQLite database to PostgreSQL despite interruptions, and
clearly refuses what it can't migrate."""

import os
import pty
import re
import sqlite3
import subprocess

import pytest

from support.api import sign_in, watch_over
from support.load import Load
from support.population import Population
from support.program import PROGRAM, environment, phone_number, run
from support.promises import Promises
from support.waiting import wait_until


class Target:
    def __init__(self, server, url):
        self.server = server
        self.url = url
        self.name = url.rsplit("/", 1)[1]

    def sql(self, text):
        return self.server.sql(text, self.name)

    def tables(self):
        return set(
            self.sql(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            ).split()
        )

    def rows(self, table):
        return int(self.sql(f"SELECT COUNT(*) FROM {table}"))


@pytest.fixture
def target(postgresql, postgresql_url):
    return Target(postgresql, postgresql_url)


def migrate(source, target, *options, **env):
    url = getattr(target, "url", target)
    return run("migrate", "--from", source, "--to", url, *options, env=env)


def succeeded(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def contents(source):
    with sqlite3.connect(source) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        counts = {
            name: connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]
            for (name,) in tables.fetchall()
            if not name.startswith("sqlite_")
        }
    connection.close()
    return counts


@pytest.fixture
def source(make_server):
    """A database with one user and one contact, without a server."""
    server = make_server().start()
    ana, ben = sign_in(server, phone_number(0), "Ana"), sign_in(server, phone_number(1), "Ben")
    watch_over(ben, ana)
    ana.check_in()
    server.stop()
    return server.database


def grow(source, check_ins):
    with sqlite3.connect(source) as connection:
        (user,) = connection.execute("SELECT id FROM users LIMIT 1").fetchone()
        columns = connection.execute("PRAGMA table_info(check_ins)").fetchall()
        values = {"user_id": user}
        for number in range(check_ins):
            values["id"] = number.to_bytes(16, "big")
            row = [values.get(name, 1000 + number) for _, name, *_ in columns]
            connection.execute(f"INSERT INTO check_ins VALUES ({','.join('?' * len(row))})", row)
    connection.close()


def a_stopped_server(make_server, seed):
    """Returns a stopped server that has worked for a while, together with its users and their
    load."""
    server = make_server("--demo-intervals").start()
    population = Population(server)
    load = Load(population, seed)
    load.run_for(3)
    load.stop()
    server.stop()
    return server, population, load


# Success


def test_migration_copies_everything(make_server, target):
    server, _, _ = a_stopped_server(make_server, seed=7)
    before = contents(server.database)
    assert all(before[table] for table in ("users", "contacts", "check_ins", "alerts", "events"))

    said = succeeded(migrate(server.database, target, "--verbose"))
    assert contents(server.database) == before, "the SQLite file stays as it is"
    for table, rows in before.items():
        assert target.rows(table) == rows, table
        assert re.search(rf"^{table} +[0-9a-f]{{16}}  {rows} rows$", said, re.M), table
    assert "identical on both sides" in said and "lifesignal.sqlite.key" in said
    assert "unfinished_transfer" not in target.tables()
    newest = "SELECT COUNT(*) FROM (SELECT user_id, MAX(sequence) AS newest FROM events GROUP BY 1)"
    assert int(target.sql(f"{newest} e JOIN event_numbers USING (user_id, newest)")) == int(
        target.sql("SELECT COUNT(*) FROM event_numbers")
    )

    again = succeeded(migrate(server.database, target))
    assert "Already migrated" in again
    assert len(again.splitlines()) < 20, "a short progress, and no line for each table"
    assert "Comparing: " in again and "Copying " not in again

    # The package's key is at another place than beside the database.
    key = server.database.with_name("lifesignal.sqlite.key")
    key.rename(key.with_name("server.key"))
    elsewhere = succeeded(migrate(server.database, target))
    assert "its --key-file or LIFESIGNAL_KEY" in elsewhere, elsewhere
    assert "lifesignal.sqlite.key" not in elsewhere


def test_servers_continue_after_migration(make_server, target):
    """Two servers continue with the same users and sessions. Nothing that was answered is lost."""
    server, population, load = a_stopped_server(make_server, seed=3)
    succeeded(migrate(server.database, target))
    key = server.database.with_name("lifesignal.sqlite.key")
    servers = [
        make_server("--demo-intervals", "--key-file", key, database=target.url).start()
        for _ in range(2)
    ]
    for number, person in enumerate(population.dependents + population.responders):
        person.server = servers[number % 2]
    # Event numbers continue without a gap, and nothing that was answered before is lost.
    Promises(load).everything()
    load.run_for(2)
    load.stop()
    Promises(load).everything()


def test_migrated_file_starts_no_server(source, make_server, target):
    succeeded(migrate(source, target))
    mark = source.with_name("lifesignal.sqlite.moved")
    old = make_server(folder=source.parent).launch()
    assert old.wait_for_end() == 1
    assert "was moved to PostgreSQL " in old.output() and str(mark) in old.output()
    admin = run("admin", "people", "--database", source)
    assert admin.returncode == 1 and "was moved to PostgreSQL " in admin.stderr
    doctor = run("doctor", "--database", source, "--port", 0)
    assert doctor.returncode == 1 and "BAD   database: " in doctor.stdout, doctor.stdout
    assert "was moved to PostgreSQL " in doctor.stdout and str(mark) in doctor.stdout
    mark.unlink()
    doctor = run("doctor", "--database", source, "--port", 0)
    assert "ok    database: " in doctor.stdout, doctor.stdout
    make_server(folder=source.parent).start().stop()


def test_migrated_file_goes_to_no_second_database(source, target, postgresql):
    succeeded(migrate(source, target))
    other = Target(postgresql, postgresql.make_database())
    mark = source.with_name("lifesignal.sqlite.moved")
    first = mark.read_text()
    refused = migrate(source, other)
    assert refused.returncode == 1 and not other.tables(), refused.stderr
    assert f"/{target.name}" in refused.stderr and str(mark) in refused.stderr
    assert mark.read_text() == first
    assert "Already migrated" in succeeded(migrate(source, target))
    mark.unlink()
    succeeded(migrate(source, other))
    assert f"/{other.name}" in mark.read_text()


def test_restore_into_a_migrated_file_says_that_no_server_starts(source, target):
    backup = source.with_name("backup.sqlite")
    succeeded(run("backup", backup, "--database", source))
    succeeded(migrate(source, target))
    said = succeeded(run("restore", backup, "--database", source))
    assert "was moved to PostgreSQL " in said and "Start the server" not in said
    source.with_name("lifesignal.sqlite.moved").unlink()
    assert "Start the server" in succeeded(run("restore", backup, "--database", source))


def test_unfinished_migration_leaves_the_file_usable(source, make_server, target):
    begin_and_kill(source, target)
    assert not source.with_name("lifesignal.sqlite.moved").exists()
    make_server(folder=source.parent).start().stop()


def test_migrated_database_needs_its_key(source, make_server, target):
    succeeded(migrate(source, target))
    stranger = make_server(database=target.url).launch()
    assert stranger.wait_for_end() == 1
    assert "key" in stranger.output()


def test_server_refuses_unfinished_migration(source, make_server, target):
    begin_and_kill(source, target)
    server = make_server(database=target.url).launch()
    assert server.wait_for_end() == 1
    assert "a migration from SQLite has not finished" in server.output()
    doctor = run("doctor", "--database", target.url)
    assert doctor.returncode == 1 and "has not finished" in doctor.stdout


def test_terminal_shows_progress_bar(source, target):
    grow(source, 5_000)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "migrate", "--from", source, "--to", target.url],
        stdout=follower,
        stderr=follower,
        env=environment(),
    )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 4096):
            shown += part
    except OSError:
        pass  # If the program has already ended, Linux raises this error
    os.close(leader)
    assert process.wait(30) == 0, shown
    bar = rb"\r\[[#.]{30}\] \d+ %  "
    assert re.search(bar + rb"Copying check_ins: \d+ of \d+ rows\x1b\[K", shown), shown
    assert re.search(bar + rb"Comparing check_ins: \d+ of \d+ rows\x1b\[K", shown), shown
    assert b"] 0 %" in shown and b"[####" in shown


# Interruption


# A trigger that blocks a migration at certain check-ins until the test kills the migration. The
# table gets the trigger when it is created. The trigger's function has its own schema, because a
# migration refuses tables that aren't its own.
STOPS = """
CREATE SCHEMA test;
CREATE TABLE test.stop (number INT);
INSERT INTO test.stop VALUES (0);
CREATE SEQUENCE test.copied;
CREATE FUNCTION test.stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('test.copied') = (SELECT number FROM test.stop) THEN PERFORM pg_sleep(600); END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION test.watch() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (
        SELECT 1 FROM pg_event_trigger_ddl_commands()
        WHERE object_identity = 'public.check_ins')
    THEN
        CREATE TRIGGER stop BEFORE INSERT ON public.check_ins
        FOR EACH ROW EXECUTE FUNCTION test.stand_still();
    END IF;
END $$;
CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
EXECUTE FUNCTION test.watch();
"""
STANDS_STILL = "datname = current_database() AND wait_event = 'PgSleep'"


def kill_at(source, target, number):
    """Kills a migration once it has copied this number of check-ins since the last kill."""
    target.sql(f"UPDATE test.stop SET number = {number}; ALTER SEQUENCE test.copied RESTART")
    process = subprocess.Popen(
        [PROGRAM, "migrate", "--from", source, "--to", target.url],
        stdout=subprocess.DEVNULL,
        env=environment(),
    )
    stands_still = f"SELECT COUNT(*) FROM pg_stat_activity WHERE {STANDS_STILL}"
    try:
        wait_until(lambda: target.sql(stands_still) == "1", 60, f"check-in {number}")
    finally:
        process.kill()
        process.wait()
    target.sql(
        f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {STANDS_STILL}"
    )
    assert "unfinished_transfer" in target.tables()


def test_killed_migration_can_be_resumed(source, target):
    grow(source, 60_000)
    target.sql(STOPS)
    before = 0
    for number in (5_000, 15_000, 20_000):
        kill_at(source, target, number)
        after = target.rows("check_ins")
        assert before < after < before + number, "what was committed stays, and no more"
        before = after
    target.sql("UPDATE test.stop SET number = 0; ALTER SEQUENCE test.copied RESTART")
    said = succeeded(migrate(source, target))
    told = [int(rows) for rows in re.findall(r"^Copying: (\d+) of", said, re.M)]
    # The reported number includes the rows of earlier tables.
    assert told[0] < before <= told[1], said
    assert len(said.splitlines()) < 30, said
    assert int(target.sql("SELECT last_value FROM test.copied")) == 60_001 - before
    assert target.rows("check_ins") == 60_001
    assert "unfinished_transfer" not in target.tables()


def test_differing_row_is_found(source, target):
    """The test changes the target meanwhile, so that the rows differ as after a defect."""
    begin_and_kill(source, target)
    target.sql("UPDATE users SET name = name || 'x'")
    refused = migrate(source, target)
    assert refused.returncode == 1 and "these tables differ: users." in refused.stderr
    assert "dropdb" in refused.stderr
    assert "unfinished_transfer" in target.tables(), "servers still refuse it"


def test_server_run_during_migration_is_noticed(source, target, make_server):
    begin_and_kill(source, target)
    server = make_server(folder=source.parent).start()
    server.stop()
    refused = migrate(source, target)
    assert refused.returncode == 1 and "before a server ran on it again" in refused.stderr


def begin_and_kill(source, target):
    grow(source, 5_000)
    target.sql(STOPS)
    kill_at(source, target, 4_000)


# Each refusal is one sentence with exit code 1, and changes nothing.


def refused(result, *words):
    assert result.returncode == 1, result.stdout + result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr


@pytest.mark.parametrize(
    "content, words",
    [
        (None, "there is no such file"),
        (b"", "is not a LifeSignal database or is damaged"),
        (b"no database at all, but long enough to be one", "is not a LifeSignal database"),
    ],
    ids=["missing", "empty", "garbage"],
)
def test_invalid_source_is_refused(tmp_path, target, content, words):
    file = tmp_path / "lifesignal.sqlite"
    if content is not None:
        file.write_bytes(content)
    refused(migrate(file, target), str(file), words)
    assert not target.tables()
    assert (file.read_bytes() if file.exists() else None) == content


def test_source_of_running_server_is_refused(server, target):
    refused(migrate(server.database, target), "a server, or another migration, has", "Stop it")
    assert not target.tables()


def test_newer_source_is_refused(source, target):
    with sqlite3.connect(source) as connection:
        connection.execute("INSERT INTO schema_versions (version) VALUES (999)")
    connection.close()
    refused(migrate(source, target), "schema version 999", "newer LifeSignal")
    assert not target.tables()


@pytest.mark.parametrize(
    "url, words",
    [
        ("data/other.sqlite", "not a PostgreSQL URL"),
        ("postgres://ana:s3cret@127.0.0.1:1/x", "take the password out of --to"),
        ("postgres://ana@127.0.0.1:1/x?password=s3cret", "take the password out of --to"),
        ("postgres://127.0.0.1:1/x", "can't be reached"),
        ("postgres://nowhere.invalid/x", "can't be reached"),
    ],
)
def test_invalid_target_is_refused(source, url, words):
    result = migrate(source, url)
    refused(result, words)
    assert "s3cret" not in result.stdout + result.stderr


def test_missing_target_database_is_refused(source, postgresql):
    refused(migrate(source, postgresql.url("nobody")), "there is no such database")


def test_wrong_target_password_is_refused(source, target):
    rules = target.server.data / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"host {target.name} all all scram-sha-256\n{before}")
    try:
        target.server.sql("SELECT pg_reload_conf()")
        for env in ({}, {"PGPASSWORD": "s3cret"}):
            result = migrate(source, target, **env)
            refused(result, "the password is wrong or missing: set PGPASSWORD")
            assert "s3cret" not in result.stderr
    finally:
        rules.write_text(before)
        target.server.sql("SELECT pg_reload_conf()")


def test_target_of_another_program_is_refused(source, target):
    target.sql("CREATE TABLE invoices (id INT)")
    refused(migrate(source, target), "tables of another program", "createdb")
    assert target.tables() == {"invoices"}


def test_target_with_data_is_refused(source, make_server, target):
    succeeded(migrate(source, target))
    other = make_server().start()
    sign_in(other, phone_number(5), "Cleo")
    other.stop()
    users = target.rows("users")
    refused(migrate(other.database, target), "it holds data already", "createdb")
    assert target.rows("users") == users


def test_newer_target_is_refused(source, target):
    succeeded(migrate(source, target))
    target.sql("INSERT INTO schema_versions (version) VALUES (999)")
    refused(migrate(source, target), "schema version 999", "newer LifeSignal")


def test_read_only_target_is_refused(source, target):
    target.sql(f"ALTER DATABASE {target.name} SET default_transaction_read_only = on")
    refused(migrate(source, target), "set default_transaction_read_only to off")
    assert not target.tables()
