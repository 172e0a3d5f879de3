"""Webhooks in the form of ntfy, Matrix, Telegram and chats, and UnifiedPush apps at ntfy."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.api import new_id, sign_in, watch_over
from support.chat_services import BOT, ROOM, ChatServices
from support.program import phone_number
from support.push import Browser
from support.waiting import wait_until

pytestmark = pytest.mark.both_engines


@pytest.fixture
def services():
    services = ChatServices()
    yield services
    services.close()


@pytest.fixture
def people(make_server):
    """Ana, and her responder Ben."""
    server = make_server("--allow-private-webhooks", "--sms", "none").start()
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in [(1, "Ana"), (2, "Ben")]
    )
    watch_over(ben, ana)
    return ana, ben


def webhook(services, template):
    url = services.url
    return {
        "ntfy": {"url": f"{url}/topic", "token": "tk_good"},
        "matrix": {"url": url, "chat": ROOM, "token": "syt_good"},
        "telegram": {"url": url, "chat": "42", "token": BOT},
        "text": {"url": f"{url}/hooks/1"},
    }[template] | {"kind": "webhook", "template": template}


def register(client, body):
    device = new_id()
    answer = client.put(f"/v1/devices/{device}", body)
    assert "signingSecret" not in answer
    return device


def endpoint(client, device):
    return next(item for item in client.get("/v1/devices")["items"] if item["id"] == device)


def raise_alert(ana):
    alert = new_id()
    ana.call("PUT", f"/v1/alerts/{alert}")
    return alert


@pytest.mark.parametrize("template", ["ntfy", "matrix", "telegram", "text"])
def test_service_gets_alert_without_secrets(people, services, template):
    ana, ben = people
    device = register(ben, webhook(services, template))
    alert = raise_alert(ana)

    def alarm():
        return next((item for item in services.of(template) if "Ana needs" in item.text), None)

    message = wait_until(alarm, 30, "the alarm")
    sent = json.dumps(message.body, ensure_ascii=False)
    assert f"/alerts/{alert}" in sent
    if template == "ntfy":
        assert message.body["priority"] == 5 and message.place == "topic"
    wait_until(lambda: "lastSuccessAt" in endpoint(ben, device), 20, "the success")
    text = json.dumps(ben.get("/v1/devices")) + ana.server.output()
    for token in ["tk_good", "syt_good", BOT]:
        assert token not in text


@pytest.mark.parametrize(
    "template, change, status",
    [
        ("ntfy", {"token": "tk_bad"}, 403),
        ("matrix", {"token": "syt_bad"}, 401),
        ("matrix", {"chat": "!other:example.org"}, 403),
        ("telegram", {"chat": "43"}, 400),
        ("telegram", {"token": BOT + "b"}, 404),
    ],
)
def test_wrong_parameter_is_told_and_can_be_corrected(people, services, template, change, status):
    ana, ben = people
    right = webhook(services, template)
    device = register(ben, right | change)
    raise_alert(ana)
    wait_until(
        lambda: endpoint(ben, device).get("lastFailure") == f"http-{status}", 30, "a failure"
    )
    titles = [item["title"] for item in ben.pages("/v1/notifications")]
    assert titles.count("Your webhook does not work") == 1
    ben.put(f"/v1/devices/{device}", right)
    wait_until(
        lambda: any("Ana needs" in item.text for item in services.of(template)), 120, "a retry"
    )


@pytest.mark.parametrize(
    "template, answer",
    [
        ("matrix", (429, {"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 2000}, {})),
        ("telegram", (429, {"ok": False, "parameters": {"retry_after": 2}}, {})),
        ("ntfy", (429, {"code": 42901, "http": 429}, {"retry-after": "2"})),
        ("ntfy", (200, {"page": "of another server"}, {})),
        ("text", (500, {}, {})),
    ],
)
def test_busy_service_gets_message_later(people, services, template, answer):
    ana, ben = people
    services.refusals = [answer]
    register(ben, webhook(services, template))
    raise_alert(ana)
    wait_until(
        lambda: any("Ana needs" in item.text for item in services.of(template)), 120, "a retry"
    )
    assert services.refusals == []


def test_test_message_names_itself(people, services):
    _, ben = people
    device = register(ben, webhook(services, "ntfy"))
    ben.post(f"/v1/devices/{device}/test", status=204)
    message = wait_until(lambda: services.of("ntfy"), 30, "the test")[0]
    assert message.text == "Test: messages arrive here"
    assert message.body["priority"] == 3 and message.body["actions"] == []


class UnifiedPushServer:
    """A stand-in for ntfy as a UnifiedPush server: it keeps bodies of at most 4,096 bytes, ignores
    `vapid`, and answers 200 with its message."""

    def __init__(self):
        self.bodies = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = 200 if self.path == "/upAbc123?up=1" and len(body) <= 4096 else 400
                if status == 200:
                    server.bodies.append((dict(self.headers.items()), body))
                answer = b'{"id":"m1","event":"message","topic":"upAbc123"}'
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/upAbc123?up=1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def test_unifiedpush_app_gets_alert(people):
    ana, ben = people
    push_server = UnifiedPushServer()
    try:
        app = Browser(push_server.url)
        app.register(ben, new_id())
        raise_alert(ana)

        def alarm():
            messages = [json.loads(app.read(body)) for _, body in push_server.bodies]
            return next((item for item in messages if item["title"] == "Ana needs help"), None)

        message = wait_until(alarm, 30, "the alarm")
        assert message["actions"] == ["acknowledgeAlert", "declineAlert"]
        headers = {name.lower(): value for name, value in push_server.bodies[0][0].items()}
        assert headers["authorization"].startswith("vapid ") and int(headers["ttl"]) > 0
        ben.post("/v1/receipts", {"token": message["receipt"]}, status=204)
    finally:
        push_server.close()
