"""A fake of Twilio's Messages API that signs its reports as Twilio does."""

import base64
import hashlib
import hmac
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import requests

PUBLIC_URL = "https://lifesignal.example"
AUTH_TOKEN = "hush"


class Twilio:
    """Accepts messages. `status` is the status of the answer; `report` is the state that is
    reported before the answer."""

    def __init__(self):
        self.messages = []
        self.status = 201
        self.report = None
        self.reported = []
        self.lifesignal = None
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
                message = {name: values[0] for name, values in form.items()}
                stand_in.messages.append(message)
                sid = f"SM{len(stand_in.messages)}"
                if stand_in.report and stand_in.status == 201:
                    stand_in.say(message["StatusCallback"], sid)
                body = f'{{"sid":"{sid}"}}'.encode()
                self.send_response(stand_in.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def environment(self):
        return {
            "LIFESIGNAL_TWILIO_ACCOUNT_SID": "AC1",
            "LIFESIGNAL_TWILIO_AUTH_TOKEN": AUTH_TOKEN,
            "LIFESIGNAL_TWILIO_FROM": "+15005550006",
            "LIFESIGNAL_TWILIO_BASE_URL": self.url,
        }

    def say(self, callback, sid, signature=None):
        """Sends a report to the callback address, as if through the proxies in front of the
        server."""
        fields = {"MessageSid": sid, "MessageStatus": self.report}
        signed = callback + "".join(name + fields[name] for name in sorted(fields))
        digest = hmac.new(AUTH_TOKEN.encode(), signed.encode(), hashlib.sha1).digest()
        parts = urlsplit(callback)
        address = f"{self.lifesignal.url}{parts.path}?{parts.query}"
        headers = {"X-Twilio-Signature": signature or base64.b64encode(digest).decode()}
        answer = requests.post(address, data=fields, headers=headers, timeout=10)
        self.reported.append(answer.status_code)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
