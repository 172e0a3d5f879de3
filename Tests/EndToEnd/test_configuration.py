"""Settings from options, environment and file, and what `lifesignal config` says about them."""

import http.client
import json
import re
import signal
import socket
import stat

import pytest

from support.api import Client, new_id, sign_in, watch_over
from support.certificates import Certificate, Files
from support.program import REPOSITORY, Server, phone_number, run
from support.waiting import wait_until

DOCUMENTS = "\n".join(
    (REPOSITORY / "Docs" / name).read_text() for name in ("configuration.md", "push-apps.md")
)


@pytest.fixture
def settings(tmp_path):
    """Writes a settings file and returns its path."""

    def write(text, mode=0o600):
        path = tmp_path / "lifesignal.yaml"
        path.write_text(text)
        path.chmod(mode)
        return path

    return write


def config(*arguments, **environment):
    result = run("config", "--json", *arguments, env=environment)
    assert result.returncode == 0, result.stderr
    return {setting["name"]: setting for setting in json.loads(result.stdout)}


def refusal(*arguments, **environment):
    """Returns the one sentence with which `config` refuses a setting."""
    result = run("config", *arguments, env=environment)
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result
    return result.stderr


def test_each_setting_has_its_origin(settings):
    path = settings("# mine\nport: 8081\nlog-level: debug\ncountry: NO\n")
    found = config("--config", path, "--port", 8082, LIFESIGNAL_LOG_LEVEL="warning")
    assert found["port"]["value"] == "8082" and found["port"]["place"] == "--port"
    assert found["log-level"]["value"] == "warning"
    assert found["log-level"]["place"] == "LIFESIGNAL_LOG_LEVEL"
    assert found["country"]["value"] == "NO" and found["country"]["place"] == f"{path}:4"
    assert found["host"]["value"] == "127.0.0.1" and found["host"]["origin"] == "default"
    text = run("config", env={"LIFESIGNAL_CONFIG": str(path)}).stdout
    assert f"port: 8081  # {path}:2\n" in text and "# voice" not in text
    assert "# mail-from:  # not set\n" in text


def test_list_has_one_form_for_each_origin(settings):
    path = settings("sms-countries: [NO, DE]\nadmin-socket: none\nsign-up: closed\n")
    found = config("--config", path)
    assert found["sms-countries"]["value"] == "NO,DE"
    assert found["admin-socket"]["value"] == "none" and found["sign-up"]["value"] == "closed"
    for arguments in (["DE,AT"], ["DE", "--sms-countries", "AT"]):
        found = config("--config", path, "--sms-countries", *arguments)
        assert found["sms-countries"]["value"] == "DE,AT"
    found = config("--database", "x.sqlite")
    assert found["admin-socket"]["value"] == "x.sqlite.admin"
    assert "value" not in found["sign-up"]


def test_empty_values_count_as_unset(settings):
    path = settings("port:\nhost: ''\nvoice: ~\n")
    found = config("--config", path, LIFESIGNAL_SMS="")
    assert [found[name]["origin"] for name in ("port", "host", "voice", "sms")] == ["default"] * 4


def test_hops_have_no_default_with_named_proxies():
    assert config()["proxy-hops"]["value"] == "1"
    assert "value" not in config("--trusted-proxies", "10.0.0.0/8")["proxy-hops"]


def test_unusable_certificate_is_refused(tmp_path):
    missing = ("--tls-certificate", tmp_path / "none.pem", "--tls-key", tmp_path / "none.key")
    assert "none.pem can't be read" in refusal(*missing)


def test_secrets_are_hidden(settings):
    codes = "+15550190=" + "c" * 20
    path = settings(f"canary-phones: ['{codes}', '+15550191={'d' * 20}']\n")
    database = "postgres://ana:geheim@127.0.0.1/x"
    environment = {"LIFESIGNAL_CONFIG": str(path), "LIFESIGNAL_DATABASE": database}
    for format in ([], ["--json"]):
        result = run("config", *format, env=environment)
        assert result.returncode == 0, result.stderr
        assert "ccc" not in result.stdout and "geheim" not in result.stdout
        assert "canary-phones" in result.stdout and "ana:********@127.0.0.1/x" in result.stdout


