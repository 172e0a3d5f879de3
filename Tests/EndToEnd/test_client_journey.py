"""The program as a client for terminals: journeys."""

from datetime import UTC, datetime, timedelta

import pytest

from support.program import phone_number
from support.terminal import REFUSED, UNREACHABLE, USAGE, WAITING, Person
from support.waiting import wait_until

NOTE = "The blue car is in Garmisch."


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def ana(server, tmp_path):
    return Person(tmp_path / "ana", phone_number(0), server).sign_in("Ana")


@pytest.fixture
def ben(ana, server, tmp_path):
    """Ben watches over Ana."""
    ben = Person(tmp_path / "ben", phone_number(1), server).sign_in("Ben")
    ben.call("contacts", "add", ana.call("qr", "show")["id"], "--dependent")
    return ben


def start(person, back, *arguments):
    return person.call("journey", "start", "Zugspitze", "--back", back, *arguments)["journey"]


def alert_of_ana(ben, state=True):
    """Waits until Ana's newest alert is open or over. Returns it."""

    def found():
        alerts = ben.call("alert", "history")["alerts"]
        return alerts and alerts[0]["isActive"] is state and alerts[0]

    return wait_until(found, 30, "the alert", every=0.2)


def test_overdue_journey_is_told_until_the_arrival(ana, ben):
    start(ana, "+2s", "--grace", "0", "--note", NOTE)
    alert = alert_of_ana(ben)
    assert (alert["kind"], alert["journey"]) == ("journey", "Zugspitze")
    assert "note" not in alert and NOTE not in ben.say("status")
    assert "Ana is not back from Zugspitze" in ben.say("status")
    assert ben.call("alert", "history", alert["id"])["alert"]["note"] == NOTE
    assert NOTE in ben.say("alert", "history", alert["id"])
    assert "ALERT" in ana.say("journey")
    assert "have arrived" in ana.say("journey", "arrive")
    assert alert_of_ana(ben, state=False)["id"] == alert["id"]
    assert "You are not on a journey." in ana.say("journey")


def test_arrival_shows_on_the_contact_at_once(ana, ben):
    start(ana, "+2s", "--grace", "0")
    alert_of_ana(ben)
    assert ben.call("status")["contacts"][0]["status"] == "alertActive"
    ana.call("journey", "arrive")
    status = ben.call("status")
    assert status["openAlerts"] == [] and status["contacts"][0]["status"] != "alertActive"


def test_later_return_ends_the_alert(ana, ben):
    start(ana, "+2s", "--grace", "0")
    alert = alert_of_ana(ben)
    extended = ana.call("journey", "extend")["journey"]
    assert "alertID" not in extended
    assert alert_of_ana(ben, state=False)["id"] == alert["id"]


def test_check_in_never_ends_a_journey(ana, ben):
    journey = start(ana, "+2h")
    ana.call("check-in")
    assert ana.call("journey")["journey"] == journey
    ana.call("journey", "arrive")
    start(ana, "+2s", "--grace", "0")
    alert_of_ana(ben)
    ana.call("check-in")
    assert ana.call("journey")["journey"]["alertID"] == alert_of_ana(ben)["id"]


def test_pause_never_stops_a_journey(ana, ben):
    ana.call("check-in")
    ana.call("pause", "for", "1d")
    start(ana, "+2s", "--grace", "0")
    assert alert_of_ana(ben)["kind"] == "journey"


def test_chosen_responder_sees_the_journey(ana, ben):
    journey = start(ana, "+2h", "--responders", "Ben", "--tell", "--note", NOTE)
    assert journey["responderIDs"] == [ben.id] and journey["tellsResponders"]
    seen = ben.call("contacts", "--details")["contacts"][0]["journey"]
    assert seen == {"name": "Zugspitze", "expectedReturn": journey["expectedReturn"]}
    assert "on a journey, Zugspitze" in ben.say("status")
    assert NOTE not in ben.say("contacts", "--details")
    shown = ana.say("journey")
    assert "Ben" in shown and NOTE in shown and "not by SMS" in shown
    assert "being told, but not by SMS" in ana.say("journey", "arrive")


