"""The server is stopped while it is fully busy. Clients can't delay the stop, and everything that
was answered is there afterwards."""

import signal
import socket

import pytest

from support.api import sign_in
from support.events import EventStream
from support.load import Load
from support.network import Network
from support.population import Population
from support.program import phone_number
from support.promises import Promises
from support.waiting import wait_until

AT_MOST = 10


def half_a_request(server):
    """A client that stops in the middle of sending a check-in."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    client.sendall(
        b"PUT /v1/check-ins/x HTTP/1.1\r\nHost: x\r\nContent-Type: "
        b"application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    return client


def deaf_listener(server, person):
    """A client that has opened its event stream and never reads it."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    client.sendall(
        "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        f"{person.token}\r\nLast-Event-ID: 0\r\n\r\n".encode()
    )
    return client


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
def test_stop_under_load(make_server, how):
    server = make_server("--demo-intervals").start()
    population = Population(server)
    load = Load(population, seed=3)
    streams = [EventStream(responder) for responder in population.responders for _ in range(5)]
    clients = [half_a_request(server), deaf_listener(server, population.responders[0])]
    idle = socket.create_connection(("127.0.0.1", server.port))
    try:
        load.start()
        wait_until(lambda: len(load.book) > 300, 60, "a load in full swing")
        code, took = server.stop(how)
        print(
            f"{how.name}: exit code {code} after {took:.2f} s, {len(load.book)} answers, "
            f"{len(load.book.in_doubt)} in doubt"
        )
        load.stop()
        assert code == 0
        assert took <= AT_MOST
        assert "Everything that was answered is stored" in server.output()
        for stream in streams:
            wait_until(lambda stream=stream: stream.is_over, 30, "the end of a stream")
            assert stream.failure is None, f"a stream was cut and not ended: {stream.failure}"
    finally:
        for stream in streams:
            stream.close()
        for client in [*clients, idle]:
            client.close()
    left = sum(log.stat().st_size for log in server.folder.glob("*-wal"))
    # The log may keep its header, which is too small for a frame.
    assert left <= 32, f"{left} bytes of the write-ahead log were not written out"
    server.start()
    Promises(load).everything()


def test_stop_without_clients(server):
    code, took = server.stop()
    assert code == 0 and took <= AT_MOST


def test_stop_right_after_start(make_server):
    """A signal also ends a server that is still starting."""
    server = make_server().launch()
    wait_until(lambda: (server.folder / "lifesignal.sqlite").exists(), 30, "the first file")
    code, took = server.stop()
    assert took <= AT_MOST
    assert code in (0, -signal.SIGTERM)
    server.start()


def test_second_signal_is_harmless(server):
    server.process.send_signal(signal.SIGTERM)
    code, took = server.stop(signal.SIGTERM)
    assert took <= AT_MOST and code in (0, -signal.SIGTERM)


def test_stop_while_the_database_hangs(make_server, postgresql, postgresql_url):
    """PostgreSQL's machine is cut off. Everything that was answered is there afterwards."""
    network = Network(postgresql)
    try:
        port = f":{network.port}/"
        server = make_server(database=postgresql_url.replace(f":{postgresql.port}/", port)).start()
        person = sign_in(server, phone_number(0), "Ana")
        network.become("dead")
        code, took = server.stop()
        assert code == 0 and took <= AT_MOST
    finally:
        network.close()
    person.server = make_server(
        "--key-file", server.folder / "lifesignal.key", database=postgresql_url
    ).start()
    assert person.get("/v1/me")["name"] == "Ana"
