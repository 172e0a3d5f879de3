"""Another device ends a session while its page is open and has an unsent alert."""

import json

import pytest

from support.api import watch_over
from support.people import end_sessions, enter, make_member
from support.program import phone_number

WORDS = "Your alert was NOT SENT. Sign in to send it, or phone someone now."
# From now on, only requests for the queue get no answer.
KEEP_UNSENT = """
    const fetched = window.fetch;
    const answer = (path, ...rest) => path === "/web/queue"
      ? Promise.reject() : fetched(path, ...rest);
    window.fetch = answer;
    for (let count = 0; count < 4; count += 1) document.querySelector(".alert-button").click();
"""
IN_SIGHT = """
    const { top, bottom } = arguments[0].getBoundingClientRect();
    const banner = document.querySelector("#connection").getBoundingClientRect();
    return top >= banner.bottom && bottom <= innerHeight;
"""


def people(browser):
    return json.loads(browser.run("return localStorage.people || '[]'"))


@pytest.fixture
def members(server):
    ana, ben = (make_member(server, phone_number(i), name) for i, name in enumerate(("Ana", "Ben")))
    watch_over(ben, ana)
    return ana, ben


@pytest.fixture
def browser(server, members, make_browser):
    browser = enter(make_browser(server, size=(360, 640)), phone_number(0))
    browser.wait(lambda: len(people(browser)) == 2, "the numbers")
    return browser


@pytest.fixture
def left(browser, members):
    browser.run(KEEP_UNSENT)
    browser.see("NOT SENT: phone someone now")
    end_sessions(members[0])
    browser.field("Phone number")
    return browser


def test_unsent_alert_is_shown_at_once_with_numbers(left):
    # The page reacts well before its connection's next heartbeat, which comes every 15 seconds.
    left.see(WORDS, 3)
    left.see(f"Call Ben · {phone_number(1)}", 1)
    assert left.find("#connection").get_attribute("role") == "alert"
    left.wait(lambda: left.run(IN_SIGHT, left.find("#numbers a")), "the number in sight", 3)
    assert not left.all("#calling")
    assert left.serious_findings() == []


def test_numbers_stay_for_the_same_user(left):
    left.see(WORDS, 3)
    left.open()
    left.see(f"Call Ben · {phone_number(1)}", 10)
    enter(left, phone_number(0), path=None)
    left.find(".alert-screen")
    numbers = [["Ben", f"tel:{phone_number(1)}"], ["emergency services", "tel:911"]]
    left.wait(lambda: people(left) == numbers, "the numbers")


def test_numbers_are_deleted_for_another_user(left, server):
    make_member(server, phone_number(2), "Cleo")
    left.see(WORDS, 3)
    enter(left, phone_number(2), path=None)
    left.wait(lambda: all(name != "Ben" for name, _ in people(left)), "no number of Ben's")
    assert phone_number(1) not in left.text


def test_numbers_are_deleted_without_unsent_alert(browser, members):
    end_sessions(members[0])
    browser.field("Phone number")
    browser.wait(lambda: people(browser) == [], "no numbers")
    assert "NOT SENT" not in browser.text
