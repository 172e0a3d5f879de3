"""What a page says about people while the server can't be reached: the last known state, with its
age."""

import urllib.parse

import pytest
from selenium.webdriver.common.keys import Keys

from support import api
from support.browser import DESKTOP
from support.network import Network
from support.people import enter, make_member
from support.program import phone_number
from support.worker import Worker

# Shows the page again after it was frozen for some seconds. Returns the banner before any round
# trip can end.
WAKE = """
    const real = Date.now, frozen = 1000 * arguments[0];
    Date.now = () => real() + frozen;
    document.dispatchEvent(new Event("visibilitychange"));
    return document.querySelector("#connection").textContent;
"""
# Returns the tabs and other parts whose start is covered.
COVERED = """
    scrollTo(0, 0);
    const covered = [];
    for (const it of document.querySelectorAll(arguments[0])) {
      const { x, y, height } = it.getBoundingClientRect();
      const top = document.elementFromPoint(x + 8, y + height / 2);
      if (!it.contains(top)) covered.push(`${it.textContent}: ${top?.outerHTML.slice(0, 80)}`);
    }
    return covered;
"""
# Opens the phone numbers and scrolls past them. Returns the column's distance to the banner, in
# pixels.
GAP = """
    document.querySelector("#numbers").open = true;
    document.body.style.minHeight = "300vh";
    scrollTo(0, document.body.scrollHeight);
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    return box(".beside").top - box("#connection").bottom;
"""
# Seconds. This also allows for a machine that is busy just after a deadline.
PATIENCE = 30


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def network(server):
    network = Network(server)
    yield network
    network.close()


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(1), "Ana")


@pytest.fixture
def ben(server, ana):
    ben = make_member(server, phone_number(2), "Ben")
    api.watch_over(ben, ana)
    return ben


def pill(browser, selector):
    return browser.find(f"{selector} .state:not([hidden])").text


def test_offline_status_has_age_and_turns_overdue(ana, ben, network, make_browser):
    ana.check_in()
    api.set_interval(ana, 20)
    browser = enter(make_browser(network), phone_number(1))
    browser.see("Check in now")
    network.become("cut")
    browser.wait(
        lambda: pill(browser, ".check-in").startswith("Check in now as of "), "the age", 10
    )
    browser.wait(
        lambda: pill(browser, ".check-in") == "You’re overdue: check in now", "overdue", PATIENCE
    )
    assert browser.serious_findings() == []
    browser.press("Check in")
    browser.see("1 waiting to be sent")
    assert pill(browser, ".check-in") == "You’re overdue: check in now"


def test_sent_press_no_longer_waits(ana, network, make_browser):
    browser = enter(make_browser(network), phone_number(1))
    network.become("cut")
    browser.see("You are offline")
    browser.press("Check in")
    browser.see("Waiting to be sent")
    network.become("open")
    browser.see("Sent.")
    assert "Waiting to be sent" not in browser.text


def test_unsent_check_in_replaces_a_good_status(ana, network, make_browser):
    ana.check_in()
    browser = enter(make_browser(network), phone_number(1))
    browser.see("Checked in")
    network.become("cut")
    browser.wait(lambda: " as of " in browser.find(".check-in").text, "the age")
    browser.press("Check in")
    browser.see("Check-in not sent yet")
    words = browser.find(".check-in").text
    assert "as of" not in words and "Checked in" not in words
    assert browser.serious_findings() == []
    network.become("open")
    browser.miss("Check-in not sent yet")
    browser.see("Checked in")


@pytest.mark.parametrize(("seconds", "is_old"), [(10, False), (40, True)])
def test_waking_page_says_how_old_it_is(server, ana, make_browser, seconds, is_old):
    browser = enter(make_browser(server), phone_number(1)).open()
    is_ready = "return 'ready' in document.documentElement.dataset"
    browser.wait(lambda: browser.run(is_ready), "the scripts")
    banner = browser.run(WAKE, seconds)
    assert banner.startswith("You are offline. This page is as of ") == is_old, banner
    browser.miss("You are offline")


def test_offline_start_shows_dependents_last_known_state(ana, ben, network, make_browser):
    ana.check_in()
    api.set_interval(ana, 60)
    browser = enter(make_browser(network), phone_number(2), "/dependents")
    browser.see("Fine")
    browser.wait_for_worker()
    network.become("cut")
    browser.wait(lambda: pill(browser, "#cards, main").startswith("Fine as of "), "the age", 10)
    browser.open()
    browser.see("People you watch over")
    browser.see("This page is as of ")
    assert pill(browser, "#known").startswith("Fine as of ")
    browser.see("Next check-in: ")
    assert browser.find("#known a").get_attribute("href") == f"tel:{phone_number(1)}"
    browser.wait(lambda: pill(browser, "#known") == "Overdue, not confirmed", "the deadline", 90)
    assert browser.serious_findings() == []


