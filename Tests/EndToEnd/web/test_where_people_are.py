"""Times in the browser's time zone, and the emergency number of the phone's country."""

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


def test_messages_use_browsers_time_zone(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    browser = make_browser(server)
    # Chromium reports the time zone by its old name.
    zone = "Asia/Katmandu"
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
    enter(browser, BEN)
    browser.wait(lambda: ben.get("/v1/me/export").get("timeZone") == zone, "the zone")
    ana.put(f"/v1/alerts/{api.new_id()}")
    assert "UTC+5:45." in bodies(ben)[0]
    browser.open("/notifications").see("UTC+5:45.")


def test_times_show_contacts_time_zone_too(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    browser = make_browser(server)
    for zone, differs in (("Europe/Berlin", True), ("Asia/Tokyo", False)):
        browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
        if differs:
            enter(browser, BEN, "/dependents").see("Last check-in")
            assert "for them)" not in browser.text
            # The open page learns the zone.
            ana.get("/v1/me", headers={"X-LifeSignal-Time-Zone": "Asia/Tokyo"})
            browser.see("for them)")
        browser.open("/dependents").see("Last check-in")
        browser.wait(lambda: ("for them)" in browser.text) == differs, f"times in {zone}")
    assert browser.complaints() == []


def test_ended_alert_shows_its_end_in_both_zones(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana = known(server, ANA, "Ana", ben)
    ana.get("/v1/me", headers={"X-LifeSignal-Time-Zone": "Asia/Tokyo"})
    alert = ana.put(f"/v1/alerts/{api.new_id()}")
    browser = make_browser(server)
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Berlin"})
    enter(browser, BEN).press("See Ana’s alert")
    browser.press("I’m on it")
    browser.see("You are on it")
    ana.post(f"/v1/alerts/{alert['id']}/end")
    browser.see("Ana’s alert has ended")

    def times():
        return [element.text for element in browser.all("dialog time")]

    # The start, the end, the last check-in, and when Ben took it on.
    browser.wait(lambda: sum("for them)" in text for text in times()) >= 4, "times in both zones")
    assert browser.complaints() == []


def test_alert_shows_emergency_number_with_call_link(server, make_browser):
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
