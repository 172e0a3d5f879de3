"""Users at terminals: the built program as a client, with one home folder per user."""

import json
import os
import queue
import signal
import subprocess
import threading
import time

from support.program import CODE, PROGRAM, environment, run
from support.waiting import work_per_core

DONE, FAILED, USAGE, NOT_SIGNED_IN, REFUSED, UNREACHABLE, WAITING, BUSY = range(8)


class Person:
    """Runs commands as one user. `server` needs only a `url`."""

    def __init__(self, home, number, server):
        self.home = home
        self.number = number
        self.server = server
        self.env = {"LIFESIGNAL_HOME": str(home), "TZ": "UTC"}

    def run(self, *arguments, input="", **options):
        return run(*arguments, env=self.env, input=input, **options)

    def call(self, *arguments, code=DONE, **options):
        """Runs a command that must end with this exit code. Returns its JSON: the answer or the
        failure."""
        result = self.run(*arguments, "--json", **options)
        assert result.returncode == code, (
            f"{arguments} → {result.returncode}\n{result.stdout}{result.stderr}"
        )
        has_answer = code in (DONE, WAITING) and result.stdout
        assert bool(result.stdout) == bool(has_answer), result
        answer = json.loads(result.stdout if has_answer else result.stderr)
        if not has_answer:
            error = answer["error"]
            assert error["exitCode"] == code and error["code"] and error["title"], answer
            return error
        assert {"waiting", "refused", "sent"} <= answer.keys(), answer
        return answer

    def say(self, *arguments, code=DONE, **options):
        result = self.run(*arguments, **options)
        assert result.returncode == code, (
            f"{arguments} → {result.returncode}\n{result.stdout}{result.stderr}"
        )
        return result.stdout + result.stderr

    def sign_in(self, name=None):
        answer = self.call(
            "sign-in", "--server", self.server.url, "--phone", self.number, input=CODE + "\n"
        )
        if name:
            self.call("profile", "edit", "--name", name)
        self.id = answer["profile"]["id"]
        return self

    def start(self, *arguments, **options):
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            **options,
        }
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)], env=environment(self.env), **options
        )

    def watch(self):
        return Watching(self)

    def bytes_kept(self):
        """Returns the contents of all files, except for the key that identifies the device, which
        outlives signing out."""
        files = (
            path for path in self.home.rglob("*") if path.is_file() and path.suffix != ".device"
        )
        return b"".join(path.read_bytes() for path in files)


class Watching:
    """A running `lifesignal watch --json`. Its lines are read as they arrive."""

    def __init__(self, person):
        self.lines = queue.Queue()
        self.seen = []
        self.process = person.start(
            "watch", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def until(self, event, timeout=30):
        deadline = time.monotonic() + timeout * work_per_core()
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(
                    f"no {event} within {timeout} s, but {self.seen}; {self.process.poll()}"
                ) from None
            self.seen.append(line)
            if line["event"] == event:
                return line

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)


def mode(path):
    return os.stat(path).st_mode & 0o777
