"""The server is killed and restarted under an open page, which recovers by itself."""

import os
import signal

import pytest

from support.people import enter, make_member
from support.program import phone_number


# Records every announcement from now on.
HEAR = """
    window.heard = [];
    for (const place of document.querySelectorAll("#polite, #assertive")) {
      const note = () => place.textContent && heard.push(place.textContent);
      new MutationObserver(note).observe(place, { childList: true });
    }
"""


@pytest.fixture
def server(make_server):
    return make_server().start()


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(0), "Ana")


@pytest.fixture
def browser(server, ana, make_browser):
    return enter(make_browser(server), phone_number(0))


def test_page_with_open_sheet_survives_restart(server, browser):
    browser.press("Profile")
    browser.press("Edit name and note")
    browser.field("Name").send_keys("bel")
    browser.driver.execute_script("window.isStill = true")
    server.kill()
    browser.see("You are offline")
    browser.field("Name").send_keys("la")
    browser.run(HEAR)
    server.start_again()
    browser.miss("You are offline", 30)
    # The sheet belonged to the killed server. The page is the same as before, and works.
    browser.wait(lambda: not browser.all("dialog") and browser.path == "/profile", "the profile")
    heard = browser.wait(lambda: browser.run("return window.heard"), "the announcement")
    assert heard == ["Your text was not saved. Open the form again to get it back."]
    browser.press("Edit name and note")
    # The typed text is restored, and the new server has received it.
    browser.wait(lambda: browser.field("Name").get_property("value") == "Anabella", "the text")
    browser.press("Save")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Anabella")
    assert browser.driver.execute_script("return window.isStill"), "the page was not loaded again"


def test_sheet_closed_offline_stays_closed_after_restart(server, browser):
    browser.press("Your code")
    browser.find("dialog:modal img.qr")
    server.kill()
    browser.see("You are offline")
    browser.press("Close")
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the sheet")
    server.start_again()
    browser.miss("You are offline", 30)
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet on the server")
    browser.press("Your code")
    browser.find("dialog:modal img.qr")


def test_press_that_restart_loses_is_announced(server, browser):
    browser.press("Profile")
    browser.button("Edit name and note")
    # The page sends the press, but the server stands still.
    os.kill(server.process.pid, signal.SIGSTOP)
    browser.press("Edit name and note")
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.see("The page had changed. Please try again.")
    assert not browser.all("dialog")


def test_restart_without_press_announces_nothing(server, browser):
    browser.press("Profile")
    browser.button("Edit name and note")
    browser.run(HEAR)
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.miss("You are offline", 30)
    browser.press("Edit name and note")
    browser.field("Name")
    assert browser.run("return window.heard") == []


def test_cancelled_typing_is_not_restored(server, browser):
    browser.press("Profile")
    browser.press("Edit name and note")
    browser.field("Emergency note").send_keys("Diabetic.")
    browser.press("Cancel")
    browser.press("Edit name and note")
    browser.field("Name")
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.miss("You are offline", 30)
    browser.press("Edit name and note")
    assert browser.field("Name").get_property("value") == "Ana"
    assert browser.field("Emergency note").get_property("value") == ""


def test_partly_typed_code_is_not_restored(server, browser):
    browser.press("Profile")
    browser.press("Change phone number")
    browser.field("New phone number").send_keys(phone_number(7))
    browser.press("Send code")
    browser.field("6-digit code").send_keys("123")
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.miss("You are offline", 30)
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.press("Change phone number")
    assert browser.field("New phone number").get_property("value") == ""
    browser.field("New phone number").send_keys(phone_number(7))
    browser.press("Send code")
    assert browser.field("6-digit code").get_property("value") == ""


def begin(server, make_browser):
    """Returns the browser of a new user, who is asked for a name."""
    browser = make_browser(server).open()
    browser.field("Phone number").send_keys(phone_number(7))
    browser.press("Send code")
    browser.field("6-digit code").send_keys("000000")
    return browser


def test_partly_typed_text_is_restored(server, make_browser):
    browser = begin(server, make_browser)
    browser.field("Name").send_keys("Doro")
    server.kill()
    browser.see("You are offline")
    browser.field("Name").send_keys("thy")
    server.start_again()
    browser.miss("You are offline", 30)
    assert browser.field("Name").get_property("value") == "Dorothy"
    browser.press("Continue")
    browser.see("What should your responders know?")


def test_texts_of_earlier_steps_are_restored(server, make_browser):
    browser = begin(server, make_browser)
    browser.field("Name").send_keys("Dorothy")
    browser.press("Continue")
    browser.field("Emergency note").send_keys("Diabetic.")
    server.kill()
    browser.see("You are offline")
    browser.field("Emergency note").send_keys(" Two keys.")
    server.start_again()
    browser.miss("You are offline", 30)
    has = lambda label, text: browser.field(label).get_property("value") == text
    browser.see("What is your name?")
    browser.wait(lambda: has("Name", "Dorothy"), "the name")
    browser.press("Continue")
    browser.wait(lambda: has("Emergency note", "Diabetic. Two keys."), "the note")
    browser.press("Continue")
    browser.see("How do you want to check in?")


def test_sign_in_starts_over_after_restart(server, ana, make_browser):
    browser = make_browser(server).open()
    browser.field("Phone number").send_keys(phone_number(0))
    browser.press("Send code")
    browser.field("6-digit code")
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.field("Phone number", 30)
    enter(browser, phone_number(0), path=None)


def test_server_stops_with_open_page(server, browser):
    code, seconds = server.stop()
    assert code == 0 and seconds < 30
    browser.see("You are offline")
