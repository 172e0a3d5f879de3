#!/usr/bin/env python3
"""Makes a database of an older version: make.py PROGRAM. The program is LifeSignal's, built from
an older commit. It writes schema-NUMBER.tar.xz beside this file, with the database, its key, and in
expected.json what the program's API said about it.

Run this once when a version is released, before a migration follows: PYTHONPATH=Tests/EndToEnd."""

import json
import os
import sqlite3
import sys
import tarfile
import tempfile
import time
from pathlib import Path

if __name__ == "__main__":
    os.environ["LIFESIGNAL_PROGRAM"] = str(Path(sys.argv[1]).resolve())

from support.api import new_id, set_interval, sign_in, timestamp, watch_over
from support.program import Server, phone_number
from support.waiting import wait_until

DAY = 86_400
PEOPLE = ["Ana", "Ben", "Cleo", "Dev", "Eva"]


class OldServer(Server):
    """Passes options that older programs don't know as variables, which they ignore."""

    @property
    def command(self):
        command = super().command
        at = command.index("--sign-up")
        self.env["LIFESIGNAL_SIGN_UP"] = command[at + 1]
        return command[:at] + command[at + 2 :]


def settle(person, **more):
    """Sets the interval to a day, and whatever else the version knows."""
    settings = {"intervalSeconds": DAY, "remindTwoHoursBefore": True}
    person.put("/v1/me/check-in-settings", {**settings, "remindThirtyMinutesBefore": False, **more})


def fill(server, version):
    """Lets five people live with each other for some seconds, and returns what they see."""
    people = [sign_in(server, phone_number(index), name) for index, name in enumerate(PEOPLE)]
    ana, ben, cleo, dev, eva = people
    ana.call("PATCH", "/v1/me", {"emergencyNote": "Allergic to nuts. The key is with Cleo."})
    for dependent, responders in [(ana, [ben, cleo]), (dev, [ana, ben]), (eva, [ana, dev])]:
        for responder in responders:
            watch_over(responder, dependent)

    # Dev misses a deadline, Ben comes, and Dev checks in.
    set_interval(dev, 5)
    dev.check_in()
    missed = wait_until(lambda: ben.get("/v1/alerts")["items"], 30, "Dev's alert")[0]
    ben.post(f"/v1/alerts/{missed['id']}/acknowledgement")
    dev.check_in()
    # Eva needs help, and Ana is on it.
    alert = new_id()
    eva.put(f"/v1/alerts/{alert}", {})
    ana.post(f"/v1/alerts/{alert}/acknowledgement")

    for person in people:
        settle(person)
        person.check_in()
    if version >= 24:
        window = {"days": ["monday", "friday", "sunday"], "deadline": "20:00"}
        settle(ben, plan={"kind": "times", "timeZone": "Europe/Berlin", "windows": [window]})
        cleo.put("/v1/me/pause", {"until": timestamp(time.time() + 3 * DAY)})
    if version >= 25:
        journey = {
            "id": new_id(),
            "name": "Zugspitze",
            "expectedReturn": timestamp(time.time() + DAY / 2),
            "graceMinutes": 10,
            "note": "The blue car is in Garmisch.",
            "tellsResponders": True,
        }
        ana.put("/v1/me/journey", journey)
    if version >= 26:
        ana.post("/v1/sources", {"name": "Kitchen button"}, status=201)
    return [seen(person) for person in people]


def seen(person):
    """Returns what a newer version must still say to this person."""
    profile = person.get("/v1/me")
    kept = ["name", "phoneNumber", "emergencyNote", "nextCheckInTime", "status", "pause", "journey"]
    alerts = person.get("/v1/alerts")["items"]
    contacts = list(person.pages("/v1/contacts"))
    return {
        **{key: profile[key] for key in kept if key in profile},
        "checkIns": sorted(one["id"] for one in person.pages("/v1/check-ins")),
        "alerts": {one["id"]: [one["kind"], one["isActive"]] for one in alerts},
        "contacts": {
            one["id"]: [one["name"], one["isResponder"], one["isDependent"]] for one in contacts
        },
    }


def schema(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT MAX(version) FROM schema_versions").fetchone()[0]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = OldServer(folder, "--demo-intervals", phones=len(PEOPLE)).start()
        try:
            version = schema(server.database)
            expected = {"madeAt": time.time(), "people": fill(server, version)}
            server.stop()
        finally:
            server.kill()
        (folder / "expected.json").write_text(json.dumps(expected, indent=1))
        with sqlite3.connect(server.database) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        target = Path(__file__).with_name(f"schema-{version}.tar.xz")
        with tarfile.open(target, "w:xz") as archive:
            for file in ["lifesignal.sqlite", "lifesignal.sqlite.key", "expected.json"]:
                archive.add(folder / file, file)
        print(target)


if __name__ == "__main__":
    main()
