"""healthchecks from a checkout, run by uWSGI as in its image: docker/Dockerfile and
docker/uwsgi.ini. Writes nothing into the checkout."""

import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from ports import free_ports
from support.waiting import wait_until

# Reused between runs.
BUILD = Path(__file__).resolve().parents[2] / ".build-peers"
# One for each core, by the image's own setting. Its default is four.
PROCESSES = 2
# healthchecks 4 needs Python 3.12.
PYTHONS = ("python3.14", "python3.13", "python3.12", "python3")

# Each check is up already, so that no ping has to note a change.
SEED = """
import os
from django.contrib.auth.models import User
from django.utils.timezone import now
from hc.accounts.models import Profile, Project
from hc.api.models import Check

user = User.objects.create(username="bench", email="bench@example.org")
Profile.objects.for_user(user)
project = Project.objects.create(owner=user, badge_key="bench")
checks = [
    Check(project=project, name=f"Check {number}", status="up", last_ping=now())
    for number in range(int(os.environ["BENCH_CHECKS"]))
]
for check in checks:
    check.alert_after = check.going_down_after()
Check.objects.bulk_create(checks)
with open(os.environ["BENCH_CODES"], "w") as codes:
    codes.writelines(f"{check.code}\\n" for check in checks)
"""

ABOUT = """
import json, platform, sysconfig
from importlib.metadata import version
print(json.dumps({
    "python": platform.python_version(),
    "isOptimized": "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or ""),
    "django": version("django"),
    "uwsgi": version("uwsgi"),
}))
"""


class Problem(Exception):
    """A problem that the user must fix, as one sentence."""


def find_python():
    """Returns PEER_PYTHON, or the newest Python that runs. A shim of pyenv may not run."""
    names = [os.environ["PEER_PYTHON"]] if os.environ.get("PEER_PYTHON") else PYTHONS
    for name in names:
        path = shutil.which(name)
        if path and not subprocess.run([path, "-c", ""], capture_output=True).returncode:
            return path
    raise Problem(f"this is no Python that runs: {names[0]}")


