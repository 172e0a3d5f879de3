"""Each press is shown as pending at once, however slow the connection is, and a check-in is stored
before it is sent."""

import json

import pytest

from support.network import Network
from support.people import enter, make_member
from support.program import phone_number
from support.waiting import wait_until

# Presses the check-in button. Returns its state and the browser's queue right after that.
PRESS = """
    const button = document.querySelector(".check-in-button");
    button.click();
    return { words: button.innerText, isBusy: button.getAttribute("aria-busy"),
      queue: JSON.parse(localStorage.queue ?? "[]") };
"""
# Presses every control that calls the server. Returns how many there are, and which of them show no
# change.
PRESS_ALL = """
    const pressed = [...document.querySelectorAll("button, a")].filter((it) => it.checkVisibility()
      && ("tap" in it.dataset || (it.type === "submit" && it.form?.dataset.submit))
      && it.ariaDisabled !== "true" && !it.dataset.push && !it.dataset.offline);
    for (const it of pressed) it.click();
    return [pressed.length, pressed.filter((it) => it.ariaBusy !== "true" && it.isConnected)
      .map((it) => it.outerHTML)];
"""


class Story:
    def __init__(self, server, network, make_browser):
        self.network = network
        self.ana = make_member(server, phone_number(0), "Ana")
        self.browser = enter(make_browser(network), phone_number(0))
        self.before = self.check_ins

    @property
    def check_ins(self):
        return [item["id"] for item in self.ana.pages("/v1/check-ins")]

    @property
    def queue(self):
        return json.loads(self.browser.run("return localStorage.queue || '[]'"))


@pytest.fixture
def network(server):
    network = Network(server)
    yield network
    network.close()


@pytest.fixture
def story(server, network, make_browser):
    return Story(server, network, make_browser)


def test_check_in_on_dead_connection_survives_kill(story):
    story.network.become("dead")
    pressed = story.browser.run(PRESS)
    assert pressed["words"].startswith("Sending…") and pressed["isBusy"] == "true"
    [item] = pressed["queue"]
    assert item["kind"] == "checkIn"
    # The page ends here; the browser keeps the page's stored data.
    story.browser.driver.get("about:blank")
    story.network.become("cut")
    story.network.become("open")
    story.browser.open()
    wait_until(lambda: len(story.check_ins) > len(story.before), 30, "the check-in")
    assert story.check_ins == [item["id"], *story.before]
    story.browser.wait(lambda: story.queue == [], "an empty queue")


def test_unanswered_check_in_is_shown_as_not_sent(story):
    story.network.become("dead")
    story.browser.run(PRESS)
    assert "NOT SENT" not in story.browser.text
    story.browser.see("Your check-in is NOT SENT yet", 10)
    story.browser.wait(lambda: "Sending…" not in story.browser.text, "the usual words", 10)
    story.network.become("open")
    wait_until(lambda: len(story.check_ins) == len(story.before) + 1, 60, "the check-in")
    story.browser.miss("NOT SENT", 60)


def test_lost_answer_makes_no_second_check_in(story):
    story.network.become("deaf")
    story.browser.run(PRESS)
    wait_until(lambda: len(story.check_ins) == len(story.before) + 1, 30, "the check-in")
    story.network.become("open")
    story.browser.wait(lambda: story.queue == [], "an empty queue", 60)
    assert len(story.check_ins) == len(story.before) + 1


def test_second_press_is_the_same_check_in(story):
    story.network.become("open", latency=1.5)
    story.browser.run(PRESS)
    assert len(story.browser.run(PRESS)["queue"]) == 1
    story.browser.see("Checked in at", 30)
    assert len(story.check_ins) == len(story.before) + 1
    assert story.browser.find(".check-in-button").get_attribute("aria-busy") is None


@pytest.mark.parametrize(
    "path", ["/", "/responders", "/dependents", "/profile", "/settings", "/notifications"]
)
def test_every_press_shows_at_once_as_pending(story, path):
    story.browser.open(path)
    story.browser.find("nav.tabs")
    story.browser.wait(
        lambda: story.browser.run("return 'ready' in document.documentElement.dataset"),
        "the script",
    )
    story.browser.wait(lambda: "Loading" not in story.browser.text, "the page")
    story.network.become("open", latency=3)
    count, silent = story.browser.run(PRESS_ALL)
    assert count >= 4 and silent == []


def test_pressed_control_is_busy_until_page_changes(story):
    story.browser.press("Profile")
    story.browser.button("Edit name and note")
    story.network.become("open", latency=1.5)
    story.browser.press("Edit name and note")
    assert story.browser.all("[aria-busy=true]")
    story.browser.field("Name")
    story.browser.wait(lambda: not story.browser.all("[aria-busy=true]"), "nothing on its way")


def test_press_whose_answer_is_lost_is_not_announced_as_lost(story):
    story.browser.press("Profile")
    story.browser.button("Edit name and note")
    story.network.become("deaf")
    story.browser.press("Edit name and note")
    story.browser.see("You are offline", 60)
    story.network.become("open")
    story.browser.field("Name", 60)
    assert "The page had changed" not in story.browser.text


def test_lost_connection_ends_busy_state(story):
    story.browser.press("Profile")
    story.browser.button("Edit name and note")
    story.network.become("dead")
    story.browser.press("Edit name and note")
    assert story.browser.all("[aria-busy=true]")
    story.browser.see("You are offline", 60)
    assert not story.browser.all("[aria-busy=true]")
