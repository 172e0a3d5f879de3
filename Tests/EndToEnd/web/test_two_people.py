"""Two users at once, each in their own browser, by mouse: the story of `lifesignal demo`."""

import pytest
from selenium.webdriver import ActionChains

from support.browser import DESKTOP
from support.people import sign_in
from support.program import phone_number


@pytest.mark.kinds("chromium", "webkit")
def test_ana_calls_for_help_and_ben_acknowledges(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    ana, ben = make_browser(server), make_browser(server, size=DESKTOP)
    sign_in(ana, phone_number(1), "Ana")
    sign_in(ben, phone_number(2), "Ben")

    # Ben opens the link that Ana shows, and becomes her responder.
    ana.open("/profile")
    ana.press("My QR code")
    link = ana.find("[data-share]").get_attribute("data-share")
    ben.open("/add/" + link.rsplit("/", 1)[1])
    ben.see("Ana")
    # A user who shows a code asks for a responder, so the first field isn't selected.
    assert not ben.field("My responder: is told when I need help").is_selected()
    assert ben.field("I watch over them: I am told when they need help").is_selected()
    ben.press("Add Ana")
    ben.see("The contact was added")

    # Ben pings Ana. Her page shows it without a reload, and she answers.
    ben.press("Ping Ana")
    ana.open("/responders")
    ana.press("I’m fine: answer Ben")
    ben.button("Ping Ana")

    # Ana presses four times: all of Ben's screens show the alert without a reload.
    ana.open("/")
    for _ in range(4):
        ana.press("Alert")
    ana.wait(lambda: ana.all(".alert-screen"), "the screen of the alert")
    ben.press("See Ana’s alert")
    ben.press("I’m on it")
    ben.see("Allergic to nuts.")
    ana.see("Ben is on it")
    assert ana.find(".alert-screen .banner a").get_attribute("href") == f"tel:{phone_number(2)}"
    ana.see("Call a responder")
    assert ana.serious_findings() == []

    # Ana is safe: she holds the button until the alert ends, and Ben's page shows that it has
    # ended.
    hold = ActionChains(ana.driver).click_and_hold(ana.button("I am safe: hold to end"))
    hold.perform()
    ana.wait(lambda: not ana.all(".alert-screen"), "the end of the alert")
    ActionChains(ana.driver).release().perform()
    ben.miss("1 person needs you now")
    assert ana.complaints() == [] and ben.complaints() == []


def test_markup_in_a_name_stays_text(make_server, make_browser):
    server = make_server().start()
    browser = make_browser(server)
    sign_in(browser, phone_number(3), "<script>alert(1)</script><b>x</b>")
    browser.open("/profile")
    browser.see("<script>alert(1)</script><b>x</b>")
    assert browser.complaints() == []


def test_session_survives_server_restart(make_server, make_browser):
    server = make_server().start()
    browser = make_browser(server)
    sign_in(browser, phone_number(4), "Cleo")
    port = server.port
    server.kill()
    server.arguments = (*server.arguments, "--port", str(port))
    server.start()
    browser.open("/profile")
    browser.see("Cleo")
