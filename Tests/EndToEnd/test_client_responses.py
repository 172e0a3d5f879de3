"""A responder's actions on an alert, and the warnings about protection, in the terminal."""

import pytest

from support.program import phone_number
from support.terminal import REFUSED, USAGE, Person


@pytest.fixture
def pair(server, tmp_path):
    """Ana, and Ben who watches over her."""
    ana, ben = (
        Person(tmp_path / name, phone_number(i), server).sign_in(name)
        for i, name in enumerate(("Ana", "Ben"))
    )
    ben.call("contacts", "add", ana.call("qr", "show")["id"], "--dependent")
    return ana, ben


def test_a_responder_withdraws_reports_and_has_everyone_alerted_again(pair):
    ana, ben = pair
    assert ben.call("alert", "withdraw", "Ana", code=REFUSED)["code"] == "no-alert"
    alert = ana.call("alert", "start")["alert"]["id"]
    assert ben.call("alert", "withdraw", "Ana", code=REFUSED)["code"] == "not-on-it"
    assert ben.call("alert", "resume", alert, code=REFUSED)["code"] == "no-report"
    assert ben.call("alert", "decline", "Ana")["alert"]["isActive"]
    assert "The others are asked." in ben.say("alert", "decline", "Ana")
    ben.call("alert", "acknowledge", "Ana")
    assert "acknowledgedBy" not in ben.call("alert", "withdraw", "Ana")["alert"]
    for word, kind in (
        ("with-them", "withThem"),
        ("found-safe", "foundSafe"),
        ("emergency-services-called", "emergencyServicesCalled"),
    ):
        assert ben.call("alert", "report", "Ana", word)["alert"]["report"]["kind"] == kind
        assert "Ben" in ana.say("status")
    assert ben.call("alert", "report", "Ana", "dancing", code=USAGE)["code"] == "usage"
    assert "report" not in ben.call("alert", "resume", "Ana")["alert"]
    told = ana.call("alert", "history", alert)["alert"]
    assert [entry["kind"] for entry in told["history"]] == [
        "declined",
        "acknowledged",
        "withdrew",
        "withThem",
        "foundSafe",
        "emergencyServicesCalled",
        "resumed",
    ]
    ana.call("alert", "stop")
    assert "there was nothing to do" in ben.say("alert", "report", alert, "found-safe")


def test_requests_and_missing_responders_stand_in_the_status(pair):
    ana, ben = pair
    assert ben.call("status")["protection"] == "nobody"
    assert "Nobody is watching over you." in ben.say("status")
    ben.call("contacts", "roles", "Ana", "--responder")
    assert ben.call("status")["protection"] == "asked"
    assert "ASKS   Ben asks you to be their responder" in ana.say("status")
    ana.call("contacts", "accept", "Ben")
    assert ben.call("status")["protection"] == "accepted"
    assert "Ana was your last responder. No one will be alerted." in ben.say(
        "contacts", "remove", "Ana"
    )
