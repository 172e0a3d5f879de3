"""Who may sign up, in a terminal and for the operator."""

import re

import pytest

from support.api import Client
from support.program import phone_number, run
from support.terminal import REFUSED, USAGE, Person

MIA = "+4915112345601"


def secret_of(server):
    return re.search(r"/join/([A-Za-z0-9_-]{43})", server.output())[1]


def mode(server):
    return Client(server).call("GET", "/v1/auth/options")["signUp"]


@pytest.mark.both_engines
def test_new_server_is_invited_until_told_otherwise(make_server):
    server = make_server("--sign-up", "").start()
    first = secret_of(server)
    assert mode(server) == "invited"
    server.stop()
    server.start_again()
    assert secret_of(server) != first
    server.stop()
    server.arguments = ["--sign-up", "open"]
    server.start_again()
    assert mode(server) == "open" and "/join/" not in server.output()


def test_token_signs_up_in_a_terminal(make_server, tmp_path):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    mia = Person(tmp_path / "mia", MIA, server)
    signing_in = ("sign-in", "--server", server.url, "--phone", MIA)
    assert mia.call(*signing_in, "--token", "short", code=USAGE)["code"] == "usage"
    wrong = mia.call(*signing_in, "--token", "A" * 43, "--send-code", code=REFUSED)
    assert wrong["code"] == "token-unknown"
    mia.call(*signing_in, "--token", secret_of(server), "--send-code")
    code = re.findall(rf"\{MIA}.*?\b(\d{{6}})\b", server.output())[-1]
    mia.call(*signing_in, "--code", code)
    other = Person(tmp_path / "other", phone_number(50), server)
    used = other.call(
        *("sign-in", "--server", server.url, "--phone", "+4915112345602"),
        *("--token", secret_of(server), "--send-code"),
        code=REFUSED,
    )
    assert used["code"] == "token-used-up"


def test_terminal_says_who_gets_a_code(make_server, tmp_path):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    mia = Person(tmp_path / "mia", MIA, server)
    code, told = mia.answer(b"\n", "sign-in", "--server", server.url, "--phone", MIA)
    assert code == USAGE and f"If {MIA} may sign in here, a code is on its way.\n" in told, told
    assert MIA not in server.output()


def test_number_in_doubt_is_confirmed_in_the_terminal(make_server, tmp_path):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    mia = Person(tmp_path / "mia", MIA, server)
    signing_in = ("sign-in", "--server", server.url, "--phone", "+1 555 0177")
    error = mia.call(*signing_in, code=REFUSED)
    assert error["code"] == "confirm-number" and "--confirm" in error["recoverySuggestion"]
    code, told = mia.answer(b"n\n", *signing_in)
    assert code == REFUSED and "Use it? [y/N]" in told and "button" not in told, told
    code, told = mia.answer(b"y\n\n", *signing_in)
    assert code == USAGE and "Code: " in told, told
    mia.call(*signing_in, "--confirm", "--send-code")


def test_a_hall_opens_the_link_at_the_same_time(make_server):
    """Each phone has its page open while its owner types and waits for the code."""
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    path = f"/join/{secret_of(server)}"
    streams = []
    for _ in range(60):
        phone = Client(server)
        page = phone.send("GET", path)
        assert page.status_code == 200, page.text[:500]
        shown = re.search(r'data-view="([^"]+)" data-generation="(\d+)"', page.text)
        query = f"view={shown[1]}&generation={shown[2]}&path=/&zone=UTC"
        stream = phone.send("GET", f"/web/stream?{query}", stream=True)
        assert stream.status_code == 200
        streams.append(stream)
    for stream in streams:
        stream.close()


def test_flood_of_strangers_is_reported(make_server):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    client = Client(server)

    def warnings():
        return client.send("GET", "/health/ready").json()["warnings"]

    for index in range(19):
        client.call("POST", "/v1/auth/codes", {"phoneNumber": f"+49151123457{index:02d}"})
    assert not any("strangers" in warning for warning in warnings())
    client.call("POST", "/v1/auth/codes", {"phoneNumber": "+4915112345799"})
    assert any("strangers" in warning for warning in warnings())
    metrics = client.send("GET", "/metrics").text
    assert 'lifesignal_codes_held_back_total{limit="uninvited"} 20' in metrics


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sign-up", "everybody"], "must be open, invited or closed, not"),
        (["--sms-countries", "DE,Atlantis"], "--sms-countries must be countries"),
        (["--sms-countries", "all,DE"], "--sms-countries must be countries"),
        (["--operator-contact", "x" * 201], "--operator-contact must have at most 200"),
    ],
)
def test_wrong_option_is_explained(arguments, words, tmp_path):
    told = run("serve", "--database", tmp_path / "x.sqlite", "--port", 0, *arguments)
    assert told.returncode != 0 and words in told.stderr
