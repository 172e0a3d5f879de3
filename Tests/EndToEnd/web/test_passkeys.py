"""The sign-in lock, recovery codes and passkeys in a browser, with Chromium's authenticator."""

import re

import pytest
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from support.passkeys import site_arguments
from support.people import enter, make_member
from support.program import CODE, phone_number

ANA = phone_number(1)


def authenticator(browser, is_verified=True):
    """Gives the browser an authenticator, so it must not serve another test."""
    options = VirtualAuthenticatorOptions(
        transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True,
        has_user_verification=True,
        is_user_verified=is_verified,
    )
    browser.driver.add_virtual_authenticator(options)


def sign_out(browser):
    browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.open()
    browser.button("Use a passkey")


@pytest.mark.whole_browser
def test_passkey_signs_in_despite_the_lock(make_server, make_browser):
    server = make_server(*site_arguments()).start()
    ana = make_member(server, ANA, "Ana")
    browser = make_browser(server, arguments=[])
    authenticator(browser)
    enter(browser, ANA, "/settings")
    browser.press("Add a passkey")
    browser.see("Not used yet")
    browser.press("Turn the sign-in lock on")
    browser.see("You have no recovery codes.")
    assert not ana.get("/v1/me/sign-in-security")["isLocked"]
    browser.press("Turn it on")
    browser.see("The sign-in lock is on.")
    assert browser.serious_findings() == []
    sign_out(browser)
    with browser.new_session():
        browser.press("Use a passkey")
    browser.find("nav.tabs")
    assert "lastUsedAt" in ana.get("/v1/me/passkeys")["items"][0]


@pytest.mark.whole_browser
def test_device_without_a_passkey_is_explained(make_server, make_browser):
    server = make_server(*site_arguments()).start()
    browser = make_browser(server, arguments=[])
    authenticator(browser, is_verified=False)
    browser.open()
    browser.press("Use a passkey")
    browser.see("Your device gave no passkey.")


def test_waiting_sign_in_is_stopped_on_a_page(make_server, make_browser):
    server = make_server().start()
    ana = make_member(server, ANA, "Ana")
    ana.put("/v1/me/sign-in-lock")
    [code, *_] = ana.post("/v1/me/recovery-codes", status=201)["codes"]
    thief, owner = make_browser(server), make_browser(server)
    owner.open()
    owner.field("Phone number").send_keys(ANA)
    owner.press("Use a recovery code")
    owner.field("Recovery code").send_keys(code.lower())
    with owner.new_session():
        owner.press("Sign in")
    owner.find("nav.tabs")
    owner.open("/settings")
    owner.see("The sign-in lock is on.")
    thief.open()
    thief.field("Phone number").send_keys(ANA)
    thief.press("Send code")
    thief.field("6-digit code").send_keys(CODE)
    thief.see("You can’t sign in yet")
    thief.see("The sign-in lock is on.")
    assert re.search(r"new code or link from \d\d:\d\d UTC on ", thief.text)
    owner.see("Somebody has entered a code for your account")
    owner.driver.refresh()
    owner.see("Somebody has entered a code for your account")
    owner.press("Stop this sign-in")
    owner.miss("Somebody has entered a code for your account")
    assert "wait" not in ana.get("/v1/me/sign-in-security")
    assert owner.serious_findings() == [] and thief.serious_findings() == []


def test_new_recovery_codes_are_shown_once(make_server, make_browser):
    server = make_server().start()
    make_member(server, ANA, "Ana")
    browser = make_browser(server)
    enter(browser, ANA, "/settings")
    browser.press("Make recovery codes")
    browser.see("Your new recovery codes")
    assert len(re.findall(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b", browser.text)) == 10
    browser.press("Done")
    browser.see("10 of 10 are left.")
    assert browser.serious_findings() == []
