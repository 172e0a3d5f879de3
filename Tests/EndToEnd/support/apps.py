"""Fakes of the push services of Apple and Google. They share no code with the program: h2
implements HTTP/2, and PyJWT reads the tokens."""

import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import parse_qs

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

KEY_ID, TEAM_ID, TOPIC = "KEY0123456", "TEAM012345", "org.example.lifesignal"
SCOPE = "https://www.googleapis.com/auth/firebase.messaging"


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@dataclass
class Push:
    token: str
    headers: dict
    body: dict
    arrived: float = field(default_factory=time.monotonic)


class AppleService:
    """Apple's push service on a port of 127.0.0.1. `answer(token)` returns a status, a status with
    a body, a status with body and headers, or "nothing", "hang", "garbage" or "reset"."""

    def __init__(self, folder, answer=lambda token: 200):
        self.answer = answer
        self.pushes = []
        self.connections = 0
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.key_file = folder / "apns.p8"
        self.key_file.write_text(pem(self.key))
        self.key_file.chmod(0o600)
        self.authorities = folder / "apns-ca.pem"
        self._context = self._tls(folder)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"https://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def environment(self):
        return {
            "LIFESIGNAL_APNS_KEY_FILE": str(self.key_file),
            "LIFESIGNAL_APNS_KEY_ID": KEY_ID,
            "LIFESIGNAL_APNS_TEAM_ID": TEAM_ID,
            "LIFESIGNAL_APNS_TOPIC": TOPIC,
            "LIFESIGNAL_APNS_BASE_URL": self.url,
            "LIFESIGNAL_APNS_CA_FILE": str(self.authorities),
        }

    def claims(self, push):
        """Returns the claims of the sender's token. Fails unless the key has signed it."""
        scheme, token = push.headers["authorization"].split(" ")
        assert scheme == "bearer" and jwt.get_unverified_header(token)["kid"] == KEY_ID
        return jwt.decode(token, self.key.public_key(), algorithms=["ES256"])

    def _tls(self, folder):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=7))
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
            )
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
            .sign(key, hashes.SHA256())
        )
        self.authorities.write_bytes(certificate.public_bytes(Encoding.PEM))
        (folder / "apns-key.pem").write_text(pem(key))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authorities, folder / "apns-key.pem")
        context.set_alpn_protocols(["h2"])
        return context

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain):
        try:
            stream = self._context.wrap_socket(plain, server_side=True)
            assert stream.selected_alpn_protocol() == "h2"
            self.connections += 1
            self._speak(stream)
        except (OSError, ssl.SSLError, h2.exceptions.ProtocolError):
            pass
        finally:
            plain.close()

    def _speak(self, stream):
        protocol = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        protocol.initiate_connection()
        stream.sendall(protocol.data_to_send())
        requests = {}
        while data := stream.recv(65_536):
            for event in protocol.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    requests[event.stream_id] = [
                        {name.decode(): value.decode() for name, value in event.headers},
                        b"",
                    ]
                elif isinstance(event, h2.events.DataReceived):
                    requests[event.stream_id][1] += event.data
                    protocol.acknowledge_received_data(
                        event.flow_controlled_length, event.stream_id
                    )
                elif isinstance(event, h2.events.StreamEnded):
                    headers, body = requests.pop(event.stream_id)
                    if not self._reply(stream, protocol, event.stream_id, headers, body):
                        return
            stream.sendall(protocol.data_to_send())

    def _reply(self, stream, protocol, number, headers, body):
        """Replies to a request. Returns whether the connection stays open."""
        assert headers[":method"] == "POST"
        token = headers[":path"].removeprefix("/3/device/")
        self.pushes.append(Push(token, headers, json.loads(body)))
        answer = self.answer(token)
        if answer == "nothing":
            return False
        if answer == "garbage":
            stream.sendall(b"\x00\xff no HTTP/2 at all\r\n\r\n" * 20)
            return False
        if answer == "hang":
            return True
        if answer == "reset":
            protocol.send_headers(number, [(":status", "200")])
            protocol.reset_stream(number)
            return True
        parts = answer if isinstance(answer, tuple) else (answer,)
        status, reply, more = (*parts, {}, {})[:3]
        data = json.dumps(reply).encode() if reply else b""
        fields = [(":status", str(status)), *more.items()]
        protocol.send_headers(number, fields, end_stream=not data)
        if data:
            protocol.send_data(number, data, end_stream=True)
        return True

    def close(self):
        self._socket.close()


def fcm_error(code, status):
    kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    return status, {"error": {"code": status, "details": [{"@type": kind, "errorCode": code}]}}


class GoogleService:
    """Google's token service and Firebase Cloud Messaging on a port of 127.0.0.1. `answer(token)`
    returns the same as for `AppleService`, or None for success."""

    PROJECT, EMAIL, KEY_ID = "lifesignal-test", "push@lifesignal-test.example.com", "key-1"

    def __init__(self, folder, answer=lambda token: None):
        self.answer = answer
        self.pushes = []
        self.granted = []
        self.key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.grant = lambda: None
        self._open = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                answer = (
                    service._grant(body) if self.path == "/token" else service._send(self, body)
                )
                if answer == "hang":
                    service._open.wait(60)
                if answer == "garbage":
                    self.wfile.write(b"\x00\xff no HTTP at all\r\n\r\n" * 20)
                if answer == "reset":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{")
                if isinstance(answer, str):
                    self.close_connection = True
                    return
                status, reply, *more = answer
                data = json.dumps(reply).encode()
                self.send_response(status)
                headers = {"content-length": str(len(data)), **(more[0] if more else {})}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.file = folder / "google.json"
        self.file.write_text(json.dumps(self.account))
        self.file.chmod(0o600)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def account(self):
        return {
            "type": "service_account",
            "project_id": self.PROJECT,
            "private_key_id": self.KEY_ID,
            "private_key": pem(self.key),
            "client_email": self.EMAIL,
            "token_uri": f"{self.url}/token",
        }

    @property
    def environment(self):
        return {
            "LIFESIGNAL_FCM_CREDENTIALS_FILE": str(self.file),
            "LIFESIGNAL_FCM_BASE_URL": self.url,
        }

    def _grant(self, body):
        form = parse_qs(body.decode())
        assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
        [assertion] = form["assertion"]
        assert jwt.get_unverified_header(assertion)["kid"] == self.KEY_ID
        claims = jwt.decode(
            assertion,
            self.key.public_key(),
            algorithms=["RS256"],
            audience=f"{self.url}/token",
            issuer=self.EMAIL,
        )
        assert claims["scope"] == SCOPE and claims["exp"] - claims["iat"] == 3600
        if trouble := self.grant():
            return trouble
        self.granted.append(f"ya29.{len(self.granted)}")
        return 200, {"access_token": self.granted[-1], "expires_in": 3599, "token_type": "Bearer"}

    def _send(self, handler, body):
        assert handler.path == f"/v1/projects/{self.PROJECT}/messages:send"
        message = json.loads(body)["message"]
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.pushes.append(Push(message["token"], headers, message))
        if answer := self.answer(message["token"]):
            return answer if isinstance(answer, (tuple, str)) else (answer, {})
        name = f"projects/{self.PROJECT}/messages/{len(self.pushes)}"
        return 200, {"name": name}

    def close(self):
        self._open.set()
        self._server.shutdown()
        self._server.server_close()
