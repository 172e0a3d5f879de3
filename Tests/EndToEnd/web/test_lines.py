"""On a cut, dead or slow connection, and with a killed server, every press arrives and takes effect
once."""

import json
import os
import signal

import pytest

from support.api import watch_over
from support.network import Network
from support.people import enter, make_member
from support.program import phone_number
from support.waiting import wait_until

UNSENT_CHECK_IN = (
    "Your check-in is NOT SENT yet: your responders don’t know, and your deadline stays."
)


class Story:
    """Ana in a browser, and Ben, who watches over her.

    The browser reaches the server through `network`, if there is one."""

    def __init__(self, server, make_browser, network=None):
        self.server, self.make_browser = server, make_browser
        self.ana, self.ben = (
            make_member(server, phone_number(index), name)
            for index, name in enumerate(("Ana", "Ben"))
        )
        watch_over(self.ben, self.ana)
        self.browser = make_browser(network or server)
        enter(self.browser, phone_number(0))
        self.browser.wait_for_worker()
        self.before = self.check_ins

    @property
    def check_ins(self):
        return [item["id"] for item in self.ana.pages("/v1/check-ins")]

    @property
    def new_check_ins(self):
        return [id for id in self.check_ins if id not in self.before]

    @property
    def alerts(self):
        return [item["id"] for item in self.ana.pages("/v1/alerts")]

    def call_for_help(self):
        for _ in range(4):
            self.browser.press("Alert")

    def is_sent_once(self):
        """Waits until the server has exactly the ids that the browser had stored."""
        wanted = {
            kind: [item["id"] for item in self.kept if item["kind"] == kind]
            for kind in ("checkIn", "alert")
        }
        assert all(len(ids) <= 1 for ids in wanted.values())
        return lambda: self.new_check_ins == wanted["checkIn"] and self.alerts == wanted["alert"]

    @property
    def kept(self):
        return queue(self.browser)


def queue(browser):
    return json.loads(browser.driver.execute_script("return localStorage.queue || '[]'"))


@pytest.fixture
def story(make_server, make_browser):
    story = Story(make_server("--demo-intervals").start(), make_browser)
    yield story
    assert "code=internal" not in story.server.output()


def test_offline_presses_are_sent_when_online(story):
    browser, ben = story.browser, story.make_browser(story.server)
    enter(ben, phone_number(1))
    browser.cut_line()
    browser.see("You are offline")
    browser.press("Check in")
    browser.see(UNSENT_CHECK_IN)
    browser.see("1 waiting to be sent.")
    story.call_for_help()
    browser.wait(lambda: len(story.kept) == 2, "both in the queue")
    browser.see("waiting to be sent")
    is_sent = story.is_sent_once()
    assert story.new_check_ins == [] and story.alerts == []

    browser.cut_line(False)
    browser.wait(lambda: browser.all(".alert-screen"), "the screen of the alert")
    browser.miss("waiting to be sent")
    browser.miss(UNSENT_CHECK_IN)
    assert is_sent() and story.kept == []
    ben.see("Ana has raised an alert")
    assert "You are offline" not in browser.text


def test_presses_during_server_restart_are_sent_later(story):
    browser = story.browser
    story.server.kill()
    browser.see("You are offline")
    browser.press("Check in")
    story.call_for_help()
    browser.see("waiting to be sent")
    is_sent = story.is_sent_once()
    story.server.start_again()
    browser.wait(lambda: browser.all(".alert-screen"), "the screen of the alert", 30)
    browser.miss("waiting to be sent")
    assert is_sent()


def test_dead_connection_counts_as_cut(story):
    browser = story.browser
    os.kill(story.server.process.pid, signal.SIGSTOP)
    try:
        browser.press("Check in")
        browser.see("waiting to be sent", 30)
        story.call_for_help()
        browser.wait(lambda: len(story.kept) == 2, "both in the queue", 30)
    finally:
        os.kill(story.server.process.pid, signal.SIGCONT)
    browser.wait(lambda: browser.all(".alert-screen"), "the screen of the alert", 30)
    browser.miss("waiting to be sent", 30)
    assert len(story.new_check_ins) == 1 and len(story.alerts) == 1


