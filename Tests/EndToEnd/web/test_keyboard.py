"""The whole app by keyboard, for users without a pointer."""

import re

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Keys

from support import api
from support.api import watch_over
from support.browser import has_gone
from support.people import sign_in
from support.program import CODE, phone_number

SEEN = """
    const it = document.activeElement, box = it.getBoundingClientRect(),
      style = getComputedStyle(it);
    const layer = [document.body, ...document.querySelectorAll("dialog[open]")].at(-1);
    return [it === document.body || it.matches("h1, dialog, .skip") || style.outlineStyle !== "none"
      && parseFloat(style.outlineWidth) >= 2,
            it === document.body || layer.contains(it), it === document.body || box.top >= -1 &&
            box.bottom <= innerHeight + 1, it.outerHTML.slice(0, 120)]
"""


class Keyboard:
    """A user who presses only keys. The focus must always be visible to them."""

    def __init__(self, browser):
        self.browser = browser

    @property
    def place(self):
        """The name of the focused element; empty while the page is being changed."""
        try:
            return self.browser.focused
        except WebDriverException as error:
            if not has_gone(error):
                raise
            return None

    def press(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()
        is_marked, is_in_layer, is_in_sight, what = self.browser.run(SEEN)
        assert is_marked and is_in_layer, f"the focus can't be seen on {what}"
        return is_in_sight, what

    def go_to(self, name, limit=60):
        """Presses Tab until the element has the focus. Each element on the way must be visible when
        it has the focus."""
        seen = []
        stops = "a, button, summary, input, textarea, select"
        self.browser.wait(lambda: self.browser.named(stops, name), name)
        for _ in range(limit):
            if self.place == name:
                return
            is_in_sight, what = self.press(Keys.TAB)
            # An opening sheet moves the element into view.
            if not is_in_sight:
                self.browser.wait(lambda: self.browser.run(SEEN)[2], f"{what} in sight")
            seen.append(self.place)
        raise AssertionError(f"{name!r} is not on the way: {seen}")

    def activate(self, name, key=Keys.ENTER):
        self.go_to(name)
        self.press(key)

    def is_at(self, name):
        self.browser.wait(
            lambda: self.place == name, f"the focus on {name!r}, and not on {self.place!r}"
        )


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


def test_whole_app_works_by_keyboard(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    browser.open()
    keys.is_at("Phone number")
    keys.press(phone_number(1), Keys.ENTER)
    keys.is_at("6-digit code")
    keys.press(CODE)
    keys.is_at("What is your name?")
    keys.go_to("Name")
    keys.press("Ana", Keys.ENTER)
    keys.is_at("What should your responders know?")
    keys.activate("Continue")
    keys.is_at("How do you want to check in?")
    # The browser's clock is UTC, which is no place's time zone, so the form suggests an interval.
    keys.go_to("Every 24 hours")
    keys.press(Keys.ARROW_DOWN)
    keys.activate("Continue")
    keys.is_at("When do you want to be reminded?")
    keys.go_to("2 hours before")
    keys.press(Keys.SPACE)
    keys.activate("Continue")
    keys.is_at("Your first check-in")
    keys.activate("Check in", Keys.SPACE)
    keys.is_at("Who should we tell?")
    keys.activate("Later")
    browser.see("Call for help")
    browser.see("Every 48 hours · reminders 30 min before")

    keys.activate("Check in")
    browser.see("Checked in at")
    keys.is_at("Check in")
    keys.go_to("Alert")
    for _ in range(4):
        keys.press(Keys.SPACE)
    keys.is_at("Alert is on")
    keys.go_to("I am safe: hold to end")
    hold = ActionChains(browser.driver)
    hold.key_down(Keys.SPACE).perform()
    browser.miss("Alert is on")
    ActionChains(browser.driver).key_up(Keys.SPACE).perform()
    browser.see("Call for help")
    keys.activate("Your alerts")
    browser.see("Ended after")
    assert browser.complaints() == []


def test_short_key_press_keeps_alert_and_question_ends_it(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    api.sign_in(server, phone_number(1), "Ana").put(f"/v1/alerts/{api.new_id()}")
    keys.is_at("Alert is on")
    keys.go_to("I am safe: hold to end")
    keys.press(Keys.ENTER)
    browser.miss("Ending the alert")
    browser.see("Alert is on")
    keys.activate("End it without holding")
    browser.find("[role=alertdialog]")
    keys.activate("I am safe, end it")
    browser.miss("Alert is on")


def test_responder_answer_keeps_focus_and_unfolded_steps(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    ana, ben = (
        api.sign_in(server, phone_number(1), "Ana"),
        api.sign_in(server, phone_number(2), "Ben"),
    )
    watch_over(ben, ana)
    alert = api.new_id()
    ana.put(f"/v1/alerts/{alert}")
    keys.is_at("Alert is on")
    keys.activate("Step by step")
    browser.see("Alert raised by hand")
    browser.run("document.querySelector('[aria-labelledby=told-title] button').focus()")
    keys.is_at("Refresh")
    ben.post(f"/v1/alerts/{alert}/acknowledgement")
    browser.see("Ben took it on")
    keys.is_at("Refresh")
    assert browser.find("[aria-labelledby=told-title] details").get_attribute("open")


def test_tabs_and_skip_link_work_by_keyboard(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    browser.open()
    keys.press(Keys.TAB)
    keys.is_at("Skip to content")
    keys.press(Keys.ENTER, Keys.TAB)
    keys.is_at("Check in")
    assert browser.run("return location.hash") == "#content"
    for tab in ("Responders", "I watch over", "Profile", "Home"):
        browser.open(browser.path)
        keys.activate(tab)
        browser.wait(lambda: tab in browser.find("h1").text, tab)
        assert browser.find("[aria-current=page]").text == tab
        keys.is_at(tab)


def stops(browser):
    """Returns the elements in the order of Tab, up to the first repetition."""
    keys, order = Keyboard(browser), []
    browser.run("document.activeElement.blur()")
    for _ in range(80):
        keys.press(Keys.TAB)
        what = browser.run(
            "return document.activeElement === document.body ? '' : "
            "document.activeElement.outerHTML"
        )
        if not what or order and what == order[0]:
            return order
        order.append(what)
    raise AssertionError("Tab never comes round")


@pytest.mark.parametrize(
    "path", ["/", "/responders", "/dependents", "/profile", "/settings", "/notifications"]
)
def test_tab_key_reaches_every_control(path, server, make_browser):
    browser = make_browser(server)
    sign_in(browser, phone_number(1), "Ana")
    browser.open(path)
    expected = browser.run("""
        // Among radio buttons, Tab reaches only the chosen one.
        return [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
            .filter((it) => it.checkVisibility() && !it.disabled)
            .filter((it) => it.type !== "radio" || it.checked).length""")
    assert len(stops(browser)) == expected


SHEETS = [
    ("/", "Schedule", "Cancel"),
    ("/", "Your code", "Close"),
    ("/responders", "Add a responder", "Cancel"),
    ("/dependents", "Add someone to watch over", "Cancel"),
    ("/responders", "Ben: details", "Close"),
    ("/profile", "Edit name and note", "Cancel"),
    ("/profile", "Change phone number", "Cancel"),
    ("/profile", "E-mail", "Close"),
    ("/profile", "My QR code", "Close"),
    ("/profile", "Sign out", "Stay signed in"),
    ("/settings", "Delete account", "Keep my account"),
]


def test_closing_a_sheet_restores_focus(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    ana, ben = (
        api.sign_in(server, phone_number(1), "Ana"),
        api.sign_in(server, phone_number(2), "Ben"),
    )
    code = ana.get("/v1/me/qr-code")["payload"]
    ben.post("/v1/contacts", {"code": code, "isResponder": False, "isDependent": True})
    for path, opener, closer in SHEETS:
        browser.open(path)
        for leave in (lambda: keys.press(Keys.ESCAPE), lambda: keys.activate(closer)):
            keys.activate(opener)
            browser.find("dialog[open]")
            browser.wait(
                lambda: browser.run(
                    "return document.querySelector('dialog[open]').contains(document.activeElement)"
                ),
                f"the focus in {opener!r}",
            )
            leave()
            browser.wait(lambda: not browser.all("dialog[open]"), f"the end of {opener!r}")
            keys.is_at(opener)


def test_closing_a_question_restores_focus_to_sheet(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    watch_over(
        api.sign_in(server, phone_number(2), "Ben"), api.sign_in(server, phone_number(1), "Ana")
    )
    browser.open("/responders")
    keys.activate("Ben: details")
    keys.activate("Remove contact")
    browser.find("[role=alertdialog]")
    keys.press(Keys.ESCAPE)
    keys.is_at("Remove contact")
    keys.press(Keys.ESCAPE)
    keys.is_at("Ben: details")


@pytest.mark.parametrize(
    "path, way, title",
    [
        ("/settings", ["Delete account"], "Delete your account?"),
        ("/responders", ["Ben: details", "Block Ben"], "Block Ben?"),
        ("/profile", ["Sign out"], "Sign out?"),
    ],
)
def test_second_enter_answers_no_question(path, way, title, server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    ana = api.sign_in(server, phone_number(1), "Ana")
    watch_over(api.sign_in(server, phone_number(2), "Ben"), ana)
    browser.open(path)
    for name in way:
        keys.activate(name)
    keys.is_at(title)
    keys.press(Keys.ENTER)
    keys.press(Keys.SPACE)
    keys.press(Keys.TAB)
    keys.is_at(browser.find("dialog.question:modal button").text)
    assert ana.get("/v1/contacts")["items"]
    keys.press(Keys.ESCAPE)
    keys.is_at(way[-1])


def test_end_question_keeps_its_button_in_focus(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    api.sign_in(server, phone_number(1), "Ana").put(f"/v1/alerts/{api.new_id()}")
    keys.is_at("Alert is on")
    keys.activate("End it without holding")
    keys.is_at("I am safe, end it")


def has_focus(browser, selector):
    browser.wait(
        lambda: browser.run("return document.activeElement.matches(arguments[0])", selector),
        f"the focus on {selector}",
    )


def test_focus_stays_in_a_sheet_whose_form_is_replaced(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    browser.open("/profile")
    keys.activate("Change phone number")
    keys.go_to("New phone number")
    keys.press(phone_number(2), Keys.ENTER)
    keys.is_at("6-digit code")
    keys.press(Keys.ESCAPE)
    keys.is_at("Change phone number")

    keys.activate("E-mail")
    keys.go_to("E-mail address")
    keys.press("ana@example.org", Keys.ENTER)
    keys.is_at("6-digit code")
    keys.activate("Use another address")
    has_focus(browser, "dialog[open] h2")
    keys.go_to("E-mail address")
    browser.run("document.activeElement.select()")
    keys.press("ana@example.com", Keys.ENTER)
    keys.is_at("6-digit code")
    sent = lambda: re.search(r"e-mail to ana@example\.com: (\d{6})", server.output())
    keys.press(browser.wait(sent, "the code")[1])
    browser.see("Alerts come to ana@example.com.")
    has_focus(browser, "dialog[open] h2")
    keys.activate("Remove")
    browser.field("E-mail address")
    has_focus(browser, "dialog[open] h2")
    keys.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the sheet")
    has_focus(browser, "main button")


def test_focus_stays_near_what_has_gone(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    watch_over(
        api.sign_in(server, phone_number(2), "Ben"), api.sign_in(server, phone_number(1), "Ana")
    )
    browser.open("/settings")
    keys.activate("Export my data")
    browser.button("Save the file")
    has_focus(browser, "section h2")
    keys.go_to("Save the file", limit=2)

    browser.open("/responders")
    keys.activate("Ben: details")
    keys.activate("Remove contact")
    keys.activate("Remove and tell them")
    browser.wait(lambda: not browser.all("dialog[open]"), "the end of the sheet")
    has_focus(browser, "main h1, main h2")


def test_announcements_of_a_sheet_are_inside_it(server, make_browser):
    browser = make_browser(server)
    keys = Keyboard(browser)
    sign_in(browser, phone_number(1), "Ana")
    browser.open("/profile")
    keys.activate("My QR code")
    browser.find("img.qr")
    keys.activate("Share")
    browser.find("dialog #polite:not(:empty)")
