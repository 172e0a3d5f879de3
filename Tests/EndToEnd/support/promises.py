"""Checks that a server keeps the promises of its answers: nothing is lost, every responder is told,
and no alarm is false."""

from collections import Counter

from support.api import seconds
from support.events import read_all
from support.waiting import wait_until


class Promises:
    """Checks the answers that a load recorded against a running server. `recent()` checks only the
    answers since its last call."""

    def __init__(self, load):
        self.load = load
        self.population = load.population
        self._kept = set()
        self.alerts_seen = set()
        self._last_start = {}

    def recent(self):
        self._settle()
        assert not self.load.refused, self.load.refused[:5]
        for person in self.population.dependents:
            self._check_ins(person, everything=False)
            self._alerts(person, everything=False)

    def _settle(self):
        wait_until(lambda: not self.load.settle(), 60, "answers to all that is in doubt", every=0.5)

    def everything(self):
        self._settle()
        assert not self.load.refused, self.load.refused[:5]
        for person in self.population.dependents:
            self._check_ins(person, everything=True)
            self._alerts(person, everything=True)
        for person in self.population.dependents + self.population.responders:
            self.events(person)

    def _check_ins(self, person, everything):
        mine = {
            id: answer
            for (owner, id), answer in self.load.book.check_ins.items()
            if owner is person
        }
        expected = {
            id: answer
            for id, answer in mine.items()
            if everything or (person, id) not in self._kept
        }
        found = {}
        for item in person.pages("/v1/check-ins"):
            assert item["id"] not in found, f"{item['id']} is in the history twice"
            found[item["id"]] = item
            if not everything and expected.keys() <= found.keys():
                break
        lost = expected.keys() - found.keys()
        assert not lost, (
            f"{len(lost)} answered check-ins are gone: {[expected[id] for id in lost][:3]}"
        )
        for id, answer in expected.items():
            assert found[id] == answer, f"answered {answer}, stored {found[id]}"
        self._kept.update((person, id) for id in expected)

    def _alerts(self, person, everything):
        """Returns the alerts, newest first, down to the last one that had already ended at the
        previous call. With `everything`, returns all."""
        book = self.load.book
        found = {}
        for item in person.pages("/v1/alerts"):
            found[item["id"]] = item
            if not everything and item["id"] in self.alerts_seen and len(found) >= 5:
                break
        for (owner, id), answer in book.raised.items():
            if owner is person and (everything or (person, id) not in self._kept):
                assert id in found, f"an answered alert is gone: {answer}"
                for name in ("startTime", "kind", "userId"):
                    assert found[id][name] == answer[name], (found[id], answer)
                self._kept.add((person, id))
        for (owner, id), answer in book.ended.items():
            if owner is person and id in found:
                assert found[id]["endTime"] == answer["endTime"], (found[id], answer)
        for (_, id), answer in book.taken.items():
            if id in found and answer.get("acknowledgement"):
                # A responder's id differs for each viewer, so only the rest is compared.
                stored, told = (
                    {
                        key: value
                        for key, value in (record.get("acknowledgement") or {}).items()
                        if key != "responderId"
                    }
                    for record in (found[id], answer)
                )
                assert stored == told, (found[id], answer)
        for id, alert in found.items():
            if everything or id not in self.alerts_seen:
                self._everyone_was_told(person, alert)
                self._was_no_false_alarm(person, alert)
                self.alerts_seen.add(id)

    def _everyone_was_told(self, person, alert):
        ledger = person.get(f"/v1/alerts/{alert['id']}")["ledger"]
        channels = {"stream"} | ({"webhook"} if self.population.secrets else set())
        for responder in self.population.responders:
            lines = {line["channel"] for line in ledger if line["recipientId"] == responder.id}
            assert channels <= lines, f"{responder.name} has only {lines} in the ledger of {alert}"

    def _was_no_false_alarm(self, person, alert):
        if alert["kind"] != "missedCheckIn":
            return
        start = seconds(alert["startTime"])
        assert seconds(alert["deadline"]) <= start, alert
        for (owner, _), answer in self.load.book.check_ins.items():
            if owner is person and seconds(answer["receivedAt"]) < start:
                assert seconds(answer["nextCheckInTime"]) <= start, f"{alert} in spite of {answer}"

    def events(self, person):
        """Reads the stream from its start. Checks that it has each event number once, and each
        alert of a dependent."""
        events = read_all(person)
        if events is None:
            # The server has dropped some events, but the ledger and the notifications have these
            # alerts.
            return []
        repeated = [id for id, count in Counter(event.id for event in events).items() if count > 1]
        assert not repeated
        if person in self.population.responders:
            on_stream = {event.data["id"] for event in events if event.kind == "alert"}
            missing = self.alerts_seen - on_stream
            assert not missing, f"{len(missing)} alerts never came by the stream of {person.name}"
        return events

    def alert_notifications(self, responder):
        """Returns all alert notifications of a responder. Fails if an alert has none."""
        items = {
            item["id"]: item
            for item in responder.pages("/v1/notifications")
            if item["type"] == "alert"
        }
        silent = self.alerts_seen - {item.get("alertID") for item in items.values()}
        assert not silent, f"{responder.name} has no notification of {len(silent)} alerts"
        return items
