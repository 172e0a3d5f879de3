"""Answers by SMS: through Twilio, with its signature, and through any other gateway."""

import base64
import hashlib
import hmac
import re
from xml.etree import ElementTree

import pytest
import requests
from support.api import new_id, sign_in
from support.program import phone_number
from support.twilio import AUTH_TOKEN, PUBLIC_URL, Twilio
from support.waiting import wait_until

PATH = "/v1/sms/twilio/answers"


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


@pytest.fixture
def server(make_server, twilio):
    return make_server(
        "--sms", "twilio", "--sms-answers", "--public-url", PUBLIC_URL, env=twilio.environment
    ).start()


def write(server, sender, text, signature=None, **extra):
    """Sends the request that Twilio makes for a user's message. Returns the text of the reply."""
    fields = {"From": sender, "To": "+15005550006", "Body": text, "MessageSid": new_id(), **extra}
    signed = PUBLIC_URL + PATH + "".join(name + fields[name] for name in sorted(fields))
    digest = hmac.new(AUTH_TOKEN.encode(), signed.encode(), hashlib.sha1).digest()
    headers = {"X-Twilio-Signature": signature or base64.b64encode(digest).decode()}
    answer = requests.post(server.url + PATH, data=fields, headers=headers, timeout=10)
    if answer.status_code != 200:
        return answer.status_code
    return ElementTree.fromstring(answer.text).findtext("Message")


@pytest.fixture
def story(server):
    """Ana, and Ben, who watches over her."""
    ana, ben = (sign_in(server, phone_number(i), name) for i, name in enumerate(("Ana", "Ben"), 1))
    code = ana.get("/v1/me/qr-code")["id"]
    added = {"code": code, "isResponder": False, "isDependent": True}
    ben.post("/v1/contacts", added, status=201)
    return ana, ben


def is_texted(ana, alert):
    lines = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return any(line["channel"] == "sms" and line["state"] == "accepted" for line in lines)


def test_responder_answers_by_sms(server, story):
    ana, _ = story
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    wait_until(lambda: is_texted(ana, alert), 30, "an SMS to Ben")
    number = phone_number(2)
    assert write(server, number, "1", signature="AAAA") == 403
    assert "You are on it, and Ana is being told." in write(server, number, "1")
    shown = ana.get(f"/v1/alerts/{alert}")
    assert shown["acknowledgement"]["name"] == "Ben"
    assert [(line["kind"], line["channel"]) for line in shown["history"]] == [
        ("acknowledged", "sms")
    ]
    assert "can't" in write(server, number, "2")
    assert "acknowledgement" not in ana.get(f"/v1/alerts/{alert}")
    assert write(server, "+442071838750", "1") is None
    write(server, number, "1", MessageSid="SM9")
    write(server, number, "2")
    assert write(server, number, "1", MessageSid="SM9") is None
    assert "acknowledgement" not in ana.get(f"/v1/alerts/{alert}")


def test_questions_leave_room_for_the_answer(server, story):
    ana, _ = story
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    wait_until(lambda: is_texted(ana, alert), 30, "an SMS to Ben")
    # The server reads ten a minute.
    replies = [write(server, phone_number(2), f"Where is Ana? ({number})") for number in range(12)]
    assert replies[1:] == [None] * 11, "one explanation a day"
    assert "You are on it, and Ana is being told." in write(server, phone_number(2), "1")


def test_sms_stop_and_start(server, story):
    ana, _ = story
    assert write(server, phone_number(2), "STOP") is None
    titles = [item["title"] for item in ana.pages("/v1/notifications")]
    assert "Ben has stopped text messages" in titles
    assert ana.get("/v1/contacts")["items"][0]["reachability"]["hasStoppedTexts"]
    assert "again" in write(server, phone_number(2), "start")
    assert "hasStoppedTexts" not in ana.get("/v1/contacts")["items"][0]["reachability"]


def test_twilio_words_for_stop_and_start(server, story):
    ana, _ = story

    def has_stopped():
        contact = ana.get("/v1/contacts")["items"][0]
        return contact["reachability"].get("hasStoppedTexts", False)

    assert write(server, phone_number(2), "ARRET", OptOutType="STOP") is None
    assert has_stopped()
    assert write(server, phone_number(2), "yes", OptOutType="START") is None
    assert has_stopped()
    assert "again" in write(server, phone_number(2), "REPRISE", OptOutType="START")
    assert not has_stopped()
    assert "no open question" in write(server, phone_number(2), "yes", OptOutType="START")


def test_invitation_page_after_stop(server, twilio, story):
    ana, _ = story
    number = "+442071838750"
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": number}, status=201)
    invitations = wait_until(
        lambda: [sent["Body"] for sent in twilio.messages if sent["To"] == number], 30, "an SMS"
    )
    path, secret = re.search(r"https://lifesignal\.example(/\w)#(\S+)", invitations[0]).groups()

    def press(action):
        form = {"secret": secret, "action": action, "name": "Mia"}
        return requests.post(server.url + path, data=form, timeout=10).text

    assert "You are told when Ana needs help" in press("yes")
    assert write(server, number, "STOP") is None
    stopped = press("show")
    assert "You are not told when Ana needs help" in stopped and "send START" in stopped
    assert "again" in write(server, number, "START")
    assert "You are told when Ana needs help" in press("show")


def test_alternating_stop_and_start_is_rate_limited(server, story):
    ana, ben = story
    for _ in range(6):
        write(server, phone_number(2), "STOP")
        write(server, phone_number(2), "START")
    titles = [item["title"] for item in ana.pages("/v1/notifications")]
    assert titles.count("Ben has stopped text messages") == 4
    assert "textMessagesStoppedAt" in ben.get("/v1/me/export")


def test_answers_are_refused_when_not_configured(make_server, twilio):
    server = make_server(
        "--sms", "twilio", "--public-url", PUBLIC_URL, env=twilio.environment
    ).start()
    assert write(server, phone_number(1), "1") == 404
