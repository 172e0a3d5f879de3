"""A mail server that requires TLS and a login, and that can misbehave."""

import asyncio
import email
import email.policy
import socket
import ssl
import subprocess
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

USER = "lifesignal"
PASSWORD = "hush hush"


def make_certificate(folder):
    """Creates a self-signed certificate for 127.0.0.1, and returns the paths of certificate and
    key."""
    certificate, key = folder / "mail.pem", folder / "mail.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    return certificate, key


class MailServer:
    """Accepts messages. `refusals` maps addresses to replies to RCPT. `reply` is the answer to each
    DATA. With `hangs`, DATA gets no answer. With `drops`, the connection is closed after DATA."""

    def __init__(self, folder, is_secure=True):
        self.messages = []
        self.recipients = []
        self.refusals = {}
        self.reply = None
        self.hangs = threading.Event()
        self.drops = False
        self.certificate, key = make_certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        options = {}
        if is_secure:
            options = {
                "tls_context": context,
                "require_starttls": True,
                "auth_required": True,
                "authenticator": self._authenticate,
            }

        class Quiet(SMTP):
            pass

        class Own(Controller):
            def factory(self):
                return Quiet(self.handler, hostname="mail.example", **options)

        # The controller connects to its own port when it starts, so the port must be chosen before.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._controller = Own(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def _authenticate(self, server, session, envelope, mechanism, data):
        known = (data.login.decode(), data.password.decode()) == (USER, PASSWORD)
        return AuthResult(success=known, handled=False)

    @property
    def environment(self):
        return {
            "LIFESIGNAL_MAIL_SERVER": f"smtp://127.0.0.1:{self.port}",
            "LIFESIGNAL_MAIL_FROM": "LifeSignal <alerts@example.org>",
            "LIFESIGNAL_MAIL_CA_FILE": str(self.certificate),
            "LIFESIGNAL_MAIL_USER": USER,
            "LIFESIGNAL_MAIL_PASSWORD": PASSWORD,
        }

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        while self.hangs.is_set():
            await asyncio.sleep(0.05)
        if self.reply:
            return self.reply
        content = envelope.content
        self.messages.append(email.message_from_bytes(content, policy=email.policy.default))
        self.recipients.append(envelope.rcpt_tos[0])
        if self.drops:
            server.transport.abort()
        return "250 OK"

    def to(self, address):
        return [m for m, r in zip(self.messages, self.recipients, strict=True) if r == address]

    def close(self):
        self.hangs.clear()
        self._controller.stop()


def text(message):
    return message.get_body(("plain",)).get_content()
