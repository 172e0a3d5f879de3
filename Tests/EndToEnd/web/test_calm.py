"""With reduced motion nothing moves, the content never shifts, and screen readers hear every
change."""

import pytest

from support import api
from support.api import watch_over
from support.people import sign_in
from support.program import phone_number

# Records each motion that begins, in words.
MOTION = """
    window.motions = [];
    for (const kind of ["animationstart", "transitionrun"]) {
      document.addEventListener(kind, (event) => {
        const name = event.animationName ?? event.propertyName;
        motions.push(`${kind} ${name} of ${event.target.className}`);
      }, true);
    }
"""
# Records how far the content shifts without a press, and what caused it.
SHIFTS = """
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput)
        shifts.push([entry.value, ...entry.sources.map((it) =>
        it.node?.textContent?.slice(0, 60))]);
    }).observe({ type: "layout-shift", buffered: false });
"""
# Records the announcements for screen readers, with their urgency.
WORDS = """
    window.said = [];
    const words = new WeakMap(), regions = "[role=status], [role=alert]";
    const read = (region) => region.textContent.replace(/\\s+/g, " ").trim();
    for (const region of document.querySelectorAll(regions)) words.set(region, read(region));
    new MutationObserver(() => {
      for (const region of document.querySelectorAll(regions)) {
        const now = read(region), isNew = !words.has(region);
        if (now && now !== words.get(region) && (region.role === "alert" || !isNew))
          said.push(`${region.role}: ${now}`);
        words.set(region, now);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
"""


FORCED = """
    const [selector, pseudo, property] = arguments;
    return getComputedStyle(document.querySelector(selector), pseudo)[property]
"""
BESIDE_ALERT = """
    const style = getComputedStyle(document.querySelector(".alert-bar"), "::before");
    return [style.visibility, style.content]
"""
PLACES = """
    return ["noscript .connection-banner", ".alert-bar"].map((selector) =>
      getComputedStyle(document.querySelector(selector)).position);
"""


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


def signed_in(server, make_browser, **options):
    """Signs Ana in. Returns her browser, and her second device."""
    browser = make_browser(server, **options)
    sign_in(browser, phone_number(1), "Ana")
    return browser, api.sign_in(server, phone_number(1), "Ana")


def responder(server, ana, name="Ben"):
    ben = api.sign_in(server, phone_number(2), name)
    watch_over(ben, ana)
    return ben


def hears(browser, words):
    browser.wait(
        lambda: any(words in line for line in browser.run("return said")),
        f"{words!r} to be said, and not {browser.run('return said')}",
    )


