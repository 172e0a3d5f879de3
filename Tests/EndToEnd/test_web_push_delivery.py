"""Web Push messages to browsers, and what the server does after each answer of a push service."""

import time

import pytest

from support.api import new_id, seconds, sign_in, watch_over
from support.program import phone_number, run
from support.push import PushService
from support.waiting import wait_until, work_per_core

pytestmark = pytest.mark.both_engines
NOTE = "Insulin is in the fridge"


@pytest.fixture
def service():
    service = PushService()
    yield service
    service.close()


@pytest.fixture
def people(make_server):
    """Ana, and her responder Ben."""
    server = make_server("--allow-private-webhooks").start()
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in [(1, "Ana"), (2, "Ben")]
    )
    ana.call("PATCH", "/v1/me", {"emergencyNote": NOTE})
    watch_over(ben, ana)
    return ana, ben


def raise_alert(ana):
    alert = new_id()
    ana.call("PUT", f"/v1/alerts/{alert}")
    return alert


def line(ana, alert):
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return next(line for line in ledger if line["channel"] == "webPush")


def told(service, browser, title, timeout=10):
    def found():
        return next((item for item in service.read(browser) if item["title"] == title), None)

    return wait_until(found, timeout, title)


def test_browser_gets_alert_and_end_and_confirms(people, service):
    ana, ben = people
    public_key = ben.get("/v1/push-key")["publicKey"]
    browser = service.browser("/ben?secret=1")
    answer = browser.register(ben, new_id())
    assert answer["kind"] == "webPush" and "signingSecret" not in answer
    alert = raise_alert(ana)
    message = told(service, browser, "Ana needs help")
    assert message["version"] == 1 and message["type"] == "alert" and message["alertID"] == alert
    assert message["aboutUserID"] == ana.id
    assert message["actions"] == ["acknowledgeAlert", "declineAlert"]
    left = seconds(message["usefulUntil"]) - time.time()
    assert 23 * 3600 < left <= 24 * 3600
    assert NOTE not in str(message)

    push = service.pushes[-1]
    assert push.headers["urgency"] == "high" and push.headers["content-encoding"] == "aes128gcm"
    assert abs(int(push.headers["ttl"]) - left) < 10
    assert len(push.headers["topic"]) == 22
    assert push.claims(service.url, public_key)["sub"].startswith("https://")

    wait_until(lambda: line(ana, alert)["state"] == "accepted", 10, "the answer")
    stranger = sign_in(ana.server, phone_number(3))
    stranger.token = None
    for _ in range(2):
        stranger.post("/v1/receipts", {"token": message["receipt"]}, status=204)
    received = line(ana, alert)
    assert received["state"] == "received" and "receivedTime" in received
    wrong = message["receipt"][:-2] + ("AA" if message["receipt"][-2:] != "AA" else "BB")
    stranger.post("/v1/receipts", {"token": wrong}, status=422)

    ana.post(f"/v1/alerts/{alert}/end")
    end = told(service, browser, "Ana ended the alert")
    assert end["actions"] == [] and end["alertID"] == alert
    assert service.pushes[-1].headers["topic"] == push.headers["topic"]
    metrics = ana.send("GET", "/metrics").text
    assert 'lifesignal_deliveries_total{channel="webPush",state="accepted"}' in metrics
    for text in [ana.server.output(), metrics]:
        for secret in ["secret=1", browser.keys["auth"], message["receipt"], wrong, NOTE]:
            assert secret not in text


def test_ping_message_has_button_answer_has_none(people, service):
    ana, ben = people
    browsers = {person: service.browser(f"/{person.name}") for person in people}
    for person, browser in browsers.items():
        browser.register(person, new_id())
    ping = new_id()
    ben.put(f"/v1/pings/{ping}", {"dependentID": ana.id})
    question = told(service, browsers[ana], "Ben asks if you are fine")
    assert question["actions"] == ["respondToPing"] and question["pingID"] == ping
    assert service.pushes[-1].headers["urgency"] == "normal"
    ana.post(f"/v1/pings/{ping}/response")
    assert told(service, browsers[ben], "Ana is fine")["actions"] == []


@pytest.mark.parametrize("status", [404, 410])
def test_expired_subscription_is_removed_and_can_return(people, service, status):
    ana, ben = people
    ended, other = service.browser("/ended"), service.browser("/other")
    device = new_id()
    ended.register(ben, device)
    other.register(ben, new_id())
    service.answer = lambda path: status if path == "/ended" else 201
    alert = raise_alert(ana)
    told(service, other, "Ana needs help")
    assert (
        "turn its notifications on"
        in told(service, other, "A browser gets no more messages")["body"]
    )
    assert [item["url"] for item in ben.get("/v1/devices")["items"]] == [other.endpoint]
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    reasons = [item.get("reason") for item in ledger if item["channel"] == "webPush"]
    assert sorted(reasons, key=str) == sorted([None, f"http-{status}"], key=str)
    assert len([push for push in service.pushes if push.path == "/ended"]) == 1

    service.answer = lambda path: 201
    again = service.browser("/again")
    again.register(ben, device)
    ana.post(f"/v1/alerts/{alert}/end")
    told(service, again, "Ana ended the alert")
    assert len(ben.get("/v1/devices")["items"]) == 2


