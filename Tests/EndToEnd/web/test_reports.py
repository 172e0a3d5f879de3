"""Answers beyond "I'm on it": a responder withdraws, reports, and has everyone alerted again. The
alert's end is shown as good news, and the sheet stays open."""

import pytest
from selenium.webdriver.common.keys import Keys

from support import api
from support.browser import DESKTOP
from support.people import come_back, make_member
from support.program import phone_number


@pytest.fixture
def scene(server, make_browser):
    """Ana has raised an alert. Ben sees it in a browser, and Cleo uses the API."""
    ana = make_member(server, phone_number(1), "Ana")
    ben = make_browser(server, size=DESKTOP)
    ben.device = come_back(server, ben, phone_number(2), "Ben")
    cleo = make_member(server, phone_number(3), "Cleo")
    for responder in (ben.device, cleo):
        api.watch_over(responder, ana)
    alert = api.new_id()
    ana.put(f"/v1/alerts/{alert}", {})
    yield ana, ben, cleo, f"/v1/alerts/{alert}"
    assert ben.complaints() == []


def open_sheet(ben):
    ben.open("/dependents").press("See Ana’s alert")
    ben.see("Ana needs help")


def modal(ben):
    return "\n".join(dialog.text for dialog in ben.all("dialog:modal"))


def test_responder_withdraws_after_acknowledging(scene):
    ana, ben, cleo, alert = scene
    open_sheet(ben)
    ben.press("I’m on it")
    ben.see("You are on it")
    assert ana.get(alert)["acknowledgement"]["name"] == "Ben"
    ben.press("I can’t after all")
    ben.see("No one yet. If you say you’re on it, the others are told.")
    assert "acknowledgement" not in ana.get(alert)
    ben.see("You are no longer on it")
    cleo.post(f"{alert}/acknowledgement", {})
    ben.see("Cleo is on it")
    assert not any(b.text == "I can’t after all" for b in ben.all("dialog button"))


def test_responder_who_withdrew_is_not_said_to_have_helped(scene):
    ana, ben, _, alert = scene
    open_sheet(ben)
    ben.press("I’m on it")
    ben.see("You are on it")
    ben.press("I can’t after all")
    ben.see("You are no longer on it")
    ana.post(f"{alert}/end", {})
    ben.see("You took it on and withdrew")
    assert "You helped" not in modal(ben)
    assert ana.get("/v1/alerts?limit=1")["items"][0]["acknowledgement"]["end"] == "withdrew"


def test_responder_declines_alert(scene):
    ana, ben, _, alert = scene
    open_sheet(ben)
    ben.button("I can’t").send_keys(Keys.ENTER)
    ben.see("You have said that you can’t. Ana’s other responders are being asked.")
    assert ben.serious_findings() == []
    kinds = [action["kind"] for action in ana.get(alert)["history"]]
    assert kinds == ["declined"]
    ben.press("I’m on it")
    ben.see("You are on it")


@pytest.mark.parametrize(
    "button, kind, words",
    [
        ("I’m with them", "withThem", "You said that you are with Ana"),
        ("Found safe", "foundSafe", "You reported that Ana is safe"),
        (
            "Emergency services called",
            "emergencyServicesCalled",
            "You reported that emergency services were called",
        ),
    ],
)
def test_report_reaches_everyone_and_can_be_undone(scene, button, kind, words):
    ana, ben, cleo, alert = scene
    open_sheet(ben)
    ben.press(button)
    assert "report" not in ana.get(alert)
    ben.press("Yes, report it")
    ben.see(words)
    ben.see("No one is alerted again until")
    assert ana.get(alert)["report"]["kind"] == kind and cleo.get(alert)["report"]["name"] == "Ben"
    assert ana.get(alert)["isActive"]
    ben.press("Alert everyone again")
    ben.miss("No one is alerted again until")
    assert "report" not in ana.get(alert)
    ben.see("You lifted the report")
    assert ben.serious_findings() == []


def test_ended_alert_names_its_report(scene):
    ana, ben, _, alert = scene
    open_sheet(ben)
    ben.press("I’m with them")
    ben.press("Yes, report it")
    ben.see("You said that you are with Ana. If you say you’re on it, the others are told.")
    ana.post(f"{alert}/end", {})
    ben.see("Ana’s alert has ended")
    helpers = lambda: ben.find("[aria-labelledby=alert-response-title]").text
    ben.wait(lambda: "Who helped" in helpers(), "who helped")
    assert "You said that you are with Ana" in helpers()
    assert "No one" not in helpers()