def test_untold_responder_does_not_see_the_journey(ana, ben):
    start(ana, "+2h")
    assert "journey" not in ben.call("contacts", "--details")["contacts"][0]
    assert "Zugspitze" not in ben.say("notifications")


def test_return_is_typed_as_time_or_length(ana, ben):
    later = datetime.now(UTC) + timedelta(hours=3)
    zone = ("--zone", "Atlantic/Reykjavik")
    journey = start(ana, later.strftime("%H:%M"), *zone)
    assert journey["expectedReturn"] == later.strftime("%Y-%m-%dT%H:%M:00.000Z")
    moved = later + timedelta(hours=1)
    answer = ana.call("journey", "extend", "+1h")["journey"]
    assert answer["expectedReturn"] == moved.strftime("%Y-%m-%dT%H:%M:00.000Z")


def test_return_in_the_schedules_zone_names_it(ana, ben):
    # India has no summer time.
    ana.call("schedule", "times", "10:00", "--zone", "Asia/Kolkata")
    back = datetime.now(UTC) + timedelta(hours=3)
    typed = (back + timedelta(hours=5, minutes=30)).strftime("%H:%M")
    told = ana.say("journey", "start", "Zugspitze", "--back", typed)
    assert f"{typed} Kolkata time (" in told and f"{back.strftime('%H:%M')} here)" in told, told
    told = ana.say("journey", "extend", "+1h")
    assert "Kolkata" not in told and " here)" not in told, told


def test_offline_later_returns_add_up(ana, ben, server):
    first = datetime.fromisoformat(start(ana, "+2h")["expectedReturn"])
    ana.call("status")
    server.stop()
    for arguments in ([], ["+1h"], []):
        ana.call("journey", "extend", *arguments, code=WAITING)
    server.start_again()
    last = datetime.fromisoformat(ana.call("journey")["journey"]["expectedReturn"])
    assert last - first == timedelta(hours=2)


BAD = [
    (["soon"], "usage", "not a return"),
    (["18:00"], "no-time-zone", ""),
    (["18:00", "--zone", "Mars/Olympus"], "invalid-argument", "time zone"),
    (["+2h", "--grace", "61"], "invalid-argument", "0 to 60"),
    (["+2h", "--note", "x" * 1001], "invalid-argument", "1,000"),
]


def test_invalid_journeys_are_explained(ana, ben):
    for arguments, code, words in BAD:
        error = ana.call("journey", "start", "Zugspitze", "--back", *arguments, code=USAGE)
        assert error["code"] == code and words in error["message"], (arguments, error)
    ana.call("journey", "start", "Zugspitze", "--back", "+8d", code=REFUSED)
    assert ana.call("journey", "arrive", code=REFUSED)["code"] == "no-journey"
    start(ana, "+2h")
    ana.call("journey", "start", "Again", "--back", "+2h", code=REFUSED)
    assert ana.call("journey")["journey"]["name"] == "Zugspitze"


def test_journey_needs_a_responder(ana):
    ana.call("journey", "start", "Zugspitze", "--back", "+2h", code=REFUSED)


def test_unsent_arrival_is_taken_back(ana, ben, server):
    start(ana, "+2h")
    server.stop()
    ana.call("journey", "arrive", code=WAITING)
    answer = ana.call("journey", "extend", code=WAITING)
    assert answer["sent"] == [], answer
    assert [item["kind"] for item in answer["takenBack"]] == ["endJourney"]
    ana.call("journey", "arrive", code=WAITING)
    said = ana.say("journey", "extend", code=WAITING)
    assert "Taken back: your arrival of" in said and "Sent now" not in said, said


def test_start_needs_a_connection_and_the_arrival_waits(ana, ben, server):
    ana.call("status")
    server.stop()
    ana.call("journey", "start", "Zugspitze", "--back", "+2h", code=UNREACHABLE)
    server.start_again()
    start(ana, "+2h")
    server.stop()
    assert "Waiting to be sent: your later return" in ana.say("journey", "extend", code=WAITING)
    assert ana.call("journey", "arrive", code=WAITING)["waiting"][-1]["kind"] == "endJourney"
    assert "Waiting to be sent: your arrival" in ana.say("journey")
    server.start_again()
    assert "journey" not in ana.call("status")["profile"]
