"""The program starts on databases that programs of older versions made, and loses nothing."""

import json
import sqlite3
import tarfile
import time
from pathlib import Path

import pytest

from support.api import Client, begin_session, seconds
from support.program import REPOSITORY, phone_number, run
from support.waiting import wait_until, work_per_core
from upgrades.make import DAY, PEOPLE, schema, seen

OLD = sorted((Path(__file__).parent / "upgrades").glob("schema-*.tar.xz"))


def newest_schema():
    migrations = (REPOSITORY / "Sources/Server/Persistence/Migrations").glob("Migration*.swift")
    return max(int(file.name[len("Migration") :][:3]) for file in migrations)


@pytest.fixture(params=OLD, ids=lambda file: file.name.split(".")[0])
def old(request, tmp_path):
    """The folder of an old database, and what the old program said about it."""
    folder = tmp_path / "old"
    folder.mkdir()
    with tarfile.open(request.param) as archive:
        archive.extractall(folder)
    return folder, json.loads((folder / "expected.json").read_text())


@pytest.fixture
def upgraded(old, clock, make_server):
    """The server, a minute after the old one was stopped."""
    folder, expected = old
    clock.set(int(expected["madeAt"] + 60 - time.time()))
    database = folder / "lifesignal.sqlite"
    server = make_server("--trust-clock", database=database, env=clock.env).start()
    return (
        server,
        clock,
        [
            (begin_session(Client(server), phone_number(index)), before)
            for index, before in enumerate(expected["people"])
        ],
    )


def assert_kept(before, after):
    """A newer version may say more, but nothing else."""
    if isinstance(before, dict):
        for key, value in before.items():
            assert key in after, f"{key} is missing in {after}"
            assert_kept(value, after[key])
    else:
        assert after == before


def test_three_versions_are_kept():
    assert len(OLD) >= 3


def test_people_alerts_and_deadlines_outlive_an_upgrade(upgraded):
    server, _, people = upgraded
    assert schema(server.database) == newest_schema()
    assert [before["name"] for _, before in people] == PEOPLE
    for person, before in people:
        assert_kept(before, seen(person))
    eva, ana = people[4][0], people[0][0]
    (alert,) = [one for one in eva.get("/v1/alerts")["items"] if one["isActive"]]
    assert alert["kind"] == "manual"
    # Who was on it is on it.
    acknowledged = eva.get(f"/v1/alerts/{alert['id']}")["history"]
    assert ana.id in json.dumps(acknowledged)


def test_a_check_in_after_an_upgrade_moves_the_deadline(upgraded):
    _, clock, people = upgraded
    ana, before = people[0]
    moment = time.time() + int(clock.file.read_text())
    answer = ana.check_in(at=moment)
    assert seconds(answer["nextCheckInTime"]) == pytest.approx(moment + DAY, abs=5)
    assert seconds(answer["nextCheckInTime"]) > seconds(before["nextCheckInTime"])
    assert len(ana.get("/v1/check-ins")["items"]) == len(before["checkIns"]) + 1


def test_an_old_deadline_passes_after_an_upgrade(upgraded):
    server, clock, people = upgraded
    deadline = people[0][1]["nextCheckInTime"]
    margin = 20 * work_per_core()
    clock.set(int(seconds(deadline) - margin - time.time()))
    # A day later, his access token has expired.
    ben = begin_session(Client(server), phone_number(1))

    def told():
        alerts = ben.get("/v1/alerts")["items"]
        return [one["kind"] for one in alerts if one.get("deadline") == deadline]

    assert not told()
    clock.set(int(seconds(deadline) - 1 - time.time()))
    assert wait_until(told, 20, "an alert of a missed check-in") == ["missedCheckIn"]


def test_an_alert_after_an_upgrade_reaches_the_old_responders(upgraded):
    _, _, people = upgraded
    (ana, _), (ben, _), (cleo, _) = people[:3]
    alert = "6f1d8a52-5a3c-4f0e-9a4e-0d4c1f3b7a11"
    ana.put(f"/v1/alerts/{alert}", {})
    for responder in (ben, cleo):
        wait_until(
            lambda: alert in [one["id"] for one in responder.get("/v1/alerts")["items"]],
            10,
            "the alert",
        )


def test_admin_leaves_an_older_database_as_it_is(old):
    """It may be the backup that leads back to the older version."""
    database = old[0] / "lifesignal.sqlite"
    before, version = database.read_bytes(), schema(database)
    result = run("admin", "people", "--database", database, "--json")
    assert result.returncode == 4, result.stdout + result.stderr
    problem = json.loads(result.stderr)["error"]
    assert problem["code"] == "older-database"
    assert f"version {version}, this program has {newest_schema()}" in problem["message"]
    assert database.read_bytes() == before and schema(database) == version


def test_an_upgraded_database_is_sound(upgraded, tmp_path):
    server, _, _ = upgraded
    copy = tmp_path / "copy.sqlite"
    made = run("backup", copy, "--database", server.database)
    assert made.returncode == 0, made.stderr
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
