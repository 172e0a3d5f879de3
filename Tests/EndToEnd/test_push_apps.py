"""Push messages to apps through Apple and Google, and what the server does after each kind of
answer."""

import json
import secrets
import time

import pytest

from support.api import new_id, seconds, sign_in, watch_over
from support.apps import TEAM_ID, TOPIC, AppleService, GoogleService, fcm_error
from support.program import phone_number, run
from support.waiting import wait_until, work_per_core

NOTE = "Insulin is in the fridge"


@pytest.fixture
def apple(tmp_path):
    service = AppleService(tmp_path)
    yield service
    service.close()


@pytest.fixture
def google(tmp_path):
    service = GoogleService(tmp_path)
    yield service
    service.close()


@pytest.fixture
def people(make_server, apple, google):
    """Ana, and her responder Ben."""
    server = make_server(env={**apple.environment, **google.environment})
    server.env["LIFESIGNAL_TEST_PHONE"] = ",".join(
        f"{phone_number(index)}=000000" for index in range(80)
    )
    server.start()
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in [(1, "Ana"), (2, "Ben")]
    )
    ana.call("PATCH", "/v1/me", {"emergencyNote": NOTE})
    watch_over(ben, ana)
    return ana, ben


def register(person, kind, device=None, token=None):
    token = token or (
        secrets.token_hex(32) if kind == "apns" else f"fcm:{secrets.token_urlsafe(90)}"
    )
    more = {"environment": "production"} if kind == "apns" else {}
    person.put(f"/v1/devices/{device or new_id()}", {"kind": kind, "token": token, **more})
    return token


def raise_alert(ana):
    alert = new_id()
    ana.call("PUT", f"/v1/alerts/{alert}")
    return alert


def line(ana, alert, kind):
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return next(line for line in ledger if line["channel"] == kind)


def of(service, token):
    """Returns the messages to one app. Each is a pair: what the service sees, and what the app
    reads."""
    if isinstance(service, AppleService):
        pairs = [
            (push, push.body["lifesignal"]) for push in service.pushes if "lifesignal" in push.body
        ]
    else:
        pairs = [(push, json.loads(push.body["data"]["lifesignal"])) for push in service.pushes]
    return [pair for pair in pairs if pair[0].token == token]


def told(service, token, title, timeout=20):
    def found():
        return next((pair for pair in of(service, token) if pair[1]["title"] == title), None)

    return wait_until(found, timeout, title)


@pytest.mark.both_engines
def test_app_gets_alert_and_end_and_confirms(people, apple, google):
    ana, ben = people
    tokens = {service: register(ben, kind) for service, kind in [(apple, "apns"), (google, "fcm")]}
    alert = raise_alert(ana)
    push, message = told(apple, tokens[apple], "Ana needs help")
    claims = apple.claims(push)
    assert claims["iss"] == TEAM_ID and abs(claims["iat"] - time.time()) < 60
    headers = push.headers
    assert headers["apns-topic"] == TOPIC and headers["apns-push-type"] == "alert"
    assert headers["apns-priority"] == "10" and len(headers["apns-collapse-id"]) == 22
    assert int(headers["apns-expiration"]) == int(seconds(message["usefulUntil"]))
    aps = push.body["aps"]
    assert aps["alert"] == {"title": "Ana needs help", "body": message["body"]}
    assert aps["interruption-level"] == "time-sensitive" and aps["mutable-content"] == 1
    assert aps["category"] == "acknowledgeAlert"

    android, data = told(google, tokens[google], "Ana needs help")
    assert android.headers["authorization"] == f"Bearer {google.granted[0]}"
    assert android.body["android"]["priority"] == "HIGH" and "notification" not in android.body
    assert 86_000 < int(android.body["android"]["ttl"].removesuffix("s")) <= 86_400
    assert all(isinstance(value, str) for value in android.body["data"].values())
    assert data["alertID"] == message["alertID"] == alert

    for service, kind in [(apple, "apns"), (google, "fcm")]:
        wait_until(lambda: line(ana, alert, kind)["state"] == "accepted", 10, "the answer")
        receipt = of(service, tokens[service])[0][1]["receipt"]
        ben.post("/v1/receipts", {"token": receipt}, status=204)
        assert line(ana, alert, kind)["state"] == "received"
    ana.post(f"/v1/alerts/{alert}/end")
    end, _ = told(apple, tokens[apple], "Ana ended the alert")
    assert end.headers["apns-collapse-id"] == headers["apns-collapse-id"]
    assert end.headers["authorization"] == headers["authorization"]
    told(google, tokens[google], "Ana ended the alert")
    assert len(google.granted) == 1
    metrics = ana.send("GET", "/metrics").text
    assert 'lifesignal_push_provider_failing{channel="apns"} 0' in metrics
    for secret in [*tokens.values(), message["receipt"], NOTE, google.granted[0]]:
        assert secret not in ana.server.output() and secret not in metrics
    assert NOTE not in str([push.body for push in apple.pushes + google.pushes])


