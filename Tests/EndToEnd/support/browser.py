"""A person at a real browser: Debian's Chromium without a window, driven through its own driver."""

import time
from contextlib import contextmanager

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PHONE, DESKTOP = (360, 740), (1280, 800)
STILL = """
    const done = arguments[0], still = () => Promise.allSettled(document.getAnimations()
      .map((it) => it.finished)).then(done);
    requestAnimationFrame(() => requestAnimationFrame(still));
"""


def has_gone(error):
    """The element or the whole page is gone; the driver has more than one error for it."""
    words = ("does not belong to the document", "No node with given id", "stale element")
    return isinstance(error, (StaleElementReferenceException, NoSuchElementException)) or any(
        it in str(error.msg) for it in words
    )


class Browser:
    """One browser with its own cookies. What changes on the page by itself is waited for, never
    slept for."""

    def __init__(self, url, size=PHONE, camera=None, arguments=()):
        options = webdriver.ChromeOptions()
        # Chromium keeps its own window no narrower than 500 points; a device's screen is set below.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", *arguments):
            options.add_argument(argument)
        if camera:
            options.add_argument("--use-fake-device-for-media-stream")
            options.add_argument(f"--use-file-for-fake-video-capture={camera}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.url = url
        self.resize(*size)
        if camera:
            self.allow_camera()

    def resize(self, width, height):
        self._show(width, height)
        self.size = (width, height)

    def _show(self, width, height, scale=1):
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    @contextmanager
    def screen(self, width, height, scale=1):
        """Another screen for a while; `scale` is how many of its pixels make one of the page."""
        self._show(width, height, scale)
        yield
        self._show(*self.size)

    @contextmanager
    def letters(self, percent):
        """Larger letters for a while, as set in the browser's settings."""
        style = "document.documentElement.style.fontSize = arguments[0]"
        self.run(style, f"{percent}%")
        yield
        self.run(style, "")

    def prefer(self, **features):
        """Media features, as `prefer(color_scheme="dark")`."""
        chosen = [
            {"name": "prefers-" + name.replace("_", "-"), "value": value}
            for name, value in features.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": chosen})

    def allow_camera(self, is_allowed=True):
        """As the person would have answered the browser's question."""
        answer = {
            "permission": {"name": "camera"},
            "setting": "granted" if is_allowed else "denied",
            "origin": self.url,
        }
        self.driver.execute_cdp_cmd("Browser.setPermission", answer)

    @contextmanager
    def preferring(self, **features):
        """The same for a while."""
        self.prefer(**features)
        yield
        self.prefer()

    def cut_line(self, is_cut=True):
        self._set_line(offline=is_cut)

    def slow_line(self, latency, throughput=50_000):
        """Milliseconds for each way, and bytes a second."""
        self._set_line(latency=latency, downloadThroughput=throughput, uploadThroughput=throughput)

    def _set_line(self, **conditions):
        self.driver.execute_cdp_cmd("Network.enable", {})
        usual = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**usual, **conditions})

    def open(self, path="/"):
        self.driver.get(self.url + path)
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    @property
    def path(self):
        return self.run("return location.pathname")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector, timeout=30):
        return self.wait(lambda: next(iter(self.all(selector)), None), selector, timeout)

    def button(self, name, timeout=30):
        """The button or link that a person would call so: by its words or its label. What an open
        sheet covers is out of reach."""

        def find():
            reach = next(reversed(self.all("dialog:modal")), self.driver)
            found = reach.find_elements(By.CSS_SELECTOR, "button, a, summary, [role=button]")
            return next((element for element in found if self.name_of(element) == name), None)

        return self.wait(find, name, timeout)

    def can_press(self, name, timeout=30):
        return self.button(name, timeout).get_attribute("aria-disabled") != "true"

    def press(self, name, timeout=30):
        end = time.monotonic() + timeout
        while True:
            try:
                self.wait(lambda: self.can_press(name, timeout), f"{name} to be usable", timeout)
                button = self.button(name, timeout)
                # A person scrolls what they press out from under the tabs.
                self.run("arguments[0].scrollIntoView({block: 'center'})", button)
                return button.click()
            except WebDriverException as error:
                if not has_gone(error) or time.monotonic() > end:
                    raise

    def field(self, label, timeout=30):
        """The field with this label."""
        return self.wait(
            lambda: next(
                (e for e in self.all("input, textarea, select") if e.accessible_name == label), None
            ),
            label,
            timeout,
        )

    def see(self, words, timeout=30):
        """Waits until these words are on the page."""
        self.wait(lambda: words in self.text, words, timeout)

    def miss(self, words, timeout=30):
        """Waits until these words have gone."""
        self.wait(lambda: words not in self.text, f"no {words}", timeout)

    def wait(self, condition, what, timeout=30):
        end = time.monotonic() + timeout
        while True:
            try:
                found = condition()
            except WebDriverException as error:
                if not has_gone(error):
                    raise
                found = None
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(
                    f"waited {timeout} s for {what!r}; the page says:\n{self.text}"
                )
            time.sleep(0.02)

    def serious_findings(self, options=None):
        """The violations that axe finds once everything stands still, in short words."""
        self.driver.execute_async_script(STILL)
        violations = Axe().run(self.driver, options=options)["violations"]
        return [
            f"{violation['id']}: {node['html'][:120]}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    def complaints(self):
        """The browser's complaints about the page, such as a violated policy."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    @contextmanager
    def whole(self):
        """A screen for a while that is high enough for the whole page, or for the whole sheet above
        it."""
        height = self.run(
            "return Math.max(...[document.documentElement, "
            "...document.querySelectorAll('dialog[open]')].map((it) => it.scrollHeight))"
        )
        with self.screen(self.size[0], max(self.size[1], round(height * 1.1))):
            yield

    def quit(self):
        self.driver.quit()

    @staticmethod
    def name_of(element):
        return element.accessible_name or element.text
