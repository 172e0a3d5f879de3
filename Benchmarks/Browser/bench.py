"""Measures waiting times and traffic in a real browser, and prints one table: `make bench`."""

import os
import statistics
import sys
import tempfile
import time

from proxy import CountingProxy
from support.browser import Browser
from support.people import sign_in
from support.program import Server, phone_number
from support.waiting import wait_until
from table import Table

# The number of taps. An argument sets a smaller number.
TAPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300

# Measures the time from a click to its change on the page, by the page's own clock. The page is
# idle between two taps.
TAP = """
const [selector, sign, count, done] = arguments;
const read = new Function(`return ${sign}`);
const times = [];
function tap() {
  if (times.length === count) return done(times);
  const buttons = [...document.querySelectorAll(selector)];
  const button = buttons[times.length % buttons.length];
  if (!button || button.disabled) return setTimeout(tap, 5);
  const before = read(), start = performance.now();
  const watch = setTimeout(() =>
    done(`nothing came of tap ${times.length}, on ${before}: ${document.body.innerText}`), 10000);
  const observer = new MutationObserver(() => {
    if (read() === before) return;
    times.push(performance.now() - start);
    observer.disconnect();
    clearTimeout(watch);
    setTimeout(tap, 20);
  });
  observer.observe(document.getElementById("page"),
    { subtree: true, childList: true, attributes: true, characterData: true });
  button.click();
}
tap();
"""
CHECK_IN = "button.check-in-button"
NEWEST_CHECK_IN = (
    "[...document.querySelectorAll('details')].find((d) => d.innerText.includes('Your "
    "check-ins')).querySelector('li')?.dataset.p"
)
CURRENT_TAB = (
    "document.querySelector('nav.tabs [aria-current=page]').textContent + "
    "document.querySelector('h1')?.textContent"
)


def taps(browser, selector, sign, count=TAPS):
    browser.driver.set_script_timeout(900)
    times = browser.driver.execute_async_script(TAP, selector, sign, count)
    assert isinstance(times, list), times
    return times


def add_times(table, what, times):
    p50, p99 = statistics.median(times), sorted(times)[int(len(times) * 0.99)]
    is_reached = p50 <= 30 and p99 <= 100
    table.add(
        f"{what} ({len(times)})",
        f"p50 {p50:.1f} ms, p99 {p99:.1f} ms",
        "p50 ≤ 30 ms, p99 ≤ 100 ms",
        is_reached,
    )


def rest(proxy, seconds=1):
    """Waits until the connection has been idle for a while."""
    last, since = proxy.total, time.monotonic()

    def is_at_rest():
        nonlocal last, since
        if proxy.total != last:
            last, since = proxy.total, time.monotonic()
        return time.monotonic() - since >= seconds

    wait_until(is_at_rest, 60, "a connection at rest", every=0.05)


def first_page(table, proxy, browser):
    browser.open()
    browser.driver.execute_async_script("navigator.serviceWorker.ready.then(() => arguments[0]())")
    rest(proxy)
    table.add(
        "first page, all its files and the service worker, on the wire",
        f"{proxy.total / 1000:.1f} KB",
        "≤ 50 KB",
        proxy.total <= 50_000,
    )
    files = browser.driver.execute_script(
        "return performance.getEntriesByType('resource').map((entry) => new "
        "URL(entry.name).pathname)"
    )
    named = browser.driver.execute_script(
        "return [...document.querySelectorAll('head [href], head [src]')].map((e) => new "
        "URL(e.href ?? e.src).pathname)"
    )
    late = sorted(set(files) - set(named))
    table.add(
        "its files that the first HTML does not name",
        ", ".join(late) or f"none of {len(files)}",
        "none",
        not late,
    )


def bytes_of_check_ins(table, proxy, browser, count=20):
    figures = []
    for _ in range(count):
        rest(proxy, 0.3)
        sent, received = proxy.sent, proxy.received
        taps(browser, CHECK_IN, NEWEST_CHECK_IN, 1)
        rest(proxy, 0.3)
        figures.append(
            (
                proxy.sent - sent + proxy.received - received,
                proxy.sent - sent,
                proxy.received - received,
            )
        )
    # Takes the median, because a keep-alive sometimes adds its bytes to a check-in's.
    total, sent, received = sorted(figures)[count // 2]
    table.add(
        "bytes of a check-in, on the wire",
        f"{total} ({sent} sent, {received} received)",
        "≤ 4 KB",
        total <= 4_000,
    )


def main():
    table = Table()
    with tempfile.TemporaryDirectory(prefix="lifesignal-bench-") as folder:
        server = Server(folder).start()
        proxy = CountingProxy(server.port)
        browsers = [Browser(f"http://localhost:{port}") for port in (proxy.port, server.port)]
        try:
            counted, direct = browsers
            first_page(table, proxy, counted)
            sign_in(counted, phone_number(1), "Ana")
            bytes_of_check_ins(table, proxy, counted)
            sign_in(direct, phone_number(2), "Ben")
            add_times(
                table,
                "tap on check-in → it is in the history on the page",
                taps(direct, CHECK_IN, NEWEST_CHECK_IN),
            )
            add_times(
                table,
                "tap on a tab → its page",
                taps(direct, "nav.tabs a:not([aria-current=page])", CURRENT_TAB),
            )
        finally:
            for browser in browsers:
                browser.quit()
            server.kill()
    print(f"{table}\n\nload: {os.getloadavg()[0]:.1f}")
    return 1 if table.has_missed else 0


if __name__ == "__main__":
    sys.exit(main())
