"""A missed deadline on two open pages: the page of the user who missed it, and their responder's
page. Neither user touches the page."""

import pytest

from support import api
from support.browser import DESKTOP
from support.people import come_back
from support.program import phone_number

# Seconds. This also allows for a machine that is busy just after a deadline.
PATIENCE = 20


@pytest.fixture
def ana_and_ben(make_server, make_browser):
    """Ana, and Ben, who watches over her."""
    server = make_server("--demo-intervals").start()
    ana, ben = make_browser(server), make_browser(server, size=DESKTOP)
    for person, number, name in ((ana, 1, "Ana"), (ben, 2, "Ben")):
        person.device = come_back(server, person, phone_number(number), name)
    api.watch_over(ben.device, ana.device)
    ben.open("/dependents").see("Ping")
    return ana, ben


def deadline(device, seconds):
    """Sets a deadline a few seconds ahead, which only demo intervals allow. Another device sets it,
    because the page offers only whole hours."""
    device.check_in()
    api.set_interval(device, seconds)


@pytest.mark.parametrize("path", ["/", "/responders", "/profile", "/notifications", "/settings"])
def test_every_page_shows_missed_deadline_to_responder(ana_and_ben, path):
    ana, ben = ana_and_ben
    # The notification centre covers the page, so the test leaves it through the tab that it was
    # opened from.
    ben.press("I watch over" if path == "/notifications" else "Home")
    ben.open(path).find("h1")
    deadline(ana.device, 2)
    ben.see("Ana has not checked in", PATIENCE)
    tab = ben.wait(
        lambda: next((link for link in ben.all(".tabs a") if "I watch over" in link.text), None),
        "the tab",
    )
    assert "1" in tab.text
    ben.press("See Ana’s alert")
    ben.find("dialog a[href^='tel:']:focus")
    ben.press("Close")
    ben.see("1 person needs you now")
    assert ben.path == "/dependents" and ben.complaints() == []


def test_dependent_in_trouble_comes_first(ana_and_ben, make_browser):
    ana, ben = ana_and_ben
    cleo = api.sign_in(ben.device.server, phone_number(3), "Anabel")
    cleo.check_in()
    api.watch_over(ben.device, cleo)
    names = lambda: [button.text for button in ben.all(".contact-name")]
    ben.press("Name")
    ben.wait(lambda: names() == ["Ana", "Anabel"], "both")
    deadline(cleo, 2)
    ben.wait(lambda: names() == ["Anabel", "Ana"], "Anabel first", PATIENCE)
    ben.press("See Anabel’s alert")
    ben.see("Anabel has not checked in")
    assert ben.find("dialog a[href^='tel:']").get_attribute("href") == f"tel:{phone_number(3)}"
    ben.press("I’m on it")
    ben.see("You are on it")
    # The late check-in ends the alert, even in the open sheet.
    cleo.check_in()
    ben.see("Anabel’s alert has ended", PATIENCE)
    ben.press("Close")
    ben.miss("needs you now")
    assert ben.complaints() == []


def test_missed_check_in_shows_helper_until_check_in(ana_and_ben):
    ana, ben = ana_and_ben
    ana.open("/").see("Checked in")
    deadline(ana.device, 2)
    ana.see("You’re overdue: check in now", PATIENCE)
    ana.see("You missed your check-in")
    # Ben has turned no notifications on.
    ana.see("No one is on it yet. No message reaches your responders. Call for help directly.")
    # Every other page shows the alert too, with the button that ends it.
    ana.press("Profile")
    ana.see("You missed your check-in")
    ben.press("See Ana’s alert")
    ben.press("I’m on it")
    ana.see("Ben is on it")
    api.set_interval(ana.device, 86_400)
    ana.press("I am fine: check in")
    ana.miss("You missed your check-in")
    ben.see("Ana’s alert has ended")
    ben.press("Close")
    ben.miss("needs you now")
    assert ana.complaints() == [] and ben.complaints() == []


def test_home_in_alert_ends_only_missed_check_in(ana_and_ben):
    ana, _ = ana_and_ben
    ana.device.put(f"/v1/alerts/{api.new_id()}", {})
    deadline(ana.device, 2)
    ana.open("/").see("Alert is on")
    ana.see("You missed your check-in", PATIENCE)
    api.set_interval(ana.device, 86_400)
    ana.press("I am fine: check in")
    ana.miss("You missed your check-in")
    ana.see("Alert is on")
    alerts = ana.device.get("/v1/alerts?open=true")["items"]
    assert [alert["kind"] for alert in alerts] == ["manual"]
    assert ana.complaints() == []


