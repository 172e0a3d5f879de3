"""A call for help on slow, cut or dead connections. The user always sees whether the call has
arrived. The call reaches the server once, as soon as possible, with the time of the press."""

import json

import pytest

from support.api import new_id, seconds, watch_over
from support.network import Network
from support.people import enter, make_member, sign_out
from support.program import phone_number
from support.waiting import wait_until

# Returns the screen right after the presses, before any round trip can end.
PRESS = """
    for (let count = 0; count < arguments[0]; count += 1)
      document.querySelector(".alert-button").click();
    const calling = document.querySelector("#calling");
    return { isOpen: Boolean(calling?.matches(":modal")),
      title: calling?.querySelector("h1").textContent,
             links: [...(calling?.querySelectorAll("a[href^='tel:']") ?? [])].map((link) =>
               link.getAttribute("href")),
             now: Date.now() / 1000,
               words: document.querySelector(".alert-button small")?.textContent };
"""

# The numbers to call: Ben's, and the emergency number of the country of Ana's phone number.
NUMBERS = [f"tel:{phone_number(1)}", "tel:911"]


class Story:
    """Ana in a browser whose network can be slow or cut, and Ben, who watches over her."""

    def __init__(self, server, network, make_browser):
        self.server, self.network = server, network
        names = enumerate(("Ana", "Ben"))
        self.ana, self.ben = (make_member(server, phone_number(i), name) for i, name in names)
        watch_over(self.ben, self.ana)
        self.browser = make_browser(network)
        enter(self.browser, phone_number(0))
        self.browser.wait_for_worker()
        self.browser.wait(lambda: [number for _, number in self.people] == NUMBERS, "the numbers")

    @property
    def alerts(self):
        return list(self.ana.pages("/v1/alerts"))

    @property
    def people(self):
        return json.loads(self.browser.run("return localStorage.people || '[]'"))

    def press(self, count=4):
        return self.browser.run(PRESS, count)

    def title(self):
        return self.browser.run("return document.querySelector('#calling[open] h1')?.textContent")

    def see_title(self, words, timeout=10):
        self.browser.wait(lambda: self.title() == words, words, timeout)

    def see_one_alert(self, pressed, timeout=60):
        """Waits until the server has one alert with the time of the press, and until the page shows
        this alert."""
        wait_until(lambda: self.alerts, timeout, "the alert on the server")
        self.browser.find(".alert-screen", timeout)
        self.browser.wait(lambda: self.title() is None, "the end of the red screen")
        [alert] = self.alerts
        # The limit is below the slowest latency per direction in these tests.
        assert abs(seconds(alert["startTime"]) - pressed["now"]) < 2.5
        assert self.browser.run("return localStorage.queue") in (None, "[]")
        return alert


@pytest.fixture
def network(server):
    network = Network(server)
    yield network
    network.close()


@pytest.fixture
def story(server, network, make_browser):
    return Story(server, network, make_browser)


SENDING, UNSENT = "Sending your alert…", "NOT SENT: phone someone now"


def test_four_presses_on_a_slow_connection_raise_one_alert(story):
    story.network.become("open", latency=1.5)
    pressed = story.press()
    assert pressed["isOpen"] and pressed["title"] == SENDING
    story.see_one_alert(pressed)


def test_three_second_latency_raises_one_alert(story):
    story.network.become("open", latency=3)
    pressed = story.press()
    assert pressed["isOpen"] and pressed["title"] == SENDING
    assert pressed["links"] == NUMBERS
    story.see_title(UNSENT)
    story.see_one_alert(pressed)


def test_cut_between_presses_loses_nothing(story):
    assert "1 of 4" in story.press(1)["words"]
    story.network.become("cut")
    pressed = story.press(3)
    assert pressed["isOpen"] and pressed["title"] in (SENDING, UNSENT)
    story.see_title(UNSENT, 5)
    assert pressed["links"] == NUMBERS
    assert story.alerts == []
    story.network.become("open")
    story.see_one_alert(pressed)


def test_lost_answer_raises_no_second_alert(story):
    story.network.become("deaf")
    pressed = story.press()
    wait_until(lambda: story.alerts, 30, "the alert on the server")
    story.see_title(UNSENT)
    story.network.become("open")
    story.see_one_alert(pressed)


def test_dead_connection_is_shown_and_retried(story):
    story.network.become("dead")
    pressed = story.press()
    assert pressed["isOpen"] and pressed["title"] == SENDING
    story.see_title(UNSENT)
    story.browser.see("We keep trying")
    story.network.become("open")
    story.see_one_alert(pressed)


def test_pressed_alert_survives_reload_and_closed_page(story):
    browser = story.browser
    story.network.become("cut")
    pressed = story.press()
    browser.open("/profile")
    story.see_title(UNSENT)
    browser.see("Call Ben")
    old = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    new = browser.driver.current_window_handle
    browser.driver.switch_to.window(old)
    browser.driver.close()
    browser.driver.switch_to.window(new)
    browser.open()
    story.see_title(UNSENT)
    story.network.become("open")
    story.see_one_alert(pressed)


