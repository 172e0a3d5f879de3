"""Clients that use as much of a server's resources as they can."""

import socket
import threading

import requests

from support.api import check_problem, new_id

# An address that none of the users has.
STRANGER = "127.0.0.9"
BEGINNINGS = [
    b"",
    b"GE",
    b"GET /health/live HTTP/1.1\r\nHost: x\r\n",
    b"POST /v1/auth/codes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: 900000\r\n\r\n{",
]


class Crowd:
    def __init__(self, server, count, chance):
        self._clients = []
        for _ in range(count):
            try:
                client = socket.create_connection(
                    ("127.0.0.1", server.port), timeout=2, source_address=(STRANGER, 0)
                )
                self._clients.append(client)
                client.sendall(chance.choice(BEGINNINGS))
                client.setblocking(False)
            except OSError:
                continue  # the kernel's queue is full, or the server is gone

    def leave(self):
        for client in self._clients:
            client.close()


class Greedy:
    """A user who requests more than any limit allows, until stopped. Each answer must be a success,
    a refusal in plain words, or "unavailable"."""

    def __init__(self, client):
        self.client = client
        self.ids = []
        self.wrong = []
        self.statuses = {}
        self._stop = threading.Event()
        self._thread = None
        self._streams = []

    def start(self):
        self._stop.clear()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self):
        self._stop.set()
        if self._thread:
            self._thread.join(60)
            assert not self._thread.is_alive(), "a request neither got an answer nor failed"
        for stream in self._streams:
            stream.close()
        self._streams = []

    def _work(self):
        acts = [self._ask_for_a_code, self._add_a_webhook, self._send_too_much, self._listen]
        while not self._stop.is_set():
            for act in acts:
                try:
                    act()
                except requests.RequestException:
                    self._stop.wait(0.1)
                if self._stop.is_set():
                    return

    def _note(self, response):
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        if response.ok:
            return response.json()
        try:
            check_problem(response)
            assert response.status_code < 500 or response.status_code == 503
        except (AssertionError, ValueError) as failure:
            self.wrong.append((response.request.path_url, response.text[:300], str(failure)[:300]))
        return None

    def _ask_for_a_code(self):
        code = self._note(self.client.send("POST", "/v1/me/qr-code"))
        if code:
            self.ids.append(code["id"])

    def _add_a_webhook(self):
        device = {"kind": "webhook", "url": "http://127.0.0.1:9/"}
        self._note(self.client.send("PUT", f"/v1/devices/{new_id()}", device))

    def _send_too_much(self):
        name = "x" * 1_500_000
        self._note(self.client.send("PATCH", "/v1/me", {"name": name}))

    def _listen(self):
        if len(self._streams) >= 60:
            self._streams.pop(0).close()
        answer = self.client.send("GET", "/v1/events", stream=True)
        if answer.ok:
            self._streams.append(answer)
        else:
            self._note(answer)
            answer.close()
