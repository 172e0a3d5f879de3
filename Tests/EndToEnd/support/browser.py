"""A user of a real browser: Debian's Chromium without a window, driven through its own driver."""

import time
from contextlib import contextmanager

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from support.waiting import work_per_core

AXE = Axe()
HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell"
PHONE, DESKTOP = (360, 740), (1280, 800)
# Selenium would ask for each element's name separately. Its text of the page takes six times as
# long as the browser's own.
NAMES = """
    // Chromium adds the chosen file to the name of its field.
    const label = (it) => it?.type === "file" && it.labels[0]?.innerText;
    // WebKit doesn't compute names.
    const nameOf = (it) => (label(it) || it?.computedName || it?.ariaLabel ||
      it?.labels?.[0]?.innerText || it?.innerText || "").trim();
    // A name costs a look at the whole page, which can have hundreds of buttons.
    const mentions = (it, name) => {
      const tellers = [it, ...it.querySelectorAll("[aria-label], [alt], [title]"),
        ...(it.labels ?? []), ...(it.ariaLabelledByElements ?? [])];
      const text = tellers.map((one) => [one.textContent, one.ariaLabel, one.alt, one.title,
        one.placeholder].join(" ")).join(" ").toLowerCase();
      return name.toLowerCase().split(/\\s+/).every((word) => text.includes(word));
    };
    const top = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
    const named = (reach, selector, name) =>
      [...reach.querySelectorAll(selector)].find((it) => mentions(it, name) && nameOf(it) === name);
"""
STILL = """
    const done = arguments[0], still = () => Promise.allSettled(document.getAnimations()
      .map((it) => it.finished)).then(done);
    requestAnimationFrame(() => requestAnimationFrame(still));
"""


def has_gone(error):
    """Returns whether the element or the whole page is gone. The driver has several errors for
    that."""
    words = ("does not belong to the document", "No node with given id", "stale element")
    return isinstance(error, (StaleElementReferenceException, NoSuchElementException)) or any(
        it in str(error.msg) for it in words
    )


