"""Sign-up where not everyone may: the first link, strangers, and a server without text messages."""

import re

import pytest

from support.people import enter, known
from support.program import phone_number

MIA, NOAH = "+4915112345601", "+4915112345602"


def link_of(server):
    """Returns the path of the link for the first account."""
    return re.search(r"/join/[A-Za-z0-9_-]{43}", server.output())[0]


def code_for(server, number):
    return re.findall(rf"\{number}.*?\b(\d{{6}})\b", server.output())[-1]


@pytest.mark.both_engines
def test_first_link_opens_one_account(make_server, make_browser):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    link = link_of(server)
    mia = make_browser(server).open(link)
    mia.see("You have a sign-up link.")
    assert link not in mia.driver.current_url
    mia.field("Phone number").send_keys(MIA)
    mia.press("Send code")
    mia.see(f"We sent it to {MIA}, unless this server has reached a limit of codes.")
    mia.field("6-digit code").send_keys(code_for(server, MIA))
    mia.see("What is your name?")
    noah = make_browser(server).open(link)
    noah.field("Phone number").send_keys(NOAH)
    noah.press("Send code")
    noah.see("This sign-up link has been used up.")
    assert noah.serious_findings() == [] and mia.complaints() == []


def test_first_link_needs_no_text_messages(make_server, make_browser):
    server = make_server("--sign-up", "invited").start()
    mia = make_browser(server).open(link_of(server))
    mia.see("Your link may sign you in without one.")
    mia.field("Phone number").send_keys(MIA)
    with mia.new_session():
        mia.press("Send code")
    mia.see("What is your name?")
    assert mia.complaints() == []


def test_stranger_reads_only_what_is_known(make_server, make_browser):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    noah = make_browser(server).open()
    noah.see("A new account on this server needs an invitation.")
    noah.field("Phone number").send_keys(NOAH)
    noah.press("Send code")
    noah.see(f"If {NOAH} has an account or an invitation, we sent it there.")
    assert NOAH not in server.output()
    assert noah.serious_findings() == [] and noah.complaints() == []


def test_inviters_code_opens_an_account(make_server, make_browser):
    server = make_server("--sign-up", "invited", "--sms", "console").start()
    ana = known(server, phone_number(0), "Ana")
    mia = make_browser(server).open(f"/add/{ana.get('/v1/me/qr-code')['id']}")
    mia.see("Ana invites you to LifeSignal.")
    mia.field("Phone number").send_keys(MIA)
    mia.press("Send code")
    mia.see(f"If {MIA} has an account or an invitation, we sent it there.")
    mia.field("6-digit code").send_keys(code_for(server, MIA))
    mia.see("What is your name?")
    assert mia.complaints() == []


def test_server_without_text_messages_names_its_operator(make_server, make_browser):
    server = make_server("--operator-contact", "Village office, 030 1234").start()
    mia = make_browser(server).open()
    mia.see("a link that signs you in: Village office, 030 1234.")
    mia.field("Phone number").send_keys(MIA)
    mia.press("Send code")
    mia.see("This server sends no text messages, so no code was sent.")
    assert mia.serious_findings() == []


def test_closed_server_signs_in_known_numbers(make_server, make_browser):
    server = make_server("--sign-up", "open").start()
    known(server, phone_number(0), "Ana")
    server.stop()
    server.arguments = ["--sign-up", "closed"]
    server.start_again()
    ana = make_browser(server).open()
    ana.see("This server takes no new accounts.")
    enter(ana, phone_number(0), path=None)
    assert ana.complaints() == []
