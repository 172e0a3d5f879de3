"""`lifesignal admin keys`: a new key while people use the server, and after each interruption."""

import fcntl
import json
import os
import re
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.api import Client, enter_code, new_id, sign_in
from support.load import Load
from support.population import Population
from support.program import CODE, PROGRAM, environment, phone_number, run
from support.promises import Promises
from support.servers import Servers
from support.waiting import wait_until

USAGE = 2
REFUSED = 4
UNAVAILABLE = 5
OTHER = 65534
ANA = phone_number(0)


class Keys:
    """The commands for the key of a server."""

    def __init__(self, server):
        self.server = server
        self.file = (
            server.folder / "lifesignal.key"
            if server.is_shared
            else server.database.with_name(server.database.name + ".key")
        )
        self.next = self.file.with_name(self.file.name + ".next")
        self.socket = server.folder / "admin"
        self.database = server.database

    def run(self, *arguments, group="keys", **options):
        return run(
            "admin",
            *[group] * bool(group),
            *arguments,
            "--database",
            self.database,
            "--key-file",
            self.file,
            *(["--admin-socket", self.socket] if self.socket in self.server.arguments else []),
            **options,
        )

    def answer(self, *arguments, code=0, **options):
        result = self.run(*arguments, "--json", **options)
        assert result.returncode == code, result.stdout + result.stderr
        return json.loads(result.stderr)["error"] if code else json.loads(result.stdout)

    def rotate(self, **options):
        return self.answer("rotate", "--reason", "Yearly", **options)

    def log(self):
        entries = self.answer("log", group=None)["entries"]
        return [entry["act"]["kind"] for entry in entries]


def serve(make_server, *arguments):
    server = make_server(*arguments)
    if server.is_shared:
        server.arguments = (*server.arguments, "--admin-socket", server.folder / "admin")
    return server.start()


@pytest.mark.both_engines
def test_key_is_rotated_under_load(make_server, webhooks):
    server = serve(make_server, "--demo-intervals", "--allow-private-webhooks")
    population = Population(server, webhooks)
    keys, load = Keys(server), Load(population, seed=6)
    old = keys.file.read_bytes()
    load.run_for(1)
    if server.is_shared:
        refusal = keys.rotate(code=USAGE)
        assert refusal["code"] == "not-prepared", refusal
        keys.answer("prepare")
    keys.rotate()
    new = keys.file.read_bytes()
    assert new != old and len(new) == 32 and not keys.next.exists()
    assert stat.S_IMODE(keys.file.stat().st_mode) == 0o600
    load.run_for(1)
    load.stop()
    Promises(load).everything()

    # A receiver has the old secret of its webhook; a new look shows the current one.
    responder = population.responders[0]
    before = len(webhooks.calls)
    [device] = responder.get("/v1/devices")["items"]
    form = {"kind": "webhook", "url": device["url"]}
    secret = responder.put(f"/v1/devices/{device['id']}", form)["signingSecret"]
    assert secret != population.secrets[responder.id]
    responder.post(f"/v1/devices/{device['id']}/test", status=204)
    wait_until(lambda: len(webhooks.calls) > before, 30, "the test message")
    for call in webhooks.calls[before:]:
        owner = call.path.removeprefix("/")
        call.verified(population.secrets[owner])
        if owner == responder.id:
            call.verified(secret)

    server.stop()
    server.start_again()
    assert sign_in(server, phone_number(0)).check_in()
    assert keys.log() == ["rotate-key"]


@pytest.mark.both_engines
def test_code_and_recovery_code_outlive_a_rotation(make_server):
    server = serve(make_server)
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    codes = ana.post("/v1/me/recovery-codes", status=201)["codes"]
    other = Client(server)
    other.post("/v1/auth/codes", {"phoneNumber": ANA}, status=202)
    keys.answer("prepare")
    keys.rotate()
    enter_code(other, ANA, CODE)
    recovery = {"phoneNumber": ANA, "deviceName": "New", "recoveryCode": codes[0]}
    other.post("/v1/auth/sessions", recovery, status=201)
    assert ana.get("/v1/me/sign-in-security")["recoveryCodes"] == 9