class Browser:
    """One browser with its own cookies. Waits for changes of the page instead of sleeping.

    The default is Chromium's headless shell, which needs a quarter less CPU time. `is_whole` makes
    it the complete Chromium, which also supports push messages and knows which tab is in front."""

    # Whether sizes, media features and network conditions can be emulated.
    emulates = True

    def __init__(self, url, size=PHONE, is_whole=False, camera=None, arguments=()):
        options = webdriver.ChromeOptions()
        if not is_whole and not camera:
            options.binary_location = HEADLESS_SHELL
        # Chromium's window is at least 500 points wide, so the device's screen is set below.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", *arguments):
            options.add_argument(argument)
        # `computedName` is the element's name in the accessibility tree.
        options.add_argument("--enable-blink-features=ComputedAccessibilityInfo")
        if camera:
            options.add_argument("--use-fake-device-for-media-stream")
            options.add_argument(f"--use-file-for-fake-video-capture={camera}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.url = url
        self.is_whole = is_whole
        self.resize(*size)
        if camera:
            self.allow_camera()

    def start_over(self):
        """Removes all data of the previous user."""
        old = self.driver.window_handles
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        for handle in old:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(new)
        for command, parameters in (
            ("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": "all"}),
            ("Network.clearBrowserCookies", {}),
            ("Network.clearBrowserCache", {}),
            ("Browser.resetPermissions", {}),
        ):
            self.driver.execute_cdp_cmd(command, parameters)
        self.complaints()

    def resize(self, width, height):
        self._show(width, height)
        self.size = (width, height)

    def _show(self, width, height, scale=1):
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    @contextmanager
    def screen(self, width, height, scale=1):
        """Sets another screen temporarily. `scale` is the number of device pixels per page
        pixel."""
        self._show(width, height, scale)
        yield
        self._show(*self.size)

    def fits(self, width, percent):
        """Returns True if the page is no wider than a screen with letters of this size."""
        with self.screen(width, 740), self.letters(percent):
            return self.run(
                "const page = document.documentElement; return page.scrollWidth <= page.clientWidth"
            )

    @contextmanager
    def letters(self, percent):
        """Enlarges the text temporarily, as the browser's settings do."""
        style = "document.documentElement.style.fontSize = arguments[0]"
        self.run(style, f"{percent}%")
        yield
        self.run(style, "")

    def prefer(self, **features):
        """Sets media features, for example `prefer(color_scheme="dark")`."""
        chosen = [
            {"name": "prefers-" + name.replace("_", "-"), "value": value}
            for name, value in features.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": chosen})

    def prefer_forced_colours(self):
        features = [{"name": "forced-colors", "value": "active"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def allow_camera(self, is_allowed=True):
        answer = {
            "permission": {"name": "camera"},
            "setting": "granted" if is_allowed else "denied",
            "origin": self.url,
        }
        self.driver.execute_cdp_cmd("Browser.setPermission", answer)

    @contextmanager
    def preferring(self, **features):
        self.prefer(**features)
        yield
        self.prefer()

    def cut_line(self, is_cut=True):
        self._set_line(offline=is_cut)

    def slow_line(self, latency, throughput=50_000):
        """Sets the latency of each direction in milliseconds, and the throughput in bytes per
        second."""
        self._set_line(latency=latency, downloadThroughput=throughput, uploadThroughput=throughput)

    def _set_line(self, **conditions):
        self.driver.execute_cdp_cmd("Network.enable", {})
        usual = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**usual, **conditions})

    def block(self, *patterns):
        """Makes requests to these addresses fail, as if the server were unreachable. Without
        patterns, lifts every block."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": list(patterns)})

    def open(self, path="/"):
        self.driver.get(self.url + path)
        return self

    @property
    def session(self):
        """The session cookie; None before the first page."""
        cookies = {it["name"]: it["value"] for it in self.driver.get_cookies()}
        return cookies.get("lifesignal")

    @contextmanager
    def new_session(self):
        """Signs in within the block. Waits until the browser has its new cookie, because a page
        opened earlier would be signed out."""
        old = self.session
        yield
        self.wait(lambda: self.session != old, "the new cookie")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    @property
    def text(self):
        return self.run("return document.body?.innerText.replaceAll('\\u00a0', ' ') ?? ''")

    @property
    def path(self):
        return self.run("return location.pathname")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector, timeout=30):
        return self.wait(lambda: next(iter(self.all(selector)), None), selector, timeout)

    def button(self, name, timeout=30):
        """Returns the button or link with this text or label. Elements below an open sheet don't
        count."""
        return self.wait(lambda: self._button(name), name, timeout)

    def _button(self, name):
        return self.named("button, a, summary, [role=button]", name, "top()")

    def can_press(self, name, timeout=30):
        return self.button(name, timeout).get_attribute("aria-disabled") != "true"

    def press(self, name, timeout=30):
        # Scrolls the element away from the tab bar, as a user would.
        usable = (
            "const [it] = arguments; it.scrollIntoView({block: 'center'});"
            "return it.ariaDisabled !== 'true'"
        )

        def press():
            button = self._button(name)
            return button and self.run(usable, button) and self.click_first([button])

        self.wait(press, f"{name} to be usable", timeout)

    def choose(self, label, timeout=30):
        centre = "arguments[0]?.scrollIntoView({block: 'center'})"

        def choose():
            box = self.named("input", label)
            self.run(centre, box)
            return self.click_first([box])

        self.wait(choose, label, timeout)

    def click(self, selector, timeout=30):
        """Clicks an element that has no name."""
        self.wait(lambda: self.click_first(self.all(selector)), selector, timeout)

    def click_first(self, elements):
        """Clicks the first element, if there is one, and returns it. `wait` calls this repeatedly,
        because an opening sheet moves its contents."""
        element = next(iter(elements), None)
        if element:
            element.click()
        return element

    def field(self, label, timeout=30):
        return self.wait(lambda: self.named("input, textarea, select", label), label, timeout)

    def named(self, selector, name, reach="document"):
        """Returns the first element with this name, if there is one."""
        return self.run(f"{NAMES} return named({reach}, ...arguments)", selector, name)

    def wait_for_worker(self):
        """Waits until the service worker has stored the shell and controls the page."""
        ready = (
            "return navigator.serviceWorker.ready.then(() => "
            "Boolean(navigator.serviceWorker.controller))"
        )
        self.wait(lambda: self.run(ready), "the service worker")

    def see(self, words, timeout=30):
        self.wait(lambda: words in self.text, words, timeout)

    def miss(self, words, timeout=30):
        self.wait(lambda: words not in self.text, f"no {words}", timeout)

    def wait(self, condition, what, timeout=30):
        started = time.monotonic()
        pause = 0.02
        while True:
            try:
                found = condition()
            except WebDriverException as error:
                is_passing = isinstance(error, ElementClickInterceptedException)
                if not is_passing and not has_gone(error):
                    raise
                found = None
            if found:
                return found
            waited = time.monotonic() - started
            if waited > timeout * work_per_core():
                raise AssertionError(
                    f"waited {waited:.0f} s for {what!r}; the page says:\n{self.text}"
                )
            time.sleep(pause)
            pause = min(0.1, pause * 1.2)

    def serious_findings(self, options=None):
        """Returns a summary of the violations that axe finds once all animations have ended."""
        self.driver.execute_async_script(STILL)
        if not self.run("return 'axe' in window"):
            self.run(AXE.axe_script)
        run = (
            "const [options, done] = arguments;"
            "axe.run(options).then(({ violations }) => done(violations))"
        )
        violations = self.driver.execute_async_script(run, options or {})
        return [
            f"{violation['id']}: {node['html'][:120]}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    def complaints(self):
        """Returns the browser's complaints about the page, such as a violated policy."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    @contextmanager
    def whole(self):
        """Temporarily makes the screen high enough for the whole page, or for the whole topmost
        sheet."""
        height = self.run(
            "return Math.max(...[document.documentElement, "
            "...document.querySelectorAll('dialog[open]')].map((it) => it.scrollHeight))"
        )
        with self.screen(self.size[0], max(self.size[1], round(height * 1.1))):
            yield

    def quit(self):
        self.driver.quit()

    @property
    def focused(self):
        return self.run(NAMES + "return nameOf(document.activeElement)")
