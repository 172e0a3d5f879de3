import io

import pytest
from PIL import Image

from support.api import Client, new_id
from support.bad_pictures import saved
from support.people import enter, known, press_in_question, retype
from support.program import CODE, phone_number

ANA, BEN, CLEO, FREE = (phone_number(i) for i in range(4))
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
EXIF_ROTATED = 6


@pytest.fixture
def server(make_server):
    return make_server("--codes-per-number", "1000").start()


def set_note(browser, text):
    """Sets the whole text at once, as pasting does."""
    browser.driver.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', "
        "{bubbles: true}))",
        browser.field("Emergency note"),
        text,
    )


def names(browser):
    return [name.text for name in browser.all(".contact-name")]


def test_contacts_see_changed_name_and_note(server, make_browser):
    ben_api = known(server, BEN, "Ben")
    ana_api = known(server, ANA, "Ana", ben_api)
    ana, ben = (
        enter(make_browser(server), ANA, "/profile"),
        enter(make_browser(server), BEN, "/dependents"),
    )
    ben.see("Ana")

    ana.press("Edit name and note")
    retype(ana.field("Name"), "x" * 101)
    ana.press("Save")
    ana.see("Use at most 100 characters for your name.")
    retype(ana.field("Name"), "  Anna Maria  ")
    # Ana's phone has changed the note meanwhile. The change stays, because she hasn't edited the
    # note here.
    ana_api.call("PATCH", "/v1/me", {"emergencyNote": "Insulin in the fridge."})
    ana.wait(
        lambda: ana.field("Emergency note").get_property("value") == "Insulin in the fridge.",
        "the note of the telephone",
    )
    ana.press("Save")
    ana.wait(lambda: not ana.all("dialog"), "the end of the form")
    ana.see("Anna Maria")
    assert (
        ana_api.get("/v1/me")["name"] == "Anna Maria"
        and ana_api.get("/v1/me")["emergencyNote"] == "Insulin in the fridge."
    )
    ben.wait(lambda: names(ben) == ["Anna Maria"], "the new name")

    ana.press("Edit name and note")
    set_note(ana, "n" * 4001)
    ana.press("Save")
    ana.see("An emergency note has at most 4,000 characters.")
    retype(ana.field("Name"), " ")
    ana.wait(lambda: not ana.can_press("Save"), "no way to save without a name")
    ana.press("Cancel")
    ana.see("Insulin in the fridge.")
    assert ana.complaints() == []


def test_longest_note_of_four_byte_letters_is_saved(server, make_browser):
    api = known(server, ANA, "Ana", known(server, BEN, "Ben"))
    ana = enter(make_browser(server), ANA, "/profile")
    ana.press("Edit name and note")
    set_note(ana, "𞤀" * 4000)
    ana.press("Save")
    ana.wait(lambda: not ana.all("dialog"), "the end of the form")
    assert api.get("/v1/me")["emergencyNote"] == "𞤀" * 4000
    assert ana.complaints() == []


def test_far_too_long_note_is_refused(server, make_browser):
    api = known(server, ANA, "Ana", known(server, BEN, "Ben"))
    ana = enter(make_browser(server), ANA, "/profile")
    ana.press("Edit name and note")
    set_note(ana, "Insulin.")
    # The script cuts between two letters, which have two UTF-16 units each.
    set_note(ana, "a" + "𞤀" * 40000)
    ana.press("Save")
    ana.see("An emergency note has at most 4,000 characters.")
    assert api.get("/v1/me").get("emergencyNote", "") == ""


