"""Users at terminals: the built program as a client, with one home folder per user."""

import fcntl
import json
import os
import pty
import queue
import signal
import sqlite3
import subprocess
import threading
import time

from support.program import CODE, PROGRAM, environment, run
from support.waiting import wait_until, work_per_core

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

    def answer(self, text, *arguments):
        """Runs a command at a terminal where the person types an answer. Returns its exit code and
        standard error."""
        leader, follower = pty.openpty()
        process = self.start(*arguments, stdin=follower, stderr=subprocess.PIPE)
        os.close(follower)
        os.write(leader, text)
        _, error = process.communicate(timeout=60)
        os.close(leader)
        return process.returncode, error.decode()

    def interrupt(self, question, *arguments, typed=""):
        """Runs a command at a terminal where the person types a text, and then Ctrl-C at the end of
        this question. Returns its exit code and standard error."""
        leader, follower = pty.openpty()
        # The process inherits a single processor, where a blocked thread delays all others.
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(processors)})
        try:
            process = self.start(*arguments, stdin=follower, stderr=subprocess.PIPE)
        finally:
            os.sched_setaffinity(0, processors)
        os.close(follower)
        os.write(leader, typed.encode())
        said = b""
        while not said.endswith(question.encode()):
            character = process.stderr.read(1)
            assert character, said
            said += character
        rest = press_until_it_ends(process)
        os.close(leader)
        return process.returncode, (said + rest).decode()

    def watch(self):
        return Watching(self)

    def bytes_kept(self):
        """Returns the contents of all files, except for the key that identifies the device, which
        outlives signing out."""
        files = (
            path for path in self.home.rglob("*") if path.is_file() and path.suffix != ".device"
        )
        return b"".join(path.read_bytes() for path in files)


def press_until_it_ends(process):
    """Presses Ctrl-C, and again every five seconds. Returns the rest of standard error. On a busy
    machine, a command shows its question before it handles Ctrl-C."""
    for _ in range(12):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=5)[1]
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("Ctrl-C doesn't end the command")


class Watching:
    """A running `lifesignal watch --json`. Its lines are read as they arrive."""

    def __init__(self, person):
        self.home = person.home
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

    def pause(self):
        """Stops the process with SIGSTOP. Retries while it holds the lock of a file, because such a
        lock would delay other commands as well as the lock of the home."""

        def is_stopped():
            self.process.send_signal(signal.SIGSTOP)
            # The signal takes effect after the call.
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if not has_locked_file(self.home):
                return True
            self.process.send_signal(signal.SIGCONT)
            return False

        wait_until(is_stopped, 30, "the watch releases its files")

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)


def has_locked_file(home):
    """Returns whether a process is writing a database in this home, or renewing the session."""
    for path in home.rglob("*.sqlite"):
        database = sqlite3.connect(path, timeout=0, isolation_level=None)
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        finally:
            database.close()
    for path in home.rglob("session.json.lock"):
        with path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def mode(path):
    return os.stat(path).st_mode & 0o777