@pytest.mark.both_engines
def test_expired_token_is_removed_and_can_return(people, apple, google):
    ana, ben = people
    device, kept = new_id(), register(ben, "fcm")
    ended = register(ben, "apns", device)
    apple.answer = lambda token: (410, {"reason": "Unregistered"})
    raise_alert(ana)
    _, notice = told(google, kept, "An app gets no more messages")
    assert "notifications on" in notice["body"]
    assert [item["kind"] for item in ben.get("/v1/devices")["items"]] == ["fcm"]
    apple.answer = lambda token: 200
    register(ben, "apns", device, ended)
    google.answer = lambda token: fcm_error("UNREGISTERED", 404)
    ping = new_id()
    ben.put(f"/v1/pings/{ping}", {"dependentID": ana.id})
    ana.post(f"/v1/pings/{ping}/response")
    told(apple, ended, "Ana is fine")
    told(apple, ended, "An app gets no more messages")
    assert [item["kind"] for item in ben.get("/v1/devices")["items"]] == ["apns"]


def test_token_registered_after_expiry_is_kept(people, apple):
    ana, ben = people
    old = int(time.time() * 1000) - 3_600_000
    apple.answer = lambda token: (410, {"reason": "Unregistered", "timestamp": old})
    token = register(ben, "apns")
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert, "apns")["state"] == "retrying", 10, "a try")
    assert len(ben.get("/v1/devices")["items"]) == 1
    apple.answer = lambda token: 200
    wait_until(lambda: line(ana, alert, "apns")["state"] == "accepted", 30, "another try")
    assert len(of(apple, token)) >= 2


@pytest.mark.parametrize("reason", ["BadDeviceToken", "DeviceTokenNotForTopic"])
def test_app_refusal_drops_only_the_message(people, apple, reason):
    ana, ben = people
    register(ben, "apns")
    apple.answer = lambda token: (400, {"reason": reason})
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert, "apns")["state"] == "failed", 10, "a failure")
    assert line(ana, alert, "apns")["reason"] == "http-400"
    [device] = ben.get("/v1/devices")["items"]
    assert device["lastFailure"] == "http-400" and len(apple.pushes) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        (503, {"reason": "Shutdown"}),
        (429, {"reason": "TooManyRequests"}, {"retry-after": "3"}),
        "garbage",
        "nothing",
        "reset",
    ],
    ids=str,
)
def test_failures_at_apple_are_retried(people, apple, trouble):
    ana, ben = people
    register(ben, "apns")
    apple.answer = lambda token: trouble
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert, "apns")["state"] == "retrying", 15, "a try")
    apple.answer = lambda token: 200
    wait_until(lambda: line(ana, alert, "apns")["state"] == "accepted", 30, "another try")
    first, *_, last = apple.pushes
    assert (
        not isinstance(trouble, tuple) or trouble[0] != 429 or last.arrived - first.arrived >= 2.9
    )


