"""What people do in a browser, click by click, that more than one test needs."""

from support import api
from support.program import CODE


def sign_in(browser, number, name):
    """From the first page to home, through onboarding."""
    browser.open()
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    browser.field("Code with six digits").send_keys(CODE)
    browser.see("What is your name?")
    browser.field("Name").send_keys(name)
    browser.press("Continue")
    browser.see("What should your responders know?")
    browser.field("Emergency note").send_keys("Allergic to nuts.")
    browser.press("Continue")
    browser.see("How often do you want to check in?")
    browser.press("Continue")
    browser.see("When do you want to be reminded?")
    browser.press("Continue")
    browser.press("Check in")
    browser.see("Call for help")


def make_member(server, number, name):
    """Somebody who has been here before: a client of the API in their name."""
    member = api.sign_in(server, number, name)
    member.check_in()
    return member


def enter(browser, number, path="/"):
    """Signs in somebody who has been here before; without a path on the page that is there."""
    if path:
        browser.open(path)
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    browser.field("Code with six digits").send_keys(CODE)
    browser.find("nav.tabs", 30)
    return browser


def sign_out(browser):
    browser.open("/profile")
    browser.press("Sign out")
    browser.find("dialog:modal")
    browser.press("Sign out")
    browser.field("Phone number")