def test_shell_keeps_presses_and_becomes_the_app(story):
    browser = story.browser
    browser.open("/profile")
    story.server.kill()
    browser.open("/profile")
    browser.see("You are offline")
    browser.driver.execute_script("window.isStill = true")
    browser.press("Check in")
    story.call_for_help()
    browser.wait(lambda: len(story.kept) == 2, "both in the queue")
    assert browser.driver.execute_script("return window.isStill"), (
        "the shell stays in place while there is no line"
    )
    is_sent = story.is_sent_once()

    # A new tab also shows what was pressed.
    old = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    new = browser.driver.current_window_handle
    browser.driver.switch_to.window(old)
    browser.driver.close()
    browser.driver.switch_to.window(new)
    browser.open("/profile")
    browser.see("waiting to be sent")

    story.server.start_again()
    # The app shows the screen of the open alert.
    browser.wait(lambda: browser.path == "/" and browser.all("nav.tabs"), "the app", 30)
    wait_until(is_sent, 30, "both sent, once")
    browser.miss("waiting to be sent")


def test_signed_out_shell_promises_nothing(make_server, make_browser):
    server = make_server().start()
    browser = make_browser(server).open()
    browser.field("Phone number")
    browser.wait_for_worker()
    server.kill()
    browser.open()
    browser.see("no one is signed in here: nothing you press is sent")
    assert "What you press here is kept" not in browser.text
    for name in ("Check in", "Alert"):
        browser.run("document.querySelector('#not-sent').textContent = ''")
        browser.press(name)
        browser.see("NOT SENT: no one is signed in here.")
        assert queue(browser) == [] and "waiting to be sent" not in browser.text
    assert browser.serious_findings() == []
    # A person signs in on another page of this browser, and out again.
    browser.run("localStorage.user = 'ana'; dispatchEvent(new Event('storage'))")
    browser.miss("NOT SENT")
    browser.run("delete localStorage.user; dispatchEvent(new Event('storage'))")
    server.start_again()
    browser.field("Phone number", 30)


def test_signed_out_shell_has_the_calls_for_a_week(make_server, make_browser):
    server = make_server().start()
    browser = make_browser(server).open()
    browser.field("Phone number")
    browser.wait_for_worker()
    keep = (
        'const html = \'<div id="open-at-sign-out" tabindex="-1">'
        '<a href="tel:+15550101">Call Ben</a></div>\';'
        "localStorage.left = JSON.stringify({ at: Date.now() - arguments[0] * 86400000, html })"
    )
    browser.run(keep, 6)
    server.kill()
    browser.open()
    browser.see("no one is signed in here")
    browser.see("Call Ben")
    browser.run(keep, 8)
    browser.open()
    browser.see("no one is signed in here")
    assert "Call Ben" not in browser.text


def test_presses_are_not_sent_as_another_user(story):
    browser = story.browser
    story.server.kill()
    browser.see("You are offline")
    browser.press("Check in")
    browser.see("waiting to be sent")
    [kept] = story.kept
    browser.driver.get("about:blank")
    story.server.start_again()
    end_web_sessions(story.ana)

    enter(browser, phone_number(1))
    assert "waiting to be sent" not in browser.text
    browser.press("Check in")
    wait_until(lambda: len(list(story.ben.pages("/v1/check-ins"))) == 2, 30, "Ben's own check-in")
    assert kept["id"] not in [item["id"] for item in story.ben.pages("/v1/check-ins")]
    assert story.new_check_ins == []
    sign_out(browser)

    enter(browser, phone_number(0))
    wait_until(lambda: story.new_check_ins == [kept["id"]], 30, "Ana's check-in")
    browser.wait(lambda: story.kept == [], "an empty queue")