@pytest.mark.parametrize(
    "trouble",
    [fcm_error("UNAVAILABLE", 503), (*fcm_error("QUOTA_EXCEEDED", 429), {"Retry-After": "3"})]
    + ["garbage", "reset", (200, {"hello": 1})],
    ids=str,
)
def test_failures_at_google_are_retried(people, google, trouble):
    ana, ben = people
    register(ben, "fcm")
    google.answer = lambda token: trouble
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert, "fcm")["state"] == "retrying", 15, "a try")
    google.answer = lambda token: None
    wait_until(lambda: line(ana, alert, "fcm")["state"] == "accepted", 30, "another try")
    first, *_, last = google.pushes
    assert "Retry-After" not in str(trouble) or last.arrived - first.arrived >= 2.9


@pytest.mark.parametrize("kind", ["apns", "fcm"])
def test_refused_push_credentials_warn_the_operator(people, apple, google, kind):
    ana, ben = people
    register(ben, kind)
    apple.answer = lambda token: (403, {"reason": "InvalidProviderToken"})
    google.answer = lambda token: fcm_error("THIRD_PARTY_AUTH_ERROR", 403)
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert, kind)["state"] == "retrying", 10, "a try")
    [device] = ben.get("/v1/devices")["items"]
    assert "failingSince" not in device
    assert "credentials-403" in ana.server.output()
    apple.answer, google.answer = lambda token: 200, lambda token: None
    wait_until(lambda: line(ana, alert, kind)["state"] == "accepted", 30, "another try")


def test_expired_sender_token_is_renewed_once(people, apple, google):
    ana, ben = people
    register(ben, "apns")
    register(ben, "fcm")
    signatures = []

    def answer(token):
        signatures.append(apple.pushes[-1].headers["authorization"])
        return (403, {"reason": "ExpiredProviderToken"}) if len(signatures) == 1 else 200

    def google_answer(token):
        value = google.pushes[-1].headers["authorization"]
        return (401, {}) if value == "Bearer ya29.0" else None

    apple.answer, google.answer = answer, google_answer
    alert = raise_alert(ana)
    for kind in ["apns", "fcm"]:
        wait_until(lambda: line(ana, alert, kind)["state"] == "accepted", 10, "the second try")
    assert len(set(signatures)) == 2 and google.granted == ["ya29.0", "ya29.1"]


def silent(service, token):
    return [
        push for push in service.pushes if push.token == token and "lifesignal" not in push.body
    ]


@pytest.mark.both_engines
def test_check_in_refreshes_users_other_iphones(people, apple, google):
    ana, ben = people
    tablet = sign_in(ana.server, phone_number(1), "Ana")
    phone, other = register(ana, "apns"), register(tablet, "apns")
    android, responder = register(ana, "fcm"), register(ben, "apns")
    tablet.check_in()
    [push] = wait_until(lambda: silent(apple, phone), 10, "a refresh")
    assert push.body == {"aps": {"content-available": 1}}
    assert push.headers["apns-push-type"] == "background"
    assert push.headers["apns-priority"] == "5" and push.headers["apns-topic"] == TOPIC
    # The message must not be stored for an offline device, where it would replace a stored alarm.
    assert push.headers["apns-expiration"] == "0" and "apns-collapse-id" not in push.headers
    # A message about the check-in would arrive before this later call for help.
    raise_alert(ana)
    told(apple, responder, "Ana needs help")
    assert silent(apple, other) == silent(apple, responder) == []
    assert all(data["title"] for _, data in of(google, android)), "an Android app shows each"
    assert len(silent(apple, phone)) == 1


def test_failing_token_service_does_not_delay_apple(people, apple, google):
    ana, ben = people
    ios = register(ben, "apns")
    for _ in range(10):
        register(ben, "fcm")
    google.grant = lambda: "hang"
    started = time.monotonic()
    alert = raise_alert(ana)
    told(apple, ios, "Ana needs help")
    ana.post(f"/v1/alerts/{alert}/end")
    told(apple, ios, "Ana ended the alert")
    assert time.monotonic() - started < 2 * work_per_core() and google.pushes == []