def test_picture(server, make_browser, tmp_path):
    ben_api = known(server, BEN, "Ben")
    known(server, ANA, "Ana", ben_api)
    ana, ben = (
        enter(make_browser(server), ANA, "/profile"),
        enter(make_browser(server), BEN, "/dependents"),
    )
    ben.see("Ana")

    def choose(name, content):
        (tmp_path / name).write_bytes(content)
        ana.find("input[type=file]").send_keys(str(tmp_path / name))

    refused = {
        "page.png": b"<html><script>alert(1)</script></html>",
        "drawing.svg": SVG,
        "drawing.png": SVG,
        "moving.gif": saved(Image.new("RGB", (9, 9)), "GIF"),
        "empty.png": b"",
        "cut.jpg": saved(Image.effect_noise((400, 400), 90).convert("RGB"), "JPEG")[:9_000],
        "large.png": b"\x89PNG\r\n\x1a\n" + bytes(9_000_000),
    }
    for name, content in refused.items():
        choose(name, content)
        ana.press("Dismiss")
        ana.wait(lambda: not ana.all(".error-card"), "the words are gone")
        assert not ana.all("img.picture"), name

    red_above = Image.new("RGB", (60, 120), "blue")
    red_above.paste("red", (0, 0, 60, 60))
    for name, content, side in [
        ("photo.png", saved(red_above, "PNG"), (0, -1)),
        ("turned.jpg", turned(red_above), (1, 0)),
    ]:
        choose(name, content)
        ana.press("Use this picture")
        ana.see("Change picture")
        # Ben's page shows the picture without a reload.
        shown = ben.wait(lambda: picture(ben), "the picture")
        assert colour(shown, side) == "red" and colour(shown, (-side[0], -side[1])) == "blue", name
        ana.press("Remove picture")
        ana.see("Add a picture")
        ben.wait(lambda: not ben.all("img.picture"), "no picture")

    choose("photo.png", saved(red_above, "PNG"))
    ana.press("Discard")
    ana.see("Add a picture")
    assert ana.complaints() == [] and ben.complaints() == []


def test_failed_picture_upload_is_reported(server, make_browser, tmp_path):
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    (tmp_path / "photo.png").write_bytes(saved(Image.new("RGB", (60, 60), "red"), "PNG"))

    ana.block("*/web/files/*")
    ana.find("input[type=file]").send_keys(str(tmp_path / "photo.png"))
    ana.see("The file was not sent. Please try again.")
    ana.block()
    ana.find("input[type=file]").send_keys(str(tmp_path / "photo.png"))
    ana.press("Use this picture")
    ana.see("Change picture")


def turned(image):
    """Returns the picture as written by a camera that is held sideways."""
    exif = Image.Exif()
    exif[0x0112] = EXIF_ROTATED
    return saved(image, "JPEG", exif=exif, quality=95)


def picture(browser):
    """Returns the picture on the page, fetched with the page's cookie."""
    image = next(iter(browser.all("img.picture")), None)
    if not image or not image.get_property("naturalWidth"):
        return None
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    answer = Client(type("Page", (), {"url": ""})).send(
        "GET", image.get_property("src"), cookies=cookies
    )
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def colour(image, side):
    x, y = (int(size * (0.5 + 0.4 * part)) for size, part in zip(image.size, side))
    red, _, blue = image.getpixel((x, y))
    return "red" if red > blue else "blue"


def test_phone_number(server, make_browser):
    known(server, BEN, "Ben")
    ana_api = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    ana.press("Change phone number")
    # Cancelling in the middle changes nothing.
    ana.field("New phone number").send_keys(FREE)
    ana.press("Send code")
    ana.field("6-digit code")
    ana.press("Cancel")
    ana.wait(lambda: not ana.all("dialog"), "the end of the sheet")
    assert ana_api.get("/v1/me")["phoneNumber"] == ANA

    ana.press("Change phone number")
    ana.field("New phone number").send_keys("12")
    ana.press("Send code")
    ana.see("Start with +, then the country code")
    retype(ana.field("New phone number"), BEN)
    ana.press("Send code")
    ana.field("6-digit code").send_keys(CODE)
    ana.see("Another account has this phone number.")
    ana.press("Use another number, or get another code")
    retype(ana.field("New phone number"), FREE)
    ana.press("Send code")
    ana.field("6-digit code").send_keys("111111")
    ana.see("That code isn’t right.")
    retype(ana.field("6-digit code"), CODE)
    ana.see(f"Your number is now {FREE}.")
    ana.press("Close")
    ana.wait(lambda: FREE in ana.text and ANA not in ana.text, "the new number")
    assert ana_api.get("/v1/me")["phoneNumber"] == FREE
    assert ana.complaints() == []


