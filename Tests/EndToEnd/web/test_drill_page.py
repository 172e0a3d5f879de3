"""A drill: started, answered and followed by keyboard, and announced to screen readers."""

from selenium.webdriver.common.keys import Keys
from support.api import watch_over
from support.people import come_back, press_in_question
from support.program import phone_number


def test_drill_is_started_answered_and_followed(server, make_browser):
    ana, ben = make_browser(server), make_browser(server)
    ana.device = come_back(server, ana, phone_number(1), "Ana")
    ben.device = come_back(server, ben, phone_number(2), "Ben")
    watch_over(ben.device, ana.device)
    ben.open("/")
    ana.open("/responders")
    ana.see("Would they hear you?")
    ana.button("Start a drill").send_keys(Keys.ENTER)
    ana.see("Start a drill?")
    ana.see("clearly marked as a drill")
    assert ana.serious_findings() == []
    press_in_question(ana, "Start the drill")
    ana.see("The drill is running. 0 of 1 have answered.")
    ana.see("not yet")
    assert ana.serious_findings() == []
    ben.see("This is a drill by Ana")
    ben.see("Ana does not need help.")
    assert ben.serious_findings() == []
    ben.button("Got it: answer the drill by Ana").send_keys(Keys.SPACE)
    ana.see("Got it, in LifeSignal, after")
    ana.see("Everyone has answered. The drill is over.")
    news = ana.find("section[aria-labelledby=drill-title] [role=status]")
    assert "1 of 1 has answered." in news.get_attribute("textContent")
    ana.see("You can start the next one")
    assert ana.button("Start a drill").get_attribute("aria-disabled") == "true"
    ana.open("/responders")
    ana.see("Got it, in LifeSignal, after")
    ben.wait(lambda: "This is a drill by Ana" not in ben.text, "the end of the question")
    assert ana.serious_findings() == [] and ben.serious_findings() == []
    assert ana.complaints() == [] and ben.complaints() == []


def test_drill_can_be_stopped_in_browser(server, make_browser):
    ana = make_browser(server)
    ana.device = come_back(server, ana, phone_number(1), "Ana")
    ben = make_browser(server)
    ben.device = come_back(server, ben, phone_number(2), "Ben")
    watch_over(ben.device, ana.device)
    ana.open("/responders")
    ana.press("Start a drill")
    press_in_question(ana, "Not now")
    ana.press("Start a drill")
    press_in_question(ana, "Start the drill")
    ana.see("The drill is running.")
    ana.press("Stop the drill")
    ana.see("You have stopped the drill.")
    ana.see("no answer")
    assert ana.complaints() == []
