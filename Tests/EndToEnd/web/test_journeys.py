"""A journey in the browser: its start, a later return, and the arrival."""

import json
import time

import pytest

from support.network import Network
from support.api import new_id, seconds, timestamp
from support.people import enter, known, make_member
from support.program import phone_number

ANA, BEN = phone_number(0), phone_number(1)


def watched(ben):
    return ben.get("/v1/contacts")["items"][0]["watch"].get("journey")


def arrive_offline(ana, ben, network):
    ana.press("I have arrived")
    ana.see("Your arrival is NOT SENT yet")
    assert watched(ben) is not None
    network.become("open")
    ana.wait(lambda: watched(ben) is None, "the arrival")
    ana.button("Start a journey")


def test_journey_starts_changes_and_ends(make_server, make_browser):
    server = make_server().start()
    ben = make_member(server, BEN, "Ben")
    device = known(server, ANA, "Ana", ben)
    ana = enter(make_browser(server, size=(360, 640)), ANA)
    ana.press("Start a journey")
    ana.field("Where you go").send_keys("Zugspitze")
    ana.choose("In 2 hours")
    ana.choose("Tell them now that I am on my way (not by SMS)")
    ana.field("Note").send_keys("By car")
    ana.press("Start the journey")
    ana.button("I have arrived")
    journey = device.get("/v1/me")["journey"]
    assert (journey["name"], journey["note"]) == ("Zugspitze", "By car")
    assert journey["graceMinutes"] == 10 and journey["tellsResponders"]
    assert watched(ben) == {"name": "Zugspitze", "expectedReturn": journey["expectedReturn"]}

    def extension():
        later = device.get("/v1/me")["journey"]["expectedReturn"]
        return seconds(later) - seconds(journey["expectedReturn"])

    ana.press("30 minutes more")
    ana.wait(extension, "the later return")
    assert extension() == 1800
    # A check-in doesn't end the journey.
    ana.press("Check in")
    ana.see("Checked in at")
    ana.see("Back by")
    ana.press("I have arrived")
    ana.button("Start a journey")
    assert "journey" not in device.get("/v1/me") and watched(ben) is None
    assert ana.complaints() == []


def test_arrival_on_another_device_ends_the_journey(make_server, make_browser):
    server = make_server().start()
    ben = make_member(server, BEN, "Ben")
    device = known(server, ANA, "Ana", ben)
    ana = enter(make_browser(server), ANA)
    ana.press("Start a journey")
    ana.field("Where you go").send_keys("Wank")
    ana.press("Start the journey")
    ana.button("I have arrived")
    journey = device.get("/v1/me")["journey"]
    assert watched(ben) is None
    arrival = {"pressedAt": journey["startTime"]}
    device.put(f"/v1/journeys/{journey['id']}/arrival", arrival)
    ana.miss("Back by")
    ana.button("Start a journey")
    assert ana.complaints() == []


def test_offline_presses_wait_and_count_from_their_time(make_server, make_browser):
    server = make_server().start()
    ben = make_member(server, BEN, "Ben")
    device = known(server, ANA, "Ana", ben)
    network = Network(server)
    try:
        ana = enter(make_browser(network), ANA)
        start = {
            "id": new_id(),
            "name": "Wank",
            "expectedReturn": timestamp(time.time() + 3600),
            "tellsResponders": True,
        }
        before = device.put("/v1/me/journey", start)["journey"]
        ana.button("30 minutes more")
        network.become("cut")
        ana.see("You are offline")
        ana.press("30 minutes more")
        ana.see("Your later return is NOT SENT yet")
        ana.press("30 minutes more")
        ana.see("2 waiting to be sent")
        network.become("open")

        def later():
            back = device.get("/v1/me")["journey"]["expectedReturn"]
            return round(seconds(back) - seconds(before["expectedReturn"])) == 3600

        ana.wait(later, "both later returns")
        network.become("cut")
        ana.see("You are offline")
        arrive_offline(ana, ben, network)
    finally:
        network.close()


def test_app_started_offline_takes_the_arrival(make_server, make_browser):
    server = make_server().start()
    ben = make_member(server, BEN, "Ben")
    device = known(server, ANA, "Ana", ben)
    network = Network(server)
    try:
        ana = enter(make_browser(network), ANA)
        ana.wait_for_worker()
        start = {
            "id": new_id(),
            "name": "Wank",
            "expectedReturn": timestamp(time.time() + 3600),
            "tellsResponders": True,
        }
        device.put("/v1/me/journey", start)
        ana.wait(lambda: "Wank" in ana.run("return localStorage.own || ''"), "the journey")
        network.become("cut")
        ana.open()
        ana.see("What you press here is kept")
        ana.see("Back by")
        arrive_offline(ana, ben, network)
    finally:
        network.close()


# Presses buttons before any round trip can end. Returns the length of the browser's queue, and how
# many buttons are busy.
PRESS = """
    const buttons = [...document.querySelectorAll("[data-journey]")];
    for (const name of arguments) buttons.find((it) => it.innerText.includes(name)).click();
    return [JSON.parse(localStorage.queue).length, buttons.filter((it) => it.ariaBusy).length];
"""


