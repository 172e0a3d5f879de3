"""The installed web app: what a browser needs to install it, and what it asks of the device."""

import io
import json
import re

import pytest
import requests
from PIL import Image

from support import api
from support.network import Network
from support.people import enter, known, sign_out
from support.program import phone_number
from support.waiting import wait_until
from support.worker import Worker, set_notifications

ANA, BEN = phone_number(0), phone_number(1)

pytestmark = pytest.mark.whole_browser

# Records what the page asks of the device.
ASKED = """
    if (location.port) {
      window.asked = [];
      navigator.setAppBadge = async (count) => asked.push(["badge", count]);
      navigator.storage.persist = async () => asked.push(["persist"]);
      navigator.__defineGetter__("standalone", () => false);
    }
"""
# Every version has twelve characters.
VERSION = rb'(const VERSION = )"[^"]{12}"'
HAS_NEXT = """
    return Promise.all([caches.keys(), navigator.serviceWorker.ready]).then(([names, it]) =>
      names.includes("next-version") && !it.installing && !it.waiting
        && it.active.state === "activated");
"""
OFFER = """
    const offer = new Event("beforeinstallprompt", { cancelable: true });
    offer.prompt = async () => (window.prompted = (window.prompted ?? 0) + 1);
    dispatchEvent(offer);
    return offer.defaultPrevented;
"""
# Simulates a picture shared by another app: the browser sends it as a form.
SHARE = """
    const bytes = Uint8Array.from(atob(arguments[0]), (it) => it.charCodeAt(0));
    const files = new DataTransfer();
    files.items.add(new File([bytes], "code.png", { type: "image/png" }));
    const form = document.createElement("form");
    Object.assign(form, { method: "post", enctype: "multipart/form-data", action: "/web/share" });
    const field = Object.assign(document.createElement("input"), { type: "file", name: "picture" });
    field.files = files.files;
    form.append(field);
    document.body.append(form);
    HTMLFormElement.prototype.submit.call(form);
"""


@pytest.fixture
def people(server):
    """Ana, and Ben, who watches over her."""
    ben = known(server, BEN, "Ben")
    return known(server, ANA, "Ana", ben), ben


@pytest.fixture
def browser(server, people, make_browser):
    browser = make_browser(server)
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ASKED})
    return browser


def asked(browser):
    return browser.run("return window.asked")


def test_browser_allows_installing(server, people, make_browser):
    browser = enter(make_browser(server), ANA)
    browser.wait(
        lambda: browser.run("return navigator.serviceWorker.controller !== null"), "the worker"
    )
    cdp = browser.driver.execute_cdp_cmd
    assert cdp("Page.getInstallabilityErrors", {})["installabilityErrors"] == []
    answer = cdp("Page.getAppManifest", {})
    assert answer["errors"] == [] and answer["url"].endswith("/manifest.webmanifest")
    assert cdp("Page.getAppId", {})["appId"] == f"{browser.url}/"


def test_manifest_pictures_have_declared_sizes(server):
    manifest = requests.get(f"{server.url}/manifest.webmanifest", timeout=30).json()
    shortcuts = [icon for it in manifest["shortcuts"] for icon in it["icons"]]
    pictures = [*manifest["icons"], *manifest["screenshots"], *shortcuts]
    for picture in pictures:
        answer = requests.get(f"{server.url}/{picture['src']}", timeout=30)
        size = Image.open(io.BytesIO(answer.content)).size
        assert "{}x{}".format(*size) == picture["sizes"], picture
    assert {it["purpose"] for it in manifest["icons"]} == {"any", "maskable", "monochrome"}
    assert {it["form_factor"] for it in manifest["screenshots"]} == {"narrow", "wide"}


@pytest.mark.parametrize(
    ("path", "button"), [("/#check-in", ".check-in-button"), ("/#call-for-help", ".alert-button")]
)
def test_shortcut_focuses_button_without_pressing(people, browser, path, button):
    enter(browser, ANA)
    before = len(list(people[0].pages("/v1/check-ins")))
    browser.open(path)
    has_focus = "return document.activeElement === document.querySelector(arguments[0])"
    browser.wait(lambda: browser.run(has_focus, button), "the button in focus")
    assert "1 of 4" not in browser.text
    assert len(list(people[0].pages("/v1/check-ins"))) == before


def test_install_button_follows_browser_offer(browser):
    enter(browser, ANA).open("/settings").see("Delete account")
    browser.find("[data-ready]")
    assert browser.run(OFFER) is True
    browser.see("Install the app")
    browser.press("Install")
    browser.miss("Install the app")
    assert browser.run("return window.prompted") == 1
    assert browser.serious_findings() == []


