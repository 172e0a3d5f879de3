"""Checks the accessibility and layout of every screen and sheet; see `support/looks.js`. Saves a
picture of each in `.build/screenshots`."""

import time

import pytest
from selenium.webdriver import ActionChains, Keys

from support import api
from support.api import set_interval, watch_over
from support.looks import Looks
from support.people import portrait, press_in_question, retype, sign_in
from support.program import CODE, phone_number
from support.push import PushService
from support.worker import let_subscribe, set_notifications

ANA = phone_number(1)
LONG_NAME = "Maximiliane Schwarzenberger-von der Osten"
# These screens are also checked in every size and in dark mode.
MAIN = {
    "sign-in", "home", "home-overdue", "journey", "journey-overdue", "alert-on", "alert-missed",
    "responders-pings", "dependents-trouble", "dependent-alert", "dependent-alert-journey",
    "dependent-alert-two", "contact", "notifications", "profile", "settings", "source-address",
    "webhook-form", "push-card", "push-on",
}  # fmt: skip
# These screens disappear too soon for all checks.
FLEETING = {"alert-presses", "alert-holding", "checked-in"}


class Scene:
    def __init__(self, server, browser):
        self.server, self.browser = server, browser
        self.people = 1

    def ana(self):
        sign_in(self.browser, ANA, "Ana Lima")
        return api.sign_in(self.server, ANA, "Ana Lima")

    def somebody(self, name, interval=86400):
        self.people += 1
        person = api.sign_in(self.server, phone_number(self.people), name)
        set_interval(person, interval)
        person.check_in()
        return person


def signing_in(scene):
    browser = scene.browser
    browser.open()
    browser.see("Send code")
    yield "sign-in"
    browser.open("/join/" + "A" * 43)
    browser.see("You have a sign-up link")
    yield "sign-in-link"
    browser.field("Phone number").send_keys(ANA)
    browser.press("Send code")
    browser.see("This sign-up link is not valid.")
    yield "sign-in-link-refused"
    retype(browser.field("Phone number"), ANA)
    browser.press("Use a recovery code")
    browser.see("Enter a recovery code")
    yield "sign-in-recovery"
    browser.press("Change the phone number")
    retype(browser.field("Phone number"), "12")
    browser.press("Send code")
    browser.find(".field .error")
    yield "sign-in-refused"
    retype(browser.field("Phone number"), ANA)
    browser.press("Send code")
    browser.see("Enter the code")
    yield "sign-in-code"
    browser.field("6-digit code").send_keys("123456")
    browser.see("4 tries left")
    yield "sign-in-wrong-code"
    retype(browser.field("6-digit code"), CODE)
    browser.see("What is your name?")
    yield "onboarding-name"
    browser.press("Continue")
    browser.find(".field .error")
    yield "onboarding-name-refused"
    browser.field("Name").send_keys("Ana Lima")
    browser.press("Continue")
    browser.see("What should your responders know?")
    yield "onboarding-note"
    browser.press("Continue")
    browser.see("How do you want to check in?")
    yield "onboarding-interval"
    browser.press("Continue")
    browser.see("When do you want to be reminded?")
    yield "onboarding-reminders"
    browser.press("Continue")
    browser.see("Your first check-in")
    yield "onboarding-check-in"
    browser.press("Check in")
    browser.see("Who should we tell?")
    yield "onboarding-responder"


