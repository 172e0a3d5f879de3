"""A PostgreSQL of the tests' own: in its own folder, as an ordinary user."""

import os
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path

from support.ports import free_ports
from support.waiting import wait_until


def _programs():
    """The newest version that Debian has installed, or the one on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[4]))
    found = shutil.which("postgres")
    assert folders or found, "PostgreSQL is not installed; `make test` installs it"
    return folders[-1] if folders else Path(found).parent


class PostgreSQL:
    """One primary on a free port of 127.0.0.1. It keeps nothing over a crash of the machine,
    unless the settings say so."""

    def __init__(self, *settings):
        self.folder = Path(tempfile.mkdtemp(prefix="lifesignal-postgresql-"))
        # PostgreSQL refuses to run as root.
        self._user = {} if os.geteuid() else {"user": "postgres", "group": "postgres"}
        if self._user:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        self._run("initdb", "-D", data, "-A", "trust", "-U", "lifesignal", "-E", "UTF8", "-N")
        (self.port,) = free_ports(1)
        with open(self.folder / "log", "wb") as log:
            self._process = subprocess.Popen(
                [_programs() / "postgres", "-D", data, "-p", str(self.port)]
                + ["-c", "unix_socket_directories=", "-c", "max_connections=400"]
                + ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"]
                + [part for setting in settings for part in ("-c", setting)],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self._user,
            )
        wait_until(lambda: self.sql("SELECT 1") == "1", 60, "PostgreSQL", every=0.1)

    def _run(self, name, *arguments):
        subprocess.run(
            [_programs() / name, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            **self._user,
        )

    @property
    def server_url(self):
        return f"postgres://lifesignal@127.0.0.1:{self.port}"

    def url(self, name):
        return f"{self.server_url}/{name}"

    def sql(self, text, name="postgres"):
        """The output of a statement; None when it failed."""
        result = subprocess.run(
            [_programs() / "psql", "-XqAt", self.url(name), "-c", text],
            capture_output=True,
            text=True,
        )
        return result.stdout.strip() if result.returncode == 0 else None

    def make_database(self):
        """Its URL."""
        name = f"test_{uuid.uuid4().hex}"
        assert self.sql(f"CREATE DATABASE {name}") is not None
        return self.url(name)

    def stop(self):
        self._process.kill()
        self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