def test_sign_out_leaves_nothing_behind(server, make_browser):
    known(server, ANA, "Ana Lovelace")
    ana = enter(make_browser(server), ANA, "/profile")
    ana.see("Ana Lovelace")
    session = session_cookie(ana)
    ana.press("Sign out")
    ana.press("Stay signed in")
    ana.wait(lambda: not ana.all("dialog"), "no question")
    ana.press("Sign out")
    press_in_question(ana, "Sign out")
    ana.field("Phone number")
    assert ana.path == "/"
    source = ana.driver.page_source
    assert "Ana Lovelace" not in source and ANA not in source
    assert ana.driver.execute_script(
        "return [localStorage.user ?? '', document.documentElement.dataset.user ?? '']"
    ) == ["", ""]
    for path in ("/profile", "/settings", "/notifications"):
        assert "Ana Lovelace" not in ana.open(path).driver.page_source
        ana.field("Phone number")
    # A cookie that was stolen before the sign-out opens nothing.
    thief = make_browser(server).open()
    thief.driver.add_cookie({"name": session["name"], "value": session["value"], "path": "/"})
    thief.open("/profile").field("Phone number")
    assert "Ana Lovelace" not in thief.driver.page_source
    # The browser's Back button doesn't show her pages.
    ana.driver.back()
    ana.field("Phone number")
    assert "Ana Lovelace" not in ana.driver.page_source
    assert ana.complaints() == []


def test_sign_out_question_names_the_open_alert(server, make_browser):
    telephone = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    telephone.put(f"/v1/alerts/{new_id()}", {})
    ana.see("Your alert is on")
    ana.press("Sign out")
    ana.see("Your alert stays on. End it first, or sign in again to end it.")
    ana.press("Stay signed in")
    ana.wait(lambda: not ana.all("dialog"), "no question")
    assert ana.complaints() == []


def test_sign_out_ends_the_session_on_the_server(server, make_browser):
    telephone = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    assert len(telephone.get("/v1/auth/sessions")["items"]) == 2
    ana.press("Sign out")
    press_in_question(ana, "Sign out")
    ana.field("Phone number")
    assert [session["isCurrent"] for session in telephone.get("/v1/auth/sessions")["items"]] == [
        True
    ]


def test_offline_press_has_no_effect_later(server, make_browser):
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    ana.press("Sign out")
    ana.find("dialog.question")
    ana.cut_line()
    ana.see("You are offline.")
    press_in_question(ana, "Sign out")
    ana.see("Available when you’re back online.")
    ana.cut_line(False)
    ana.miss("You are offline.")
    # The server handles the page's presses in order, so an earlier one would have signed Ana out.
    press_in_question(ana, "Stay signed in")
    ana.wait(lambda: not ana.all("dialog"), "the end of the question")
    ana.press("Home")
    ana.see("Call for help")


def test_offline_checkbox_stays_as_it_was(server, make_browser):
    phone = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/settings")
    ana.wait(lambda: ana.field("Pings").is_enabled(), "the settings")
    ana.cut_line()
    ana.see("You are offline.")
    ana.choose("Pings")
    ana.see("Available when you’re back online.")
    assert ana.field("Pings").is_selected()
    ana.cut_line(False)
    ana.miss("You are offline.")
    # The server handles the page's events in order.
    ana.choose("Check-ins")
    ana.wait(lambda: not ana.field("Check-ins").is_selected(), "the choice")
    muted = lambda: phone.get("/v1/notification-preferences")["muted"]
    ana.wait(lambda: muted() == ["checkIn"], "only the second choice")


def test_offline_sign_out_works_when_pressed_again(server, make_browser):
    known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    ana.cut_line()
    ana.see("You are offline.")
    ana.press("Sign out")
    ana.see("Available when you’re back online.")
    ana.cut_line(False)
    ana.miss("You are offline.")
    assert not ana.all("dialog")
    ana.press("Sign out")
    press_in_question(ana, "Sign out")
    ana.field("Phone number")


def session_cookie(browser):
    return next(cookie for cookie in browser.driver.get_cookies() if "lifesignal" in cookie["name"])
