"""The browser has an unsent alert of a session that another device has ended."""

import pytest

from support.people import enter, make_member
from support.program import phone_number

ANA = phone_number(0)

KEPT = """
localStorage.queue = JSON.stringify([{
  user: arguments[0], kind: "alert", id: crypto.randomUUID(), view: "gone", n: 1,
  at: new Date(Date.now() - 600000).toISOString(),
}]);
"""

# Answers the question. Returns the length of the browser's queue before any round trip can end.
ANSWER = """
const buttons = [...document.querySelectorAll("dialog.question button")];
buttons.find((it) => it.innerText === arguments[0]).click();
return JSON.parse(localStorage.queue).length;
"""


@pytest.fixture
def ana(make_server):
    return make_member(make_server().start(), ANA, "Ana")


@pytest.fixture
def page(ana, make_browser):
    page = make_browser(ana.server).open()
    page.run(KEPT, ana.id)
    enter(page, ANA)
    page.see("Your alert was not sent")
    page.see("10 minutes ago")
    return page


def alerts(ana):
    return list(ana.pages("/v1/alerts"))


def test_old_unsent_alert_asks_before_sending(ana, page):
    assert alerts(ana) == []
    page.see("Without an answer it is sent in")
    assert page.serious_findings() == []
    page.press("Send it now")
    page.wait(lambda: len(alerts(ana)) == 1, "the alert on the server")
    page.miss("Your alert was not sent")
    page.wait(lambda: page.run("return localStorage.queue") == "[]", "an empty queue")
    assert len(alerts(ana)) == 1


@pytest.mark.parametrize(("answer", "left"), [("Send it now", 1), ("Don’t send it", 0)])
def test_declined_alert_leaves_browser_with_the_press(page, answer, left):
    assert page.run(ANSWER, answer) == left
    page.miss("Your alert was not sent")
    page.wait(lambda: page.run("return localStorage.queue") == "[]", "an empty queue")


@pytest.mark.parametrize(("answer", "count"), [("Send it now", 1), ("Don’t send it", 0)])
def test_answer_while_offline_is_sent_when_back(ana, page, answer, count):
    page.cut_line()
    page.see("You are offline.")
    page.press(answer)
    page.see("Waiting to be sent")
    page.wait(lambda: not page.all("dialog[open]"), "the end of the question")
    assert page.run("return JSON.parse(localStorage.queue).length") == 1
    assert alerts(ana) == []
    page.cut_line(False)
    page.wait(lambda: page.run("return localStorage.queue") == "[]", "an empty queue")
    page.wait(lambda: len(alerts(ana)) == count, "the answer on the server")
    assert not page.all("dialog[open]")


def test_declined_unsent_alert_is_not_sent(ana, page):
    page.press("Don’t send it")
    page.miss("Your alert was not sent")
    page.wait(lambda: page.run("return localStorage.queue") == "[]", "an empty queue")
    assert alerts(ana) == []
    assert not page.all("#calling"), "nobody was told that an alert is on"
