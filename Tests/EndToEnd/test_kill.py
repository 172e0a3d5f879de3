"""`kill -9` at any moment: no answered request is lost, and every missed check-in is noticed.

LIFESIGNAL_KILLS sets the number of kills (20); LIFESIGNAL_SEED repeats a run.
"""

import json
import os
import random
import time
from functools import partial

import pytest

from support.load import Load
from support.population import Population
from support.promises import Promises
from support.waiting import wait_until

KILLS = int(os.environ.get("LIFESIGNAL_KILLS", "20"))
SEED = int(os.environ.get("LIFESIGNAL_SEED") or random.SystemRandom().randrange(2**32))
# Seconds. A delivery that dies with its server is retried once its lease has expired.
LEASE = 60

pytestmark = pytest.mark.both_engines


@pytest.mark.timeout(900 + 10 * KILLS)
def test_kill_at_random_moments(make_server, webhooks):
    print(f"LIFESIGNAL_SEED={SEED} LIFESIGNAL_KILLS={KILLS}")
    chance = random.Random(SEED)
    server = make_server("--demo-intervals", "--allow-private-webhooks").start()
    population = Population(server, webhooks)
    load = Load(population, chance.random())
    promises = Promises(load)
    for person in population.dependents:
        person.check_in()

    started = time.monotonic()
    for _ in range(KILLS):
        load.run_for(chance.uniform(0.05, 2))
        server.kill()
        load.stop()
        if chance.random() < 0.25:  # sometimes also while it starts
            server.launch()
            time.sleep(chance.uniform(0, 0.3))
            server.kill()
        server.start()
        promises.recent()
    print(
        f"{KILLS} kills in {time.monotonic() - started:.0f} s: {len(load.book)} answers, "
        f"{len(promises.alerts_seen)} alerts"
    )

    everyone_silent_is_noticed(population)
    promises.everything()
    webhooks_arrive(population, promises, webhooks)


def everyone_silent_is_noticed(population, patience=15):
    """Checks that each user who stopped checking in has an open alert for the deadline of their
    last check-in."""
    for person in population.silent:
        deadline = person.get("/v1/me")["nextCheckInTime"]
        wait_until(
            partial(is_noticed, person, deadline),
            patience,
            f"an alert for {person.name}, silent since {deadline}",
            every=0.2,
        )


def is_noticed(person, deadline):
    alerts = person.get("/v1/alerts")["items"]
    return any(
        alert["isActive"] and alert["kind"] == "missedCheckIn" and alert["deadline"] == deadline
        for alert in alerts
    )


def webhooks_arrive(population, promises, webhooks):
    """Checks that each alert notification reached the responder's webhook at least once, correctly
    signed."""
    for responder in population.responders:
        wanted = promises.alert_notifications(responder)
        missing = partial(not_arrived, responder, wanted, webhooks)
        try:
            wait_until(
                lambda missing=missing: not missing(),
                2 * LEASE,
                "every alert notification at the webhook",
                every=0.5,
            )
        except AssertionError:
            lost = missing()
            line = ledger_line(responder, lost[0])
            pytest.fail(
                f"{len(lost)} notifications never came to the webhook of {responder.name}: "
                f"{lost[0]}, in the ledger: {line}"
            )
        for call in webhooks.of(f"/{responder.id}")[-50:]:
            assert call.verified(population.secrets[responder.id])["id"]


def not_arrived(responder, wanted, webhooks):
    arrived = {json.loads(call.body)["id"] for call in webhooks.of(f"/{responder.id}")}
    return [
        item for id, item in wanted.items() if id not in arrived and not has_acted(responder, item)
    ]


def ledger_line(responder, notification):
    ledger = responder.get(f"/v1/alerts/{notification['alertID']}")["ledger"]
    wanted = (responder.id, "webhook", notification["createdAt"])
    return next(
        line for line in ledger if (line["recipientId"], line["channel"], line["time"]) == wanted
    )


def has_acted(responder, notification):
    """Returns whether the webhook isn't needed. The responder has acknowledged before it came, or a
    newer message has superseded it."""
    return ledger_line(responder, notification)["state"] in ("acknowledged", "superseded")