def test_reduced_motion_stops_animations(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    browser.prefer(reduced_motion="reduce")
    browser.open()
    browser.run(MOTION)
    browser.press("Check in")
    browser.see("Checked in at")
    browser.press("Schedule")
    browser.see("Remind me before the deadline")
    browser.press("Cancel")
    browser.press("Your check-ins")
    for tab in ("Responders", "Profile", "Home"):
        browser.press(tab)
        browser.see("Call for help" if tab == "Home" else tab)
    for _ in range(4):
        browser.press("Alert")
    browser.see("Alert is on")
    assert browser.run("return motions") == []
    assert browser.run("return document.getAnimations().length") == 0


def test_sheet_is_animated_by_default(server, make_browser):
    browser, _ = signed_in(server, make_browser)
    browser.run(MOTION)
    browser.press("Schedule")
    browser.wait(
        lambda: any("rise" in motion for motion in browser.run("return motions")),
        "the sheet to rise",
    )


def test_time_and_news_shift_no_content(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = responder(server, ana)
    # A short interval, so that the text shows seconds and takes every possible width.
    api.set_interval(ana, 70)
    browser.see("s left")
    browser.run(SHIFTS)
    for _ in range(3):
        before = browser.find(".time-left").text
        browser.wait(lambda: browser.find(".time-left").text != before, "the next second")
    ana.check_in()
    browser.see("just now")
    assert browser.run("return shifts") == []
    # A ping's card comes first, and may move the rest. Its button and the check-in button both say
    # "I am fine".
    ben.put(f"/v1/pings/{api.new_id()}", {"dependentID": ana.id})
    browser.see("asks: are you OK?")


def test_check_in_ping_and_alert_are_announced(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = responder(server, ana)
    browser.open()
    browser.see("Call for help")
    browser.run(WORDS)
    browser.press("Check in")
    hears(browser, "status: Checked in at")
    ben.put(f"/v1/pings/{api.new_id()}", {"dependentID": ana.id})
    hears(browser, "status: Ben asks if you are fine")
    browser.press("Alert")
    hears(browser, "status: 1 of 4")
    for _ in range(3):
        browser.press("Alert")
    browser.see("Alert is on")
    hears(browser, "alert: Your alert was sent.")
    alert = next(ana.pages("/v1/alerts"))
    ben.post(f"/v1/alerts/{alert['id']}/acknowledgement")
    hears(browser, "alert: Ben is on it")


def test_forced_colours_show_selection_and_arrows(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ana.check_in()
    browser.prefer_forced_colours()
    browser.press("Your check-ins")
    arrow = browser.run(FORCED, "details[open] > summary", "::before", "backgroundColor")
    ground = browser.run(FORCED, "html", None, "backgroundColor")
    assert arrow != ground
    border = lambda selector: browser.run(FORCED, selector, None, "borderTopWidth")
    assert (border(".tabs a[aria-current=page]"), border(".tabs a[aria-current=false]")) == (
        "3px",
        "0px",
    )
    browser.press("Show the month")
    browser.find("button.day.today")
    assert border("button.day.today") == "0px"
    browser.run("document.querySelector('button.day.today').click()")
    browser.find(".day.today[aria-pressed=true]")
    assert border("button.day.today") == "3px"


@pytest.mark.parametrize("path", ["/", "/dependents", "/profile"])
def test_every_page_announces_dependent_in_need(path, server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    watch_over(ana, ben)
    browser.open(path)
    browser.find("h1")
    browser.run(WORDS)
    ana.put(f"/v1/pings/{api.new_id()}", {"dependentID": ben.id})
    ben.post("/v1/pings/responses")
    hears(browser, "status: Ben is fine")
    ben.put(f"/v1/alerts/{api.new_id()}")
    hears(
        browser,
        "alert: 1 person needs you now"
        if path == "/dependents"
        else "alert: Ben has raised an alert",
    )


@pytest.mark.parametrize("opener, closer", [("Schedule", "Cancel"), ("Your code", "Close")])
def test_open_sheet_shows_and_announces_new_alarms(opener, closer, server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    cleo = api.sign_in(server, phone_number(3), "Cleo")
    for person in (ben, cleo):
        watch_over(ana, person)
    browser.open()
    ben.put(f"/v1/alerts/{api.new_id()}")
    browser.see("Ben has raised an alert")
    browser.press(opener)
    alarms = "dialog[open] > .alarms[role=alert]"
    assert browser.find(alarms).text == ""
    alert = api.new_id()
    cleo.put(f"/v1/alerts/{alert}")
    browser.wait(lambda: "Cleo has raised an alert" in browser.find(alarms).text, "the alarm")
    assert "Ben" not in browser.find(alarms).text
    assert browser.run("return document.querySelector('.alarms').checkVisibility()")
    cleo.post(f"/v1/alerts/{alert}/end")
    browser.wait(lambda: browser.find(alarms).text == "", "the end of the alarm")
    browser.press(closer)
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")


ALARMS = "dialog[open] > .alarms"
NAMES = ["Cleo", "Ben", "Dan"]


def test_sheet_on_dependents_shows_only_new_alarms(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    cleo = api.sign_in(server, phone_number(3), "Cleo")
    for person in (ben, cleo):
        watch_over(ana, person)
    browser.open("/dependents")
    alert = api.new_id()
    ben.put(f"/v1/alerts/{alert}")
    browser.see("1 person needs you now")
    browser.press("Ben: details")
    assert browser.find(ALARMS).text == ""
    cleo.put(f"/v1/alerts/{api.new_id()}")
    browser.wait(lambda: "Cleo has raised an alert" in browser.find(ALARMS).text, "the alarm")
    # A changed number of people is not an alarm.
    browser.see("2 people need you now")
    ben.post(f"/v1/alerts/{alert}/end")
    browser.see("1 person needs you now")
    assert len(browser.all(f"{ALARMS} > *")) == 1
    assert "Cleo has raised an alert" in browser.find(ALARMS).text


@pytest.mark.parametrize(
    "path, opener",
    [("/", "Your code"), ("/dependents", "Ben: details"), ("/dependents", "See Cleo’s alert")],
)
def test_alarm_opens_from_sheet(path, opener, server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    cleo = api.sign_in(server, phone_number(3), "Cleo")
    for person in (ben, cleo):
        watch_over(ana, person)
    cleo.put(f"/v1/alerts/{api.new_id()}")
    browser.open(path)
    browser.see("Cleo has raised an alert")
    browser.press(opener)
    browser.find(ALARMS)
    ben.put(f"/v1/alerts/{api.new_id()}")
    browser.press("See Ben’s alert")
    title = "dialog[open] #alert-title"
    browser.wait(lambda: browser.find(title).text == "Ben needs help", "Ben’s alert")
    browser.see("I’m on it")
    boxes = browser.all(ALARMS)
    assert boxes[-1].text == ""


def test_next_sheet_repeats_the_alarms_behind_the_last(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    people = [api.sign_in(server, phone_number(2 + i), name) for i, name in enumerate(NAMES)]
    for person in people:
        watch_over(ana, person)
    browser.open("/dependents")
    people[0].put(f"/v1/alerts/{api.new_id()}")
    browser.press("See Cleo’s alert")
    browser.find(ALARMS)
    for person in people[1:]:
        person.put(f"/v1/alerts/{api.new_id()}")
    browser.see("Dan has raised an alert")
    browser.press("See Ben’s alert")
    title = "dialog[open] #alert-title"
    browser.wait(lambda: browser.find(title).text == "Ben needs help", "Ben’s alert")
    browser.wait(lambda: "Dan" in browser.find(ALARMS).text, "Dan’s alarm")
    assert "Ben" not in browser.find(ALARMS).text


# The first button of a question may do what it asks, so its title gets the focus.
@pytest.mark.parametrize(
    "path, opener, focused",
    [("/", "Your code", "header button"), ("/profile", "Sign out", "h2")],
)
def test_dialog_keeps_focus_when_an_alarm_ends(path, opener, focused, server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    watch_over(ana, ben)
    browser.open(path)
    browser.press(opener)
    alert = api.new_id()
    ben.put(f"/v1/alerts/{alert}")
    browser.find(f"{ALARMS} button")
    browser.run(f"document.querySelector('{ALARMS} button').focus()")
    ben.post(f"/v1/alerts/{alert}/end")
    browser.wait(lambda: browser.find(ALARMS).text == "", "the end of the alarm")
    assert browser.run(f"return document.activeElement.matches('dialog[open] {focused}')")


def test_own_alert_opens_from_another_alert(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    watch_over(ana, ben)
    ben.put(f"/v1/alerts/{api.new_id()}")
    browser.press("See Ben’s alert")
    browser.find(ALARMS)
    ana.put(f"/v1/alerts/{api.new_id()}")
    browser.press("Go to your alert")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Alert is on")


# Whether the sheet is modal, is on top in its middle, and has the focus.
IS_ON_TOP = """
    const sheet = document.querySelector("dialog[data-modal]");
    const { left, top, width, height } = sheet.getBoundingClientRect();
    const middle = document.elementFromPoint(left + width / 2, top + height / 2);
    return [sheet.matches(":modal"), sheet.contains(middle),
      sheet.contains(document.activeElement)];
"""


def test_sheet_stays_on_top_when_own_alert_begins(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    browser.press("Your code")
    browser.find("dialog:modal img.qr")
    ana.put(f"/v1/alerts/{api.new_id()}")
    browser.wait(lambda: "Alert is on" in browser.find(ALARMS).text, "the alarm")
    browser.wait(lambda: browser.run(IS_ON_TOP) == [True] * 3, "the sheet on top")
    browser.press("Close")
    browser.wait(lambda: not browser.all("dialog"), "the end of the sheet")
    browser.see("Alert is on")
    assert browser.complaints() == []


def test_sheet_keeps_its_focus_when_own_alert_begins(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    browser.press("Your code")
    browser.find("dialog:modal img.qr")
    browser.choose("For any camera")
    browser.see("Any camera app opens the link")
    focused = lambda: browser.run("return document.activeElement.type")
    browser.wait(lambda: focused() == "radio", "the focus on the choice")
    ana.put(f"/v1/alerts/{api.new_id()}")
    browser.wait(lambda: "Alert is on" in browser.find(ALARMS).text, "the alarm")
    browser.wait(lambda: browser.run(IS_ON_TOP) == [True] * 3, "the sheet on top")
    browser.wait(lambda: focused() == "radio", "the focus on the choice")


def test_alert_opened_from_another_alert_is_the_only_sheet(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = api.sign_in(server, phone_number(2), "Ben")
    cleo = api.sign_in(server, phone_number(3), "Cleo")
    for person in (ben, cleo):
        watch_over(ana, person)
    cleo.put(f"/v1/alerts/{api.new_id()}")
    browser.press("See Cleo’s alert")
    browser.find(ALARMS)
    ben.put(f"/v1/alerts/{api.new_id()}")
    browser.press("See Ben’s alert")
    titles = lambda: [it.text for it in browser.all("dialog[open] #alert-title")]
    browser.wait(lambda: titles() == ["Ben needs help"], "only Ben’s alert")


def test_sheet_shows_good_news_unlike_alarm(server, make_browser):
    browser, ana = signed_in(server, make_browser)
    ben = responder(server, ana)
    browser.open("/profile")
    browser.press("E-mail")
    browser.find(ALARMS)
    alert = api.new_id()
    ana.put(f"/v1/alerts/{alert}")
    alarm = f"{ALARMS} > .banner.critical"
    browser.wait(lambda: "Your alert is on" in browser.find(alarm).text, "the alarm")
    ben.post(f"/v1/alerts/{alert}/acknowledgement")
    browser.wait(lambda: browser.find(f"{ALARMS} > .fine").text == "Ben is on it", "good news")
    assert len(browser.all(alarm)) == 1


def test_page_is_readable_without_script(server, make_browser):
    browser, _ = signed_in(server, make_browser)
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open()
    for words in (
        "Check in",
        "No one is watching over you",
        "Last check-in",
        "Call for help",
        "LifeSignal needs JavaScript. Alert and Check in don’t work without it: phone someone.",
    ):
        browser.see(words)
    assert browser.text.index("LifeSignal needs JavaScript") < browser.text.index("Last check-in")
    warning = ["visible", '"Not working yet: phone someone"']
    browser.wait(lambda: browser.run(BESIDE_ALERT) == warning, "the warning beside the button")
    assert browser.run(PLACES) == ["static", "static"]


def test_running_page_has_no_warning_beside_alert(server, make_browser):
    browser, _ = signed_in(server, make_browser)
    browser.find("[data-ready]")
    assert browser.run(BESIDE_ALERT)[1] == "none"
