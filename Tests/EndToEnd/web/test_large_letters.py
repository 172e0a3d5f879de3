"""Large text on small screens: the most important content comes first, and the bars leave room for
it."""

import json

import pytest

from support.api import new_id, set_interval, watch_over
from support.looks import SCRIPT
from support.people import come_back, make_member, press_in_question
from support.program import phone_number

# The part of the screen that the tabs and the alert bar cover at the end of the page.
COVERED = """
scrollTo(0, document.body.scrollHeight);
const bars = [...document.querySelectorAll(".tabs, .alert-bar")];
const shown = bars.map((bar) => bar.getBoundingClientRect()).map(({ top, bottom }) =>
  Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)));
return [bars.length, shown.reduce((sum, height) => sum + height, 0) / innerHeight];
"""
# Whether the whole check-in button is visible without scrolling and not covered by anything.
IN_SIGHT = """
scrollTo(0, 0);
const button = document.querySelector(".check-in-button");
const { left, top, right, bottom, width, height } = button.getBoundingClientRect();
const points = [[left + width / 2, top + 2], [left + width / 2, bottom - 2],
  [left + 2, top + height / 2], [right - 2, top + height / 2]];
const isSeen = ([x, y]) => button.contains(document.elementFromPoint(x, y));
return [height >= 44 && points.every(isSeen), Math.round(top), Math.round(bottom)];
"""
PHONES = [(320, 568), (360, 640), (360, 740), (412, 915)]
OTHERS = [(740, 360), (768, 1024), (1280, 800)]


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def browser(make_browser, server):
    return make_browser(server)


@pytest.fixture
def ana(server, browser):
    return come_back(server, browser, phone_number(0), "Ana")


def usual(server, browser, ana):
    pass


def offline(server, browser, ana):
    # Ben is a contact with a number. The page offers to call him while it is offline.
    watch_over(make_member(server, phone_number(1), "Ben"), ana)
    browser.open().see("Ben")
    browser.cut_line()
    browser.see("You are offline")


def late(server, browser, ana):
    set_interval(ana, 1)
    browser.see("You missed your check-in")


def in_demand(server, browser, ana):
    """Makes one contact raise an alert, and another send a ping."""
    ben = make_member(server, phone_number(1), "Ben")
    code = ana.get("/v1/me/qr-code")["payload"]
    ben.post("/v1/contacts", {"code": code, "isResponder": True, "isDependent": True})
    ana.put(f"/v1/contacts/{ben.id}/requests/dependent")
    ben.put(f"/v1/alerts/{new_id()}")
    ben.put(f"/v1/pings/{new_id()}", {"dependentID": ana.id})
    browser.see("Ben has raised an alert")
    browser.see("asks: are you OK?")


@pytest.mark.parametrize("state", [usual, offline, late, in_demand], ids=lambda it: it.__name__)
def test_check_in_button_is_on_first_screen(state, server, browser, ana):
    state(server, browser, ana)
    for size in PHONES + (OTHERS if state in (usual, late) else []):
        with browser.screen(*size):
            for percent in (100, 200):
                with browser.letters(percent):
                    browser.wait(
                        lambda: browser.run(IN_SIGHT)[0],
                        f"the button at {size}, {percent} %; it is at {browser.run(IN_SIGHT)[1:]}",
                        5,
                    )


def test_bars_leave_room_for_page(browser, ana):
    def covers_less_than(share):
        bars, covered = browser.run(COVERED)
        return bars == 2 and covered < share

    with browser.screen(360, 640):
        browser.wait(lambda: covers_less_than(0.3), "two low bars")
        with browser.letters(200):
            browser.wait(lambda: covers_less_than(1 / 3), "room for the page")
            # The alert button stays on the screen, however far the page is scrolled.
            bar = browser.find(".alert-button").rect
            scrolled = browser.run("return scrollY")
            assert bar["y"] + bar["height"] <= scrolled + 640
        browser.wait(lambda: covers_less_than(0.3), "the low bars again")
        tabs = "return getComputedStyle(document.querySelector('.tabs')).position"
        browser.wait(lambda: browser.run(tabs) == "fixed", "tabs that stay")


# The height of a field, in the size of its letters.
HEIGHT = """
const field = document.getElementById(arguments[0]);
return field ? field.offsetHeight / parseFloat(getComputedStyle(field).fontSize) : 0;
"""


def test_date_and_hour_take_two_lines(server, browser):
    zone = {"timezoneId": "Europe/Berlin"}
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", zone)
    come_back(server, browser, phone_number(0), "Ana").check_in()
    browser.press("Pause check-ins")
    browser.field("Until")
    with browser.screen(360, 740), browser.letters(200):
        browser.wait(lambda: browser.run(HEIGHT, "pause-end") > 3, "the hour below the date")


LABEL = "return parseFloat(getComputedStyle(document.querySelector('.tabs a span')).fontSize)"


def test_tab_labels_grow_and_stay_legible(browser, ana):
    with browser.screen(360, 640):
        usual = browser.run(LABEL)
        assert usual >= 12
        with browser.letters(200):
            browser.wait(lambda: browser.run(LABEL) == 2 * usual, "labels twice as large")
    with browser.screen(180, 640):
        assert browser.run(LABEL) >= 12


# Whether the frame of an alert's page covers no label of a tab.
IS_FREE = """
const frame = parseFloat(getComputedStyle(document.body, "::after").borderLeftWidth);
const most = document.documentElement.clientWidth - frame;
const isFixed = getComputedStyle(document.querySelector(".tabs")).position === "fixed";
return frame > 0 && [...document.querySelectorAll(".tabs a > span:not(.badge)")].every((label) => {
  const { left, right, bottom } = label.getBoundingClientRect();
  return left >= frame && right <= most && (!isFixed || bottom <= innerHeight - frame);
});
"""


