"""Fixtures: three machines with PostgreSQL, and servers that use them."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from machines import DatabaseMachines
from support.fixtures import make_server, require_program


CLONE_NEWNET = 0x40000000  # Python defines it from version 3.12 on


def pytest_configure(config):
    require_program()
    if os.geteuid():
        pytest.exit("The failover tests make networks: run them as root.", returncode=4)
    # The tests have their own network namespace, so that they don't touch the machine's network.
    assert ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


@pytest.fixture
def machines():
    # PostgreSQL runs as another user, who can't read the folders that pytest creates.
    folder = Path(tempfile.mkdtemp(prefix="lifesignal-failover-"))
    folder.chmod(0o755)
    machines = DatabaseMachines(folder)
    try:
        yield machines.build().start()
    finally:
        machines.stop()
        shutil.rmtree(folder, ignore_errors=True)
