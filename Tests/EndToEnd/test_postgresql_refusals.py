"""A command that can't use a PostgreSQL database prints one line that says what to do. It returns
exit code 1, and reveals no secret."""

import base64
import os

import pytest

from support.api import sign_in
from support.program import phone_number, run

SECRET = "open-sesame"
ON_THE_COMMAND_LINE = "a password on the command line can be read by everybody"
NO_PASSWORD = "the password is wrong or missing: set PGPASSWORD"
TOOLS = ("pgBackRest", "pg_basebackup", "Keep the server's key")

SERVING = ["--host", "127.0.0.1", "--port", 0, "--sms", "none"]
SERVING += ["--public-url", "http://localhost"]
COMMANDS = {
    "serve": ["serve", *SERVING],
    "doctor": ["doctor", *SERVING],
    "backup": ["backup", "copy.sqlite"],
    "restore": ["restore", "copy.sqlite"],
}
OF_SERVERS = pytest.mark.parametrize("command", ["serve", "doctor"])
OF_BACKUPS = pytest.mark.parametrize("command", ["backup", "restore"])


@pytest.fixture
def refuse(tmp_path):
    """Runs a command on the database at `url`, or on the environment's if `url` is None. Fails
    unless the command refuses with these words."""

    def check(command, url, *words, **env):
        option = ["--database", url] if url else []
        result = run(*COMMANDS[command], *option, env=env, cwd=tmp_path)
        output = result.stdout + result.stderr
        assert result.returncode == 1, output
        assert SECRET not in output
        # `doctor` also reports other things; the lines that name a fault begin with "BAD".
        said = result.stderr.splitlines()
        said += [line for line in result.stdout.splitlines() if line.startswith("BAD")]
        assert len(said) == 1, output
        for word in words:
            assert word in said[0], output
        assert "LifeSignal is ready" not in output
        assert not (tmp_path / "copy.sqlite").exists()

    return check


@pytest.fixture
def with_password(postgresql, postgresql_url):
    """Returns the URL of a database whose role requires the password."""
    name = postgresql_url.rsplit("/", 1)[1]
    role = f"role_{name}"
    rules = postgresql.data / "pg_hba.conf"
    before = rules.read_text()
    postgresql.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}'")
    rules.write_text(f"host {name} {role} all scram-sha-256\n{before}")
    try:
        postgresql.sql("SELECT pg_reload_conf()")
        yield postgresql_url.replace("//lifesignal@", f"//{role}@")
    finally:
        rules.write_text(before)
        postgresql.sql("SELECT pg_reload_conf()")
        postgresql.sql(f"DROP ROLE {role}")


@OF_SERVERS
@pytest.mark.parametrize(
    "url, words",
    [
        ("postgres://ana@127.0.0.1:1/x", "can't be reached"),
        ("postgres://ana@127.0.0.1:1/x?colour=red", "the URL is not a PostgreSQL URL"),
        (f"postgres://ana:{SECRET}@127.0.0.1:1/x", ON_THE_COMMAND_LINE),
        (f"postgres://ana@127.0.0.1:1/x?password={SECRET}", ON_THE_COMMAND_LINE),
        (f"postgres://ana@127.0.0.1:1/x?sslpassword={SECRET}", ON_THE_COMMAND_LINE),
    ],
    ids=["unreachable", "no URL", "password", "password after ?", "password of a key"],
)
def test_unreachable_postgresql_url(refuse, command, url, words):
    refuse(command, url, words)


@OF_SERVERS
def test_password_in_environment_stays_secret(refuse, command):
    url = f"postgres://ana:{SECRET}@127.0.0.1:1/x"
    refuse(command, None, "can't be reached", LIFESIGNAL_DATABASE=url)
    refuse(command, "postgres://ana@127.0.0.1:1/x", "can't be reached", PGPASSWORD=SECRET)


@OF_SERVERS
def test_database_of_another_program(refuse, postgresql, postgresql_url, command):
    postgresql.sql("CREATE TABLE invoices (id INT)", postgresql_url.rsplit("/", 1)[1])
    refuse(command, postgresql_url, "it holds tables of another program", "createdb")


@OF_SERVERS
def test_missing_database_or_role(refuse, postgresql, postgresql_url, command):
    refuse(command, postgresql.url("nobody"), "there is no such database: createdb")
    stranger = postgresql_url.replace("//lifesignal@", "//nobody@")
    refuse(command, stranger, "there is no such role: createuser")


@OF_SERVERS
def test_postgresql_without_encryption(refuse, postgresql_url, command):
    refuse(command, f"{postgresql_url}?sslmode=require", "it does not support TLS")


@OF_SERVERS
def test_wrong_postgresql_password(refuse, with_password, command):
    refuse(command, with_password, NO_PASSWORD)
    refuse(command, with_password, NO_PASSWORD, PGPASSWORD="another")


def test_postgresql_password_from_file(refuse, with_password, tmp_path):
    file = tmp_path / "pass"
    file.write_text(f"*:*:*:*:{SECRET}\n")
    file.chmod(0o600)
    settings = {"env": {"PGPASSFILE": str(file)}, "cwd": tmp_path}
    result = run(*COMMANDS["doctor"], "--database", with_password, **settings)
    assert "is empty" in result.stdout, result.stdout + result.stderr
    assert SECRET not in result.stdout + result.stderr
    file.write_text("*:*:*:*:another\n")
    refuse("doctor", with_password, NO_PASSWORD, PGPASSFILE=str(file))


@OF_BACKUPS
def test_backup_points_to_postgresql_tools(refuse, command):
    refuse(command, "postgres://ana@127.0.0.1:1/x", *TOOLS)
    refuse(command, f"postgres://ana:{SECRET}@127.0.0.1:1/x", ON_THE_COMMAND_LINE)


def a_key():
    return base64.b64encode(os.urandom(32)).decode()


def test_postgresql_servers_share_key_from_environment(make_server, postgresql_url):
    env = {"LIFESIGNAL_KEY": a_key()}
    one, other = [make_server(database=postgresql_url, env=env).start() for _ in range(2)]
    person = sign_in(one, phone_number(0), "Ana")
    person.server = other
    assert person.get("/v1/me")["name"] == "Ana"
    assert not list(one.folder.glob("*.key"))

    for key, words in [(a_key(), "the key of this server is not"), ("c2hvcnQ=", "LIFESIGNAL_KEY")]:
        stranger = make_server(database=postgresql_url, env={"LIFESIGNAL_KEY": key}).launch()
        assert stranger.wait_for_end() == 1
        assert words in stranger.output() and key not in stranger.output()
    assert one.is_running and other.is_running
