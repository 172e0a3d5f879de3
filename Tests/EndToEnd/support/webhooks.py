"""A receiver of webhooks on the loopback interface."""

import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook


@dataclass
class Call:
    path: str
    headers: dict
    body: bytes
    arrived: float

    def verified(self, secret):
        """Returns the notification if its signature is right, checked by an independent
        implementation."""
        return Webhook(secret).verify(self.body, self.headers)


class WebhookReceiver:
    """Accepts every call and answers 204, or the status that `answer(path)` returns."""

    def __init__(self, answer=lambda path: 204):
        self.calls = []
        self.answer = answer
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.calls.append(Call(self.path, headers, body, time.monotonic()))
                self.send_response(receiver.answer(self.path))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # a server that was killed during a call

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def of(self, path):
        return [call for call in self.calls if call.path == path]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
