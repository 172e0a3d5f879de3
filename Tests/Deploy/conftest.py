"""Fixtures: servers of the built program, and other programs. Each test ends its programs."""

import pytest

from daemons import Daemon
from support.fixtures import make_server, require_program


def pytest_configure(config):
    require_program()


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
