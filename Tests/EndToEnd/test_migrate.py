"""`lifesignal migrate`: a whole SQLite database on PostgreSQL, whatever interrupts it, and a clear
refusal of what can't be migrated."""

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
    """A PostgreSQL database."""

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


def migrate(source, target, **env):
    return run("migrate", "--from", source, "--to", getattr(target, "url", target), env=env)


def succeeded(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def contents(source):
    """The number of rows of each table."""
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
    """A database with one person and one contact, and no server."""
    server = make_server().start()
    ana, ben = sign_in(server, phone_number(0), "Ana"), sign_in(server, phone_number(1), "Ben")
    watch_over(ben, ana)
    ana.check_in()
    server.stop()
    return server.database


def grow(source, check_ins):
    """Adds old check-ins of the first person."""
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
    """A server that has worked for a while, its people and the load they were."""
    server = make_server("--demo-intervals").start()
    population = Population(server)
    load = Load(population, seed)
    load.run_for(3)
    load.stop()
    server.stop()
    return server, population, load


# Success


def test_everything_is_there(make_server, target):
    server, _, _ = a_stopped_server(make_server, seed=7)
    before = contents(server.database)
    assert all(before[table] for table in ("users", "contacts", "check_ins", "alerts", "events"))

    said = succeeded(migrate(server.database, target))
    assert contents(server.database) == before, "the SQLite file stays as it is"
    for table, rows in before.items():
        assert target.rows(table) == rows, table
        assert re.search(rf"^{table} +[0-9a-f]{{16}}  {rows} rows$", said, re.M), table
    assert "alike on both sides" in said and "lifesignal.sqlite.key" in said
    assert "unfinished_transfer" not in target.tables()
    newest = "SELECT COUNT(*) FROM (SELECT user_id, MAX(sequence) AS newest FROM events GROUP BY 1)"
    assert int(target.sql(f"{newest} e JOIN event_numbers USING (user_id, newest)")) == int(
        target.sql("SELECT COUNT(*) FROM event_numbers")
    )

    again = succeeded(migrate(server.database, target))
    assert "It was migrated before" in again


def test_servers_go_on_where_the_one_stopped(make_server, target):
    """The same people with the same sessions, on two servers: nothing that was answered is lost."""
    server, population, load = a_stopped_server(make_server, seed=3)
    succeeded(migrate(server.database, target))
    key = server.database.with_name("lifesignal.sqlite.key")
    servers = [
        make_server("--demo-intervals", "--key-file", key, database=target.url).start()
        for _ in range(2)
    ]
    for number, person in enumerate(population.dependents + population.responders):
        person.server = servers[number % 2]
    # The numbers of events go on without a gap, and nothing that was answered before is lost.
    Promises(load).everything()
    load.run_for(2)
    load.stop()
    Promises(load).everything()


def test_another_key_is_refused(source, make_server, target):
    succeeded(migrate(source, target))
    stranger = make_server(database=target.url).launch()
    assert stranger.wait_for_end() == 1
    assert "key" in stranger.output()


def test_a_server_refuses_half_a_database(source, make_server, target):
    begin_and_kill(source, target)
    server = make_server(database=target.url).launch()
    assert server.wait_for_end() == 1
    assert "a migration from SQLite has not finished" in server.output()
    doctor = run("doctor", "--database", target.url)
    assert doctor.returncode == 1 and "has not finished" in doctor.stdout


def test_a_bar_on_a_terminal(source, target):
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
        pass  # Linux says so when the program has ended.
    os.close(leader)
    assert process.wait(30) == 0, shown
    bar = rb"\r\[[#.]{30}\] \d+ %  "
    assert re.search(bar + rb"Copying check_ins: \d+ of \d+ rows\x1b\[K", shown), shown
    assert re.search(bar + rb"Comparing check_ins: \d+ of \d+ rows\x1b\[K", shown), shown
    assert b"] 0 %" in shown and b"[####" in shown


# Interruption


def test_a_killed_migration_goes_on(source, target):
    grow(source, 60_000)
    for least in (1, 5_000, 20_000):
        process = subprocess.Popen(
            [PROGRAM, "migrate", "--from", source, "--to", target.url],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        copied = f"SELECT COUNT(*) > {least} FROM check_ins"
        wait_until(lambda: is_true(target, copied), 60, f"{least} rows")
        process.kill()
        process.communicate()
        assert "unfinished_transfer" in target.tables()
    before = target.rows("check_ins")
    assert before < 60_000, "the last kill came too late to show anything"
    said = succeeded(migrate(source, target))
    assert f"Copying check_ins: {before}" not in said.splitlines()[0]
    assert target.rows("check_ins") == 60_001
    assert "unfinished_transfer" not in target.tables()


def is_true(target, condition):
    return "check_ins" in target.tables() and target.sql(condition) == "t"


def test_a_row_that_differs_is_found(source, target):
    """Here because somebody wrote to the target meanwhile; the same for any defect."""
    begin_and_kill(source, target)
    target.sql("UPDATE users SET name = name || 'x'")
    refused = migrate(source, target)
    assert refused.returncode == 1 and "not alike on both sides: users." in refused.stderr
    assert "dropdb" in refused.stderr
    assert "unfinished_transfer" in target.tables(), "servers still refuse it"


def test_a_server_that_ran_meanwhile_is_noticed(source, target, make_server):
    begin_and_kill(source, target)
    server = make_server(folder=source.parent).start()
    server.stop()
    refused = migrate(source, target)
    assert refused.returncode == 1 and "before a server ran on it again" in refused.stderr


def begin_and_kill(source, target):
    grow(source, 60_000)
    process = subprocess.Popen(
        [PROGRAM, "migrate", "--from", source, "--to", target.url],
        stdout=subprocess.DEVNULL,
        env=environment(),
    )
    wait_until(lambda: is_true(target, "SELECT COUNT(*) > 1 FROM check_ins"), 60, "some rows")
    process.kill()
    process.wait()
    assert "unfinished_transfer" in target.tables()


# Refusals: one sentence, exit code 1, and nothing is changed.


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
def test_a_source_that_is_none(tmp_path, target, content, words):
    file = tmp_path / "lifesignal.sqlite"
    if content is not None:
        file.write_bytes(content)
    refused(migrate(file, target), str(file), words)
    assert not target.tables()
    assert (file.read_bytes() if file.exists() else None) == content


def test_the_file_of_a_running_server(server, target):
    refused(migrate(server.database, target), "a server, or another migration, has", "Stop it")
    assert not target.tables()


def test_a_newer_file(source, target):
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
def test_a_target_that_is_none(source, url, words):
    result = migrate(source, url)
    refused(result, words)
    assert "s3cret" not in result.stdout + result.stderr


def test_no_database_of_this_name(source, postgresql):
    refused(migrate(source, postgresql.url("nobody")), "there is no such database")


def test_a_wrong_password(source, target):
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


def test_the_tables_of_another_program(source, target):
    target.sql("CREATE TABLE invoices (id INT)")
    refused(migrate(source, target), "tables of another program", "createdb")
    assert target.tables() == {"invoices"}


def test_a_target_that_holds_data(source, make_server, target):
    succeeded(migrate(source, target))
    other = make_server().start()
    sign_in(other, phone_number(5), "Cleo")
    other.stop()
    users = target.rows("users")
    refused(migrate(other.database, target), "it holds data already", "createdb")
    assert target.rows("users") == users


def test_a_newer_target(source, target):
    succeeded(migrate(source, target))
    target.sql("INSERT INTO schema_versions (version) VALUES (999)")
    refused(migrate(source, target), "schema version 999", "newer LifeSignal")


def test_a_target_that_can_only_be_read(source, target):
    target.sql(f"ALTER DATABASE {target.name} SET default_transaction_read_only = on")
    refused(migrate(source, target), "a standby that can only be read")
    assert not target.tables()