def test_offline_start_shows_open_alert(ana, ben, network, make_browser):
    ana.put(f"/v1/alerts/{api.new_id()}", {})
    browser = enter(make_browser(network), phone_number(2))
    browser.see("Ana has raised an alert")
    browser.wait_for_worker()
    network.become("cut")
    browser.open()
    browser.see("Ana has raised an alert")
    assert pill(browser, "#known").startswith("Alert as of ")


WAYS_TO_CLOSE = {
    "button": lambda browser: browser.press("Close"),
    "escape": lambda browser: browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE),
    "back": lambda browser: browser.driver.back(),
}


@pytest.mark.parametrize("way", WAYS_TO_CLOSE)
def test_sheet_closes_offline(ana, network, make_browser, way):
    browser = enter(make_browser(network), phone_number(1))
    browser.press("Your code")
    browser.find("dialog:modal img.qr")
    network.become("cut")
    browser.see("You are offline")
    WAYS_TO_CLOSE[way](browser)
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the sheet")
    browser.press("Check in")
    browser.see("1 waiting to be sent")
    network.become("open")
    browser.miss("waiting to be sent")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet on the server")
    browser.press("Your code")
    browser.find("dialog:modal img.qr")


def test_question_closes_offline_without_effect(ana, network, make_browser):
    browser = enter(make_browser(network), phone_number(1), "/profile")
    browser.press("Sign out")
    browser.find("dialog:modal")
    network.become("cut")
    browser.see("You are offline")
    browser.press("Stay signed in")
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the question")
    network.become("open")
    browser.wait(lambda: not browser.all("dialog"), "the end of the question on the server")
    browser.press("Home")
    browser.see("Call for help")


def test_unsent_alert_offers_text_message(ana, ben, network, make_browser):
    browser = enter(make_browser(network), phone_number(1))
    browser.wait(lambda: "Ben" in browser.run("return localStorage.people || ''"), "the numbers")
    network.become("cut")
    browser.see("You are offline")
    for _ in range(4):
        browser.press("Alert")
    browser.see("NOT SENT: phone someone now")
    browser.see("Text Ben")
    [link] = [it.get_attribute("href") for it in browser.all("#calling a[href^='sms:']")]
    number, text = link.split("?&body=")
    assert number == f"sms:{phone_number(2)}"
    assert urllib.parse.unquote(text).startswith("I need help. LifeSignal can’t be reached")
    assert browser.find("#calling a[href='tel:911']").text == "Call emergency services · 911"
    assert browser.serious_findings() == []


def test_in_app_delivery_needs_page_confirmation(ana, ben, network, make_browser):
    owner = enter(make_browser(ana.server), phone_number(1))
    browser = enter(make_browser(network), phone_number(2))
    browser.wait_for_worker()
    # The connection dies without a sign, as when a phone is switched off.
    network.become("dead")
    alert = f"/v1/alerts/{api.new_id()}"
    ana.put(alert, {})
    owner.see("Ben: message in the app not shown yet")
    # Later events on the server's stream don't confirm the end.
    ana.check_in()
    assert ben.get("/v1/contacts")["items"]
    states = [(it["name"], it["channel"], it["state"]) for it in ana.get(alert)["ledger"]]
    assert ("Ben", "stream", "queued") in states and not browser.all(".trouble")
    network.become("cut")
    network.become("open")
    browser.see("Ana has raised an alert", 60)
    # The owner's page changes without a reload.
    owner.see("Ben: told in the app", PATIENCE)


@pytest.mark.whole_browser
@pytest.mark.parametrize(
    ("status", "shown"), [(404, "Refused"), (429, "You are offline"), (500, "You are offline")]
)
def test_busy_server_gets_the_offline_page(server, ana, make_browser, status, shown):
    worker = Worker(enter(make_browser(server), phone_number(1)))
    refuse = "self.fetch = async () => new Response('Refused', { status: %d });"
    worker.run(refuse % status)
    worker.browser.open().see(shown)
    worker.close()


@pytest.mark.parametrize("size", [DESKTOP, (1024, 700)], ids=["desktop", "small"])
def test_nothing_covers_the_tabs_or_numbers_of_a_wide_page(ana, ben, network, make_browser, size):
    browser = enter(make_browser(network, size=size), phone_number(1))
    browser.wait(lambda: "Ben" in browser.run("return localStorage.people || ''"), "the numbers")
    network.become("cut")
    browser.see("You are offline")
    browser.press("Check in")
    browser.see("1 waiting to be sent")
    browser.run("document.querySelector('#refused p').append('Your check-in was not accepted. ')")
    parts = ".tabs a, #numbers summary, #refused button"
    if size == DESKTOP:
        parts += ", .beside h2"
    assert len(browser.all(".tabs a")) == 4 and all(browser.all(it) for it in parts.split(", "))
    browser.wait(lambda: browser.run(COVERED, parts) == [], "parts that nothing covers")
    if size == DESKTOP:
        browser.wait(lambda: 0 <= browser.run(GAP) < 60, "a column as high as the window")
    assert browser.serious_findings() == []
