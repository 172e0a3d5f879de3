"""On a full or read-only disk, the server refuses in plain words, loses nothing that it answered,
and recovers by itself."""

import os
import resource
import subprocess

import pytest

from support.api import Client, check_problem, new_id, sign_in, timestamp
from support.load import Load
from support.population import Population
from support.program import Server, phone_number, run
from support.promises import Promises
from support.waiting import wait_until

NOBODY = 65534


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 128 MB in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def serve_under_load(make_server, folder=None):
    database = {"database": folder / "lifesignal.sqlite"} if folder else {}
    server = make_server("--demo-intervals", **database).start()
    population = Population(server)
    load = Load(population, seed=1, threads=3)
    for person in population.dependents:
        person.check_in()
    return server, load, Promises(load)


def refuses_in_plain_words(server, load):
    """Checks that writes fail with a 503 problem document, and that reads work. The server must
    stay up and report that it is not ready."""
    wait_until(lambda: len(load.unavailable) > 20, 30, "the disk is full")
    load.stop()
    assert load.unavailable[-1].headers.get("Retry-After")
    for response in load.unavailable[:20] + load.unavailable[-20:]:
        assert check_problem(response)["code"] == "unavailable"
    anyone = Client(server)
    assert anyone.get("/health/live")["status"] == "ok"
    ready = anyone.send("GET", "/health/ready")
    assert (
        ready.status_code == 503
        and ready.json()["status"] == "unready"
        and ready.json()["problems"]
    ), ready.text
    assert load.population.dependents[0].get("/v1/me")["status"] in ("active", "alertActive")
    assert server.is_running


def goes_on_by_itself(server, load, promises):
    anyone = Client(server)
    wait_until(
        lambda: anyone.send("GET", "/health/ready").status_code == 200, 15, "ready again", every=0.2
    )
    promises.everything()
    load.unavailable.clear()
    load.run_for(0.5)
    load.stop()
    assert not load.unavailable, "writes are refused although there is space again"
    server.kill()
    server.start()
    promises.everything()


def test_deleted_database_is_reported_and_saved_at_the_stop(make_server):
    server = make_server().start()
    person = sign_in(server, phone_number(0), "Ana")
    person.check_in()
    lock = server.database.with_name("lifesignal.sqlite.lock")
    lock.unlink()
    ready = Client(server).get("/health/ready")
    assert any(f"{lock.name} was moved or deleted" in text for text in ready["warnings"]), ready
    server.database.unlink()
    check_problem(person.send("PUT", f"/v1/check-ins/{new_id()}", {"occurredAt": timestamp()}))
    ready = Client(server).send("GET", "/health/ready")
    assert ready.status_code == 503 and "lifesignal.sqlite was moved" in ready.text, ready.text
    code, _ = server.stop()
    said = server.output()
    assert code == 1 and "Everything that was answered is stored" not in said, said
    (saved,) = server.folder.glob("lifesignal.sqlite.saved-*")
    assert f"is in {saved}" in said, said
    restored = run("restore", saved, "--database", server.database)
    assert restored.returncode == 0, restored.stderr
    server.start()
    assert person.get("/v1/me")["lastCheckInTime"]


def test_full_disk_is_reported_and_recovers(make_server, small_disk):
    server, load, promises = serve_under_load(make_server, small_disk)
    warned = Client(server).send("GET", "/health/ready")
    assert warned.ok and "the disk is nearly full" in warned.text
    load.start()
    ballast = small_disk / "ballast"
    with open(ballast, "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(bytes(1024 * 1024))
    refuses_in_plain_words(server, load)
    ballast.unlink()
    goes_on_by_itself(server, load, promises)


@pytest.mark.skipif(
    not hasattr(resource, "prlimit"),
    reason="the limits of a running process can be set on Linux only",
)
def test_file_size_limit_is_reported_and_recovers(make_server):
    """Simulates a full disk: the system limits the size of the server's files."""
    server, load, promises = serve_under_load(make_server)
    log = server.database.with_name(server.database.name + "-wal")
    load.start()
    wait_until(
        lambda: log.stat().st_size > 1_000_000,
        30,
        "a write-ahead log that is larger than the server's other files",
    )
    unlimited = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)

    def limit(size):
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, unlimited[1]))

    # The server reaches the first limit within a write. The second limit leaves no space for any
    # write.
    limit(log.stat().st_size + 100_000)
    wait_until(lambda: load.unavailable, 30, "the first refusal")
    limit(500_000)
    refuses_in_plain_words(server, load)
    limit(unlimited[0])
    goes_on_by_itself(server, load, promises)


