import json
import re

import pytest
import requests

from support.api import new_id
from support.people import enter, known, press_in_question, unfold
from support.program import phone_number
from support.waiting import wait_until

ANA, BEN = phone_number(0), phone_number(1)


@pytest.fixture
def server(make_server):
    return make_server("--codes-per-number", "1000").start()


def test_notification_settings_are_shared_by_browsers(server, make_browser):
    api = known(server, ANA, "Ana")
    here, there = enter(make_browser(server), ANA, "/settings"), enter(make_browser(server), ANA)
    labels = [
        "Pings",
        "Check-ins",
        "New contacts",
        "Removed contacts",
        "Changes of roles",
        "From LifeSignal",
    ]
    assert all(here.field(label).is_selected() for label in labels)
    assert "You always get alerts." in here.text and not [
        box for box in here.all("input") if box.accessible_name == "Alerts"
    ]
    for label in labels[:3]:
        here.wait(lambda: here.field(label).is_enabled(), label)
        here.choose(label)
        here.wait(
            lambda: not here.field(label).is_selected() and here.field(label).is_enabled(),
            f"{label} is off",
        )
    wait_until(
        lambda: (
            set(api.get("/v1/notification-preferences")["muted"])
            == {"ping", "checkIn", "contactAdded"}
        ),
        30,
        "the choice is kept",
    )
    for page in (here, there):
        page.open("/settings")
        page.wait(
            lambda: (
                [page.field(label).is_selected() for label in labels] == [False] * 3 + [True] * 3
            ),
            "the choice as it was kept",
        )
    there.choose("Pings")
    there.wait(lambda: there.field("Pings").is_selected(), "on again")
    here.open("/notifications")
    unfold(here, "Notification settings")
    here.wait(lambda: here.field("Pings").is_selected(), "what the other browser chose")
    assert here.complaints() == [] and there.complaints() == []


def test_ending_a_session_signs_that_browser_out(server, make_browser):
    api = known(server, ANA, "Ana")
    here, there = enter(make_browser(server), ANA), enter(make_browser(server), ANA, "/profile")
    here.open("/settings")
    here.wait(lambda: len(here.all("#content .list > li")) == 3, "three sessions")
    rows = [row.text for row in here.all("#content .list > li")]
    assert "This device" in rows[0] and "Sign out" not in rows[0]
    assert not any("This device" in row for row in rows[1:])
    here.press("Sign out end-to-end")
    press_in_question(here, "Stay signed in")
    here.press("Sign out end-to-end")
    press_in_question(here, "Sign out")
    here.wait(lambda: len(here.all("#content .list > li")) == 2, "two sessions")
    assert api.send("GET", "/v1/me").status_code == 401
    here.click("[aria-label^='Sign out ']")
    press_in_question(here, "Sign out")
    there.field("Phone number")
    there.see("This session was ended on another device")
    assert "Ana" not in there.driver.page_source
    assert here.complaints() == []


def test_session_that_ends_during_an_alert_names_whom_to_call(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    browser = enter(make_browser(server), ANA)
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    ben.post(f"/v1/alerts/{alert}/acknowledgement")
    browser.see("Ben is on it")
    browser.resize(360, 740)
    (session,) = [one for one in ana.get("/v1/auth/sessions")["items"] if not one["isCurrent"]]
    ana.delete(f"/v1/auth/sessions/{session['id']}")
    browser.see("Your alert was still on as of")
    browser.see("Ben was on it.")
    call = browser.find(f"a[href='tel:{BEN}']")
    assert "Ben" in call.text
    is_visible = (
        "const box = arguments[0].getBoundingClientRect(); return box.top >= 0 &&"
        " box.bottom <= innerHeight && document.activeElement.contains(arguments[0])"
    )
    browser.wait(lambda: browser.run(is_visible, call), "the call on a small screen")
    with browser.screen(360, 640), browser.letters(200):
        browser.see("Phone number")
    browser.press("Dismiss")
    has_focus = "return document.activeElement.id === 'open-at-sign-out'"
    browser.wait(lambda: browser.run(has_focus), "the focus on the calls")
    assert browser.complaints() == []
    browser.open().see("Your alert was still on as of")
    call = browser.find(f"a[href='tel:{BEN}']")
    browser.wait(lambda: browser.run(is_visible, call), "the call after a reload")
    enter(browser, ANA, "").see("Ben is on it")
    assert "was still on as of" not in browser.driver.page_source
    browser.wait(lambda: browser.run("return !localStorage.left"), "no card for the next user")


def test_export_is_private_and_downloaded_once(server, make_browser, tmp_path):
    ben = known(server, BEN, "Ben")
    known(server, ANA, "Ana", ben)
    ana, other = enter(make_browser(server), ANA, "/settings"), enter(make_browser(server), BEN)
    ana.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    ana.press("Export my data")
    link = ana.button("Save the file").get_attribute("href")
    assert download(other, link).status_code == 404 and requests.get(link).status_code == 401
    ana.press("Save the file")
    file = tmp_path / "lifesignal-export.json"
    wait_until(lambda: file.exists() and file.stat().st_size > 0, 30, "the file")
    export = json.loads(file.read_text())
    text = json.dumps(export)
    assert ANA in text and "Ben" in text and len(export) >= 6, export.keys()
    ana.button("Export my data")
    assert download(ana, link).status_code == 404

    # The server declares the file's type to the browser.
    ana.press("Export my data")
    answer = download(ana, ana.button("Save the file").get_attribute("href"))
    assert (
        answer.headers["content-type"] == "application/json"
        and answer.json().keys() == export.keys()
    )
    assert re.fullmatch(
        r'attachment; filename="[\w.-]+\.json"', answer.headers["content-disposition"]
    )
    ana.button("Export my data")
    assert ana.complaints() == []


def download(browser, link):
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    return requests.get(link, cookies=cookies, timeout=30)


def test_account_is_deleted_in_settings(server, make_browser):
    ben = known(server, BEN, "Ben")
    api = known(server, ANA, "Ana Lovelace", ben)
    ana, ben_page = (
        enter(make_browser(server), ANA, "/settings"),
        enter(make_browser(server), BEN, "/dependents"),
    )
    ben_page.see("Ana Lovelace")
    ana.press("Delete account")
    press_in_question(ana, "Keep my account")
    ana.press("Delete account")
    press_in_question(ana, "Delete everything")
    ana.field("Phone number")
    assert "Ana Lovelace" not in ana.driver.page_source
    assert api.send("GET", "/v1/me").status_code == 401
    ben_page.wait(lambda: not ben_page.all(".contact-name"), "nobody to watch over")
    ben_page.open("/notifications").see("Ana Lovelace")

    ana.field("Phone number").send_keys(ANA)
    ana.press("Send code")
    ana.field("6-digit code").send_keys("000000")
    ana.see("What is your name?")
    assert ana.field("Name").get_property("value") == ""
    assert ana.complaints() == [] and ben_page.complaints() == []
