"""Responders without an account: the invitation's message and page, and the page of an alert."""

import re

import pytest
import requests
from support.api import Client, new_id, sign_in, watch_over
from support.program import phone_number
from support.terminal import REFUSED, USAGE, Person
from support.twilio import PUBLIC_URL, Twilio
from support.waiting import wait_until

MIA = "+442071838750"


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


@pytest.fixture
def server(make_server, twilio):
    return make_server(
        "--sms", "twilio", "--public-url", PUBLIC_URL, env=twilio.environment
    ).start()


def texts(twilio):
    return [message["Body"] for message in twilio.messages if message["To"] == MIA]


def link(text):
    """Returns the path and the secret of the link in a message."""
    return re.search(r"https://lifesignal\.example(/\w)#(\S+)", text).groups()


def press(server, path, secret, action, **fields):
    form = {"secret": secret, "action": action, **fields}
    answer = requests.post(server.url + path, data=form, timeout=10)
    check_headers(answer)
    return answer


def check_headers(answer):
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_responder_without_account(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])

    opened = requests.get(server.url + path, timeout=10)
    check_headers(opened)
    assert "Ana" not in opened.text and secret not in opened.text
    shown = press(server, path, secret, "show")
    assert "Ana asks for your help" in shown.text and "555010" not in shown.text
    assert ana.get("/v1/invitations")["items"][0]["state"] == "pending"
    assert "You are told when Ana needs help" in press(server, path, secret, "yes", name="Mia").text
    assert [contact["name"] for contact in ana.get("/v1/contacts")["items"]] == ["Mia"]

    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    message = wait_until(lambda: texts(twilio)[1:], 30, "an alarm")[0]
    assert "Ana needs help" in message
    path, secret = link(message)
    shown = press(server, path, secret, "show").text
    assert f'href="tel:{phone_number(1)}"' in shown and "No one is on it yet" in shown
    assert "You are on it" in press(server, path, secret, "on-it").text
    assert ana.get(f"/v1/alerts/{alert}")["acknowledgement"]["name"] == "Mia"
    shown = press(server, path, secret, "show").text
    assert "I’m still on it" in shown and "I can’t after all" in shown
    assert "no one else is left to ask" in press(server, path, secret, "cannot").text
    assert "acknowledgement" not in ana.get(f"/v1/alerts/{alert}")
    ana.post(f"/v1/alerts/{alert}/end")
    assert "Ana’s alert has ended" in press(server, path, secret, "show").text


