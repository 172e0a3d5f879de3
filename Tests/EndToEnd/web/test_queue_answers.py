"""The announcements about the browser's queue: one when it was sent or refused, and none while it
waits."""

import json

import pytest

from support.api import new_id, timestamp
from support.people import enter, make_member
from support.program import phone_number

ID = "11111111-1111-4111-8111-111111111111"
ITEM = {"kind": "checkIn", "id": ID, "view": "gone", "n": 1, "at": "2026-03-01T12:00:00.000Z"}
REASON = "The time of this check-in can’t be right."

# Replaces the server's answers to the queue, and records every announcement. All tries of the
# queue are answered together.
ANSWER = """
    const [report, item, tries] = arguments, fetched = window.fetch;
    const { promise: allTries, resolve } = Promise.withResolvers();
    window.heard = [];
    for (const place of document.querySelectorAll("#polite, #assertive")) {
      const note = () => place.textContent && heard.push([place.id, place.textContent]);
      new MutationObserver(note).observe(place, { childList: true });
    }
    window.fetch = async (path, ...rest) => {
      if (path !== "/web/queue") return fetched(path, ...rest);
      window.asked = (window.asked ?? 0) + 1;
      if (asked >= tries) resolve();
      await allTries;
      return new Response(report, { status: report ? 200 : 503 });
    };
    localStorage.queue = JSON.stringify([{ user: localStorage.user, ...item }]);
    for (let left = tries; left > 0; left -= 1) dispatchEvent(new Event("online"));
"""


# An item as `keep` of the current alert.js stores it.
STORE = """
    localStorage.queue = JSON.stringify([
      { user: localStorage.user, kind: "alert", id: arguments[0], ...arguments[1] },
    ]);
    dispatchEvent(new Event("online"));
"""


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(0), "Ana")


@pytest.fixture
def browser(server, ana, make_browser):
    return enter(make_browser(server), phone_number(0))


def answer(browser, report, tries=1, **changes):
    browser.run(ANSWER, json.dumps(report) if report else "", ITEM | changes, tries)


def heard(browser):
    return browser.run("return window.heard")


@pytest.mark.waits
def test_delivered_item_is_announced_as_sent(browser):
    answer(browser, {"delivered": [ID], "on": [], "refused": []})
    browser.wait(lambda: heard(browser) == [["polite", "Sent."]], "the word")
    assert browser.run("return localStorage.queue") == "[]"


@pytest.mark.parametrize("waits", [True, False])
def test_recent_press_is_announced_only_if_it_waited(browser, waits):
    report = {"delivered": [ID], "on": [], "refused": []}
    answer(browser, report, at=timestamp(), waits=waits)
    browser.wait(lambda: browser.run("return localStorage.queue") == "[]", "an empty queue")
    # A word about the press would be heard before this one.
    browser.run("setTimeout(() => document.querySelector('#polite').textContent = 'End', 200)")
    browser.wait(lambda: ["polite", "End"] in heard(browser), "the end")
    assert (["polite", "Sent."] in heard(browser)) == waits


@pytest.mark.parametrize("ending", ["delivered", "refused"])
def test_item_of_two_tries_is_announced_once(browser, ending):
    reports = {"delivered": [ID], "refused": [{"id": ID, "reason": REASON}]}
    empty = {"delivered": [], "on": [], "refused": []}
    answer(browser, {**empty, ending: reports[ending]}, tries=2)
    browser.wait(lambda: heard(browser), "the word")
    # A later word would be heard after this one.
    browser.run("document.querySelector('#polite').textContent = 'The end.'")
    browser.wait(lambda: heard(browser)[-1] == ["polite", "The end."], "the last word")
    assert len(heard(browser)) == 2 and browser.run("return window.asked") == 2


def test_refused_item_is_announced_with_reason(browser):
    answer(browser, {"delivered": [], "on": [], "refused": [{"id": ID, "reason": REASON}]})
    said = lambda: [word for word in heard(browser) if "not accepted" in word[1]]
    browser.wait(said, "the word")
    [[place, words]] = said()
    assert place == "assertive"
    assert words.startswith("Your check-in of ") and words.endswith(f" was not accepted. {REASON}")
    assert browser.run("return localStorage.queue") == "[]"


