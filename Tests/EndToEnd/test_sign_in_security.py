"""The sign-in lock, recovery codes and passkeys, through the API and in a terminal."""

import json
import re
import time

import pytest
from support.api import Client, new_id, sign_in
from support.passkeys import Authenticator, site_arguments
from support.program import CODE, phone_number
from support.terminal import DONE, REFUSED, Person

ANA = phone_number(1)


def enter(server, **how):
    """Tries to sign in on a new device. Returns the reason of the refusal, or the tokens."""
    client = Client(server)
    if how.get("code"):
        client.post("/v1/auth/codes", {"phoneNumber": ANA}, status=202)
    answer = client.send(
        "POST", "/v1/auth/sessions", {"phoneNumber": ANA, "deviceName": "New phone", **how}
    )
    return answer.json() if answer.ok else answer.json()["reason"]


def titles(client):
    return [it["title"] for it in client.get("/v1/notifications")["items"]]


@pytest.mark.both_engines
def test_code_waits_while_the_lock_is_on(make_server):
    server = make_server().start()
    ana = sign_in(server, ANA, "Ana")
    assert ana.put("/v1/me/sign-in-lock")["isLocked"]
    assert enter(server, code=CODE) == "sign-in-waits"
    wait = ana.get("/v1/me/sign-in-security")["wait"]
    assert wait["deviceName"] == "New phone"
    assert "Somebody has a code for your account" in titles(ana)
    server.stop()
    server.start_again()
    assert enter(server, code=CODE) == "sign-in-waits"
    assert "wait" not in ana.post("/v1/me/sign-in-wait/end")
    assert enter(server, code=CODE) == "sign-in-stopped"
    ana.post("/v1/me/sign-in-wait/end", status=404)
    assert "lockEndsAt" in ana.post("/v1/me/sign-in-lock/end")
    assert enter(server, code=CODE) == "sign-in-stopped"


@pytest.mark.both_engines
def test_recovery_code_signs_in_once(make_server):
    server = make_server().start()
    ana = sign_in(server, ANA, "Ana")
    codes = ana.post("/v1/me/recovery-codes", status=201)["codes"]
    assert len(set(codes)) == 10
    ana.put("/v1/me/sign-in-lock")
    assert enter(server, recoveryCode=codes[0])["userID"] == ana.id
    assert enter(server, recoveryCode=codes[0]) == "recovery-code-wrong"
    assert ana.get("/v1/me/sign-in-security")["recoveryCodes"] == 9
    # Codes that are less than 7 days old don't turn the lock off, and can be replaced.
    used = {"recoveryCode": codes[1]}
    refusal = ana.post("/v1/me/sign-in-lock/end", used, status=422)
    assert refusal["reason"] == "recovery-code-too-new"
    new = ana.post("/v1/me/recovery-codes", status=201)["codes"]
    assert not set(new) & set(codes)
    assert enter(server, recoveryCode=codes[1]) == "recovery-code-wrong"
    stored = b"" if server.is_shared else server.database.read_bytes()
    assert new[2].encode() not in stored


def test_terminal_makes_and_uses_codes(make_server, tmp_path):
    server = make_server().start()
    sign_in(server, ANA, "Ana")
    ana = Person(tmp_path / "ana", ANA, server)
    signing_in = ("sign-in", "--server", server.url, "--phone", ANA)
    ana.call(*signing_in, "--send-code")
    ana.call(*signing_in, "--code", CODE)
    codes = ana.call("recovery-codes")["codes"]
    assert "is on" in ana.say("sign-in-lock", "on", "--yes")
    other = Person(tmp_path / "other", ANA, server)
    other.call(*signing_in, "--send-code")
    held = other.call(*signing_in, "--code", CODE, code=REFUSED)
    assert held["code"] == "sign-in-waits"
    assert "lifesignal sign-in-lock stop" in ana.say("sign-in-lock")
    ana.say("sign-in-lock", "stop")
    other.call(*signing_in, "--recovery-code", codes[0])
    off = other.call("sign-in-lock", "off", "--recovery-code", codes[1], code=REFUSED)
    assert off["code"] == "recovery-code-too-new"
    assert ana.call("passkeys")["passkeys"] == []


def test_terminal_asks_before_the_lock(make_server, tmp_path):
    server = make_server().start()
    ana = Person(tmp_path / "ana", ANA, server).sign_in("Ana")
    code, told = ana.answer(b"n\n", "sign-in-lock", "on")
    assert code == REFUSED and "You have no recovery codes. Turn the sign-in lock on?" in told
    for text in ("", "n\n", "y\n"):
        error = ana.call("sign-in-lock", "on", code=REFUSED, input=text)
        assert error["code"] == "not-confirmed" and "--yes" in error["recoverySuggestion"]
        assert "--yes" in ana.say("sign-in-lock", "on", code=REFUSED, input=text)
    assert "is off" in ana.say("sign-in-lock")
    code, told = ana.answer(b"y\n", "sign-in-lock", "on")
    assert code == DONE and "is on" in ana.say("sign-in-lock")
    assert "[y/N]" not in ana.say("sign-in-lock", "on")
    ways = "you have no passkey and no recovery codes. Sign out?"
    code, told = ana.answer(b"n\n", "sign-out")
    assert code == REFUSED and ways in told and "is on" in ana.say("sign-in-lock")
    assert ana.call("sign-out", code=REFUSED)["code"] == "not-confirmed"
    said = ana.say("sign-out", "--yes")
    assert "a code waits 7 days" in said and "sign in again in time" not in said