@pytest.mark.both_engines
def test_app_follows_session_and_next_user(people, apple):
    ana, ben = people
    second = sign_in(ana.server, phone_number(2), "Ben")
    gone = register(second, "apns")
    second.delete("/v1/auth/sessions/current", status=204)
    shared = register(ben, "apns")
    carl = sign_in(ana.server, phone_number(4), "Carl")
    watch_over(carl, ana)
    register(carl, "apns", token=shared)
    assert ben.get("/v1/devices")["items"] == []
    export = carl.get("/v1/me/export")
    assert [item["kind"] for item in export["devices"]] == ["apns"]
    raise_alert(ana)
    told(apple, shared, "Ana needs help")
    assert of(apple, gone) == [] and len(of(apple, shared)) == 1


def test_ten_thousand_messages_to_one_push_service(people, apple):
    ana, ben = people
    count = 50
    responders = [ben] + [
        sign_in(ana.server, phone_number(index), f"R{index}") for index in range(5, 4 + count)
    ]
    for responder in responders[1:]:
        watch_over(responder, ana)
    for responder in responders:
        for _ in range(20):
            register(responder, "apns")
    before = ana.server.resident_megabytes
    started = time.monotonic()
    for round in range(1, 6):
        alert = raise_alert(ana)
        wait_until(lambda: len(apple.pushes) >= (2 * round - 1) * 1_000, 60, "the beginnings")
        ana.post(f"/v1/alerts/{alert}/end")
        wait_until(lambda: len(apple.pushes) >= 2 * round * 1_000, 60, "the ends")
    rate = len(apple.pushes) / (time.monotonic() - started)
    memory = f"{before:.0f} to {ana.server.resident_megabytes:.0f} MB"
    print(f"{rate:.0f} messages a second, {apple.connections} connections, {memory}")
    assert ana.server.resident_megabytes < before + 100
    assert len(apple.pushes) == 10_000
    assert len({push.headers["apns-id"] for push in apple.pushes}) == 10_000
    assert len({push.headers["authorization"] for push in apple.pushes}) == 1
    assert apple.connections <= 64


def test_doctor_explains_push_problems(apple, google, tmp_path):
    def doctor(**changed):
        env = {**apple.environment, **google.environment, **changed}
        answer = run("doctor", "--database", tmp_path / "d.sqlite", "--port", 0, env=env)
        return answer.stdout + answer.stderr

    good = doctor()
    assert "ok    apps: by Apple's push service for org.example.lifesignal and by Firebase" in good
    assert "has no address" not in good
    for service, name in (("APNs", "APNS"), ("FCM", "FCM")):
        found = doctor(**{f"LIFESIGNAL_{name}_BASE_URL": "https://push.invalid"})
        assert f"BAD   {service}: push.invalid has no address" in found, found
    broken = tmp_path / "broken"
    broken.write_text("{}")
    broken.chmod(0o600)
    assert ".p8 file" in doctor(LIFESIGNAL_APNS_KEY_FILE=str(broken))
    assert "key id has 10" in doctor(LIFESIGNAL_APNS_KEY_ID="short")
    assert "JSON key file" in doctor(LIFESIGNAL_FCM_CREDENTIALS_FILE=str(broken))
    assert "can't be read" in doctor(LIFESIGNAL_FCM_CREDENTIALS_FILE=str(tmp_path / "none"))
    broken.write_text(json.dumps({**google.account, "private_key": "x"}))
    assert "private_key" in doctor(LIFESIGNAL_FCM_CREDENTIALS_FILE=str(broken))
    apple.key_file.chmod(0o644)
    refusal = doctor()
    assert "other users can read" in refusal and "chmod" in refusal, refusal


@pytest.mark.both_engines
def test_app_hears_of_an_administrator_without_its_push_service(people, google):
    _, ben = people
    server, token = ben.server, register(ben, "fcm")
    server.stop()
    key = ["--key-file", server.folder / "lifesignal.key"] if server.has_key_file else []
    done = run(
        *("admin", "lock", phone_number(2), "--reason", "Spam"),
        *("--database", server.database, *key),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    server.start_again()
    told(google, token, "Your account was locked")
