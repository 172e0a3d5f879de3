"""A receiver of webhooks and text messages that can misbehave in every way."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs

from support.webhooks import Call

# "answers" is the correct behaviour. A message counts as accepted if the answer said so.
MANNERS = ("late", "hangs", "refuses", "busy", "resets", "garbage", "cut off")
LATE = 2


class Provider:
    """Answers 201 with an id, as Twilio does; a webhook may answer the same. `calls` are the
    requests that were confirmed to their sender."""

    def __init__(self):
        self.manner = "answers"
        self.calls = []
        self._numbers = count(1)
        self._over = threading.Event()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                call = Call(self.path, headers, body, time.monotonic())
                provider._reply(self, provider.manner, call)

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # a server that was killed in the middle of a call

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def of(self, path):
        return [call for call in self.calls if call.path == path]

    @property
    def forms(self):
        """The fields of each request to Twilio."""
        return [
            {name: values[0] for name, values in parse_qs(call.body.decode()).items()}
            for call in self.calls
        ]

    def become(self, manner):
        self.manner = manner
        if manner == "answers":
            # Releases the requests that hang, and closes their connections.
            self._over.set()
            self._over = threading.Event()

    def _reply(self, handler, manner, call):
        if manner == "late":
            self._over.wait(LATE)
        if manner in ("answers", "late"):
            self._answer(handler, 201, {"sid": f"SM{next(self._numbers)}"})
            self.calls.append(call)
            return
        if manner == "hangs":
            self._over.wait(60)
        elif manner == "refuses":
            return self._answer(handler, 500, {})
        elif manner == "busy":
            return self._answer(handler, 429, {}, {"retry-after": "1"})
        elif manner == "garbage":
            handler.wfile.write(b"\x00\xff no HTTP at all\r\n\r\n" * 20)
        elif manner == "cut off":
            handler.wfile.write(b'HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n{"sid"')
        handler.close_connection = True

    @staticmethod
    def _answer(handler, status, content, headers=None):
        data = json.dumps(content).encode()
        handler.send_response(status)
        for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def close(self):
        self.become("answers")
        self._server.shutdown()
        self._server.server_close()
