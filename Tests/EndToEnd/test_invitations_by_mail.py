"""Responders with neither an account nor a phone number: the e-mail, its page, and the alert's
page."""

import re

import pytest
import requests
from support.api import new_id, sign_in
from support.mail import MailServer, text
from support.program import phone_number
from support.terminal import USAGE, Person
from support.waiting import wait_until

MIA = "mia@example.org"


@pytest.fixture
def mail(tmp_path):
    stand_in = MailServer(tmp_path)
    yield stand_in
    stand_in.close()


@pytest.fixture
def server(make_server, mail):
    return make_server(env=mail.environment).start()


def link(message):
    """Returns the path and the secret of the link in a message."""
    return re.search(r"https?://[^/\s]+(/\w)#(\S+)", text(message)).groups()


def press(server, path, secret, action, **fields):
    form = {"secret": secret, "action": action, **fields}
    return requests.post(server.url + path, data=form, timeout=10)


def message(mail, words):
    def found():
        return [one for one in mail.to(MIA) if words in one["Subject"]]

    return wait_until(found, 30, words)[0]


def test_responder_with_only_a_mailbox(server, mail):
    ana = sign_in(server, phone_number(1), "Ana")
    invited = ana.post("/v1/invitations", {"name": "Mia", "emailAddress": MIA}, status=201)
    assert invited["emailAddress"] == MIA and invited["phoneNumber"] == ""
    mailed = message(mail, "Ana asks for your help")
    assert "One-Click" in mailed["List-Unsubscribe-Post"]
    path, secret = link(mailed)
    assert secret not in mailed["List-Unsubscribe"]
    assert "tells you by e-mail" in press(server, path, secret, "show").text
    assert "You are told when Ana" in press(server, path, secret, "yes", name="Mia").text
    contact = ana.get("/v1/contacts")["items"][0]
    assert contact["name"] == "Mia" and "phoneNumber" not in contact

    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    path, secret = link(message(mail, "Ana needs help"))
    shown = press(server, path, secret, "show").text
    assert f'href="tel:{phone_number(1)}"' in shown and "+999" not in shown
    assert "You are on it" in press(server, path, secret, "on-it").text
    assert ana.get(f"/v1/alerts/{alert}")["acknowledgement"]["name"] == "Mia"
    channels = {entry["channel"] for entry in ana.get(f"/v1/alerts/{alert}")["ledger"]}
    assert "email" in channels and not channels & {"sms", "voice"}
    ana.post(f"/v1/alerts/{alert}/end")
    message(mail, "ended")
    everything = str(ana.get("/v1/contacts")) + str(ana.get("/v1/me/export"))
    assert "+999" not in everything
    log = server.output()
    assert MIA not in log and secret not in log


def test_drill_mail_is_answered_on_its_page(server, mail):
    ana = sign_in(server, phone_number(1), "Ana")
    ana.post("/v1/invitations", {"name": "Mia", "emailAddress": MIA}, status=201)
    path, secret = link(message(mail, "Ana asks for your help"))
    press(server, path, secret, "yes", name="Mia")
    ana.put(f"/v1/drills/{new_id()}")
    mailed = message(mail, "DRILL")
    assert "does not need help" in text(mailed) and "Open LifeSignal" not in text(mailed)
    path, secret = link(mailed)
    assert path == "/d" and "Ana" not in requests.get(server.url + path, timeout=10).text
    shown = press(server, path, secret, "show").text
    assert "This is only a drill" in shown and "Got it" in shown
    assert ana.get("/v1/drills")["own"]["answers"][0].get("answeredAt") is None
    assert "Thank you" in press(server, path, secret, "got-it").text
    drill = ana.get("/v1/drills")["own"]
    assert drill["answers"][0]["channel"] == "email" and drill["end"] == "everyoneAnswered"
    assert press(server, path, "A" * 64, "got-it").status_code == 404


def test_unsubscribe_link_declines_invitation(server, mail):
    ana = sign_in(server, phone_number(1), "Ana")
    ana.post("/v1/invitations", {"name": "Mia", "emailAddress": MIA}, status=201)
    mailed = message(mail, "Ana asks for your help")
    query = mailed["List-Unsubscribe"].strip("<>").split("/v1/", 1)[1]
    stop = f"{server.url}/v1/{query}"
    requests.get(stop, timeout=10)
    assert ana.get("/v1/invitations")["items"][0]["state"] == "pending"
    form = {"List-Unsubscribe": "One-Click"}
    assert requests.post(stop, data=form, timeout=10).status_code == 200
    assert ana.get("/v1/invitations")["items"][0]["state"] == "declined"


def test_invitation_needs_number_or_address(server, make_server):
    ana = sign_in(server, phone_number(1), "Ana")
    for body in ({}, {"phoneNumber": "+442071838750", "emailAddress": MIA}):
        ana.call("POST", "/v1/invitations", {"name": "Mia", **body}, status=422)
    for address in ("mia", "mia@example", "@example.org", "a b@example.org"):
        body = {"name": "Mia", "emailAddress": address}
        ana.call("POST", "/v1/invitations", body, status=422)


def test_terminal_invites_an_address(server, mail, tmp_path):
    ana = Person(tmp_path, phone_number(1), server).sign_in("Ana")
    ana.call("invite", "Mia", "mia@example", code=USAGE)
    assert ana.call("invite", "Mia", MIA)["invitation"]["emailAddress"] == MIA
    assert MIA in ana.say("invite", "list")
    path, secret = link(message(mail, "asks for your help"))
    assert press(server, path, secret, "yes", name="Mia").status_code == 200
    again = ana.say("invite", "Mia", MIA)
    assert "Mia has said yes" in again and "Invited" not in again
    assert "by e-mail" in ana.say("contacts", "--details")
