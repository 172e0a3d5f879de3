"""A reader of `GET /v1/events`, written from the specification of Server-Sent Events."""

import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass, field

from support.waiting import work_per_core


@dataclass
class Event:
    id: int
    kind: str
    data: dict
    arrived: float = field(default_factory=time.monotonic)


class EventStream:
    """Reads in a separate thread until it is closed or the server ends the stream."""

    def __init__(self, client, last_event_id=None):
        host, port = client.server.url.removeprefix("http://").split(":")
        self.events = []
        self.failure = None
        self.is_over = False
        self._news = threading.Condition()
        self._connection = http.client.HTTPConnection(host, int(port), timeout=60)
        headers = {"Authorization": f"Bearer {client.token}", "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        self._connection.request("GET", "/v1/events", headers=headers)
        self._socket = self._connection.sock
        self._response = self._connection.getresponse()
        assert self._response.status == 200, (self._response.status, self._response.read())
        assert self._response.getheader("content-type") == "text/event-stream"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        fields = {}
        try:
            for line in self._response:
                text = line.decode().rstrip("\r\n")
                if text:
                    name, _, value = text.partition(":")
                    fields[name] = value.removeprefix(" ")
                    continue
                if "data" in fields:
                    self._add(Event(int(fields["id"]), fields["event"], json.loads(fields["data"])))
                fields = {}
        except (OSError, http.client.HTTPException, ValueError) as failure:
            self.failure = failure
        with self._news:
            self.is_over = True
            self._news.notify_all()

    def _add(self, event):
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def wait_for(self, condition, timeout, what):
        """Returns the first past or future event for which `condition` is true."""
        deadline = time.monotonic() + timeout * work_per_core()
        seen = 0
        with self._news:
            while True:
                for event in self.events[seen:]:
                    if condition(event):
                        return event
                seen = len(self.events)
                rest = deadline - time.monotonic()
                if self.is_over or rest <= 0:
                    raise AssertionError(
                        f"not within {timeout} s on the stream: {what} (failure: {self.failure})"
                    )
                self._news.wait(rest)

    def close(self):
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._thread.join(10)
        self._connection.close()


# The server keeps at least this number of events per user (EventRules.limit).
KEPT = 1024


def read_all(client, last_event_id=0, timeout=60):
    """Returns all events from the given one up to the newest; None if the server has dropped some
    of them. Fails unless the numbers are consecutive."""
    with EventStream(client) as probe:
        newest = probe.wait_for(lambda event: event.kind == "ready", timeout, "ready").id
    with EventStream(client, last_event_id) as stream:
        start = stream.wait_for(lambda event: True, timeout, "the first event")
        if start.kind == "reload" and newest - last_event_id > KEPT:
            return None
        assert (start.kind, start.id) == ("ready", last_event_id), start
        stream.wait_for(lambda event: event.id >= newest, timeout, f"event {newest}")
        events = stream.events[1:]
    numbers = [event.id for event in events]
    assert numbers == list(range(last_event_id + 1, last_event_id + 1 + len(numbers))), (
        f"a gap in {numbers}"
    )
    return events
