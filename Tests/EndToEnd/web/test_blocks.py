"""Ways to end a contact: withdrawing a request, blocking, and unblocking. A warning comes before
the last responder is removed."""

import pytest

from support import api
from support.people import come_back, make_member, press_in_question
from support.program import phone_number


@pytest.fixture
def ana(server, make_browser):
    browser = make_browser(server)
    browser.device = come_back(server, browser, phone_number(1), "Ana")
    yield browser
    assert browser.complaints() == []


@pytest.fixture
def ben(server):
    return make_member(server, phone_number(2), "Ben")


def question(browser):
    return browser.wait(lambda: browser.find("dialog.question:modal").text, "the question")


def test_person_is_blocked_and_unblocked(ana, ben):
    api.watch_over(ben, ana.device)
    ana.open("/responders").press("Ben: details")
    ana.press("Block Ben")
    words = question(ana)
    assert "Block Ben?" in words and "can’t add, ping or see you" in words
    assert "Ben is your last responder. No one will be alerted." in words
    ana.press("Cancel")
    assert ben.get("/v1/contacts")["items"]
    ana.press("Block Ben")
    press_in_question(ana, "Block")
    ana.wait(lambda: not ana.all("dialog[open]"), "the sheet to close")
    assert ben.get("/v1/contacts")["items"] == []
    code = ana.device.get("/v1/me/qr-code")["payload"]
    ben.call(
        "POST",
        "/v1/contacts",
        {"code": code, "isResponder": False, "isDependent": True},
        status=404,
    )

    ana.open("/settings").see("Blocked people")
    assert ana.serious_findings() == []
    ana.press("Unblock Ben")
    ana.see("No one. You can block someone in their contact details.")
    assert ana.device.get("/v1/blocks")["items"] == []
    api.watch_over(ben, ana.device)


def test_request_can_be_withdrawn(ana, ben):
    api.watch_over(ana.device, ben)
    ana.device.call("PATCH", f"/v1/contacts/{ben.id}", {"isResponder": True, "isDependent": True})
    ana.open("/dependents").press("Ben: details")
    ana.see("Not accepted yet")
    ana.press("Take back: Ben as your responder")
    ana.miss("Not accepted yet")
    assert ben.get("/v1/contacts")["items"][0].get("requests", []) == []


def test_removing_last_responder_warns_first(ana, ben, server):
    cleo = make_member(server, phone_number(3), "Cleo")
    for responder in (ben, cleo):
        api.watch_over(responder, ana.device)
    warning = "is your last responder. No one will be alerted."
    ana.open("/responders").press("Ben: details")
    ana.press("Remove contact")
    assert warning not in question(ana)
    press_in_question(ana, "Remove and tell them")
    ana.wait(lambda: not ana.all("dialog[open]"), "the sheet to close")
    ana.press("Cleo: details")
    ana.press("Remove contact")
    assert f"Cleo {warning}" in question(ana)
    ana.press("Cancel")
    assert len(ana.device.get("/v1/contacts")["items"]) == 1


def test_leaving_a_dependent_warns_about_their_protection(ana, ben):
    api.watch_over(ana.device, ben)
    ana.open("/dependents").press("Ben: details")
    ana.press("Remove contact")
    assert "Ben may have no other responder." in question(ana)
    ana.press("Cancel")


def test_new_contact_is_shown_until_answered(ana, ben):
    ana.open("/")
    api.watch_over(ben, ana.device)
    ana.see("Ben is now your contact")
    ana.see("They used your code. If this surprises you, remove or block them.")
    # The banner deliberately lacks a button that only dismisses it.
    assert ana.all(".notices .banner") and not ana.all(".notices [data-brief]")
    assert ana.serious_findings() == []
    ana.press("Remove or block: Ben is now your contact")
    ana.button("Block Ben")
    ana.miss("Ben is now your contact")
