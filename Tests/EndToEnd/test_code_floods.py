"""Strangers request sign-in codes for numbers worldwide. The number of messages is limited, and all
answers are the same. Users with an account can sign in. The operator is warned."""

import re
from itertools import count

from support.api import Client
from support.waiting import wait_until

COUNTRIES = {"+49151123": 5, "+336123": 5, "+447400": 6, "+39347123": 4, "+4670123": 4}


def ask(server, number, address):
    answer = Client(server).send(
        "POST", "/v1/auth/codes", {"phoneNumber": number}, headers={"X-Forwarded-For": address}
    )
    return answer


def numbers(prefix, digits):
    return (f"{prefix}{index:0{digits}d}" for index in count(1000))


def sent(server):
    """Returns the numbers that were sent a code, read from the console's output."""
    return re.findall(r"(\+\d{8,15}).*\b\d{6}\b", server.output())


def test_code_flood_is_limited_and_reported(make_server):
    server = make_server(
        *("--sms", "console", "--trust-proxy", "--codes-per-address", "20"),
        *("--codes-per-number", "5", "--codes-per-hour", "1000", "--sms-budget", "200"),
    ).start()
    known = "+4915112399999"
    first = ask(server, known, "192.0.2.1")
    code = re.search(rf"\{known}.*?\b(\d{{6}})\b", server.output())[1]
    Client(server).call(
        "POST",
        "/v1/auth/sessions",
        {
            "phoneNumber": known,
            "code": code,
            "deviceName": "phone",
            "requestID": first.json()["requestID"],
        },
        status=201,
    )
    before, address = len(sent(server)), count(1)
    for prefix, digits in COUNTRIES.items():
        for _, number in zip(range(60), numbers(prefix, digits)):
            answer = ask(server, number, f"198.51.{next(address) // 250}.{next(address) % 250}")
            assert answer.status_code == 202, answer.text
            assert answer.json().keys() == first.json().keys()
    assert len(sent(server)) - before < 100, "fewer than the limit of an hour"

    ready = Client(server).send("GET", "/health/ready").json()["warnings"]
    assert any("held back" in warning for warning in ready), ready
    assert "are held back" in server.output()
    metrics = Client(server).send("GET", "/metrics").text
    held = re.findall(r'^lifesignal_codes_held_back_total\{limit="\S+"\} (\d+)$', metrics, re.M)
    assert sum(map(int, held)) >= 200, held

    before = len(sent(server))
    assert ask(server, known, "192.0.2.2").status_code == 202
    wait_until(lambda: len(sent(server)) == before + 1, 10, "a code for the account")
