"""A small Debian, of the version of the machine that runs the tests, that systemd-nspawn boots with
systemd as its first process. It shares the network of that machine."""

import os
import platform
import re
import shutil
import signal
import subprocess
from pathlib import Path

from daemons import Daemon, succeeded
from support.program import REPOSITORY
from support.waiting import wait_until

TOOLS = "systemd systemd-sysv dbus adduser ca-certificates procps man-db".split()
# nspawn forbids programs to ask for the clock's state. A real machine allows it.
CLOCK = "--system-call-filter=adjtimex clock_adjtime"


def dependencies(package):
    """Returns the names of the packages that a package needs, without versions and alternatives."""
    text = succeeded("dpkg-deb", "--field", package, "Depends")
    return [re.split(r"[ (|]", name.strip())[0] for name in text.split(",")]


def debian(packages):
    """Returns the root folder of a Debian with these packages. It is made once and then kept."""
    release = platform.freedesktop_os_release()
    root = REPOSITORY / f".build/deploy/debian-{release['VERSION_ID']}"
    wanted = " ".join([*TOOLS, *packages])
    made = root.with_suffix(".packages")
    if not made.exists() or made.read_text() != wanted:
        made.unlink(missing_ok=True)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        tools = f"--include={','.join(TOOLS)}"
        succeeded(
            "debootstrap",
            "--variant=minbase",
            tools,
            release["VERSION_CODENAME"],
            root,
            timeout=400,
        )
        install = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", *packages]
        succeeded(
            *["systemd-nspawn", f"--directory={root}", "--register=no", "--keep-unit", "--pipe"],
            *["--resolv-conf=replace-host", "--setenv=DEBIAN_FRONTEND=noninteractive", *install],
            timeout=180,
        )
        made.write_text(wanted)
    return root


class DebianMachine:
    def __init__(self, folder, base):
        self.root = Path(folder) / "root"
        self.folder = Path(folder)
        succeeded("cp", "-a", "--reflink=auto", base, self.root)
        # Test runs at the same time need different names.
        self.name = f"lifesignal-{os.getpid()}-{folder.name}"
        self.daemon = None
        self.leader = None

    def in_root(self, *command):
        """Runs a command in the root folder while the machine isn't booted."""
        return succeeded("systemd-nspawn", *self._options, "--as-pid2", "--pipe", "--", *command)

    @property
    def _options(self):
        return [
            f"--directory={self.root}",
            f"--machine={self.name}",
            "--register=no",
            "--keep-unit",
            "--quiet",
            "--resolv-conf=off",
            "--timezone=off",
            CLOCK,
        ]

    def boot(self):
        self.daemon = Daemon(
            "systemd-nspawn",
            *self._options,
            "--boot",
            "--console=pipe",
            log=self.folder / "machine.log",
        )
        wait_until(self._is_up, 60, f"the machine\n{self.daemon.output()}")
        return self

    def _is_up(self):
        process = self.daemon.process
        assert process.poll() is None, f"the machine ended:\n{self.daemon.output()}"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if not children:
            return False
        self.leader = children[0]
        state = self.try_to("systemctl", "is-system-running").stdout.strip()
        return state in ("running", "degraded")

    def try_to(self, *command, timeout=60):
        return subprocess.run(
            ["nsenter", "-t", self.leader, "-m", "-u", "-i", "-p", "--", *map(str, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )

    def run(self, *command, timeout=60):
        """Runs a command in the machine and returns its output. Fails unless it exits with 0."""
        result = self.try_to(*command, timeout=timeout)
        assert result.returncode == 0, f"{command} → {result.returncode}\n{result.stdout}"
        return result.stdout

    def property(self, unit, name):
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).strip()

    def shut_down(self):
        if self.daemon:
            self.daemon.process.send_signal(signal.SIGTERM)
            try:
                self.daemon.process.wait(20)
            except subprocess.TimeoutExpired:
                pass
            self.daemon.kill()
            left = Path("/run/systemd/nspawn/propagate") / self.name
            if left.is_dir():
                left.rmdir()
