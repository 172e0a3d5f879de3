"""The bars at the edge of a low screen, with large letters."""

import pytest

from support.people import enter, make_member
from support.program import phone_number

# The share of the screen that the tabs and the alert bar cover, once the page is scrolled.
COVERED = """
scrollTo(0, document.body.scrollHeight);
const bars = [...document.querySelectorAll(".tabs, .alert-bar")];
const shown = bars.map((bar) => bar.getBoundingClientRect()).map(({ top, bottom }) =>
  Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)));
return [bars.length, shown.reduce((sum, height) => sum + height, 0) / innerHeight];
"""


@pytest.fixture
def browser(make_server, make_browser):
    server = make_server().start()
    make_member(server, phone_number(0), "Ana")
    return enter(make_browser(server), phone_number(0))


def test_the_bars_leave_room_for_the_page(browser):
    def covers_less_than(share):
        bars, covered = browser.run(COVERED)
        return bars == 2 and covered < share

    with browser.screen(360, 640):
        browser.wait(lambda: covers_less_than(0.3), "two low bars")
        with browser.letters(200):
            browser.wait(lambda: covers_less_than(0.4), "room for the page")
            # The alert is within reach wherever the page is.
            bar = browser.find(".alert-button").rect
            scrolled = browser.run("return scrollY")
            assert bar["y"] + bar["height"] <= scrolled + 640
        browser.wait(lambda: covers_less_than(0.3), "the low bars again")
        tabs = "return getComputedStyle(document.querySelector('.tabs')).position"
        browser.wait(lambda: browser.run(tabs) == "fixed", "tabs that stay")


LABEL = "return parseFloat(getComputedStyle(document.querySelector('.tabs a span')).fontSize)"


def test_the_labels_of_the_tabs_grow_with_the_letters_and_stay_legible(browser):
    with browser.screen(360, 640):
        usual = browser.run(LABEL)
        assert usual >= 12
        with browser.letters(200):
            browser.wait(lambda: browser.run(LABEL) == 2 * usual, "labels twice as large")
    with browser.screen(180, 640):
        assert browser.run(LABEL) >= 12
