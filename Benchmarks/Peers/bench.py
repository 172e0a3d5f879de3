"""Compares check-ins with pings of healthchecks, side by side: `make bench-peers PEER=…`, the path
of a checkout. A second argument sets the seconds of a round (10). Each answer of both must have
been kept."""

import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import postgresql
from healthchecks import Checkout, Healthchecks, Problem
from postgresql import TestPostgreSQL
from support.api import sign_in
from support.program import Server, phone_number

sys.path.append(str(Path(__file__).parent.parent / "Browser"))
from table import Table

PEOPLE, ROUNDS, CONNECTIONS = 1_000, 3, (16, 64)
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
WARM_UP_SECONDS = min(SECONDS, 3)
SCRIPT = Path(__file__).parent / "requests.lua"
# As in Benchmarks/PostgreSQL.
DURABLE = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on"}
LARGE = {"shared_buffers": "1GB", "max_wal_size": "4GB", "checkpoint_timeout": "30min"}


class LifeSignal:
    """A server with signed-in people, on SQLite or on a database of the server `postgresql`."""

    request = "check-in"

    def __init__(self, folder, postgresql=None):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.postgresql = postgresql
        database = postgresql.make_database() if postgresql else None
        self.server = Server(self.folder, "--log-level", "error", phones=PEOPLE, database=database)
        self.people = self.folder / "tokens"

    def start(self):
        self.server.start()
        with ThreadPoolExecutor(8) as threads:
            tokens = list(threads.map(self._sign_up, range(PEOPLE)))
        self.people.write_text("".join(f"{token}\n" for token in tokens))
        return self

    def _sign_up(self, number):
        person = sign_in(self.server, phone_number(number))
        person.check_in()
        person.session.close()
        return person.token

    @property
    def url(self):
        return self.server.url

    def kept(self):
        query = "SELECT count(*) FROM check_ins"
        if self.postgresql:
            name = urlsplit(self.server.database).path.strip("/")
            return int(self.postgresql.sql(query, name))
        path = f"file:{self.server.database}?mode=ro"
        with closing(sqlite3.connect(path, uri=True)) as database:
            return database.execute(query).fetchone()[0]

    def stop(self):
        self.server.stop()


class Peer(Healthchecks):
    request = "ping"

    @property
    def people(self):
        return self.codes


class Contestant:
    """A server under load, with the answers a second and the p99 of each round, by the number of
    connections."""

    def __init__(self, name, server):
        self.name = name
        self.server = server
        self.rates = {count: [] for count in CONNECTIONS}
        self.delays = {count: [] for count in CONNECTIONS}

    def rest(self):
        """Returns what is kept, once the requests of closed connections have been answered."""
        kept = self.server.kept()
        while True:
            time.sleep(0.3)
            before, kept = kept, self.server.kept()
            if kept == before:
                return kept

    def run(self, connections, seconds):
        before = self.rest()
        # wrk's own limit of 2 s would count slow answers as errors.
        options = ["-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"]
        arguments = ["--", self.server.request, str(self.server.people)]
        output = subprocess.check_output(
            ["wrk", *options, "-s", str(SCRIPT), self.server.url, *arguments], text=True
        )
        result = json.loads(output.splitlines()[-1])
        kept = self.rest() - before
        answers = result["answers"]
        # At the end, each connection may have one more request under way.
        if result["refused"] or result["broken"] or not answers <= kept <= answers + connections:
            raise Problem(
                f"{self.name}, {connections} connections: of {answers} answers, "
                f"{result['refused']} refused and {result['broken']} failed; kept are {kept}"
            )
        return answers / result["seconds"], result["p99"]

    def measure(self, connections):
        rate, delay = self.run(connections, SECONDS)
        self.rates[connections].append(rate)
        self.delays[connections].append(delay)

    def rate(self, connections):
        return statistics.median(self.rates[connections])

    def delay(self, connections):
        return statistics.median(self.delays[connections])


