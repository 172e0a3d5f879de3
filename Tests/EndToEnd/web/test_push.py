"""What the service worker shows for a message, and what its buttons do. Uses Chromium, with
messages that the server has made. `test_push_firefox.py` covers the whole way of a message."""

import pytest
from selenium.webdriver.common.keys import Keys

from support import api
from support.people import enter, known, sign_out
from support.program import phone_number
from support.push import PushService
from support.waiting import wait_until
from support.worker import Worker, let_subscribe, set_notifications

ANA, BEN = phone_number(0), phone_number(1)

pytestmark = pytest.mark.whole_browser


@pytest.fixture
def service():
    service = PushService()
    yield service
    service.close()


@pytest.fixture
def server(make_server):
    return make_server("--allow-private-webhooks").start()


@pytest.fixture
def people(server):
    """Ana, and Ben, who watches over her."""
    ben = known(server, BEN, "Ben")
    return known(server, ANA, "Ana", ben), ben


@pytest.fixture
def worker(server, people, make_browser):
    worker = Worker(enter(make_browser(server), BEN))
    yield worker
    worker.close()


@pytest.fixture
def device(service, people):
    """A second subscription of Ben's. The test passes the messages that it receives to the
    worker."""
    browser = service.browser("/ben")
    browser.register(people[1], api.new_id())
    return browser


def message(service, device, title):
    def found():
        return next((it for it in service.read(device) if it["title"] == title), None)

    return wait_until(found, 30, title)


def raise_alert(person):
    alert = api.new_id()
    person.put(f"/v1/alerts/{alert}")
    return alert


def helper(person, alert):
    return person.get(f"/v1/alerts/{alert}").get("acknowledgement", {}).get("name")


def test_message_shows_buttons_and_sends_receipt(people, worker, service, device):
    ana, _ = people
    alert = raise_alert(ana)
    begin = message(service, device, "Ana needs help")
    worker.deliver({**begin, "actions": ["dance", *begin["actions"]]})
    shown = worker.told("Ana needs help")
    assert shown["buttons"] == ["I’m on it", "I can’t"] and shown["isKept"] and shown["isNews"]
    assert shown["tag"] == f"alert-{alert}" and shown["body"] == begin["body"]

    def states():
        ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
        return [it["state"] for it in ledger if it["channel"] == "webPush"]

    wait_until(lambda: states() == ["received"], 30, "the receipt")

    # A newer message replaces the notification. An older message that arrives late is not shown.
    ana.post(f"/v1/alerts/{alert}/end")
    worker.deliver(message(service, device, "Ana ended the alert"))
    worker.told("Ana ended the alert")
    worker.deliver(begin)
    worker.deliver({"title": "After it", "id": "x", "usefulUntil": begin["usefulUntil"]})
    worker.told("After it")
    titles = {it["title"]: it for it in worker.notifications}
    assert titles.keys() == {"Ana ended the alert", "After it"}
    assert titles["Ana ended the alert"]["buttons"] == []


@pytest.mark.parametrize(
    "text", ["", "not JSON", "null", "[]", '{"title": 7}', '{"version": 9}', "\U0001f4a5" * 900]
)
def test_unreadable_message_is_shown_plainly(worker, text):
    worker.deliver(text)
    assert "Open LifeSignal" in worker.told("LifeSignal has news for you")["body"]


def test_late_message_is_marked_without_buttons(people, worker, service, device):
    raise_alert(people[0])
    begin = message(service, device, "Ana needs help")
    worker.deliver({**begin, "usefulUntil": api.timestamp(api.seconds(begin["createdAt"]) - 3600)})
    late = worker.told("Earlier: Ana needs help")
    assert late["buttons"] == [] and "late" in late["body"]


def test_undelivered_press_says_not_sent(people, worker, service, device):
    ana, _ = people
    alert = raise_alert(ana)
    worker.deliver(message(service, device, "Ana needs help"))
    worker.told("Ana needs help")
    worker.cut_line()
    worker.press("I’m on it")
    unsent = worker.told("NOT SENT: I’m on it")
    assert (
        unsent["buttons"] == ["I’m on it", "I can’t"] and "Press the button again" in unsent["body"]
    )
    assert helper(ana, alert) is None
    worker.cut_line(False)
    worker.press("I’m on it")
    assert worker.told("You are on it")["buttons"] == []
    assert helper(ana, alert) == "Ben"


def test_refused_press_is_not_claimed(people, worker, service, device):
    ana, _ = people
    alert = raise_alert(ana)
    begin = message(service, device, "Ana needs help")
    worker.deliver(begin)
    worker.told("Ana needs help")
    ana.post(f"/v1/alerts/{alert}/end")
    worker.press("I’m on it")
    assert "This alert has ended." in worker.told("Nothing was changed")["body"]


def test_result_does_not_replace_newer_news(people, worker, service, device):
    ana, _ = people
    alert = raise_alert(ana)
    worker.deliver(message(service, device, "Ana needs help"))
    worker.told("Ana needs help")
    worker.hold()
    ana.post(f"/v1/alerts/{alert}/end")
    worker.deliver(message(service, device, "Ana ended the alert"))
    worker.told("Ana ended the alert")
    worker.press_held("acknowledgeAlert")
    result = worker.told("Nothing was changed")
    assert result["tag"] == f"result-alert-{alert}" and result["buttons"] == []
    tags = {it["title"]: it["tag"] for it in worker.notifications}
    assert tags["Ana ended the alert"] == f"alert-{alert}"


