"""A browser or a machine with a wrong clock: the page uses the server's time."""

import sys
import time

import pytest

from support.api import seconds
from support.people import enter, make_member
from support.program import phone_number
from support.waiting import wait_until

WRONG_CLOCK = """
    const real = Date, offset = %d * 60000;
    Date = class extends real {
        constructor(...args) { args.length ? super(...args) : super(real.now() + offset); }
        static now() { return real.now() + offset; }
    };
"""


def newest_of_two(person):
    def find():
        found = list(person.pages("/v1/check-ins"))
        return found if len(found) == 2 else None

    return wait_until(find, 30, "the check-in")[0]


@pytest.mark.parametrize("minutes", [-90, 90])
def test_time_left_and_queue_use_server_time(make_server, make_browser, minutes):
    server = make_server().start()
    ana = make_member(server, phone_number(0), "Ana")
    browser = make_browser(server)
    browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": WRONG_CLOCK % minutes}
    )
    enter(browser, phone_number(0))
    browser.wait(
        lambda: browser.find(".time-left").text.startswith("by tomorrow, "), "a day, less a moment"
    )

    browser.cut_line()
    # The server's time, in the format of this browser.
    as_of = browser.run(
        "return arguments[0].map((time) => new Date(time).toLocaleTimeString([], "
        "{ hour: 'numeric', minute: '2-digit' }))",
        [1000 * (time.time() + late) for late in (-60, 0, 60)],
    )
    browser.see("You are offline. This page is as of ")
    banner = browser.run("return document.querySelector('#connection').textContent")
    assert any(f"This page is as of {words}." in banner for words in as_of), banner
    browser.press("Check in")
    browser.see("waiting to be sent")
    browser.cut_line(False)
    newest = newest_of_two(ana)
    assert abs(seconds(newest["occurredAt"]) - seconds(newest["receivedAt"])) < 60
    browser.miss("waiting to be sent")


def test_slowly_loaded_page_has_right_time(make_server, make_browser):
    server = make_server().start()
    make_member(server, phone_number(0), "Ana")
    browser = make_browser(server)
    # The scripts take many seconds; each direction takes 0.4 s.
    browser.slow_line(latency=400, throughput=8_000)
    browser.open()
    is_ready = "return 'ready' in document.documentElement.dataset"
    browser.wait(lambda: browser.run(is_ready), "the scripts", 90)
    assert browser.run("return performance.now()") > 4_000
    assert abs(browser.run("return Number(localStorage.skew)")) < 2_000


@pytest.mark.skipif(sys.platform != "linux", reason="the clock is replaced by LD_PRELOAD")
def test_check_in_on_page_uses_server_time(make_server, make_browser, clock):
    """The server continues with the right time, although the machine's clock is wrong."""
    server = make_server(env=clock.env).start()
    ana = make_member(server, phone_number(0), "Ana")
    server.kill()
    clock.set(-50 * 60)
    server.start()
    browser = make_browser(server)
    enter(browser, phone_number(0))
    browser.press("Check in")
    newest = newest_of_two(ana)
    assert abs(seconds(newest["occurredAt"]) - time.time()) < 30
    assert abs(seconds(newest["nextCheckInTime"]) - time.time() - 86_400) < 60
