"""Faults of a machine, its providers and its clients, drawn from a seed, often several at once.
What was answered is kept, every alert is told, no id occurs twice, and the process lives.

LIFESIGNAL_FAULT_SECONDS sets for how long new seeds begin (60). LIFESIGNAL_FAULT_SEED sets the
first seed (1). `make test-faults FAULT_SEED=7 FAULT_SECONDS=1` repeats one seed. The seed decides
what happens and when, but not how the threads of the processes interleave.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from support.api import Client, enter_code, sign_in, watch_over
from support.hard_clients import Crowd, Greedy
from support.load import Load
from support.population import Population
from support.program import phone_number
from support.promises import Promises
from support.provider import MANNERS, Provider
from support.small_machine import SmallMachine
from support.twilio import AUTH_TOKEN, PUBLIC_URL
from support.waiting import wait_until
from test_kill import everyone_silent_is_noticed, webhooks_arrive

SECONDS = int(os.environ.get("LIFESIGNAL_FAULT_SECONDS") or 60)
SEED = int(os.environ.get("LIFESIGNAL_FAULT_SEED") or 1)
# Longer than the shortest grace after an outage.
PATIENCE = 60 + 15
# Not a test number, so messages to it are really sent.
TEXTED = "+4915112345678"
NO_ID = "00000000-0000-4000-8000-000000000000"
# Seconds: enough for two more leases, as after a kill, and for the longest pause of an endpoint.
ARRIVAL = 180

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="machines are bound as on Linux")


@pytest.mark.timeout(600 + 4 * SECONDS)
def test_faults(make_server, tmp_path):
    end = time.monotonic() + SECONDS
    seed, untold = SEED, []
    with ExitStack() as stack:
        while seed == SEED or time.monotonic() < end:
            world = stack.enter_context(World(seed, make_server, tmp_path / str(seed)))
            repeatable(world, World.live)
            untold.append(world)
            seed += 1
            # Deliveries that a fault has delayed may arrive during the next seeds.
            if len(untold) > 3:
                repeatable(untold.pop(0), World.is_told)
        for world in untold:
            repeatable(world, World.is_told)
    print(f"{seed - SEED} seeds from {SEED} on")


def test_machine_may_have_fewer_descriptors_than_the_test_has_open(tmp_path):
    with ExitStack() as stack:
        machine = SmallMachine(tmp_path, descriptors=100, disk=4, memory=64)
        stack.callback(machine.close)
        server = SimpleNamespace(env={})
        machine.attach(server)
        for _ in range(150):
            stack.enter_context(open(os.devnull))
        shell = subprocess.run(
            ["sh", "-c", "ulimit -n"], **server.options, capture_output=True, text=True, check=True
        )
    assert shell.stdout.strip() == "100"


def repeatable(world, part):
    try:
        part(world)
    except Exception as failure:
        print(world.server.logs() if world.server and world.server.starts else "")
        raise AssertionError(
            f"{failure}\nAgain: make test-faults FAULT_SEED={world.seed} FAULT_SECONDS=1"
        ) from failure


class World:
    """A server on a small machine, its users and providers, and the faults of one seed."""

    def __init__(self, seed, make_server, folder):
        self.seed, self.chance = seed, random.Random(seed)
        self.make_server, self.folder = make_server, folder
        self.parts = ExitStack()
        self.server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.parts.close()

    def begin(self):
        self.began = time.monotonic()
        chance, folder = self.chance, self.folder
        folder.mkdir()
        sizes = {
            "descriptors": chance.choice([200, 400, 4096]),
            "disk": chance.choice([24, 40, 64]),
            "memory": chance.choice([128, 192, 512]),
        }
        self.tell(f"Seed {self.seed}: {sizes}")
        self.machine = SmallMachine(folder, **sizes)
        self.parts.callback(self.machine.close)
        self.webhooks, self.carrier = Provider(), Provider()
        for provider in (self.webhooks, self.carrier):
            self.parts.callback(provider.close)
        self.server = self.serve()
        self.parts.callback(self.server.kill)
        self.machine.attach(self.server)
        self.server.start()
        # Keeps the port, so that clients find the server after a restart.
        self.server.arguments = (*self.server.arguments, "--port", str(self.server.port))
        self.population = Population(
            self.server, self.webhooks, steady=4, hurried=2, silent=2, responders=2
        )
        self.texted = self.sign_in_by_text()
        for person in self.population.dependents:
            watch_over(self.texted, person)
        self.load = Load(
            self.population, chance.random(), threads=3, outlives_servers=True, pause=0.02
        )
        self.promises = Promises(self.load)
        self.greedy = Greedy(sign_in(self.server, phone_number(30)))
        # When each fault ends, and the function that ends it.
        self.ends = []
        self.is_full = False
        # Each seed has only some kinds of faults, so that rare combinations occur too.
        kinds = [
            *(self.kill, self.stop, self.pause, self.fill, self.slow_down),
            *(self.webhooks_fail, self.carrier_fails, self.crowd, self.be_greedy),
        ]
        self.kinds = chance.sample(kinds, chance.randint(2, len(kinds)))

    def serve(self):
        bound = self.chance.choice([0, 1_000_000])
        return self.make_server(
            *("--demo-intervals", "--allow-private-webhooks", "--requests-per-address", bound),
            *("--sms", "twilio", "--public-url", PUBLIC_URL, "--sms-budget-per-user", 100_000),
            *("--sms-budget", 1_000_000),
            database=self.machine.disk / "lifesignal.sqlite",
            env={
                "LIFESIGNAL_TWILIO_ACCOUNT_SID": "AC1",
                "LIFESIGNAL_TWILIO_AUTH_TOKEN": AUTH_TOKEN,
                "LIFESIGNAL_TWILIO_FROM": "+15005550006",
                "LIFESIGNAL_TWILIO_BASE_URL": self.carrier.url,
            },
        )

    def sign_in_by_text(self):
        """Signs in a responder who can be reached only by text message."""
        client = Client(self.server)
        client.post("/v1/auth/codes", {"phoneNumber": TEXTED}, status=202)
        text = wait_until(lambda: self.carrier.forms, 30, "a code")[-1]["Body"]
        enter_code(client, TEXTED, re.search(r"\d{6}", text)[0])
        client.call("PATCH", "/v1/me", {"name": "Texted"})
        return client

    def tell(self, words):
        print(f"{time.monotonic() - self.began:7.2f} s  {words}", flush=True)

    # MARK: Faults

    def live(self):
        self.begin()
        for person in self.population.dependents:
            person.check_in()
        self.load.start()
        for _ in range(self.chance.randint(4, 8)):
            fault, lasts = self.chance.choice(self.kinds), self.chance.uniform(0.3, 4)
            fault(lasts)
            self.wait(self.chance.uniform(0.2, 2))
            assert self.server.is_running, "the process has ended"
        while self.ends:
            self.wait(0.1)
        self.load.run_for(0.5)
        self.load.stop()
        self.greedy.stop()
        self.is_kept()

    def wait(self, seconds):
        until = time.monotonic() + seconds
        while True:
            self.end_what_is_over()
            rest = until - time.monotonic()
            if rest <= 0:
                return
            time.sleep(min(rest, 0.05))

    def lasting(self, lasts, undo):
        self.ends.append((time.monotonic() + lasts, undo))

    def end_what_is_over(self):
        for entry in [entry for entry in self.ends if entry[0] <= time.monotonic()]:
            self.ends.remove(entry)
            entry[1]()

    def start_again(self):
        """Restarts the server. Ends overdue faults meanwhile, because the server may wait for disk
        space."""
        self.server.launch()

        def port():
            self.end_what_is_over()
            return self.server._ready_port()

        self.server.port = wait_until(port, 60, "the ready line")

    def kill(self, _):
        self.tell("the server is killed")
        self.server.kill()
        if self.chance.random() < 0.25:
            self.server.launch()
            time.sleep(self.chance.uniform(0, 0.3))
            self.server.kill()
        time.sleep(self.chance.choice([0, 0, 1]))
        self.start_again()

    def stop(self, _):
        code, took = self.server.stop(timeout=60)
        self.tell(f"the server is stopped within {took:.1f} s")
        assert code == 0, f"the server ended with {code}"
        self.start_again()

    def pause(self, lasts):
        self.tell(f"the machine is suspended for {lasts:.1f} s")
        self.server.process.send_signal(signal.SIGSTOP)
        self.wait(lasts)
        self.server.process.send_signal(signal.SIGCONT)

    def fill(self, lasts):
        if self.is_full:
            return
        self.tell(f"the disk is full for {lasts:.1f} s")
        self.is_full = True
        self.machine.fill()
        self.lasting(lasts, self.empty)

    def empty(self):
        self.tell("the disk has room")
        self.machine.empty()
        self.is_full = False

    def slow_down(self, lasts):
        delay = self.chance.choice([5, 50, 300, 1500])
        self.tell(f"the disk takes {delay} ms for {lasts:.1f} s")
        self.machine.slow_down(delay)
        self.lasting(lasts, lambda: self.machine.slow_down(0))

    def webhooks_fail(self, lasts):
        self.fail(self.webhooks, "webhooks", lasts)

    def carrier_fails(self, lasts):
        self.fail(self.carrier, "text messages", lasts)

    def fail(self, provider, name, lasts):
        manner = self.chance.choice(MANNERS)
        self.tell(f"{name}: {manner} for {lasts:.1f} s")
        provider.become(manner)
        self.lasting(lasts, lambda: provider.become("answers"))

    def crowd(self, lasts):
        count = min(2 * self.machine.descriptors, 1000)
        self.tell(f"{count} connections without a request for {lasts:.1f} s")
        crowd = Crowd(self.server, count, random.Random(self.chance.random()))
        self.lasting(lasts, crowd.leave)

    def be_greedy(self, lasts):
        self.tell(f"somebody asks for too much for {lasts:.1f} s")
        self.greedy.stop()
        self.greedy.start()
        self.lasting(lasts, self.greedy.stop)

    # MARK: Promises

    def is_kept(self):
        """Checks that everything that was answered is there, even after a restart, and that no id
        occurred twice."""
        assert self.server.is_running, "the process has ended"
        assert self.machine.killed_for_memory == 0, "the memory was used up"
        assert not self.greedy.wrong, self.greedy.wrong[:5]
        ready = Client(self.server)
        wait_until(
            lambda: ready.send("GET", "/health/ready").status_code == 200, 15, "ready", every=0.2
        )
        everyone_silent_is_noticed(self.population, PATIENCE)
        self.promises.everything()
        self.has_each_id_once()
        self.tell(
            f"{len(self.load.book)} answers, {len(self.promises.alerts_seen)} alerts, "
            f"{len(self.load.unavailable)} times unavailable, greedy {self.greedy.statuses}, "
            f"{self.server.resident_megabytes:.0f} MB"
        )

    def has_each_id_once(self):
        told = [
            item["id"]
            for person in [*self.population.dependents, *self.population.responders, self.texted]
            for item in person.pages("/v1/notifications")
        ]
        ids = Counter([*told, *self.greedy.ids, *(self.population.secrets)])
        twice = [id for id, count in ids.items() if count > 1 or id == NO_ID]
        assert not twice, f"made more than once: {twice[:5]}"
        content = {}
        for call in self.webhooks.calls:
            body = content.setdefault(call.headers["webhook-id"], call.body)
            assert body == call.body, f"two webhooks with one id: {body}, {call.body}"

    def is_told(self):
        """Checks that each alert reached every responder by webhook and by text message."""
        webhooks_arrive(self.population, self.promises, self.webhooks)
        self.under_way = []
        try:
            wait_until(self.texts_are_settled, ARRIVAL, "every text message", every=1)
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {self.under_way[:3]}") from failure
        assert self.server.is_running, "the process has ended"
        code, _ = self.server.stop(timeout=60)
        assert code == 0, f"the server ended with {code}"
        self.parts.close()

    def texts_are_settled(self):
        """Checks that no responder still waits for the first text message about an alert."""
        accepted, self.under_way = 0, []
        for person in self.population.dependents:
            for alert in person.pages("/v1/alerts"):
                if alert["id"] not in self.promises.alerts_seen:
                    continue
                ledger = person.get(f"/v1/alerts/{alert['id']}")["ledger"]
                lines = [
                    line
                    for line in ledger
                    if line["channel"] == "sms" and line["recipientId"] == self.texted.id
                ]
                assert lines, f"no text message for {alert}"
                accepted += sum(line["state"] in ("accepted", "received", "seen") for line in lines)
                # Later messages about the alert may be delayed by minutes (product.md, "Storms").
                first = min(lines, key=lambda line: line["time"])
                assert first["state"] not in ("failed", "givenUp"), f"never told: {first}"
                if first["state"] in ("queued", "sending", "retrying"):
                    self.under_way.append(first)
        sent = sum(form["To"] == TEXTED for form in self.carrier.forms)
        assert accepted <= sent, f"{accepted} were accepted, and {sent} came to the carrier"
        return not self.under_way
