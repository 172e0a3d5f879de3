"""Google's token service and Firestore's REST interface on a port of 127.0.0.1, before drongo's
emulator. It shares no code with the program: Google's libraries check tokens and requests, and read
the documents."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock
from urllib.parse import parse_qs, unquote, urlsplit

import google.auth.jwt
import grpc
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.protobuf.json_format import MessageToDict, Parse, ParseDict, ParseError

from support.apps import pem

EMULATOR = Path(__file__).with_name("firestore_emulator.py")
SCOPE = "https://www.googleapis.com/auth/datastore"
# The limits of Firestore's documentation.
MOST_WRITES, LARGEST_REQUEST, LARGEST_DOCUMENT = 500, 10 * 1024 * 1024, 1024 * 1024
LIST_PARAMETERS = {"pageSize", "pageToken", "showMissing", "mask.fieldPaths"}
ROOT = re.compile(r"/v1/(projects/[^/]+/databases/[^/:]+)/documents(.*)")
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
CODES = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 400,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.CANCELLED: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


def failure(code, message="", status=None, headers=None):
    """Returns an answer in the form of Google's errors."""
    error = {"code": code, "message": message, "status": status or STATUSES[code]}
    return code, {"error": error}, headers or {}


class Refused(Exception):
    def __init__(self, *arguments, **options):
        self.answer = failure(*arguments, **options)
        super().__init__(self.answer)


@dataclass
class Call:
    """A request. `kind` is `token`, `commit`, `batchGet`, `runQuery`, `get` or `list`."""

    kind: str
    path: str
    headers: dict
    body: bytes
    arrived: float = field(default_factory=time.monotonic)
    # What a commit changes: the names of its documents.
    names: list = field(default_factory=list)
    # The status of the honest answer, if there was one.
    status: int | None = None


