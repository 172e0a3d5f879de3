"""Builds the Debian package, inspects it, and installs, uses and removes it in a Debian."""

import os
import platform
import re
import shutil
import subprocess
import threading
import time

import pytest

from daemons import succeeded
from machine import DebianMachine, debian, dependencies
from package import build
from paths import DEPLOY
from ports import free_ports
from support.api import Client, begin_session, sign_in
from support.program import CODE, PROGRAM, REPOSITORY, phone_number
from support.waiting import wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a machine is booted by root only")
DATA = "/var/lib/lifesignal"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return build(tmp_path_factory.mktemp("package"))


def test_lintian_finds_nothing(package):
    result = subprocess.run(
        ["lintian", "--fail-on=error,warning", "--tag-display-limit=0", package],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0 and not result.stdout, result.stdout


def test_the_package_brings_what_debian_does_not_have(package, tmp_path):
    succeeded("dpkg-deb", "--extract", package, tmp_path)
    assert {"libsqlite3-0", "libssl3", "libcurl4"} < set(dependencies(package))
    program = tmp_path / "usr/bin/lifesignal"
    brought = {path.name for path in (tmp_path / "usr/lib/lifesignal").iterdir()}
    needed = set(re.findall(r"NEEDED\s+(\S+)", succeeded("objdump", "-p", program)))
    assert {one for one in needed if one.lower().startswith(("libswift", "libfound"))} <= brought
    assert "/usr/lib/lifesignal" in succeeded("chrpath", "-l", program)
    assert "/opt" not in succeeded("chrpath", "-l", program)
    assert (tmp_path / "etc/lifesignal/lifesignal.env").stat().st_mode & 0o077 == 0


def test_the_package_has_the_documents_and_names_its_debian(package, tmp_path):
    succeeded("dpkg-deb", "--extract", package, tmp_path)
    documents = tmp_path / "usr/share/doc/lifesignal"
    ours = {path.name for path in (REPOSITORY / "Docs").glob("*.md")}
    assert {path.name for path in (documents / "Docs").iterdir()} == ours
    for name in ("README.md", "CHANGELOG.md", "sbom.cdx.json", "examples/container/compose.yaml"):
        assert (documents / name).exists(), name
    # A library's package has another name in each Debian, and so has this one's version.
    release = platform.freedesktop_os_release()["VERSION_ID"]
    assert succeeded("dpkg-deb", "--field", package, "Version").strip().endswith(f"~deb{release}")


def test_sources_without_git_can_be_packaged(tmp_path):
    """Such as a downloaded archive. The moment is then the build's, unless it is given."""
    shutil.copytree(DEPLOY, tmp_path / "sources/Deploy")
    for name in ("Docs", "README.md", "CHANGELOG.md", "SECURITY.md"):
        (tmp_path / "sources" / name).symlink_to(REPOSITORY / name)
    command = [tmp_path / "sources/Deploy/debian/build.sh", PROGRAM, tmp_path]
    given = {**os.environ, "SOURCE_DATE_EPOCH": "1800000000"}
    for environment, expected in [(given, "20270115080000"), (os.environ, "20")]:
        told = succeeded(*command, env=environment, timeout=500)
        assert f"+{expected}" in told.splitlines()[-1], told


def test_the_manual_has_the_help_and_what_the_package_adds(package, tmp_path):
    succeeded("dpkg-deb", "--extract", package, tmp_path)
    page = tmp_path / "usr/share/man/man1/lifesignal.1.gz"
    result = subprocess.run(
        ["man", "--warnings", "--local-file", page],
        env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0 and not result.stderr, result.stderr
    lines = [line.strip() for line in result.stdout.splitlines()]
    for line in [
        "lifesignal — A personal safety network: people check in, and when one does not, those"
        " they chose are told",
        "--database-connections database-connections",
        "--responder, --no-responder",
        "How many, newest first. (default: 20)",
        "The name of this device in your list of sessions. (default: lifesignal on HOST)",
        "7       another command is using this home",
        "/etc/lifesignal/server.key",
        "journalctl(1), systemctl(1)",
    ]:
        assert line in lines, f"{line!r} is not in:\n{result.stdout}"
    assert "AA:BB:..." in result.stdout, "letters beyond ASCII are written in another way"
    assert lines.count("Show help information.") == 1
    assert "EXIT CODES" not in result.stdout


class InstalledServer:
    """The server in the machine, with what clients of the end-to-end tests need."""

    def __init__(self, machine, port):
        self.machine = machine
        self.url = f"http://127.0.0.1:{port}"

    def wait(self):
        wait_until(self._is_ready, 30, "the server in the machine")
        return self

    def _is_ready(self):
        try:
            return Client(self).send("GET", "/health/ready").ok
        except OSError:
            return False


@pytest.fixture(scope="module")
def machine(package, tmp_path_factory):
    """A machine that was booted after the package had been installed and configured."""
    machine = DebianMachine(tmp_path_factory.mktemp("machine"), debian(dependencies(package)))
    (machine.root / "root/lifesignal.deb").write_bytes(package.read_bytes())
    machine.in_root("dpkg", "--install", "/root/lifesignal.deb")
    (port,) = free_ports(1)
    phones = ",".join(f"{phone_number(index)}={CODE}" for index in range(9))
    settings = machine.root / "etc/lifesignal/lifesignal.env"
    text = settings.read_text()
    assert "LIFESIGNAL_PORT=8080\n" in text
    settings.write_text(
        text.replace("PORT=8080\n", f"PORT={port}\n") + f"LIFESIGNAL_TEST_PHONE={phones}\n"
    )
    try:
        machine.boot()
        machine.server = InstalledServer(machine, port).wait()
        yield machine
    finally:
        machine.shut_down()


@needs_root
def test_the_server_is_its_own_user_and_comes_back_after_a_kill(machine):
    person = sign_in(machine.server, phone_number(0))
    person.check_in()
    before = person.get("/v1/me")
    process = machine.property("lifesignal", "MainPID")
    assert machine.run("ps", "-o", "user=", "-p", process).strip().startswith("lifesig")
    for file in machine.run("find", DATA, "-type", "f", "-printf", "%u %m %P\n").splitlines():
        assert re.match(r"lifesignal [46]00 ", file), file
    assert machine.run("stat", "-c", "%U %a", "/etc/lifesignal/server.key").strip() == "root 600"
    machine.run("systemctl", "kill", "--signal=KILL", "lifesignal")
    wait_until(
        lambda: machine.property("lifesignal", "MainPID") not in ("0", process), 30, "a restart"
    )
    machine.server.wait()
    assert person.get("/v1/me") == before


@needs_root
def test_systemd_restarts_a_server_that_hangs(machine):
    assert machine.property("lifesignal", "Type") == "notify"
    process = machine.property("lifesignal", "MainPID")
    machine.run("kill", "-STOP", process)
    wait_until(
        lambda: machine.property("lifesignal", "MainPID") not in ("0", process),
        60,
        "a restart by the watchdog",
    )
    machine.server.wait()
    assert "Watchdog timeout" in machine.run("journalctl", "-u", "lifesignal")


@needs_root
def test_the_server_may_ask_the_kernel_about_the_clock(machine):
    allowed = machine.property("lifesignal", "SystemCallFilter")
    assert "adjtimex" in allowed.split()
    ask = 'my $b = "\\0" x 208; print "answer ", syscall(159, $b), "\\n"'
    options = [
        f"--property={name}={value}"
        for name, value in re.findall(
            r"^(System\w+|Protect\w+|Capab\w+|Restrict\w+)=(.*)$",
            (DEPLOY / "systemd/lifesignal.service").read_text(),
            re.MULTILINE,
        )
    ]
    start = ["systemd-run", "--quiet", "--wait", "--pipe", "--uid=lifesignal", *options]
    assert re.search(r"answer [0-5]$", machine.run(*start, "perl", "-e", ask).strip())


@needs_root
def test_a_backup_every_night_and_the_way_back(machine):
    person = sign_in(machine.server, phone_number(1), "Before the backup")
    _, back_up, restore, _ = blocks_of_the_operators_page()
    listed = machine.run("sh", "-ec", back_up).split()
    # The newest backup, because the timer may have made one, too.
    backup = max(name for name in listed if name.endswith(".sqlite"))
    machine.run("cmp", f"{DATA}/backups/{backup}.key", "/etc/lifesignal/server.key")
    assert "lifesignal-backup.timer" in machine.run("systemctl", "list-timers", "--no-pager")

    person.call("PATCH", "/v1/me", {"name": "After the backup"})
    machine.run("sh", "-ec", restore.replace("BACKUP.sqlite", backup))
    machine.server.wait()
    again = begin_session(Client(machine.server), phone_number(1))
    assert again.get("/v1/me")["name"] == "Before the backup"


@needs_root
def test_a_comment_in_the_settings_file_shows_the_settings(machine):
    text = (DEPLOY / "systemd/lifesignal.env").read_text()
    (command,) = re.findall(r"^#   (systemd-run .*)$", text, re.MULTILINE)
    said = machine.run("sh", "-ec", command)
    port = machine.server.url.rsplit(":", 1)[-1]
    assert f"port: {port}  # LIFESIGNAL_PORT\n" in said, said
    assert "mail-server: none  # LIFESIGNAL_MAIL_SERVER\n" in said


@needs_root
def test_the_doctor_knows_the_settings_and_the_key_of_the_server(machine):
    sign_in(machine.server, phone_number(3))
    *_, examine = blocks_of_the_operators_page()
    said = machine.run("sh", "-ec", examine)
    assert "All is well." in said, said
    assert re.search(r"^ok {4}key: .*/server\.key$", said, re.MULTILINE), said
    key = r"^ok {4}Web Push: the key exists and can be decrypted$"
    assert re.search(key, said, re.MULTILINE), said


@needs_root
def test_the_first_start_alone_makes_a_database_beside_the_key(machine):
    assert machine.try_to("test", "-e", f"{DATA}/lifesignal.sqlite.begin-anew").returncode == 1
    machine.run("systemctl", "stop", "lifesignal")
    machine.run("mv", f"{DATA}/lifesignal.sqlite", f"{DATA}/kept.sqlite")
    machine.try_to("systemctl", "start", "lifesignal")
    wait_until(
        lambda: "there is no database at" in machine.run("journalctl", "-u", "lifesignal"),
        30,
        "the refusal",
    )
    machine.run("test", "!", "-e", f"{DATA}/lifesignal.sqlite")
    machine.run("systemctl", "stop", "lifesignal")
    machine.run("mv", f"{DATA}/kept.sqlite", f"{DATA}/lifesignal.sqlite")
    machine.run("systemctl", "start", "lifesignal")
    machine.server.wait()


@needs_root
def test_a_restart_loses_no_request_while_systemd_holds_the_socket(machine):
    person = sign_in(machine.server, phone_number(4), "Asks on")
    port = machine.server.url.rsplit(":", 1)[-1]
    folder = machine.root / "etc/systemd/system/lifesignal.socket.d"
    folder.mkdir(parents=True)
    (folder / "port.conf").write_text(f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{port}\n")
    machine.run("systemctl", "daemon-reload")
    hold, *_ = blocks_of_the_operators_page()
    machine.run("sh", "-ec", hold)
    for _ in range(3):
        process = machine.property("lifesignal", "MainPID")
        restart = threading.Thread(target=machine.run, args=("systemctl", "restart", "lifesignal"))
        restart.start()
        while restart.is_alive():
            # The server may close a connection that is between two requests.
            me = person.get("/v1/me", headers={"Connection": "close"})
            assert me["name"] == "Asks on"
            # A user may send 600 requests a minute.
            time.sleep(0.05)
        assert machine.property("lifesignal", "MainPID") not in ("0", process)
    machine.run("systemctl", "disable", "--now", "lifesignal.socket")
    shutil.rmtree(folder)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "lifesignal")
    machine.server.wait()


@needs_root
def test_what_people_have_stored_outlives_the_package(machine, package, tmp_path):
    person = sign_in(machine.server, phone_number(2), "Stays")
    key = machine.run("sha256sum", "/etc/lifesignal/server.key")
    machine.run("dpkg", "--remove", "lifesignal")
    assert machine.try_to("pgrep", "-x", "lifesignal").returncode == 1, "the server runs on"
    machine.run("test", "-e", f"{DATA}/lifesignal.sqlite")

    machine.run("dpkg", "--install", "/root/lifesignal.deb")
    machine.server.wait()
    assert person.get("/v1/me")["name"] == "Stays"

    process = machine.property("lifesignal", "MainPID")
    newer = build(tmp_path, DEB_VERSION="999")
    (machine.root / "root/newer.deb").write_bytes(newer.read_bytes())
    machine.run("dpkg", "--install", "/root/newer.deb")
    machine.server.wait()
    assert machine.property("lifesignal", "MainPID") != process, "an upgrade restarts the server"
    assert person.get("/v1/me")["name"] == "Stays"

    assert "stay" in machine.run("dpkg", "--purge", "lifesignal")
    machine.run("test", "-e", f"{DATA}/lifesignal.sqlite")
    assert machine.run("sha256sum", "/etc/lifesignal/server.key") == key
    assert machine.try_to("test", "-e", "/etc/lifesignal/lifesignal.env").returncode == 1

    settings = machine.root / "etc/lifesignal/lifesignal.env"
    settings.write_text(f"LIFESIGNAL_PORT={machine.server.url.rsplit(':', 1)[-1]}\n")
    machine.run("dpkg", "--force-confold", "--install", "/root/lifesignal.deb")
    machine.server.wait()
    assert person.get("/v1/me")["name"] == "Stays"


def blocks_of_the_operators_page():
    """Returns the shell blocks of Docs/operations.md that are marked as runnable."""
    text = (REPOSITORY / "Docs/operations.md").read_text()
    return re.findall(r"<!-- The tests of Deploy run.*?-->\n```sh\n(.*?)```", text, re.DOTALL)
