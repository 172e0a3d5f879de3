"""A machine with few file descriptors, little memory and a small disk, for one server."""

import os
import resource
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).parent / "slow_disk.c"
MEGABYTE = 1024 * 1024
GROUPS = Path("/sys/fs/cgroup")


class SmallMachine:
    """`options` and `env` make a server run on this machine. Without root, "full" limits the size
    of the server's files instead of the disk, and the memory is not limited."""

    def __init__(self, folder, descriptors, disk, memory):
        """`disk` and `memory` are in megabytes. The files on the disk are kept in memory, but don't
        count towards `memory`."""
        self.descriptors = descriptors
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.has_disk = _run("mount", "-t", "tmpfs", "-o", f"size={disk}m", "tmpfs", self.disk)
        self._group = _make_group(f"lifesignal-{folder.name}-{os.getpid()}", memory + disk)
        self._delay = folder / "delay"
        self._library = folder / "slow_disk.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self._library, SOURCE, "-ldl"], check=True)
        self.slow_down(0)
        self._server = None

    def attach(self, server):
        """Makes the server run on this machine from its next start on."""
        self._server = server
        server.env = {**server.env, "LD_PRELOAD": str(self._library), "SLOW_DISK": str(self._delay)}
        server.options = {"preexec_fn": self._bind}

    def _bind(self):
        # First the group: the test's own descriptors, which are still open here, may exceed the
        # limit, so that no further file could be opened.
        if self._group:
            (self._group / "cgroup.procs").write_text(str(os.getpid()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

    @property
    def killed_for_memory(self):
        """Returns how often the kernel has killed the server because its memory was used up."""
        if not self._group:
            return 0
        for name in ("memory.oom_control", "memory.events"):
            if (self._group / name).exists():
                words = (self._group / name).read_text().split()
                return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0
        return 0

    # MARK: The disk

    def slow_down(self, milliseconds):
        """Makes every later write of a file to the disk take this long."""
        content = struct.pack("=I", milliseconds)
        if self._delay.exists():
            with open(self._delay, "r+b", buffering=0) as file:
                file.write(content)
        else:
            self._delay.write_bytes(content)

    def fill(self):
        if not self.has_disk:
            return self._let_files_grow_to(500_000)
        with open(self.disk / "ballast", "ab", buffering=0) as file:
            for size in (MEGABYTE, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass

    def empty(self):
        if not self.has_disk:
            return self._let_files_grow_to(resource.RLIM_INFINITY)
        (self.disk / "ballast").unlink(missing_ok=True)

    def _let_files_grow_to(self, size):
        if not hasattr(resource, "prlimit") or not self._server.is_running:
            return
        process = self._server.process.pid
        _, most = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, most))

    def close(self):
        if self.has_disk:
            _run("umount", "-l", self.disk)
        if self._group:
            self._group.rmdir()


def _run(*command):
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def _make_group(name, megabytes):
    """Returns a control group (version 1 or 2) with this memory limit; None if the system can't
    make one."""
    for folder, limit in (
        (GROUPS / "memory", "memory.limit_in_bytes"),
        (GROUPS, "memory.max"),
    ):
        group = folder / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(megabytes * MEGABYTE))
            return group
        except OSError:
            group.rmdir()
    return None