def test_press_needs_the_recipients_session(people, worker, service, device):
    ana, ben = people
    alert = raise_alert(ana)
    begin = message(service, device, "Ana needs help")
    worker.deliver({**begin, "recipientID": ana.id})
    worker.told("Ana needs help")
    worker.press("I’m on it")
    other = worker.told("NOT SENT: I’m on it")
    assert "not signed in here" in other["body"] and other["buttons"] == []
    sign_out(worker.browser)
    worker.deliver(begin)
    worker.told("Ana needs help")
    worker.press("I’m on it")
    asked = wait_until(
        lambda: next((it for it in worker.notifications if "Sign in" in it["body"]), None),
        30,
        "to be asked to sign in",
    )
    assert asked["buttons"] == ["I’m on it", "I can’t"] and helper(ana, alert) is None
    assert not ben.get("/v1/alerts?limit=1")["items"][0].get("acknowledgement")


def test_tap_opens_alert_in_open_page(people, worker, service, device):
    ana, ben = people
    worker.browser.open("/profile").see("Emergency note")
    alert = raise_alert(ana)
    begin = message(service, device, "Ana needs help")
    worker.deliver(begin)
    worker.told("Ana needs help")
    worker.press()
    worker.browser.wait(lambda: worker.browser.path == "/dependents", "the alert")
    worker.browser.button("I’m on it")
    wait_until(
        lambda: all(
            "readAt" in it
            for it in ben.get("/v1/notifications")["items"]
            if it["id"] == begin["id"]
        ),
        30,
        "the notification to be read",
    )
    assert worker.notifications == [] and alert


def test_tap_survives_a_restart_of_the_server(server, people, worker, service, device):
    worker.browser.open("/profile").see("Emergency note")
    raise_alert(people[0])
    worker.deliver(message(service, device, "Ana needs help"))
    worker.told("Ana needs help")
    server.kill()
    worker.browser.see("You are offline")
    worker.press()
    server.start_again()
    worker.browser.wait(lambda: worker.browser.path == "/dependents", "the alert")
    worker.browser.button("I’m on it")


def test_tap_ignores_the_page_of_a_link(people, worker, service, device):
    worker.browser.open("/a").see("Open")
    # A synthetic tap may not open a window.
    worker.run("clients.openWindow = async (path) => { self.opened = path; };")
    alert = raise_alert(people[0])
    worker.deliver(message(service, device, "Ana needs help"))
    worker.told("Ana needs help")
    worker.press()
    opened = lambda: worker.run("return self.opened")
    assert wait_until(opened, 30, "the new window") == f"/alerts/{alert}"
    assert worker.browser.path == "/a"


def test_push_is_turned_on_tested_and_turned_off(server, people, service, make_browser):
    ana, ben = people
    browser = make_browser(server)
    address = service.browser("/page")
    let_subscribe(browser, address)
    set_notifications(browser, "granted")
    enter(browser, BEN)
    browser.button("Turn on notifications").send_keys(Keys.ENTER)
    browser.miss("Get alerts when LifeSignal is closed")
    [endpoint] = ben.get("/v1/devices")["items"]
    assert endpoint["url"] == address.endpoint
    browser.open("/settings").see("You are told here when LifeSignal is closed.")
    browser.press("Send a test")
    browser.see("The test is sent.")
    test = message(service, address, "Test: messages arrive here")
    assert test["recipientID"] == ben.id and test["actions"] == []
    other = service.browser("/other")
    other.register(ben, api.new_id())
    browser.open("/settings").see("No message yet")
    browser.press("Remove A browser")
    browser.press("Remove")
    browser.see("None. Turn on notifications in each browser that you use.")
    browser.press("Turn off")
    browser.see("You are told here only while a page is open.")
    assert ben.get("/v1/devices")["items"] == []
    browser.open("/").see("Call for help")
    browser.miss("Get alerts when LifeSignal is closed")
    assert browser.complaints() == []


def test_browser_remembers_not_now_and_explains_denial(server, people, make_browser):
    browser = make_browser(server)
    set_notifications(browser, "prompt")
    enter(browser, BEN, "/notifications")
    browser.see("Get alerts when LifeSignal is closed")
    browser.press("Not now")
    browser.miss("Get alerts when LifeSignal is closed")
    browser.open("/notifications").see("Show")
    browser.wait(lambda: browser.run("return localStorage.pushLater"), "the choice")
    browser.open("/settings").see("You are told here only while a page is open.")
    browser.open("/").see("Call for help")
    assert "Get alerts when" not in browser.text
    browser.open("/settings").see("You are told here only while a page is open.")
    set_notifications(browser, "denied")
    browser.see("Blocked")
    browser.see("press the symbol beside the address")


def test_allowing_after_a_refusal_turns_push_on(server, people, service, make_browser):
    _, ben = people
    browser = make_browser(server)
    address = service.browser("/page")
    let_subscribe(browser, address)
    set_notifications(browser, "prompt")
    enter(browser, BEN)
    browser.see("Get alerts when LifeSignal is closed")
    browser.run("Notification.requestPermission = async () => 'denied'")
    browser.button("Turn on notifications").send_keys(Keys.ENTER)
    browser.wait(lambda: browser.run("return localStorage.push"), "the wish")
    set_notifications(browser, "granted")
    browser.miss("Get alerts when LifeSignal is closed")
    [endpoint] = ben.get("/v1/devices")["items"]
    assert endpoint["url"] == address.endpoint


def test_user_without_contacts_is_offered_reminders(server, make_browser):
    known(server, phone_number(7), "Dana")
    browser = make_browser(server)
    set_notifications(browser, "prompt")
    enter(browser, phone_number(7))
    browser.see("Get alerts when LifeSignal is closed")
    browser.see("and so that you are reminded of your own check-in.")
    assert browser.serious_findings() == []
