"""Stand-ins for ntfy, a Matrix server, Telegram and a chat with incoming webhooks, on one port.
They check requests as the services' documentation says, and share no code with the program."""

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

BOT = "123456:" + "a" * 35
ROOM = "!abc/1:example.org"


@dataclass
class Message:
    service: str
    place: str
    text: str
    body: dict = field(default_factory=dict)


class ChatServices:
    """`messages` are the accepted ones. `refusals` are answers to give instead, the next first:
    a status, a JSON object and headers."""

    def __init__(self):
        self.messages = []
        self.refusals = []
        self.tokens = {"ntfy": "tk_good", "matrix": "syt_good"}
        self.transactions = set()
        services = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                services._handle(self)

            def do_PUT(self):
                services._handle(self)

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # the server was killed during a request

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def of(self, service):
        return [message for message in self.messages if message.service == service]

    def _handle(self, handler):
        data = handler.rfile.read(int(handler.headers["content-length"]))
        if self.refusals:
            status, content, headers = self.refusals.pop(0)
            return self._answer(handler, status, content, headers)
        if handler.headers["content-type"] != "application/json":
            return self._answer(handler, 400, {"error": "not JSON"})
        body = json.loads(data)
        token = (handler.headers["authorization"] or "").removeprefix("Bearer ")
        path = handler.path
        matrix = re.fullmatch(
            r"/_matrix/client/v3/rooms/([^/]+)/send/m\.room\.message/([^/]+)", path
        )
        if path == "/":
            answer = self._ntfy(body, token)
        elif matrix and handler.command == "PUT":
            answer = self._matrix(unquote(matrix[1]), matrix[2], body, token)
        elif path.startswith("/bot"):
            answer = self._telegram(path, body)
        elif path == "/hooks/1":
            answer = self._text(body)
        else:
            answer = (404, {"code": 40401, "http": 404, "error": "page not found"})
        return self._answer(handler, *answer)

    def _ntfy(self, body, token):
        if token != self.tokens["ntfy"]:
            return 403, {"code": 40301, "http": 403, "error": "forbidden"}
        if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", body["topic"]):
            return 400, {"code": 40009, "http": 400, "error": "topic invalid"}
        assert isinstance(body["priority"], int) and 1 <= body["priority"] <= 5
        assert all(action["action"] == "view" for action in body["actions"])
        self.messages.append(Message("ntfy", body["topic"], body["title"], body))
        return 200, {"id": "m1", "event": "message", "topic": body["topic"]}

    def _matrix(self, room, transaction, body, token):
        if token != self.tokens["matrix"]:
            return 401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Unknown token"}
        if room != ROOM:
            return 403, {"errcode": "M_FORBIDDEN", "error": "Not in the room"}
        assert body["msgtype"] == "m.text"
        if transaction not in self.transactions:
            self.transactions.add(transaction)
            self.messages.append(Message("matrix", room, body["body"], body))
        return 200, {"event_id": "$" + transaction}

    def _telegram(self, path, body):
        if path != f"/bot{BOT}/sendMessage":
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        if body["chat_id"] != "42":
            text = "Bad Request: chat not found"
            return 400, {"ok": False, "error_code": 400, "description": text}
        self.messages.append(Message("telegram", body["chat_id"], body["text"], body))
        return 200, {"ok": True, "result": {"message_id": 1}}

    def _text(self, body):
        self.messages.append(Message("text", "/hooks/1", body["text"], body))
        return 200, None

    @staticmethod
    def _answer(handler, status, content, headers=None):
        data = b"ok" if content is None else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
