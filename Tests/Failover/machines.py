"""Three machines with PostgreSQL under Patroni, configured by the shipped file, and etcd. Each
machine has its own network, which can be cut off."""

import os
import shutil
import subprocess

import requests

from daemons import Daemon
from paths import DEPLOY
from support.waiting import wait_until

PASSWORD = "secret"
BRIDGE = "10.0.0.1"


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def remove(*what):
    """Removes a part of a network, if it exists."""
    subprocess.run(["ip", *what], stderr=subprocess.DEVNULL)


class DatabaseMachine:
    """A network namespace at the bridge. Patroni and PostgreSQL run in it as the user postgres."""

    def __init__(self, number, folder):
        self.name = f"pg{number}"
        self.space = f"lifesignal-{os.getpid()}-{number}"
        self.cable = f"cable{number}"
        self.address = f"10.0.0.1{number}"
        # The port names the socket. All machines share the sockets' folder, so their ports must
        # differ.
        self.port = 54840 + number
        self.folder = folder / self.name
        self.folder.mkdir()
        shutil.chown(self.folder, "postgres", "postgres")
        self.daemon = None

    def build(self):
        run("ip", "netns", "add", self.space)
        run(*f"ip link add {self.cable} type veth peer name inside netns {self.space}".split())
        run(*f"ip link set {self.cable} master bridge up".split())
        for command in (
            f"ip addr add {self.address}/24 dev inside",
            "ip link set inside up",
            "ip link set lo up",
        ):
            run("ip", "netns", "exec", self.space, *command.split())

    def start(self):
        env = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "PATRONI_NAME": self.name,
            "PATRONI_RESTAPI_LISTEN": f"{self.address}:8008",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"{self.address}:8008",
            "PATRONI_POSTGRESQL_LISTEN": f"{self.address},127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"{self.address}:{self.port}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.folder / "data"),
            "PATRONI_ETCD3_HOSTS": f"{BRIDGE}:2379",
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
            "PATRONI_REPLICATION_PASSWORD": PASSWORD,
            "PATRONI_REWIND_PASSWORD": PASSWORD,
        }
        self.daemon = Daemon(
            *["ip", "netns", "exec", self.space],
            *["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"],
            *["patroni", DEPLOY / "patroni/patroni.yml"],
            log=self.folder.parent / f"{self.name}.log",
            env=env,
            cwd=self.folder,
        )

    def answers(self, path):
        try:
            url = f"http://{self.address}:8008{path}"
            return requests.get(url, timeout=1).status_code == 200
        except requests.RequestException:
            return False

    def kill_server(self):
        os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), 9)

    def cut_off(self):
        run("ip", "link", "set", self.cable, "down")

    def connect(self):
        run("ip", "link", "set", self.cable, "up")

    def stop(self):
        if self.daemon:
            self.daemon.kill()
        found = subprocess.run(
            ["ip", "netns", "pids", self.space], capture_output=True, text=True
        ).stdout
        for process in found.split():
            try:
                os.kill(int(process), 9)
            except ProcessLookupError:
                pass
        remove("link", "del", self.cable)
        remove("netns", "del", self.space)


class DatabaseMachines:
    def __init__(self, folder):
        self.folder = folder
        self.etcd = None
        self.all = [DatabaseMachine(number, folder) for number in (1, 2, 3)]

    def build(self):
        run(*"ip link add bridge type bridge".split())
        run(*f"ip addr add {BRIDGE}/24 dev bridge".split())
        run(*"ip link set bridge up".split())
        url, peer = f"http://{BRIDGE}:2379", f"http://{BRIDGE}:2380"
        self.etcd = Daemon(
            *["etcd", "--data-dir", self.folder / "etcd", "--name", "etcd"],
            *["--listen-client-urls", url, "--advertise-client-urls", url],
            *["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
            *["--initial-cluster", f"etcd={peer}"],
            log=self.folder / "etcd.log",
        )
        for machine in self.all:
            machine.build()
        return self

    @property
    def url(self):
        hosts = ",".join(f"{machine.address}:{machine.port}" for machine in self.all)
        return f"postgres://postgres@{hosts}/lifesignal"

    def start(self):
        for machine in self.all:
            machine.start()
        self.wait_until_whole()
        primary = self.primary()
        url = f"host={primary.address} port={primary.port} user=postgres password={PASSWORD}"
        run("psql", "-XqAt", url, "-c", "CREATE DATABASE lifesignal")
        return self

    def primary(self):
        return next((machine for machine in self.all if machine.answers("/primary")), None)

    def is_whole(self):
        """Returns whether both replicas follow the primary's current timeline. A returning replica
        may answer for a moment, and then restart to undo its own commits."""
        primary = self.primary()
        if not primary:
            return False
        try:
            url = f"http://{primary.address}:8008/cluster"
            members = requests.get(url, timeout=1).json()["members"]
        except (requests.RequestException, ValueError):
            return False
        leader = next((m for m in members if m["role"] == "leader"), {})
        following = [
            member
            for member in members
            if member["role"] in ("replica", "sync_standby")
            and member["state"] in ("running", "streaming")
            and member.get("timeline") == leader.get("timeline")
        ]
        states = {member["role"] for member in following}
        return len(following) == 2 and "sync_standby" in states and self._streams(primary) == 2

    def _streams(self, primary):
        url = f"host={primary.address} port={primary.port} user=postgres password={PASSWORD}"
        text = "SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'"
        result = subprocess.run(
            ["psql", "-XqAt", f"{url} connect_timeout=2", "-c", text],
            capture_output=True,
            text=True,
        )
        return int(result.stdout or 0) if result.returncode == 0 else 0

    def wait_until_whole(self):
        try:
            wait_until(self.is_whole, 180, "a primary and two replicas", every=0.5)
        except AssertionError as error:
            # The folder is deleted after the test, so the error includes the ends of the logs.
            raise AssertionError(f"{error}\n{self._ends_of_logs()}") from None

    def _ends_of_logs(self):
        logs = [self.folder / f"{machine.name}.log" for machine in self.all]
        ends = [log.read_text(errors="replace").splitlines()[-60:] for log in logs]
        return "\n".join(line for log, end in zip(logs, ends) for line in [f"--- {log.name}", *end])

    def stop(self):
        for machine in self.all:
            machine.stop()
        if self.etcd:
            self.etcd.kill()
        remove("link", "del", "bridge")
