import pytest

from support import api
from support.browser import DESKTOP
from support.people import come_back, make_member
from support.program import phone_number


@pytest.fixture
def ana(server, make_browser):
    browser = make_browser(server, size=(360, 640))
    browser.device = come_back(server, browser, phone_number(1), "Ana")
    yield browser
    assert browser.complaints() == []


@pytest.fixture
def ben(server):
    return make_member(server, phone_number(2), "Ben")


def ask(asker, other, role):
    """Makes `asker` ask its contact `other` for one more role."""
    contact = next(c for c in asker.get("/v1/contacts")["items"] if c["id"] == other.id)
    roles = {key: contact[key] for key in ("isResponder", "isDependent")} | {role: True}
    return asker.call("PATCH", f"/v1/contacts/{other.id}", roles)


def add(adder, shower, **roles):
    """Makes `adder` scan the code of `shower` with these roles."""
    code = shower.get("/v1/me/qr-code")["payload"]
    return adder.post(
        "/v1/contacts",
        {"code": code, "isResponder": False, "isDependent": False, **roles},
        status=201,
    )


def is_above_the_fold(browser, name):
    """Returns whether the button is visible without scrolling, and not covered by the alert bar or
    the tabs."""
    browser.run("scrollTo(0, 0)")
    box = browser.button(name).rect
    # On a wide screen, the alert bar and the tabs are at the side.
    is_below = browser.find(".tabs").rect["y"] > 0
    end = browser.find(".alert-bar").rect["y"] if is_below else browser.run("return innerHeight")
    return box["y"] >= 0 and box["y"] + box["height"] <= end


def see_a_responder(browser):
    """Waits until a responder has accepted. Responders with closed pages can't be reached, so the
    page says that, and never that all is well."""
    browser.see("Your responders may not hear you")
    assert "All is well" not in browser.text


def test_home_asks_to_add_first_responder(ana):
    ana.see("No one is watching over you. Add someone.")
    ana.miss("All is well")
    assert is_above_the_fold(ana, "Add someone")
    ana.press("Add someone")
    ana.see("Scan")
    assert ana.path == "/responders"


def test_home_distinguishes_asked_accepted_and_missing(ana, ben):
    add(ana.device, ben, isResponder=True)
    ana.see("No one has accepted yet")
    ana.see("You asked Ben.")
    ana.miss("All is well")
    ben.call("PUT", f"/v1/contacts/{ana.device.id}/requests/dependent")
    see_a_responder(ana)
    ana.miss("No one has accepted yet")


@pytest.mark.parametrize("answer", ["Accept", "Decline"])
def test_request_to_help_is_answered_on_home(ana, ben, answer):
    add(ben, ana.device, isResponder=True)
    ana.see("Ben asked you to help.")
    ana.see("You’ll be told if they miss a check-in.")
    ana.press(f"{answer}: you watch over Ben")
    ana.miss("Ben asked you to help")
    contacts = ben.get("/v1/contacts")["items"]
    assert [c["isResponder"] for c in contacts] == ([True] if answer == "Accept" else [])


def test_notice_of_a_used_code_follows_the_answer(ana, ben):
    add(ben, ana.device, isResponder=True)
    ana.see("Ben asks you to be their responder. They used your code.")
    ana.press("Accept: you watch over Ben")
    ana.see("You are told when Ben needs help. They used your code.")
    assert "asks you to be their responder" not in ana.text
    ben.delete(f"/v1/contacts/{ana.device.id}")
    ana.miss("They used your code.")


def test_offer_to_help_is_accepted_on_home(ana, ben):
    api.watch_over(ana.device, ben)
    ask(ben, ana.device, "isDependent")
    ana.see("Ben wants to be your responder.")
    ana.press("Accept Ben as your responder")
    ana.miss("Ben wants to be your responder")
    see_a_responder(ana)


def test_withdrawn_request_disappears(ana, ben):
    add(ben, ana.device, isResponder=True)
    ana.see("Ben asked you to help.")
    ben.delete(f"/v1/contacts/{ana.device.id}/requests/responder")
    ana.miss("Ben asked you to help.")


def test_ping_is_answered_on_home_with_one_tap(ana, ben):
    api.watch_over(ben, ana.device)
    see_a_responder(ana)
    ping = api.new_id()
    ben.put(f"/v1/pings/{ping}", {"dependentID": ana.device.id})
    ana.see("Ben asks: are you OK?")
    ana.press("OK: Ben is now your contact")
    ana.miss("Ben is now your contact")
    assert is_above_the_fold(ana, "I’m OK: answer Ben")
    ana.press("I’m OK: answer Ben")
    ana.miss("Ben asks: are you OK?")
    ben_sees = lambda: next(p for p in ben.get("/v1/pings")["items"] if p["id"] == ping)["state"]
    ana.wait(lambda: ben_sees() == "answered", "the answer")


def test_screen_reader_reaches_everything_on_home(ana, ben):
    add(ben, ana.device, isResponder=True)
    ana.see("Ben asked you to help.")
    ana.see("No one is watching over you.")
    assert ana.serious_findings() == []


def test_missed_deadline_puts_button_first(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    for number, size in enumerate(((360, 640), (390, 844), DESKTOP), start=1):
        late = make_browser(server, size=size)
        late.device = come_back(server, late, phone_number(number), "Ana")
        api.set_interval(late.device, 1)
        late.see("You’re overdue: check in now", 20)
        assert is_above_the_fold(late, "Press to tell everyone you’re OK"), size
        api.set_interval(late.device, 3600)
        late.press("Press to tell everyone you’re OK")
        late.button("Check in")
        late.miss("You missed your check-in")