def test_sheet_of_missed_check_in_leads_to_call_for_help(ana_and_ben):
    ana, ben = ana_and_ben
    deadline(ana.device, 2)
    ben.press("See Ana’s alert", PATIENCE)
    title, alarms = "dialog[open] #alert-title", "dialog[open] > .alarms"
    ben.wait(lambda: ben.find(title).text == "Ana has not checked in", "the missed check-in")
    assert ben.find(alarms).text == ""
    ana.device.put(f"/v1/alerts/{api.new_id()}", {})
    ben.wait(lambda: "Ana has raised an alert" in ben.find(alarms).text, "the alarm")
    assert ben.find(title).text == "Ana has not checked in"
    ben.press("See Ana’s alert")
    ben.wait(lambda: ben.find(title).text == "Ana needs help", "the call for help")
    ben.wait(lambda: ben.find(alarms).text == "", "the end of the line")
    ben.press("I’m on it")
    ana.see("Ben is on it")
    ben.see("Ana has also missed a check-in. No one is on it yet.")
    ben.press("See that alert: Missed check-in")
    ben.wait(lambda: ben.find(title).text == "Ana has not checked in", "the missed check-in")
    ben.find(f"{title}:focus")
    ben.press("I’m on it")
    ben.see("Ana has also raised an alert. You are on it.")
    ben.see("I can’t after all")
    alerts = ana.device.get("/v1/alerts?open=true")["items"]
    assert [alert["acknowledgement"]["name"] for alert in alerts] == ["Ben", "Ben"]
    assert ben.complaints() == []


@pytest.mark.parametrize("is_needed", [False, True], ids=["alone", "while-somebody-needs-help"])
def test_overdue_button_fits_above_alert_bar(ana_and_ben, is_needed):
    ana, ben = ana_and_ben
    ana.resize(360, 640)
    if is_needed:
        cleo = api.sign_in(ben.device.server, phone_number(3), "Cleo")
        for responder in (ana.device, ben.device):
            api.watch_over(responder, cleo)
        alert = f"/v1/alerts/{api.new_id()}"
        cleo.put(alert, {})
        ben.device.post(f"{alert}/acknowledgement", {})
    deadline(ana.device, 2)
    ana.open("/").see("You’re overdue: check in now", PATIENCE)
    if is_needed:
        ana.wait(lambda: "Ben is on it" in ana.find(".trouble").text, "who is on it")
    ana.run("scrollTo(0, 0)")
    ring, button = ana.find(".ring").rect, ana.button("Press to tell everyone you’re OK").rect
    bar = ana.find(".alert-bar").rect
    for box in (ring, button):
        assert 0 <= box["x"] and box["x"] + box["width"] <= 360
        assert 0 <= box["y"] and box["y"] + box["height"] <= bar["y"], (box, bar)
    assert ana.serious_findings() == []


def test_reminder_arrives_before_deadline(ana_and_ben):
    ana, _ = ana_and_ben
    ana.open("/responders").find("h1")
    ana.device.check_in()
    two_hours_and_a_bit = 2 * 3_600 + 4
    ana.device.put(
        "/v1/me/check-in-settings",
        {
            "intervalSeconds": two_hours_and_a_bit,
            "remindTwoHoursBefore": True,
            "remindThirtyMinutesBefore": False,
        },
    )
    ana.open("/notifications").see("Check in soon", PATIENCE)
    assert ana.all(".bell .badge")
    ana.see("Less than 2 hours left")


def test_without_responders_no_page_claims_delivery(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    ana = make_browser(server)
    device = come_back(server, ana, phone_number(1), "Ana")
    ana.see("No one is watching over you.")
    for _ in range(4):
        ana.press("Alert")
    ana.see("No one is told: you have no responders. Call for help directly.")
    assert "Your responders" not in ana.text
    ana.press("End it without holding")
    ana.see("End your alert?")
    assert "esponders will be told" not in ana.text
    ana.press("I am safe, end it")
    ana.see("Check-in")
    deadline(device, 2)
    ana.see("You missed your check-in", PATIENCE)
    ana.see("No one is told: you have no responders.")
    ana.press("Add a responder")
    ana.see("Scan a LifeSignal code")
    assert ana.path == "/responders" and ana.complaints() == []