def begin(running, name, server):
    running.callback(server.stop)
    server.start()
    return Contestant(name, server)


def play(contestants):
    for contestant in contestants:
        contestant.run(CONNECTIONS[0], WARM_UP_SECONDS)
    for _ in range(ROUNDS):
        for connections in CONNECTIONS:
            for contestant in contestants:
                contestant.measure(connections)


def compare(table, ours, theirs, what, goals=(None, None)):
    """Adds the median of the rounds' ratios, and the medians of both."""
    for connections, goal in zip(CONNECTIONS, goals):
        # Other programs disturb both parts of a round alike.
        pairs = zip(ours.rates[connections], theirs.rates[connections])
        ratio = statistics.median(mine / other for mine, other in pairs)
        mine, other = ours.rate(connections), theirs.rate(connections)
        table.add(
            f"{what}, {connections} connections",
            f"{ratio:.1f} ({mine:,.0f} / {other:,.0f} a second)",
            f"≥ {goal}" if goal else "",
            not goal or ratio >= goal,
        )


def add_delay(table, ours, theirs, what, limit=None):
    delay = ours.delay(64) * 1000
    table.add(
        f"p99 of a check-in, {what}, 64 connections",
        f"{delay:.1f} ms (healthchecks: {theirs.delay(64) * 1000:.0f} ms)",
        f"≤ {limit} ms" if limit else "",
        not limit or delay <= limit,
    )


def on_sqlite(checkout, folder, table):
    with ExitStack() as running:
        ours = begin(running, "LifeSignal on SQLite", LifeSignal(folder / "ours"))
        peer = Peer(checkout, folder / "peer").prepare(PEOPLE)
        theirs = begin(running, "healthchecks on SQLite", peer)
        play([ours, theirs])
    compare(table, ours, theirs, "durable check-ins ÷ healthchecks, SQLite", (30, 35))
    add_delay(table, ours, theirs, "SQLite", 20)
    return [ours, theirs]


def on_postgresql(checkout, folder, table):
    with TestPostgreSQL(**DURABLE, **LARGE) as database, ExitStack() as running:
        server = LifeSignal(folder / "ours on PostgreSQL", database)
        ours = begin(running, "LifeSignal on PostgreSQL", server)
        peer = Peer(checkout, folder / "keeping", database, keeps_connections=True)
        keeping = begin(running, "healthchecks that keeps connections", peer.prepare(PEOPLE))
        peer = Peer(checkout, folder / "default", database).prepare(PEOPLE)
        default = begin(running, "healthchecks with its default", peer)
        play([ours, keeping, default])
    what = "the same, PostgreSQL"
    compare(table, ours, keeping, f"{what}, healthchecks keeps its connections", (6, 6))
    compare(table, ours, default, f"{what}, its default: a connection for each request")
    add_delay(table, ours, keeping, "PostgreSQL")
    return [ours, keeping, default]


def main():
    if not shutil.which("wrk"):
        raise Problem("wrk is not installed: apt-get install wrk")
    if len(sys.argv) < 2 or not sys.argv[1]:
        raise Problem("name a checkout of healthchecks: make bench-peers PEER=../healthchecks")
    checkout = Checkout(sys.argv[1]).install()
    print(f"{checkout.about}; load before: {os.getloadavg()[0]:.1f}", flush=True)
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        contestants = on_sqlite(checkout, Path(folder), table)
        contestants += on_postgresql(checkout, Path(folder), table)
    print(table)
    print(f"\nAnswers a second in each round of {SECONDS} s, by connections:")
    for contestant in contestants:
        for connections, rates in contestant.rates.items():
            numbers = ", ".join(f"{rate:,.0f}" for rate in rates)
            print(f"  {contestant.name}, {connections}: {numbers}")
    sys.exit(1 if table.has_missed else 0)


if __name__ == "__main__":
    try:
        main()
    except (Problem, postgresql.Problem) as problem:
        sys.exit(str(problem))
