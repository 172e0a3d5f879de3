import pytest
from selenium.webdriver.support.ui import Select

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
def test_number_is_accepted_in_common_formats(make_server, make_browser, written):
    server = make_server().start()
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), written)
    assert ana.complaints() == []


def test_invalid_number_is_refused_with_reason(make_server, make_browser):
    ana = make_browser(make_server().start()).open()
    ana.press("Send code")
    assert ana.path == "/" and ana.field("Phone number")
    # The browser's language implies a country, so a short number is looked up in that country.
    refusals = ("Start with +, then the country code", "There is no such phone number")
    for number in ("12", "555 0100", "+1555CALLANA", "+0123456789", "<b>1</b>", "+" + "1" * 40):
        retype(ana.field("Phone number"), number)
        ana.press("Send code")
        ana.wait(lambda: any(words in ana.text for words in refusals), number)
        assert ana.field("Phone number").get_property("value") == number
        assert not ana.all(".error-card") and ana.all(".field .error")
    assert ana.complaints() == []


def test_wrong_codes_are_counted_until_another_is_sent(make_server, make_browser):
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


def test_rate_limited_sign_in_says_how_long(make_server, make_browser):
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


def test_first_page_loads_only_named_files(make_server, make_browser):
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


def test_link_names_inviter_before_sign_in(make_server, make_browser):
    server = make_server().start()
    ana = known(server, ANA, "Ana")
    known(server, phone_number(1), "Ben")
    code = ana.get("/v1/me/qr-code")["id"]
    ben = make_browser(server).open(f"/add/{code}")
    ben.see("Ana invites you to LifeSignal.")
    assert ben.serious_findings() == []
    enter(ben, phone_number(1), path=None)
    ben.see("How should you and Ana help each other?")
    assert ben.complaints() == []


def test_invalid_link_opens_normal_sign_in(make_server, make_browser):
    server = make_server().start()
    ana = known(server, ANA, "Ana")
    code = ana.get("/v1/me/qr-code")["id"]
    ana.post("/v1/me/qr-code")
    ben = make_browser(server).open(f"/add/{code}")
    ben.see("Sign in to LifeSignal")
    assert "invites you" not in ben.text


def test_national_number_uses_chosen_country(make_server, make_browser):
    browser = make_browser(make_server("--test-phone", "+442071838750=000000").start())
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd(
        "Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": "de-AT, en;q=0.5"}}
    )
    browser.open()
    country = browser.field("Country of the number")
    assert country.get_property("value") == "AT"
    browser.press("Another country")
    every = "all countries"
    browser.wait(lambda: len(Select(browser.field("Country of the number")).options) > 200, every)
    country = browser.field("Country of the number")
    Select(country).select_by_value("GB")
    browser.see("As you dial it in United Kingdom")
    browser.field("Phone number").send_keys("020 7183 8750")
    browser.press("Send code")
    browser.see("know the code of +442071838750.")
    assert browser.serious_findings() == []
