"""`kill -9` of servers and of Firestore's emulator at any point, and answers that are late, failed
or lost: at the end every document equals the database.

LIFESIGNAL_FIRESTORE_KILLS sets the number of kills (10); LIFESIGNAL_SEED repeats a run.
"""

import os
import random
import time
from pathlib import Path

import pytest

from support.api import sign_in
from support.copying import PUBLIC_URL, call_and_end, equals_database, people, start
from support.firestore import Firestore, failure
from support.load import Load
from support.population import Population
from support.program import phone_number
from support.servers import Servers
from support.waiting import wait_until

pytestmark = pytest.mark.waits

KILLS = int(os.environ.get("LIFESIGNAL_FIRESTORE_KILLS", "10"))
SEED = int(os.environ.get("LIFESIGNAL_SEED") or random.SystemRandom().randrange(2**32))
# Seconds: a dead server's lease, and the longest back-off.
PATIENCE = 240


@pytest.fixture
def firestore(tmp_path):
    service = Firestore(tmp_path)
    yield service
    service.close()


class Chaos:
    """Draws Firestore's answers: late, failed, lost or honest."""

    TROUBLES = (failure(429), failure(500), failure(503), failure(409), "reset", "nothing", "lost")

    def __init__(self, seed):
        self._chance = random.Random(seed)
        self.is_on = True

    def answer(self, call):
        if not self.is_on:
            return None
        dice = self._chance.random()
        if dice < 0.5:
            time.sleep(self._chance.uniform(0, 0.5))
        return self._chance.choice(self.TROUBLES) if dice < 0.2 else None


class Editor:
    """Changes profiles during a load, and deletes a few accounts."""

    def __init__(self, chance, population, accounts):
        self._chance = chance
        self.everyone = population.dependents + population.responders + accounts
        self._accounts = accounts

    def edit(self):
        for person in self._chance.sample(self.everyone, 5):
            note = f"Note {self._chance.randrange(1000)}"
            changes = {"emergencyNote": note} if self._chance.random() < 0.8 else {"name": note}
            if self._chance.random() < 0.3:
                changes["leavesNoteOutOfCopy"] = self._chance.random() < 0.5
            answer = person.send("PATCH", "/v1/me", changes)
            # Responders keep their name during an alert, and two contacts can't have the same.
            if answer.status_code == 422 and "name" in changes:
                continue
            assert answer.ok, answer.text
            person.name = changes.get("name", person.name)
        if self._accounts and self._chance.random() < 0.5:
            account = self._accounts.pop()
            call_and_end(account)
            account.delete("/v1/me", status=204)
            self.everyone.remove(account)


class LateCommit:
    """The first commit with this text. It takes effect at `arrive`, and gets no answer before."""

    def __init__(self, firestore, text=b""):
        self._firestore = firestore
        self._text = text
        self._held = []
        firestore.answer = self._answer

    def _answer(self, call):
        if call.kind == "commit" and self._text in call.body and not self._held:
            self._held.append(call)
            return "late"
        return None

    def wait(self):
        wait_until(lambda: self._held, 30, "a commit that gets no answer")

    def arrive(self):
        """Returns the commit with the status of its answer."""
        self._firestore.late.set()
        wait_until(lambda: self._held[0].status, 30, "the late commit")
        return self._held[0]


def break_emulator(firestore, chance):
    if chance.random() < 0.5:
        firestore.kill_emulator()
        time.sleep(chance.uniform(0, 0.5))
        firestore.start_emulator()
    else:
        firestore.vanish()
        time.sleep(chance.uniform(0, 0.5))
        firestore.appear()


