"""Load from many threads. Records every answer, and every request without an answer."""

import random
import threading
from dataclasses import dataclass, field

import requests

from support.api import new_id, timestamp


@dataclass
class Book:
    """The server's answers. Each answer is a promise that the server must keep."""

    check_ins: dict = field(default_factory=dict)  # (person, id) → the answer
    raised: dict = field(default_factory=dict)  # (person, alert) → the answer
    ended: dict = field(default_factory=dict)  # (person, alert) → the answer
    taken: dict = field(default_factory=dict)  # (responder, alert) → the answer
    in_doubt: list = field(default_factory=list)  # requests without an answer

    def __len__(self):
        return len(self.check_ins) + len(self.raised) + len(self.ended) + len(self.taken)


@dataclass(frozen=True)
class Request:
    """A write that can be repeated unchanged."""

    kind: str
    caller: object
    id: str
    moment: str = ""

    def send(self):
        caller = self.caller
        if self.kind == "check-in":
            return caller.send("PUT", f"/v1/check-ins/{self.id}", {"occurredAt": self.moment})
        if self.kind == "raise":
            return caller.send("PUT", f"/v1/alerts/{self.id}")
        return caller.send(
            "POST", f"/v1/alerts/{self.id}/{'end' if self.kind == 'end' else 'acknowledgement'}"
        )


class Load:
    """Sends random requests of random users until it is stopped or the server is gone. With
    `outlives_servers`, continues after a request without an answer."""

    def __init__(self, population, seed, threads=5, outlives_servers=False, pause=0):
        """`pause` is the number of seconds that a thread waits after each of its requests."""
        self.population = population
        self.random = random.Random(seed)
        self.threads = threads
        self.outlives_servers = outlives_servers
        self.pause = pause
        self.book = Book()
        self.refused = []  # answers with other statuses than success and 503
        self.unavailable = []  # answers with the status 503
        self._open_alerts = {}
        self._stop = threading.Event()
        self._running = []

    def start(self):
        self._stop.clear()
        self._running = [
            threading.Thread(
                target=self._work, args=(random.Random(self.random.random()),), daemon=True
            )
            for _ in range(self.threads)
        ]
        for thread in self._running:
            thread.start()

    def stop(self, timeout=60):
        self._stop.set()
        for thread in self._running:
            thread.join(timeout)
            assert not thread.is_alive(), "a request neither got an answer nor failed"

    def run_for(self, duration):
        self.start()
        self._stop.wait(duration)

    def _work(self, chance):
        while not self._stop.is_set():
            request = self._choose(chance)
            try:
                answer = request.send()
            except requests.RequestException:
                self.book.in_doubt.append(request)
                if not self.outlives_servers:
                    return
            else:
                self.note(request, answer)
            if self.pause:
                self._stop.wait(self.pause)

    def _choose(self, chance):
        people = self.population
        dice = chance.random()
        alerts = list(self._open_alerts.items())
        if dice < 0.03 and alerts:
            alert, owner = chance.choice(alerts)
            return Request("end", owner, alert)
        if dice < 0.08 and alerts:
            return Request("take", chance.choice(people.responders), chance.choice(alerts)[0])
        if dice < 0.12:
            return Request("raise", chance.choice(people.dependents), new_id())
        often = [person for person in people.dependents if person not in people.silent]
        caller = chance.choice(people.silent) if dice > 0.998 else chance.choice(often)
        return Request("check-in", caller, new_id(), timestamp())

    def note(self, request, response):
        """Records an answer. "Unavailable" promises nothing, so the request is retried later."""
        if response.status_code == 503:
            self.book.in_doubt.append(request)
            self.unavailable.append(response)
            return
        if response.status_code != 200:
            self.refused.append((request.kind, response.status_code, response.text))
            return
        answer = response.json()
        key = (request.caller, answer["id"])
        if request.kind == "check-in":
            self.book.check_ins[key] = answer
        elif request.kind == "raise":
            self.book.raised[key] = answer
            if answer["isActive"]:
                self._open_alerts[answer["id"]] = request.caller
        elif request.kind == "end":
            self.book.ended[key] = answer
            self._open_alerts.pop(answer["id"], None)
        else:
            self.book.taken[key] = answer

    def settle(self):
        """Sends each request in doubt twice. Both answers must be the same, and become promises.
        Returns how many requests stay in doubt. They got no answer, or the 503 of a server just
        after a failover."""
        waiting, self.book.in_doubt = self.book.in_doubt, []
        for request in waiting:
            try:
                first, second = request.send(), request.send()
            except requests.RequestException:
                self.book.in_doubt.append(request)
                continue
            if 503 in (first.status_code, second.status_code):
                self.book.in_doubt.append(request)
                continue
            assert first.status_code == 200, (request.kind, first.status_code, first.text)
            assert first.json() == second.json(), (
                f"two answers to one {request.kind}: {first.text} and {second.text}"
            )
            self.note(request, first)
        return len(self.book.in_doubt)