def test_reports_of_others_appear_without_reload(scene):
    ana, ben, cleo, alert = scene
    open_sheet(ben)
    cleo.put(f"{alert}/report", {"report": "withThem"})
    ben.see("Cleo says they are with Ana")
    ben.press("Alert everyone again")
    ben.miss("No one is alerted again until")
    assert "report" not in cleo.get(alert)


@pytest.mark.parametrize("path", ["/dependents", "/notifications"])
def test_sheet_stays_modal_when_alert_ends(scene, path):
    ana, ben, cleo, alert = scene
    dora = make_member(ana.server, phone_number(4), "Dora")
    api.watch_over(ben.device, dora)
    if path == "/dependents":
        open_sheet(ben)
    else:
        ben.open(path).press("Open: Ana needs help")
        ben.see("Who’s helping")
    ben.wait(lambda: "Ana needs help" in modal(ben), "the alert, in a sheet above the page")
    ana.post(f"{alert}/end", {})
    ben.wait(lambda: "Ana’s alert has ended" in modal(ben), "the end, in a sheet above the page")
    assert "Ana ended the alert" in modal(ben)
    assert len(ben.all("dialog[open]")) == 1
    # Nothing behind the sheet can be reached. Escape closes the sheet.
    assert ben.run(
        "return document.elementFromPoint(20, innerHeight / 2).closest('main') === null || "
        "!!document.querySelector('dialog:modal')"
    )
    ben.press("Close")
    ben.wait(lambda: not ben.all("dialog[open]"), "the sheet to close")


@pytest.mark.parametrize("path", ["/dependents", "/notifications"])
def test_sheet_closes_when_responder_is_removed(scene, path):
    ana, ben, cleo, alert = scene
    if path == "/dependents":
        open_sheet(ben)
    else:
        ben.open(path).press("Open: Ana needs help")
    ben.wait(lambda: "Ana needs help" in modal(ben), "the alert")
    ana.delete(f"/v1/contacts/{ben.device.id}")
    ben.wait(lambda: not ben.all("dialog[open]"), "the sheet to close")
    ben.see("Ana is no longer your contact")
    assert ana.get(alert)["isActive"]


@pytest.mark.parametrize("path", ["/", "/notifications"])
def test_banner_calls_names_helper_and_opens_alert(scene, path):
    ana, ben, cleo, alert = scene
    ben.open(path).see("Ana has raised an alert")
    banner = lambda: ben.find(".trouble")
    call = banner().find_element("css selector", "a[href^='tel:']")
    assert call.get_attribute("href") == f"tel:{phone_number(1)}"
    assert "on it" not in banner().text
    cleo.post(f"{alert}/acknowledgement", {})
    ben.wait(lambda: "Cleo is on it" in banner().text, "who is on it")
    assert ben.serious_findings() == []
    ben.press("See Ana’s alert")
    ben.wait(lambda: "Ana needs help" in modal(ben), "the alert")
    ben.find("dialog a[href^='tel:']:focus")
    ben.press("Close")
    ben.wait(lambda: not ben.all("dialog[open]"), "the sheet to close")


def test_call_button_has_focus_on_alert_page(scene):
    """The number arrives later than the sheet, with the contact list."""
    _, ben, _, alert = scene
    ben.open(alert.removeprefix("/v1"))
    ben.wait(lambda: "Ana needs help" in modal(ben), "the alert")
    ben.find("dialog a[href^='tel:']:focus")


@pytest.mark.parametrize("path", ["/", "/responders", "/dependents", "/profile"])
def test_every_page_announces_end_in_green(scene, path):
    ana, ben, cleo, alert = scene
    ben.open(path).find("h1")
    ben.wait(lambda: ben.all(".critical"), "the alert")
    ana.post(f"{alert}/end", {})
    ben.see("Ana ended the alert")
    assert "Ana ended the alert" in ben.find(".banner.fine").text
    ben.wait(lambda: not ben.all(".trouble"), "the red card to go")
    ben.press("OK: Ana ended the alert")
    ben.miss("Ana ended the alert")


def test_end_notification_has_no_red_triangle(scene):
    ana, ben, cleo, alert = scene
    ben.open("/notifications").see("Ana needs help")
    ben.find(".notification.critical")
    ana.post(f"{alert}/end", {})
    ben.wait(
        lambda: any("Ana ended the alert" in n.text for n in ben.all(".notification.fine")),
        "the end in green",
    )
    assert ben.all(".notification.critical") == []
