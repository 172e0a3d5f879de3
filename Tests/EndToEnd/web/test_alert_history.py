import pytest

from support.api import watch_over
from support.people import enter, make_member
from support.program import phone_number


@pytest.fixture
def browser(server, make_browser):
    ana, ben = (make_member(server, phone_number(i), name) for i, name in enumerate(("Ana", "Ben")))
    watch_over(ben, ana)
    browser = enter(make_browser(server), phone_number(0))
    browser.see("Call for help")
    return browser


def call_for_help(browser):
    browser.run("for (let i = 0; i < 4; i += 1) document.querySelector('.alert-button').click()")
    browser.find(".alert-screen")


def test_recipients_are_shown_on_return_to_home(browser):
    call_for_help(browser)
    for _ in range(5):
        browser.wait(lambda: "Ben" in browser.find(".ledger").text, "who was told")
        browser.press("Profile")
        browser.see("Go to your alert")
        browser.press("Home")
        browser.find(".alert-screen")


def test_alert_raised_elsewhere_opens_home(browser):
    browser.press("Profile")
    browser.wait(lambda: browser.path == "/profile", "the profile")
    call_for_help(browser)
    assert browser.path == "/"


def test_alert_end_names_recipients_and_history_has_totals(browser):
    call_for_help(browser)
    browser.press("End it without holding")
    browser.press("I am safe, end it")
    browser.see("Alert ended. Ben is being told.")
    browser.press("Your alerts")
    browser.see("1 shown: 1 raised by hand")
    link = browser.button("Download as CSV").get_attribute("href")
    table = browser.run("return fetch(arguments[0]).then((answer) => answer.text())", link)
    lines = table.splitlines()
    assert lines[0].startswith("id,name,kind,startTime") and ",You,manual," in lines[1]
