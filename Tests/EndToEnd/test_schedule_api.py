"""The API of schedules and pauses: what is refused, what changes, and clients that know only
intervals."""

import re
import time

import pytest

from support.api import new_id, seconds, sign_in, timestamp, watch_over
from support.program import phone_number

SETTINGS, PAUSE = "/v1/me/check-in-settings", "/v1/me/pause"
DAY = 86_400
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
OLD = {
    "intervalSeconds": DAY,
    "remindTwoHoursBefore": True,
    "remindThirtyMinutesBefore": True,
}


@pytest.fixture
def ana(server):
    ana = sign_in(server, phone_number(0), "Ana")
    ana.check_in()
    return ana


def window(deadline="10:00", days=DAYS, **opening):
    return {"days": days, "deadline": deadline, **opening}


def times(*windows, zone="Europe/Berlin"):
    plan = {"kind": "times", "timeZone": zone, "windows": list(windows)}
    return {**OLD, "plan": plan}


def sleeping(begin, end, zone="Europe/Berlin"):
    sleep = {"from": begin, "until": end, "timeZone": zone}
    return {**OLD, "plan": {"kind": "interval", "sleep": sleep}}


def is_plain(text):
    """One sentence says what is wrong. A second one may say what to do."""
    return bool(re.fullmatch(r"[^\n]+\.", text)) and len(re.findall(r"\. [A-Z]", text)) <= 1


BAD = {
    "unknown zone": times(window(), zone="Europe/Atlantis"),
    "no zone": times(window(), zone=""),
    "an offset as a zone": times(window(), zone="+01:00"),
    "no such hour": times(window("25:00")),
    "no such minute": times(window("10:60")),
    "one digit": times(window("7:00")),
    "a number as a time": times(window(600)),
    "no days": times(window(days=[])),
    "unknown day": times(window(days=["someday"])),
    "no windows": times(),
    "windows missing": {**OLD, "plan": {"kind": "times", "timeZone": "Europe/Berlin"}},
    "unknown kind": {**OLD, "plan": {"kind": "weekly"}},
    "a text as a plan": {**OLD, "plan": "times"},
    "deadlines too close": times(window("10:00"), window("10:59")),
    "the same window twice": times(window(), window()),
    "overlapping windows": times(window("10:00"), window("12:00", opens="09:00")),
    "opens too late": times(window("10:00", opens="09:31")),
    "seven windows": times(*(window(f"{hour}:00") for hour in range(10, 17))),
    "sleep of 29 minutes": sleeping("22:00", "22:29"),
    "sleep of more than 10 hours": sleeping("22:00", "08:01"),
    "sleep all day": sleeping("22:00", "22:00"),
    "sleep in an unknown zone": sleeping("22:00", "07:00", zone="Europe/Atlantis"),
    "sleep without an end": {
        **OLD,
        "plan": {"kind": "interval", "sleep": {"from": "22:00", "timeZone": "Europe/Berlin"}},
    },
    "sleep as a text": {**OLD, "plan": {"kind": "interval", "sleep": "22:00-07:00"}},
    "interval too short": {**OLD, "intervalSeconds": 3599},
    "last call without answers": {**OLD, "lastCall": {"sendsMessage": True}},
    "last call with text": {
        **OLD,
        "lastCall": {"sendsMessage": True, "calls": "always", "takesAnswers": False},
    },
}


@pytest.mark.parametrize("name", BAD)
def test_bad_schedule_changes_nothing(server, ana, name):
    ben = sign_in(server, phone_number(1), "Ben")
    watch_over(ben, ana)
    ana.put(SETTINGS, times(window("09:00")))
    before, told = ana.get("/v1/me"), ben.get("/v1/notifications")["items"]
    problem = ana.put(SETTINGS, BAD[name], status=422)
    assert problem["code"] == "invalid-argument", problem
    assert is_plain(problem["detail"]), problem["detail"]
    assert ana.get("/v1/me") == before
    assert ben.get("/v1/notifications")["items"] == told


def test_times_set_the_deadline(ana):
    opening = "08:00"
    profile = ana.put(SETTINGS, times(window("10:00", opens=opening), zone="Atlantic/Reykjavik"))
    [stored] = profile["settings"]["plan"]["windows"]
    assert (stored["deadline"], stored["opens"]) == ("10:00", opening)
    assert sorted(stored["days"]) == sorted(DAYS)
    left = seconds(profile["nextCheckInTime"]) - time.time()
    # The first new deadline is at least an hour away, and at most a day after the old one.
    assert 3600 - 60 < left <= 2 * DAY
    assert ana.get("/v1/me")["nextCheckInTime"] == profile["nextCheckInTime"]


def test_sleep_hours_move_the_deadline(ana):
    last = seconds(ana.get("/v1/me")["lastCheckInTime"])
    begin, end = (time.strftime("%H:%M", time.gmtime(last + minutes * 60)) for minutes in (-30, 30))
    body = sleeping(begin, end, zone="Atlantic/Reykjavik")
    profile = ana.put(SETTINGS, body)
    assert profile["settings"] == body
    moved = (last + DAY + 1800) // 60 * 60 + 3600
    assert seconds(profile["nextCheckInTime"]) == pytest.approx(moved, abs=0.001)
    # A request without a plan ends the sleep hours.
    profile = ana.put(SETTINGS, OLD)
    assert profile["settings"] == OLD
    assert seconds(profile["nextCheckInTime"]) == pytest.approx(last + DAY, abs=0.001)