HIDE = """
    Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
"""


def test_refusal_in_hidden_tab_is_announced_later_and_stays(browser):
    browser.run(HIDE, True)
    answer(browser, {"delivered": [], "on": [], "refused": [{"id": ID, "reason": REASON}]})
    said = lambda: [word for word in heard(browser) if "not accepted" in word[1]]
    browser.wait(said, "the word")
    browser.run("document.querySelector('#assertive').textContent = ''")
    browser.run(HIDE, False)
    browser.wait(lambda: len(said()) == 2, "the word again")
    assert REASON in browser.find("#refused").text
    browser.press("Hide this message")
    browser.wait(lambda: not browser.find("#refused").is_displayed(), "the end of the message")
    assert browser.focused == "Home"


def test_refusal_stays_after_reload_until_hidden(browser):
    answer(browser, {"delivered": [], "on": [], "refused": [{"id": ID, "reason": REASON}]})
    browser.wait(lambda: REASON in browser.find("#refused").text, "the message")
    browser.open()
    browser.wait(lambda: REASON in browser.find("#refused").text, "the message again")
    browser.press("Hide this message")
    browser.wait(lambda: not browser.find("#refused").is_displayed(), "the end of the message")
    assert browser.run("return localStorage.refused") is None
    browser.open()
    browser.see("Last check-in")
    assert not browser.find("#refused").is_displayed()


OTHER_TAB = """
    const { user } = document.documentElement.dataset;
    localStorage.refused = JSON.stringify([{ user, text: "Of another tab." }]);
"""


def test_refusal_of_another_tab_is_kept_until_hidden(browser):
    browser.run(OTHER_TAB)
    answer(browser, {"delivered": [], "on": [], "refused": [{"id": ID, "reason": REASON}]})
    shown = lambda: browser.find("#refused").text
    browser.wait(lambda: REASON in shown(), "the message")
    browser.open()
    browser.wait(lambda: REASON in shown() and "Of another tab." in shown(), "both messages")
    browser.press("Hide this message")
    browser.wait(lambda: browser.run("return localStorage.refused") is None, "the end of both")


@pytest.mark.parametrize("report", [None, {"delivered": [], "on": [], "refused": []}])
def test_waiting_item_is_not_announced(browser, report):
    answer(browser, report)
    browser.wait(lambda: browser.run("return window.asked > 0"), "a try")
    browser.see("1 waiting to be sent")
    assert heard(browser) == [] and ID in browser.run("return localStorage.queue")


def is_on(ana, alert):
    return ana.get(f"/v1/alerts/{alert}")["isActive"]


def see_it_delivered(browser):
    browser.wait(lambda: browser.run("return localStorage.queue") == "[]", "an empty queue", 60)


def test_stored_alert_is_raised(ana, browser):
    alert = new_id()
    browser.run(STORE, alert, {"at": timestamp()})
    see_it_delivered(browser)
    assert is_on(ana, alert) is True


def test_stored_ended_alert_is_raised_and_ended(ana, browser):
    alert, now = new_id(), timestamp()
    browser.run(STORE, alert, {"at": now, "ended": now})
    see_it_delivered(browser)
    assert is_on(ana, alert) is False


def test_stored_end_of_open_alert_is_delivered(ana, browser):
    alert, now = new_id(), timestamp()
    ana.put(f"/v1/alerts/{alert}")
    browser.run(STORE, alert, {"at": now, "ended": now, "isKnown": True})
    see_it_delivered(browser)
    assert is_on(ana, alert) is False


# Another page of this browser shows another person.
PRESS_UNSENT = """
    localStorage.user = arguments[0];
    window.fetch = () => Promise.reject();
    document.querySelector("[data-offline=checkIn]").click();
    return [document.documentElement.dataset.user, JSON.parse(localStorage.queue)[0].user];
"""


def test_check_in_is_stored_for_the_user_of_its_page(browser):
    browser.button("Check in")
    shown, stored = browser.run(PRESS_UNSENT, new_id())
    assert shown and stored == shown
