"""Code that the fixtures of several test folders share."""

import os

import pytest

from support.program import PROGRAM, Server


def require_program():
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
        print(server.logs(5))
