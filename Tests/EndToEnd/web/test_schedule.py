"""The interval and the reminders: in the onboarding, in the sheets, and their history."""

import time

import pytest

from support.api import set_interval
from support.browser import Browser
from support.people import INTERVAL, come_back, enter, known, press_in_question, retype, unfold
from support.program import CODE, phone_number

ANA = phone_number(0)
HOURS = "Or another number of hours"
REFUSED = "Enter 1 to 168 hours."


def onboard(browser: Browser, number):
    """Goes through the onboarding up to the question about the schedule, and chooses an
    interval."""
    begin_onboarding(browser, number)
    browser.choose(INTERVAL)
    browser.see("Every 24 hours")
    return browser


def begin_onboarding(browser: Browser, number):
    browser.open()
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    browser.field("6-digit code").send_keys(CODE)
    browser.field("Name").send_keys("Ana")
    browser.press("Continue")
    browser.see("What should your responders know?")
    browser.press("Continue")
    browser.see("How do you want to check in?")


# A browser in UTC doesn't say where it is.
@pytest.mark.parametrize(
    ("zone", "suggestion"), [("Europe/Berlin", "By a time of day"), ("UTC", INTERVAL)]
)
def test_suggestion_follows_browsers_zone(make_server, make_browser, zone, suggestion):
    browser = make_browser(make_server().start())
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
    begin_onboarding(browser, ANA)
    browser.wait(lambda: browser.field(suggestion).is_selected(), suggestion)
    # Times need a known zone.
    browser.press("Continue")
    browser.see("When do you want to be reminded?")


@pytest.mark.parametrize("arguments", [(), ("--demo-intervals",)], ids=["usual", "demonstration"])
def test_onboarding_accepts_custom_interval(make_server, make_browser, arguments):
    ana = onboard(make_browser(make_server(*arguments).start()), ANA)
    for hours in ("0", "169", "-1", "1.5", "many", "99999999999999999999", ""):
        retype(ana.field(HOURS), hours)
        ana.press("Continue")
        ana.see(REFUSED)
        assert ana.field(HOURS).get_property("value") == hours
    retype(ana.field(HOURS), "168")
    ana.press("Continue")
    ana.see("it can take 7 days until we tell someone.")
    ana.press("Go back")
    ana.wait(lambda: not ana.all("dialog"), "the end of the question")
    ana.press("Continue")
    ana.see("Save this schedule?")
    press_in_question(ana, "Save")
    ana.see("When do you want to be reminded?")
    ana.press("Back")
    assert ana.field(HOURS).get_property("value") == "168"
    retype(ana.field(HOURS), "1")
    ana.press("Continue")
    ana.see("When do you want to be reminded?")
    ana.press("Continue")
    ana.see("From now on you check in every 1 hour.")
    ana.press("Check in")
    ana.press("Later")
    ana.see("Every 1 hour")
    assert ana.complaints() == []


def test_sheet_accepts_valid_intervals(make_server, make_browser):
    server = make_server().start()
    api = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA)
    for words, seconds in [("Every 8 hours", 8 * 3600), ("Every 48 hours", 48 * 3600)]:
        ana.press("Schedule")
        ana.choose(words)
        ana.press("Save")
        ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
        ana.see(words)
        assert api.get("/v1/me")["settings"]["intervalSeconds"] == seconds
    ana.press("Schedule")
    for hours in ("0", "169", "x"):
        # 1 and 16, typed on the way to 169, are valid. The page refuses only the final value.
        retype(ana.field(HOURS), "24")
        ana.wait(lambda: REFUSED not in ana.text and ana.can_press("Save"), "a valid number")
        retype(ana.field(HOURS), hours)
        ana.wait(lambda: REFUSED in ana.text and not ana.can_press("Save"), "the refusal")
    # For a slow typist, a preset's number may become the start of another number.
    retype(ana.field(HOURS), "8")
    ana.wait(lambda: ana.field("Every 8 hours").is_selected(), "the preset of this number")
    ana.field(HOURS).send_keys("4")
    ana.wait(
        lambda: ana.can_press("Save") and not ana.field("Every 8 hours").is_selected(),
        "another number",
    )
    assert ana.field(HOURS).get_property("value") == "84"
    ana.choose("Every 16 hours")
    ana.wait(lambda: ana.field(HOURS).get_property("value") == "", "the preset instead")
    retype(ana.field(HOURS), "84")
    ana.wait(lambda: not ana.field("Every 16 hours").is_selected(), "the number again")
    ana.press("Save")
    ana.see("Save this schedule?")
    press_in_question(ana, "Save")
    ana.see("Every 84 hours")
    ana.press("Schedule")
    assert ana.field(HOURS).get_property("value") == "84"
    ana.press("Cancel")
    ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
    ana.open().see("Every 84 hours")
    assert ana.complaints() == []


