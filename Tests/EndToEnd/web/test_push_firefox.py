"""Messages that arrive in a real Firefox while no page of LifeSignal is open, through a fake push
service."""

import pytest

from support import api
from support.firefox import FIREFOX, Firefox, FirefoxPushService
from support.people import end_sessions, known
from support.program import phone_number
from support.waiting import wait_until

pytestmark = pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox on this machine")
ANA, BEN, CLEO = phone_number(0), phone_number(1), phone_number(2)


@pytest.fixture
def push():
    service = FirefoxPushService()
    yield service
    service.close()


@pytest.fixture
def server(make_server):
    return make_server("--allow-private-webhooks").start()


@pytest.fixture
def firefox(server, push):
    browser = Firefox(f"http://localhost:{server.port}", push)
    yield browser
    browser.close()


@pytest.fixture
def people(server):
    """Ana, and Ben, who watches over her."""
    ben = known(server, BEN, "Ben")
    return known(server, ANA, "Ana", ben), ben


def raise_alert(person):
    alert = api.new_id()
    person.put(f"/v1/alerts/{alert}")
    return alert


def devices(person):
    return person.get("/v1/devices")["items"]


def turn_on(firefox, push):
    firefox.see("Get alerts when LifeSignal is closed")
    firefox.press("Turn on notifications")
    firefox.wait(lambda: "Get alerts when" not in firefox.text, "the card to go")
    return push.tokens[-1]


def helper(person, alert):
    return person.get(f"/v1/alerts/{alert}").get("acknowledgement", {}).get("name")


def received(person, alert):
    ledger = person.get(f"/v1/alerts/{alert}")["ledger"]
    return any(it["channel"] == "webPush" and it["state"] == "received" for it in ledger)


def test_alert_is_answered_without_page_and_after_restart(firefox, push, people):
    ana, ben = people
    firefox.sign_in(BEN)
    turn_on(firefox, push)
    firefox.close_pages()
    alert = raise_alert(ana)
    shown = firefox.told("Ana needs help")
    assert shown["isKept"] and shown["buttons"] == ["I’m on it", "I can’t"]
    wait_until(lambda: received(ana, alert), 30, "the receipt")
    assert helper(ana, alert) is None
    firefox.press_notification("Ana needs help", "I’m on it")
    assert "Ana needs help" in firefox.told("You are on it")["text"]
    assert helper(ana, alert) == "Ben" and len(firefox.notifications) == 1

    ana.post(f"/v1/alerts/{alert}/end")
    assert firefox.told("Ana ended the alert")["buttons"] == []
    assert len(firefox.notifications) == 1

    # The push service keeps a message for the closed browser.
    firefox.stop()
    alert = raise_alert(ana)
    wait_until(lambda: push.waiting, 30, "a message that waits")
    firefox.start()
    firefox.told("Ana needs help")
    firefox.press_notification("Ana needs help")
    firefox.wait(lambda: any("/dependents" in url for url in firefox.windows), "the page")
    firefox.see("Ana has raised an alert")
    unread = [it for it in ben.get("/v1/notifications")["items"] if it.get("alertID") == alert]
    wait_until(
        lambda: all(
            "readAt" in it
            for it in ben.get("/v1/notifications")["items"]
            if it["id"] == unread[-1]["id"]
        ),
        30,
        "the notification to be read",
    )


def test_ping_and_reminder_have_separate_answers(firefox, push, people, server):
    ana, ben = people
    firefox.sign_in(ANA)
    turn_on(firefox, push)
    firefox.close_pages()
    ping = api.new_id()
    ben.put(f"/v1/pings/{ping}", {"dependentID": ana.id})
    assert firefox.told("Ben asks if you are fine")["buttons"] == ["I’m fine"]
    # While the server can't be reached, a press on a notification is not sent.
    server.stop()
    firefox.press_notification("Ben asks if you are fine", "I’m fine")
    assert firefox.told("NOT SENT: I’m fine")["buttons"] == ["I’m fine"]
    server.start_again()
    firefox.press_notification("NOT SENT: I’m fine", "I’m fine")
    firefox.told("Your answer is sent")
    states = {it["id"]: it["state"] for it in ben.get("/v1/pings")["items"]}
    assert states[ping] == "answered"


