"""The machine runs out of file descriptors, or out of disk space while the write-ahead log is still
small. Calls for help get through, and the server recovers by itself."""

import os
import re
import resource
import socket
import subprocess
import time
from pathlib import Path

import pytest

from support.api import Client, new_id, sign_in, watch_over
from support.events import EventStream
from support.program import phone_number, run
from support.waiting import wait_until

DESCRIPTORS = 400
# An address that none of the users has.
STRANGER = "127.0.0.9"
NO_ID = "00000000-0000-4000-8000-000000000000"


def limit_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


def connect(server, source=STRANGER):
    client = socket.create_connection(
        ("127.0.0.1", server.port), timeout=10, source_address=(source, 0)
    )
    client.setblocking(False)
    return client


def is_open(client):
    try:
        while client.recv(4096):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def open_descriptors(server):
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def ids_in(text):
    return re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)


@pytest.mark.parametrize("per_address", [1200, 0], ids=["bound by address", "bound in all"])
def test_idle_connections_from_one_machine(make_server, per_address):
    server = make_server("--requests-per-address", per_address, preexec_fn=limit_descriptors)
    server.start()
    owner = sign_in(server, phone_number(0))
    responder = sign_in(server, phone_number(1))
    watch_over(responder, owner)
    seen, held, most = [], [], 0
    with EventStream(responder) as stream:
        stream.wait_for(lambda event: event.kind == "ready", 10, "ready")
        end = time.monotonic() + 4
        while time.monotonic() < end:
            held += [connect(server) for _ in range(100)]
            most = max(most, open_descriptors(server))
            # This request uses the connection of an earlier request.
            owner.check_in()
            seen.append(owner.post("/v1/me/qr-code")["id"])
            if len(held) > 800:
                for client in held[:300]:
                    client.close()
                held = held[300:]
        alert = owner.put(f"/v1/alerts/{new_id()}", {})
        stream.wait_for(
            lambda event: alert["id"] in str(event.data), 5, "the alert on the responder's stream"
        )
        rounds = [[]]

        def refusal():
            # A new connection may replace one that has been idle for a second.
            answers = map(receive, rounds[-1])
            rounds.append([connect(server) for _ in range(150)])
            return next(filter(None, answers), None)

        answer = wait_until(refusal, 10, "a quick answer at the bound")
        assert answer.startswith(b"HTTP/1.1 503") and b"close" in answer.lower(), answer
    assert server.is_running
    assert most < 0.75 * DESCRIPTORS, f"{most} descriptors were open"
    assert sum(map(is_open, held)) < DESCRIPTORS
    told = [item["id"] for item in responder.pages("/v1/notifications")]
    for ids in (seen, told):
        assert ids and len(set(ids)) == len(ids) and NO_ID not in ids, ids
    for client in held + sum(rounds, []):
        client.close()
    wait_until(lambda: open_descriptors(server) < 60, 10, "the end of the connections")
    anyone = Client(server)
    assert anyone.get("/health/ready")["status"] == "ok"
    assert sign_in(server, phone_number(2)).check_in()["id"]
    owner.post(f"/v1/alerts/{alert['id']}/end")


def processor_seconds(server):
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_last_descriptors_are_not_accepted_away(make_server):
    """Providers and files can use up the reserve. Without a free descriptor, libdispatch ends the
    process, so connections wait, and don't take the last ones."""
    server = make_server().start()
    owners = [sign_in(server, phone_number(index)) for index in range(2)]
    usual = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    used = max(int(path.name) for path in Path(f"/proc/{server.process.pid}/fd").iterdir())
    limit = used + 40
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (limit, usual[1]))
    held = [connect(server) for _ in range(100)]
    wait_until(lambda: "accepts no connections for now" in server.output(), 10, "the shortage")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for owner in owners:
            # This request uses the connection of an earlier request.
            assert owner.check_in()["id"]
        assert limit - open_descriptors(server) > 10
    # Each end of a connection leaves a gap between the used descriptors.
    for client in held[:15]:
        client.close()
        time.sleep(0.2)
    assert limit - open_descriptors(server) > 10
    # The operator's commands still get through.
    stuck = run("admin", "stuck", "--database", server.database)
    assert stuck.returncode == 0, stuck.stderr
    before = processor_seconds(server)
    time.sleep(2)
    assert processor_seconds(server) - before < 0.5
    for client in held:
        client.close()
    assert Client(server).get("/health/live")


