"""Checks the units as systemd reads them. Works even if systemd isn't the first process."""

import shutil

import pytest

from daemons import succeeded
from paths import DEPLOY

UNITS = sorted(
    path.name
    for path in (DEPLOY / "systemd").iterdir()
    if path.suffix in (".service", ".socket", ".timer")
)


@pytest.fixture
def installed(tmp_path):
    """The units and the files that they name, in a root folder of their own."""
    root = tmp_path / "root"
    units = root / "etc/systemd/system"
    units.mkdir(parents=True)
    for unit in UNITS:
        shutil.copy(DEPLOY / "systemd" / unit, units)
    for program in ("usr/bin/lifesignal", "usr/libexec/lifesignal/backup", "bin/kill"):
        (root / program).parent.mkdir(parents=True, exist_ok=True)
        (root / program).touch(0o755)
    for target in (
        "sysinit basic multi-user timers network-online network time-sync time-set shutdown "
        "local-fs paths sockets slices"
    ).split():
        (units / f"{target}.target").write_text(f"[Unit]\nDescription={target}\n")
    return root


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_finds_nothing_wrong(installed, unit):
    output = succeeded("systemd-analyze", "verify", "--man=no", f"--root={installed}", unit)
    assert not output, output


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.endswith(".service")])
def test_a_service_is_shut_in(unit):
    # The highest allowed exposure, out of 100. systemd calls everything from 50 on "medium". Access
    # to the network alone costs 10.
    succeeded(
        "systemd-analyze",
        "security",
        "--offline=true",
        "--threshold=25",
        DEPLOY / "systemd" / unit,
    )


@pytest.mark.parametrize("unit", ["lifesignal.service", "lifesignal-doctor.service"])
def test_the_folder_of_the_socket_outlives_its_users(unit):
    """Otherwise the end of one deletes the other's socket, and that of lifesignal.socket."""
    lines = (DEPLOY / "systemd" / unit).read_text().splitlines()
    wanted = {
        "RuntimeDirectory=lifesignal",
        "RuntimeDirectoryMode=0750",
        "RuntimeDirectoryPreserve=yes",
    }
    assert wanted <= set(lines)