@pytest.mark.parametrize("status", [400, 413])
def test_push_refusal_drops_only_the_message(people, service, status):
    ana, ben = people
    service.browser("/1").register(ben, new_id())
    service.answer = lambda path: status
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert)["state"] == "failed", 10, "a failure")
    assert line(ana, alert)["reason"] == f"http-{status}"
    [device] = ben.get("/v1/devices")["items"]
    assert device["lastFailure"] == f"http-{status}"


@pytest.mark.parametrize("trouble", [403, 500, (429, {"Retry-After": "3"}), "garbage", "reset"])
def test_temporary_push_failures_are_retried(people, service, trouble):
    ana, ben = people
    browser = service.browser("/1")
    browser.register(ben, new_id())
    service.answer = lambda path: trouble
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert)["state"] == "retrying", 15, "a try")
    service.answer = lambda path: 201
    wait_until(lambda: line(ana, alert)["state"] == "accepted", 30, "another try")
    first, *_, last = service.pushes
    assert not isinstance(trouble, tuple) or last.arrived - first.arrived >= 2.9


def test_hanging_push_service_delays_no_other_message(people, service):
    ana, ben = people
    hanging = PushService(lambda path: "hang")
    try:
        for index in range(10):
            hanging.browser(f"/{index}").register(ben, new_id())
        others = [sign_in(ana.server, phone_number(index)) for index in range(5, 10)]
        browsers = []
        for index, other in enumerate(others):
            watch_over(other, ana)
            for number in range(5):
                hanging.browser(f"/{index}-{number}").register(other, new_id())
            browsers.append(service.browser(f"/{index}"))
            browsers[-1].register(other, new_id())
        own = service.browser("/own")
        own.register(ben, new_id())
        alert = raise_alert(ana)
        for round, title in enumerate(["Ana needs help", "Ana ended the alert"]):
            started = time.monotonic()
            if round:
                ana.post(f"/v1/alerts/{alert}/end")
            for browser in browsers:
                told(service, browser, title)
            assert time.monotonic() - started < work_per_core()
    finally:
        hanging.close()


def test_browser_follows_session_and_next_user(people, service):
    ana, ben = people
    kept, shared = service.browser("/kept"), service.browser("/shared")
    kept.register(ben, new_id())
    second = sign_in(ana.server, phone_number(2), "Ben")
    gone = service.browser("/gone")
    gone.register(second, new_id())
    second.delete("/v1/auth/sessions/current", status=204)
    shared.register(ben, new_id())
    carl = sign_in(ana.server, phone_number(4), "Carl")
    watch_over(carl, ana)
    shared.register(carl, new_id())
    urls = [item["url"] for item in ben.get("/v1/devices")["items"]]
    assert urls == [kept.endpoint]
    raise_alert(ana)
    told(service, kept, "Ana needs help")
    told(service, shared, "Ana needs help")
    assert service.read(gone) == [] and len(service.read(shared)) == 1


def test_restart_keeps_key_and_browsers(people, service):
    ana, ben = people
    key = ben.get("/v1/push-key")["publicKey"]
    browser = service.browser("/1")
    browser.register(ben, new_id())
    ana.server.stop()
    ana.server.start_again()
    assert ben.get("/v1/push-key")["publicKey"] == key
    raise_alert(ana)
    told(service, browser, "Ana needs help")
    assert service.pushes[-1].claims(service.url, key)


def test_browsers_resubscribe_after_lost_key(people, service, engine):
    ana, ben = people
    old_key = ben.get("/v1/push-key")["publicKey"]
    browser = service.browser("/old")
    endpoint = new_id()
    browser.register(ben, endpoint)
    server = ana.server
    server.stop()
    name = "lifesignal.key" if server.is_shared else "lifesignal.sqlite.key"
    (server.folder / name).unlink()
    (server.folder / name).write_bytes(bytes(range(32)))
    (server.folder / name).chmod(0o600)
    options = ["--key-file", server.folder / name] if server.is_shared else []
    doctor = run("doctor", "--database", server.database, "--port", 0, *options).stdout
    assert "Web Push: " not in doctor and "BAD   key: " in doctor, doctor
    doctor = run(
        "doctor", "--database", server.database, "--port", 0, "--accept-new-key", *options
    ).stdout
    assert "note  Web Push: " in doctor and "note  key: " in doctor, doctor
    server.arguments = (*server.arguments, "--accept-new-key")
    server.start_again()
    new_key = ben.get("/v1/push-key")["publicKey"]
    assert new_key != old_key
    raise_alert(ana)

    def known():
        return [item["id"] for item in ben.get("/v1/devices")["items"]]

    def titles():
        return [item["title"] for item in ben.pages("/v1/notifications")]

    wait_until(lambda: "Open LifeSignal in your browser" in titles(), 10, "the notice")
    assert known() == [endpoint], "nothing is removed before the browser had a chance"
    assert titles().count("Open LifeSignal in your browser") == 1
    assert service.pushes == []
    new = service.browser("/new")
    new.register(ben, endpoint)
    ben.put(f"/v1/pings/{new_id()}", {"dependentID": ana.id})
    ping = ana.get("/v1/pings")["items"][0]["id"]
    ana.post(f"/v1/pings/{ping}/response")
    told(service, new, "Ana is fine")
    service.pushes[-1].claims(service.url, new_key)
