"""The server tells systemd when it is ready, that it works, and that it stops (sd_notify(3))."""

import os
import signal
import socket
import sys
import time
from contextlib import contextmanager

import pytest

from support.waiting import wait_until

# systemd's WatchdogSec in these tests. The server feeds the watchdog four times as often.
WATCHDOG = 2


class Manager:
    """A datagram socket in place of systemd's."""

    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.setblocking(False)
        self.messages = []

    def read(self):
        """Returns the messages since the last call."""
        new = []
        while True:
            try:
                new.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                break
        self.messages += new
        return new

    def wait_for(self, message, timeout=30):
        wait_until(lambda: message in self.read(), timeout, message)


@contextmanager
def listening(name):
    manager = Manager(name)
    try:
        yield manager
    finally:
        manager.socket.close()


def environment(manager, watchdog=WATCHDOG):
    own = {"NOTIFY_SOCKET": manager.name}
    return {**own, "WATCHDOG_USEC": str(watchdog * 1_000_000)} if watchdog else own


def test_ready_alive_and_stopping(make_server, tmp_path):
    with listening(str(tmp_path / "notify")) as manager:
        server = make_server(env=environment(manager)).start()
        manager.wait_for("READY=1")
        for _ in range(3):
            manager.wait_for("WATCHDOG=1")
        assert manager.messages.count("READY=1") == 1
        server.stop()
        manager.read()
        assert manager.messages[-1] == "STOPPING=1"
        assert manager.messages.count("STOPPING=1") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has abstract sockets")
def test_abstract_socket_without_a_watchdog(make_server):
    with listening(f"@lifesignal-test-{os.getpid()}") as manager:
        server = make_server(env=environment(manager, watchdog=None)).start()
        manager.wait_for("READY=1")
        server.stop()
        manager.read()
        assert manager.messages == ["READY=1", "STOPPING=1"]


def test_a_process_that_stands_still_is_not_alive(make_server, tmp_path):
    """A stopped process stands for a hang of all threads. The unit tests hang the monitor alone."""
    with listening(str(tmp_path / "notify")) as manager:
        server = make_server(env=environment(manager)).start()
        manager.wait_for("WATCHDOG=1")
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        manager.read()
        time.sleep(2 * WATCHDOG)
        assert manager.read() == []
        server.process.send_signal(signal.SIGCONT)
        manager.wait_for("WATCHDOG=1")


def test_a_failing_database_is_no_hang(make_server, postgresql, tmp_path):
    """The monitor fails and retries, so systemd must not restart the server."""
    url = postgresql.make_database()
    with listening(str(tmp_path / "notify")) as manager:
        server = make_server(env=environment(manager), database=url).start()
        manager.wait_for("WATCHDOG=1")
        name = url.rsplit("/", 1)[1].split("?")[0]
        postgresql.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        postgresql.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        wait_until(lambda: "failed and tries again" in server.output(), 30, "a failed pass")
        manager.read()
        for _ in range(3):
            manager.wait_for("WATCHDOG=1", WATCHDOG)
        assert server.is_running


def test_missing_socket_stops_nothing(make_server, tmp_path):
    own = {"NOTIFY_SOCKET": str(tmp_path / "none"), "WATCHDOG_USEC": "1000000"}
    server = make_server(env=own).start()
    code, _ = server.stop()
    assert code == 0
