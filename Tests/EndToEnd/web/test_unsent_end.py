"""A user ends an alert while offline: the end is stored, shown as unsent, and sent later."""

import json

import pytest
from selenium.webdriver import ActionChains

from support.api import watch_over
from support.network import Network
from support.people import enter, make_member, press_in_question
from support.program import phone_number
from support.waiting import wait_until

UNSENT = "The end of your alert is NOT SENT yet."
# From now on, the server refuses the page's events, but not its queue.
REFUSE_EVENTS = """
    const fetched = window.fetch;
    window.fetch = (path, ...rest) => path === "/web/events"
      ? Promise.resolve(new Response("", { status: 413 })) : fetched(path, ...rest);
"""


class Story:
    """Ana, who has an open alert, in a browser whose network can be cut."""

    def __init__(self, server, network, make_browser):
        self.network = network
        names = enumerate(("Ana", "Ben"))
        self.ana, ben = (make_member(server, phone_number(i), name) for i, name in names)
        watch_over(ben, self.ana)
        self.browser = enter(make_browser(network), phone_number(0))
        self.browser.wait_for_worker()
        for _ in range(4):
            self.browser.press("Alert")
        self.browser.find(".alert-screen")
        self.browser.wait(lambda: self.queue == [], "an empty queue")
        self.browser.wait(lambda: not self.browser.all("#calling"), "the page of the alert")

    @property
    def queue(self):
        return json.loads(self.browser.run("return localStorage.queue || '[]'"))

    def hold(self):
        button = self.browser.button("I am safe: hold to end")
        ActionChains(self.browser.driver).click_and_hold(button).perform()
        is_over = lambda: self.queue or not self.browser.all(".alert-screen")
        self.browser.wait(is_over, "the end in the queue, or on the server")
        ActionChains(self.browser.driver).release().perform()

    def is_on(self):
        [alert] = self.ana.pages("/v1/alerts")
        return alert["isActive"]

    def see_the_end(self):
        wait_until(lambda: not self.is_on(), 60, "the end on the server")
        self.browser.miss("NOT SENT", 60)
        is_over = lambda: not self.browser.all(".alert-screen")
        self.browser.wait(is_over, "the end of the alert's page")
        # The page may be told that the alert has ended before the queue's own request is answered.
        self.browser.wait(lambda: self.queue == [], "an empty queue")


@pytest.fixture
def story(server, make_browser):
    network = Network(server)
    yield Story(server, network, make_browser)
    network.close()


def test_end_by_hold_survives_reload_while_dead(story):
    story.network.become("dead")
    story.hold()
    story.browser.see(UNSENT)
    story.network.become("cut")
    story.browser.open()
    story.browser.see(UNSENT)
    assert story.is_on()
    story.network.become("open")
    story.see_the_end()


def test_end_without_hold_survives_reload_while_cut(story):
    story.network.become("cut")
    story.browser.see("You are offline")
    story.browser.press("End it without holding")
    assert story.queue == []
    story.browser.press("Press again to end it")
    story.browser.see(UNSENT)
    story.browser.open()
    story.browser.see(UNSENT)
    story.network.become("open")
    story.see_the_end()


def own(browser):
    return json.loads(browser.run("return localStorage.own || '{}'"))


def test_app_started_offline_shows_and_ends_the_alert(story):
    browser = story.browser
    [alert] = story.ana.pages("/v1/alerts")
    browser.wait(lambda: own(browser).get("ownAlert") == alert["id"], "the alert in the storage")
    story.network.become("cut")
    browser.open()
    browser.see("You are offline. This page is as of ")
    browser.see("Your alert is on")
    assert browser.serious_findings() == []
    browser.press("I am safe, end it")
    assert story.queue == []
    browser.press("Press again to end it")
    browser.see(UNSENT)
    browser.open()
    browser.see(UNSENT)
    assert story.is_on()
    story.network.become("open")
    story.see_the_end()
    browser.wait(lambda: "ownAlert" not in own(browser), "no alert in the storage")
    story.network.become("cut")
    browser.open()
    browser.see("What you press here is kept")
    assert "Your alert is on" not in browser.text


def test_end_confirmed_on_dead_connection_is_sent(story):
    story.browser.press("End it without holding")
    story.browser.find("dialog.question")
    story.network.become("dead")
    story.browser.run("document.querySelector('dialog.question [data-ends]').click()")
    story.browser.see(UNSENT)
    story.browser.open()
    story.network.become("open")
    story.see_the_end()


def test_end_confirmed_offline_closes_the_question(story):
    story.browser.press("End it without holding")
    story.browser.find("dialog.question")
    story.network.become("cut")
    story.browser.see("You are offline")
    press_in_question(story.browser, "I am safe, end it")
    story.browser.see("Waiting to be sent")
    story.browser.wait(lambda: not story.browser.all("dialog[open]"), "the end of the question")
    story.browser.see(UNSENT)
    assert len(story.queue) == 1
    story.network.become("open")
    story.see_the_end()


def test_end_while_online_leaves_empty_queue(story):
    story.hold()
    wait_until(lambda: not story.is_on(), 30, "the end on the server")
    story.browser.see("Alert ended.")
    story.browser.wait(lambda: story.queue == [], "an empty queue")
    assert "NOT SENT" not in story.browser.text


def test_end_in_a_refused_event_is_sent_by_the_queue(story):
    story.browser.run(REFUSE_EVENTS)
    story.hold()
    story.browser.see("The page had changed. Please try again.")
    story.see_the_end()


def see_the_second_alert(story):
    story.browser.see("NOT SENT: phone someone now")
    story.network.become("open")
    wait_until(lambda: len(list(story.ana.pages("/v1/alerts"))) == 2, 60, "the second alert")
    assert [alert["isActive"] for alert in story.ana.pages("/v1/alerts")] == [True, False]
    story.browser.find(".alert-screen", 60)
    story.browser.wait(lambda: story.queue == [], "an empty queue")


def test_new_alert_can_precede_unsent_end(story):
    story.network.become("cut")
    story.browser.see("You are offline")
    story.hold()
    story.browser.open()
    story.browser.see(UNSENT)
    for _ in range(4):
        story.browser.press("Alert")
    see_the_second_alert(story)


@pytest.mark.parametrize("state", ["cut", "dead"])
def test_new_alert_after_unsent_end_needs_no_reload(story, state):
    again = "Call for help again"
    assert again not in story.browser.text
    story.network.become(state)
    if state == "cut":
        story.browser.see("You are offline")
    story.hold()
    story.browser.see(again)
    story.browser.press(again)
    story.browser.press("Call for help now")
    see_the_second_alert(story)
    story.browser.miss(again)
