"""Checks that everybody can use a page: axe's rules, and everything can be seen and pressed."""

from pathlib import Path

from support.browser import DESKTOP
from support.program import REPOSITORY

SCREENSHOTS = REPOSITORY / ".build/screenshots"
SCRIPT = Path(__file__).with_suffix(".js").read_text()
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
ZOOMED = (DESKTOP[0] // 2, DESKTOP[1] // 2)


class Looks:
    """Looks at the screens of one browser, and keeps their pictures."""

    def __init__(self, browser):
        self.browser = browser
        self.findings = []
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def glance(self, name):
        """Notes what is wrong with a screen that is gone in a moment."""
        self._look(name, name)

    def at(self, name, is_main=False):
        """Notes what is wrong with this screen: on a phone, with large letters, zoomed, on a
        desktop, in the dark."""
        browser = self.browser
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
        # Colours on their way from light to dark are nobody's.
        browser.run("document.documentElement.style.setProperty('--quick', '0s')")
        with browser.preferring(color_scheme="dark"):
            self._note(f"{name}, dark", browser.serious_findings(CONTRAST))
            if is_main:
                browser.screenshot(SCREENSHOTS / f"{name}-dark.png")

    def _look(self, name, picture=None):
        self._note(name, self.browser.run(SCRIPT))
        if picture:
            self._keep(picture)

    def _keep(self, picture):
        self.browser.screenshot(SCREENSHOTS / f"{picture}.png")

    def _note(self, name, findings):
        self.findings += [f"{name}: {finding}" for finding in findings]
