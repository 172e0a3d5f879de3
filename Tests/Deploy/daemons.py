"""Other programs: run to their end, or kept running with their output in a file."""

import os
import shutil
import signal
import socket
import subprocess

from support.waiting import wait_until


def succeeded(*command, timeout=120, **options):
    """Runs a command to its end and returns its output. Fails unless it exits with 0."""
    result = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        **options,
    )
    assert result.returncode == 0, f"{command} → {result.returncode}\n{result.stdout}"
    return result.stdout


def program(name):
    """Returns the path of an installed program. Some are in folders that Debian searches only for
    administrators."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, f"{name} is not installed; `make test-deploy` installs what these tests need"
    return path


def accepts(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False


class Daemon:
    """A program that runs until it is killed, in a process group of its own."""

    def __init__(self, *command, log, **options):
        self.log = log
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **options,
            )

    def wait_for_port(self, port, timeout=30):
        def listens():
            assert self.process.poll() is None, f"ended early:\n{self.output()}"
            return accepts(port)

        wait_until(listens, timeout, f"port {port}\n{self.output()}")
        return self

    def output(self):
        return self.log.read_text(errors="replace")[-4000:]

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(30)