def home(scene):
    ana, browser = scene.ana(), scene.browser
    yield "home"
    browser.press("Check in")
    browser.see("Checked in at")
    yield "checked-in"
    for seconds, words, name in (
        (7000, "Check in soon", "home-warning"),
        (1500, "Check in now", "home-critical"),
        (1, "You’re overdue", "home-overdue"),
    ):
        set_interval(ana, seconds)
        browser.see(words)
        yield name
    set_interval(ana, 86400)
    browser.press("Schedule")
    browser.see("Remind me before the deadline")
    yield "schedule"
    hours = browser.field("Or another number of hours")
    hours.send_keys("200")
    browser.see("Enter 1 to 168 hours.")
    yield "schedule-refused"
    browser.choose("By a time of day")
    browser.see("Check-ins count from")
    retype(browser.field("Time zone"), "Europe/Berlin")
    browser.see("Longest time until we tell someone: 30 hours")
    browser.press("Add another time")
    browser.see("Remove this time")
    yield "schedule-times"
    browser.choose("Not at all: I only watch over others")
    browser.see("Nobody is told if you are silent")
    browser.press("Save")
    browser.see("Save this schedule?")
    yield "schedule-question"
    press_in_question(browser, "Go back")
    browser.press("Cancel")
    ana.check_in()
    browser.press("Pause check-ins")
    browser.see("Beginning a pause is a check-in")
    yield "pause"
    browser.choose("3 days")
    browser.press("Begin the pause")
    browser.see("Paused until")
    yield "paused"
    browser.press("End the pause")
    browser.see("You get deadlines again")
    yield "pause-question"
    press_in_question(browser, "End it now")
    browser.see("Pause check-ins")
    for _ in range(3):
        ana.check_in()
    browser.press("Your check-ins")
    yield "check-ins"
    browser.press("Show the month")
    browser.see("Choose a day to see its check-ins.")
    browser.find("button.day.today")
    browser.run("document.querySelector('button.day.today').click()")
    browser.find(".day.today[aria-pressed=true]")
    yield "check-ins-month"
    browser.press("Show the list")
    browser.press("Your code")
    browser.find("img.qr")
    yield "code"
    browser.choose("For any camera")
    browser.see("Any camera app opens the link")
    browser.find("img.qr")
    yield "code-for-any-camera"
    browser.press("Renew the code")
    yield "code-renewal"
    browser.press("Scan someone’s code")
    browser.see("The camera can’t be used")
    yield "scanner-without-camera"


def journeys(scene):
    ana, browser = scene.ana(), scene.browser
    ben = scene.somebody("Ben Okafor")
    watch_over(ben, ana)
    browser.see("Ben Okafor")
    browser.press("Start a journey")
    browser.see("Who is told")
    yield "journey-form"
    browser.field("Where you go").send_keys("Zugspitze")
    browser.choose("These first, and all others 15 minutes later if nobody is on it")
    browser.see("Choose at least one person.")
    yield "journey-responders"
    browser.choose("Ben Okafor")
    browser.press("Start the journey")
    browser.see("Back by")
    yield "journey"
    browser.press("Choose another return")
    browser.see("In 4 hours")
    yield "journey-return"
    browser.press("Cancel")
    browser.press("I have arrived")
    browser.button("Start a journey")
    leave(ana, "Zugspitze", 2)
    browser.see("You are not back from Zugspitze")
    yield "journey-overdue"
    browser.press("I have arrived")
    browser.miss("You are not back from Zugspitze")
    cleo = scene.somebody(LONG_NAME)
    watch_over(ana, cleo)
    wank = leave(cleo, "Wank", 3600, tellsResponders=True)
    browser.press("I watch over")
    browser.see("On a journey")
    yield "dependents-journey"
    cleo.put(f"/v1/journeys/{wank}/arrival", {"pressedAt": api.timestamp()})
    browser.miss("On a journey")
    leave(cleo, "Wank", 2, note="By car, over the Esterberg.")
    browser.see(f"{LONG_NAME} is not back from Wank")
    yield "dependents-journey-overdue"
    browser.press(f"See {LONG_NAME}’s alert")
    browser.see("By car, over the Esterberg.")
    yield "dependent-alert-journey"
    cleo.put(f"/v1/alerts/{api.new_id()}", {})
    browser.see(f"{LONG_NAME} has also raised an alert. No one is on it yet.")
    yield "dependent-alert-two"


def leave(person, name, seconds, **others):
    """Starts a journey without a grace, and returns its id."""
    journey = {
        "id": api.new_id(),
        "name": name,
        "expectedReturn": api.timestamp(time.time() + seconds),
        "graceMinutes": 0,
        "tellsResponders": False,
    }
    person.put("/v1/me/journey", {**journey, **others})
    return journey["id"]


