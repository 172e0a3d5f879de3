"""No input of a client may cause a 500, end the server, or make its memory grow.
LIFESIGNAL_BAD_REQUESTS sets the number of requests (10,000)."""

import itertools
import os
import random
import socket
import threading
import time
from collections import Counter

import pytest

from support.api import Client, new_id, sign_in
from support.bad_pictures import bombs, mutations, oddities
from support.bad_requests import BadRequests
from support.framing import FRAMINGS, random_framings
from support.program import phone_number
from support.raw_http import RawConnection, request

REQUESTS = int(os.environ.get("LIFESIGNAL_BAD_REQUESTS", "10000"))
PICTURES = int(os.environ.get("LIFESIGNAL_BAD_PICTURES", "1000"))
SEED = int(os.environ.get("LIFESIGNAL_SEED") or random.SystemRandom().randrange(2**32))
THREADS = 6
MAY_GROW_MEGABYTES = 60


@pytest.fixture(autouse=True)
def is_still_well(server):
    """Checks afterwards that the server still runs, is ready, and has logged no internal error."""
    yield
    assert server.is_running, server.logs()
    assert Client(server).get("/health/ready")["status"] == "ok"
    assert "code=internal" not in server.output() and "Fatal error" not in server.output()


def send_all(server, work):
    """Sends the requests from `work` in several threads, each on its own connection. Returns how
    often each status occurred."""
    statuses, defects, lock, work = Counter(), [], threading.Lock(), iter(work)

    def run():
        connection = RawConnection(server)
        while True:
            with lock:
                item = next(work, None)
            if item is None or len(defects) > 10:
                return connection.close()
            method, data = item
            try:
                answer = connection.exchange(data, method)
                found = answer.defects() if answer and method != "HEAD" else None
            except (OSError, ValueError) as error:
                answer, found = None, f"no answer: {error!r}"
                connection.close()
            with lock:
                statuses[answer.status if answer else "closed"] += 1
                if found:
                    defects.append(f"{found}\n{data[:400]!r}\n→ {answer and answer.body[:300]!r}")

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not defects, f"LIFESIGNAL_SEED={SEED}\n" + "\n\n".join(defects)
    return statuses


def stays_flat(server, warm_up, rest):
    """Sends `warm_up`, then `rest`. Checks that the memory has hardly grown between the two."""
    statuses = send_all(server, warm_up)
    before, started = server.resident_megabytes, time.monotonic()
    statuses += send_all(server, rest)
    after = server.resident_megabytes
    print(
        f"LIFESIGNAL_SEED={SEED}: {statuses.total()} requests, {time.monotonic() - started:.1f} s, "
        f"statuses {dict(statuses)}"
    )
    print(f"resident memory {before:.0f} → {after:.0f} MB")
    assert after - before < MAY_GROW_MEGABYTES, f"grew from {before:.0f} to {after:.0f} MB"
    return statuses


def test_bad_requests(server):
    people = [sign_in(server, phone_number(index)) for index in range(3)]
    stranger = sign_in(server, phone_number(3))
    alert, check_in = new_id(), new_id()
    stranger.put(f"/v1/alerts/{alert}")
    stranger.check_in(check_in)
    # The ids don't include the stranger's code, because anyone who has the code may add the
    # stranger.
    ids = [stranger.id, alert, check_in, people[0].id]
    source = BadRequests(
        Client(server).get("/openapi.json"), SEED, [person.token for person in people], ids
    )
    endless = iter(source.next, None)
    warm_up = min(1500, REQUESTS // 4)
    statuses = stays_flat(
        server, itertools.islice(endless, warm_up), itertools.islice(endless, REQUESTS - warm_up)
    )
    for status in (401, 404, 405, 413, 415, 422):
        assert statuses[status], f"not one {status}: the requests are not bad enough"
    assert statuses["closed"] < REQUESTS / 20
    # The stranger's data hasn't changed.
    assert (
        stranger.get(f"/v1/alerts/{alert}")["isActive"]
        and stranger.get("/v1/check-ins")["items"][0]["id"] == check_in
    )
    assert stranger.get("/v1/contacts")["items"] == [] and stranger.get("/v1/pings")["items"] == []


def test_broken_pictures(server):
    person = sign_in(server, phone_number(0))
    fixed = [*oddities(), *bombs()]
    random_ones = mutations(person.get("/v1/me/qr-code.png"), SEED)

    def requests(pictures):
        for number, picture in enumerate(pictures):
            kind = (
                "image/jpeg"
                if picture.startswith(b"\xff\xd8") != (number % 10 == 0)
                else "image/png"
            )
            headers = [("Content-Type", kind), ("Authorization", f"Bearer {person.token}")]
            method, path = (
                ("PUT", "/v1/me/picture") if number % 2 else ("POST", "/v1/qr-codes/decode")
            )
            yield method, request(method, path, headers, picture)

    rest = max(0, PICTURES - 2 * len(fixed))
    statuses = stays_flat(
        server,
        itertools.chain(requests(fixed), requests(itertools.islice(random_ones, rest // 5))),
        itertools.chain(
            requests(fixed[1:]), requests(itertools.islice(random_ones, rest))
        ),  # also sends each picture to the other route
    )
    assert statuses[200] and statuses[413] and statuses[422], statuses
    assert not statuses["closed"], statuses


def test_broken_framing(server):
    """Malformed HTTP gets a 400 or a closed connection. The next connection works."""
    sent, defects = 0, []
    for name, data, allowed in itertools.chain(FRAMINGS, random_framings(SEED, 500)):
        answer = whole_answer(server, data)
        statuses = [int(part[:3]) for part in (answer or b"").split(b"HTTP/1.1 ")[1:]]
        if answer is None or not set(statuses) <= set(allowed):
            defects.append(
                f"{name}: {'neither answered nor closed' if answer is None else statuses} to "
                f"{data[:300]!r}"
            )
        sent += 1
    print(f"{sent} broken framings")
    assert not defects, f"LIFESIGNAL_SEED={SEED}\n" + "\n".join(defects)


def whole_answer(server, data):
    """Sends the data and closes the client's side. Returns everything received until the server
    closes the connection; None if it stays open."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(65536), b""))
        except TimeoutError:
            return None
        except OSError:
            return b""


@pytest.mark.parametrize("path", ["/health/live", "/v1/me", "/nowhere", "/openapi.json"])
def test_head_answer_has_no_body(server, path):
    """After HEAD, a client would read a body as the start of the next answer."""
    get, head = (whole_answer(server, request(method, path)) for method in ("GET", "HEAD"))
    assert head.endswith(b"\r\n\r\n") and head.count(b"\r\n\r\n") == 1, head[-300:]
    assert head.split()[1] in (get.split()[1], b"405")


def test_client_that_disconnects_mid_request(server):
    """The server logs nothing when a phone loses its network."""
    body = b"PUT /v1/me/picture HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n123"
    for beginning in (body, b"GET /v1/me HTT", b"GET /v1/me HTTP/1.1\r\nHost"):
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
                client.sendall(beginning)