TWILIO = {
    "LIFESIGNAL_SMS": "twilio",
    "LIFESIGNAL_TWILIO_ACCOUNT_SID": "AC1",
    "LIFESIGNAL_TWILIO_FROM": "+15005550006",
}


def test_secret_comes_from_a_private_file(settings, tmp_path):
    secret = tmp_path / "token"
    secret.write_text("token\n")
    secret.chmod(0o600)
    found = config(**TWILIO, LIFESIGNAL_TWILIO_AUTH_TOKEN_FILE=str(secret))
    assert found["twilio-auth-token"]["place"] == "LIFESIGNAL_TWILIO_AUTH_TOKEN_FILE"
    path = settings(f"twilio-auth-token-file: {secret}\n")
    assert config("--config", path, **TWILIO)["twilio-auth-token"]["place"] == f"{path}:1"
    secret.chmod(0o644)
    words = refusal("--config", path, **TWILIO)
    assert f"other users can read {secret}" in words and "chmod" in words
    assert f"twilio-auth-token-file ({path}, line 1)" in words


def test_password_of_a_proxy_comes_from_a_private_file(tmp_path):
    secret = tmp_path / "proxy"
    secret.write_text("http://ana:geheim@proxy:3128\n")
    secret.chmod(0o600)
    found = config(LIFESIGNAL_OUTBOUND_PROXY_FILE=str(secret))["outbound-proxy"]
    assert found["isSecret"] and found["place"] == "LIFESIGNAL_OUTBOUND_PROXY_FILE"


def test_file_with_secret_must_be_private(settings):
    words = refusal("--config", settings("mail-password: geheim\n", mode=0o644))
    assert "other users can read" in words and "chmod" in words and "geheim" not in words
    config("--config", settings("port: 1\n", mode=0o644))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sms-bugdet: 1\n", ["line 1", "sms-bugdet is not a setting", "sms-budget?"]),
        ("a: 1\n", ["line 1", "a is not a setting", "Did you mean"]),
        ("\nport: many\n", ["port (", "line 2) must be a whole number", '"many"']),
        ("port: 70000\n", ["line 1) must be 0 to 65535", '"70000"']),
        ("port: [1]\n", ["line 1: port must be one value"]),
        ("LIFESIGNAL_PORT: 1\n", ["line 1", "is not a setting", "Did you mean port?"]),
        ("port: 81\ninternal-port: 81\n", ["--internal-port and --port must be different"]),
        ("traces-url: https://a:b@c\n", ["traces-url (", "must have no user name"]),
        ("trust-proxy: perhaps\n", ["line 1) must be true or false", '"perhaps"']),
        ("sign-up: all\n", ["sign-up (", "must be open, invited or closed", '"all"']),
        ("sms-countries: [DE, XX]\n", ["sms-countries (", "line 1) must be", '"DE,XX"']),
        ("admin-socket: off\n", ["admin-socket (", "must be none, or a path", '"off"']),
        ("sms: pigeon\n", ["sms (", "must be console, twilio, gateway or none", '"pigeon"']),
        ("port: 1\nport: 2\n", ["port is there twice"]),
        ("port: 'x\n", ["is not YAML"]),
        ("server: https://example.org\n", ["server is not a setting"]),
    ],
)
def test_mistake_in_file_is_named(settings, text, words):
    found = refusal("--config", settings(text))
    assert all(word in found for word in words), found


def test_missing_file_is_refused(tmp_path):
    assert "can't be read" in refusal("--config", tmp_path / "none.yaml")


def test_variables_of_tests_are_allowed():
    names = set()
    for folder in ("Tests", "Benchmarks", "Makefile"):
        path = REPOSITORY / folder
        for file in [path] if path.is_file() else path.rglob("*.*"):
            if file.is_file() and file.suffix in (".py", ".swift", ""):
                names |= set(
                    re.findall(
                        r"environ(?:\.get\(|ment\[|\[)\"(LIFESIGNAL_[A-Z_]+[A-Z])",
                        file.read_text(errors="replace"),
                    )
                )
    assert "LIFESIGNAL_SEED" in names
    config(**{name: "" for name in names})


def test_every_option_is_a_setting_and_documented():
    options = set(re.findall(r"^\s+--([a-z-]+)", run("serve", "--help").stdout, re.MULTILINE))
    found = config()
    assert "port" in found and options - {"config", "help", "version"} <= set(found)
    missing = [
        name for name in found if f"LIFESIGNAL_{name.upper().replace('-', '_')}" not in DOCUMENTS
    ]
    assert not missing


