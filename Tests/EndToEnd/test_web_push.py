"""Web Push, checked with independent implementations: http-ece decrypts the bodies, and py-vapid
reads the tokens."""

import json
import random
import re
import subprocess
import time
from pathlib import Path

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from support.program import PROGRAM
from support.push import Browser, decode, encode, point

PUSH_REQUESTS = Path(PROGRAM).parent / "push-requests"
CONTACT = "mailto:push@example.com"
LIMIT = 3993


@pytest.fixture
def sender():
    return ec.generate_private_key(ec.SECP256R1())


def requests(sender, messages):
    """Returns the requests for messages, all made by one process."""
    private = sender.private_numbers().private_value.to_bytes(32, "big")
    result = subprocess.run(
        [PUSH_REQUESTS, encode(private), CONTACT],
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(messages)
    return answers


def test_independent_peer_reads_messages_of_every_length(sender):
    lengths = [0, 1, 2, 1023, 1024, 1025, 2047, 2048, 2049, LIMIT - 1, LIMIT]
    lengths += [random.randrange(LIMIT + 1) for _ in range(300)]
    texts = [random.randbytes(length) for length in lengths]
    browsers = [Browser(pads=index % 2 == 1) for index in range(len(texts))]
    made = requests(sender, [one.message(text) for one, text in zip(browsers, texts)])
    bodies = [decode(request["body"]) for request in made]
    assert [one.read(body) for one, body in zip(browsers, bodies)] == texts
    assert {len(body) for body in bodies} == {1127, 2151, 4096}


def test_only_the_recipient_reads_a_message(sender):
    browser = Browser()
    body = decode(requests(sender, [browser.message(b"for one")])[0]["body"])
    changed = body[:-1] + bytes([body[-1] ^ 1])
    with pytest.raises(http_ece.ECEException):
        browser.read(changed)
    with pytest.raises(http_ece.ECEException):
        Browser().read(body)


def test_independent_peer_verifies_tokens(sender):
    origins = [f"https://push{index}.example.net" for index in range(50)]
    messages = [Browser(f"{origin}/a?b=c").message(b"x") for origin in origins]
    messages += [Browser("https://push.example.net:8443/a").message(b"x")] * 2
    made = requests(sender, messages)
    tokens = []
    for request in made:
        value = request["headers"]["Authorization"]
        token, key = re.fullmatch(r"vapid t=([\w.-]+), k=([\w-]+)", value).groups()
        assert decode(key) == point(sender)
        signed, signature = token.rsplit(".", 1)
        peer = Vapid02.from_raw_public(key.encode())
        assert peer.verify_token(signed.encode(), signature)
        assert not peer.verify_token(signed.encode() + b"x", signature)
        header, claims = (json.loads(decode(part)) for part in signed.split("."))
        assert header == {"typ": "JWT", "alg": "ES256"}
        tokens.append((claims, token))
    assert [claims["aud"] for claims, _ in tokens[:50]] == origins
    assert tokens[-1] == tokens[-2] and tokens[-1][0]["aud"] == "https://push.example.net:8443"
    for claims, _ in tokens:
        assert claims["sub"] == CONTACT
        assert 0 < claims["exp"] - time.time() <= 12 * 3600


def test_push_requests_have_standard_headers(sender):
    browser = Browser()
    request = requests(sender, [browser.message(b"x", topic="alert-1")])[0]
    assert (request["method"], request["url"]) == ("POST", browser.endpoint)
    headers = request["headers"]
    del headers["Authorization"]
    assert headers == {
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": "90",
        "Urgency": "high",
        "Topic": "alert-1",
    }
