"""Times in the zone of the browser, and the emergency number of where a phone is registered."""

import pytest

from support import api
from support.people import enter, known
from support.program import phone_number

ANA, BEN = phone_number(0), phone_number(1)


@pytest.fixture
def server(make_server):
    return make_server().start()


def bodies(member):
    return [item["body"] for item in member.get("/v1/notifications")["items"]]


def test_messages_give_times_in_the_zone_of_the_browser(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    browser = make_browser(server)
    # Chromium reports it by its old name.
    zone = "Asia/Katmandu"
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
    enter(browser, BEN)
    browser.wait(lambda: ben.get("/v1/me/export").get("timeZone") == zone, "the zone")
    ana.put(f"/v1/alerts/{api.new_id()}")
    assert "UTC+5:45." in bodies(ben)[0]
    browser.open("/notifications").see("UTC+5:45.")


def test_an_alert_shows_the_emergency_number_with_a_call(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    alert = ana.put(f"/v1/alerts/{api.new_id()}")
    assert bodies(ben)[0].endswith("Emergency number where Ana's phone is registered: 911.")
    responder = enter(make_browser(server), BEN)
    responder.press("See Ana’s alert")
    responder.see("Emergency number where Ana’s phone is registered: 911.")
    responder.see("In another country, call the number used there, and say where Ana is.")
    link = responder.find("dialog a[href='tel:911']")
    assert link.get_attribute("aria-label") == "Call the emergency number 911"
    assert responder.serious_findings() == []

    owner = enter(make_browser(server), ANA)
    owner.see("Emergency number where your phone is registered: 911.")
    assert owner.find(".alert-screen a[href='tel:911']").text == "Call 911"
    assert owner.serious_findings() == []

    ana.post(f"/v1/alerts/{alert['id']}/end")
    responder.see("Ana’s alert has ended")
    responder.miss("Emergency number")
    assert responder.complaints() == [] and owner.complaints() == []