class Firestore:
    """`answer(call)` returns None for an honest answer, a status with body and headers
    (`failure(…)`), or "hang", "reset", "garbage" or "nothing". With "lost" the request takes
    effect, and its answer is lost. With "late" it takes effect when `late` is set, even if the
    client has left. The call's `kind` `token` is the exchange for an access token."""

    PROJECT, EMAIL = "lifesignal-test", "copy@lifesignal-test.example.com"
    KEY_ID = "firestore-key-1"

    def __init__(self, folder, answer=lambda call: None):
        self.answer = answer
        self.calls = []
        self.requests = Counter()
        self.most_at_once = 0
        self.granted = {}
        self.token_seconds = 3600
        self._at_once = 0
        self.late = threading.Event()
        self._lock = threading.Lock()
        self._open = threading.Event()
        self._key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self._public = self._key.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )
        self._journal = Path(folder) / "firestore.journal"
        self._process = self._channel = self._client = None
        self._emulator_port = 0
        self._server = None
        self._port = 0
        self.start_emulator()
        self.appear()
        self.url = f"http://127.0.0.1:{self._port}"
        self.file = Path(folder) / "firestore.json"
        self.file.write_text(json.dumps(self.account))
        self.file.chmod(0o600)

    @property
    def account(self):
        return {
            "type": "service_account",
            "project_id": self.PROJECT,
            "private_key_id": self.KEY_ID,
            "private_key": pem(self._key),
            "client_email": self.EMAIL,
            "token_uri": f"{self.url}/token",
        }

    @property
    def arguments(self):
        return [
            *("--firestore-project", self.PROJECT),
            *("--firestore-credentials", str(self.file)),
            *("--firestore-url", self.url),
        ]

    @property
    def commits(self):
        return [call for call in self.calls if call.kind == "commit"]

    @property
    def writes(self):
        """The number of written or deleted documents in all successful commits."""
        return sum(len(call.names) for call in self.commits if call.status == 200)

    # The emulator's process.

    def start_emulator(self):
        self._process = subprocess.Popen(
            [sys.executable, EMULATOR, self._journal, str(self._emulator_port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline()
        assert line, "the emulator ended at its start"
        self._emulator_port = int(line)
        address = f"127.0.0.1:{self._emulator_port}"
        # A commit to 10 MiB, and a query's answer of any size.
        options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self._channel = grpc.insecure_channel(address, options=options)
        grpc.channel_ready_future(self._channel).result(30)

    def kill_emulator(self):
        self._process.kill()
        self._process.wait(30)
        self._process.stdin.close()
        self._process.stdout.close()
        self._channel.close()
        self._client = None

    # The port.

    def vanish(self):
        """Closes the port: connections are refused until `appear`."""
        self._open.set()
        self._server.shutdown()
        self._server.server_close()
        self._server = None

    def appear(self):
        self._open = threading.Event()
        self._server = _Server(("127.0.0.1", self._port), _handler(self))
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        if self._server:
            self.vanish()
        self.kill_emulator()

    def client(self):
        """Returns Google's own client, connected to the emulator."""
        if self._client is None:
            address = f"127.0.0.1:{self._emulator_port}"
            with mock.patch.dict(os.environ, {"FIRESTORE_EMULATOR_HOST": address}):
                self._client = firestore.Client(
                    project=self.PROJECT, credentials=AnonymousCredentials()
                )
        return self._client

    # Requests.

    def handle(self, method, target, headers, body, is_gone=lambda: False):
        """`is_gone` says whether the client has left. Its request then has no effect."""
        parts = urlsplit(target)
        call = Call(self._kind(method, unquote(parts.path)), unquote(parts.path), headers, body)
        self.calls.append(call)
        self.requests[call.kind] += 1
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            trouble = self.answer(call)
            if trouble == "late":
                self.late.wait(300)
                return self._answered(call, parts.query)
            if is_gone():
                return "nothing"
            if trouble == "lost":
                self._answered(call, parts.query)
                return "nothing"
            if trouble == "hang":
                self._open.wait(120)
                return "nothing"
            return trouble or self._answered(call, parts.query)
        finally:
            with self._lock:
                self._at_once -= 1

    def _answered(self, call, query):
        answer = self._honest(call, parse_qs(query))
        call.status = answer[0]
        return answer

    @staticmethod
    def _kind(method, path):
        if path == "/token":
            return "token"
        if method == "POST" and (match := re.search(r":(commit|batchGet|runQuery)$", path)):
            return match[1]
        if method == "GET" and (match := ROOT.fullmatch(path)):
            return "list" if match[2].count("/") % 2 else "get"
        return "unknown"

    def _honest(self, call, query):
        try:
            if call.kind == "token":
                return self._grant(parse_qs(call.body.decode()))
            self._authorize(call)
            match = ROOT.fullmatch(call.path)
            if not match or call.kind == "unknown":
                raise Refused(404, f"no such address: {call.path}")
            if match[1] != f"projects/{self.PROJECT}/databases/(default)":
                raise Refused(404, f"The database {match[1]} does not exist")
            if call.kind in ("list", "get"):
                return 200, self._read(call.kind, match[1] + "/documents", match[2][1:], query), {}
            if query.keys() - {"alt"}:
                raise Refused(400, f"Unknown names {query.keys()}: Cannot bind query parameter")
            return 200, getattr(self, f"_{call.kind}")(call, match[1], match[2]), {}
        except Refused as refused:
            return refused.answer
        except ParseError as error:
            return failure(400, f"Invalid JSON payload received. {error}")
        except grpc.RpcError as error:
            code = CODES.get(error.code(), 500)
            return failure(code, error.details(), status=error.code().name)
        except ValueError:
            # The channel was closed, because a test killed the emulator.
            return failure(503, "the emulator is gone")

    def _grant(self, form):
        problem = None
        try:
            assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
            [assertion] = form["assertion"]
            # Google's library always names the second, which is the `token_uri` of a real account.
            audience = [f"{self.url}/token", "https://oauth2.googleapis.com/token"]
            claims = google.auth.jwt.decode(
                assertion, certs={self.KEY_ID: self._public}, audience=audience
            )
            assert claims["iss"] == self.EMAIL, claims
            assert claims["scope"] == SCOPE, claims
            assert 0 < claims["exp"] - claims["iat"] <= 3600, claims
        except (AssertionError, GoogleAuthError, KeyError, ValueError) as error:
            problem = str(error) or repr(error)
        if problem:
            return 400, {"error": "invalid_grant", "error_description": problem}, {}
        with self._lock:
            token = f"ya29.firestore-{len(self.granted)}"
            self.granted[token] = time.monotonic() + self.token_seconds
        reply = {"access_token": token, "expires_in": self.token_seconds, "token_type": "Bearer"}
        return 200, reply, {}

    def _authorize(self, call):
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or self.granted.get(token, 0) < time.monotonic():
            raise Refused(401, "Request had invalid authentication credentials.")

    def _commit(self, call, database, _):
        request = self._parsed(types.CommitRequest, call)
        call.names = [write.update.name or write.delete for write in request.writes]
        if len(request.writes) > MOST_WRITES:
            raise Refused(400, f"maximum {MOST_WRITES} writes allowed per request")
        if request.transaction:
            raise Refused(501, "drongo ignores transactions")
        for write in request.writes:
            _check(write, database)
        request.database = database
        return MessageToDict(self._unary("Commit", request, types.CommitResponse))

    def _batchGet(self, call, database, _):
        request = self._parsed(types.BatchGetDocumentsRequest, call)
        if request.HasField("mask") or request.WhichOneof("consistency_selector"):
            raise Refused(501, "drongo ignores masks and transactions")
        for name in request.documents:
            _check_name(name, database)
        request.database = database
        return self._stream("BatchGetDocuments", request, types.BatchGetDocumentsResponse)

    def _runQuery(self, call, database, rest):
        request = self._parsed(types.RunQueryRequest, call)
        query = request.structured_query
        if (
            any(selector.all_descendants for selector in getattr(query, "from"))
            or query.HasField("start_at")
            or query.HasField("end_at")
            or query.HasField("select")
        ):
            raise Refused(501, "drongo ignores descendants, cursors and projections")
        request.parent = f"{database}/documents{rest.removesuffix(':runQuery')}"
        return self._stream("RunQuery", request, types.RunQueryResponse)

    def _read(self, kind, parent, path, query):
        if kind == "get":
            if query.keys() - {"alt"}:
                raise Refused(501, "the bridge has no parameters for one document")
            request = types.BatchGetDocumentsRequest.pb()(documents=[f"{parent}/{path}"])
            [answer] = self._stream("BatchGetDocuments", request, types.BatchGetDocumentsResponse)
            if "found" not in answer:
                raise Refused(404, f'Document "{parent}/{path}" not found.')
            return answer["found"]
        if unknown := query.keys() - LIST_PARAMETERS - {"alt"}:
            raise Refused(400, f"Unknown names {unknown}: Cannot bind query parameter")
        above, _, collection = path.rpartition("/")
        masked = query.pop("mask.fieldPaths", None)
        if masked and "showMissing" in query:
            raise Refused(501, "the bridge shows missing documents without a mask")
        values = {name: value[0] for name, value in query.items() if name != "alt"}
        if "showMissing" in values:
            values["showMissing"] = json.loads(values["showMissing"])
        request = ParseDict(values, types.ListDocumentsRequest.pb()())
        request.parent = f"{parent}/{above}".rstrip("/")
        request.collection_id = collection
        reply = MessageToDict(self._unary("ListDocuments", request, types.ListDocumentsResponse))
        for document in reply.get("documents", []) if masked else []:
            fields = document.get("fields", {})
            document["fields"] = {name: fields[name] for name in masked if name in fields}
        return reply

    @staticmethod
    def _parsed(kind, call):
        """Returns the body as Google's message. Unknown and wrongly typed fields are refused."""
        if len(call.body) > LARGEST_REQUEST:
            raise Refused(400, "Request payload size exceeds the limit: 11534336 bytes.")
        if not call.headers.get("content-type", "").startswith("application/json"):
            raise Refused(400, "the body is not declared as JSON")
        return Parse(call.body.decode(), kind.pb()(), ignore_unknown_fields=False)

    def _unary(self, method, request, reply):
        call = self._channel.unary_unary(
            f"/google.firestore.v1.Firestore/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply.pb().FromString,
        )
        return call(request, timeout=60)

    def _stream(self, method, request, reply):
        call = self._channel.unary_stream(
            f"/google.firestore.v1.Firestore/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply.pb().FromString,
        )
        return [MessageToDict(answer) for answer in call(request, timeout=60)]


def _check(write, database):
    """Refuses what Firestore refuses and drongo accepts, and what drongo would ignore."""
    operation = write.WhichOneof("operation")
    if operation not in ("update", "delete") or write.update_transforms:
        raise Refused(501, "drongo ignores transforms")
    _check_name(write.update.name if operation == "update" else write.delete, database)
    if write.update.ByteSize() > LARGEST_DOCUMENT:
        raise Refused(400, "a document has more than 1 MiB")
    if write.update.HasField("create_time") or write.update.HasField("update_time"):
        raise Refused(400, "create_time and update_time are Firestore's")
    for name, value in write.update.fields.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or re.fullmatch("__.*__", name):
            raise Refused(400, f"Invalid property name: {name}")
        if value.WhichOneof("value_type") is None:
            raise Refused(400, f"{name} has no value type")


def _check_name(name, database):
    path = name.removeprefix(f"{database}/documents/")
    parts = path.split("/")
    if path == name or len(parts) % 2 or not all(parts) or {".", ".."} & set(parts):
        raise Refused(400, f"Invalid document name: {name}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        pass  # a server that was killed during a call


def _handler(service):
    """Returns a handler's class. It closes its connections once the port has vanished."""
    gone = service._open

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            # An answer is two packets, and the second would wait for the client's delayed
            # acknowledgement of the first.
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def do_POST(self):
            if gone.is_set():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = service.handle(self.command, self.path, headers, body, self._is_gone)
            if gone.is_set():
                answer = "nothing"
            if answer == "garbage":
                self.wfile.write(b"\x00\xff no HTTP at all\r\n\r\n" * 20)
            if answer == "reset":
                self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{")
            if isinstance(answer, str):
                self.close_connection = True
                return
            status, reply, headers = answer
            data = json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {
                "content-type": "application/json; charset=UTF-8",
                "content-length": str(len(data)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _is_gone(self):
            try:
                flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
                return self.connection.recv(1, flags) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True

        do_GET = do_PATCH = do_DELETE = do_POST

        def log_message(self, *_):
            pass

    return Handler
