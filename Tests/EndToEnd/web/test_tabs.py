"""Two tabs of one browser, several users one after the other, and the links between pages."""

import pytest
import requests

from support.people import enter, make_member, sign_out
from support.program import phone_number

pytestmark = pytest.mark.whole_browser


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def ana(server):
    return make_member(server, phone_number(0), "Ana")


@pytest.fixture
def browser(server, ana, make_browser):
    return enter(make_browser(server), phone_number(0))


def second_tab(browser, path="/"):
    """Opens another tab on `path`. Returns two functions that each switch to one of the tabs."""
    tabs = [browser.driver.current_window_handle]
    browser.driver.switch_to.new_window("tab")
    tabs.append(browser.driver.current_window_handle)
    browser.open(path)
    browser.find("#content")
    return [lambda tab=tab: browser.driver.switch_to.window(tab) for tab in tabs]


def test_tabs_share_changes(browser, ana):
    first, second = second_tab(browser)
    browser.press("Check in")
    browser.see("Checked in at")
    first()
    browser.see("Checked in at")
    for _ in range(4):
        browser.press("Alert")
    browser.find(".alert-screen")
    second()
    browser.find(".alert-screen")
    assert len(list(ana.pages("/v1/check-ins"))) == 2 and len(list(ana.pages("/v1/alerts"))) == 1


def test_sheet_is_open_in_both_tabs(browser):
    first, second = second_tab(browser, "/profile")
    browser.press("Edit name and note")
    browser.field("Name").clear()
    browser.field("Name").send_keys("Anastasia")
    first()
    browser.wait(
        lambda: browser.field("Name").get_property("value") == "Anastasia",
        "what is typed in the other tab",
    )
    assert browser.path == "/profile"
    browser.press("Cancel")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    second()
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Ana")
    assert browser.complaints() == []


def test_signing_out_in_one_tab_signs_the_other_out(browser):
    first, second = second_tab(browser)
    sign_out(browser)
    first()
    browser.field("Phone number")
    assert "Ana" not in browser.driver.page_source and "+1555" not in browser.driver.page_source


@pytest.mark.parametrize("latency", [0, 400])
def test_signing_in_in_one_tab_signs_the_other_in(server, ana, make_browser, latency):
    browser = make_browser(server).open()
    browser.field("Phone number")
    first, second = second_tab(browser)
    if latency:
        for tab in (first, second):
            tab()
            browser.slow_line(latency)
    enter(browser, phone_number(0), path=None)
    first()
    browser.find("nav.tabs", 30)
    second()
    assert browser.find("nav.tabs")


def test_sign_out_leaves_nothing_for_next_user(browser, server):
    make_member(server, phone_number(1), "Ben")
    browser.press("Profile")
    browser.see("Ana")
    sign_out(browser)
    script = """const found = Promise.all([caches.keys(), indexedDB.databases()]);
        return found.then(async ([names, databases]) => {
        const kept = await Promise.all(names.map(async (name) =>
          (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)));
        return { kept: kept.flat(), databases, stores: { ...localStorage },
          session: { ...sessionStorage }, cookies: document.cookie };
    })"""
    left = browser.driver.execute_script(script)
    assert all(path == "/web/shell" or path.startswith("/web/assets/") for path in left["kept"]), (
        left
    )
    assert "user" not in left["stores"] and not left["databases"] and left["cookies"] == "", left
    assert phone_number(0) not in str(left) and "Ana" not in str(left)
    assert (
        "Ana" not in browser.driver.page_source
        and phone_number(0) not in browser.driver.page_source
    )

    enter(browser, phone_number(1), path=None)
    for tab in ("Responders", "I watch over", "Profile"):
        browser.press(tab)
        browser.wait(lambda: browser.driver.title.startswith(tab), tab)
        assert (
            "Ana" not in browser.driver.page_source
            and phone_number(0) not in browser.driver.page_source
        )
    browser.see("Ben")
    for _ in range(4):
        browser.driver.back()
    browser.wait(lambda: browser.all("nav.tabs"), "the app")
    assert "Ana" not in browser.driver.page_source