def test_stopping_all_messages_asks_and_can_be_undone(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    press(server, path, secret, "yes", name="Mia")
    asked = press(server, path, secret, "ask-no").text
    assert "Stop the messages about Ana?" in asked and "No, keep helping" in asked

    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    path, secret = link(wait_until(lambda: texts(twilio)[1:], 30, "an alarm")[0])
    shown = press(server, path, secret, "show").text
    assert "Never tell me again" in shown and 'value="stop"' not in shown
    asked = press(server, path, secret, "ask-stop").text
    assert "Never tell you again when Ana needs help?" in asked
    assert [contact["name"] for contact in ana.get("/v1/contacts")["items"]] == ["Mia"]

    stopped = press(server, path, secret, "stop").text
    assert "You get no more messages about Ana" in stopped and "You can undo this until" in stopped
    assert ana.get("/v1/contacts")["items"] == []
    news = [item["title"] for item in ana.get("/v1/notifications")["items"]]
    assert "Mia no longer helps you" in news
    assert "Undo: keep helping Ana" in press(server, path, secret, "show").text
    assert "Ana needs help" in press(server, path, secret, "undo").text
    assert [contact["name"] for contact in ana.get("/v1/contacts")["items"]] == ["Mia"]

    press(server, path, secret, "stop")
    ana.post(f"/v1/alerts/{alert}/end")
    undone = press(server, path, secret, "undo").text
    assert "You are told again when Ana needs help" in undone and "The alert has ended" in undone
    assert [contact["name"] for contact in ana.get("/v1/contacts")["items"]] == ["Mia"]
    assert "This link is no longer valid" in press(server, path, secret, "undo").text


def test_invitation_asks_anew_after_too_many_undos(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")
    invited = {"name": "Mia", "phoneNumber": MIA}
    ana.post("/v1/invitations", invited, status=201)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    press(server, path, secret, "yes", name="Mia")
    for _ in range(3):
        assert "You can undo this until" in press(server, path, secret, "no").text
        assert "You are told when Ana needs help" in press(server, path, secret, "yes").text
    press(server, path, secret, "no")
    refused = press(server, path, secret, "yes").text
    assert "You have changed your answer too often today." in refused
    assert "You can undo this until" not in refused and "Undo" not in refused
    assert ana.post("/v1/invitations", invited, status=201)["state"] == "pending"
    assert "Ana asks for your help" in press(server, path, secret, "show").text
    assert "You are told when Ana needs help" in press(server, path, secret, "yes", name="Mia").text
    assert len(texts(twilio)) == 1


def test_account_answers_by_link_of_text_message(server, twilio):
    ana, mia = sign_in(server, phone_number(1), "Ana"), Client(server)
    mia.post("/v1/auth/codes", {"phoneNumber": MIA}, status=202)
    code = wait_until(lambda: texts(twilio), 30, "a code")[0].split()[0]
    entered = {"phoneNumber": MIA, "code": code, "deviceName": "end-to-end"}
    mia.token = mia.post("/v1/auth/sessions", entered, status=201)["accessToken"]
    mia.call("PATCH", "/v1/me", {"name": "Mia"})
    watch_over(mia, ana)
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    path, secret = link(wait_until(lambda: texts(twilio)[1:], 30, "an alarm")[0])
    shown = press(server, path, secret, "show").text
    assert "Ana needs help" in shown and "Never tell me again" not in shown
    assert "You are on it" in press(server, path, secret, "on-it").text
    assert ana.get(f"/v1/alerts/{alert}")["acknowledgement"]["name"] == "Mia"
    press(server, path, secret, "stop")
    assert [contact["name"] for contact in mia.get("/v1/contacts")["items"]] == ["Ana"]


def test_wrong_link_changes_nothing(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    for wrong in ("", "x", "A" * 64, secret[:-1], secret + "A", "%00", "é"):
        for place in ("/i", "/a", "/d"):
            assert press(server, place, wrong, "yes", name="Mia").status_code == 404
    assert press(server, "/a", secret, "on-it").status_code == 404
    bad = press(server, path, secret, "yes", name="<b>www.example.com</b>")
    assert bad.status_code == 200 and "Use at most 40 letters" in bad.text
    assert ana.get("/v1/invitations")["items"][0]["state"] == "pending"


def test_undelivered_invitation_can_be_resent(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")
    twilio.lifesignal = server

    def invite():
        return ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)["id"]

    invitation = invite()
    wait_until(lambda: texts(twilio), 30, "an invitation")
    callback = next(one["StatusCallback"] for one in twilio.messages if one["To"] == MIA)
    twilio.report = "undelivered"
    twilio.say(callback, "SM1", signature="AAAA")
    twilio.say(callback, "SM1")
    assert twilio.reported == [403, 204]
    ana.delete(f"/v1/invitations/{invitation}")
    twilio.report = None
    invite()
    wait_until(lambda: len(texts(twilio)) == 2, 30, "another invitation")


def test_invitation_cut_by_a_stop_can_be_resent(server, twilio):
    ana = sign_in(server, phone_number(1), "Ana")

    def invite():
        return ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)["id"]

    twilio.status = 503
    invitation = invite()
    wait_until(lambda: texts(twilio), 30, "a try")
    code, took = server.stop()
    assert code == 0 and took <= 10
    tries = len(texts(twilio))
    twilio.status = 201
    server.start()
    ana.delete(f"/v1/invitations/{invitation}")
    invite()
    wait_until(lambda: len(texts(twilio)) > tries, 30, "another invitation")


def test_declined_invitation_can_be_undone(server, twilio):
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in ((1, "Ana"), (2, "Ben"))
    )
    invited = ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    assert "You said no" in press(server, path, secret, "no").text
    ana.delete(f"/v1/invitations/{invited['id']}")
    for person in (ana, ben):
        person.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    assert "told when Ana" in press(server, path, secret, "yes", name="Mia").text
    assert len(texts(twilio)) == 1


def test_invalid_names_are_refused(server):
    ana = sign_in(server, phone_number(1), "Ana")
    for name in ("x.example", "Call 555", "A" * 41, ""):
        ana.call("POST", "/v1/invitations", {"name": name, "phoneNumber": MIA}, status=422)
    ana.call("PATCH", "/v1/me", {"name": "Win at 555"})
    ana.call("POST", "/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=403)


def test_terminal_says_that_a_no_holds(server, twilio, tmp_path):
    ana = Person(tmp_path, phone_number(1), server).sign_in("Ana")
    assert "Invited: Mia" in ana.say("invite", "Mia", MIA)
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    assert "You said no" in press(server, path, secret, "no").text
    again = ana.say("invite", "Mia", MIA)
    assert "Mia has said no" in again and "Invited" not in again
    assert f"lifesignal invite withdraw {MIA}" in again
    assert ana.call("invite", "Mia", MIA)["invitation"]["state"] == "declined"


def test_invitations_in_a_terminal(server, twilio, tmp_path):
    ana = Person(tmp_path, phone_number(1), server).sign_in("Ana")
    assert "None." in ana.say("invite", "list")
    assert "letters" in str(ana.call("invite", "Mia 24", MIA, code=REFUSED))
    assert ana.call("invite", "Mia", MIA)["invitation"]["state"] == "pending"
    path, secret = link(wait_until(lambda: texts(twilio), 30, "an invitation")[0])
    assert press(server, path, secret, "yes", name="Mia").status_code == 200
    assert "Mia" in ana.say("contacts") and "said yes" in ana.say("invite", "list")
    ana.call("invite", "withdraw", "Mia", code=REFUSED)
    assert ana.call("invite", "withdraw", "Zoe", code=USAGE)["code"] == "no-such-invitation"
    ana.call("invite", "Zoe", "+442071838751")
    ana.call("invite", "withdraw", "zoe")
    ana.call("invite", "Zoe", "+442071838752")
    assert ana.call("invite", "withdraw", "8752", code=USAGE)["code"] == "no-such-invitation"
    ana.call("invite", "withdraw", "020 7183 8752")
    assert [item["name"] for item in ana.call("invite", "list")["invitations"]] == ["Mia"]
