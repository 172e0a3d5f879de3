"""The server is killed and started again under an open page, which goes on by itself."""

import pytest

from support.people import enter, make_member
from support.program import phone_number


@pytest.fixture
def server(make_server):
    return make_server().start()


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(0), "Ana")


@pytest.fixture
def browser(server, ana, make_browser):
    return enter(make_browser(server), phone_number(0))


def test_a_page_with_an_open_sheet_goes_on_where_it_was(server, browser):
    browser.press("Profile")
    browser.press("Edit name and note")
    browser.field("Name").send_keys("bel")
    browser.driver.execute_script("window.isStill = true")
    server.kill()
    browser.see("You are offline")
    browser.field("Name").send_keys("la")
    server.start_again()
    browser.miss("You are offline", 30)
    # The sheet was the old server's; the page is the same, and works.
    browser.wait(lambda: not browser.all("dialog") and browser.path == "/profile", "the profile")
    browser.press("Edit name and note")
    # The typed text is back, and the server knows it.
    browser.wait(lambda: browser.field("Name").get_property("value") == "Anabella", "the text")
    browser.press("Save")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Anabella")
    assert browser.driver.execute_script("return window.isStill"), "the page was not loaded again"


def test_a_sheet_that_was_not_typed_into_is_as_on_the_server(server, browser):
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


def test_a_code_that_was_half_typed_into_a_sheet_is_not_kept(server, browser):
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


def test_what_was_half_typed_on_a_page_is_still_there(server, make_browser):
    browser = make_browser(server).open()
    browser.field("Phone number").send_keys(phone_number(7))
    browser.press("Send code")
    browser.field("6-digit code").send_keys("000000")
    browser.field("Name").send_keys("Doro")
    server.kill()
    browser.see("You are offline")
    browser.field("Name").send_keys("thy")
    server.start_again()
    browser.miss("You are offline", 30)
    assert browser.field("Name").get_property("value") == "Dorothy"
    browser.press("Continue")
    browser.see("What should your responders know?")


def test_who_was_signing_in_begins_again(server, ana, make_browser):
    browser = make_browser(server).open()
    browser.field("Phone number").send_keys(phone_number(0))
    browser.press("Send code")
    browser.field("6-digit code")
    server.kill()
    browser.see("You are offline")
    server.start_again()
    browser.field("Phone number", 30)
    enter(browser, phone_number(0), path=None)


def test_a_server_that_stops_says_goodbye_to_its_pages(server, browser):
    code, seconds = server.stop()
    assert code == 0 and seconds < 30
    browser.see("You are offline")
