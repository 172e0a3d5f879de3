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


def test_declined_unsent_alert_is_not_sent(ana, page):
    page.press("Don’t send it")
    page.miss("Your alert was not sent")
    page.wait(lambda: page.run("return localStorage.queue") == "[]", "an empty queue")
    assert alerts(ana) == []
    assert not page.all("#calling"), "nobody was told that an alert is on"