def test_reminders_with_interval_of_seconds(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    api = known(server, ANA, "Ana")
    set_interval(api, 900)
    ana = enter(make_browser(server), ANA)
    ana.see("Every 15 minutes")
    ana.press("Schedule")
    ana.field(HOURS)
    assert REFUSED not in ana.text
    ana.choose("2 hours before")
    ana.wait(lambda: ana.field("2 hours before").is_selected(), "the switch")
    ana.press("Save")
    ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
    # A reminder must be shorter than the interval. Neither of the two offered reminders is.
    ana.see("Every 15 minutes · no reminders")
    assert api.get("/v1/me")["settings"] == {
        "intervalSeconds": 900,
        "remindTwoHoursBefore": True,
        "remindThirtyMinutesBefore": False,
    }
    ana.press("Schedule")
    ana.see("A reminder longer than the time between check-ins is skipped.")
    assert ana.complaints() == []


def test_interval_and_reminders_share_row_and_sheet(make_server, make_browser):
    server = make_server().start()
    api = known(server, ANA, "Ana")
    ana = enter(make_browser(server, size=(360, 640)), ANA)
    ana.see("Every 24 hours · reminders 2 h and 30 min before")
    assert "Reminders" not in ana.text and "How often" not in ana.text
    ana.press("Schedule")
    ana.choose("Every 8 hours")
    ana.choose("30 minutes before")
    ana.wait(lambda: not ana.field("30 minutes before").is_selected(), "the switch")
    ana.press("Save")
    ana.see("Every 8 hours · reminders 2 h before")
    settings = api.get("/v1/me")["settings"]
    assert settings["intervalSeconds"] == 8 * 3600
    assert settings["remindTwoHoursBefore"] and not settings["remindThirtyMinutesBefore"]
    assert ana.complaints() == []


def test_sleep_hours_are_saved(make_server, make_browser):
    server = make_server().start()
    api = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA)
    ana.press("Schedule")
    ana.choose("Sleep hours")
    retype(ana.field("Time zone"), "europe/berlin")
    ana.see("Longest time until we tell someone: 34 hours")
    ana.press("Save")
    ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
    ana.see("Every 24 hours, not from 22:00 to 07:00, Berlin time")
    assert api.get("/v1/me")["settings"]["plan"] == {
        "kind": "interval",
        "sleep": {"from": "22:00", "until": "07:00", "timeZone": "Europe/Berlin"},
    }
    assert ana.complaints() == []


def test_check_in_history_loads_page_by_page(make_server, make_browser):
    server = make_server().start()
    api = known(server, ANA, "Ana")
    now = time.time()
    for minutes in range(1, 60):
        api.check_in(at=now - 60 * minutes)
    ana = enter(make_browser(server), ANA)
    unfold(ana, "Your check-ins")
    ana.wait(lambda: len(moments(ana)) == 50, "the first page")
    ana.press("Show earlier check-ins")
    ana.wait(lambda: len(moments(ana)) == 60, "all of them")
    assert moments(ana) == sorted(set(moments(ana)), reverse=True)
    ana.wait(lambda: "Show earlier check-ins" not in ana.text, "no more pages")
    assert ana.complaints() == []


def moments(browser):
    return browser.driver.execute_script(
        "return [...document.querySelectorAll('details[open] .list > li')].map((row) => "
        "row.querySelector('time').dateTime)"
    )


def test_back_goes_one_onboarding_step_back(make_server, make_browser):
    ana = onboard(make_browser(make_server().start()), ANA)
    for words in ("What should your responders know?", "What is your name?"):
        ana.driver.back()
        ana.see(words)
    ana.press("Continue")
    ana.see("What should your responders know?")
    ana.press("Back")
    ana.see("What is your name?")
    assert ana.field("Name").get_property("value") == "Ana"
    assert ana.complaints() == []


def test_back_while_offline_stays_and_works_later(make_server, make_browser):
    ana = onboard(make_browser(make_server().start()), ANA)
    ana.cut_line()
    ana.see("You are offline.")
    ana.driver.back()
    ana.see("Available when you’re back online.")
    ana.see("How do you want to check in?")
    ana.cut_line(False)
    ana.miss("You are offline.")
    ana.driver.back()
    ana.see("What should your responders know?")


def test_back_at_last_step_opens_the_app(make_server, make_browser):
    ana = onboard(make_browser(make_server().start()), ANA)
    ana.press("Continue")
    ana.see("When do you want to be reminded?")
    ana.press("Continue")
    ana.press("Check in")
    ana.see("Who should we tell?")
    ana.driver.back()
    ana.find("nav.tabs")
    ana.see("Call for help")
    assert ana.path == "/"
    assert ana.complaints() == []


def test_saved_schedule_is_confirmed_briefly(make_server, make_browser):
    server = make_server().start()
    ana = make_browser(server)
    come_back(server, ana, ANA, "Ana")
    ana.press("Schedule")
    ana.choose("Every 48 hours")
    ana.press("Save")
    ana.see("Schedule saved")
    ana.wait(lambda: "Schedule saved" not in ana.text, "the end of the confirmation", 30)


@pytest.mark.parametrize(
    ("button", "words"),
    [
        ("Scan someone’s code", "Scan a LifeSignal code"),
        ("Invite someone by phone number or e-mail", "Someone without LifeSignal"),
    ],
)
def test_last_step_leads_to_first_responder(make_server, make_browser, button, words):
    ana = onboard(make_browser(make_server().start()), ANA)
    for heading in ("When do you want to be reminded?", "Your first check-in"):
        ana.press("Continue")
        ana.see(heading)
    ana.press("Check in")
    ana.see("Who should we tell?")
    ana.press(button)
    ana.see(words)
    ana.wait(lambda: ana.path == "/responders", "the responders")
    assert ana.complaints() == []
