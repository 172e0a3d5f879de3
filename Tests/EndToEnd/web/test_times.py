import re

import pytest
from support.people import enter, make_member
from support.program import phone_number

HOUR = """
    const [time] = document.querySelectorAll("time[data-when]");
    return [time.textContent, new Date(time.dateTime)
        .toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })];
"""
MANY_TIMES = """
    window.formats = 0;
    Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (format, options) => (window.formats += 1) && new format(...options),
    });
    const [time] = document.querySelectorAll("time[data-when]");
    for (let day = 0; day < 200; day += 1) {
      const other = time.cloneNode();
      other.dateTime = new Date(Date.parse(time.dateTime) - day * 86400000).toISOString();
      other.className = "added";
      document.body.append(other);
    }
"""
MADE_FOR_THEM = """
    return [...document.querySelectorAll(".added")].every((it) => it.textContent)
        && window.formats;
"""

TIMES_AROUND_NOW = """
    const [time] = document.querySelectorAll("time[data-when]");
    for (const hours of arguments[0]) {
      const other = time.cloneNode();
      other.dateTime = new Date(Date.now() + hours * 3600000).toISOString();
      other.className = "added";
      document.body.append(other);
    }
"""
LANGUAGE = """
    Object.defineProperty(navigator, "language", { get: () => "%s" });
"""
TEXT_OF_THEM = """
    return [...document.querySelectorAll(".added")].map((it) => it.textContent).join("\\n");
"""
WORDS_OF_THEM = """
    return [...document.querySelectorAll(".added")].map((it) => it.textContent.split(" · ")[0]);
"""


def open_page(server, make_browser):
    make_member(server, phone_number(0), "Ana")
    browser = enter(make_browser(server), phone_number(0))
    browser.find("time[data-when]")
    return browser


def test_times_follow_device_into_another_zone(server, make_browser):
    browser = open_page(server, make_browser)
    seen = set()
    for zone in ("Asia/Tokyo", "America/New_York"):
        browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})

        def shown():
            text, hour = browser.run(HOUR)
            return hour if hour in text else None

        seen.add(browser.wait(shown, f"a time in {zone}"))
    assert len(seen) == 2


def test_each_time_format_is_made_once(server, make_browser):
    """A page with hundreds of times would stay busy if it made a new format for each time every
    second."""
    browser = open_page(server, make_browser)
    browser.run(MANY_TIMES)
    assert browser.wait(lambda: browser.run(MADE_FOR_THEM), "words of all times") <= 12


def test_whole_days_are_numbers(server, make_browser):
    """A time 47 hours ago is mostly of the day before yesterday."""
    browser = open_page(server, make_browser)
    browser.run(TIMES_AROUND_NOW, [-48.5, -47, -23.5, 23.5, 47, 48.5])
    words = ["2 days ago", "1 day ago", "23 hours ago", "in 23 hours", "in 1 day", "in 2 days"]
    browser.wait(lambda: browser.run(WORDS_OF_THEM) == words, "numbers of days")


@pytest.mark.parametrize(
    "language, date, hour",
    [
        ("fa-IR", "[0-9]{1,2} [A-Z][a-z]+ 20[0-9]{2}", "[0-2][0-9]:[0-5][0-9]"),
        ("en-US", "[A-Z][a-z]{2} [0-9]{1,2}, 20[0-9]{2}", r"1?[0-9]:[0-5][0-9]\s[AP]M"),
    ],
)
def test_times_are_in_english(server, make_browser, language, date, hour):
    """The pages are in English. A Persian date has other words, digits and years."""
    browser = make_browser(server)
    for command, options in (
        ("Emulation.setLocaleOverride", {"locale": language}),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": LANGUAGE % language}),
    ):
        browser.driver.execute_cdp_cmd(command, options)
    make_member(server, phone_number(0), "Ana")
    enter(browser, phone_number(0)).find("time[data-when]")
    browser.run(TIMES_AROUND_NOW, [72.5, 240.5])
    pattern = f"in 3 days · [A-Z][a-z]{{2}},? {hour}\nin 10 days · {date}, {hour}"
    browser.wait(lambda: re.fullmatch(pattern, browser.run(TEXT_OF_THEM)), "times in English")
