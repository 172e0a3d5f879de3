"""Uses the app's views. Walk goes through their screens with the real server, as the browser tests
go through the web app's pages. Walk records both for each state. See Walk/Phone.swift."""

import json
import os
import re
import subprocess

import pytest
from check import ROOT
from page import Page, plain
from strings import texts

# A time in the format of the device's language and region.
TIME = re.compile(r"(\d{1,2} \w{3} \d{4} at |\w+day, ([\w ]+, )?)?\d{1,2}:\d{2}(:\d{2})? [AP]M")
# Texts that must differ in an app. An app runs without a browser. Only the page's script counts the
# presses of the alert button. The system asks for permission to use the camera.
OF_THE_APP = {
    "Asking the device …", "1 of 4", "2 of 4", "3 of 4",
    "You are asked whether LifeSignal may use the camera. LifeSignal only searches the picture for "
    "a code.",
}  # fmt: skip
# Controls that differ between the two apps: the page unfolds what iOS shows in a menu.
OF_ONE_APP = re.compile(r"More: .*|Download as CSV|Notifications( \d+ unread)?|Another country")
# On a page, the choices of this menu are shown only on request.
COUNTRY = re.compile(r".* \(\+\d+\)")
# On a page, a time zone is typed.
TIME_ZONE = re.compile(r"[A-Z][A-Za-z-]+(/[A-Za-z0-9+ -]+)+|Choose a time zone")
# Screens of the browser tests that the app doesn't have, and the reason for each.
NOT_WALKED = {
    "alert-holding": "a hold is a gesture, tested in AlertFeature",
    "alerts-told": "unfolds a part of `alerts`",
    "check-ins": "unfolds a part of `home`",
    "code-renewal": "unfolds a part of `code`",
    "schedule-times": "a field for a time is the system's picker in the app",
    "schedule-question": "the system's question in the app",
    "pause": "a field for a time is the system's picker in the app",
    "paused": "follows `pause`",
    "pause-question": "the system's question in the app",
    "journey-form": "a field for a date is the system's picker in the app",
    "journey-responders": "follows `journey-form`",
    "journey-return": "a field for a date is the system's picker in the app",
    "source-address": "`SourcesFeatureTests` has the address of a new source",
    "source-refused": "`SourcesFeatureTests` has the refusal",
    "source-question": "the system's question in the app",
    "notifications-preferences": "unfolds a part of `notifications`",
    "notifications-sign-in": "needs a session on another device",
    "alert-ended-elsewhere": "needs a session on another device",
    "scanner-without-camera": "of a browser's permission",
    "add-unknown": "of a link in the address bar",
    "sign-in-link": "of a link in the address bar",
    "sign-in-link-refused": "follows `sign-in-link`",
    "sign-in-recovery": "`OtherWaysInTests` has the field",
    "recovery-codes": "`SignInSecurityFeatureTests` has the codes",
    "dependents-missed": "`home-missed` shows the same on the other side",
    "profile-new-picture": "the system's picker of pictures",
    "profile-picture": "the system's picker of pictures",
    "email-code": "needs a mail server",
    "webhook-refused": "`WebhookFeatureTests` has the refusal",
    "push-card": "of a browser's permission",
    "push-card-notifications": "of a browser's permission",
    "push-off": "of a browser's permission",
    "push-blocked": "of a browser's permission",
    "push-on": "of a browser's permission",
    "push-question": "of a browser's permission",
    "offline-page": "of a page's service worker",
    "offline-shell": "of a page's service worker",
}


@pytest.fixture(scope="module")
def walk(check):
    environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    program = subprocess.Popen(
        [check.walk()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        # The limit is many times what the slowest machine needs.
        seen, waits = program.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        program.kill()
        pytest.fail("The walk does not end. " + program.communicate()[1])
    assert program.returncode == 0, waits
    return json.loads(seen)


@pytest.fixture(scope="module")
def screens(walk):
    return [(screen, Page(screen["page"])) for screen in walk["screens"]]


def test_app_and_page_send_the_same_actions(walk):
    assert not walk["differences"], "\n".join(walk["differences"])
    assert walk["compared"] > 80


def test_page_has_every_text_of_the_screen(screens):
    own = set(texts((ROOT / "Apps/iOS/Sources/LifeSignalApp/Shared/AppWords.swift").read_text()))
    missing = []
    for screen, page in screens:
        for words in map(plain, screen["words"]):
            known = words in own | OF_THE_APP or TIME.fullmatch(words) or page.says(words)
            known = known or COUNTRY.fullmatch(words) or TIME_ZONE.fullmatch(words)
            if re.search("[A-Za-z]{2}", words) and not known:
                missing.append(f"{screen['name']}: {words}")
    assert not missing, "\n".join(missing)


def test_page_has_every_control_of_the_screen(screens):
    wrong = []
    for screen, page in screens:
        for control in screen["controls"]:
            names = [control["name"], plain(f"{control['name']} {control['value']}")]
            states = [page.enabled(name) for name in names if name in page.controls]
            if not states and control["kind"] == "choice":
                states = [page.says(control["name"]) or None]
            if OF_ONE_APP.fullmatch(control["name"]):
                continue
            if not states or control["isEnabled"] not in states:
                wrong.append(f"{screen['name']}: {control}, on the page {states}")
    assert not wrong, "\n".join(wrong)


def test_screen_has_every_control_of_the_page(screens):
    missing = []
    for screen, page in screens:
        here = {plain(words) for words in screen["words"]}
        for control in screen["controls"]:
            here |= {control["name"], plain(f"{control['name']} {control['value']}")}
        for name in page.in_front():
            if name not in here and not OF_ONE_APP.fullmatch(name):
                missing.append(f"{screen['name']}: {name}")
    assert not missing, "\n".join(missing)


def test_walk_covers_the_browser_tests_screens(screens):
    source = (ROOT / "Tests/EndToEnd/web/test_every_screen.py").read_text()
    wanted = set(re.findall(r'yield "([a-z-]+)"', source))
    wanted |= set(re.findall(r'"(home-[a-z]+)"\)', source))
    assert len(wanted) > 60
    seen = {screen["name"] for screen, _ in screens}
    assert wanted - seen == set(NOT_WALKED)


def test_page_reader_sees_what_users_perceive():
    page = Page(
        """
        <nav><a href="/">Home</a></nav><p hidden>Secret</p>
        <label for="a">Name</label><input id="a" readonly>
        <button aria-label="OK: saved" disabled><svg aria-hidden="true">x</svg>OK</button>
        <p>You raised it <time>now</time>. <b>Ben</b>: called</p><button>Open</button>
        <dialog class="sheet"><button>Close</button></dialog>
        """
    )
    assert page.says("Ben: called") and page.says("OK: saved") and not page.says("Secret")
    assert page.enabled("Name") is False and page.enabled("OK: saved") is False
    assert page.enabled("Open") is True and page.enabled("Close") is True
    assert page.enabled("Nothing") is None
    assert page.in_front() == {"Close"}