def test_help_names_variables():
    words = re.sub(r"\s+", " ", run("serve", "--help").stdout)
    assert "LIFESIGNAL_PORT" in words and "LIFESIGNAL_TWILIO_AUTH_TOKEN" in words
    assert "change at once: log-level, proxy-header, proxy-hops, requests-per-address," in words
    assert "sign-up, sms-countries, trusted-proxies." in words


def test_example_file_is_valid(settings, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    text = (REPOSITORY / "Deploy/systemd/lifesignal.yaml").read_text()
    every = re.sub(r"(?m)^#([a-z-]+:)", r"\1", text)
    every = re.sub(r"(-file:) \S+", rf"\1 {secret}", every)
    assert every.count(str(secret)) == 2
    files = Files(tmp_path)
    files.write(Certificate())
    for name, path in (("tls-certificate", files.certificate), ("tls-key", files.key)):
        every, count = re.subn(rf"(?m)^{name}: \S+$", f"{name}: {path}", every)
        assert count == 1
    found = config("--config", settings(every))
    assert found["public-url"]["value"] == "https://lifesignal.example.org"


def test_commands_read_database_from_file(make_server, settings, tmp_path):
    database = tmp_path / "data" / "own.sqlite"
    path = settings(f"database: {database}\n")
    server = make_server(database=database).start()
    server.stop()
    copy = tmp_path / "copy.sqlite"
    result = run("backup", copy, env={"LIFESIGNAL_CONFIG": str(path)})
    assert result.returncode == 0 and copy.exists(), result.stderr
    assert run("doctor", "--config", path, "--port", 0).returncode == 0
    # A backup goes on although another setting is wrong.
    path.write_text(f"database: {database}\nport: many\nprot: 1\n")
    assert run("backup", tmp_path / "2.sqlite", "--config", path).returncode == 0


def test_admin_reads_settings_file(make_server, settings, tmp_path):
    database, socket_path = tmp_path / "data" / "own.sqlite", tmp_path / "admin"
    path = settings(f"database: {database}\nadmin-socket: {socket_path}\n")
    server = make_server("--config", path, database=database).start()
    wait_until(socket_path.exists, 30, "the socket")
    # A running server can be administered although another setting has become wrong.
    path.write_text(path.read_text() + "port: many\n")
    result = run("admin", "people", env={"LIFESIGNAL_CONFIG": str(path)})
    assert result.returncode == 0 and "Nobody." in result.stdout, result.stderr
    server.stop()
    result = run("admin", "people", "--config", path)
    assert result.returncode != 0 and "must be a whole number" in result.stderr
    path.write_text(path.read_text().replace("port: many\n", ""))
    result = run("admin", "people", "--config", path)
    assert result.returncode == 0 and "Nobody." in result.stdout, result.stderr


def test_hangup_reads_settings_again(make_server, settings):
    path = settings("log-level: info\ncountry: DE\n")
    server = make_server("--config", path).start()
    path.write_text("log-level: debug\ncountry: NO\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the settings were read again" in server.output(), 30, "the settings")
    output = server.output()
    assert "a changed setting needs a restart" in output and "setting=country" in output
    assert "setting=log-level" not in output
    Client(server).get("/health/live")
    wait_until(lambda: " debug " in server.output(), 30, "a line of the new level")

    path.write_text("log-level: loud\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the settings are invalid" in server.output(), 30, "the refusal")
    assert Client(server).get("/health/live")["status"] == "ok"
    assert server.stop()[0] == 0


@pytest.mark.parametrize(
    ("networks", "is_trusted"),
    [("127.0.0.0/8", True), ("10.0.0.0/8,127.0.0.1", True), ("10.0.0.0/8", False)],
)
def test_forwarded_address_counts_only_from_trusted_proxies(make_server, networks, is_trusted):
    server = make_server(
        "--trust-proxy",
        *("--requests-per-address", 2),
        env={"LIFESIGNAL_TRUSTED_PROXIES": networks},
    )
    client = Client(server.start())
    statuses = [
        client.send(
            "GET", "/health/live", headers={"X-Forwarded-For": f"203.0.113.{number}"}
        ).status_code
        for number in range(4)
    ]
    assert (statuses == [200] * 4) == is_trusted, statuses


def test_links_name_the_free_port(make_server):
    server = make_server("--sign-up", "invited").start()
    assert f"http://localhost:{server.port}/join/" in server.logs(), server.logs()


def test_invalid_network_is_refused(settings):
    path = settings("trusted-proxies: [127.0.0.1, 10.0.0.0/33]\n")
    words = refusal("--config", path)
    assert "trusted-proxies (" in words and "10.0.0.0/8" in words


@pytest.mark.parametrize(
    ("networks", "is_allowed"), [("127.0.0.0/8", True), ("10.0.0.0/8,::1", False)]
)
def test_webhooks_reach_only_allowed_networks(make_server, webhooks, networks, is_allowed):
    server = make_server("--allow-networks", networks).start()
    ana, ben = (sign_in(server, phone_number(index)) for index in (1, 2))
    watch_over(ben, ana)
    ben.put(f"/v1/devices/{new_id()}", {"kind": "webhook", "url": f"{webhooks.url}/hook"})
    ana.put(f"/v1/alerts/{new_id()}")
    if is_allowed:
        wait_until(lambda: webhooks.calls, 30, "a webhook")
        return
    device = wait_until(
        lambda: [d for d in ben.get("/v1/devices")["items"] if "lastFailure" in d], 30, "a refusal"
    )
    assert device[0]["lastFailure"] == "private-address" and not webhooks.calls


def test_providers_are_reached_through_proxy(make_server, webhooks):
    server = make_server(
        *("--sms", "twilio", "--outbound-proxy", webhooks.url),
        env={
            **{name: value for name, value in TWILIO.items() if name != "LIFESIGNAL_SMS"},
            "LIFESIGNAL_TWILIO_AUTH_TOKEN": "token",
            "LIFESIGNAL_TWILIO_BASE_URL": "http://twilio.internal",
        },
    ).start()
    Client(server).post("/v1/auth/codes", {"phoneNumber": "+4915112345678"}, status=202)
    call = wait_until(lambda: webhooks.calls and webhooks.calls[0], 30, "a request")
    assert call.path.startswith("http://twilio.internal/")


@pytest.mark.parametrize("proxy", ["proxy:3128", "ftp://proxy", "http://", "http://proxy/path"])
def test_invalid_proxy_is_refused(proxy):
    assert "--outbound-proxy must be like" in refusal("--outbound-proxy", proxy)


def get_over_socket(path, url, **headers):
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(path))
    connection.request("GET", url, headers=headers)
    return connection.getresponse().status


