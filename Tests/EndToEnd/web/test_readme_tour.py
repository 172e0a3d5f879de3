"""Follows the README's first tour in two browsers: presses the names that are bold there, in the
same order."""

import re

from selenium.webdriver import ActionChains

from support.browser import DESKTOP
from support.program import REPOSITORY
from support.readme import flags

TABS = {
    "Home": "/",
    "Responders": "/responders",
    "I watch over": "/dependents",
    "Profile": "/profile",
}


class Tour:
    """The bold names in the README, in order."""

    def __init__(self):
        readme = (REPOSITORY / "README.md").read_text()
        steps = readme.split("## A first tour")[1].split("The same without a browser")[0]
        self.names = re.findall(r"\*\*(.+?)\*\*", re.sub(r"\s+", " ", steps))

    def press(self, browser, *names):
        for name in names:
            assert self.names.pop(0) == name
            if name in TABS:
                # The accessible name of a tab includes its badge.
                browser.click(f'nav a[href="{TABS[name]}"]')
            else:
                browser.press(name)

    def sign_in(self, browser, number, name):
        browser.open()
        browser.field("Phone number").send_keys(number)
        self.press(browser, "Send code")
        browser.field("6-digit code").send_keys("000000")
        browser.field("Name").send_keys(name)
        self.press(browser, "Continue")
        for question in (
            "What should your responders know?",
            "How do you want to check in?",
            "When do you want to be reminded?",
        ):
            browser.see(question)
            self.press(browser, "Continue")
        self.press(browser, "Check in", "Later")
        browser.see("Call for help")


def test_first_tour_of_readme_works(make_server, make_browser):
    follow(Tour(), make_server(*flags()).start(), make_browser)


def follow(tour, server, make_browser):
    """Fails unless each step works. The server needs only a `port`."""
    ana, ben = make_browser(server), make_browser(server, size=DESKTOP)
    tour.sign_in(ana, "+1 555 0100", "Ana")
    tour.sign_in(ben, "+1 555 0101", "Ben")

    tour.press(ana, "Profile", "My QR code", "Copy id")
    code = ana.find("[data-copy]").get_attribute("data-copy")
    tour.press(ben, "I watch over", "Add someone to watch over")
    ben.field("Or type the id").send_keys(code)
    tour.press(ben, "Use this id", "Add Ana")

    tour.press(ben, "Ping Ana")
    tour.press(ana, "Close", "Responders", "I’m fine: answer Ben")
    tour.press(ana, "Home", "Alert", "Alert", "Alert", "Alert")
    tour.press(ben, "See Ana’s alert", "I’m on it")
    ana.see("Ben is on it")

    assert tour.names == ["I am safe: hold to end"]
    ActionChains(ana.driver).click_and_hold(ana.button(tour.names[0])).perform()
    ana.wait(lambda: not ana.all(".alert-screen"), "the end of the alert")