def alert(scene):
    ana, browser = scene.ana(), scene.browser
    ben, cleo = scene.somebody("Ben Okafor"), scene.somebody(LONG_NAME)
    for responder in (ben, cleo):
        watch_over(responder, ana)
    press = (
        "for (let i = 0; i < arguments[0]; i += 1) document.querySelector('.alert-button').click()"
    )
    browser.run(press, 3)
    browser.see("3 of 4")
    yield "alert-presses"
    browser.cut_line()
    browser.see("You are offline")
    browser.run(press, 4)
    browser.see("NOT SENT: phone someone now")
    yield "alert-not-sent"
    browser.cut_line(False)
    browser.see("No one is on it yet")
    yield "alert-on"
    raised = next(ana.pages("/v1/alerts"))
    ben.post(f"/v1/alerts/{raised['id']}/acknowledgement")
    browser.see("Ben Okafor is on it")
    yield "alert-answered"
    ben.put(f"/v1/alerts/{raised['id']}/report", {"report": "foundSafe"})
    browser.see("Ben Okafor reports that you are safe")
    yield "alert-reported"
    browser.press("That is not true: alert everyone again")
    browser.see("No one is on it yet")
    for responder in (ben, cleo):
        responder.post(f"/v1/alerts/{raised['id']}/refusal")
    browser.see("Your responders can’t come")
    yield "alert-refused"
    browser.press("End it without holding")
    browser.find("[role=alertdialog]")
    yield "alert-question"
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    browser.wait(lambda: not browser.all("[role=alertdialog]"), "the end of the question")
    hold = browser.button("I am safe: hold to end")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", hold)
    ActionChains(browser.driver).click_and_hold(hold).perform()
    browser.wait(
        lambda: (
            float(browser.run("return arguments[0].style.getPropertyValue('--hold')", hold) or 0)
            > 0.4
        ),
        "half of the hold",
    )
    yield "alert-holding"
    browser.miss("Alert is on")
    ActionChains(browser.driver).release().perform()
    browser.press("Your alerts")
    yield "alerts"
    browser.press("Who was told")
    yield "alerts-told"
    another = api.new_id()
    ana.put(f"/v1/alerts/{another}", {})
    browser.see("Alert is on")
    ana.post(f"/v1/alerts/{another}/end")
    browser.see("Your alert was ended on another device, “end-to-end”")
    yield "alert-ended-elsewhere"
    ana.put(f"/v1/alerts/{api.new_id()}", {})
    browser.see("Alert is on")
    ana.check_in()
    set_interval(ana, 1)
    browser.see("You missed your check-in")
    yield "alert-missed"


def responders(scene):
    ana, browser = scene.ana(), scene.browser
    browser.open("/responders")
    browser.see("No one will be alerted")
    yield "responders-empty"
    ben, cleo = scene.somebody("Ben Okafor"), scene.somebody(LONG_NAME)
    for responder in (ben, cleo):
        watch_over(responder, ana)
    browser.see(LONG_NAME)
    yield "responders"
    for responder in (ben, cleo):
        responder.put(f"/v1/pings/{api.new_id()}", {"dependentID": ana.id})
    browser.see("2 responders ask")
    yield "responders-pings"
    browser.press(f"{LONG_NAME}: details")
    browser.find("#contact-title")
    yield "contact-responder"
    browser.press("I watch over them")
    browser.find("[role=alertdialog]")
    yield "contact-role-question"
    browser.press("Cancel")
    browser.press("Remove contact")
    browser.find("[role=alertdialog]")
    yield "contact-remove-question"
    browser.press("Cancel")
    browser.press("Close")
    browser.press("Add a responder")
    browser.see("Or type the id")
    yield "scanner"
    browser.field("Or type the id").send_keys("0" * 32, Keys.ENTER)
    browser.button("Try another code")
    yield "scanner-refused"
    dana = scene.somebody("Dana Novak")
    browser.open("/add/" + dana.get("/v1/me/qr-code")["id"])
    browser.see("How should you and Dana Novak help each other?")
    yield "add-contact"
    browser.press("Add Dana Novak")
    browser.see("The contact was added")
    yield "contact-added"
    browser.open("/add/" + "0" * 32)
    browser.see("This code is not in use")
    yield "add-unknown"