def test_start_on_full_disk_is_refused(make_server, small_disk):
    fill(small_disk)
    server = make_server(database=small_disk / "lifesignal.sqlite").launch()
    assert server.wait_for_end() != 0
    assert "full" in server.output() or "No space left" in server.output(), server.output()


def fill(disk):
    ballast = disk / "ballast"
    with open(ballast, "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(bytes(64 * 1024))
    return ballast


def test_full_disk_leaves_no_part_of_a_key(make_server, small_disk, tmp_path):
    key, backup = small_disk / "server.key", tmp_path / "backup.sqlite"
    is_full = f"the disk that holds {key} is full. Free some space there, and run this again."
    ballast = fill(small_disk)
    server = make_server("--key-file", key).launch()
    assert server.wait_for_end() == 1
    assert is_full in server.output() and list(small_disk.iterdir()) == [ballast]
    ballast.unlink()
    server.start()
    ana = sign_in(server, phone_number(0), "Ana")
    of_server = ("--database", server.database, "--key-file", key)
    made = run("backup", backup, *of_server)
    assert made.returncode == 0, made.stderr
    server.stop()

    fill(small_disk)
    for command in (["prepare"], ["rotate", "--reason", "Yearly"]):
        refused = run("admin", "keys", *command, *of_server)
        assert refused.returncode == 1, refused.stdout + refused.stderr
        assert is_full.replace("server.key", "server.key.next") in refused.stderr
    assert sorted(small_disk.iterdir()) == [ballast, key]

    key.unlink()
    ballast.unlink()
    fill(small_disk)
    refused = run("restore", backup, *of_server)
    assert refused.returncode == 1 and is_full in refused.stderr, refused.stdout + refused.stderr
    assert list(small_disk.iterdir()) == [ballast]
    ballast.unlink()
    assert run("restore", backup, *of_server).returncode == 0
    server.start()
    assert ana.get("/v1/me")["name"] == "Ana"


def test_start_on_read_only_disk_is_refused(make_server, small_disk):
    server = make_server(database=small_disk / "lifesignal.sqlite").start()
    server.stop()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    server.launch()
    assert server.wait_for_end() != 0
    assert "lifesignal.sqlite can't be written" in server.output(), server.output()


@pytest.fixture
def another_user(tmp_path):
    """Returns options that run a process as a user who may not write here, because permissions
    don't restrict root."""
    if os.geteuid() != 0:
        return {}
    try:
        subprocess.run(
            [*Server(tmp_path).command[:1], "--version"],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"the program can't be run as another user: {error}")
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@pytest.mark.parametrize("is_there", [True, False], ids=["the file", "the folder"])
def test_database_without_permission_is_refused(make_server, another_user, is_there):
    server = make_server()
    if is_there:
        server.start()
        server.stop()
        before = server.database.read_bytes()
    for path in server.folder.glob("lifesignal.*"):
        path.chmod(0o444)
    server.folder.chmod(0o555)
    server.folder.parent.chmod(0o755)
    server.options = another_user
    try:
        server.launch()
        assert server.wait_for_end() != 0
        assert "lifesignal.sqlite" in server.output(), server.output()
        assert "can't be written" in server.output() or "can't be made" in server.output(), (
            server.output()
        )
        assert not is_there or server.database.read_bytes() == before
    finally:
        server.folder.chmod(0o755)


@pytest.mark.parametrize("is_servers", [True, False], ids=["the server's user", "another user"])
def test_doctor_says_how_to_read_the_key(make_server, another_user, is_servers):
    if not another_user:
        pytest.skip("only root can run a process as another user")
    server = make_server().start()
    server.stop()
    for folder in (server.folder, server.folder.parent):
        folder.chmod(0o755)
    if is_servers:
        os.chown(server.database, NOBODY, NOBODY)
    doctor = run("doctor", "--database", server.database, "--port", 0, **another_user)
    assert doctor.returncode == 1 and "BAD   key: " in doctor.stdout, doctor.stdout
    # The folder of all tests may be closed to other users.
    mend = "chown nobody " if is_servers else "Run this as the server's user."
    assert f"→ {mend}" in doctor.stdout or "→ Let nobody enter " in doctor.stdout
    assert is_servers or "chown nobody " not in doctor.stdout
    assert "beside a backup there" not in doctor.stdout and "Web Push" not in doctor.stdout