def test_app_icon_badge_counts_open_items(people, browser):
    enter(browser, BEN)
    browser.wait(lambda: asked(browser) is not None, "the script")
    alert = api.new_id()
    people[0].put(f"/v1/alerts/{alert}")
    browser.wait(lambda: asked(browser)[-1:] and asked(browser)[-1][1] >= 1, "the number")
    sign_out(browser)
    browser.wait(lambda: asked(browser)[-1:] == [["badge", 0]], "no number")


@pytest.mark.parametrize("setting", ["granted", "prompt"])
def test_allowing_notifications_makes_storage_persistent(browser, setting):
    set_notifications(browser, setting)
    enter(browser, ANA)
    browser.wait(lambda: "badge" in str(asked(browser)), "the script")
    assert (["persist"] in asked(browser)) == (setting == "granted")


def test_ios_gets_launch_picture(browser):
    enter(browser, ANA)
    link = browser.find("link[rel=apple-touch-startup-image]")
    media = "return `(device-width: ${screen.width}px) and (device-height: ${screen.height}px)`"
    assert link.get_attribute("media") == browser.run(media)
    assert link.get_attribute("href").startswith("data:image/png;base64,")


def test_alarm_vibrates_stays_and_has_badge(server, people, make_browser):
    worker = Worker(enter(make_browser(server), BEN))
    alarm = {"title": "Ana needs help", "id": "x", "type": "alert", "alertID": api.new_id()}
    worker.deliver({**alarm, "usefulUntil": api.timestamp(), "createdAt": api.timestamp()})
    shown = worker.told("Ana needs help")
    assert shown["isKept"] and shown["isNews"] and len(shown["vibration"]) == 5
    assert shown["badge"].endswith("/badge-96.png")
    worker.deliver({"title": "News", "id": "y", "usefulUntil": api.timestamp()})
    news = worker.told("News")
    assert not news["isKept"] and len(news["vibration"]) == 1
    worker.close()


def saved_code(browser):
    """Returns the picture of the code on this user's page, as base64."""
    browser.open("/profile").press("My QR code")
    return browser.find("img.qr").get_attribute("src").split(",", 1)[1]


def test_shared_picture_of_code_is_scanned(server, people, browser, make_browser):
    known(server, phone_number(2), "Cleo")
    picture = saved_code(enter(make_browser(server), phone_number(2)))
    enter(browser, ANA)
    controlled = "return navigator.serviceWorker.controller !== null"
    browser.wait(lambda: browser.run(controlled), "the worker")
    browser.run(SHARE, picture)
    browser.see("How should you and Cleo help each other?", 60)
    browser.press("Cancel")
    # A shared picture is used only once.
    browser.open("/scan").see("Or choose a picture of a code")
    assert "Cleo" not in browser.text


def test_shared_picture_without_worker_opens_scanner(server):
    answer = requests.post(
        f"{server.url}/web/share", files={"picture": b"x"}, allow_redirects=False, timeout=30
    )
    assert answer.status_code == 303 and answer.headers["location"] == "/scan"


class Upgrading(Network):
    """A network that makes the server's service worker look like the next version's while `is_new`
    is set."""

    is_new = False

    def altered(self, data, is_answer):
        if not is_answer:
            # A compressed or "not modified" answer couldn't be altered.
            data = data.replace(b"Accept-Encoding:", b"X-ccept-Encoding:")
            return data.replace(b"If-None-Match:", b"X-f-None-Match:")
        return re.sub(VERSION, rb'\1"next-version"', data) if self.is_new else data


def test_upgrade_under_open_page_loses_nothing(server, people, make_browser):
    network = Upgrading(server)
    browser = enter(make_browser(network), ANA)
    worker = Worker(browser)
    browser.see("Call for help")
    network.become("cut")
    browser.see("You are offline")
    before = [it["id"] for it in people[0].pages("/v1/check-ins")]
    browser.press("Check in")
    browser.see("waiting to be sent")
    [item] = json.loads(browser.run("return localStorage.queue"))
    # The new version arrives while the page's own requests fail.
    browser.block("*/web/queue")
    network.is_new = True
    network.become("open")
    browser.run("return navigator.serviceWorker.ready.then((it) => it.update()).then(() => true)")
    browser.wait(lambda: browser.run(HAS_NEXT), "the new worker")
    # The page still works, and its files are still available.
    load = "return import(arguments[0]).then(() => true)"
    source = browser.run("return document.querySelector('script[src]').src")
    assert browser.run(load, source.replace("app.js", "scanner.js")) is True
    worker.sync()
    wait_until(
        lambda: [it["id"] for it in people[0].pages("/v1/check-ins")] == [item["id"], *before],
        30,
        "the check-in",
    )
    worker.close()
    network.close()
