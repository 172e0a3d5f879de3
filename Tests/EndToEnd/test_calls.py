"""Calls through Twilio, text messages through any gateway, and the budget of both."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
import requests
from support.api import Client, new_id, sign_in, watch_over
from support.program import phone_number, run
from support.twilio import AUTH_TOKEN, PUBLIC_URL, Twilio
from support.waiting import wait_until
from twilio.request_validator import RequestValidator


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


@pytest.fixture
def story(make_server, twilio):
    """Ana, who has an open alert, and Ben, who is called."""
    server = make_server(
        "--voice", "twilio", "--public-url", PUBLIC_URL, env=twilio.environment
    ).start()
    twilio.lifesignal = server
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in ((1, "Ana"), (2, "Ben"))
    )
    ana.call("PATCH", "/v1/me", {"emergencyNote": "Allergic to nuts"})
    watch_over(ben, ana)
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    call = wait_until(lambda: calls(twilio), 30, "a call")[0]
    return ana, ben, alert, call


def calls(twilio):
    return [message for message in twilio.messages if "Url" in message]


def ask(server, url, fields, signature=None):
    """Sends a request as Twilio, signed by Twilio's own helper."""
    parts = urlsplit(url)
    signed = signature or RequestValidator(AUTH_TOKEN).compute_signature(url, fields)
    return requests.post(
        f"{server.url}{parts.path}?{parts.query}",
        data=fields,
        headers={"X-Twilio-Signature": signed},
        timeout=10,
    )


def script(answer):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/xml")
    return ElementTree.fromstring(answer.text)


def words(answer):
    return " ".join(say.text for say in script(answer).iter("Say"))


def line(ana, alert):
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return next(entry for entry in ledger if entry["channel"] == "voice")


def test_key_one_acknowledges_alert(story, twilio):
    ana, _, alert, call = story
    server = twilio.lifesignal
    first = ask(server, call["Url"], {"CallSid": "CA1", "CallStatus": "in-progress"})
    gather = script(first).find("Gather")
    assert words(first).count("Ana needs help") == 2 and "Press 1" in words(first)
    assert "nuts" not in first.text
    for _ in range(2):
        pressed = ask(server, gather.get("action"), {"CallSid": "CA1", "Digits": "1"})
        assert "You have taken it on" in words(pressed)
    assert ana.get(f"/v1/alerts/{alert}")["acknowledgement"]["name"] == "Ben"
    done = {"CallSid": "CA1", "CallStatus": "completed"}
    assert ask(server, call["StatusCallback"], done).status_code == 200
    assert line(ana, alert)["state"] == "acknowledged"
    titles = [item["title"] for item in ana.pages("/v1/notifications")]
    assert titles.count("Ben is on it") == 1


def test_key_two_declines_alert(story, twilio):
    ana, _, alert, call = story
    server = twilio.lifesignal
    action = script(ask(server, call["Url"], {"CallSid": "CA1"})).find("Gather").get("action")
    assert "No one else is left" in words(ask(server, action, {"Digits": "2"}))
    ask(server, call["StatusCallback"], {"CallSid": "CA1", "CallStatus": "completed"})
    assert line(ana, alert)["state"] == "seen"
    assert "acknowledgement" not in ana.get(f"/v1/alerts/{alert}")


@pytest.mark.parametrize("status", ["busy", "no-answer", "failed", "completed"])
def test_call_without_key_is_no_answer(story, twilio, status):
    ana, _, alert, call = story
    for _ in range(2):
        fields = {"CallSid": "CA1", "CallStatus": status}
        assert ask(twilio.lifesignal, call["StatusCallback"], fields).status_code == 200
    assert line(ana, alert)["state"] == "failed"


def test_unsigned_twilio_request_is_refused(story, twilio):
    ana, _, alert, call = story
    server, url = twilio.lifesignal, call["Url"]
    assert ask(server, url, {"Digits": "1"}, signature="AAAA").status_code == 403
    other = re.sub(r"token=....", "token=AAAA", url)
    for address in (other, url.split("?")[0], url.replace("step=say", "step=other")):
        assert ask(server, address, {"CallSid": "CA1"}).status_code == 403
    assert "acknowledgement" not in ana.get(f"/v1/alerts/{alert}")


@pytest.mark.parametrize("key", ["1", "2"])
def test_call_after_end_says_so(story, twilio, key):
    ana, _, alert, call = story
    action = (
        script(ask(twilio.lifesignal, call["Url"], {"CallSid": "CA1"})).find("Gather").get("action")
    )
    ana.post(f"/v1/alerts/{alert}/end")
    assert "This alert has ended" in words(ask(twilio.lifesignal, action, {"Digits": key}))


