import pytest
from selenium.webdriver.support.select import Select

from support.api import new_id
from support.people import enter, known, press_in_question
from support.program import phone_number

ANA, BEN = phone_number(0), phone_number(1)


@pytest.fixture
def server(make_server):
    return make_server().start()


def cards(browser):
    return browser.all("li.notification")


def badge(browser):
    return next((badge.text.split()[0] for badge in browser.all(".bell .badge")), "0")


def test_filters_reading_and_deleting(server, make_browser):
    ben = known(server, BEN, "Ben")
    known(server, ANA, "Ana", ben)
    ana = enter(make_browser(server), ANA, "/notifications")
    ping(ben)
    ana.wait(lambda: len(cards(ana)) == 2, "a new contact and a ping")
    assert badge(ana) == "2" and ana.driver.title.startswith("(2) ")
    assert len(ana.all(".unread-mark")) == 2

    choose(ana, "Pings")
    ana.wait(lambda: len(cards(ana)) == 1 and "Ben" in cards(ana)[0].text, "pings only")
    choose(ana, "Check-ins")
    ana.see("Nothing of this kind")
    choose(ana, "Everything")
    ana.wait(lambda: len(cards(ana)) == 2, "everything")

    title = cards(ana)[0].find_element("css selector", "h3").text.replace("New", "", 1).strip()
    ana.press(f"Mark as read: {title}")
    ana.wait(lambda: badge(ana) == "1", "one less")
    ana.choose("Unread only")
    ana.wait(lambda: len(cards(ana)) == 1, "the unread one")
    ana.press("Mark all as read")
    ana.wait(lambda: badge(ana) == "0" and not cards(ana), "all read")
    ana.see("All read")
    ana.choose("Unread only")
    ana.wait(lambda: len(cards(ana)) == 2, "both again")

    ana.press(f"More: {title}")
    ana.press(f"Delete: {title}")
    press_in_question(ana, "Keep")
    ana.press(f"Delete: {title}")
    press_in_question(ana, "Delete")
    ana.wait(lambda: len(cards(ana)) == 1, "one left")
    ana.press("Delete all")
    press_in_question(ana, "Keep them")
    ana.press("Delete all")
    press_in_question(ana, "Delete all")
    ana.see("Nothing yet")
    ana.open("/notifications").see("Nothing yet")
    assert ana.complaints() == []


def choose(browser, words):
    Select(browser.field("Show")).select_by_visible_text(words)


def ping(client):
    return client.put(
        f"/v1/pings/{new_id()}", {"dependentID": client.get("/v1/contacts")["items"][0]["id"]}
    )


def test_notification_opens_its_subject(server, make_browser):
    ben = known(server, BEN, "Ben")
    ana_api = known(server, ANA, "Ana", ben)
    ana, ben_page = (
        enter(make_browser(server), ANA, "/notifications"),
        enter(make_browser(server), BEN, "/notifications"),
    )
    ping(ben)
    open_card(ana, "Ben")
    ana.wait(lambda: ana.path == "/responders" and ana.all("dialog.sheet"), "who asks")
    ana.press("I’m fine")
    ana.press("Close")
    ana_api.put(f"/v1/alerts/{new_id()}")
    ben_page.wait(
        lambda: [card for card in cards(ben_page) if "critical" in card.get_attribute("class")],
        "the alert",
    )
    open_card(ben_page, "Ana")
    ben_page.press("I’m on it")
    assert ben_page.path == "/dependents"
    ana.open("/notifications")
    open_card(ana, "Ben is on it")
    ana.wait(lambda: ana.path == "/", "her own alert")
    assert ana.complaints() == [] and ben_page.complaints() == []


def open_card(browser, name):
    """Opens the newest card, which must have this name."""
    browser.wait(lambda: cards(browser) and name in cards(browser)[0].text, f"something of {name}")
    button = cards(browser)[0].find_element("xpath", ".//button[text()='Open']")
    # Scrolls the button away from the tabs.
    browser.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def test_notifications_before_first_hundred_are_loaded(server, make_browser):
    ben, cleo = known(server, BEN, "Ben"), known(server, phone_number(2), "Cleo")
    ana_api = known(server, ANA, "Ana", ben, cleo)
    for _ in range(52):
        for responder in (ben, cleo):
            ana_api.post(f"/v1/pings/{ping(responder)['id']}/response")
    ana = enter(make_browser(server), ANA, "/notifications")
    # The sign-in of this browser may add a notification, because other devices are told of it.
    ana.wait(lambda: len(cards(ana)) in (99, 100), "the newest", 30)
    ana.press("Show earlier notifications")
    ana.wait(lambda: len(cards(ana)) == 106, "all of them", 30)
    ana.wait(lambda: "Show earlier notifications" not in ana.text, "no more of them")
    moments = ana.driver.execute_script(
        "return [...document.querySelectorAll('li.notification time')].map((time) => time.dateTime)"
    )
    assert moments == sorted(moments, reverse=True)
    # A new notification comes first, and the earlier ones stay.
    ping(ben)
    ana.wait(lambda: len(cards(ana)) == 106, "the new one", 30)
    ana.press("Delete all")
    press_in_question(ana, "Delete all")
    ana.see("Nothing yet")
    assert ana_api.get("/v1/notifications")["items"] == [] and ana.complaints() == []
