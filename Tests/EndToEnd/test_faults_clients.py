"""Clients that occupy a connection without using it, and clients that don't read their stream. The
server disconnects them, and no other client is affected."""

import re
import socket
import threading
import time

from support.api import Client, sign_in, watch_over
from support.events import EventStream
from support.program import phone_number
from support.waiting import wait_until

# The server promises 20 s. Another 8 s allow for a busy machine.
CUT_OFF_WITHIN = 28


def connect(server):
    client = socket.create_connection(("127.0.0.1", server.port), timeout=CUT_OFF_WITHIN + 10)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


POST = b"POST /v1/auth/codes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
# The start of each request, and the bytes that are sent after it twice a second.
NEVER_ENDING = {
    "a head": (b"GET /health/live HTTP/1.1\r\nHost: x\r\n", b"X-A: b\r\n"),
    "a body": (POST + b"Content-Length: 900000\r\n\r\n{", b" "),
    "chunks": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "half a request line": (b"GE", b""),
    "a second request": (
        b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /health/live HTTP/1.1\r\n",
        b"X-A: b\r\n",
    ),
    "line breaks": (b"\r\n", b"\r\n"),
}
OF_EACH = 40


def test_unfinished_requests_are_closed(server):
    """The server disconnects hundreds of clients that send slowly and never finish, and serves
    others."""
    person = sign_in(server, phone_number(0))
    waiting = [
        (name, connect(server), trickle)
        for name, (_, trickle) in NEVER_ENDING.items()
        for _ in range(OF_EACH)
    ]
    started = time.monotonic()
    for name, client, _ in waiting:
        client.sendall(NEVER_ENDING[name][0])
        client.setblocking(False)
    last, slowest = {}, 0
    while waiting and time.monotonic() - started < CUT_OFF_WITHIN:
        for entry in [entry for entry in waiting if is_over(*entry[1:])]:
            waiting.remove(entry)
            entry[1].close()
            last[entry[0]] = round(time.monotonic() - started, 1)
        asked = time.monotonic()
        person.check_in()
        slowest = max(slowest, time.monotonic() - asked)
        time.sleep(0.5)
    print(
        f"the last of each was cut off after (s): {last}; slowest check-in meanwhile "
        f"{1000 * slowest:.0f} ms"
    )
    for _, client, _ in waiting:
        client.close()
    left = {name for name, _, _ in waiting}
    assert not left, f"still connected after {CUT_OFF_WITHIN} s: {left}"


def is_over(client, trickle):
    """Sends another piece of the request. Returns whether the server has closed the connection."""
    try:
        client.sendall(trickle)
        while True:
            if client.recv(4096) == b"":
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_streams_that_are_never_read_are_closed(server):
    """Twenty clients never read their streams, while thousands of events are due on them."""
    watched = sign_in(server, phone_number(0))
    deaf = sign_in(server, phone_number(1))
    attentive = sign_in(server, phone_number(2))
    for responder in (deaf, attentive):
        watch_over(responder, watched)
    clients = []
    for _ in range(20):
        client = socket.socket()
        # Both sides have small buffers, so that the server's writes soon block.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        client.connect(("127.0.0.1", server.port))
        client.sendall(
            "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
            f"{deaf.token}\r\n\r\n".encode()
        )
        clients.append(client)
    with EventStream(attentive) as stream:
        stream.wait_for(lambda event: event.kind == "ready", 10, "ready")
        for _ in range(100):
            watched.check_in()
        before = server.resident_megabytes
        threads = [
            threading.Thread(target=lambda: [watched.check_in() for _ in range(1500)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        after = server.resident_megabytes
        last = watched.check_in()["nextCheckInTime"]
        stream.wait_for(
            lambda event: event.data.get("nextCheckInTime") == last,
            30,
            "the last event at the listener who listens",
        )
        sent = len(stream.events)
    print(
        f"resident memory: {before:.0f} MB before, {after:.0f} MB after {sent} events for 20 deaf "
        "streams"
    )
    assert after - before < 60
    # The server closes these streams, so that others can take their places.
    wait_until(
        lambda: open_streams(server) == 0,
        CUT_OFF_WITHIN,
        "the end of the streams nobody reads",
        every=0.5,
    )
    with EventStream(deaf) as stream:
        stream.wait_for(lambda event: event.kind == "ready", 10, "a place for a new stream")
    for client in clients:
        client.close()


def open_streams(server):
    """Returns the number of open streams by the server's own count. A client that doesn't read
    can't see that its stream has ended."""
    figures = Client(server).get("/metrics").decode()
    return float(re.search(r"^lifesignal_event_streams (\S+)$", figures, re.MULTILINE)[1])


def test_idle_connections_delay_nobody(server):
    person = sign_in(server, phone_number(0))
    clients = [connect(server) for _ in range(500)]
    try:
        for _ in range(20):
            person.check_in()
    finally:
        for client in clients:
            client.close()
