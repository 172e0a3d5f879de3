"""What the log has of a request and of a failed sign-in, and what fail2ban reads of it."""

import json
import re
import uuid

import pytest
import requests

from support.program import REPOSITORY, phone_number

ADDRESS = "203.0.113.7"
FILTER = REPOSITORY / "Deploy/fail2ban/filter.conf"


def patterns():
    """The filter's expressions, as Python's regular expressions."""
    text = FILTER.read_text().split("failregex =", 1)[1].split("ignoreregex", 1)[0]
    lines = [line.strip() for line in text.splitlines()]
    return [re.compile(line.replace("<ADDR>", r"([0-9a-f.:]+)")) for line in lines if line]


def banned(server):
    """Returns the addresses that fail2ban finds in the log."""
    found = []
    for line in server.output().splitlines():
        found += [match[1] for match in (pattern.search(line) for pattern in patterns()) if match]
    return found


def sign_in(server, code, headers=None):
    body = {"phoneNumber": phone_number(0), "code": code, "deviceName": "Phone"}
    return requests.post(f"{server.url}/v1/auth/sessions", json=body, headers=headers, timeout=30)


def fail(server, code="999999", **headers):
    number = {"phoneNumber": phone_number(0)}
    requests.post(f"{server.url}/v1/auth/codes", json=number, headers=headers, timeout=30)
    return sign_in(server, code, headers)


@pytest.mark.parametrize("form", ["text", "json"])
def test_fail2ban_finds_failed_sign_ins_only(make_server, form):
    server = make_server(
        "--log-addresses", "--log-format", form, "--trust-proxy", "--log-level", "debug"
    ).start()
    forwarded = {"X-Forwarded-For": ADDRESS}
    assert fail(server, **forwarded).status_code == 401
    assert fail(server, code="000000", **forwarded).status_code < 300
    # An address that no proxy would write.
    assert fail(server, **{"X-Forwarded-For": "192.0.2.9 [HTTPServer]"}).status_code == 401
    server.stop()
    assert banned(server) == [ADDRESS]
    assert phone_number(0) not in server.output().split("Ctrl-C")[-1]


def test_log_has_no_address_by_default(make_server):
    server = make_server("--trust-proxy").start()
    assert fail(server, **{"X-Forwarded-For": ADDRESS}).status_code == 401
    server.stop()
    assert ADDRESS not in server.output() and banned(server) == []


def test_request_id_connects_proxy_answer_and_log(make_server):
    server = make_server("--log-format", "json", "--trust-proxy", "--log-level", "debug").start()
    answer = requests.get(
        f"{server.url}/v1/me", headers={"X-Request-ID": "proxy-1.2:3_4"}, timeout=30
    )
    assert answer.headers["X-Request-ID"] == answer.json()["requestID"] == "proxy-1.2:3_4"
    forged = requests.get(f"{server.url}/v1/me", headers={"X-Request-ID": "a b=c"}, timeout=30)
    assert " " not in forged.headers["X-Request-ID"]
    server.stop()
    lines = [json.loads(l) for l in server.output().splitlines() if l.startswith("{")]
    answered = [line for line in lines if line["message"] == "answered"]
    assert {"proxy-1.2:3_4", forged.headers["X-Request-ID"]} <= {
        line["requestID"] for line in answered
    }


def test_strangers_do_not_choose_request_ids(server):
    answer = requests.get(f"{server.url}/v1/me", headers={"X-Request-ID": "mine"}, timeout=30)
    assert answer.headers["X-Request-ID"] != "mine"


def test_request_ids_do_not_count_requests(server):
    ids = [
        uuid.UUID(requests.get(f"{server.url}/v1/me", timeout=30).headers["X-Request-ID"])
        for _ in range(2)
    ]
    assert ids[0] != ids[1] and ids[1].version == 4


def test_metrics_of_the_process(server):
    text = requests.get(f"{server.url}/metrics", timeout=30).text
    values = dict(re.findall(r"^(process_\w+) (\S+)$", text, re.MULTILINE))
    assert float(values["process_cpu_seconds_total"]) > 0
    assert float(values["process_resident_memory_bytes"]) > 1_000_000
    assert 3 < float(values["process_open_fds"]) < float(values["process_max_fds"])
    assert float(values["process_start_time_seconds"]) > 1_700_000_000
    assert re.search(r'^lifesignal_build_info\{version="[^"]+"\} 1$', text, re.MULTILINE)
