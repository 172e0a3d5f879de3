"""While every page is closed, the service worker sends what was pressed offline: once, and only as
the user who pressed it."""

import json
import time

import pytest

from support.api import new_id, timestamp, watch_over
from support.network import Network
from support.people import end_sessions, enter, make_member, sign_out
from support.program import phone_number
from support.waiting import wait_until
from support.worker import Worker

pytestmark = pytest.mark.whole_browser

KEPT = """
    return new Promise((resolve) => {
      const opening = indexedDB.open("lifesignal");
      opening.onsuccess = () => {
        const { result } = opening;
        if (!result.objectStoreNames.length) return resolve([]);
        const asked = result.transaction("queue").objectStore("queue").getAll();
        asked.onsuccess = () => (result.close(), resolve(asked.result));
      };
    });
"""


class Story:
    """Ana in a browser whose network can be cut, and Ben, who watches over her."""

    def __init__(self, server, network, make_browser):
        self.server, self.network = server, network
        names = enumerate(("Ana", "Ben"))
        self.ana, self.ben = (make_member(server, phone_number(i), name) for i, name in names)
        watch_over(self.ben, self.ana)
        self.browser = enter(make_browser(network), phone_number(0))
        self.worker = Worker(self.browser)
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

    @property
    def kept(self):
        """The stored actions that the service worker finds."""
        return {item["kind"]: item for item in self.browser.run(KEPT)}

    def press(self, *kinds):
        """Presses the buttons while offline. Returns the ids of the stored actions."""
        if "checkIn" in kinds:
            self.browser.press("Check in")
        if "alert" in kinds:
            for _ in range(4):
                self.browser.press("Alert")
        self.browser.wait(lambda: self.kept.keys() == set(kinds), "the acts in the queue")
        return {kind: item["id"] for kind, item in self.kept.items()}

    def close_page(self):
        self.browser.driver.get("about:blank")

    def see_sent(self, ids):
        wait_until(lambda: self.alerts == [ids["alert"]], 30, "the alert")
        wait_until(lambda: self.new_check_ins == [ids["checkIn"]], 30, "the check-in")


@pytest.fixture
def network(server):
    network = Network(server)
    yield network
    network.close()


@pytest.fixture
def story(server, network, make_browser):
    story = Story(server, network, make_browser)
    yield story
    story.worker.close()


def go_offline(story):
    story.network.become("cut")
    story.browser.see("You are offline")


def test_alert_and_check_in_are_sent_without_page(story):
    go_offline(story)
    ids = story.press("checkIn", "alert")
    story.close_page()
    assert story.alerts == [] and story.new_check_ins == []
    story.network.become("open")
    story.worker.sync()
    story.see_sent(ids)
    assert story.worker.told("Your alert was sent")["body"].startswith(
        "LifeSignal has received it."
    )
    story.worker.told("Your check-in was sent")

    # The page sends the actions a second time, which changes nothing.
    story.browser.open()
    story.browser.find(".alert-screen")
    story.browser.wait(lambda: story.browser.run("return localStorage.queue") == "[]", "the end")
    story.see_sent(ids)
    assert story.kept == {}


def test_offline_worker_drops_nothing(story):
    go_offline(story)
    ids = story.press("checkIn", "alert")
    story.close_page()
    story.worker.sync(is_last=True)
    story.worker.run("await sendQueue()")
    story.network.become("open")
    story.worker.sync()
    story.see_sent(ids)


def test_push_message_sends_the_queue(story):
    go_offline(story)
    ids = story.press("checkIn", "alert")
    story.close_page()
    story.network.become("open")
    story.worker.deliver({"title": "News", "id": "x", "usefulUntil": timestamp()})
    story.see_sent(ids)


def test_alert_ended_offline_is_raised_and_ended(story):
    go_offline(story)
    story.press("alert")
    story.browser.see("NOT SENT: phone someone now")
    story.browser.press("End it without holding")
    story.browser.press("Press again to end it")
    story.browser.wait(lambda: story.kept["alert"].get("ended"), "the end in the queue")
    story.close_page()
    story.network.become("open")
    story.worker.sync()
    wait_until(lambda: story.alerts, 30, "the alert")
    wait_until(lambda: not next(story.ana.pages("/v1/alerts"))["isActive"], 30, "its end")
    story.worker.told("The end of your alert was sent")