class Story:
    """Ana, who is on a journey, in a browser whose network can be cut."""

    def __init__(self, server, network, make_browser):
        self.network = network
        self.ben = make_member(server, BEN, "Ben")
        self.device = known(server, ANA, "Ana", self.ben)
        self.browser = enter(make_browser(network), ANA)
        self.back = timestamp(time.time() + 3600)
        start = {
            "id": new_id(),
            "name": "Wank",
            "expectedReturn": self.back,
            "tellsResponders": True,
        }
        self.device.put("/v1/me/journey", start)
        self.browser.button("30 minutes more")

    @property
    def queue(self):
        return json.loads(self.browser.run("return localStorage.queue || '[]'"))

    def extension(self):
        """Returns by how many seconds the return was moved."""
        later = self.device.get("/v1/me")["journey"]["expectedReturn"]
        return round(seconds(later) - seconds(self.back))


@pytest.fixture
def story(make_server, make_browser):
    server = make_server().start()
    network = Network(server)
    yield Story(server, network, make_browser)
    network.close()


def test_arrival_on_dead_connection_survives_closed_page(story):
    story.network.become("dead")
    story.browser.press("I have arrived")
    [item] = story.queue
    assert item["kind"] == "journey" and "back" not in item
    assert "NOT SENT" not in story.browser.text
    story.browser.see("Your arrival is NOT SENT yet", 10)
    # The page ends here; the browser keeps the page's stored data.
    story.browser.driver.get("about:blank")
    assert watched(story.ben) is not None
    story.network.become("cut")
    story.network.become("open")
    story.browser.open()
    story.browser.wait(lambda: watched(story.ben) is None, "the arrival")
    story.browser.button("Start a journey")
    story.browser.wait(lambda: story.queue == [], "an empty queue")


def test_second_press_while_sending_adds_no_more_time(story):
    story.network.become("open", latency=1.5)
    assert story.browser.run(PRESS, "30 minutes more", "30 minutes more") == [1, 2]
    story.browser.wait(lambda: story.queue == [], "an empty queue")
    assert story.extension() == 1800
    is_idle = lambda: not story.browser.all("[data-journey][aria-busy]")
    story.browser.wait(is_idle, "nothing on its way")


def test_arrival_may_follow_later_return_that_is_being_sent(story):
    story.network.become("open", latency=1.5)
    assert story.browser.run(PRESS, "30 minutes more", "I have arrived") == [2, 2]
    story.browser.wait(lambda: watched(story.ben) is None, "the arrival")
    story.browser.button("Start a journey")
    story.browser.wait(lambda: story.queue == [], "an empty queue")


def test_later_return_takes_back_unsent_arrival(story):
    story.network.become("cut")
    story.browser.see("You are offline")
    story.browser.press("I have arrived")
    story.browser.see("Your arrival is NOT SENT yet")
    story.browser.press("30 minutes more")
    story.browser.see("Your later return is NOT SENT yet")
    story.browser.miss("Your arrival is NOT SENT yet")
    [item] = story.queue
    assert "back" in item
    story.network.become("open")
    story.browser.wait(lambda: story.extension() == 1800, "the later return")
    story.browser.wait(lambda: story.queue == [], "an empty queue")
    assert watched(story.ben) is not None


# Fills the browser's storage except for a few characters, which the page's other values need.
FILL = """
    for (let size = 1 << 20, n = 0; size >= 16; n += 1) {
        try { localStorage[`filler${n}`] = "x".repeat(size); } catch { size >>= 1; }
    }
"""


def test_press_is_sent_by_page_if_storage_is_full(story):
    story.browser.run(FILL)
    story.network.become("cut")
    story.browser.see("You are offline")
    story.browser.press("30 minutes more")
    story.browser.see("This browser can’t save: your later return is NOT SENT.")
    story.network.become("open")
    story.browser.miss("You are offline")
    story.browser.press("I have arrived")
    story.browser.button("Start a journey")
    assert watched(story.ben) is None and story.queue == []


def test_overdue_journey_reaches_the_responder(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    responder = make_member(server, BEN, "Ben")
    device = known(server, ANA, "Ana", responder)
    ben = enter(make_browser(server), BEN)
    journey = {
        "id": new_id(),
        "name": "Zugspitze",
        "expectedReturn": timestamp(time.time() + 2),
        "graceMinutes": 0,
        "note": "By car",
        "tellsResponders": False,
    }
    device.put("/v1/me/journey", journey)
    ben.see("Ana is not back from Zugspitze")
    ben.press("See Ana’s alert")
    ben.see("Ana’s note")
    ben.see("By car")
    ana = enter(make_browser(server), ANA)
    ana.see("You are not back from Zugspitze")
    assert not ana.all(".alert-screen")
    ana.press("30 minutes more")
    ana.miss("You are not back from Zugspitze")
    ana.see("Back by")
    ben.see("Ana’s alert has ended")
    for browser in (ana, ben):
        assert browser.complaints() == []