@pytest.fixture
def ended(story):
    """The story after another device has ended Ana's alert."""
    alert = f"/v1/alerts/{new_id()}"
    story.ana.put(alert, {})
    story.browser.see("Alert is on")
    story.ana.post(f"{alert}/end", {})
    story.browser.press("Call for help again")
    story.browser.find("#ask-alert")
    return story


def test_call_for_help_again_asks_once(ended):
    browser = ended.browser
    assert browser.serious_findings() == []
    assert browser.find("#ask-alert-words").text == "Your responders are alerted at once."
    browser.press("Cancel")
    browser.wait(lambda: not browser.all("#ask-alert"), "the end of the question")
    assert ended.title() is None and len(ended.alerts) == 1
    browser.press("Call for help again")
    browser.press("Call for help now")
    browser.find(".alert-screen")
    assert [alert["isActive"] for alert in ended.alerts] == [True, False]


def test_question_without_connection_promises_no_message(ended):
    ended.network.become("cut")
    ended.browser.see("You are offline")
    words = ended.browser.find("#ask-alert-words").text
    assert words == "Your alert is sent once there is a connection. Phone someone as well."


def test_call_for_help_again_on_dead_connection_survives_reload(ended):
    ended.network.become("dead")
    ended.browser.press("Call for help now")
    assert ended.title() == SENDING
    ended.see_title(UNSENT)
    ended.network.become("cut")
    ended.browser.open()
    ended.see_title(UNSENT)
    assert len(ended.alerts) == 1
    ended.network.become("open")
    ended.browser.find(".alert-screen", 60)
    assert [alert["isActive"] for alert in ended.alerts] == [True, False]


def test_alert_ended_before_sending_is_sent_and_ended(story):
    browser = story.browser
    story.network.become("cut")
    story.press()
    story.see_title(UNSENT)
    browser.press("End it without holding")
    browser.press("Press again to end it")
    browser.wait(lambda: story.title() is None, "the end of the red screen")
    browser.see("1 waiting to be sent")
    story.network.become("open")
    wait_until(lambda: story.alerts, 60, "the alert on the server")
    wait_until(lambda: not story.alerts[0]["isActive"], 30, "its end")
    browser.miss("waiting to be sent")
    assert not browser.all(".alert-screen")


def test_unsent_alert_is_sent_after_signing_in_again(story):
    story.network.become("cut")
    pressed = story.press()
    story.see_title(UNSENT)
    for session in story.ana.pages("/v1/auth/sessions"):
        if not session["isCurrent"]:
            story.ana.delete(f"/v1/auth/sessions/{session['id']}")
    story.network.become("open")
    story.browser.see("Your alert was NOT SENT. Sign in to send it", 60)
    assert story.title() is None and story.alerts == []
    enter(story.browser, phone_number(0), path=None)
    story.see_one_alert(pressed)


def test_presses_start_over_after_four_seconds(story):
    assert story.press(3)["words"] == "3 of 4 · starts over in 4 s"
    story.browser.see("starts over in 2 s", 5)
    story.browser.see("Started over: press 4 times", 10)
    spoken = "return document.querySelector('#presses').textContent"
    assert story.browser.run(spoken) == "Started over: press 4 times."
    story.browser.wait(lambda: story.browser.run(spoken) == "", "nothing more to be said", 15)
    assert not story.press(3)["isOpen"] and story.alerts == []


def test_numbers_work_offline_until_sign_out(story):
    browser = story.browser
    story.network.become("cut")
    browser.see("You are offline")
    browser.press("People and phone numbers")
    browser.see(f"Call Ben · {phone_number(1)}")
    browser.open()
    browser.see("You are offline")
    browser.press("People and phone numbers")
    browser.see(f"Call Ben · {phone_number(1)}")
    story.network.become("open")
    browser.find("nav.tabs", 30)
    sign_out(browser)
    assert browser.run("return localStorage.people") is None
    assert browser.run("return localStorage.own") is None


def test_without_contacts_shows_emergency_number(server, network, make_browser):
    make_member(server, phone_number(0), "Ana")
    browser = enter(make_browser(network), phone_number(0))
    browser.wait(lambda: "911" in browser.run("return localStorage.people || ''"), "the number")
    network.become("cut")
    pressed = browser.run(PRESS, 4)
    assert pressed["links"] == ["tel:911"]
    browser.see("Call emergency services · 911")
    browser.see("Phone your local emergency number, or shout for help.")
    assert browser.serious_findings() == []


def test_unsent_alert_screen_is_accessible(story):
    story.network.become("cut")
    story.press()
    story.see_title(UNSENT)
    assert story.browser.serious_findings() == []
