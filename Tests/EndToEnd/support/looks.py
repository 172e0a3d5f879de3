"""Checks that a page is accessible: axe's rules, and that everything can be seen and pressed."""

from pathlib import Path

from support.browser import DESKTOP
from support.program import REPOSITORY

SCREENSHOTS = REPOSITORY / ".build/screenshots"
SCRIPT = Path(__file__).with_suffix(".js").read_text()
# Resolves once the page has measured itself at its current size.
MEASURED = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
ZOOMED = (DESKTOP[0] // 2, DESKTOP[1] // 2)


class Looks:
    """Checks the screens of one browser, and keeps their pictures."""

    def __init__(self, browser):
        self.browser = browser
        self.findings = []
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def glance(self, name):
        """Notes the faults of a screen that disappears after a moment."""
        self._look(name, name)

    def at(self, name, is_main=False):
        """Notes the faults of this screen: on a phone, with large text, zoomed, on a desktop, and
        dark."""
        browser = self.browser
        if not browser.emulates:
            return self._at_one_size(name)
        self._note(name, browser.serious_findings())
        self._look(name)
        with browser.whole():
            self._keep(name)
        with browser.letters(200):
            self._look(f"{name}, letters of 200 %", f"{name}-large" if is_main else None)
        with browser.screen(*ZOOMED, scale=2):
            self._look(f"{name}, zoom of 200 %", f"{name}-zoom" if is_main else None)
        with browser.screen(*DESKTOP):
            self._look(f"{name}, desktop", f"{name}-desktop" if is_main else None)
        # Changes the colours at once, because their contrast during the change is meaningless.
        browser.run("document.documentElement.style.setProperty('--quick', '0s')")
        with browser.preferring(color_scheme="dark"):
            self._note(f"{name}, dark", browser.serious_findings(CONTRAST))
            if is_main:
                browser.screenshot(SCREENSHOTS / f"{name}-dark.png")

    def _at_one_size(self, name):
        self._look(name, f"{name}-webkit")
        with self.browser.letters(200):
            self._look(f"{name}, letters of 200 %")

    def _look(self, name, picture=None):
        self.browser.driver.execute_async_script(MEASURED)
        self._note(name, self.browser.run(SCRIPT))
        if picture:
            self._keep(picture)

    def _keep(self, picture):
        self.browser.screenshot(SCREENSHOTS / f"{picture}.png")

    def _note(self, name, findings):
        self.findings += [f"{name}: {finding}" for finding in findings]
