"""A fake of a browser and its push service. It shares no code with the program: http-ece decrypts
the bodies, and py-vapid reads the tokens."""

import base64
import json
import random
import re
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Browser:
    def __init__(self, endpoint="https://push.example.net/wpush/v2/abc", pads=False):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = random.randbytes(16)
        self.endpoint = endpoint
        self.padding = ("=", "==") if pads else ("", "")

    @property
    def keys(self):
        return {
            "p256dh": encode(point(self.key)) + self.padding[0],
            "auth": encode(self.auth) + self.padding[1],
        }

    def message(self, payload, **other):
        return {"endpoint": self.endpoint, **self.keys, "payload": encode(payload), **other}

    def register(self, client, device):
        body = {"kind": "webPush", "url": self.endpoint, "keys": self.keys}
        return client.put(f"/v1/devices/{device}", body)

    def read(self, body):
        return http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"
        )


@dataclass
class Push:
    path: str
    headers: dict
    body: bytes
    arrived: float

    def claims(self, origin, public_key):
        """Returns the token's claims. Fails unless the server with this key has signed them."""
        value = self.headers["authorization"]
        token, key = re.fullmatch(r"vapid t=([\w.-]+), k=([\w-]+)", value).groups()
        assert key == public_key
        signed, signature = token.rsplit(".", 1)
        assert Vapid02.from_raw_public(key.encode()).verify_token(signed.encode(), signature)
        claims = json.loads(decode(signed.split(".")[1]))
        assert claims["aud"] == origin and time.time() < claims["exp"] < time.time() + 86_400
        return claims


class PushService:
    """Accepts messages and answers 201, or what `answer(path)` returns: a status, a status with
    headers, "hang", "garbage" or "reset"."""

    def __init__(self, answer=lambda path: 201):
        self.pushes = []
        self.answer = answer
        self.open = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.pushes.append(Push(self.path, headers, body, time.monotonic()))
                answer = service.answer(self.path)
                if answer == "hang":
                    service.open.wait(60)
                if answer == "garbage":
                    self.wfile.write(b"\x00\xff no HTTP at all\r\n\r\n" * 20)
                if isinstance(answer, str):
                    self.close_connection = True
                    return
                status, headers = answer if isinstance(answer, tuple) else (answer, {})
                self.send_response(status)
                for name, value in {"content-length": "0", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass  # the server was killed, or its request has timed out

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def browser(self, path):
        return Browser(self.url + path)

    def read(self, browser):
        path = browser.endpoint.removeprefix(self.url)
        return [json.loads(browser.read(push.body)) for push in self.pushes if push.path == path]

    def close(self):
        self.open.set()
        self._server.shutdown()
        self._server.server_close()
