"""A user of a real WebKit: Debian's WebKitGTK, driven through its own driver. It lacks Chromium's
emulation, so tests cut its connection with a proxy. It lacks Chromium's log, so tests can't read
its complaints."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from support.browser import Browser
from support.network import Network

MINI_BROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"), None)


class Display:
    """A virtual screen, because WebKitGTK has no headless mode."""

    def __init__(self):
        reader, writer = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as lines:
            self.name = f":{lines.readline().strip()}"

    def close(self):
        self._server.terminate()
        self._server.wait(30)


class WebKit(Browser):
    emulates = False
    serves_again = False

    def __init__(self, server, display, size):
        self._network = Network(server)
        self.url = self._network.url
        options = Options()
        options.binary_location = str(MINI_BROWSER)
        options.add_argument("--automation")
        # Full screen, because without a toolbar the window can be narrower.
        options.add_argument("--full-screen")
        environment = {**os.environ, "DISPLAY": display.name, "GDK_BACKEND": "x11"}
        self.driver = webdriver.WebKitGTK(
            options=options, service=Service("/usr/bin/WebKitWebDriver", env=environment)
        )
        self.driver.set_script_timeout(60)
        self.resize(*size)

    def _show(self, width, height, scale=1):
        # The narrowest possible window has 447 points.
        self.driver.set_window_rect(0, 0, width, height)

    @contextmanager
    def whole(self):
        yield

    def cut_line(self, is_cut=True):
        self._network.become("cut" if is_cut else "open")

    def click_first(self, elements):
        # The driver sometimes clicks where a button was before the page changed.
        element = next(iter(elements), None)
        if element:
            self.run("arguments[0].click()", element)
        return element

    def complaints(self):
        return []

    def quit(self):
        super().quit()
        self._network.close()