def receive(client):
    try:
        return client.recv(4096)
    except BlockingIOError:
        return b""


# MARK: A full disk


def fill(folder):
    with open(folder / "ballast", "ab", buffering=0) as file:
        for size in (1024 * 1024, 4096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 32 MB in memory. The write-ahead log may grow beyond 32 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_full_disk_with_small_log_recovers(make_server, small_disk):
    """Only a checkpoint frees space in the log. Writes then work without the operator's help."""
    server = make_server(database=small_disk / "lifesignal.sqlite").start()
    owner = sign_in(server, phone_number(0))
    responder = sign_in(server, phone_number(1))
    watch_over(responder, owner)
    for _ in range(300):
        owner.check_in()
    fill(small_disk)
    for _ in range(5):
        alert = owner.put(f"/v1/alerts/{new_id()}", {})
        owner.post(f"/v1/alerts/{alert['id']}/end")
    for _ in range(600):
        owner.check_in()
    assert Client(server).get("/health/ready")["status"] == "ok"


def is_ready(server):
    return Client(server).send("GET", "/health/ready").status_code == 200


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_start_with_full_disk_recovers(make_server, small_disk, end):
    """The server answers reads and warns the operator. Once there is space, everything works."""
    server = make_server(database=small_disk / "lifesignal.sqlite").start()
    owner = sign_in(server, phone_number(0), "Ana")
    getattr(server, end)()
    (small_disk / "lifesignal.sqlite-wal").stat()
    fill(small_disk)
    server.start_again()
    assert owner.get("/v1/me")["name"] == "Ana"
    assert "the disk is nearly full" in server.output()
    if not is_ready(server):
        ready = Client(server).send("GET", "/health/ready")
        assert ready.status_code == 503 and "full" in ready.text, ready.text
        for _ in range(20):
            answer = owner.send("PUT", f"/v1/alerts/{new_id()}", {})
            assert answer.status_code == 503 and answer.headers["Retry-After"]
        refusals = [line for line in server.output().splitlines() if " refused" in line]
        assert len(refusals) == 1, refusals
    assert server.is_running
    (small_disk / "ballast").unlink()
    wait_until(lambda: is_ready(server), 15, "ready again", every=0.2)
    alert = owner.put(f"/v1/alerts/{new_id()}", {})
    assert owner.get(f"/v1/alerts/{alert['id']}")["isActive"]
    # The disk of the test is smaller than the space at which the server warns.
    wait_until(
        lambda: all(
            "nearly full" in warning for warning in Client(server).get("/health/ready")["warnings"]
        ),
        10,
        "the deadline monitor",
    )


def test_start_waits_for_disk_space(make_server, small_disk):
    """Without its index file, the log can't be read on a full disk. The program waits for space."""
    server = make_server(database=small_disk / "lifesignal.sqlite").start()
    owner = sign_in(server, phone_number(0), "Ana")
    server.stop()
    (small_disk / "lifesignal.sqlite-shm").unlink()
    fill(small_disk)
    server.arguments = (*server.arguments, "--port", str(server.port))
    server.launch()
    words = "waiting for free disk space"
    wait_until(lambda: words in server.output(), 20, "words for the operator")
    assert server.is_running
    (small_disk / "ballast").unlink()
    server.port = wait_until(server._ready_port, 20, "the start")
    assert owner.get("/v1/me")["name"] == "Ana"
    assert owner.check_in()["id"]
