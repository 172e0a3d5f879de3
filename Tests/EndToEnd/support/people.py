"""Steps in a browser, click by click, that more than one test needs."""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import api
from support.program import CODE


def sign_in(browser, number, name, path="/"):
    """From the first page to home, through onboarding."""
    browser.open(path)
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    with browser.new_session():
        browser.field("6-digit code").send_keys(CODE)
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
    browser.see("Who should we tell?")
    browser.press("Later")
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
    with browser.new_session():
        browser.field("6-digit code").send_keys(CODE)
    browser.find("nav.tabs", 30)
    return browser


def come_back(server, browser, number, name):
    """To home, as somebody who has been here before. Returns another device of theirs: a client of
    the API."""
    device = make_member(server, number, name)
    enter(browser, number).see("Call for help")
    return device


def sign_out(browser):
    browser.open("/profile")
    browser.press("Sign out")
    browser.find("dialog:modal")
    browser.press("Sign out")
    browser.field("Phone number")


def end_sessions(person):
    """All but that of this client of the API."""
    for session in person.pages("/v1/auth/sessions"):
        if not session["isCurrent"]:
            person.delete(f"/v1/auth/sessions/{session['id']}")


def shown_id(browser):
    """The id below one's own code, once the sheet has come up."""
    browser.find("img.qr")
    return browser.wait(lambda: browser.find("figcaption").text.split(), "the id")[-1]


def known(server, number, name, *watched_by):
    """The same, watched over by these clients."""
    member = make_member(server, number, name)
    for responder in watched_by:
        api.watch_over(responder, member)
    return member


def retype(field, text):
    """Replaces the text of a field by selecting all of it and typing."""
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE if not text else text)


def press_in_question(browser, name, timeout=30):
    """Answers what the page asks before it does something."""
    question = browser.find("dialog.question", timeout)

    def press():
        buttons = question.find_elements(By.TAG_NAME, "button")
        return browser.click_first(button for button in buttons if button.text == name)

    browser.wait(press, name, timeout)


def unfold(browser, words):
    """Opens what is folded under these words."""
    summary = browser.wait(
        lambda: next((e for e in browser.all("summary") if e.text == words), None), words
    )
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", summary)
    summary.click()
