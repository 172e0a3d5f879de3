"""A responder's actions on an alert, and the warnings about protection, in the terminal."""

import os
import pty
from subprocess import PIPE

import pytest

from support.program import phone_number
from support.terminal import DONE, REFUSED, USAGE, Person
from support.waiting import wait_until


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def pair(server, tmp_path):
    """Ana, and Ben, who watches over her."""
    ana, ben = (
        Person(tmp_path / name, phone_number(i), server).sign_in(name)
        for i, name in enumerate(("Ana", "Ben"))
    )
    ben.call("contacts", "add", ana.call("qr", "show")["id"], "--dependent")
    return ana, ben


def test_responder_withdraws_reports_and_resumes_alarms(pair):
    ana, ben = pair
    assert ben.call("alert", "withdraw", "Ana", code=REFUSED)["code"] == "no-alert"
    alert = ana.call("alert", "start")["alert"]["id"]
    assert ben.call("alert", "withdraw", "Ana", code=REFUSED)["code"] == "not-on-it"
    assert ben.call("alert", "resume", alert, code=REFUSED)["code"] == "no-report"
    assert ben.call("alert", "decline", "Ana")["alert"]["isActive"]
    assert "No one else is left." in ben.say("alert", "decline", "Ana")
    ben.call("alert", "acknowledge", "Ana")
    assert "acknowledgedBy" not in ben.call("alert", "withdraw", "Ana")["alert"]
    for word, kind in (
        ("with-them", "withThem"),
        ("found-safe", "foundSafe"),
        ("emergency-services-called", "emergencyServicesCalled"),
    ):
        told = ben.call("alert", "report", "Ana", word, "--yes")["alert"]
        assert told["report"]["kind"] == kind
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
    assert "there was nothing to do" in ben.say("alert", "report", alert, "found-safe", "--yes")


def alerts_of(ana, ben):
    """Raises an alert of Ana and waits for one about a missed check-in. Returns both ids."""
    ana.call("profile", "edit", "--interval", "2s", "--no-two-hours", "--no-thirty-minutes")
    ana.call("check-in")
    manual = ana.call("alert", "start")["alert"]["id"]
    missed = wait_until(
        lambda: next(
            (
                alert["id"]
                for alert in ben.call("status")["openAlerts"]
                if alert["kind"] == "missedCheckIn"
            ),
            None,
        ),
        30,
        "the missed check-in",
    )
    return manual, missed


@pytest.mark.parametrize("is_stopped", [True, False])
def test_report_names_the_alerts_that_are_open_after_its_question(pair, is_stopped):
    ana, ben = pair
    _, missed = alerts_of(ana, ben)
    leader, follower = pty.openpty()
    process = ben.start(
        "alert", "report", missed, "found-safe", stdin=follower, stdout=PIPE, stderr=PIPE
    )
    os.close(follower)
    asked = b""
    while not asked.endswith(b"[y/N] "):
        character = process.stderr.read(1)
        assert character, asked
        asked += character
    if is_stopped:
        ana.call("alert", "stop")
    os.write(leader, b"y\n")
    told, _ = process.communicate(timeout=60)
    os.close(leader)
    assert process.returncode == DONE
    assert (b"Still open: Ana needs help" in told) != is_stopped, told


def test_answers_by_name_reach_both_alerts(pair):
    ana, ben = pair
    manual, missed = alerts_of(ana, ben)
    told = ben.say("alert", "decline", "Ana")
    assert "Ana needs help" in told and "Still open: Ana missed a check-in" in told, told
    assert missed in told
    assert ben.call("alert", "decline", "Ana")["alert"]["id"] == missed
    # Both are declined, so the more urgent one comes first again.
    told = ben.say("alert", "acknowledge", "Ana")
    assert "You are on it." in told and manual in told, told
    assert "Still open: Ana missed a check-in" in told
    told = ben.say("alert", "acknowledge", "Ana")
    assert missed in told and "Still open, and you are on it: Ana needs help" in told, told
    assert [alert["acknowledgedBy"] for alert in ben.call("status")["openAlerts"]] == ["Ben"] * 2
    told = ben.say("alert", "withdraw", "Ana")
    assert manual in told and "Still open, and you are on it: Ana missed" in told, told
    # Ben is on the less urgent alert only.
    report = ("alert", "report", "Ana", "found-safe", "--yes")
    assert ben.call(*report)["alert"]["id"] == missed
    assert ben.call("alert", "withdraw", "Ana")["alert"]["id"] == missed
    assert ben.call("alert", "withdraw", "Ana", code=REFUSED)["code"] == "not-on-it"
    assert ben.call("alert", "report", missed, "found-safe", "--yes")["alert"]["id"] == missed
    assert ben.call("alert", "resume", "Ana")["alert"]["id"] == missed
    assert ben.call(*report)["alert"]["id"] == manual
    told = ana.say("alert", "stop")
    assert "Alert ended." in told and "Still open: You missed a check-in" in told, told


def test_script_reports_only_with_yes(pair):
    ana, ben = pair
    ana.call("alert", "start")
    report = ("alert", "report", "Ana", "found-safe")
    for answer in ("n\n", "y\n", ""):
        error = ben.call(*report, input=answer, code=REFUSED)
        assert error["code"] == "not-confirmed" and "--yes" in error["recoverySuggestion"]
        assert "Nothing was reported" in ben.say(*report, input=answer, code=REFUSED)
    assert "report" not in ana.call("alert", "history")["alerts"][0]
    code, told = ben.answer(b"n\n", *report)
    assert code == REFUSED and "Report it? [y/N]" in told, told
    code, told = ben.answer(b"y\n", *report)
    assert code == DONE, told
    assert "report" in ana.call("alert", "history")["alerts"][0]


def test_status_shows_requests_and_missing_responders(pair):
    ana, ben = pair
    assert ben.call("status")["protection"] == "nobody"
    assert "No one is watching over you." in ben.say("status")
    ben.call("contacts", "roles", "Ana", "--responder")
    assert ben.call("status")["protection"] == "asked"
    assert "ASKS   Ben asks you to be their responder" in ana.say("status")
    ana.call("contacts", "accept", "Ben")
    assert ben.call("status")["protection"] == "accepted"
    assert "Ana was your last responder. No one will be alerted." in ben.say(
        "contacts", "remove", "Ana"
    )


def test_person_in_need_contradicts_report(pair):
    ana, ben = pair
    assert ana.call("alert", "resume", code=REFUSED)["code"] == "no-alert"
    ana.call("alert", "start")
    assert ana.call("alert", "resume", code=REFUSED)["code"] == "no-report"
    ben.call("alert", "report", "Ana", "found-safe", "--yes")
    said = ana.say("status")
    assert "Ben reports that you are safe" in said and "lifesignal alert resume" in said
    assert "no one is alerted again until" in said
    assert "Everyone is being told." in ana.say("alert", "resume")
    assert "Ben reports" not in ana.say("status")
    assert "Ana still needs help" in ben.say("notifications")
