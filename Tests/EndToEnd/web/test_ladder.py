"""The order of calls, the effect of opening an alert, and the ledger step by step."""

from selenium.webdriver.common.keys import Keys
from support.api import new_id, watch_over
from support.people import come_back, enter, known, make_member
from support.program import phone_number

ANA = phone_number(0)


def order(browser):
    return [
        item.text.split("\n")[0] for item in browser.all("section[aria-labelledby=order-title] li")
    ]


def test_call_order_is_changed_by_keyboard(make_server, make_browser):
    server = make_server().start()
    ana_api = known(server, ANA, "Ana")
    for index, name in enumerate(["Ben", "Cleo", "Dora"], start=1):
        watch_over(known(server, phone_number(index), name), ana_api)
    ana = enter(make_browser(server), ANA, "/responders")
    ana.see("Who is called first")
    ana.wait(lambda: order(ana) == ["1. Ben", "2. Cleo", "3. Dora"], "the oldest first")
    assert ana.button("Move Ben up").get_attribute("aria-disabled") == "true"
    assert ana.button("Move Dora down").get_attribute("aria-disabled") == "true"
    ana.button("Move Dora up").send_keys(Keys.ENTER)
    ana.wait(lambda: order(ana) == ["1. Ben", "2. Dora", "3. Cleo"], "Dora before Cleo")
    assert "Ben, Dora, Cleo" in ana.find(
        "section[aria-labelledby=order-title] [role=status]"
    ).get_attribute("textContent")
    ana.button("Move Ben down").send_keys(Keys.SPACE)
    ana.wait(lambda: order(ana) == ["1. Dora", "2. Ben", "3. Cleo"], "Ben after Dora")
    ana.open("/responders")
    ana.wait(lambda: order(ana) == ["1. Dora", "2. Ben", "3. Cleo"], "the same order")
    assert ana.serious_findings() == [] and ana.complaints() == []


def test_owner_sees_that_alert_was_opened(server, make_browser):
    ana = make_member(server, phone_number(1), "Ana")
    ben = make_browser(server)
    ben.device = come_back(server, ben, phone_number(2), "Ben")
    watch_over(ben.device, ana)
    alert = f"/v1/alerts/{new_id()}"
    ana.put(alert, {})

    def states():
        return {line["state"] for line in ana.get(alert)["ledger"] if line["name"] == "Ben"}

    ben.open("/dependents")
    ben.see("Ana has raised an alert")
    assert "seen" not in states()
    ben.press("See Ana’s alert")
    ben.wait(lambda: "seen" in states(), "the opening")
    assert ben.complaints() == []


def test_ledger_shows_each_step(server, make_browser):
    ana = make_browser(server)
    ana.device = come_back(server, ana, phone_number(1), "Ana")
    ben = make_member(server, phone_number(2), "Ben")
    watch_over(ben, ana.device)
    alert = new_id()
    ana.device.put(f"/v1/alerts/{alert}", {})
    ana.see("Alert is on")
    ben.post(f"/v1/alerts/{alert}/opening", {})
    ana.press("Refresh")
    ana.find("section[aria-labelledby=told-title] summary").send_keys(Keys.ENTER)
    ana.wait(
        lambda: any("Ben: opened it" in item.text for item in ana.all(".timeline li")), "the step"
    )
    assert ana.complaints() == []
