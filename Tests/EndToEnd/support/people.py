"""Steps in a browser, click by click, that several tests need."""

import io

from PIL import Image, ImageDraw
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import api
from support.program import CODE

INTERVAL = "Within hours of the last check-in"


def sign_in(browser, number, name, path="/"):
    """Goes from the first page through onboarding to Home."""
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
    browser.see("How do you want to check in?")
    browser.choose(INTERVAL)
    browser.see("Every 24 hours")
    browser.press("Continue")
    browser.see("When do you want to be reminded?")
    browser.press("Continue")
    browser.press("Check in")
    browser.see("Who should we tell?")
    browser.press("Later")
    browser.see("Call for help")


def make_member(server, number, name):
    """Returns an API client of a user who has finished onboarding."""
    member = api.sign_in(server, number, name)
    member.check_in()
    return member


def enter(browser, number, path="/"):
    """Signs in an existing user, on `path`, or on the current page if `path` is empty."""
    if path:
        browser.open(path)
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    with browser.new_session():
        browser.field("6-digit code").send_keys(CODE)
    browser.find("nav.tabs", 30)
    return browser


def come_back(server, browser, number, name):
    """Signs in an existing user and waits for Home. Returns an API client that acts as the user's
    second device."""
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
    """Ends all sessions except this API client's."""
    for session in person.pages("/v1/auth/sessions"):
        if not session["isCurrent"]:
            person.delete(f"/v1/auth/sessions/{session['id']}")


def shown_id(browser):
    """Returns the id that is shown below the user's own code, once the sheet is open."""
    browser.find("img.qr")
    return browser.wait(lambda: browser.find("figcaption").text.split(), "the id")[-1]


def known(server, number, name, *watched_by):
    """Returns an API client of an existing user, with these clients as responders."""
    member = make_member(server, number, name)
    for responder in watched_by:
        api.watch_over(responder, member)
    return member


def retype(field, text):
    """Replaces a field's text by selecting all of it and typing."""
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE if not text else text)


def press_in_question(browser, name, timeout=30):
    question = browser.find("dialog.question", timeout)

    def press():
        buttons = question.find_elements(By.TAG_NAME, "button")
        return browser.click_first(button for button in buttons if button.text == name)

    browser.wait(press, name, timeout)


def unfold(browser, words):
    summary = browser.wait(
        lambda: next((e for e in browser.all("summary") if e.text == words), None), words
    )
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", summary)
    summary.click()


def portrait():
    """Returns a JPEG of a head and shoulders."""
    image = Image.new("RGB", (400, 400), "#9db8c9")
    draw = ImageDraw.Draw(image)
    draw.ellipse((60, 260, 340, 540), fill="#31505e")
    draw.ellipse((120, 90, 280, 280), fill="#e2b597")
    file = io.BytesIO()
    image.save(file, "JPEG")
    return file.getvalue()
