"""Long lists of responders and dependents: sort orders, one answer for all, and a phone's width."""

import pytest

from support.api import new_id, set_interval, sign_in, watch_over
from support.browser import DESKTOP
from support.people import enter, known
from support.program import phone_number

ANA = phone_number(0)


def shown(browser):
    return [name.text for name in browser.all(".contact-name")]


def test_every_sort_order_works_and_stays(make_server, make_browser):
    server = make_server("--demo-intervals").start()
    ana_api = known(server, ANA, "Ana")
    # The contacts are added in this order. Sorted by name, Émile comes between Dora and Zoe.
    for index, (name, hours) in enumerate(
        [("Zoe", 8), ("Émile", 48), ("Dora", 24), ("anton", 16)], start=1
    ):
        person = known(server, phone_number(index), name, ana_api)
        set_interval(person, hours * 3600)
    ana = enter(make_browser(server), ANA, "/dependents")
    orders = {
        "Name": ["anton", "Dora", "Émile", "Zoe"],
        "Newest": ["anton", "Dora", "Émile", "Zoe"],
        "Time left": ["Zoe", "anton", "Dora", "Émile"],
    }
    for order, names in orders.items():
        ana.press(order)
        ana.wait(lambda: shown(ana) == names, f"the order {order}: {names}")
        assert ana.button(order).get_attribute("aria-pressed") == "true"
    ana.press("Name")
    ana.wait(lambda: ana.button("Name").get_attribute("aria-pressed") == "true", "the choice")
    ana.open("/dependents")
    ana.wait(
        lambda: (
            shown(ana) == orders["Name"]
            and ana.button("Name").get_attribute("aria-pressed") == "true"
        ),
        "the same order",
    )
    # Dependents in trouble come first in every order.
    zoe = sign_in(server, phone_number(1), "Zoe")
    zoe.put(f"/v1/alerts/{new_id()}")
    ana.wait(lambda: shown(ana) == ["Zoe", "anton", "Dora", "Émile"], "Zoe first")
    assert ana.complaints() == []


def test_one_answer_for_all_pings(make_server, make_browser):
    server = make_server().start()
    askers = [
        known(server, phone_number(index), name)
        for index, name in [(1, "Ben"), (2, "Cleo"), (3, "Dora")]
    ]
    ana_api = known(server, ANA, "Ana", *askers)
    ana = enter(make_browser(server), ANA, "/responders")
    for asker in askers:
        asker.put(f"/v1/pings/{new_id()}", {"dependentID": ana_api.id})
    ana.see("3 responders ask whether you are fine")
    assert ana.find(".tabs .badge").text.startswith("3")
    ana.press("I’m fine: answer all")
    ana.miss("ask whether you are fine")
    ana.wait(lambda: not ana.all(".tabs .badge"), "no badge")
    assert all(asker.get("/v1/pings")["items"][0]["state"] == "answered" for asker in askers)
    assert ana.complaints() == []


def test_wide_screen_shows_responders_aside(make_server, make_browser):
    server = make_server().start()
    known(server, ANA, "Ana", known(server, phone_number(1), "Ben"))
    ana = enter(make_browser(server, size=DESKTOP), ANA)
    beside = ana.find("aside.beside")
    assert beside.is_displayed() and "Ben" in beside.text
    page, there = ana.find("main").rect, beside.rect
    assert page["x"] + page["width"] <= there["x"]
    assert there["x"] + there["width"] <= DESKTOP[0]
    with ana.screen(1000, 800):
        assert not ana.find("aside.beside").is_displayed()
    ana.press("Responders")
    ana.wait(lambda: not ana.all("aside.beside"), "the list itself")
    assert ana.complaints() == []


@pytest.mark.parametrize("path", ["/responders", "/dependents"], ids=["responders", "dependents"])
def test_forty_contacts_are_usable_on_a_phone(make_server, make_browser, path):
    server = make_server(phones=50).start()
    ana_api = known(server, ANA, "Ana")
    for index in range(1, 41):
        person = known(
            server,
            phone_number(index),
            f"Contact number {index} of a large family with a name that is long",
        )
        watch_over(*((person, ana_api) if path == "/responders" else (ana_api, person)))
    ana = enter(make_browser(server), ANA, path)
    ana.wait(lambda: len(shown(ana)) == 40, "forty cards", 30)
    assert ana.driver.execute_script("return document.documentElement.scrollWidth") <= 360
    sizes = ana.driver.execute_script("""
        return [...document.querySelectorAll("#content button, #content a")].map((e) =>
          e.getBoundingClientRect()).filter((r) => r.width)
            .map((r) => [r.height, r.left, r.right])""")
    assert all(height >= 24 and left >= 0 and right <= 360 for height, left, right in sizes)
    ana.press(f"{shown(ana)[39]}: details")
    ana.find("dialog.sheet")
    ana.press("Close")
    ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
    assert ana.complaints() == []
