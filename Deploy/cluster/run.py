#!/usr/bin/env python3
"""Three LifeSignal servers on one PostgreSQL behind HAProxy, on this machine: `make run-cluster`.

All data is in one folder. Ctrl-C stops everything; the next run continues with the data.
"""

import argparse
import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from ports import choose_ports, is_free
from postgresql import PostgreSQL, Problem

DEPLOY = Path(__file__).resolve().parents[1]
DATABASE = "lifesignal"
READY = re.compile(r"LifeSignal is ready at ")
# Seconds until a dead server is restarted, as systemd would do.
RESTART_AFTER = 5


def say(line):
    print(line, flush=True)


def proxy_configuration(port, servers):
    """Returns `haproxy/haproxy.cfg` for one machine: HTTP on a port of localhost, without a
    database."""
    text = (DEPLOY / "haproxy/haproxy.cfg").read_text()
    changes = [
        ("    log /dev/log local0\n    user haproxy\n    group haproxy\n", ""),
        # Within an ordinary user's limit of open files.
        ("    maxconn 20000\n", "    maxconn 400\n"),
        ("    log global\n    option dontlognull\n", ""),
        ("    option httplog\n", ""),
        ("    bind :80\n", f"    bind 127.0.0.1:{port}\n"),
        ("    http-request redirect scheme https unless { ssl_fc }\n", ""),
        ("X-Forwarded-Proto https", "X-Forwarded-Proto http"),
        (" httponly secure\n", " httponly\n"),
    ]
    changes += [
        (f"10.0.0.2{number}:8080 ", f"127.0.0.1:{server} ")
        for number, server in enumerate(servers, 1)
    ]
    for old, new in changes:
        if old not in text:
            raise Problem(f"haproxy.cfg has changed: it has no {old.strip()!r}")
        text = text.replace(old, new)
    text, _ = re.subn(r"(?ms)^# Patroni answers.*?(?=^frontend )", "", text)
    return re.sub(r"(?m)^    # The certificate's chain.*\n    bind :443 .*\n", "", text)


