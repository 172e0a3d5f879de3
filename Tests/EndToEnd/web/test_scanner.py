"""Contacts are added by code: with the camera, from a picture, or by a typed id. Covers everything
that can go wrong."""

import base64

import pytest
from PIL import Image
from selenium.webdriver import ActionChains, Keys

from support.camera import film
from support.people import come_back, shown_id
from support.program import phone_number


# Records on every page how often the camera was requested, and the streams that it returned.
WITNESS = """
    window.asked = 0; window.streams = [];
    const media = navigator.mediaDevices, ask = media.getUserMedia.bind(media);
    media.getUserMedia = async (wish) => { asked += 1; const stream = await ask(wish);
      streams.push(stream); return stream; };
"""


def saved_code(browser):
    browser.open("/profile").press("My QR code")
    return base64.b64decode(browser.find("img.qr").get_attribute("src").split(",", 1)[1])


def script(browser, text):
    return browser.driver.execute_script("return " + text)


def watch_the_camera(browser):
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WITNESS})


def is_camera_on(browser):
    return script(
        browser,
        "streams.some((stream) => stream.getTracks().some((track) => track.readyState == 'live'))",
    )


@pytest.fixture
def ana(server, make_browser):
    browser = make_browser(server)
    browser.device = come_back(server, browser, phone_number(1), "Ana")
    return browser


def test_camera_reads_a_code(server, ana, make_browser, tmp_path):
    ben = make_browser(server, camera=film(saved_code(ana), tmp_path / "ana.y4m"))
    watch_the_camera(ben)
    come_back(server, ben, phone_number(2), "Ben")
    ben.open("/dependents")
    ben.see("You watch over no one yet")
    assert script(ben, "asked") == 0
    ben.press("Add someone to watch over")
    ben.see("How should you and Ana help each other?", timeout=30)
    ben.wait(lambda: not is_camera_on(ben), "the camera to be released")
    assert script(ben, "asked") == 1
    ben.press("Add Ana")
    ben.see("The contact was added")
    ana.open("/responders").see("Ben")
    assert ben.complaints() == []


@pytest.mark.parametrize("leave", ["Cancel", "Escape", "Back"])
def test_camera_is_released_when_scanner_closes(server, make_browser, tmp_path, leave):
    ben = make_browser(server, camera=film(None, tmp_path / "wall.y4m"))
    watch_the_camera(ben)
    come_back(server, ben, phone_number(2), "Ben")
    ben.press("Responders")
    ben.press("Add a responder")
    ben.see("Hold the code in front of the camera.")
    ben.wait(lambda: is_camera_on(ben), "the camera")
    if leave == "Cancel":
        ben.press("Cancel")
    elif leave == "Escape":
        ActionChains(ben.driver).send_keys(Keys.ESCAPE).perform()
    else:
        ben.driver.back()
    ben.miss("Scan a LifeSignal code")
    ben.wait(lambda: not is_camera_on(ben), "the camera to be released")
    assert ben.complaints() == []


def test_camera_is_released_when_scanner_closes_offline(server, make_browser, tmp_path):
    ben = make_browser(server, camera=film(None, tmp_path / "wall.y4m"))
    watch_the_camera(ben)
    come_back(server, ben, phone_number(2), "Ben")
    ben.press("Responders")
    ben.press("Add a responder")
    ben.see("Hold the code in front of the camera.")
    ben.wait(lambda: is_camera_on(ben), "the camera")
    ben.cut_line()
    ben.see("You are offline.")
    ben.press("Cancel")
    ben.wait(lambda: not is_camera_on(ben), "the camera to be released")
    assert ben.all("video")
    ben.cut_line(False)
    ben.wait(lambda: not ben.all("video"), "the end of the scanner")
    assert not is_camera_on(ben)


