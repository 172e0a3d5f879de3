"""Raising an alert for users who press slowly, hold a key, or press by mistake."""

import pytest
from selenium.webdriver import Keys

from support.people import come_back, sign_out
from support.program import phone_number

SLOW = "Press 4 times, with at most 40 seconds in between"
CONFIRM = "Press once, then confirm"
# Advances the page's clock, which times only the presses.
LATER = """
    const offset = (window.offset ?? 0) + arguments[0], real = Performance.prototype.now;
    window.real ??= real.bind(performance);
    window.offset = offset;
    performance.now = () => window.real() + offset;
"""

# Adds an unsent alert to the queue, as another tab of this browser does.
OTHER_TAB = """
    const queue = JSON.parse(localStorage.queue);
    const [alert] = queue;
    localStorage.queue = JSON.stringify([...queue, { ...alert, id: crypto.randomUUID() }]);
"""


@pytest.fixture
def browser(server, make_browser):
    browser = make_browser(server)
    browser.device = come_back(server, browser, phone_number(0), "Ana")
    return browser


def choose(browser, words):
    browser.open("/settings")
    browser.choose(words)
    browser.open("/")
    browser.button("Alert")


def alerts(browser):
    return list(browser.device.pages("/v1/alerts"))


def press_enter(browser, is_repeat):
    browser.driver.execute_cdp_cmd(
        "Input.dispatchKeyEvent",
        {
            "type": "keyDown",
            "key": "Enter",
            "code": "Enter",
            "windowsVirtualKeyCode": 13,
            "text": "\r",
            "autoRepeat": is_repeat,
        },
    )


def test_held_key_presses_once(browser):
    button = browser.button("Alert")
    browser.run("arguments[0].focus()", button)
    press_enter(browser, False)
    browser.see("1 of 4")
    for _ in range(20):
        press_enter(browser, True)
    assert "1 of 4" in browser.text
    for _ in range(3):
        button.send_keys(Keys.ENTER)
    browser.see("Alert is on")
    assert len(alerts(browser)) == 1


def test_slow_presses_count_for_forty_seconds(browser):
    choose(browser, SLOW)
    for _ in range(3):
        browser.press("Alert")
        browser.run(LATER, 39_000)
    browser.see("3 of 4 · starts over in 1 s")
    browser.run(LATER, 1_000)
    browser.see("Started over: press 4 times")
    for _ in range(4):
        browser.press("Alert")
        browser.run(LATER, 39_000)
    browser.see("Alert is on")


def test_usual_presses_count_for_four_seconds(browser):
    browser.press("Alert")
    browser.run(LATER, 4_000)
    browser.see("Started over: press 4 times")


@pytest.mark.parametrize("is_offline", [False, True], ids=["online", "offline"])
def test_open_sheet_has_the_alert_button(browser, is_offline):
    browser.press("Your code")
    browser.find("dialog[open] .alert-button")
    if is_offline:
        browser.cut_line()
        browser.see("You are offline")
    for _ in range(4):
        browser.press("Alert")
    if is_offline:
        browser.see("NOT SENT: phone someone now")
        browser.cut_line(False)
    alarms = "dialog[open] > .alarms"
    browser.wait(lambda: "Alert is on" in browser.find(alarms).text, "the alarm in the sheet")
    assert len(alerts(browser)) == 1
    browser.wait(lambda: not browser.all(".alert-button"), "the end of the button")
    browser.press("Close")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")


@pytest.mark.parametrize("is_offline", [False, True], ids=["online", "offline"])
def test_one_press_asks_and_confirmation_raises(browser, is_offline):
    choose(browser, CONFIRM)
    browser.see("Call for help: press once, then confirm")
    if is_offline:
        browser.cut_line()
        browser.see("You are offline")
    browser.press("Alert")
    browser.see("Call for help?")
    # Ana has no responders, with and without a connection.
    words = "You have no responders: no one will be told. Call for help directly."
    assert browser.find("#ask-alert-words").text == words
    assert browser.serious_findings() == []
    browser.press("Cancel")
    browser.miss("Call for help?")
    browser.press("Alert")
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    browser.miss("Call for help?")
    # The repeated presses of a held key don't answer the question.
    browser.run("arguments[0].focus()", browser.button("Alert"))
    press_enter(browser, False)
    for _ in range(5):
        press_enter(browser, True)
    browser.see("Call for help?")
    browser.run(LATER, 3_600_000)
    assert not alerts(browser)
    browser.press("Call for help now")
    if is_offline:
        browser.see("NOT SENT: phone someone now")
        browser.cut_line(False)
    browser.see("Alert is on")
    assert len(alerts(browser)) == 1


def test_confirmed_alert_ends_the_count_of_presses(browser):
    choose(browser, SLOW)
    browser.cut_line()
    browser.see("You are offline")
    for _ in range(3):
        browser.press("Alert")
    browser.see("3 of 4")
    # The card about an alert that another device has ended has such a button.
    browser.run("document.querySelector('.alert-bar .alert-button').dataset.again = ''")
    browser.press("Alert")
    browser.press("Call for help now")
    browser.see("NOT SENT: phone someone now")
    browser.miss("3 of 4")


@pytest.mark.parametrize("is_of_other_tab", [False, True], ids=["new", "other_tab"])
def test_second_unsent_alert_asks_again_before_its_end(browser, is_of_other_tab):
    choose(browser, CONFIRM)
    browser.cut_line()
    browser.see("You are offline")
    browser.press("Alert")
    browser.press("Call for help now")
    browser.see("NOT SENT: phone someone now")
    if is_of_other_tab:
        browser.run(OTHER_TAB)
    browser.press("End it without holding")
    browser.press("Press again to end it")
    browser.see("Your alert has ended.")
    if not is_of_other_tab:
        browser.miss("NOT SENT: phone someone now")
        browser.press("Alert")
        browser.press("Call for help now")
    browser.press("End it without holding")
    browser.see("Press again to end it")
    assert "NOT SENT: phone someone now" in browser.text
    browser.press("Press again to end it")
    browser.miss("NOT SENT: phone someone now")


def test_alert_trigger_stays_until_sign_out(server, browser):
    choose(browser, CONFIRM)
    server.stop()
    server.start_again()
    browser.open("/settings")
    browser.wait(lambda: browser.field(CONFIRM).is_selected(), "the choice")
    sign_out(browser)
    come_back(server, browser, phone_number(0), "Ana")
    browser.press("Alert")
    browser.see("1 of 4")