def test_back_and_forward_work_through_pages_and_sheets(browser):
    def is_at(path, title):
        browser.wait(lambda: browser.path == path and browser.driver.title.startswith(title), path)

    for tab, path in (
        ("Responders", "/responders"),
        ("I watch over", "/dependents"),
        ("Profile", "/profile"),
    ):
        browser.press(tab)
        is_at(path, tab)
    browser.press("Settings")
    is_at("/settings", "Settings")
    browser.press("Notifications")
    is_at("/notifications", "Notifications")
    for path, title in (
        ("/settings", "Settings"),
        ("/profile", "Profile"),
        ("/dependents", "I watch over"),
        ("/responders", "Responders"),
        ("/", "Home"),
    ):
        browser.driver.back()
        is_at(path, title)
    for path, title in (
        ("/responders", "Responders"),
        ("/dependents", "I watch over"),
        ("/profile", "Profile"),
        ("/settings", "Settings"),
    ):
        browser.driver.forward()
        is_at(path, title)
    browser.driver.back()
    is_at("/profile", "Profile")
    browser.press("Edit name and note")
    browser.find("dialog[open]")
    browser.driver.back()
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    is_at("/profile", "Profile")
    browser.press("Edit name and note")
    browser.find("dialog[open]")
    browser.press("Cancel")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.driver.back()
    is_at("/dependents", "I watch over")
    browser.wait(lambda: not browser.all("dialog"), "a page without a sheet")
    assert browser.complaints() == []


def test_profile_tab_opens_profile(browser):
    browser.press("Profile")
    browser.press("Settings")
    browser.wait(lambda: browser.path == "/settings", "the settings")
    browser.wait(lambda: browser.run("return scrollY") == 0, "the top of the page")
    browser.press("Home")
    browser.wait(lambda: browser.path == "/", "home")
    browser.press("Profile")
    browser.wait(lambda: browser.path == "/profile", "the profile")


@pytest.mark.parametrize(
    "path", ["/", "/responders", "/dependents", "/profile", "/settings", "/notifications"]
)
def test_every_page_can_be_reloaded(browser, path):
    browser.open(path)
    browser.find("nav.tabs")
    browser.driver.refresh()
    browser.wait(lambda: browser.path == path and browser.all("nav.tabs"), path)


def test_bookmark_opens_its_page_after_sign_in(server, ana, make_browser):
    browser = enter(make_browser(server), phone_number(0), "/settings")
    browser.wait(lambda: browser.path == "/settings", "the settings")
    sign_out(browser)
    ben = make_member(server, phone_number(1), "Ben")
    code = ben.get("/v1/me/qr-code")["id"]
    enter(browser, phone_number(0), f"/add/{code}")
    browser.see("Add Ben")


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/add",
        "/profile/x",
        "/web/nowhere",
        "/%00",
        "/..%2f..%2fetc",
        "/web/downloads/x",
    ],
)
def test_unknown_address_has_a_page(server, path):
    answer = requests.get(server.url + path, headers={"Accept": "text/html"}, timeout=30)
    assert answer.status_code == 404 or (
        path == "/web/downloads/x" and answer.status_code == 401
    ), path
    if answer.status_code == 404:
        assert "There is nothing here" in answer.text and answer.headers["content-type"].startswith(
            "text/html"
        )


def test_unknown_pages_and_codes_offer_a_way_back(browser):
    browser.open("/nowhere")
    browser.see("There is nothing here")
    assert browser.serious_findings() == []
    browser.press("Go to LifeSignal")
    browser.find("nav.tabs")
    browser.open("/add/not-a-code")
    browser.see("This is not a LifeSignal code")
    browser.press("Dismiss")
    browser.miss("This is not a LifeSignal code")


def test_many_tabs_share_six_connections(browser, ana):
    """A browser opens at most six connections to a server, and all of its tabs share them."""
    tabs = second_tab(browser)
    for _ in range(6):
        tabs.append(second_tab(browser)[1])
    browser.press("Check in")
    browser.see("Checked in at")
    assert len(list(ana.pages("/v1/check-ins"))) == 2
    for tab in tabs:
        tab()
        browser.see("Checked in at")
    assert "You are offline" not in browser.text