def test_alert_frame_leaves_tab_labels_free(browser, ana):
    ana.put(f"/v1/alerts/{new_id()}")
    browser.find(".alert-screen")
    for size in [*PHONES, (640, 360)]:
        with browser.screen(*size):
            for percent in (100, 125, 200):
                with browser.letters(percent):
                    browser.wait(
                        lambda: browser.run(IS_FREE), f"free labels at {size}, {percent} %", 5
                    )


# Whether a gap separates the frame of an alert's page from the letters of the offline banner.
IS_CLEAR = """
const frame = parseFloat(getComputedStyle(document.body, "::after").borderLeftWidth);
const range = new Range();
range.selectNodeContents(document.querySelector("#connection"));
const { left, right } = range.getBoundingClientRect();
return frame > 0 && left > frame && right < document.documentElement.clientWidth - frame;
"""


def test_alert_frame_leaves_the_banner_free(browser, ana):
    ana.put(f"/v1/alerts/{new_id()}")
    browser.find(".alert-screen")
    browser.cut_line()
    browser.see("You are offline")
    for size in PHONES:
        with browser.screen(*size), browser.letters(200):
            browser.wait(lambda: browser.run(IS_CLEAR), f"free letters at {size}", 5)


# An international number has at most 15 digits.
LONGEST = "+442071838750123"
# On how many lines the number to dial is.
LINES = """
const link = document.querySelector("#calling[open] a[href^='tel:']");
const range = new Range(), start = link.firstChild.data.indexOf(arguments[0]);
range.setStart(link.firstChild, start);
range.setEnd(link.firstChild, start + arguments[0].length);
return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
"""


def test_number_to_dial_stays_on_one_line(browser, ana):
    browser.cut_line()
    browser.see("You are offline")
    people = json.dumps([["Rosa Maria", f"tel:{LONGEST}"]])
    browser.run("localStorage.people = arguments[0]", people)
    for _ in range(4):
        browser.press("Alert")
    browser.see("NOT SENT: phone someone now")
    for size in PHONES:
        with browser.screen(*size):
            for percent in (100, 200):
                with browser.letters(percent):
                    browser.wait(
                        lambda: browser.run(LINES, LONGEST) == 1,
                        f"the number on one line at {size}, {percent} %",
                        5,
                    )


def test_report_breaks_no_name(server, browser, ana):
    name = "Margarethe Hohenstaufen"
    her = make_member(server, phone_number(1), name)
    watch_over(ana, her)
    her.put(f"/v1/alerts/{new_id()}")
    browser.press(f"See {name}’s alert")
    browser.press("I’m with them")
    press_in_question(browser, "Yes, report it")
    browser.see(f"You said that you are with {name}")

    def broken():
        return [line for line in browser.run(SCRIPT) if "is broken" in line and "You said" in line]

    for size in PHONES:
        with browser.screen(*size), browser.letters(200):
            browser.wait(lambda: broken() == [], f"whole names at {size}; {broken()}", 5)


# Whether the open sheet's title has these words, the focus, and its place on the screen.
SUBJECT = """
const title = document.querySelector("dialog[open] h2");
const { top, bottom } = title.getBoundingClientRect();
return title.textContent.includes(arguments[0]) && document.activeElement === title &&
  top >= 0 && bottom <= innerHeight;
"""


def test_other_alert_of_person_begins_at_its_title(server, browser, ana):
    name = "Annalena-Wilhelmina Featherstonehaugh"
    her = make_member(server, phone_number(1), name)
    watch_over(ana, her)
    her.put(f"/v1/alerts/{new_id()}")
    set_interval(her, 1)
    browser.wait(lambda: len(her.get("/v1/alerts?open=true")["items"]) == 2, "two alerts")

    def see_subject(words):
        browser.wait(lambda: browser.run(SUBJECT, words), f"{words!r} in sight")

    with browser.screen(360, 640), browser.letters(200):
        browser.press(f"See {name}’s alert")
        browser.press("See that alert: Missed check-in")
        see_subject("has not checked in")
        browser.press("See that alert: Alert raised by hand")
        see_subject("needs help")
        # The title stays, and so does the place.
        browser.press("I’m on it")
        browser.button("I can’t after all")
        assert browser.run("return document.querySelector('dialog[open]').scrollTop") > 0


ALARMS = "dialog[open] > .alarms"
# The share of the screen that the alarms take, whether they scroll, and their place for the
# keyboard.
TAKEN = f"""
const box = document.querySelector("{ALARMS}");
return [box.offsetHeight / innerHeight, box.scrollHeight > box.clientHeight, box.tabIndex];
"""


def test_many_alarms_leave_room_for_sheet(server, browser, ana):
    people = [make_member(server, phone_number(1 + i), f"Ben {i}") for i in range(5)]
    for person in people:
        watch_over(ana, person)
    browser.open()
    with browser.screen(360, 640), browser.letters(200):
        browser.press("Your code")
        browser.find(ALARMS)
        for person in people:
            person.put(f"/v1/alerts/{new_id()}")
        browser.wait(lambda: len(browser.all(f"{ALARMS} > *")) == 5, "five alarms")
        taken, scrolls, place = browser.run(TAKEN)
        assert taken <= 0.31 and scrolls and place == 0
        browser.press("Close")
        browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
