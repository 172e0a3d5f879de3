import base64
import subprocess

import pytest
from PIL import Image
from selenium.webdriver.common.keys import Keys

from support.people import come_back, shown_id, sign_in
from support.program import PROGRAM, phone_number

SHARING = "window.shared = []; navigator.share = async (what) => shared.push(what.url);"
NO_SHARING = "navigator.share = undefined;"


def own_code(ana, script=""):
    """Returns the code that Ana's page shows, in groups of eight."""
    ana.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    ana.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": ana.url},
    )
    ana.open("/").press("Your code")
    return shown_id(ana)


def clipboard(browser):
    return browser.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], arguments[0])"
    )


@pytest.fixture
def ana(server, make_browser):
    browser = make_browser(server)
    browser.device = come_back(server, browser, phone_number(1), "Ana")
    yield browser
    assert browser.complaints() == []


def test_code_is_shown_in_groups_and_copied(ana):
    id = own_code(ana)
    assert [len(group) for group in id.split("-")] == [8, 8, 8, 8]
    assert id.replace("-", "") == ana.device.get("/v1/me/qr-code")["id"].replace("-", "")
    ana.press("Copy id")
    ana.see("Copied")
    ana.wait(lambda: clipboard(ana) == id, "the id on the clipboard")
    ana.button("Copy id")


def test_link_is_shared_or_copied(ana):
    own_code(ana, SHARING)
    link = f"/add/{ana.device.get('/v1/me/qr-code')['id']}"
    ana.press("Share")
    ana.wait(
        lambda: ana.driver.execute_script("return shared.at(-1)?.endsWith(arguments[0])", link),
        "what was shared",
    )
    ana.press("Close")
    own_code(ana, NO_SHARING)
    ana.press("Share")
    ana.wait(lambda: clipboard(ana).endswith(link), "the link on the clipboard")


def test_code_picture_is_saved(ana, tmp_path):
    ana.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    own_code(ana)
    ana.press("Save picture")
    picture = tmp_path / "lifesignal-code.png"
    ana.wait(picture.exists, "the picture")
    with Image.open(picture) as saved:
        assert saved.format == "PNG" and saved.width == saved.height > 100


def shown_text(browser, folder):
    source = browser.find("img.qr").get_attribute("src")
    picture = folder / "code.png"
    picture.write_bytes(base64.b64decode(source.split(",", 1)[1]))
    return subprocess.check_output([PROGRAM, "qr", "decode", picture], text=True).strip()


def test_camera_code_opens_adding_after_sign_in(ana, server, make_browser, tmp_path):
    own_code(ana)
    assert shown_text(ana, tmp_path).startswith("{")
    ana.choose("For any camera")
    ana.see("Any camera app opens the link")
    ana.wait(lambda: shown_text(ana, tmp_path).startswith("http"), "the code with the link")
    assert ana.find("img.qr").get_attribute("alt") == "QR code with the link that adds you"
    assert ana.serious_findings() == []
    link = shown_text(ana, tmp_path)
    assert link.endswith(f"/add/{ana.device.get('/v1/me/qr-code')['id']}")

    ben = make_browser(server)
    sign_in(ben, phone_number(3), "Ben", "/add/" + link.rsplit("/", 1)[1])
    ben.see("How should you and Ana help each other?")
    assert ben.complaints() == []


def test_code_kind_is_chosen_by_keyboard(ana, tmp_path):
    own_code(ana)
    ana.field("For LifeSignal").send_keys(Keys.ARROW_RIGHT)
    ana.wait(lambda: shown_text(ana, tmp_path).startswith("http"), "the code with the link")
    assert ana.run("return document.activeElement.value") == "anyCamera"
    ana.field("For any camera").send_keys(Keys.ARROW_LEFT)
    ana.wait(lambda: shown_text(ana, tmp_path).startswith("{"), "the code for LifeSignal")


def test_renewing_takes_two_presses_and_revokes_old_code(ana, server, make_browser):
    old = own_code(ana)
    ben = make_browser(server)
    come_back(server, ben, phone_number(2), "Ben")
    ana.press("Renew the code")
    ana.see("The old one stops working everywhere.")
    assert shown_id(ana) == old
    ana.press("Renew now")
    ana.wait(lambda: shown_id(ana) != old, "another code")
    new = shown_id(ana)
    ben.open("/add/xyz").see("Not a LifeSignal code")
    ben.open("/add/" + old).see("No one has this code")
    ben.miss("Not a LifeSignal code")
    ben.open("/add/" + new).see("How should you and Ana help each other?")
