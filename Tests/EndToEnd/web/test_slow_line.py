"""On a connection with 400 ms per direction and 50 kB/s everything works, nothing happens twice,
and typed text stays."""

import pytest
from selenium.webdriver.common.keys import Keys

from support.people import enter, make_member
from support.program import phone_number


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(0), "Ana")


@pytest.fixture
def browser(server, ana, make_browser):
    browser = make_browser(server)
    browser.slow_line(latency=400)
    return enter(browser, phone_number(0))


def test_main_actions_work_on_slow_connection(browser, ana):
    before = len(list(ana.pages("/v1/check-ins")))
    button = browser.button("Check in")
    # The button is clicked twice, as by users who see nothing happen.
    browser.driver.execute_script("arguments[0].click(); arguments[0].click()", button)
    browser.see("Checked in at")
    for _ in range(4):
        browser.press("Alert")
    browser.find(".alert-screen")
    browser.see("Alert is on")
    assert len(list(ana.pages("/v1/check-ins"))) == before + 1
    assert len(list(ana.pages("/v1/alerts"))) == 1
    assert browser.complaints() == []


def test_typed_text_is_kept_on_slow_connection(browser, ana):
    browser.press("Profile")
    browser.press("Edit name and note")
    note = browser.field("Emergency note")
    for letters in ("Allergic to nuts. ", "My neighbour has a key. ", "Call my sister first."):
        note.send_keys(letters)
        ana.check_in()  # meanwhile, this changes something else on the page
    text = "Allergic to nuts. My neighbour has a key. Call my sister first."
    assert note.get_property("value") == text
    note.send_keys(Keys.CONTROL, Keys.HOME, Keys.NULL, *([Keys.ARROW_RIGHT] * 9), "very ")
    browser.field("Name").send_keys(" Lee")
    browser.wait(lambda: browser.can_press("Save"), "a button that can be pressed")
    browser.press("Save")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Allergic very to nuts. My neighbour has a key. Call my sister first.")
    browser.see("Ana Lee")


def test_caret_keeps_its_position(browser, ana):
    browser.press("Profile")
    browser.press("Edit name and note")
    name = browser.field("Name")
    name.send_keys("bel", Keys.HOME, "Mari-")
    caret = (
        "const f = arguments[0]; return [f.value, f.selectionStart, document.activeElement === f]"
    )
    settled = (
        "return import(document.querySelector('[href$=\"page.js\"]').href).then(({ page }) => "
        "page.settled)"
    )
    sent = browser.driver.execute_script("return arguments[0].sent", name)
    browser.wait(
        lambda: browser.driver.execute_script(settled) >= sent, "the answer to the last letter"
    )
    assert browser.driver.execute_script(caret, name) == ["Mari-Anabel", 5, True]
