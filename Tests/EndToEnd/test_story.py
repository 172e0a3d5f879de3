"""The whole story of two users, seen from outside: code, check-in, silence, alert, help. Prints the
time of each step, but doesn't judge it."""

import time

import pytest

from support.api import new_id, seconds, set_interval, sign_in
from support.events import EventStream
from support.program import phone_number

pytestmark = pytest.mark.both_engines


@pytest.fixture
def people(make_server):
    server = make_server("--demo-intervals").start()
    return sign_in(server, phone_number(0), "Ann"), sign_in(server, phone_number(1), "Bob")


@pytest.fixture
def measure():
    """Returns a function that prints how long a step took, seen from outside."""

    def report(what, since, until):
        print(f"{what:55} {1000 * (until - since):8.1f} ms")

    return report


def alert_event(kind, **wanted):
    return lambda event: (
        event.kind == "alert"
        and event.data["kind"] == kind
        and all(event.data.get(name) == value for name, value in wanted.items())
    )


def told(title):
    return lambda event: event.kind == "notification" and event.data["title"] == title


def add_by_picture(scanner, shower):
    """Scans the picture that the other user shows, looks up its owner, and adds them as a
    dependent."""
    picture = shower.get("/v1/me/qr-code.png")
    assert picture.startswith(b"\x89PNG")
    text = scanner.post("/v1/qr-codes/decode", data=picture, headers={"Content-Type": "image/png"})[
        "text"
    ]
    code = shower.get("/v1/me/qr-code")
    assert text == code["payload"]
    assert scanner.get(f"/v1/qr-codes/{code['id']}") == {"id": shower.id, "name": shower.name}
    contact = scanner.post(
        "/v1/contacts", {"code": text, "isResponder": False, "isDependent": True}, status=201
    )
    assert (contact["id"], contact["name"], contact["isDependent"]) == (shower.id, "Ann", True)


def test_whole_story_of_two_people(people, measure):
    ann, bob = people
    with EventStream(ann) as anns, EventStream(bob) as bobs:
        add_by_picture(bob, ann)
        anns.wait_for(told("Bob is now your contact"), 30, "Ann hears that Bob has added her")
        assert ann.get("/v1/contacts")["items"][0]["isResponder"]

        set_interval(ann, 2)
        started = time.monotonic()
        check_in = ann.check_in()
        measure("check-in answered", started, time.monotonic())
        seen = bobs.wait_for(lambda event: event.kind == "checkIn", 30, "Bob sees the check-in")
        measure("check-in on the responder's stream", started, seen.arrived)
        assert seen.data["nextCheckInTime"] == check_in["nextCheckInTime"]

        # Ann stops checking in. Two seconds after her deadline, the server alerts Bob.
        deadline = time.monotonic() + seconds(check_in["nextCheckInTime"]) - time.time()
        missed = bobs.wait_for(
            alert_event("missedCheckIn", isActive=True), 30, "the missed check-in"
        )
        measure("deadline passed → alert on the responder's stream", deadline, missed.arrived)
        assert (
            missed.data["deadline"] == check_in["nextCheckInTime"]
            and missed.data["userId"] == ann.id
        )
        bobs.wait_for(told("Ann missed a check-in"), 30, "Bob is told")
        anns.wait_for(told("You missed your check-in"), 30, "Ann is told")
        assert bob.get("/v1/contacts")["items"][0]["watch"]["status"] == "nonResponsive"

        started = time.monotonic()
        taken = bob.post(f"/v1/alerts/{missed.data['id']}/acknowledgement")
        assert taken["acknowledgement"]["responderId"] == bob.id
        comfort = anns.wait_for(told("Bob is on it"), 30, "Ann hears that help is coming")
        measure("alert taken on → on the stream of who needs help", started, comfort.arrived)

        set_interval(ann, 3600)
        started = time.monotonic()
        ann.check_in()
        over = bobs.wait_for(
            alert_event("missedCheckIn", isActive=False), 30, "the alert ends with the check-in"
        )
        measure("check-in → end of the alert on the responder's stream", started, over.arrived)
        bobs.wait_for(told("Ann checked in"), 30, "Bob is told that Ann is fine")
        assert ann.get("/v1/me")["status"] == "active"

    ledger = ann.get(f"/v1/alerts/{missed.data['id']}")["ledger"]
    assert {line["recipientId"] for line in ledger} == {ann.id, bob.id}


def test_manual_alert_and_ping(people, measure):
    ann, bob = people
    add_by_picture(bob, ann)
    ann.check_in()
    with EventStream(ann) as anns, EventStream(bob) as bobs:
        alert = new_id()
        started = time.monotonic()
        raised = ann.put(f"/v1/alerts/{alert}")
        measure("alert answered", started, time.monotonic())
        heard = bobs.wait_for(alert_event("manual", id=alert, isActive=True), 30, "the alert")
        measure("alert raised → on the responder's stream", started, heard.arrived)
        bobs.wait_for(told("Ann needs help"), 30, "Bob is told")
        assert ann.put(f"/v1/alerts/{new_id()}")["id"] == raised["id"], (
            "a second alert while one is open is the open one"
        )
        ann.check_in()
        assert ann.get("/v1/me")["status"] == "alertActive", "a check-in never ends a manual alert"
        ended = ann.post(f"/v1/alerts/{alert}/end")
        assert not ended["isActive"]
        bobs.wait_for(told("Ann ended the alert"), 30, "Bob is told of the end")

        ping = new_id()
        started = time.monotonic()
        bob.put(f"/v1/pings/{ping}", {"dependentID": ann.id})
        asked = anns.wait_for(lambda event: event.kind == "ping", 30, "the ping")
        measure("ping → on the dependent's stream", started, asked.arrived)
        assert (
            ann.put(f"/v1/pings/{new_id()}", {"dependentID": bob.id}, status=403)["code"]
            == "permission-denied"
        )
        ann.post(f"/v1/pings/{ping}/response")
        bobs.wait_for(told("Ann is fine"), 30, "the answer")
    assert [item["state"] for item in bob.get("/v1/pings")["items"]] == ["answered"]


def test_renewed_code_stops_working(people):
    ann, bob = people
    old = ann.get("/v1/me/qr-code")
    ann.post("/v1/me/qr-code")
    add = {"code": old["payload"], "isResponder": False, "isDependent": True}
    assert bob.post("/v1/contacts", add, status=404)["code"] == "not-found"
    assert bob.get(f"/v1/qr-codes/{old['id']}", status=404)["code"] == "not-found"


def test_deleted_user_is_gone_and_contacts_learn(people):
    ann, bob = people
    add_by_picture(bob, ann)
    assert bob.get("/v1/me/export")["contacts"][0]["id"] == ann.id
    with EventStream(bob) as bobs:
        ann.delete("/v1/me", status=204)
        bobs.wait_for(told("Ann has left LifeSignal"), 30, "Bob is told")
        bobs.wait_for(lambda event: event.kind == "contactRemoved", 30, "the contact goes")
    assert bob.get("/v1/contacts")["items"] == []
    assert ann.get("/v1/me", status=401)["code"] == "unauthenticated"
