"""Three PostgreSQL nodes under Patroni and etcd with the shipped file, reached through the shipped
HAProxy. The primary crashes, or a whole node is gone."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import requests

import metrics
import proxies
from daemons import Daemon, program
from paths import DEPLOY
from ports import free_ports
from support.waiting import wait_until

PASSWORD = "secret"
OWN = "PATRONI_RESTAPI_CONNECT_ADDRESS PATRONI_POSTGRESQL_CONNECT_ADDRESS PATRONI_NAME".split()


def test_patroni_takes_the_file_with_the_values_of_a_node():
    lines = (DEPLOY / "patroni/patroni_env.conf").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert set(OWN) < set(values)
    values = {name: value or PASSWORD for name, value in values.items()}
    result = subprocess.run(
        ["patroni", "--validate-config", DEPLOY / "patroni/patroni.yml"],
        env={**os.environ, **values},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0 and not result.stdout + result.stderr, result


class Node:
    """Patroni and its PostgreSQL, run as the user postgres, with ports and a folder of their
    own."""

    def __init__(self, name, folder, etcd):
        self.name = name
        self.folder = folder / name
        self.folder.mkdir()
        # PostgreSQL refuses to run as root.
        self.user = {} if os.geteuid() else {"user": "postgres", "group": "postgres"}
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.port, self.rest = free_ports(2)
        self.env = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "PATRONI_NAME": name,
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{self.rest}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.rest}",
            "PATRONI_POSTGRESQL_LISTEN": f"127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.folder / "data"),
            "PATRONI_ETCD3_HOSTS": etcd,
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
            "PATRONI_REPLICATION_PASSWORD": PASSWORD,
            "PATRONI_REWIND_PASSWORD": PASSWORD,
        }
        self.daemon = None

    def start(self):
        self.daemon = Daemon(
            *["patroni", DEPLOY / "patroni/patroni.yml"],
            log=self.folder.parent / f"{self.name}.log",
            env=self.env,
            cwd=self.folder,
            **self.user,
        )
        return self

    def get(self, path):
        try:
            return requests.get(f"http://127.0.0.1:{self.rest}{path}", timeout=2)
        except requests.RequestException:
            return None

    def answers(self, path):
        answer = self.get(path)
        return answer is not None and answer.status_code == 200

    @property
    def server(self):
        """The process of PostgreSQL, which Patroni starts in a separate session."""
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def kill_server(self):
        os.kill(self.server, 9)

    def kill(self):
        if self.daemon:
            self.daemon.kill()
            self.daemon = None
            try:
                self.kill_server()
            except (OSError, ValueError):
                pass


class PatroniCluster:
    def __init__(self, folder):
        self.folder = folder
        self.etcd = self.haproxy = None
        self.nodes = []

    def build(self):
        """Starts etcd and HAProxy. The nodes are started by `start`."""
        folder = self.folder
        client, peer, *ports = free_ports(5)
        url = f"http://127.0.0.1:{client}"
        self.etcd = Daemon(
            *["etcd", "--data-dir", folder / "etcd", "--name", "etcd"],
            *["--listen-client-urls", url, "--advertise-client-urls", url],
            *["--listen-peer-urls", f"http://127.0.0.1:{peer}"],
            *["--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}"],
            *["--initial-cluster", f"etcd=http://127.0.0.1:{peer}"],
            log=folder / "etcd.log",
        )
        self.etcd.wait_for_port(client)
        self.nodes = [Node(f"pg{n}", folder, f"127.0.0.1:{client}") for n in (1, 2, 3)]
        databases = [(node.port, node.rest) for node in self.nodes]
        self.port = ports[0]
        self.haproxy = Daemon(
            *[program("haproxy"), "-db"],
            *["-f", proxies.haproxy_file(folder, databases=databases, ports=ports)],
            log=folder / "haproxy.log",
        )
        self.haproxy.wait_for_port(self.port)
        return self

    def start(self):
        for node in self.nodes:
            node.start()
        wait_until(self.is_whole, 120, "a primary and two replicas", every=0.5)
        return self

    def primary(self):
        primaries = [node for node in self.nodes if node.daemon and node.answers("/primary")]
        assert len(primaries) < 2, "two primaries"
        return primaries[0] if primaries else None

    def first_primary(self):
        """Waits until a primary answers, which takes longer on a busy machine."""
        return wait_until(self.primary, 60, "a primary")

    def is_whole(self):
        replicas = [node for node in self.nodes if node.answers("/replica")]
        return self.primary() and len(replicas) == 2 and any(n.answers("/sync") for n in replicas)

    def sql(self, text, timeout=5):
        """Runs SQL through HAProxy. Returns its output, or None if it failed."""
        url = f"host=127.0.0.1 port={self.port} user=postgres password={PASSWORD} connect_timeout=2"
        try:
            result = subprocess.run(
                ["psql", "-XqAt", url, "-c", text], capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return None
        return result.stdout.strip() if result.returncode == 0 else None

    def stop(self):
        for node in self.nodes:
            node.kill()
        for daemon in (self.haproxy, self.etcd):
            if daemon:
                daemon.kill()


@pytest.fixture
def cluster():
    # PostgreSQL runs as another user, who can't read the folders that pytest creates.
    folder = Path(tempfile.mkdtemp(prefix="lifesignal-cluster-"))
    folder.chmod(0o755)
    cluster = PatroniCluster(folder)
    try:
        yield cluster.build()
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_nothing_that_was_committed_is_lost(cluster):
    cluster.start()
    answer = wait_until(lambda: cluster.first_primary().get("/metrics"), 60, "Patroni's metrics")
    figures = answer.text
    for name in metrics.OTHERS:
        assert not name.startswith("patroni") or f"\n{name}{{" in figures, name
    assert cluster.sql("CREATE TABLE kept (number integer PRIMARY KEY)") is not None
    committed = []

    def write():
        number = len(committed) + 1
        done = cluster.sql(f"INSERT INTO kept VALUES ({number}) ON CONFLICT DO NOTHING")
        if done is not None:
            committed.append(number)
        return done is not None

    for _ in range(10):
        wait_until(write, 60, "a write", every=0.1)
    for kill in (Node.kill_server, Node.kill):
        old = cluster.first_primary()
        kill(old)
        began = time.monotonic()
        wait_until(write, 120, "a primary that takes writes", every=0.1)
        print(f"{kill.__name__}: writes again after {time.monotonic() - began:.1f} s")
        assert cluster.first_primary() is not old
        for _ in range(10):
            write()
        # If the primary answers slowly, HAProxy may need another health check.
        read = "SELECT string_agg(number::text, ' ' ORDER BY number) FROM kept"
        kept = wait_until(lambda: cluster.sql(read), 60, "a read", every=0.5).split()
        # One more row than committed may be kept: the row of a write whose answer came too late.
        assert [int(number) for number in kept][: len(committed)] == committed
        if not old.daemon:
            old.start()
        wait_until(cluster.is_whole, 120, "the old primary as a replica", every=0.5)
