"""Fixtures: browsers that know nothing of earlier tests, with a picture of each kept."""

from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException

from support.browser import PHONE, Browser
from support.looks import SCREENSHOTS


class Browsers:
    """The browsers of one process of the tests. Those that were started without options of their
    own serve one test after the other, since a start takes longer than many a test."""

    def __init__(self):
        self._idle = {True: [], False: []}

    def lend(self, url, size=PHONE, is_whole=False, **options):
        if options or not self._idle[is_whole]:
            browser = Browser(url, size, is_whole, **options)
        else:
            browser = self._idle[is_whole].pop()
            browser.url = url
            browser.resize(*size)
        browser.serves_again = not options
        return browser

    def take_back(self, browser):
        try:
            if browser.serves_again:
                browser.start_over()
                return self._idle[browser.is_whole].append(browser)
        except WebDriverException:
            pass  # such as a page that does not answer any more
        browser.quit()

    def quit(self):
        for browser in sum(self._idle.values(), []):
            browser.quit()


@pytest.fixture(scope="session")
def browsers():
    all = Browsers()
    yield all
    all.quit()


@pytest.fixture
def make_browser(request, browsers):
    """Makes browsers: `make_browser(server, size=DESKTOP)`."""
    lent = []
    is_whole = request.node.get_closest_marker("whole_browser") is not None

    def make(server, **options):
        # A secure page as far as a browser is concerned, as behind TLS.
        lent.append(browsers.lend(f"http://localhost:{server.port}", is_whole=is_whole, **options))
        return lent[-1]

    yield make
    for index, browser in enumerate(lent):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        browser.screenshot(SCREENSHOTS / f"{Path(request.node.name).name}-{index}.png")
        browsers.take_back(browser)