def test_other_servers_follow(make_server, postgresql, tmp_path):
    database = postgresql.make_database()
    servers = Servers(make_server, database, "--allow-private-webhooks", folder=tmp_path).start()
    ana = sign_in(servers.all[0], ANA, "Ana")
    id = new_id()

    def secrets():
        """Returns the secrets of a webhook by the servers' keys."""
        found = set()
        for server in servers.all:
            ana.server = server
            device = {"kind": "webhook", "url": "http://127.0.0.1:1/hook"}
            found.add(ana.put(f"/v1/devices/{id}", device)["signingSecret"])
        return found

    before = secrets()
    assert len(before) == 1
    # Without a socket, the command works on the database, beside the running servers.
    keys = Keys(servers.all[0])
    keys.database = database
    keys.file, keys.next = tmp_path / "lifesignal.key", tmp_path / "lifesignal.key.next"
    refusal = keys.rotate(code=USAGE)
    assert refusal["code"] == "not-prepared", refusal
    keys.answer("prepare")
    keys.rotate()
    assert not keys.next.exists()
    wait_until(lambda: len(after := secrets()) == 1 and after != before, 60, "the new key", every=1)
    for server in servers.all:
        ana.server = server
        assert ana.check_in()


def test_forgetting_says_first_what_ends(make_server):
    server = serve(make_server)
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    ana.post("/v1/me/recovery-codes", status=201)
    forget = ("forget", "--reason", "Theft")
    for arguments in (forget, (*forget, "--yes")):
        nothing = keys.answer(*arguments, code=REFUSED)
        assert nothing["code"] == "not-found"
        assert nothing["message"] == "The server has no former keys."
    keys.rotate()
    assert "a former key is accepted" in doctor(server)
    said = keys.answer(*forget, code=USAGE)
    assert said["code"] == "not-confirmed" and "recovery codes" in said["message"]
    assert ana.get("/v1/me/sign-in-security")["recoveryCodes"] == 10

    def is_forgotten():
        result = keys.run(*forget, "--yes")
        assert result.returncode in (0, UNAVAILABLE), result.stderr
        return result.returncode == 0

    wait_until(is_forgotten, 60, "the renewal of all rows")
    assert ana.get("/v1/me/sign-in-security")["recoveryCodes"] == 0
    assert "a former key" not in doctor(server)
    assert keys.answer(*forget, code=REFUSED)["code"] == "not-found"
    server.stop()
    assert keys.answer(*forget, code=REFUSED)["code"] == "not-found"
    server.start_again()
    assert ana.check_in()


def doctor(server):
    return run("doctor", "--database", server.database, "--port", 0).stdout


def test_works_without_a_server(make_server):
    server = serve(make_server)
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    server.stop()
    old = keys.file.read_bytes()
    keys.rotate()
    # Nothing runs, so all rows were renewed at once.
    keys.answer("forget", "--reason", "Theft", "--yes")
    assert keys.file.read_bytes() != old
    server.start_again()
    assert ana.check_in()


@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_second_try_finishes_an_interrupted_rotation(make_server, runs):
    server = serve(make_server)
    sign_in(server, ANA, "Ana")
    keys = Keys(server)
    if not runs:
        server.stop()
    old = keys.file.read_bytes()
    # Killed while it wrote the present and the next key.
    for whole in (keys.file, keys.next):
        whole.with_name(whole.name + ".part").write_bytes(old)
    # Killed before it asked the server.
    keys.answer("prepare")
    new = keys.next.read_bytes()
    assert len(new) == 32 and keys.file.read_bytes() == old
    assert sorted(keys.file.parent.glob(keys.file.name + "*")) == [keys.file, keys.next]
    keys.rotate()
    assert keys.file.read_bytes() == new
    # Killed before it renamed the file.
    keys.file.write_bytes(old)
    keys.next.write_bytes(new)
    keys.rotate()
    assert keys.file.read_bytes() == new and not keys.next.exists()
    assert keys.log() == ["rotate-key"]


@pytest.mark.skipif(not os.path.exists("/proc/locks"), reason="only Linux lists who waits")
def test_server_takes_the_key_that_another_has_made_meanwhile(make_server):
    server = make_server()
    file = Keys(server).file
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        server.launch()
        waiter = f"-> FLOCK  ADVISORY  WRITE {server.process.pid} "
        wait_until(lambda: waiter in Path("/proc/locks").read_text(), 30, "a server at the lock")
        file.touch(0o600)
        file.write_bytes(b"x" * 32)
    finally:
        os.close(folder)
    server.port = wait_until(server._ready_port, 60, "the ready line")
    assert sign_in(server, ANA, "Ana").check_in()
    assert list(file.parent.glob(file.name + "*")) == [file] and file.read_bytes() == b"x" * 32


