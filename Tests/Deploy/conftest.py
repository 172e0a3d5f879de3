"""Fixtures: servers of the built program and other programs, all ended after each test."""

import os

import pytest

from daemons import Daemon
from support.program import PROGRAM, Server


def pytest_configure(config):
    if not os.access(PROGRAM, os.X_OK):
        pytest.exit(
            f"{PROGRAM} can't be run. Build it first, or set LIFESIGNAL_PROGRAM.", returncode=4
        )


@pytest.fixture
def make_server(tmp_path):
    """Makes servers of the program: `make_server("--trust-proxy").start()`."""
    servers = []

    def make(*arguments, **options):
        folder = tmp_path / f"server-{len(servers)}"
        folder.mkdir()
        servers.append(Server(folder, *arguments, **options))
        return servers[-1]

    yield make
    for server in servers:
        server.kill()


@pytest.fixture
def start(tmp_path):
    """Starts other programs: `start("caddy", "run")`."""
    daemons = []

    def start(*command, **options):
        daemons.append(Daemon(*command, log=tmp_path / f"daemon-{len(daemons)}.log", **options))
        return daemons[-1]

    yield start
    for daemon in reversed(daemons):
        daemon.kill()