def dependents(scene):
    ana, browser = scene.ana(), scene.browser
    browser.open("/dependents")
    browser.see("You watch over no one yet")
    yield "dependents-empty"
    ben, cleo, dana = (
        scene.somebody("Ben Okafor"),
        scene.somebody(LONG_NAME, 5000),
        scene.somebody("Dana Novak"),
    )
    for person in (ben, cleo, dana):
        watch_over(ana, person)
    ben.call(
        "PATCH", "/v1/me", {"emergencyNote": "Allergic to nuts.\nMrs Ono next door has a key."}
    )
    ben.call("PUT", "/v1/me/picture", data=portrait(), headers={"Content-Type": "image/jpeg"})
    browser.see("Dana Novak")
    yield "dependents"
    browser.press("Ping Dana Novak")
    browser.see("No answer yet")
    yield "dependents-pinged"
    browser.press("Ben Okafor: details")
    browser.see("Allergic to nuts.")
    yield "contact"
    browser.press("Close")
    set_interval(cleo, 1)
    browser.see("1 person needs you now")
    yield "dependents-missed"
    ben.put(f"/v1/alerts/{api.new_id()}")
    browser.see("2 people need you now")
    yield "dependents-trouble"
    browser.press("See Ben Okafor’s alert")
    browser.see("Ben Okafor needs help")
    yield "dependent-alert"
    browser.press("I’m on it")
    browser.see("You are on it")
    yield "dependent-alert-mine"
    browser.press("Found safe")
    browser.see("Report that Ben Okafor is safe?")
    yield "dependent-alert-question"
    press_in_question(browser, "Yes, report it")
    browser.see("You reported that Ben Okafor is safe")
    yield "dependent-alert-reported"
    browser.press("Close")
    browser.press("Home")
    browser.see("Ben Okafor has raised an alert")
    yield "home-trouble"


def notifications(scene):
    ana, browser = scene.ana(), scene.browser
    browser.open("/notifications")
    browser.see("New sign-in to your account")
    yield "notifications-sign-in"
    browser.press("Delete all")
    press_in_question(browser, "Delete all")
    browser.see("Nothing yet")
    yield "notifications-empty"
    ben, cleo = scene.somebody("Ben Okafor"), scene.somebody(LONG_NAME)
    for person in (ben, cleo):
        code = ana.get("/v1/me/qr-code")["payload"]
        person.post("/v1/contacts", {"code": code, "isResponder": True, "isDependent": True})
        ana.put(f"/v1/contacts/{person.id}/requests/dependent")
        person.put(f"/v1/pings/{api.new_id()}", {"dependentID": ana.id})
        person.put(f"/v1/alerts/{api.new_id()}")
    browser.see(f"{LONG_NAME} has raised")
    yield "notifications"
    browser.choose("Unread only")
    yield "notifications-unread"
    browser.field("Show").send_keys("Removed contacts")
    browser.see("Nothing of this kind")
    yield "notifications-filtered"
    browser.press("Notification settings")
    yield "notifications-preferences"
    browser.press("Delete all")
    browser.find("[role=alertdialog]")
    yield "notifications-question"


