"""The built program: a command that runs to its end, or a server that is started, stopped and
killed."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from support.waiting import wait_until

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("LIFESIGNAL_PROGRAM") or str(REPOSITORY / ".build/debug/lifesignal")
CODE = "000000"
READY = re.compile(r"LifeSignal is ready at http://\S+:(\d+)")


def phone_number(index):
    """Returns a fictional number that this suite's servers accept as a test number."""
    return f"+1555010{index:04d}"


def environment(extra=None):
    """Returns the current environment without LifeSignal's settings."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LIFESIGNAL_")}
    return {**clean, **(extra or {})}


def run(*arguments, env=None, timeout=60, **options):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        env=environment(env),
        timeout=timeout,
        capture_output=True,
        text=True,
        **options,
    )


class Server:
    """`lifesignal serve` with its own folder and a free port of 127.0.0.1. `database` is a path or
    a URL. Unless it `keeps_defaults`, everyone may sign up, and no test reaches its limits."""

    def __init__(
        self,
        folder,
        *arguments,
        phones=40,
        env=None,
        database=None,
        keeps_defaults=False,
        **options,
    ):
        self.folder = Path(folder)
        self.is_shared = "://" in str(database)
        default = self.folder / "lifesignal.sqlite"
        self.database = database if self.is_shared else Path(database or default)
        self.arguments = arguments
        self.keeps_defaults = keeps_defaults
        self.env = {
            "LIFESIGNAL_TEST_PHONE": ",".join(f"{phone_number(i)}={CODE}" for i in range(phones)),
            **(env or {}),
        }
        self.options = options
        self.has_key_file = self.is_shared and "LIFESIGNAL_KEY" not in self.env
        self.process = None
        self.port = None
        self.starts = 0

    @property
    def command(self):
        place = {
            "--host": "127.0.0.1",
            "--port": 0,
            "--database": self.database,
            **({"--key-file": self.folder / "lifesignal.key"} if self.has_key_file else {}),
        }
        limits = {
            "--requests-per-user": 0,
            "--requests-per-address": 0,
            "--codes-per-address": 1_000_000,
            "--codes-per-number": 1_000_000,
            "--codes-per-hour": 0,
            "--check-ins-per-hour": 0,
            "--sign-up": "open",
            "--sms": "none",
        }
        given = [
            part
            for name, value in {**place, **({} if self.keeps_defaults else limits)}.items()
            if name not in self.arguments
            for part in (name, str(value))
        ]
        return [PROGRAM, "serve", *given, *map(str, self.arguments)]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def launch(self):
        """Starts the process without waiting for it to be ready."""
        self.starts += 1
        self.port = None
        with open(self._log("out"), "wb") as out, open(self._log("err"), "wb") as err:
            self.process = subprocess.Popen(
                self.command,
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
                env=environment(self.env),
                **self.options,
            )
        return self

    def start(self, timeout=60):
        self.launch()
        self.port = wait_until(self._ready_port, timeout, "the ready line")
        return self

    def start_again(self, timeout=60):
        """Restarts the server after it has ended, with the same folder and address."""
        if "--port" not in self.arguments:
            self.arguments = (*self.arguments, "--port", str(self.port))
        return self.start(timeout)

    def _ready_port(self):
        match = READY.search(self._log("out").read_text(errors="replace"))
        if match is None and self.process.poll() is not None:
            raise AssertionError(
                f"the server ended with {self.process.returncode} before it was "
                f"ready:\n{self.logs()}"
            )
        return int(match[1]) if match else None

    def stop(self, how=signal.SIGTERM, timeout=30):
        """Asks the server to stop. Returns its exit code and the seconds it took."""
        started = time.monotonic()
        self.process.send_signal(how)
        code = self.process.wait(timeout)
        return code, time.monotonic() - started

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)

    def wait_for_end(self, timeout=30):
        return self.process.wait(timeout)

    @property
    def is_running(self):
        return self.process.poll() is None

    @property
    def resident_megabytes(self):
        status = Path(f"/proc/{self.process.pid}/status")
        if status.exists():
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read_text())[1]) / 1024
        return (
            int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.process.pid)])) / 1024
        )

    def output(self):
        """Returns the output of the current run, from stdout and stderr."""
        return self._log("out").read_text(errors="replace") + self._log("err").read_text(
            errors="replace"
        )

    def logs(self, lines=20):
        """Returns the last lines of each run's output."""
        parts = []
        for start in range(max(1, self.starts - 2), self.starts + 1):
            for channel in ("out", "err"):
                text = [
                    line
                    for line in self._log(channel, start).read_text(errors="replace").splitlines()
                    if "Test number" not in line
                ]
                parts.append(
                    "\n".join(
                        [f"-- {self.folder.name}, start {start}, std{channel}"] + text[-lines:]
                    )
                )
        return "\n".join(parts)

    def _log(self, channel, start=None):
        return self.folder / f"server.{start or self.starts}.{channel}"