class Program:
    """A program whose output lines are shown after its name. The program ends with this process."""

    def __init__(self, name, *command, env=None):
        self.name = name
        self.command = [str(part) for part in command]
        self.env = {**os.environ, **(env or {})}
        self.process = None
        self.is_ready = threading.Event()

    def start(self):
        self.is_ready.clear()
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", *self.command],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # Keeps Ctrl-C from the program, because the parent stops everything in order.
            start_new_session=True,
        )
        threading.Thread(target=self._show, args=[self.process], daemon=True).start()
        return self

    def _show(self, process):
        for line in process.stdout:
            if READY.match(line):
                self.is_ready.set()
            elif not line.startswith(("Data: ", "Ctrl-C stops", "Test number", "Sign-in codes")):
                say(f"{self.name}  {line.rstrip()}")

    def wait_until_ready(self, timeout=60):
        deadline = time.monotonic() + timeout
        while not self.is_ready.wait(0.05):
            if self.process.poll() is not None:
                raise Problem(f"{self.name} did not start")
            if time.monotonic() > deadline:
                raise Problem(f"{self.name} was not ready within {timeout} s")

    def ask_to_stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()

    def stop(self):
        self.ask_to_stop()
        if self.process:
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Cluster:
    def __init__(self, program, folder, port, count, arguments):
        self.program = Path(program).resolve()
        self.folder = Path(folder).resolve()
        servers = [port + number if port else 0 for number in range(1, count + 1)]
        proxy, database, *self.ports = choose_ports([port, 5433, *servers])
        # Zero takes a free port, for tests. For any other port, `lock` fails if the port is taken.
        self.port = port or proxy
        self.arguments = arguments
        self.key = self.folder / "lifesignal.key"
        self.passwords = self.folder / "pgpass"
        self.database = PostgreSQL(
            self.folder / "postgresql",
            database,
            password_file=self.folder / "password",
            max_connections=200,
            log_error_verbosity="terse",
        )
        # libpq's environment keeps the password out of command lines and URLs.
        self.env = {"PGPASSFILE": str(self.passwords)}
        self.servers = []
        self.proxy = None

    def lock(self):
        """Refuses a second run on the same folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # PostgreSQL's user must be able to enter the folder; its files are readable only by their
        # owner.
        self.folder.chmod(0o755)
        self._lock = open(self.folder / "lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(f"another `make run-cluster` uses {self.folder}: stop it first") from None
        if not is_free(self.port):
            raise Problem(
                f"port {self.port} is taken by another program: stop it, or give another PORT"
            )

    def start_database(self):
        say("Starting PostgreSQL")
        password = self.folder / "password"
        if not password.exists():
            write_private(password, secrets.token_hex(20))
        self.database.create()
        write_private(
            self.passwords, f"127.0.0.1:{self.database.port}:*:*:{password.read_text()}\n"
        )
        self.database.start()
        if not self.database.has_database(DATABASE, self.env):
            self.database.sql(f"CREATE DATABASE {DATABASE}", env=self.env)

    def migrate(self, source):
        """Migrates an SQLite database to this cluster, with its key."""
        source = Path(source)
        key = Path(f"{source}.key")
        if not self.key.exists() and key.exists():
            write_private(self.key, key.read_bytes())
        result = subprocess.run(
            [self.program, "migrate", "--from", source, "--to", self.database.url(DATABASE)],
            env={**os.environ, **self.env},
        )
        if result.returncode:
            raise Problem("nothing was started")

    def start_servers(self):
        self.servers = [
            Program(
                f"web{number}",
                *[self.program, "serve", "--host", "127.0.0.1", "--port", port],
                *["--database", self.database.url(DATABASE), "--key-file", self.key],
                *["--database-connections", 8, "--trust-proxy", "--sign-up", "open"],
                *["--public-url", f"http://localhost:{self.port}", *self.arguments],
                env=self.env,
            )
            for number, port in enumerate(self.ports, 1)
        ]
        # The first server creates the tables and the key.
        self.servers[0].start().wait_until_ready()
        for server in self.servers[1:]:
            server.start()
        for server in self.servers[1:]:
            server.wait_until_ready()

    def start_proxy(self):
        file = self.folder / "haproxy.cfg"
        file.write_text(proxy_configuration(self.port, self.ports))
        path = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if not path:
            raise Problem("HAProxy is not installed: apt-get install haproxy")
        self.proxy = Program("proxy", path, "-db", "-q", "-f", file).start()
        deadline = time.monotonic() + 10
        while is_free(self.port):
            if self.proxy.process.poll() is not None or time.monotonic() > deadline:
                raise Problem("HAProxy did not start")
            time.sleep(0.05)

    def greet(self):
        say("")
        say(f"LifeSignal is ready at http://localhost:{self.port}")
        for server, port in zip(self.servers, self.ports, strict=True):
            say(f"{server.name}: http://localhost:{port}, process {server.process.pid}")
        say(f"PostgreSQL: port {self.database.port}, process {self.database.process.pid}")
        say(f"Data: {self.folder}")
        say("Sign-in codes and text messages appear in this terminal. Ctrl-C stops all of it.")

    def watch(self):
        """Restarts servers that have died. Returns only by an exception."""
        died = {}
        while True:
            time.sleep(0.2)
            if self.database.process.poll() is not None:
                raise Problem(f"PostgreSQL has ended: {self.database.log}")
            for server in [*self.servers, self.proxy]:
                if server.process.poll() is None:
                    continue
                if server not in died:
                    died[server] = time.monotonic()
                    say(f"{server.name} has ended; the others go on. Again in {RESTART_AFTER} s")
                elif time.monotonic() - died[server] > RESTART_AFTER:
                    del died[server]
                    say(f"{server.name}: process {server.start().process.pid}")

    def stop(self):
        programs = [program for program in [self.proxy, *self.servers] if program]
        for program in programs:
            program.ask_to_stop()
        for program in programs:
            program.stop()
        self.database.stop()


def write_private(path, content):
    """Replaces a file, readable only by its owner."""
    content = content.encode() if isinstance(content, str) else content
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("program", help="the built lifesignal")
    parser.add_argument("--data", default="data/cluster", help="the folder for everything")
    parser.add_argument("--port", type=int, default=8080, help="of HAProxy; 0 takes a free one")
    parser.add_argument("--servers", type=int, default=3, choices=(1, 2, 3))
    parser.add_argument("--from", dest="source", help="an SQLite database to move here first")
    options, arguments = parser.parse_known_args()
    # Both signals act like Ctrl-C, even during the start.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    cluster = Cluster(options.program, options.data, options.port, options.servers, arguments)
    code = 0
    try:
        cluster.lock()
        cluster.start_database()
        if options.source:
            cluster.migrate(options.source)
        cluster.start_servers()
        cluster.start_proxy()
        cluster.greet()
        cluster.watch()
    except KeyboardInterrupt:
        say("\nStopping")
    except Problem as problem:
        print(f"Error: {problem}.", file=sys.stderr)
        code = 1
    finally:
        # Ignores Ctrl-C, because an aborted stop would leave programs running. Stopping takes less
        # than a minute.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        cluster.stop()
    if not code:
        say("Stopped. Everything that was answered is stored.")
    return code


if __name__ == "__main__":
    sys.exit(main())