def test_server_listens_on_socket(make_server, tmp_path):
    path = tmp_path / "http.sock"
    server = make_server("--listen", f"unix:{path}", "--requests-per-address", 2).launch()
    wait_until(lambda: f"ready at unix:{path}" in server.output(), 60, "the ready line")
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    for number in range(4):
        address = f"203.0.113.{number}"
        headers = {"X-Forwarded-For": address}
        assert get_over_socket(path, "/health/live", **headers) == 200, address
    assert server.stop()[0] == 0


@pytest.mark.parametrize("value", ["off", "/" + "x" * 107])
def test_invalid_admin_socket_is_refused(value):
    assert "--admin-socket must be none, or a path" in refusal("--admin-socket", value)
    config("--admin-socket", "/" + "x" * 106)


def test_half_settings_for_apns_are_refused(tmp_path):
    missing = "need LIFESIGNAL_APNS_KEY_FILE, LIFESIGNAL_APNS_KEY_ID, LIFESIGNAL_APNS_TOPIC, too."
    assert missing in refusal(LIFESIGNAL_APNS_TEAM_ID="ABCDE12345")
    key = str(tmp_path / "key.p8")
    missing = "need LIFESIGNAL_APNS_KEY_ID, LIFESIGNAL_APNS_TOPIC, too."
    assert missing in refusal(LIFESIGNAL_APNS_TEAM_ID="ABCDE12345", LIFESIGNAL_APNS_KEY_FILE=key)
    config(LIFESIGNAL_APNS_CRITICAL="1")


