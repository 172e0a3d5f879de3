"""Runs the already built `make run-cluster`: three servers on PostgreSQL behind HAProxy."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from support.program import PROGRAM, REPOSITORY, environment
from support.waiting import wait_until


class RunningCluster:
    """A running cluster. `port` and `url` are HAProxy's."""

    def __init__(self, *arguments):
        self.arguments = arguments
        # PostgreSQL runs as another user, who can't read the folders that pytest creates.
        self.folder = Path(tempfile.mkdtemp(prefix="lifesignal-cluster-"))
        self.folder.chmod(0o755)
        self.process = None
        self.lines = []

    def launch(self, *more):
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, REPOSITORY / "Deploy/cluster/run.py", PROGRAM]
            + ["--data", self.folder / "data", "--port", "0", *self.arguments, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(),
        )
        threading.Thread(target=self._read, args=[self.process], daemon=True).start()
        return self

    def start(self, *more):
        self.launch(*more)
        wait_until(self._is_ready, 120, "the cluster", every=0.1)
        return self

    def _read(self, process):
        self.lines.extend(process.stdout)

    def _is_ready(self):
        assert self.process.poll() is None, self.output()
        return "Ctrl-C stops all of it." in self.output()

    def output(self):
        return "".join(self.lines)

    @property
    def port(self):
        return int(re.search(r"ready at http://localhost:(\d+)", self.output())[1])

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ports(self):
        return [int(port) for port in re.findall(r"(?:localhost:|port )(\d+)", self.output())]

    def process_of(self, name):
        found = re.findall(rf"^{name}: .*?process (\d+)$", self.output(), re.MULTILINE)
        return int(found[-1])

    def kill(self, name):
        os.kill(self.process_of(name), signal.SIGKILL)

    def stop(self):
        """Stops the cluster with Ctrl-C. Returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def remove(self):
        if self.process and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