def test_end_pressed_during_sending_is_kept(story):
    go_offline(story)
    story.press("alert")
    # Simulates the page, which ends the alert during the worker's request.
    left = story.worker.run(
        """
        const items = await keptItems();
        await keepItems(items.map((item) => ({ ...item, ended: item.at })), []);
        await dropItems(items);
        return (await keptItems()).length;
        """
    )
    assert left == 1


def test_worker_sends_nothing_as_another_user(story):
    ben_before = len(list(story.ben.pages("/v1/check-ins")))
    go_offline(story)
    ids = story.press("checkIn", "alert")
    story.close_page()
    end_sessions(story.ana)
    story.network.become("open")
    story.worker.sync()
    signed_out = story.worker.told("Your alert was NOT SENT")
    assert "Sign in to LifeSignal" in signed_out["body"]
    assert story.alerts == [] and story.new_check_ins == []

    enter(story.browser, phone_number(1))
    story.worker.run("for (const it of await registration.getNotifications()) it.close()")
    story.close_page()
    # Ben isn't told what Ana has pressed.
    assert story.worker.run("return sendQueue()") is False
    assert story.worker.notifications == []
    assert len(list(story.ben.pages("/v1/check-ins"))) == ben_before
    assert list(story.ben.pages("/v1/alerts")) == [] and story.alerts == []
    story.browser.open()
    sign_out(story.browser)
    enter(story.browser, phone_number(0), path=None)
    wait_until(lambda: story.new_check_ins == [ids["checkIn"]], 30, "Ana's check-in")
    story.browser.wait(lambda: story.alerts == [ids["alert"]], "Ana's alert", 60)


def test_killed_browser_sends_from_indexeddb(story):
    go_offline(story)
    ids = story.press("checkIn", "alert")
    story.browser.run("localStorage.removeItem('queue')")
    story.browser.driver.get("about:blank")
    story.network.become("open")
    story.browser.open()
    story.see_sent(ids)
    story.browser.wait(lambda: story.kept == {}, "an empty queue")


HAS_COPYING_SCRIPT = """
    const files = performance.getEntriesByType("resource");
    return files.some(({ name }) => name.endsWith("/copy.js"));
"""


def test_tab_takes_back_arrival_of_another_tab(story):
    """Otherwise the worker would send the arrival, which would end the journey."""
    back = timestamp(time.time() + 3600)
    journey = {"id": new_id(), "name": "Wank", "expectedReturn": back, "tellsResponders": True}
    story.ana.put("/v1/me/journey", journey)
    browser, driver = story.browser, story.browser.driver
    browser.button("I have arrived")
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    browser.open()
    browser.button("30 minutes more")
    browser.wait(lambda: browser.run(HAS_COPYING_SCRIPT), "the script that copies the queue")
    go_offline(story)

    def are_later_returns():
        return ["back" in item for item in browser.run(KEPT)]

    driver.switch_to.window(first)
    browser.press("I have arrived")
    browser.wait(lambda: are_later_returns() == [False], "the arrival in the copy")
    driver.switch_to.window(second)
    browser.press("30 minutes more")
    browser.wait(lambda: are_later_returns() == [True], "only the later return in the copy")
    story.network.become("open")
    browser.wait(lambda: are_later_returns() == [], "an empty copy")
    assert story.ana.get("/v1/me")["journey"]["expectedReturn"] > back


def test_page_registers_background_sync(story):
    """The page registers one background sync for waiting actions, and none for actions that were
    sent at once."""
    story.browser.press("Check in")
    story.browser.see("Checked in at")
    tags = "return navigator.serviceWorker.ready.then(({ sync }) => sync.getTags())"
    assert story.browser.run(tags) == []
    go_offline(story)
    story.press("checkIn")
    story.browser.wait(lambda: story.browser.run(tags) == ["queue"], "the tag")


def test_signing_out_deletes_the_copy(story):
    story.browser.press("Check in")
    story.browser.see("Checked in at")
    story.browser.wait(lambda: story.kept == {}, "an empty copy")
    sign_out(story.browser)
    names = "return indexedDB.databases().then((all) => JSON.stringify(all))"
    story.browser.wait(lambda: json.loads(story.browser.run(names)) == [], "no database")