def test_codes_of_a_lost_answer_are_printed_once(make_server, tmp_path):
    server = make_server().start()
    client = sign_in(server, ANA, "Ana")
    ana = Person(tmp_path / "ana", ANA, server)
    signing_in = ("sign-in", "--server", server.url, "--phone", ANA)
    ana.call(*signing_in, "--send-code")
    ana.call(*signing_in, "--code", CODE)
    request, headers = ana.home / "recovery-codes.request", {"Idempotency-Key": new_id()}
    made = client.post("/v1/me/recovery-codes", headers=headers, status=201)["codes"]
    request.write_text(headers["Idempotency-Key"])
    assert "is on" in ana.say("sign-in-lock", "on", "--yes")
    assert ana.call("recovery-codes")["codes"] == made
    assert not request.exists()
    new = ana.call("recovery-codes", "--recovery-code", made[0])["codes"]
    assert not set(new) & set(made)
    # These codes were replaced.
    request.write_text(headers["Idempotency-Key"])
    assert ana.call("recovery-codes", code=REFUSED)["code"] == "already-exists"
    assert not request.exists()


def test_terminal_repeats_a_sign_in_after_a_lost_answer(make_server, tmp_path):
    server = make_server().start()
    client = sign_in(server, ANA, "Ana")
    made = client.post("/v1/me/recovery-codes", headers={"Idempotency-Key": new_id()}, status=201)
    used = made["codes"][0]
    body = {"phoneNumber": ANA, "deviceName": "Terminal", "recoveryCode": used}
    headers = {"Idempotency-Key": new_id()}
    assert Client(server).send("POST", "/v1/auth/sessions", body, headers=headers).ok
    ana = Person(tmp_path / "ana", ANA, server)
    signing_in = ("sign-in", "--server", server.url, "--phone", ANA, "--recovery-code", used)
    assert ana.run(*signing_in).returncode != DONE, "the code is used"
    request = ana.home / "sign-in.request"
    # Swift counts the seconds since 2001.
    at = time.time() - 978307200
    request.write_text(json.dumps({"key": headers["Idempotency-Key"], "at": at}))
    ana.call(*signing_in)
    assert not request.exists() and len(client.get("/v1/auth/sessions")["items"]) == 2


@pytest.fixture
def site(make_server):
    return make_server(*site_arguments()).start()


@pytest.fixture
def origin(site):
    return site.arguments[-1]


@pytest.fixture
def ana(site):
    return sign_in(site, ANA, "Ana")


def add(ana, device, origin=None, status=201):
    request = ana.post("/v1/me/passkey-requests")
    made = {"name": "Key", "passkey": device.make(request, origin)}
    return request["account"]["handle"], ana.post("/v1/me/passkeys", made, status=status)


def use(site, device, handle, request=None, origin=None):
    """Returns the reason of the refusal, or the tokens."""
    client = Client(site)
    request = request or client.post("/v1/auth/passkey-requests")
    used = {"deviceName": "Tablet", "passkey": device.use(request, handle, origin)}
    answer = client.send("POST", "/v1/auth/passkey-sessions", used)
    return answer.json() if answer.ok else answer.json()["reason"]


def test_passkey_signs_in_despite_the_lock(site, ana, origin):
    device = Authenticator(origin)
    handle, _ = add(ana, device)
    ana.put("/v1/me/sign-in-lock")
    assert use(site, device, handle)["userID"] == ana.id
    [passkey] = ana.get("/v1/me/passkeys")["items"]
    assert passkey["name"] == "Key" and "lastUsedAt" in passkey
    path = f"/v1/me/passkeys/{passkey['id']}"
    assert ana.call("PATCH", path, {"name": "Ring"})["name"] == "Ring"
    ana.delete(path)
    assert use(site, device, handle) == "passkey-unknown"


def test_passkey_of_another_site_is_refused(site, ana, origin):
    evil = "https://evil.example"
    device = Authenticator(origin)
    _, problem = add(ana, device, evil, status=422)
    assert problem["reason"] == "passkey-other-site" and problem["field"] == "passkey"
    handle, _ = add(ana, device)
    assert use(site, device, handle, origin=evil) == "passkey-other-site"
    device.site = "evil.example"
    assert use(site, device, handle) == "passkey-other-site"


def test_challenge_is_used_once(site, ana, origin):
    device = Authenticator(origin)
    handle, _ = add(ana, device)
    request = Client(site).post("/v1/auth/passkey-requests")
    assert use(site, device, handle, request)["userID"] == ana.id
    assert use(site, device, handle, request) == "passkey-too-late"
    made_up = {"challenge": "A" * 54}
    assert use(site, device, handle, made_up) == "passkey-too-late"


def test_counter_that_goes_back_is_refused_and_told(site, ana, origin):
    device = Authenticator(origin)
    handle, _ = add(ana, device)
    device.counter = 5
    assert use(site, device, handle)["userID"] == ana.id
    device.counter = 4
    assert use(site, device, handle) == "passkey-copied"
    assert "A passkey may have been copied" in titles(ana)


def test_unverified_user_and_foreign_key_are_refused(site, ana, origin):
    device = Authenticator(origin)
    handle, _ = add(ana, device)
    other = Authenticator(origin)
    other.id = device.id
    assert use(site, other, handle) == "passkey-invalid"
    device.flags = 1
    assert use(site, device, handle) == "passkey-unverified"


def test_log_holds_no_challenge(site, ana, origin):
    device = Authenticator(origin)
    handle, _ = add(ana, device)
    use(site, device, handle)
    assert not re.search(rf"{handle}|clientDataJSON", site.output())