@pytest.mark.both_engines
@pytest.mark.timeout(900 + 20 * KILLS)
def test_kills_at_random_moments(make_server, firestore):
    print(f"LIFESIGNAL_SEED={SEED} LIFESIGNAL_FIRESTORE_KILLS={KILLS}")
    chance = random.Random(SEED)
    chaos = Chaos(chance.random())
    firestore.answer = chaos.answer
    server = start(make_server, firestore, "--demo-intervals")
    population = Population(server, steady=4, hurried=2, silent=2, responders=2)
    accounts = [sign_in(server, phone_number(20 + index)) for index in range(5)]
    editor = Editor(chance, population, accounts)
    load = Load(population, chance.random())
    for _ in range(KILLS):
        load.run_for(chance.uniform(0.05, 1.5))
        what = chance.choice(["server", "emulator", "both"])
        if what != "server":
            break_emulator(firestore, chance)
        if what != "emulator":
            server.kill()
        load.stop()
        if what != "emulator":
            server.start()
        editor.edit()
    load.settle()
    chaos.is_on = False
    equals_database(firestore, editor.everyone, PATIENCE)
    assert firestore.writes > 0


@pytest.mark.timeout(900 + 20 * KILLS)
def test_two_servers_never_replace_newer_states(make_server, postgresql_url, firestore, tmp_path):
    print(f"LIFESIGNAL_SEED={SEED} LIFESIGNAL_FIRESTORE_KILLS={KILLS}")
    chance = random.Random(SEED)
    chaos = Chaos(chance.random())
    firestore.answer = chaos.answer
    servers = Servers(
        make_server,
        postgresql_url,
        *("--demo-intervals", "--public-url", PUBLIC_URL, *firestore.arguments),
        count=2,
        folder=Path(tmp_path),
    ).start()
    population = Population(servers, steady=4, hurried=2, silent=2, responders=2)
    accounts = [sign_in(servers, phone_number(20 + index)) for index in range(5)]
    editor = Editor(chance, population, accounts)
    load = Load(population, chance.random(), outlives_servers=True)
    for _ in range(KILLS):
        load.run_for(chance.uniform(0.3, 1.5))
        killed = chance.choice([*servers.all, None])
        if killed:
            killed.kill()
        if chance.random() < 0.5:
            break_emulator(firestore, chance)
        load.stop()
        editor.edit()
        if killed:
            killed.start()
    wait_until(lambda: not load.settle(), 60, "answers to all that is in doubt", every=0.5)
    chaos.is_on = False
    equals_database(firestore, editor.everyone, PATIENCE)


@pytest.mark.both_engines
def test_late_commit_of_a_killed_server_has_no_effect(make_server, firestore):
    """Google applies a commit after its sender has died and another one has sent a newer state."""
    server = start(make_server, firestore)
    ana, _ = both = people(server, "Ana", "Ben")
    equals_database(firestore, both)
    late = LateCommit(firestore)
    ana.call("PATCH", "/v1/me", {"name": "Older"})
    late.wait()
    server.kill()
    server.start()
    ana.call("PATCH", "/v1/me", {"name": "Newer"})
    equals_database(firestore, both, PATIENCE)
    commit = late.arrive()
    assert commit.status == 400 and b"Older" in commit.body
    equals_database(firestore, both)


def test_late_commit_of_a_killed_server_brings_no_account_back(make_server, firestore):
    """Google applies a new person's commit after they have deleted the account."""
    server = start(make_server, firestore)
    [ben] = people(server, "Ben")
    equals_database(firestore, [ben])
    late = LateCommit(firestore, b"Ana")
    ana = sign_in(server, phone_number(2), "Ana")
    late.wait()
    server.kill()
    server.start()
    ana.delete("/v1/me", status=204)
    equals_database(firestore, [ben], PATIENCE)
    assert late.arrive().status in (400, 404, 409)
    equals_database(firestore, [ben])


def test_late_commit_of_another_server_has_no_effect(
    make_server, postgresql_url, firestore, tmp_path
):
    servers = Servers(
        make_server,
        postgresql_url,
        *("--public-url", PUBLIC_URL, *firestore.arguments),
        count=2,
        folder=Path(tmp_path),
    ).start()
    ana, _ = both = people(servers, "Ana", "Ben")
    equals_database(firestore, both)
    late = LateCommit(firestore)
    ana.call("PATCH", "/v1/me", {"name": "Older"})
    late.wait()
    for name in ("Newer", "Newest"):
        ana.call("PATCH", "/v1/me", {"name": name})
    servers.all[0].kill()
    equals_database(firestore, both, PATIENCE)
    assert late.arrive().status in (400, 409)
    equals_database(firestore, both)
