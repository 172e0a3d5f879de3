"""Three users at once: Ben and Cleo watch over Ana, and Ben watches over Cleo. The others' pages
show an act without a reload."""

import pytest

from support import api
from support.browser import DESKTOP
from support.people import come_back
from support.program import phone_number


@pytest.fixture
def three(server, make_browser):
    ana, ben, cleo = make_browser(server), make_browser(server, size=DESKTOP), make_browser(server)
    for number, (person, name) in enumerate(((ana, "Ana"), (ben, "Ben"), (cleo, "Cleo")), start=1):
        person.device = come_back(server, person, phone_number(number), name)
    ana.device.call("PATCH", "/v1/me", {"emergencyNote": "Allergic to nuts."})
    api.watch_over(ben.device, ana.device)
    api.watch_over(cleo.device, ana.device)
    api.watch_over(ben.device, cleo.device)
    yield ana, ben, cleo
    assert [person.complaints() for person in (ana, ben, cleo)] == [[], [], []]


def card(browser, name):
    return next((card.text for card in browser.all("li.card") if name in card.text), None)


def sheet(browser):
    return "\n".join(dialog.text for dialog in browser.all("dialog[open]"))


def tab(browser, name):
    """Returns the tab with this name, whether or not it has a badge."""
    return browser.wait(
        lambda: next((link for link in browser.all(".tabs a") if name in link.text), None), name
    )


def unread(browser):
    return int("0" + "".join(filter(str.isdigit, browser.find(".bell").text)))


def call_for_help(ana):
    ana.open("/")
    for _ in range(4):
        ana.press("Alert")
    ana.see("Alert is on")


@pytest.mark.kinds("chromium", "webkit")
def test_responders_see_who_acknowledged(three):
    ana, ben, cleo = three
    ben.open("/profile").find("h1")
    cleo.open("/responders").find("h1")
    before = {person: unread(person) for person in (ben, cleo)}
    call_for_help(ana)
    ana.see("No one is on it yet.")
    for person in (ben, cleo):
        person.see("Ana has raised an alert")
        person.wait(lambda: unread(person) > before[person], "a notification")
        person.press("See Ana’s alert")
        person.see("Ana needs help")
        person.see("Allergic to nuts.")
        assert (
            person.find("dialog a[href^='tel:']").get_attribute("href") == f"tel:{phone_number(1)}"
        )
    ben.wait(lambda: "Cleo" in sheet(ben), "who else was told")

    ben.press("I’m on it")
    ben.see("You are on it")
    cleo.see("Ben is on it")
    ana.see("Ben is on it")
    told = ana.find("[aria-labelledby=told-title]")
    ana.wait(lambda: all(name in told.text for name in ("Ben", "Cleo")), "who was told")

    # Every page shows Ana her own alert.
    for page in (
        *(tab(ana, name) for name in ("Responders", "I watch over", "Profile")),
        ana.find(".bell"),
    ):
        page.click()
        ana.see("Your alert is on")
        ana.see("Ben is on it")
    ana.press("Go to your alert")
    ana.see("Alert is on")
    ana.press("End it without holding")
    ana.press("I am safe, end it")
    ana.see("Check-in")
    for person in (ben, cleo):
        person.see("Ana’s alert has ended")
        person.press("Close")
        person.miss("needs you now")


def test_pings_are_sent_cleared_and_answered(three):
    ana, ben, cleo = three
    ana.open("/profile").find("h1")
    for person in (ben, cleo):
        person.open("/dependents").press("Ping Ana")
        person.wait(lambda: "No answer yet." in card(person, "Ana"), "the ping")
    ana.wait(lambda: "2" in tab(ana, "Responders").text, "two on the badge")
    tab(ana, "Responders").click()
    ana.see("2 responders ask whether you are fine")

    ben.press("Clear ping to Ana")
    ana.see("1 responder asks whether you are fine")
    ana.press("I’m fine: answer Cleo")
    cleo.button("Ping Ana")
    ana.miss("asks whether you are fine")

    for person in (ben, cleo):
        person.press("Ping Ana")
    ana.press("I’m fine: answer all")
    for person in (ben, cleo):
        person.button("Ping Ana")
    ana.miss("whether you are fine")
    cleo.open("/notifications").see("Ana is fine")


def test_role_changes_and_removals_ask_first(three):
    ana, ben, cleo = three
    ana.open("/responders").find("h1")
    ben.open("/dependents").press("Ana: details")
    switch = lambda: ben.button("My responder")
    assert switch().get_attribute("aria-checked") == "false"
    ben.press("My responder")
    ben.find(".question")
    ben.press("Cancel")
    assert switch().get_attribute("aria-checked") == "false"
    ben.press("My responder")
    ben.press("Confirm")
    ben.wait(lambda: switch().get_attribute("aria-checked") == "true", "the role")
    ben.see("Ana has not accepted yet.")
    ana.press("Ben: details")
    ana.see("Ben asks you")
    ana.press("Accept")
    ana.miss("Ben asks you")
    ana.press("Close")
    ana.wait(lambda: "you watch over each other" in card(ana, "Ben"), "both roles on Ana's page")
    ben.miss("Ana has not accepted yet.")

    # While one user has the sheet open, the other removes the contact.
    ana.press("Ben: details")
    ana.see("Contact since")
    ben.press("Remove contact")
    ben.press("Remove")
    ben.wait(lambda: not card(ben, "Ana"), "Ana to be gone")
    ana.wait(lambda: not card(ana, "Ben"), "Ben to be gone")
    ana.see("Cleo")
    ana.wait(lambda: not sheet(ana), "the sheet to close")
    cleo.open("/dependents").see("Ana")