class Checkout:
    """A checkout with a virtual environment of its requirements."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        for name in ("manage.py", "requirements.txt", "docker/uwsgi.ini"):
            if not (self.folder / name).exists():
                raise Problem(f"{self.folder} is not a checkout of healthchecks: no {name}")
        if (self.folder / "hc/local_settings.py").exists():
            raise Problem("hc/local_settings.py changes the settings, and the image has none")
        self.venv = None

    def install(self):
        python = find_python()
        requirements = self.folder / "requirements.txt"
        key = hashlib.sha256(f"{python} {requirements.read_text()}".encode()).hexdigest()[:16]
        self.venv = BUILD / f"venv-{key}"
        ready = self.venv / "ready"
        if ready.exists():
            return self
        print(f"Installing healthchecks' requirements from PyPI, for {python}", flush=True)
        shutil.rmtree(self.venv, ignore_errors=True)
        BUILD.mkdir(exist_ok=True)
        pip = [self.venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        # As in docker/Dockerfile, without what no check-in uses: apprise, mysqlclient and minio.
        wanted = ["uwsgi", "psycopg[c]", "-r", requirements]
        for command in ([python, "-m", "venv", self.venv], [*pip, *wanted]):
            if subprocess.run(list(map(str, command))).returncode:
                raise Problem(
                    "healthchecks' requirements can't be installed; if they need a newer Python, "
                    "name it: PEER_PYTHON=/path/of/python3"
                )
        ready.touch()
        return self

    @property
    def about(self):
        """One line with the versions."""
        output = subprocess.check_output([self.venv / "bin/python", "-c", ABOUT], text=True)
        versions = json.loads(output)
        number = re.search(r"^## (v\S+)", (self.folder / "CHANGELOG.md").read_text(), re.MULTILINE)
        plain = "" if versions["isOptimized"] else " (built without optimizations)"
        return (
            f"healthchecks {number[1] if number else '?'}, Django {versions['django']}, "
            f"uWSGI {versions['uwsgi']}, Python {versions['python']}{plain}"
        )


class Healthchecks:
    """A server with a database of its own: SQLite in `folder`, or a database of the server
    `postgresql`."""

    def __init__(self, checkout, folder, postgresql=None, keeps_connections=False):
        self.checkout = checkout
        self.folder = Path(folder)
        self.folder.mkdir()
        (self.port,) = free_ports(1)
        self.postgresql = postgresql
        self.codes = self.folder / "codes"
        self.sqlite = self.folder / "hc.sqlite"
        self.name = f"hc_{self.port}"
        self.process = None
        if postgresql:
            postgresql.sql(f"CREATE DATABASE {self.name}")
            database = {
                "DB": "postgres",
                "DB_HOST": "127.0.0.1",
                "DB_PORT": str(postgresql.port),
                "DB_NAME": self.name,
                "DB_USER": "lifesignal",
                **({"DB_CONN_MAX_AGE": "None"} if keeps_connections else {}),
            }
        else:
            database = {"DB_NAME": str(self.sqlite)}
        # Nothing else of this environment, because uWSGI and the settings read it.
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PYTHONPYCACHEPREFIX": str(BUILD / "bytecode"),
            "PYTHONUNBUFFERED": "1",
            "DEBUG": "False",
            "SECRET_KEY": "bench",
            "SITE_ROOT": self.url,
            "USE_GZIP_MIDDLEWARE": "True",
            "UWSGI_PROCESSES": str(PROCESSES),
            **database,
        }

    def prepare(self, checks):
        self._manage("migrate", "--verbosity", "0")
        extra = {"BENCH_CHECKS": str(checks), "BENCH_CODES": str(self.codes)}
        self._manage("shell", "-c", SEED, **extra)
        return self

    def _manage(self, *arguments, **extra):
        told = subprocess.run(
            [self.checkout.venv / "bin/python", "manage.py", *arguments],
            cwd=self.checkout.folder,
            env={**self.env, **extra},
            capture_output=True,
            text=True,
        )
        if told.returncode:
            raise Problem(f"manage.py {arguments[0]} failed:\n{told.stdout}{told.stderr}")

    def _write_settings(self):
        """Returns the path of the image's uwsgi.ini, for this port. Without its daemons, which
        would take time from the pings."""
        text = (self.checkout.folder / "docker/uwsgi.ini").read_text()
        for pattern, line in (
            (r"http-socket\s*=.*", f"http-socket = 127.0.0.1:{self.port}"),
            (r"chdir\s*=.*", f"chdir = {self.checkout.folder}"),
            (r"(attach-daemon|hook-pre-app)\s*=.*", ""),
        ):
            text = re.sub(f"^{pattern}$", line, text, flags=re.MULTILINE)
        # Its http-socket closes each connection but does not say so, which wrk takes for an error.
        text += "\nadd-header = Connection: close\n"
        path = self.folder / "uwsgi.ini"
        path.write_text(text)
        return path

    def start(self):
        command = [self.checkout.venv / "bin/uwsgi", "--ini", self._write_settings()]
        with open(self.folder / "uwsgi.log", "wb") as log:
            self.process = subprocess.Popen(
                [*command, "--home", self.checkout.venv],
                cwd=self.checkout.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(self._is_ready, 60, "uWSGI's answer to a ping")
        return self

    def _is_ready(self):
        if self.process.poll() is not None:
            raise Problem(f"uWSGI ended:\n{(self.folder / 'uwsgi.log').read_text()[-2000:]}")
        code = self.codes.read_text().split()[0]
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            try:
                connection.request("GET", f"/ping/{code}")
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException):
                return False
            if answer.status != 200:
                raise Problem(f"healthchecks answers a ping with {answer.status}")
            return True

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(30)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kept(self):
        """Returns how many pings the database holds."""
        query = "SELECT sum(n_pings) FROM api_check"
        if self.postgresql:
            return int(self.postgresql.sql(query, self.name))
        with closing(sqlite3.connect(f"file:{self.sqlite}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchone()[0]
