"""A user's text stays text wherever the app shows it: markup, marks that change the writing
direction, and endless words."""

import json

import pytest
import requests
from PIL import Image
from selenium.webdriver.common.by import By

from support.api import Client, new_id
from support.bad_pictures import saved
from support.people import enter, known, press_in_question
from support.program import CODE, phone_number
from support.waiting import wait_until

ANA, BEN = phone_number(0), phone_number(1)
MARKUP = "<img src=x onerror=alert(1)>\"'`</h3></script><b data-p='x' data-tap=0>&amp;{{1}}"
LONG = "W" * 86 + "👩‍👩‍👧‍👦🏳️‍🌈é\u0301"
NOTE = (
    "</textarea></p><script>alert(2)</script><img src=x onerror=alert(3)>\n"
    + "Donaudampfschifffahrt" * 20
)
DEVICE = "<script>alert(4)</script>\"' onclick=alert(5)"
PATHS = ("/", "/responders", "/dependents", "/profile", "/notifications", "/settings")


def check(browser, *words):
    """Checks that these words are visible and have created no element or attribute. The page must
    not be wider than its screen."""
    for text in words:
        browser.see(text)
    made = browser.driver.execute_script("""
        return [...document.querySelectorAll("*")].filter((e) =>
          e.matches("img[src=x], b, script:not([src])")
            || [...e.attributes].some(({ name }) => name.startsWith("on")))
              .map((e) => e.outerHTML)""")
    assert made == []
    wide = browser.driver.execute_script("""
        const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll("html, dialog[open], dialog[open] *, main *")]
            .filter((e) => !e.closest(".unseen") && !e.matches("input, textarea") &&
              (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" &&
              e.clientWidth
                || e.getBoundingClientRect().right > width + 1))
                  .map((e) => e.outerHTML.slice(0, 200))""")
    assert wide == []


@pytest.mark.parametrize("name", [MARKUP, LONG], ids=["markup", "long"])
def test_names_stay_text_everywhere(make_server, make_browser, name):
    server = make_server("--codes-per-number", "100").start()
    ben_name = name[::-1] if name == LONG else "Ben " + name[:90]
    ben_api = known(server, BEN, ben_name)
    ana_api = known(server, ANA, name, ben_api)
    ana_api.call("PATCH", "/v1/me", {"emergencyNote": NOTE})
    ana, ben = enter(make_browser(server), ANA), enter(make_browser(server), BEN)
    ana.open("/profile")
    check(ana, name, "</textarea></p><script>alert(2)</script>")
    ana.press("Edit name and note")
    assert (
        ana.field("Name").get_property("value") == name
        and ana.field("Emergency note").get_property("value") == NOTE
    )
    check(ana)

    ping = ben_api.put(f"/v1/pings/{new_id()}", {"dependentID": ana_api.id})
    ana.open("/responders")
    check(ana, ben_name)
    ana.press(f"I’m fine: answer {ben_name}")
    wait_until(lambda: ben_api.get("/v1/pings")["items"][0]["state"] == "answered", 30, ping)
    ben.open("/dependents")
    ben.press(f"{name}: details")
    ben.find("dialog[open]")
    check(ben, name, "</textarea></p><script>alert(2)</script>")
    ben.click("[role=switch][aria-checked=false]")
    ben.find("dialog.question")
    check(ben)
    press_in_question(ben, "Cancel")
    ben.wait(lambda: not ben.all("dialog.question"), "no question")
    ben.press("Close")
    ben.wait(lambda: not ben.all("dialog"), "the end of the sheet")
    ben.open("/")

    alert = new_id()
    ana_api.put(f"/v1/alerts/{alert}")
    check(ben, name)
    ben.press(f"See {name}’s alert")
    ben.press("I’m on it")
    ben.see("</textarea></p><script>alert(2)</script>")
    check(ben, name)
    ben.press("Close")
    ana.open("/")
    check(ana, ben_name)
    ana_api.post(f"/v1/alerts/{alert}/end")
    ana.press("Check in")
    for browser in (ana, ben):
        browser.open("/notifications").find("li.notification")
        check(browser)
        browser.press(browser.find("li.notification summary").accessible_name)
        check(browser)
        browser.press(browser.find("li.notification details button:last-child").accessible_name)
        browser.find("dialog.question")
        check(browser)
        for path in PATHS:
            browser.open(path).find("h1")
            check(browser)
        assert browser.complaints() == []


