"""The ledger shows what a provider and an endpoint really did with a message."""

import re

import pytest

from support.api import Client, new_id, sign_in, watch_over
from support.events import EventStream
from support.program import phone_number, run
from support.twilio import PUBLIC_URL, Twilio
from support.waiting import wait_until

# Not a test number, so messages to it are really sent.
NUMBER = "+4915112345678"


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


@pytest.fixture
def people(make_server, twilio):
    """Ana, and her responder Ben, who gets text messages."""
    server = make_server(
        "--sms", "twilio", "--public-url", PUBLIC_URL, env=twilio.environment, phones=0
    )
    server.env["LIFESIGNAL_TEST_PHONE"] = f"{phone_number(1)}=000000"
    server.start()
    twilio.lifesignal = server
    ana = sign_in(server, phone_number(1), "Ana")
    ben = Client(server)
    ben.post("/v1/auth/codes", {"phoneNumber": NUMBER}, status=202)
    text = wait_until(lambda: twilio.messages and twilio.messages[0]["Body"], 30, "a code")
    code = re.search(r"\d{6}", text)[0]
    tokens = ben.post(
        "/v1/auth/sessions",
        {"phoneNumber": NUMBER, "code": code, "deviceName": "phone"},
        status=201,
    )
    ben.token = tokens["accessToken"]
    ben.call("PATCH", "/v1/me", {"name": "Ben"})
    watch_over(ben, ana)
    return ana, ben


def message(ana, alert):
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return next(line for line in ledger if line["channel"] == "sms" and line["name"] == "Ben")


def raise_alert(ana):
    alert = new_id()
    ana.call("PUT", f"/v1/alerts/{alert}")
    return alert


def test_report_before_the_answer_counts(people, twilio):
    ana, _ = people
    twilio.report = "delivered"
    alert = raise_alert(ana)
    wait_until(lambda: message(ana, alert)["state"] == "seen", 30, "the report")
    assert twilio.reported == [204]
    callback = twilio.messages[-1]["StatusCallback"]
    assert callback.startswith(f"{PUBLIC_URL}/v1/sms/twilio?user=") and "&delivery=" in callback
    # A late report of an earlier state changes nothing, and a wrong signature is refused.
    twilio.report = "sent"
    twilio.say(callback, "SM2")
    twilio.say(callback.replace("attempt=1", "attempt=2"), "SM2", signature="AAAA")
    assert twilio.reported == [204, 204, 403]
    assert message(ana, alert)["state"] == "seen"


def test_refused_credentials_are_retried_and_named(people, twilio):
    ana, _ = people
    twilio.status = 401
    alert = raise_alert(ana)
    wait_until(lambda: message(ana, alert)["state"] == "retrying", 30, "a first try")
    server = twilio.lifesignal
    ready = ana.send("GET", "/health/ready")
    assert ready.status_code == 200 and ready.json()["problems"] == [], ready.text
    log = wait_until(
        lambda: "http-401" in server.output() and server.output(), 30, "a line in the log"
    )
    assert NUMBER not in log.split("http-401")[0].splitlines()[-1]
    metrics = ana.send("GET", "/metrics").text
    assert 'lifesignal_delivery_failures_total{channel="sms",reason="http-4xx"}' in metrics
    doctor = run("doctor", "--database", server.database, "--port", 0).stdout
    assert re.search(
        r"note  text messages: some are waiting for a retry: \d+ after http-401", doctor
    ), doctor
    twilio.status = 201
    wait_until(lambda: message(ana, alert)["state"] == "accepted", 20, "another try")


def test_failures_of_a_kind_are_logged_once_a_minute(people, twilio):
    ana, _ = people
    twilio.status = 401
    raise_alert(ana)
    name = 'lifesignal_delivery_failures_total{channel="sms",reason="http-4xx"}'

    def failures():
        lines = ana.send("GET", "/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    wait_until(lambda: failures() >= 2, 30, "a second try")
    lines = [
        line
        for line in twilio.lifesignal.output().splitlines()
        if "a delivery did not get through" in line
    ]
    assert len(lines) == 1 and "http-401" in lines[0]


def test_reported_failure_is_counted_once(people, twilio):
    ana, _ = people
    alert = raise_alert(ana)
    wait_until(lambda: message(ana, alert)["state"] == "accepted", 30, "the provider's answer")
    callback = twilio.messages[-1]["StatusCallback"]
    twilio.report = "undelivered"
    for _ in range(2):
        twilio.say(callback, f"SM{len(twilio.messages)}")
    assert twilio.reported == [204, 204]
    assert message(ana, alert)["state"] == "failed"
    metrics = ana.send("GET", "/metrics").text.splitlines()
    assert 'lifesignal_deliveries_total{channel="sms",state="failed"} 1' in metrics
    server = twilio.lifesignal
    wait_until(lambda: "a delivery did not get through" in server.output(), 10, "a line in the log")
    assert NUMBER not in server.output()


def test_endpoint_answering_404_stays_listed(make_server, webhooks):
    server = make_server("--allow-private-webhooks").start()
    ana, ben = (sign_in(server, phone_number(index)) for index in (1, 2))
    watch_over(ben, ana)
    device = new_id()
    ben.put(f"/v1/devices/{device}", {"kind": "webhook", "url": f"{webhooks.url}/hook"})
    webhooks.answer = lambda path: 404
    raise_alert(ana)
    wait_until(lambda: "failingSince" in ben.get("/v1/devices")["items"][0], 30, "a failure")
    assert ben.get("/v1/devices")["items"][0]["lastFailure"] == "http-404"
    titles = [item["title"] for item in ben.pages("/v1/notifications")]
    assert titles.count("Your webhook does not work") == 1
    webhooks.answer = lambda path: 204
    wait_until(lambda: "lastSuccessAt" in ben.get("/v1/devices")["items"][0], 20, "a success")
    assert "failingSince" not in ben.get("/v1/devices")["items"][0]


def test_reachability_changes_send_an_event(make_server, webhooks):
    server = make_server("--allow-private-webhooks", "--sms", "none").start()
    ana, ben = (sign_in(server, phone_number(index)) for index in (1, 2))
    watch_over(ben, ana)
    hook = f"/v1/devices/{new_id()}"

    def reachability():
        return ana.get("/v1/contacts")["items"][0]["reachability"]["state"]

    with EventStream(ana) as stream:

        def changes():
            return sum(event.kind == "contactChanged" for event in stream.events)

        before = changes()
        ben.put(hook, {"kind": "webhook", "url": f"{webhooks.url}/hook"})
        wait_until(lambda: changes() > before, 20, "an event about the new way")
        assert reachability() == "notProven"
        ben.delete(hook, status=204)
        # One user causes at most two such events per minute.
        wait_until(lambda: changes() > before + 1, 60, "an event about the lost way")
        assert reachability() == "unreachable"
    titles = [item["title"] for item in ana.pages("/v1/notifications")]
    assert sum(title.endswith("can't be told of your alerts") for title in titles) == 1