def profile(scene):
    scene.ana()
    browser = scene.browser
    browser.open("/profile")
    browser.see("Edit name and note")
    yield "profile"
    picture = scene.server.folder / "picture.jpg"
    picture.write_bytes(portrait())
    browser.find("input[name=picture]").send_keys(str(picture))
    browser.button("Use this picture")
    yield "profile-new-picture"
    browser.press("Use this picture")
    browser.button("Remove picture")
    yield "profile-picture"
    browser.press("Edit name and note")
    browser.field("Emergency note")
    yield "profile-edit"
    browser.press("Cancel")
    browser.press("Change phone number")
    browser.field("New phone number").send_keys(phone_number(20))
    yield "phone-number"
    browser.press("Send code")
    browser.field("6-digit code")
    yield "phone-number-code"
    browser.field("6-digit code").send_keys(CODE)
    browser.see("Your number is now")
    yield "phone-number-done"
    browser.press("Close")
    browser.press("E-mail")
    browser.field("E-mail address").send_keys("ana@example.org")
    yield "email"
    browser.press("Send code")
    browser.field("6-digit code")
    yield "email-code"
    browser.press("Close")
    browser.press("Sign out")
    browser.find("[role=alertdialog]")
    yield "sign-out-question"
    browser.press("Stay signed in")
    browser.press("Settings")
    browser.see("Your devices")
    yield "settings"
    browser.press("Send messages to another service")
    browser.see("Anyone who knows an open topic")
    yield "webhook-form"
    browser.field("Address").clear()
    browser.field("Address").send_keys("ntfy")
    browser.press("Add this service")
    browser.see("A webhook has an address that")
    yield "webhook-refused"
    browser.press("Dismiss")
    browser.press("Cancel")
    browser.field("Name of the source").send_keys("B" * 41)
    browser.press("Add a source")
    browser.see("1 to 40 characters")
    yield "source-refused"
    browser.press("Dismiss")
    browser.field("Name of the source").clear()
    browser.field("Name of the source").send_keys("Kitchen button")
    browser.press("Add a source")
    browser.see("curl -X POST")
    yield "source-address"
    browser.press("Done")
    browser.press("Remove Kitchen button")
    browser.find("[role=alertdialog]")
    yield "source-question"
    browser.press("Keep it")
    browser.press("Export my data")
    browser.see("Your file is ready")
    yield "settings-export"
    browser.press("Delete account")
    browser.find("[role=alertdialog]")
    yield "settings-question"
    press_in_question(browser, "Keep my account")
    browser.press("Make recovery codes")
    browser.see("Your new recovery codes")
    yield "recovery-codes"


def messages(scene):
    """The screens about push messages to this browser."""
    ana, browser = scene.ana(), scene.browser
    ben = scene.somebody("Ben Okafor")
    watch_over(ben, ana)
    set_notifications(browser, "prompt")
    browser.open().see("Get alerts when LifeSignal is closed")
    yield "push-card"
    browser.open("/notifications").see("Get alerts when LifeSignal is closed")
    yield "push-card-notifications"
    browser.open("/settings").see("You are told here only while a page is open.")
    yield "push-off"
    set_notifications(browser, "denied")
    browser.see("Blocked")
    yield "push-blocked"
    service = PushService(lambda path: 201)
    let_subscribe(browser, service.browser("/page"))
    set_notifications(browser, "granted")
    hook = {"kind": "webhook", "url": "https://home.test/lifesignal"}
    ana.put(f"/v1/devices/{api.new_id()}", hook)
    browser.open("/settings")
    browser.press("Turn on notifications")
    browser.see("You are told here when LifeSignal is closed.")
    browser.press("Send a test")
    browser.see("The test is sent.")
    browser.see("home.test")
    yield "push-on"
    browser.press("Remove home.test")
    browser.find("[role=alertdialog]")
    yield "push-question"
    service.close()


def offline(scene):
    scene.ana()
    browser = scene.browser
    browser.wait(
        lambda: browser.run("return navigator.serviceWorker.controller !== null"),
        "the service worker",
    )
    browser.cut_line()
    browser.see("You are offline")
    yield "offline-page"
    browser.press("Check in")
    browser.see("1 waiting to be sent")
    yield "offline-waiting"
    scene.server.kill()
    browser.open()
    browser.see("What you press here is kept")
    yield "offline-shell"


WITHOUT_PUSH = [
    signing_in,
    home,
    journeys,
    alert,
    responders,
    dependents,
    notifications,
    profile,
    offline,
]
STORIES = [*WITHOUT_PUSH, pytest.param(messages, marks=pytest.mark.whole_browser)]


@pytest.fixture
def look_at(make_server, make_browser):
    def look(story):
        server = make_server("--demo-intervals", "--allow-private-webhooks").start()
        browser = make_browser(server)
        looks = Looks(browser)
        for screen in story(Scene(server, browser)):
            if screen in FLEETING:
                looks.glance(screen)
            else:
                looks.at(screen, is_main=screen in MAIN)
        assert not looks.findings, "\n".join(looks.findings)

    return look


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_screens(story, look_at):
    look_at(story)


@pytest.mark.kinds("webkit")
@pytest.mark.parametrize("story", WITHOUT_PUSH, ids=lambda story: story.__name__)
def test_screens_in_webkit(story, look_at):
    look_at(story)