def test_push_follows_revoked_and_renewed_permission(firefox, push, people):
    _, ben = people
    firefox.sign_in(BEN)
    first = turn_on(firefox, push)
    firefox.open("/settings")
    firefox.see("You are told here when LifeSignal is closed.")
    firefox.set_permission("deny")
    firefox.see("Blocked")
    wait_until(lambda: not devices(ben), 30, "the endpoint to go")
    firefox.set_permission("allow")
    firefox.see("You are told here when LifeSignal is closed.")
    assert push.tokens[-1] != first and len(devices(ben)) == 1
    firefox.press("Send a test")
    firefox.see("The test is sent.")
    firefox.told("Test: messages arrive here")
    firefox.press("Turn off")
    firefox.see("You are told here only while a page is open.")
    assert not devices(ben) and not push.tokens


def test_next_user_gets_no_messages_of_the_last(firefox, push, people, server):
    ana, ben = people
    firefox.sign_in(BEN)
    turn_on(firefox, push)
    raise_alert(ana)
    firefox.told("Ana needs help")
    firefox.open("/profile")
    firefox.press("Sign out")
    firefox.see_question()
    firefox.press("Sign out")
    wait_until(lambda: not devices(ben), 30, "the endpoint to go")
    wait_until(lambda: not push.tokens, 30, "the browser's subscription to go")
    firefox.wait(lambda: not firefox.notifications, "what was shown to go")
    cleo = known(server, CLEO, "Cleo")
    api.watch_over(cleo, ben)
    firefox.sign_in(CLEO)
    turn_on(firefox, push)
    raise_alert(ben)
    firefox.told("Ben needs help")
    assert [it["title"] for it in firefox.notifications] == ["Ben needs help"]
    assert not devices(ben) and len(devices(cleo)) == 1


def test_session_ended_without_page_leaves_no_subscription(firefox, push, people):
    _, ben = people
    firefox.sign_in(BEN)
    turn_on(firefox, push)
    firefox.close_pages()
    end_sessions(ben)
    assert not devices(ben) and push.tokens
    firefox.open("/")
    firefox.see("Phone number")
    wait_until(lambda: not push.tokens, 30, "the browser's subscription to go")


def test_browser_follows_new_key_and_expired_subscription(firefox, push, people, server):
    ana, ben = people
    firefox.sign_in(BEN)
    first = turn_on(firefox, push)

    # The push service has dropped this address.
    push.refusals[first] = 410
    alert = raise_alert(ana)
    wait_until(lambda: not devices(ben), 30, "the endpoint to go")
    titles = [it["title"] for it in ben.get("/v1/notifications")["items"]]
    assert "A browser gets no more messages" in titles
    firefox.open("/")
    wait_until(lambda: devices(ben), 60, "another subscription")
    assert push.tokens[-1] != first
    ana.post(f"/v1/alerts/{alert}/end")
    firefox.told("Ana ended the alert")

    # The browser is told that its subscription has expired while no page is open.
    firefox.close_pages()
    push.forget_browsers()
    wait_until(lambda: push.tokens, 60, "a new subscription")
    wait_until(
        lambda: [it["url"] for it in devices(ben)] and devices(ben)[0]["url"][-32:] in push.tokens,
        30,
        "the new address",
    )

    # The server loses its key.
    key = ben.get("/v1/push-key")["publicKey"]
    server.stop()
    (server.folder / "lifesignal.sqlite.key").write_bytes(bytes(range(32)))
    server.arguments = (*server.arguments, "--accept-new-key")
    server.start_again()
    assert ben.get("/v1/push-key")["publicKey"] != key
    known_tokens = set(push.tokens)
    firefox.open("/")

    def is_known_anew():
        new_tokens = set(push.tokens) - known_tokens
        return any(it["url"][-32:] in new_tokens for it in devices(ben))

    wait_until(is_known_anew, 60, "a subscription for the new key")
    raise_alert(ana)
    firefox.told("Ana needs help")
