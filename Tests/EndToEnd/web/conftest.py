"""Fixtures: browsers that are closed after each test, with a picture of each kept when it fails."""

from pathlib import Path

import pytest

from support.browser import Browser
from support.looks import SCREENSHOTS


@pytest.fixture
def make_browser(request):
    """Makes browsers: `make_browser(server, size=DESKTOP)`."""
    browsers = []

    def make(server, **options):
        # A secure page as far as a browser is concerned, as behind TLS.
        browsers.append(Browser(f"http://localhost:{server.port}", **options))
        return browsers[-1]

    yield make
    for index, browser in enumerate(browsers):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        browser.screenshot(SCREENSHOTS / f"{Path(request.node.name).name}-{index}.png")
        browser.quit()
