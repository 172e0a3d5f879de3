"""Fixtures: browsers without traces of earlier tests. A screenshot of each is kept."""

from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException

from support.browser import PHONE, Browser
from support.looks import SCREENSHOTS
from support.webkit import Display, WebKit


class Browsers:
    """The browsers of one test process. Later tests reuse browsers without special options, because
    a start takes longer than many tests."""

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
            pass  # for example a page that no longer answers
        browser.quit()

    def quit(self):
        for browser in sum(self._idle.values(), []):
            browser.quit()


@pytest.fixture(scope="session")
def browsers():
    all = Browsers()
    yield all
    all.quit()


@pytest.fixture(scope="session")
def display():
    display = Display()
    yield display
    display.close()


def pytest_generate_tests(metafunc):
    if marker := metafunc.definition.get_closest_marker("kinds"):
        metafunc.parametrize("kind", marker.args, indirect=True)


@pytest.fixture
def kind(request):
    """The kind of a test's browsers. A test marked with `kinds` runs once per kind."""
    return getattr(request, "param", "chromium")


@pytest.fixture
def make_browser(request, browsers, kind):
    """Makes browsers: `make_browser(server, size=DESKTOP)`."""
    lent = []
    is_whole = request.node.get_closest_marker("whole_browser") is not None

    def make(server, size=PHONE, **options):
        if kind == "webkit":
            lent.append(WebKit(server, request.getfixturevalue("display"), size))
        else:
            # A browser treats localhost as a secure context, like a site behind TLS.
            url = f"http://localhost:{server.port}"
            lent.append(browsers.lend(url, size, is_whole, **options))
        return lent[-1]

    yield make
    for index, browser in enumerate(lent):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        browser.screenshot(SCREENSHOTS / f"{Path(request.node.name).name}-{index}.png")
        browsers.take_back(browser)