def test_plan_without_deadlines(ana):
    profile = ana.put(SETTINGS, {**OLD, "plan": {"kind": "none"}})
    assert "nextCheckInTime" not in profile and profile["status"] == "active"
    record = ana.check_in()
    assert "nextCheckInTime" not in record and "opensAt" not in record


def test_old_client_gets_its_interval(ana):
    """A program that knows only intervals sends no plan and no last call."""
    ana.put(SETTINGS, times(window()))
    profile = ana.put(SETTINGS, {**OLD, "intervalSeconds": 8 * 3600})
    assert profile["settings"] == {**OLD, "intervalSeconds": 8 * 3600}
    last = seconds(profile["lastCheckInTime"])
    assert seconds(profile["nextCheckInTime"]) == pytest.approx(last + 8 * 3600, abs=0.001)


def test_last_call_is_kept_and_the_standard_is_left_out(ana):
    chosen = {"sendsMessage": False, "calls": True, "takesAnswers": True}
    assert ana.put(SETTINGS, {**OLD, "lastCall": chosen})["settings"]["lastCall"] == chosen
    without = {"sendsMessage": True, "takesAnswers": True}
    assert ana.put(SETTINGS, {**OLD, "lastCall": without})["settings"]["lastCall"] == without
    standard = {"sendsMessage": True, "takesAnswers": False}
    assert "lastCall" not in ana.put(SETTINGS, {**OLD, "lastCall": standard})["settings"]


def test_repeated_edit_changes_nothing(ana):
    headers = {"Idempotency-Key": new_id()}
    ana.put(SETTINGS, times(window()), headers=headers)
    ana.put(SETTINGS, OLD)
    again = ana.put(SETTINGS, times(window()), headers=headers)
    assert again["settings"] == OLD


def test_pause_begins_changes_and_ends(server, ana):
    ben = sign_in(server, phone_number(1), "Ben")
    watch_over(ben, ana)
    end = timestamp(time.time() + 3 * DAY)
    paused = ana.put(PAUSE, {"until": end})
    assert paused["pause"]["until"] == end
    # Beginning a pause is a check-in, and the interval counts from the end.
    assert paused["lastCheckInTime"] == paused["pause"]["began"]
    assert seconds(paused["nextCheckInTime"]) == pytest.approx(seconds(end) + DAY, abs=0.001)
    assert len(ana.get("/v1/check-ins")["items"]) == 2
    later = timestamp(time.time() + 5 * DAY)
    changed = ana.put(PAUSE, {"until": later})
    assert changed["pause"] == {"began": paused["pause"]["began"], "until": later}
    assert len(ana.get("/v1/check-ins")["items"]) == 2
    ended = ana.delete(PAUSE)
    assert "pause" not in ended
    assert seconds(ended["nextCheckInTime"]) == pytest.approx(time.time() + DAY, abs=30)
    # Ending a pause that has ended is no error.
    assert "pause" not in ana.delete(PAUSE)
    titles = [item["title"] for item in ben.get("/v1/notifications")["items"]]
    assert titles.count("Ana has paused check-ins") == 1
    assert titles.count("Ana has changed their pause") == 1
    assert titles.count("Ana's pause has ended") == 1


@pytest.mark.parametrize(
    "until",
    [
        lambda: timestamp(time.time() - 60),
        lambda: timestamp(time.time() + 30 * DAY + 60),
        lambda: "tomorrow",
        lambda: 5,
        lambda: None,
    ],
    ids=["past", "too far", "no time", "a number", "nothing"],
)
def test_bad_pause_changes_nothing(ana, until):
    before, body = ana.get("/v1/me"), {"until": until()}
    problem = ana.put(PAUSE, body, status=422)
    assert problem["code"] == "invalid-argument" and is_plain(problem["detail"]), problem
    assert ana.get("/v1/me") == before
    assert len(ana.get("/v1/check-ins")["items"]) == 1


def test_open_alert_refuses_a_pause(ana):
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    problem = ana.put(PAUSE, {"until": timestamp(time.time() + DAY)}, status=422)
    assert problem["field"] == "until" and is_plain(problem["detail"]), problem
    assert "pause" not in ana.get("/v1/me")
    ana.post(f"/v1/alerts/{alert}/end")
    assert ana.put(PAUSE, {"until": timestamp(time.time() + DAY)})["pause"]


def test_signed_out_person_changes_nothing(server, ana):
    token, ana.token = ana.token, None
    ana.put(SETTINGS, OLD, status=401)
    ana.put(PAUSE, {"until": timestamp(time.time() + DAY)}, status=401)
    ana.delete(PAUSE, status=401)
    ana.token = token
    assert "pause" not in ana.get("/v1/me")