class Gateway:
    """A generic gateway. `behave` answers each request."""

    def __init__(self):
        self.requests = []
        self.behave = lambda handler: self.answer(handler, 200, {"message": {"id": 7}})
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                stand_in.requests.append((dict(self.headers), body.decode()))
                stand_in.behave(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(handler, status, body, headers=()):
        data = json.dumps(body).encode()
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def gateway():
    stand_in = Gateway()
    yield stand_in
    stand_in.close()


def with_gateway(make_server, gateway, folder, *arguments):
    path = folder / "gateway.json"
    path.write_text(
        json.dumps(
            {
                "url": f"{gateway.url}/send",
                "headers": {"Authorization": "Bearer {secret}"},
                "json": {"to": "{to}", "from": "{from}", "body": "{text}"},
                "success": [200],
                "id": "message.id",
            }
        )
    )
    secret = folder / "secret"
    secret.write_text("hush hush\n")
    secret.chmod(0o600)
    env = {
        "LIFESIGNAL_SMS_GATEWAY_SECRET_FILE": str(secret),
        "LIFESIGNAL_SMS_FROM": "LifeSignal",
        "LIFESIGNAL_TEST_PHONE": f"{phone_number(1)}=000000",
    }
    options = ("--sms", "gateway", "--sms-gateway-file", path, *arguments)
    return make_server(*options, env=env, phones=0)


def person(server, number, gateway, name):
    """Signs in a user who receives real text messages."""
    client = Client(server)
    before = len(gateway.requests)
    client.post("/v1/auth/codes", {"phoneNumber": number}, status=202)
    wait_until(lambda: len(gateway.requests) > before, 30, "a code")
    code = re.search(r"\d{6}", json.loads(gateway.requests[-1][1])["body"])[0]
    body = {"phoneNumber": number, "code": code, "deviceName": "phone"}
    client.token = client.post("/v1/auth/sessions", body, status=201)["accessToken"]
    client.call("PATCH", "/v1/me", {"name": name})
    return client


def ledger(ana, alert):
    return [e for e in ana.get(f"/v1/alerts/{alert}")["ledger"] if e["channel"] == "sms"]


def raise_alert(ana):
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    return alert


def test_text_messages_work_with_any_gateway(make_server, gateway, tmp_path):
    server = with_gateway(make_server, gateway, tmp_path).start()
    ana = sign_in(server, phone_number(1), 'Ana "A" \\ {to}')
    ben = person(server, "+4915112345678", gateway, "Ben")
    watch_over(ben, ana)
    alert = raise_alert(ana)
    wait_until(lambda: [e["state"] for e in ledger(ana, alert)] == ["accepted"], 30, "the SMS")
    headers, body = gateway.requests[-1]
    assert headers["Authorization"] == "Bearer hush hush"
    message = json.loads(body)
    assert message["to"] == "+4915112345678" and message["from"] == "LifeSignal"
    assert 'Ana "A" \\ {to} needs help' in message["body"]
    log = server.output()
    assert "+4915112345678" not in log and "hush" not in log


@pytest.mark.parametrize("fault", ["429", "503", "garbage", "reset"])
def test_failing_gateway_is_retried(make_server, gateway, tmp_path, fault):
    server = with_gateway(make_server, gateway, tmp_path).start()
    ana = sign_in(server, phone_number(1), "Ana")
    ben = person(server, "+4915112345678", gateway, "Ben")
    watch_over(ben, ana)
    healthy = gateway.behave

    def fail(handler):
        if fault == "429":
            gateway.answer(handler, 429, {}, [("Retry-After", "1")])
        elif fault == "503":
            gateway.answer(handler, 503, {})
        else:
            garbage = b"\x00garbage\r\n\r\n" if fault == "garbage" else b"HTTP/1.1 2"
            handler.wfile.write(garbage)
            handler.wfile.flush()
            handler.connection.close()
            handler.close_connection = True

    gateway.behave = fail
    alert = raise_alert(ana)
    wait_until(lambda: [e["state"] for e in ledger(ana, alert)] == ["retrying"], 30, "a try")
    gateway.behave = healthy
    wait_until(lambda: [e["state"] for e in ledger(ana, alert)] == ["accepted"], 30, "the SMS")


def test_hanging_gateway_delays_no_email(make_server, gateway, tmp_path):
    server = with_gateway(make_server, gateway, tmp_path).start()
    ana = sign_in(server, phone_number(1), "Ana")
    ben = person(server, "+4915112345678", gateway, "Ben")
    watch_over(ben, ana)
    ben.put("/v1/me/email", {"address": "ben@example.org"}, status=202)
    code = wait_until(
        lambda: re.search(r"e-mail to ben@example.org: (\d{6})", server.output()), 30, "a code"
    )[1]
    ben.post("/v1/me/email/confirmation", {"code": code})
    release = threading.Event()
    gateway.behave = lambda handler: release.wait(60)
    raise_alert(ana)
    wait_until(lambda: "Ana needs help" in server.output(), 5, "the e-mail")
    release.set()


def test_budget_reserves_messages_for_alarms(make_server, gateway, tmp_path):
    budget = ("--sms-budget", "10", "--sms-budget-per-user", "2")
    server = with_gateway(make_server, gateway, tmp_path, *budget).start()
    ana = sign_in(server, phone_number(1), "Ana")
    ben = person(server, "+4915112345670", gateway, "Ben")
    watch_over(ben, ana)
    person(server, "+4915112345671", gateway, "Cleo")

    def ask(number):
        return Client(server).send("POST", "/v1/auth/codes", {"phoneNumber": number})

    # Numbers without an account may use half of the eight messages for codes.
    for index in range(1, 6):
        assert ask(f"+491511234568{index}").status_code == 202
    for number in ("+4915112345670", "+4915112345671") * 2:
        assert ask(number).status_code == 202
    # Eight of the ten messages are used: codes must wait until midnight, but alarms are still sent.
    refused = ask("+4915112345671")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) <= 86_400
    alert = raise_alert(ana)
    wait_until(lambda: [e["state"] for e in ledger(ana, alert)] == ["accepted"], 30, "the SMS")
    warning = "% of today's budget of text messages is used: "
    wait_until(lambda: warning in server.output(), 30, "a line in the log")
    metrics = Client(server).send("GET", "/metrics").text
    assert 'lifesignal_budget_limit{channel="sms"} 10' in metrics
    assert warning in Client(server).send("GET", "/health/ready").text
    doctor = run("doctor", "--database", server.database, "--port", 0, "--sms-budget", 10).stdout
    assert re.search(r"note  budget of text messages: 9 of 10 are used today", doctor), doctor