def test_scanner_works_without_camera(server, ana, make_browser, tmp_path):
    ben = make_browser(server, camera=film(saved_code(ana), tmp_path / "ana.y4m"))
    ben.allow_camera(False)
    come_back(server, ben, phone_number(2), "Ben")
    ben.open("/dependents").press("Add someone to watch over")
    ben.see("The camera can’t be used. Allow it in your browser, choose a picture, or type the id.")
    assert not ben.find("video").is_displayed() and not [
        button for button in ben.all("button") if button.text == "Light"
    ]
    # The camera works once the user has allowed it and reopens the scanner.
    ben.press("Cancel")
    ben.allow_camera()
    ben.press("Add someone to watch over")
    ben.see("How should you and Ana help each other?", timeout=30)


def test_picture_of_code_is_read(server, ana, make_browser, tmp_path):
    ben = make_browser(server)
    come_back(server, ben, phone_number(2), "Ben")
    wall, text, code = tmp_path / "wall.png", tmp_path / "text.png", tmp_path / "ana.png"
    Image.new("RGB", (400, 300), "white").save(wall)
    text.write_bytes(b"This is no picture.")
    code.write_bytes(saved_code(ana))
    ben.open("/dependents").press("Add someone to watch over")
    for wrong, words in (
        (wall, "We could not read the code in the picture"),
        (text, "This is neither a PNG nor a JPEG picture."),
    ):
        ben.field("Or choose a picture of a code").send_keys(str(wrong))
        ben.see(words)
        ben.see("Scan a LifeSignal code")
        ben.press("Dismiss")
        ben.miss(words)
    ben.field("Or choose a picture of a code").send_keys(str(code))
    ben.see("How should you and Ana help each other?")
    ben.see("Add Ana")
    assert "What went wrong" not in ben.text


def typed(browser, id):
    browser.press("Add a responder")
    browser.field("Or type the id").send_keys(id)
    browser.press("Use this id")


def test_typed_id_is_accepted(server, ana, make_browser):
    ben = make_browser(server)
    come_back(server, ben, phone_number(2), "Ben")
    ana.open("/profile").press("My QR code")
    id = shown_id(ana)
    assert len(id) == 35 and id.count("-") == 3
    ben.open("/responders")
    for wrong in ("12345678", "hello", id[:-1] + "z", id + "0"):
        typed(ben, wrong)
        ben.see("This is not a LifeSignal code")
        ben.press("Cancel")
        ben.miss("Scan a LifeSignal code")
    for right in (id, id.replace("-", ""), id.upper(), f"  {id}  "):
        typed(ben, right)
        ben.see("How should you and Ana help each other?")
        ben.press("Cancel")
        ben.miss("Add a contact")


def test_old_own_and_known_codes_add_nobody(server, ana, make_browser):
    ben = make_browser(server)
    device = come_back(server, ben, phone_number(2), "Ben")
    old = ana.device.get("/v1/me/qr-code")["id"]
    ana.device.post("/v1/me/qr-code")
    new = ana.device.get("/v1/me/qr-code")["id"]
    assert old != new
    ben.open("/responders")
    typed(ben, old)
    ben.see("No one has this code")
    ben.press("Cancel")
    typed(ben, device.get("/v1/me/qr-code")["id"])
    ben.see("own code")
    ben.press("Cancel")
    typed(ben, new)
    ben.press("Add Ana")
    ben.see("You asked Ana to be your responder. They have not accepted yet.")
    typed(ben, new)
    ben.press("Add Ana")
    ben.see("You are contacts already")


def test_wrong_id_offers_another_try(server, ana, make_browser):
    ben = make_browser(server)
    come_back(server, ben, phone_number(2), "Ben")
    ben.open("/dependents").press("Add someone to watch over")
    ben.field("Or type the id").send_keys("5" * 32)
    ben.press("Use this id")
    ben.press("Try another code")
    ben.field("Or type the id").send_keys(ana.device.get("/v1/me/qr-code")["id"])
    ben.press("Use this id")
    ben.see("Add Ana")
    assert ben.complaints() == []
