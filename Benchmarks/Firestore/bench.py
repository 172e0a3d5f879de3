"""Measures the copy in Firestore against drongo's emulator, and prints one table:
`make bench-firestore`. The emulator, its bridge and the server share this machine's cores."""

import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import google.auth.transport.requests
from google.oauth2.service_account import Credentials
from support.api import new_id, sign_in, timestamp
from support.firestore import SCOPE, Firestore
from support.program import Server, phone_number
from support.waiting import wait_until

sys.path.append(str(Path(__file__).parent.parent / "Browser"))
from table import Table

# An argument sets a smaller number.
PEOPLE = int(sys.argv[1]) if sys.argv[1:2] != ["write"] and len(sys.argv) > 1 else 10_000
# New processes average out where a process lies in memory.
CLIENTS, PROCESSES, ROUNDS, CHECK_INS = 8, 5, 10, 800
PUBLIC_URL = "https://lifesignal.example.org"


def in_parallel(work, count=CLIENTS):
    """Runs `work(index)` in threads."""
    threads = [threading.Thread(target=work, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def write_people(url, token, count):
    """Sends what the server sends about each new person: a list of alerts and a commit, and for 64
    people at once two reads and the creation of empty documents. Runs in a process of its own,
    because the bridge has this one."""
    root = f"/v1/projects/{Firestore.PROJECT}/databases/(default)/documents"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send(connection, method, path, body=None):
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text

    def work(_):
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        names = []
        for number in range(count // CLIENTS):
            if number % 64 == 0:
                names = [f"{root.removeprefix('/v1/')}/users/{uuid.uuid4()}" for _ in range(64)]
                create = [
                    {
                        "update": {"name": name, "fields": {"version": {"integerValue": "0"}}},
                        "currentDocument": {"exists": False},
                    }
                    for name in names[: count // CLIENTS - number]
                ]
                send(connection, "POST", f"{root}:batchGet", {"documents": names})
                send(connection, "POST", f"{root}:commit", {"writes": create})
                send(connection, "POST", f"{root}:batchGet", {"documents": names})
            name = names[number % 64]
            texts = {"name": "Ana", "phoneNumber": "+15550100000", "emergencyNote": "Insulin"}
            fields = {key: {"stringValue": text} for key, text in texts.items()}
            fields["isAlertActive"] = {"booleanValue": False}
            write = {"update": {"name": name, "fields": fields}}
            send(connection, "GET", f"/v1/{name}/alerts?pageSize=300")
            send(connection, "POST", f"{root}:commit", {"writes": [write]})

    in_parallel(work)


def limit_of_emulator(folder):
    """Returns how many people a second the bridge and the emulator can take."""
    firestore = Firestore(folder)
    try:
        account = Credentials.from_service_account_file(str(firestore.file), scopes=[SCOPE])
        account.refresh(google.auth.transport.requests.Request())
        command = [sys.executable, __file__, "write", firestore.url, account.token, str(PEOPLE)]
        started = time.monotonic()
        subprocess.run(command, check=True)
        return PEOPLE / (time.monotonic() - started)
    finally:
        firestore.close()


def processor_seconds(process):
    """Returns the processor time of a process. The clock's number is that of Linux'
    `clock_getcpuclockid`."""
    return time.clock_gettime(~process << 3 | 2)


def cost_of_check_in(server, people):
    """Returns the server's processor time for a check-in, in milliseconds."""
    netloc = urlsplit(server.url).netloc

    def work(index):
        person = people[index]
        connection = http.client.HTTPConnection(netloc)
        headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
        for _ in range(CHECK_INS // CLIENTS):
            body = json.dumps({"occurredAt": timestamp()})
            connection.request("PUT", f"/v1/check-ins/{new_id()}", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text

    before = processor_seconds(server.process.pid)
    in_parallel(work)
    return (processor_seconds(server.process.pid) - before) / CHECK_INS * 1000


def check_ins(table, folder):
    """Compares servers with and without the copy. A second one without it shows the noise."""
    costs = {"on": [], "off": [], "off again": []}
    for number in range(PROCESSES):
        add_costs(made(folder / str(number)), costs)
    off = statistics.median(costs["off"])
    for name, goal in [("on", 1.02), ("off again", None)]:
        ratio = statistics.median(one / other for one, other in zip(costs[name], costs["off"]))
        table.add(
            f"processor time of a check-in, copy {name} / off ({len(costs['off'])} rounds in turn)",
            f"{ratio:.3f} ({statistics.median(costs[name]):.3f} ms / {off:.3f} ms)",
            f"≤ {goal}" if goal else "1, but for noise",
            goal is None or ratio <= goal,
        )


def add_costs(folder, costs):
    firestore = Firestore(folder)
    servers = {
        name: Server(made(folder / name), *(firestore.arguments if name == "on" else ()))
        for name in costs
    }
    try:
        people = {}
        for name, server in servers.items():
            server.start()
            people[name] = [sign_in(server, phone_number(index)) for index in range(CLIENTS)]
            cost_of_check_in(server, people[name])
        for number in range(ROUNDS):
            names = list(costs)
            # Each comes as often at each place.
            for name in names[number % 3 :] + names[: number % 3]:
                costs[name].append(cost_of_check_in(servers[name], people[name]))
    finally:
        for server in servers.values():
            server.kill()
        firestore.close()


def made(folder):
    folder.mkdir()
    return folder


def multiply(database):
    """Copies the row of a user until there are `PEOPLE`."""
    with sqlite3.connect(database) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(users)")]
        [row] = connection.execute("SELECT * FROM users LIMIT 1")
        for index in range(1, PEOPLE):
            values = {
                **dict(zip(columns, row)),
                "id": uuid.uuid4().bytes,
                "phone_number": f"+1555{index:07}",
                "name": f"Person {index}",
            }
            marks = ", ".join("?" * len(columns))
            connection.execute(f"INSERT INTO users VALUES ({marks})", list(values.values()))


def first_copy(table, folder, limit):
    firestore = Firestore(folder)
    server = Server(made(folder / "copied"), "--public-url", PUBLIC_URL)
    try:
        server.start()
        sign_in(server, phone_number(0), "Ana")
        server.stop()
        multiply(server.database)
        server.arguments = (*server.arguments, *firestore.arguments)
        server.start()
        started, memory = time.monotonic(), []

        def is_done():
            # The creation of a person's document is a write, too.
            written = firestore.writes / 2
            memory.append((written, server.resident_megabytes))
            return written >= PEOPLE

        wait_until(is_done, 600, "everyone's copy", every=0.5)
        seconds = time.monotonic() - started
        wanted = max(60, PEOPLE / limit)
        table.add(
            f"{PEOPLE:,} people written",
            f"{seconds:.1f} s (emulator's own limit {PEOPLE / limit:.1f} s, "
            f"{firestore.most_at_once} requests at once)",
            "≤ 60 s or the limit",
            seconds <= wanted,
        )
        early = max(size for written, size in memory if written <= PEOPLE / 4)
        late = max(size for written, size in memory if written > PEOPLE / 4)
        table.add(
            "the server's memory, last three quarters / first",
            f"{late / early:.2f} ({early:.0f} and {late:.0f} MB)",
            "≤ 1.1",
            late <= 1.1 * early,
        )
    finally:
        server.kill()
        firestore.close()


def main():
    table = Table()
    with tempfile.TemporaryDirectory(prefix="lifesignal-bench-") as name:
        folders = [made(Path(name) / part) for part in ("limit", "check-ins", "copy")]
        limit = limit_of_emulator(folders[0])
        table.add(
            f"emulator and bridge alone: people a second, {CLIENTS} clients",
            f"{limit:.0f}",
            "",
            True,
        )
        check_ins(table, folders[1])
        first_copy(table, folders[2], limit)
    print(f"cores: {os.cpu_count()}, load: {os.getloadavg()[0]:.1f}\n{table}")
    sys.exit(table.has_missed)


if sys.argv[1:2] == ["write"]:
    write_people(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    main()