def end_web_sessions(person):
    for session in person.get("/v1/auth/sessions")["items"]:
        if not session["isCurrent"]:
            person.delete(f"/v1/auth/sessions/{session['id']}")


def sign_out(browser):
    browser.press("Profile")
    browser.press("Sign out")
    browser.click("dialog.question button.danger")
    browser.field("Phone number")


class PageRequests(Network):
    """A network that counts the requests for Home."""

    count = 0

    def altered(self, data, is_answer):
        self.count += not is_answer and data.startswith(b"GET / ")
        return data


@pytest.fixture
def page_requests(server):
    network = PageRequests(server)
    yield network
    network.close()


@pytest.fixture
def lost(server, page_requests, make_browser):
    """Ana's story. A dead connection has lost the request of her reload."""
    story = Story(server, make_browser, page_requests)
    story.browser.open()
    story.browser.find("nav.tabs")
    # Only the reload gets a dead connection. Other dead ones would cost 10 seconds each.
    page_requests.become("cut")
    story.browser.see("You are offline")
    page_requests.become("dead")
    before = page_requests.count
    story.browser.run("setTimeout(() => location.reload())")
    wait_until(lambda: page_requests.count > before, 30, "the request for the page")
    return story


def test_lost_reload_doesnt_block_later_pages(lost, page_requests):
    page_requests.become("open")
    # The service worker waits 8 seconds for the lost page.
    lost.browser.find("nav.tabs", 20)
    lost.browser.miss("You are offline")
    assert lost.browser.open().find("nav.tabs", 5)
    assert lost.browser.session and lost.browser.path == "/"


def test_alert_in_shell_after_lost_reload_is_sent_and_shown(lost, page_requests):
    lost.browser.see("What you press here is kept")
    lost.call_for_help()
    lost.browser.see("NOT SENT: phone someone now")
    is_sent = lost.is_sent_once()
    page_requests.become("open")
    lost.browser.find(".alert-screen")
    assert is_sent()
    lost.browser.wait(lambda: lost.kept == [], "an empty queue")


def test_shell_names_a_missed_check_in(server, page_requests, make_browser):
    story = Story(server, make_browser, page_requests)
    browser = story.browser
    browser.open()
    browser.find("nav.tabs")
    page_requests.become("cut")
    browser.open()
    browser.see("What you press here is kept")
    assert browser.run("return document.querySelector('#own').hidden")
    # The last online page would have stored this.
    browser.run(
        "localStorage.own = JSON.stringify({ownMissed: 'You missed your check-in', "
        "ownMissedSince: new Date().toISOString(), ownMissedHelper: 'Ben is on it'})"
    )
    browser.open()
    browser.see("You missed your check-in")
    browser.see("Ben is on it.")
    browser.see("An alert about a missed check-in ends with a check-in.")
    browser.miss("You are not back from")
    page_requests.become("open")
    browser.find("nav.tabs")
    browser.miss("You missed your check-in")


def test_shell_remembers_the_alert_that_it_has_sent(server, page_requests, make_browser):
    story = Story(server, make_browser, page_requests)
    browser = story.browser
    page_requests.become("cut")
    browser.open()
    browser.see("What you press here is kept")
    # A page reloads itself at most once in 10 seconds.
    browser.run("sessionStorage.reloaded = Date.now() + 600000")
    story.call_for_help()
    browser.see("NOT SENT: phone someone now")
    [item] = story.kept
    page_requests.become("open")
    browser.see("LifeSignal has received it.")
    browser.press("Continue")
    browser.find("#own-alert:not([hidden])")
    assert story.alerts == [item["id"]]
    page_requests.become("cut")
    browser.open()
    browser.see("Your alert is on")
    browser.press("I am safe, end it")
    browser.press("Press again to end it")
    browser.run("sessionStorage.removeItem('reloaded')")
    page_requests.become("open")
    browser.find("nav.tabs")
    wait_until(
        lambda: not any(it["isActive"] for it in story.ana.pages("/v1/alerts")), 30, "the end"
    )
