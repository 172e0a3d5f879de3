"""Signing in by clicking: how a number may be written, wrong codes, another code, and being told to
wait."""

import pytest

from support.people import enter, known, retype
from support.program import CODE, phone_number

ANA = phone_number(0)


WRITTEN = {
    "hyphens": "+1 555 010-0000",
    "brackets": "+1 (555) 010 0000",
    "zeros": "0015550100000",
    "dots": " +1.555.010/0000 ",
    "wide": "＋１５５５０１０００００",
    "copied": "+15550100000\u202c",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_number_is_taken_as_people_write_it(make_server, make_browser, written):
    server = make_server().start()
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), written)
    assert ana.complaints() == []


def test_what_is_no_number_is_refused_in_words(make_server, make_browser):
    ana = make_browser(make_server().start()).open()
    ana.press("Send code")
    assert ana.path == "/" and ana.field("Phone number")
    for number in ("12", "555 0100", "+1555CALLANA", "+0123456789", "<b>1</b>", "+" + "1" * 40):
        retype(ana.field("Phone number"), number)
        ana.press("Send code")
        ana.see("Start with +, then the country code")
        assert ana.field("Phone number").get_property("value") == number
        assert not ana.all(".error-card") and ana.all(".field .error")
    assert ana.complaints() == []


def test_wrong_codes_are_counted_and_another_can_be_asked_for(make_server, make_browser):
    server = make_server().start()
    known(server, ANA, "Ana")
    ana = make_browser(server).open()
    ana.field("Phone number").send_keys(ANA)
    ana.press("Send code")
    ana.see("You can ask for another in")
    for left in (
        "4 tries left.",
        "3 tries left.",
        "2 tries left.",
        "1 try left.",
        "No tries left. Ask for another code.",
    ):
        ana.wait(lambda: ana.field("6-digit code").get_property("value") == "", "an empty field")
        ana.field("6-digit code").send_keys("999999")
        ana.see(left)
        ana.see("That code isn’t right.")
        is_in_field = "return document.activeElement.id === 'code'"
        ana.wait(lambda: ana.run(is_in_field), "the focus in the field")
    ana.field("6-digit code").send_keys(CODE)
    ana.wait(lambda: not ana.can_press("Sign in"), "no more tries")
    ana.press("Change the phone number")
    ana.wait(lambda: ana.field("Phone number").get_property("value") == ANA, "the number as it was")
    ana.press("Send code")
    ana.field("6-digit code").send_keys("00 00-00")
    ana.see("Call for help")
    assert ana.complaints() == []


def test_another_code_after_half_a_minute(make_server, make_browser):
    server = make_server().start()
    known(server, ANA, "Ana")
    ana = make_browser(server).open()
    ana.field("Phone number").send_keys(ANA)
    ana.press("Send code")
    ana.press("Send another code", 45)
    ana.see("You can ask for another in")
    ana.field("6-digit code").send_keys(CODE)
    ana.see("Call for help")


def test_who_asks_too_often_is_told_how_long_to_wait(make_server, make_browser):
    ana = make_browser(make_server("--codes-per-number", "2").start()).open()
    for _ in range(2):
        retype(ana.field("Phone number"), ANA)
        ana.press("Send code")
        ana.press("Change the phone number")
    ana.field("Phone number")
    ana.press("Send code")
    ana.see("You asked for too many codes. Please wait 60 minutes.")
    ana.see("Then ask for one code and wait for its message.")
    assert ana.complaints() == []


def test_the_first_page_loads_what_its_html_names_and_nothing_else(make_server, make_browser):
    ana = make_browser(make_server().start()).open()
    ana.driver.execute_async_script("navigator.serviceWorker.ready.then(() => arguments[0]())")
    ana.button("Send code")
    loaded = ana.run(
        "return performance.getEntriesByType('resource').map((it) => new URL(it.name).pathname)"
    )
    named = ana.run(
        "return [...document.querySelectorAll('head [href], head [src]')]"
        ".map((it) => new URL(it.href ?? it.src).pathname)"
    )
    assert loaded and set(loaded) <= set(named)