@pytest.mark.parametrize("value", ["8080", "unix:relative", "unix:/" + "x" * 103])
def test_invalid_socket_is_refused(value):
    assert "--listen must be like unix:/" in refusal("--listen", value)
    config("--listen", "unix:/" + "x" * 102)


def test_file_in_place_of_the_socket_is_refused(make_server, tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    server = make_server("--listen", f"unix:{path}").launch()
    assert server.process.wait(60) == 1
    wait_until(lambda: f"{path} exists and is not a socket" in server.output(), 30, "the reason")
    assert path.read_text() == "mine"


def test_taken_internal_port_is_named(make_server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = make_server("--internal-port", port).launch()
        assert server.process.wait(60) == 1
        reason = f"port {port} on 127.0.0.1 is taken by another program. Stop it, or give another"
        wait_until(lambda: f"{reason} --internal-port" in server.output(), 30, "the reason")


def test_health_has_a_port_of_its_own(make_server):
    server = make_server("--internal-port", 0).start()
    port = wait_until(
        lambda: re.search(r"Health and metrics: http://127.0.0.1:(\d+)", server.output()),
        30,
        "the port",
    )[1]
    statuses = {}
    for name, at in (("public", server.port), ("internal", int(port))):
        for path in ("/health/live", "/health/ready", "/metrics", "/robots.txt"):
            connection = http.client.HTTPConnection("127.0.0.1", at)
            connection.request("GET", path)
            statuses[name, path] = connection.getresponse().status
    assert [statuses["internal", path] for path in ("/health/live", "/metrics")] == [200, 200]
    assert statuses["internal", "/health/ready"] in (200, 503)
    assert statuses["internal", "/robots.txt"] == 404
    assert all(
        statuses["public", path] == 404 for path in ("/health/live", "/health/ready", "/metrics")
    )
    assert server.stop()[0] == 0


def test_hangup_changes_limit_of_requests(make_server, settings, monkeypatch):
    def command(server):
        """Leaves out the option, which would win over the file."""
        parts = usual(server)
        index = parts.index("--requests-per-address")
        return parts[:index] + parts[index + 2 :]

    usual = Server.command.fget
    monkeypatch.setattr(Server, "command", property(command))
    path = settings("requests-per-address: 2\n")
    server = make_server("--config", path).start()
    client = Client(server)

    def statuses():
        return {client.send("GET", "/health/live").status_code for _ in range(4)}

    assert statuses() == {200, 429}
    path.write_text("requests-per-address: 0\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the settings were read again" in server.output(), 30, "the settings")
    assert statuses() == {200}


def test_hangup_changes_sign_up_and_countries(make_server, settings):
    path = settings("sign-up: invited\nsms-countries: [DE]\n")
    server = make_server("--config", path, keeps_defaults=True).start()
    client = Client(server)

    def options():
        return client.get("/v1/auth/options")

    assert options()["signUp"] == "invited" and options()["limitsCountries"]
    path.write_text("sign-up: open\nsms-countries: [all]\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: options()["signUp"] == "open", 30, "the new mode")
    assert not options().get("limitsCountries")
    assert "needs a restart" not in server.output()
    # The operator's country is one of them, and only a restart changes it.
    path.write_text("sign-up: closed\nsms-countries: [FR]\ncountry: DE\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "setting=sms-countries" in server.output(), 30, "the warning")
    assert options()["signUp"] == "closed" and not options().get("limitsCountries")


def test_hangup_changes_trusted_proxies(make_server, settings):
    path = settings("trusted-proxies: [10.0.0.0/8]\n")
    server = make_server("--config", path, *("--requests-per-address", 2)).start()
    client = Client(server)

    addresses = (f"203.0.113.{number}" for number in range(12))

    def statuses():
        return {
            client.send(
                "GET", "/health/live", headers={"X-Forwarded-For": next(addresses)}
            ).status_code
            for _ in range(4)
        }

    def reload(text, line):
        path.write_text(text)
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: line in server.output(), 30, line)

    assert statuses() == {200, 429}
    reload("trusted-proxies: [127.0.0.0/8]\n", "the settings were read again")
    assert statuses() == {200}
    assert "needs a restart" not in server.output()
    # Without proxies, an address may have fewer connections, which only a restart changes.
    reload("log-level: info\n", "setting=trusted-proxies")
    assert statuses() == {200}
