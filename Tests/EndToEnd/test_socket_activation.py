"""A restart loses no request if systemd, here the test, holds the listening socket."""

import http.client
import os
import socket
import stat
import sys
import threading

import pytest

from support.program import Server
from support.waiting import wait_until

# Passes the sockets that the first argument lists as systemd does, from descriptor 3 on.
INHERIT = """
import fcntl, os, sys
given = [int(number) for number in sys.argv[1].split(",")]
high = [fcntl.fcntl(number, fcntl.F_DUPFD, 100) for number in given]
for number in given:
    os.close(number)
for index, number in enumerate(high):
    os.dup2(number, 3 + index)
    os.close(number)
os.environ["LISTEN_FDS"] = os.environ.get("LISTEN_FDS", str(len(high)))
os.environ["LISTEN_PID"] = os.environ.get("LISTEN_PID", str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def listeners():
    """Makes listening sockets. Closes them at the end."""
    made = []

    def listen(path=None):
        if path is None:
            made.append(socket.create_server(("127.0.0.1", 0), backlog=1024))
        else:
            made.append(socket.socket(socket.AF_UNIX))
            made[-1].bind(str(path))
            made[-1].listen(1024)
        return made[-1]

    yield listen
    for listener in made:
        listener.close()


@pytest.fixture
def inheriting(make_server, monkeypatch):
    """Makes servers that inherit sockets."""
    usual = Server.command.fget
    numbers = []

    def command(server):
        listed = ",".join(map(str, numbers))
        return [sys.executable, "-c", INHERIT, listed, *usual(server)]

    def make(*sockets, arguments=(), **env):
        numbers[:] = [listener.fileno() for listener in sockets]
        return make_server(*arguments, env=env, pass_fds=tuple(numbers))

    monkeypatch.setattr(Server, "command", property(command))
    return make


class Callers:
    """Threads that send one request after the other, each on a connection of its own, and never
    repeat one."""

    def __init__(self, connect, count):
        self.connect = connect
        self.failures, self.answers = [], 0
        self.lock = threading.Lock()
        self.has_ended = threading.Event()
        self.threads = [threading.Thread(target=self.call) for _ in range(count)]

    def call(self):
        while not self.has_ended.is_set():
            connection = self.connect()
            try:
                connection.request("GET", "/health/live")
                answer = connection.getresponse()
                answer.read()
                failure = answer.status if answer.status != 200 else None
            except (OSError, http.client.HTTPException) as error:
                failure = repr(error)
            connection.close()
            with self.lock:
                self.answers += 1
                if failure:
                    self.failures.append(failure)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.has_ended.set()
        for thread in self.threads:
            thread.join(60)

    def wait_for_answers(self, count=200):
        goal = self.answers + count
        wait_until(lambda: self.answers >= goal, 60, "answers")


def over_socket(path):
    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(60)
            self.sock.connect(str(path))

    return lambda: Connection("localhost")


def restart_three_times(server, callers):
    for _ in range(3):
        callers.wait_for_answers()
        assert server.stop()[0] == 0
        if server.port:
            server.start()
        else:
            server.launch()
    callers.wait_for_answers()
    assert callers.failures == []


def test_restart_loses_no_request(inheriting, listeners):
    listener = listeners()
    port = listener.getsockname()[1]
    server = inheriting(listener).start()
    assert server.port == port

    def connect():
        return http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    with Callers(connect, 6) as callers:
        restart_three_times(server, callers)
    assert server.stop()[0] == 0


def test_restart_keeps_the_unix_socket(inheriting, listeners, tmp_path):
    path = tmp_path / "http.sock"
    listener = listeners(path)
    path.chmod(0o600)
    before = path.stat()
    server = inheriting(listener, arguments=["--listen", f"unix:{path}"]).launch()
    with Callers(over_socket(path), 4) as callers:
        restart_three_times(server, callers)
    assert server.stop()[0] == 0
    after = path.stat()
    assert after.st_ino == before.st_ino and stat.S_IMODE(after.st_mode) == 0o600


def test_connection_waits_for_the_start(inheriting, listeners):
    listener = listeners()
    client = http.client.HTTPConnection(*listener.getsockname(), timeout=60)
    client.request("GET", "/health/live")
    inheriting(listener).start()
    assert client.getresponse().status == 200


def test_health_has_a_socket_of_its_own(inheriting, listeners):
    public, internal = listeners(), listeners()
    server = inheriting(internal, public, LISTEN_FDNAMES="internal:public").start()
    assert server.port == public.getsockname()[1]
    number = internal.getsockname()[1]
    line = f"Health and metrics: http://127.0.0.1:{number}"
    wait_until(lambda: line in server.output(), 30, "the internal port")
    statuses = []
    for listener in (public, internal):
        client = http.client.HTTPConnection(*listener.getsockname(), timeout=60)
        client.request("GET", "/health/live")
        statuses.append(client.getresponse().status)
    assert statuses == [404, 200]
    assert server.stop()[0] == 0


def test_sockets_of_another_process_are_ignored(inheriting, listeners):
    listener = listeners()
    server = inheriting(listener, LISTEN_PID=str(os.getpid())).start()
    assert server.port != listener.getsockname()[1]


def ending(server):
    """Returns the one sentence with which the server ends."""
    server.launch()
    assert server.wait_for_end() == 1
    text = server.output()
    assert "systemd" in text and text.count("\n") == 1, text
    return text


def test_unusable_sockets_are_refused(inheriting, listeners, tmp_path):
    listener = listeners()
    assert "at most 2 sockets, not 3" in ending(inheriting(listener, LISTEN_FDS="3"))
    assert "no listening socket" in ending(inheriting(listener, LISTEN_FDS="2"))
    with socket.socket() as plain:
        assert "descriptor 3 (public) is no listening socket" in ending(inheriting(plain))
    other = listeners(tmp_path / "http.sock")
    assert "at another place" in ending(inheriting(other))
    two = inheriting(listener, listeners(), LISTEN_FDNAMES="public:public")
    assert "need the names public and internal" in ending(two)