def test_start_after_an_interrupted_rotation(make_server, tmp_path):
    server = serve(make_server)
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    old = keys.file.read_bytes()
    keys.rotate()
    new = keys.file.read_bytes()
    keys.file.write_bytes(old)
    keys.next.write_bytes(new)
    # A backup has the key of the database, and it can be restored.
    backup = tmp_path / "backup.sqlite"
    result = run("backup", backup, "--database", server.database)
    assert result.returncode == 0 and "WITH ANOTHER KEY" not in result.stdout, result.stdout
    assert backup.with_name("backup.sqlite.key").read_bytes() == new
    server.stop()
    assert "keys rotate again" in doctor(server)
    server.start_again()
    assert ana.check_in()
    server.stop()
    # A credential of systemd has only the former key.
    keys.next.unlink()
    server.launch()
    assert server.wait_for_end() == 1
    assert "rename KEYFILE.next" in server.output()

    restored = make_server()
    result = run("restore", backup, "--database", restored.database)
    assert result.returncode == 0, result.stderr
    ana.server = restored.start()
    assert ana.get("/v1/me")["name"] == "Ana"


def test_rotation_needs_the_servers_key_file(make_server, tmp_path):
    server = serve(make_server)
    keys = Keys(server)
    real, keys.file = keys.file, tmp_path / "other.key"
    assert keys.rotate(code=USAGE)["code"] == "not-found"
    keys.file.write_bytes(b"x" * 32)
    before = real.read_bytes()
    assert "not the server's key" in keys.rotate(code=REFUSED)["message"]
    assert real.read_bytes() == before and keys.file.read_bytes() == b"x" * 32
    assert run("admin", "keys", "rotate", "--database", server.database).returncode == USAGE


def test_key_in_the_environment_is_not_rotated(make_server, tmp_path):
    key = {"LIFESIGNAL_KEY": "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg="}
    server = make_server("--begin-anew", env=key).start()
    rotate = ["admin", "keys", "rotate", "--reason", "Yearly", "--database", server.database]
    refused = run(*rotate, env=key)
    assert refused.returncode == USAGE and re.search(r"base64 -d > KEYFILE", refused.stderr)
    # The file has the same key, but the server would start with the environment's again.
    file = tmp_path / "own.key"
    file.write_bytes(b"x" * 32)
    refused = run(*rotate, "--key-file", file)
    assert refused.returncode == REFUSED and "LIFESIGNAL_KEY" in refused.stderr
    assert file.read_bytes() == b"x" * 32


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_new_key_belongs_to_the_owner_of_the_old(make_server):
    server = serve(make_server)
    keys = Keys(server)
    os.chown(keys.file, OTHER, OTHER)
    keys.rotate()
    assert keys.file.stat().st_uid == OTHER
    assert stat.S_IMODE(keys.file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to any group")
def test_group_that_reads_the_old_key_reads_the_new_one(make_server):
    server = serve(make_server)
    keys = Keys(server)
    os.chown(keys.file, 0, OTHER)
    keys.file.chmod(0o640)
    old = keys.file.read_bytes()
    keys.rotate()
    new = keys.file.stat()
    assert keys.file.read_bytes() != old
    assert (new.st_uid, new.st_gid, stat.S_IMODE(new.st_mode)) == (0, OTHER, 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_key_that_is_a_mount_is_not_rotated(make_server):
    server = serve(make_server)
    keys = Keys(server)
    old = keys.file.read_bytes()
    mount = 'mount --bind "$0" "$0" && exec "$@"'
    rotate = [PROGRAM, "admin", "keys", "rotate", "--reason", "Yearly", "--json"]
    rotate += ["--database", server.database, "--key-file", keys.file]
    refused = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, keys.file, *rotate],
        env=environment(),
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert refused.returncode == USAGE, refused.stdout + refused.stderr
    assert json.loads(refused.stderr)["error"]["code"] == "key-is-mounted"
    assert keys.file.read_bytes() == old and not keys.next.exists()
    assert keys.log() == []


def test_commands_at_the_same_time_lose_no_key(make_server):
    server = serve(make_server)
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: keys.rotate(), range(4)))
    assert keys.log() == ["rotate-key"] * 4
    assert not keys.next.exists()
    server.stop()
    server.start_again()
    assert ana.check_in()


@pytest.mark.both_engines
def test_webhook_token_outlives_a_rotation(make_server, webhooks):
    server = serve(make_server, "--allow-private-webhooks")
    ana, keys = sign_in(server, ANA, "Ana"), Keys(server)
    topic = {"kind": "webhook", "url": f"{webhooks.url}/topic", "template": "ntfy"}
    id = new_id()
    ana.put(f"/v1/devices/{id}", {**topic, "token": "tk_a"})
    keys.answer("prepare")
    keys.rotate()
    ana.post(f"/v1/devices/{id}/test", status=204)
    call = wait_until(lambda: webhooks.calls, 30, "the test message")[0]
    assert call.headers["authorization"] == "Bearer tk_a"
