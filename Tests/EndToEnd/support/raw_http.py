"""HTTP/1.1 written by hand on a socket, because an ordinary client can't send what these tests
need."""

import json
import socket
from dataclasses import dataclass

from support.api import PROBLEM_FIELDS


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    def defects(self):
        """Returns what is wrong with this answer to a bad request; None if the answer is right."""
        if self.status >= 500 and self.status != 503:
            return f"status {self.status}"
        if self.status < 400:
            return None
        if self.status == 400 and not self.body and self.headers.get("connection") == "close":
            # The request isn't even HTTP: the parser refuses it before the server can write a
            # problem document.
            return None
        if self.headers.get("content-type") != "application/problem+json":
            return f"status {self.status} with content type {self.headers.get('content-type')}"
        try:
            problem = json.loads(self.body)
        except ValueError:
            return "the problem document is not JSON"
        missing = PROBLEM_FIELDS - problem.keys()
        if missing or problem["status"] != self.status:
            return f"the problem document is not complete: {problem}"
        if self.status == 422 and "field" not in problem:
            return f"the problem document names no field: {problem}"
        return None


def request(method, target, headers=(), body=b"", host="x"):
    """Returns the bytes of a request. Its parts are neither escaped nor checked."""
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {host}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    if body or method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


class RawConnection:
    """A connection that is reopened after the server has closed it."""

    def __init__(self, server, timeout=30):
        self.address = ("127.0.0.1", server.port)
        self.timeout = timeout
        self.socket = None
        self.file = None

    def exchange(self, data, method="GET"):
        """Returns the answer to these bytes; None if the server closes the connection without
        answering."""
        for is_last in (False, True):
            fresh = self.socket is None
            if fresh:
                self.socket = socket.create_connection(self.address, timeout=self.timeout)
                self.file = self.socket.makefile("rb")
            try:
                self.socket.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a server may answer and close before it has read everything
            answer = self.read(method)
            if answer is not None or fresh or is_last:
                return answer
        return None

    def read(self, method="GET"):
        """Reads the next answer completely. Returns None if the connection has ended."""
        try:
            answer = self._read(method)
        except (ConnectionResetError, EOFError):
            answer = None
        is_stream = answer and "event-stream" in answer.headers.get("content-type", "")
        if (
            answer is None
            or is_stream
            or answer.headers.get("connection") == "close"
            or method == "CONNECT"
        ):
            self.close()
        return answer

    def _read(self, method):
        line = self.file.readline(65536)
        if not line:
            return None
        status, headers = int(line.split()[1]), {}
        while (line := self._line()) != b"":
            name, _, value = line.partition(b":")
            headers[name.decode().lower()] = value.strip().decode("latin-1")
        if (
            method == "HEAD"
            or status in (204, 304)
            or "event-stream" in headers.get("content-type", "")
        ):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, b"".join(self._chunks()))
        return Answer(status, headers, self._exactly(int(headers.get("content-length", 0))))

    def _chunks(self):
        while size := int(self._line(), 16):
            yield self._exactly(size)
            self._line()
        self._line()

    def _line(self):
        line = self.file.readline(65536)
        if not line.endswith(b"\n"):
            raise EOFError
        return line.rstrip(b"\r\n")

    def _exactly(self, count):
        data = self.file.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def close(self):
        if self.socket:
            self.file.close()
            self.socket.close()
        self.socket = None
