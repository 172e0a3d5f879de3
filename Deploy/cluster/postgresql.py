"""A PostgreSQL server of Debian's packages, in its own folder and run by an ordinary user. Needs
only the standard library."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

from ports import free_ports

PROGRAMS = Path("/usr/lib/postgresql")
# PostgreSQL refuses to run as root. The Debian package creates this user.
UNPRIVILEGED = "postgres"
USER = "lifesignal"


class Problem(Exception):
    """A problem that the user must fix, as one sentence."""


def newest_version():
    versions = [path.parent.parent.name for path in PROGRAMS.glob("*/bin/initdb")]
    if not versions:
        raise Problem("PostgreSQL is not installed: apt-get install postgresql-15")
    return max(versions, key=float)


class PostgreSQL:
    """One server with the superuser `lifesignal` on a port of 127.0.0.1.

    With a password file, every connection needs its password. Without a password file, as in tests,
    anyone on this machine may connect. `settings` override PostgreSQL's settings.
    """

    def __init__(self, folder, port, password_file=None, **settings):
        self.folder = Path(folder)
        self.data = self.folder / "data"
        self.log = self.folder / "postgresql.log"
        self.port = port
        self.password_file = password_file
        self.settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "logging_collector": "off",
            **settings,
        }
        self.process = None

    @property
    def _program_folder(self):
        version = self.data / "PG_VERSION"
        number = version.read_text().strip() if version.exists() else newest_version()
        folder = PROGRAMS / number / "bin"
        if not folder.exists():
            raise Problem(
                f"{self.data} needs PostgreSQL {number}: apt-get install postgresql-{number}"
            )
        return folder

    def _as_user(self, *command, after=()):
        """Returns the command, changed to run as an ordinary user."""
        change = []
        if os.geteuid() == 0:
            change = [f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups"]
        return ["setpriv", *after, *change, "--", *map(str, command)]

    def create(self):
        """Creates the folder and the cluster in it, unless they exist."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if (self.data / "PG_VERSION").exists():
            return self
        partial = self.folder / "data.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        self.log.touch()
        if os.geteuid() == 0:
            for path in (partial, self.log):
                shutil.chown(path, UNPRIVILEGED, UNPRIVILEGED)
            self._check_reachable(partial)
        options = ["--username", USER, "--encoding", "UTF8", "--locale", "C.UTF-8"]
        with tempfile.NamedTemporaryFile("w") as copy:
            if self.password_file:
                # initdb runs as the unprivileged user, who can read this copy.
                copy.write(Path(self.password_file).read_text())
                copy.flush()
                if os.geteuid() == 0:
                    shutil.chown(copy.name, UNPRIVILEGED)
                options += ["--auth", "scram-sha-256", "--pwfile", copy.name]
            else:
                options += ["--auth", "trust", "--no-sync"]
            self._run("initdb", "--pgdata", partial, *options)
        partial.rename(self.data)
        return self

    def _check_reachable(self, folder):
        command = self._as_user("test", "-w", folder)
        if subprocess.run(command, cwd="/").returncode:
            raise Problem(
                f"the user {UNPRIVILEGED} can't reach {folder}: run this as an ordinary user, or "
                "let others pass through the folders above it (chmod o+x)"
            )

    def _run(self, program, *arguments):
        result = subprocess.run(
            self._as_user(self._program_folder / program, *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd="/",
        )
        if result.returncode:
            raise Problem(f"{program} failed: {result.stdout.strip()}")
        return result.stdout

    def start(self, timeout=60):
        """Starts the server and waits until it accepts connections. The server ends with this
        process."""
        program = self._program_folder / "postgres"
        settings = {"port": self.port, **self.settings}
        options = [part for item in settings.items() for part in ("-c", f"{item[0]}={item[1]}")]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self._as_user(program, "-D", self.data, *options, after=["--pdeathsig", "INT"]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd="/",
                # Keeps Ctrl-C from the server, because the parent stops everything in order.
                start_new_session=True,
            )
        deadline = time.monotonic() + timeout
        ready = [self._program_folder / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready).returncode:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                lines = self.log.read_text(errors="replace").splitlines()[-5:]
                raise Problem(f"PostgreSQL does not start: {' / '.join(lines)}")
            time.sleep(0.05)
        return self

    def stop(self, how=signal.SIGINT):
        """Stops the server and all connections; kills it if it doesn't stop."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(30)

    def url(self, database=""):
        """Returns the URL of a database. Without a database, returns the server's URL, for programs
        that add a database."""
        return f"postgres://{USER}@127.0.0.1:{self.port}" + (f"/{database}" if database else "")

    def sql(self, text, database="postgres", env=None):
        """Runs SQL and returns its rows as lines, with `|` between the columns."""
        result = subprocess.run(
            [self._program_folder / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", self.url(database)],
            input=text,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
        )
        if result.returncode:
            raise Problem(f"psql failed: {result.stderr.strip()}")
        return result.stdout.strip()

    def has_database(self, name, env=None):
        return bool(self.sql(f"SELECT 1 FROM pg_database WHERE datname = '{name}'", env=env))


# Linux keeps this folder in memory. Copying a schema takes a seventh of the time there.
MEMORY = Path("/dev/shm")
# The free bytes that the tests need. Each test drops its database. A container may have only 64 MB.
MEMORY_FOR_TESTS = 4_000_000_000


def memory_folder():
    """Returns the folder in memory, or None if its space is too small for tests."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MEMORY_FOR_TESTS:
        return MEMORY


class TestPostgreSQL(PostgreSQL):
    """A server in a temporary folder: in memory, or on disk without waiting for writes. With
    `settings` it is on disk."""

    __test__ = False

    def __init__(self, **settings):
        # Not in the build folder, because another user must be able to reach this folder.
        place = None if settings else memory_folder()
        folder = tempfile.mkdtemp(prefix="lifesignal-postgresql-", dir=place)
        os.chmod(folder, 0o755)
        fast = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off", "jit": "off"}
        super().__init__(folder, *free_ports(1), **{"max_connections": 1000, **fast, **settings})

    def make_database(self):
        name = f"test_{uuid.uuid4().hex}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def __enter__(self):
        try:
            self.create()
            for _ in range(3):
                try:
                    return self.start()
                except Problem:
                    # Another program may have taken the port in the meantime.
                    (self.port,) = free_ports(1)
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        # Stops without writing anything, because this server is never restarted.
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)
