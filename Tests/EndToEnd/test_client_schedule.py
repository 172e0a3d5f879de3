"""The program as a client for terminals: schedules and pauses."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from support.api import set_interval, sign_in
from support.program import phone_number
from support.terminal import DONE, REFUSED, USAGE, WAITING, Person

BERLIN = ("--zone", "Europe/Berlin")


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


def test_times_are_set_and_shown(ana, ben):
    saved = ana.call("schedule", "times", "07:00@mon-fri", "21:00", *BERLIN, "--opens", "2h")
    plan = saved["schedule"]["plan"]
    assert (plan["kind"], plan["timeZone"]) == ("times", "Europe/Berlin")
    [morning, evening] = sorted(plan["windows"], key=lambda window: window["deadline"])
    assert (morning["opens"], morning["deadline"]) == ("05:00", "07:00")
    assert len(morning["days"]) == 5 and len(evening["days"]) == 7
    assert saved["schedule"]["nextDeadlines"] == [], "before the first check-in"
    assert "Next deadlines, if you check in now:" in ana.say("schedule")
    ana.call("check-in")
    shown = ana.say("schedule")
    assert "By 07:00 Mon–Fri and by 21:00 every day, Berlin time" in shown
    assert " here)" in shown and "Longest time until we tell someone: 26 hours" in shown
    assert "Reminders: 2 hours, 30 minutes before" in shown
    assert len(ana.call("schedule")["schedule"]["nextDeadlines"]) == 3
    assert ben.call("contacts")["contacts"][0]["plan"] == plan
    assert "Berlin time" in ben.say("contacts", "--details")


def test_change_is_shown_before_it_is_saved(ana):
    told = ana.say("schedule", "times", "10:00", *BERLIN)
    assert told.index("Longest time until we tell someone: 30 hours") < told.index("is saved")
    assert "By 10:00 every day, Berlin time" in told
    # The zone of the present schedule stays.
    saved = ana.call("schedule", "times", "11:00")["schedule"]
    assert saved["plan"]["timeZone"] == "Europe/Berlin"


def test_interval_replaces_times(ana):
    ana.call("schedule", "times", "10:00", *BERLIN)
    profile = ana.call("profile", "edit", "--interval", "8h")["profile"]
    assert (profile["plan"], profile["intervalSeconds"]) == ({"kind": "interval"}, 28800)
    ana.call("schedule", "times", "10:00", *BERLIN)
    schedule = ana.call("schedule", "every", "24h")["schedule"]
    assert (schedule["plan"], schedule["intervalSeconds"]) == ({"kind": "interval"}, 86400)
    assert "Check-ins: Every 24 hours" in ana.say("profile")


def test_sleep_hours_are_set_kept_and_removed(ana, ben):
    told = ana.say("schedule", "every", "12h", "--sleep", "22:00-07:00", *BERLIN)
    assert "Every 12 hours, not from 22:00 to 07:00, Berlin time" in told
    assert "Longest time until we tell someone: 22 hours" in told
    sleep = {"from": "22:00", "until": "07:00", "timeZone": "Europe/Berlin"}
    plan = {"kind": "interval", "sleep": sleep}
    assert ana.call("schedule", "every", "8h")["schedule"]["plan"] == plan
    assert ana.call("profile", "edit", "--interval", "9h")["profile"]["plan"] == plan
    assert ben.call("contacts")["contacts"][0]["plan"] == plan
    assert ana.call("schedule", "every", "8h", "--sleep", "off")["schedule"]["plan"] == {
        "kind": "interval"
    }


BAD = [
    (["times", "25:00", *BERLIN], "usage", "25:00 is not a time"),
    (["times", "10:00@someday", *BERLIN], "usage", "mon-fri"),
    (["times", *BERLIN], "usage", ""),
    (["times", "10:00"], "no-time-zone", ""),
    (["times", "10:00", "--zone", "Mars/Olympus"], "invalid-argument", "time zone"),
    (["times", "10:00", "10:30", *BERLIN], "invalid-argument", "1 hour apart"),
    (["times", "10:00", "--opens", "25h", *BERLIN], "invalid-argument", "24 hours before"),
    (["times", "10:00", "--opens", "soon", *BERLIN], "usage", "length of time"),
    (["every", "soon"], "usage", "not an interval"),
    (["every", "8h", "--sleep", "late"], "usage", "not sleep hours"),
    (["every", "8h", "--sleep", "22:00-09:00", *BERLIN], "invalid-argument", "10 hours"),
]


def test_invalid_schedules_are_explained(ana):
    for arguments, code, words in BAD:
        error = ana.call("schedule", *arguments, code=USAGE)
        assert error["code"] == code and words in error["message"], (arguments, error)
    assert ana.call("schedule")["schedule"]["plan"] == {"kind": "interval"}


def test_risky_change_needs_a_yes(ana):
    error = ana.call("schedule", "none", code=REFUSED)
    assert error["code"] == "not-confirmed" and "--yes" in error["recoverySuggestion"]
    assert "No deadlines" in ana.say("schedule", "none", code=REFUSED)
    assert ana.call("schedule", "every", "3d", code=REFUSED)["code"] == "not-confirmed"
    assert ana.call("schedule")["schedule"]["plan"] == {"kind": "interval"}
    assert ana.call("schedule", "none", "--yes")["schedule"]["plan"] == {"kind": "none"}
    ana.call("check-in")
    assert "No deadlines." in ana.say("status")
    assert "nextCheckInTime" not in ana.call("status")["profile"]
    assert ana.call("schedule", "every", "3d", "--yes")["schedule"]["intervalSeconds"] == 259200


def test_interval_beyond_the_limit_is_refused_without_a_question(ana):
    for command in (("profile", "edit", "--interval"), ("schedule", "every")):
        error = ana.call(*command, "99d", code=USAGE)
        assert error["code"] == "invalid-argument" and "7 days" in error["message"], error


def test_risky_interval_in_the_profile_needs_a_yes(ana):
    edit = ("profile", "edit", "--name", "Ana B", "--interval")
    error = ana.call(*edit, "3d", code=REFUSED)
    assert error["code"] == "not-confirmed" and "--yes" in error["recoverySuggestion"]
    profile = ana.call("profile")["profile"]
    assert (profile["name"], profile["intervalSeconds"]) == ("Ana", 86400)
    told = ana.say(*edit, "2d")
    assert "Longest time until we tell someone: 48 hours" in told, told
    assert ana.call(*edit, "3d", "--yes")["profile"]["intervalSeconds"] == 259200


def test_profile_edit_keeps_the_schedule_of_another_device(server, ana):
    set_interval(sign_in(server, ana.number, "Ana"), 36000)
    profile = ana.call("profile", "edit", "--two-hours")["profile"]
    assert profile["intervalSeconds"] == 36000
    assert profile["remindTwoHoursBefore"] and not profile["remindThirtyMinutesBefore"]


def test_being_overdue_at_once_needs_a_yes(ana):
    ana.call("check-in")
    time.sleep(1.2)
    error = ana.call("schedule", "every", "1s", code=REFUSED)
    assert error["code"] == "not-confirmed" and "overdue" in error["message"]


def test_question_is_asked_at_a_terminal(ana):
    code, told = ana.answer(b"n\n", "schedule", "none")
    assert code == REFUSED and "[y/N]" in told and "Nothing was changed" in told
    assert ana.call("schedule")["schedule"]["plan"] == {"kind": "interval"}
    code, told = ana.interrupt("[y/N] ", "schedule", "none")
    assert code == 130 and "Nothing was changed" in told and "may have" not in told, told
    assert ana.call("schedule")["schedule"]["plan"] == {"kind": "interval"}
    code, told = ana.answer(b"y\n", "schedule", "none")
    assert code == DONE and "[y/N]" in told, told
    assert ana.call("schedule")["schedule"]["plan"] == {"kind": "none"}


def test_check_in_before_its_window_says_when_it_opens(ana):
    # Iceland's clocks show UTC all year.
    deadline = datetime.now(UTC) + timedelta(hours=12)
    ana.call("check-in")
    ana.call(
        *("schedule", "times", deadline.strftime("%H:%M"), "--opens", "1h"),
        *("--zone", "Atlantic/Reykjavik"),
    )
    told = ana.say("check-in")
    assert told.startswith("Recorded. Your check-in for ") and " opens " in told, told
    assert ana.call("check-in")["checkIn"]["opensAt"]


def test_pause_begins_changes_and_ends(ana, ben):
    ana.call("check-in")
    assert "Your check-ins are not paused." in ana.say("pause")
    assert ana.call("pause", "end", code=REFUSED)["code"] == "no-pause"
    told = ana.say("pause", "for", "3d")
    assert "Your check-ins are paused until" in told and "responders are told" in told
    first = ana.call("pause")["profile"]["pausedUntil"]
    assert "Paused until" in ana.say("pause") and "Paused until" in ana.say("status")
    assert "Paused until" in ana.say("schedule")
    assert ben.call("status")["contacts"][0]["pausedUntil"] == first
    assert "paused until" in ben.say("status")
    end = datetime.now(UTC) + timedelta(days=5)
    typed = end.strftime("%Y-%m-%d %H:%M")
    changed = ana.call("pause", "until", typed, "--zone", "Atlantic/Reykjavik")["profile"]
    assert changed["pausedUntil"] == end.strftime("%Y-%m-%dT%H:%M:00.000Z")
    assert "pausedUntil" not in ana.call("pause", "end")["profile"]
    assert "pausedUntil" not in ben.call("status")["contacts"][0]


def test_second_pause_within_five_minutes_is_refused(ana):
    ana.call("pause", "for", "3d")
    ana.call("pause", "end")
    error = ana.call("pause", "for", "3d", code=REFUSED)
    assert error["code"] == "rate-limited" and "Please wait" in error["message"], error
    status = ana.call("status")
    assert status["isOnline"] and not status["waiting"], status
    assert ana.call("check-in")["state"] == "done"


def test_invalid_pauses_are_explained(ana):
    assert ana.call("pause", "until", "tomorrow", code=USAGE)["code"] == "usage"
    assert ana.call("pause", "for", "soon", code=USAGE)["code"] == "usage"
    assert ana.call("pause", "until", "2026-11-28 08:00", code=USAGE)["code"] == "no-time-zone"
    past = ana.call("pause", "until", "2020-01-01 08:00", *BERLIN, code=USAGE)
    assert "has passed" in past["message"]
    assert "30 days" in ana.call("pause", "for", "31d", code=USAGE)["message"]
    ana.call("alert", "start")
    assert "alert" in ana.call("pause", "for", "1d", code=REFUSED)["message"]


def test_offline_changes_wait(ana, server):
    ana.call("check-in")
    server.stop()
    assert ana.call("schedule", "every", "12h", code=WAITING)["waiting"][0]["kind"] == (
        "updateSettings"
    )
    assert "Until then your deadline stays." in ana.say("schedule")
    assert "Until then your deadline stays" in ana.say("pause", "for", "1d", code=WAITING)
    assert "Waiting to be sent: your pause" in ana.say("pause")
    server.start_again()
    assert ana.call("status")["profile"]["intervalSeconds"] == 43200
    assert ana.call("pause")["profile"]["pausedUntil"]


def test_offline_change_of_a_reminder_keeps_the_newer_schedule(ana, server):
    ana.call("check-in")
    server.stop()
    ana.call("profile", "edit", "--two-hours", code=WAITING)
    server.start_again()
    set_interval(sign_in(server, phone_number(0), "Ana"), 36000)
    profile = ana.call("status")["profile"]
    assert profile["intervalSeconds"] == 36000
    assert profile["remindTwoHoursBefore"] and not profile["remindThirtyMinutesBefore"]