def test_device_names_stay_text(make_server, make_browser):
    server = make_server("--codes-per-number", "100").start()
    known(server, ANA, "Ana")
    device = Client(server)
    device.post("/v1/auth/codes", {"phoneNumber": ANA}, status=202)
    device.post(
        "/v1/auth/sessions", {"phoneNumber": ANA, "code": CODE, "deviceName": DEVICE}, status=201
    )
    ana = enter(make_browser(server), ANA, "/settings")
    check(ana, DEVICE)
    ana.press(f"Sign out {DEVICE}")
    check(ana, f"Sign out {DEVICE}?")
    press_in_question(ana, "Sign out")
    ana.miss(DEVICE)
    assert ana.complaints() == []


def test_addresses_and_files_stay_text(make_server, make_browser, tmp_path):
    server = make_server("--codes-per-number", "100").start()
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA)
    for path in (
        "/add/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/add/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
        "/add/javascript:alert(1)",
        "/join/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/add/%00%E2%80%AE",
    ):
        ana.open(path).find("h1")
        check(ana)
    for path in (
        "/profile?name=%3Cscript%3Ealert(1)%3C/script%3E#%3Cimg%20src=x%20onerror=alert(1)%3E",
        "/?%22onload=alert(1)",
    ):
        ana.open(path).find("h1")
        check(ana)
    for path in (
        "/%3Cscript%3Ealert(1)%3C/script%3E",
        "/web/downloads/%3Cb%3E",
        "/web/pictures/%22%3E",
        "/web/assets/x/%3Cb%3E",
    ):
        answer = requests.get(server.url + path, timeout=30)
        assert (
            answer.status_code in (401, 404)
            and "json" in answer.headers["content-type"]
            and answer.headers["x-content-type-options"] == "nosniff"
        )
    ana.open("/profile")
    picture = tmp_path / "<img src=x onerror=alert(1)>\u202egnp.png"
    picture.write_bytes(saved(Image.new("RGB", (9, 9)), "PNG"))
    ana.find("input[type=file]").send_keys(str(picture))
    ana.press("Use this picture")
    ana.see("Change picture")
    check(ana)
    assert ana.complaints() == []


def test_direction_marks_are_removed_from_names(make_server, make_browser):
    server = make_server().start()
    ben_api = known(server, BEN, "Ben")
    ana_api = known(server, ANA, "\u202egnp.\u2066Ana\u2069\u202c", ben_api)
    assert ana_api.get("/v1/me")["name"] == "gnp.Ana"
    ben = enter(make_browser(server), BEN, "/dependents")
    check(ben, "gnp.Ana")


def test_export_contains_hostile_texts_unchanged(make_server):
    server = make_server().start()
    ben_api = known(server, BEN, MARKUP)
    ana_api = known(server, ANA, MARKUP, ben_api)
    ana_api.call("PATCH", "/v1/me", {"emergencyNote": NOTE})
    export = ana_api.get("/v1/me/export")
    text = json.dumps(
        export if isinstance(export, dict) else json.loads(export), ensure_ascii=False
    )
    assert (
        json.dumps(MARKUP, ensure_ascii=False)[1:-1] in text
        and json.dumps(NOTE, ensure_ascii=False)[1:-1] in text
    )


def test_injected_markup_does_not_run(make_server, make_browser):
    ana = make_browser(make_server().start()).open()
    ana.driver.execute_script("""
        const holder = document.createElement("div");
        holder.innerHTML = '<img src="x" onerror="window.ran = 1">'
          + '<a href="javascript:window.ran=1" id="bad">x</a>'
          + '<iframe srcdoc="<script>parent.ran=1</script>">';
        document.body.append(holder);
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);""")
    ana.driver.find_element(By.ID, "bad").click()
    ana.wait(
        lambda: any("Content Security Policy" in words for words in ana.complaints()),
        "what the browser refused",
    )
    assert ana.driver.execute_script("return window.ran") is None
