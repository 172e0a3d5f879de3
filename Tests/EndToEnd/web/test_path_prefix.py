"""A server below a path of its host: every address of its pages, of its clients and in its links
stays below the path."""

import pytest
import requests

from support.api import Client
from support.path_proxy import PathProxy
from support.people import sign_in, sign_out
from support.program import phone_number
from support.terminal import USAGE, Person

ANA, BEN = phone_number(1), phone_number(2)
PREFIX = "/people/lifesignal"
OUTSIDE = """
    return [...document.querySelectorAll("[href], [src], [action]")]
      .flatMap((it) => ["href", "src", "action"].map((name) => it.getAttribute(name)))
      .filter((address) => address?.startsWith("/") && !address.startsWith(`${arguments[0]}/`));
"""
WORKER = """
    const done = arguments[0];
    navigator.serviceWorker.ready.then(async ({ scope }) =>
      done([scope, await caches.keys(), Boolean(await caches.match(`${scope}web/shell`))]));
"""


@pytest.fixture(params=[False, True], ids=["whole", "stripped"])
def proxy(request, make_server):
    """A proxy that passes the whole path on, or removes the prefix, in front of a server."""
    proxy = PathProxy(PREFIX, strips=request.param)
    proxy.server = make_server("--public-url", f"{proxy.url}/").start()
    yield proxy
    proxy.close()


@pytest.fixture
def browser(proxy, make_browser):
    # With options of its own, the browser serves no other test.
    browser = make_browser(proxy.server, arguments=[])
    browser.url = proxy.url
    return browser


def check(browser, path):
    browser.wait(lambda: browser.path == PREFIX + path, path)
    assert browser.run(OUTSIDE, PREFIX) == [], path


@pytest.mark.whole_browser
def test_everything_happens_below_the_path(proxy, browser):
    sign_in(browser, ANA, "Ana")
    check(browser, "/")
    cookie = browser.driver.get_cookie("lifesignal")
    assert cookie["path"] == PREFIX
    browser.press("Check in")
    browser.see("Checked in at")
    for tab, path in (
        ("Responders", "/responders"),
        ("I watch over", "/dependents"),
        ("Profile", "/profile"),
    ):
        browser.press(tab)
        check(browser, path)
    browser.driver.back()
    check(browser, "/dependents")
    browser.open("/settings").see("Delete account")
    check(browser, "/settings")
    browser.open("/notifications")
    check(browser, "/notifications")
    browser.open("/nowhere").see("There is nothing here")
    browser.press("Go to LifeSignal")
    browser.see("Call for help")
    for _ in range(4):
        browser.press("Alert")
    browser.see("Alert is on")
    check(browser, "/")
    browser.driver.get(proxy.url)
    browser.see("Alert is on")
    check(browser, "/")
    scope, caches, has_shell = browser.driver.execute_async_script(WORKER)
    assert scope == f"{proxy.url}/" and has_shell
    assert all(name.startswith(f"{PREFIX[1:]}/") for name in caches), caches
    manifest = browser.driver.execute_cdp_cmd("Page.getAppManifest", {})
    assert manifest["errors"] == [] and manifest["url"] == f"{proxy.url}/manifest.webmanifest"
    app = browser.driver.execute_cdp_cmd("Page.getAppId", {})
    assert app["appId"] == f"{proxy.url}/"
    assert [path for path in proxy.strays if path != "/favicon.ico"] == []


def test_signing_out_stays_below_the_path(proxy, browser):
    sign_in(browser, ANA, "Ana")
    sign_out(browser)
    check(browser, "/")
    browser.open("/join/" + "A" * 43)
    browser.see("You have a sign-up link")
    assert browser.run(OUTSIDE, PREFIX) == []


def test_terminal_uses_the_path(proxy, tmp_path):
    ana = Person(tmp_path / "ana", ANA, proxy).sign_in("Ana")
    ana.call("check-in")
    code = ana.call("qr", "save", tmp_path / "ana.png")
    assert code["shareLink"].startswith(f"{proxy.url}/add/")
    ben = Person(tmp_path / "ben", BEN, proxy).sign_in("Ben")
    added = ben.call("contacts", "add", code["shareLink"], "--dependent")["contact"]
    assert added["name"] == "Ana"
    other = Person(tmp_path / "other", ANA, proxy)
    address = f"{proxy.url}/settings?x"
    assert other.call("sign-in", "--server", address, "--phone", ANA, code=USAGE)["code"]
    assert proxy.strays == []


def test_files_at_the_root_need_no_prefix(make_server):
    app = "TEAM012345.org.example.app"
    server = make_server("--public-url", "https://example.org/people", "--ios-app", app).start()
    name = "/.well-known/apple-app-site-association"
    paths = requests.get(server.url + name, timeout=30).json()["applinks"]["details"][0]
    assert {"/": "/people/alerts/*"} in paths["components"]
    assert Client(server).call("GET", "/people/v1/auth/options")["signUp"] == "open"


def test_other_url_serves_pages_whose_host_the_proxy_replaces(make_server):
    other = "https://signal.example.net"
    server = make_server(
        *("--public-url", "https://lifesignal.example.org", "--other-urls", other)
    ).start()
    page = requests.get(server.url, timeout=30)
    session = page.headers["Set-Cookie"].split(";")[0]

    def status(origin):
        headers = {"Origin": origin, "X-LifeSignal": "1", "Cookie": session}
        body = {"view": "x", "events": []}
        url = f"{server.url}/web/events"
        return requests.post(url, json=body, headers=headers, timeout=30).status_code

    assert status(other) == status("https://lifesignal.example.org") == 204
    assert status("https://evil.example") == 403
