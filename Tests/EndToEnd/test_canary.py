"""The canary proves from outside that alarms arrive; the heartbeat proves from inside that the
server works."""

import json
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.api import sign_in
from support.program import PROGRAM, environment, phone_number, run
from support.waiting import wait_until

pytestmark = pytest.mark.waits

CODE = "5d41402abc4b2a76b9719d911017c592"
PHONES = f"+15550190={CODE},+15550191={CODE[::-1]}"


class Address:
    """An operator's address that counts its calls. `status` is its answer."""

    def __init__(self):
        self.calls = []
        self.status = 200
        address = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status = address.status
                address.calls.append((self.command, self.path, body))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/secret-path"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def messages(self):
        return [json.loads(body) for _, _, body in self.calls]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def address():
    address = Address()
    yield address
    address.close()


def canary(server, folder, *arguments, **env):
    return run(
        "canary",
        "--server",
        server.url,
        "--home",
        folder / "canary",
        *arguments,
        env={"LIFESIGNAL_CANARY_PHONES": PHONES, **env},
        timeout=120,
    )


@pytest.mark.both_engines
def test_canary_round_measures_each_leg(make_server, tmp_path, address):
    server = make_server(env={"LIFESIGNAL_CANARY_PHONES": PHONES}).start()
    metrics = tmp_path / "canary.prom"
    for _ in range(2):
        answer = canary(
            server,
            tmp_path,
            "--once",
            "--interval",
            5,
            "--metrics-file",
            metrics,
            LIFESIGNAL_CANARY_WEBHOOK=address.url,
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert "ok  told " in answer.stdout and "ended " in answer.stdout
    text = metrics.read_text()
    # The node exporter has another user.
    assert metrics.stat().st_mode & 0o777 == 0o644
    assert "lifesignal_canary_success 1" in text
    for leg in ["told", "acknowledged", "ended"]:
        assert f'lifesignal_canary_leg_seconds{{leg="{leg}"}} ' in text
    assert address.calls == []
    assert oct((tmp_path / "canary").stat().st_mode)[-3:] == "700"
    secrets = [CODE, "+15550190"]
    assert not any(word in answer.stdout + answer.stderr + text for word in secrets)


def test_short_intervals_need_operators_numbers(make_server):
    server = make_server(env={"LIFESIGNAL_CANARY_PHONES": PHONES}).start()
    ana = sign_in(server, phone_number(1), "Ana")
    settings = {
        "intervalSeconds": 60,
        "remindTwoHoursBefore": False,
        "remindThirtyMinutesBefore": False,
    }
    ana.put("/v1/me/check-in-settings", settings, status=422)


def test_operator_is_told_of_outage_and_end(make_server, tmp_path, address):
    server = make_server(env={"LIFESIGNAL_CANARY_PHONES": PHONES}).start()
    command = [PROGRAM, "canary", "--server", server.url, "--interval", "5"]
    process = subprocess.Popen(
        [*command, "--home", tmp_path / "canary"],
        env=environment(
            {"LIFESIGNAL_CANARY_PHONES": PHONES, "LIFESIGNAL_CANARY_WEBHOOK": address.url}
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True)
    reader.start()
    try:
        wait_until(lambda: any("ok  told" in line for line in lines), 60, "a round")
        server.kill()
        wait_until(lambda: address.calls, 120, "the message")
        message = address.messages[0]
        assert message["status"] == "failing" and "127.0.0.1" in message["text"]
        address.status = 500
        server.start_again()
        wait_until(lambda: address.messages[-1]["status"] == "ok", 120, "the end")
        # The address did not take the message, so the next round sends it again.
        calls = len(address.calls)
        address.status = 200
        wait_until(lambda: len(address.calls) > calls, 120, "the end again")
        assert address.messages[-1]["status"] == "ok"
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert "secret-path" not in "".join(lines)


def test_canary_failures_set_exit_status(make_server, tmp_path):
    server = make_server().start()
    answer = canary(server, tmp_path, "--once", LIFESIGNAL_CANARY_PHONES="nonsense")
    assert answer.returncode == 2 and "LIFESIGNAL_CANARY_PHONES" in answer.stderr
    assert canary(server, tmp_path, "--once", "--interval", 1).returncode == 2
    server.kill()
    answer = canary(server, tmp_path, "--once", "--interval", 5)
    assert answer.returncode == 1 and "FAIL" in answer.stdout


@pytest.mark.parametrize("phones", ["", PHONES.replace("=5", "=6")], ids=["none", "another code"])
def test_canary_says_what_the_server_lacks(make_server, tmp_path, phones):
    server = make_server(env={"LIFESIGNAL_CANARY_PHONES": phones} if phones else None).start()
    answer = canary(server, tmp_path, "--once", "--interval", 5)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "set its LIFESIGNAL_CANARY_PHONES to the canary's, and restart it" in answer.stdout


def test_heartbeat_is_sent_while_server_works(make_server, address):
    server = make_server("--heartbeat-url", address.url).start()
    wait_until(lambda: address.calls, 30, "a call")
    assert address.calls[0] == ("GET", "/secret-path", b"")
    assert "the heartbeat is not sent" not in server.output(), "first passes take a moment"
    server.stop()
    calls = len(address.calls)
    address.status = 500
    server.start_again()
    wait_until(lambda: len(address.calls) > calls, 30, "another call")
    ready = sign_in(server, phone_number(1)).send("GET", "/health/ready")
    reason = "its address did not take the last call: it answered 500"
    assert any(reason in warning for warning in ready.json()["warnings"]), ready.text
    assert "the heartbeat is not sent" in server.output()
    doctor = run("doctor", "--database", server.database, "--port", 0)
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "note  running server: " in doctor.stdout and reason in doctor.stdout
    assert "All is well." not in doctor.stdout
    assert "secret-path" not in server.output() + ready.text + doctor.stdout


def test_heartbeat_to_public_host_needs_https(tmp_path):
    answer = run(
        "doctor", "--database", tmp_path / "d.sqlite", "--heartbeat-url", "http://a.example"
    )
    assert answer.returncode != 0 and "https" in answer.stderr


@pytest.mark.parametrize("host", ["10.1.2.3", "[fd00::1]", "monitor", "kuma.lan", "localhost"])
def test_heartbeat_within_own_network_may_be_plain(tmp_path, host):
    url = f"http://{host}:3001/api/push/x"
    answer = run("doctor", "--database", tmp_path / "d.sqlite", "--port", 0, "--heartbeat-url", url)
    assert "must be https" not in answer.stderr and "database: " in answer.stdout, answer
