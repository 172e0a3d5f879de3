"""A user of a real Firefox without a window, driven through Marionette, and the push service that
it connects to. Needs no external network."""

import asyncio
import base64
import json
import logging
import shutil
import socket
import tempfile
import threading
import time
import uuid
from contextlib import contextmanager

from aiohttp import WSMsgType, web
from marionette_driver import errors
from marionette_driver.marionette import Marionette

from support.program import CODE
from support.waiting import work_per_core

logging.getLogger("mozversion").setLevel(logging.WARNING)
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class FirefoxPushService:
    """Accepts messages over HTTP, as a server sends them, and passes them on through the browser's
    WebSocket. Queues the messages of a disconnected browser."""

    def __init__(self):
        self.channels = {}  # by the token in the address: [uaid, channel]
        self.sockets = {}  # by uaid
        self.waiting = []  # [uaid, message]
        self.acknowledged = []
        self.refusals = {}  # the status for an address, by its token
        self.has_forgotten = set()  # uaids
        self.holds = False  # queues all messages while true
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self._serve, args=(started,), daemon=True).start()
        started.wait(10)

    def _serve(self, started):
        asyncio.set_event_loop(self._loop)
        app = web.Application(client_max_size=8192)
        app.add_routes([web.get("/", self._browser), web.post("/push/{token}", self._message)])
        runner = web.AppRunner(app)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port = site._server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()

    async def _message(self, request):
        token = request.match_info["token"]
        body = await request.read()
        uaid, channel = self.channels.get(token, (None, None))
        if status := self.refusals.get(token) or (0 if channel else 410):
            return web.Response(status=status)
        message = {
            "messageType": "notification",
            "channelID": channel,
            "version": uuid.uuid4().hex,
            "data": base64.urlsafe_b64encode(body).rstrip(b"=").decode(),
            "headers": {"encoding": request.headers["content-encoding"]},
        }
        await self._pass_on(uaid, message)
        return web.Response(status=201)

    async def _pass_on(self, uaid, message):
        connection = self.sockets.get(uaid)
        if self.holds or connection is None or connection.closed:
            self.waiting.append((uaid, message))
        else:
            await connection.send_json(message)

    async def _pass_on_waiting(self):
        kept, self.waiting = self.waiting, []
        for owner, message in kept:
            await self._pass_on(owner, message)

    def release(self):
        self.holds = False
        asyncio.run_coroutine_threadsafe(self._pass_on_waiting(), self._loop).result(10)

    async def _browser(self, request):
        connection = web.WebSocketResponse(protocols=["push-notification"])
        await connection.prepare(request)
        uaid = None
        async for frame in connection:
            if frame.type != WSMsgType.TEXT:
                break
            message = json.loads(frame.data)
            kind = message.get("messageType")
            if not message:
                await connection.send_str("{}")
            elif kind == "hello":
                known = message.get("uaid")
                uaid = known if known and known not in self.has_forgotten else uuid.uuid4().hex
                self.sockets[uaid] = connection
                await connection.send_json(
                    {
                        "messageType": "hello",
                        "uaid": uaid,
                        "status": 200,
                        "use_webpush": True,
                        "broadcasts": {},
                    }
                )
                await self._pass_on_waiting()
            elif kind == "register":
                token = uuid.uuid4().hex
                self.channels[token] = (uaid, message["channelID"])
                await connection.send_json(
                    {
                        "messageType": "register",
                        "channelID": message["channelID"],
                        "status": 200,
                        "pushEndpoint": f"http://127.0.0.1:{self.port}/push/{token}",
                    }
                )
            elif kind == "unregister":
                channel = message["channelID"]
                self.channels = {t: c for t, c in self.channels.items() if c[1] != channel}
                await connection.send_json(
                    {"messageType": "unregister", "channelID": channel, "status": 200}
                )
            elif kind == "ack":
                self.acknowledged += message["updates"]
        return connection

    @property
    def tokens(self):
        return [token for token in self.channels if token not in self.refusals]

    def forget_browsers(self):
        """Expires every subscription, and tells the browsers when they connect."""

        async def forget():
            self.has_forgotten |= set(self.sockets)
            self.channels = {}
            for connection in list(self.sockets.values()):
                await connection.close()

        asyncio.run_coroutine_threadsafe(forget(), self._loop).result(10)

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)


# Replaces the system's notifications, which are invisible here, and presses their buttons.
ALERTS = """
  const alerts = new Map();
  const service = {
    QueryInterface: ChromeUtils.generateQI(["nsIAlertsService", "nsIFactory"]),
    createInstance(iid) { return this.QueryInterface(iid); },
    showAlert(alert, listener) {
      alerts.set(alert.name, { alert, listener });
      listener?.observe(null, "alertshow", alert.cookie);
    },
    closeAlert(name) { alerts.delete(name); },
    async getHistory() { return []; },
    teardown() {},
    pbmTeardown() {},
  };
  Components.manager.QueryInterface(Ci.nsIComponentRegistrar).registerFactory(
    Services.uuid.generateUUID(), "alerts", "@mozilla.org/alerts-service;1", service);
  window.alertsForTests = alerts;
  done();
"""
SHOWN = """
  done([...window.alertsForTests.values()].map(({ alert }) => (
    { title: alert.title, text: alert.text, isKept: alert.requireInteraction,
      buttons: (alert.actions ?? []).map((it) => it.title) })));
"""
PRESS = """
  const [title, button] = given;
  const found = [...window.alertsForTests.values()].find((it) => it.alert.title === title);
  const action = button && found.alert.actions.find((it) => it.title === button);
  found.listener.observe(action || null, "alertclickcallback", found.alert.cookie);
  done();
"""


class Firefox:
    """One browser with a profile of its own, which survives restarts."""

    def __init__(self, url, push):
        self.url = url
        self.push = push
        self.profile = tempfile.mkdtemp(prefix="lifesignal-firefox-")
        self.preferences = {
            "dom.push.serverURL": f"ws://127.0.0.1:{push.port}/",
            "dom.push.testing.allowInsecureServerURL": True,
            "dom.push.connection.enabled": True,
            "dom.push.retryBaseInterval": 200,
            "permissions.default.desktop-notification": 1,
            "alerts.useSystemBackend": False,
            "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "browser.startup.homepage": "about:blank",
            "startup.homepage_welcome_url": "about:blank",
            "app.update.disabledForTesting": True,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "dom.disable_open_click_delay": 60000,
        }
        self.start()

    def start(self):
        # Holds messages back. A message that arrives before the notifications are replaced would
        # get lost.
        self.push.holds = True
        self.driver = Marionette(
            bin=FIREFOX,
            port=free_port(),
            headless=True,
            profile=self.profile,
            prefs=self.preferences,
            # Marionette removes this file before writing, so it must not be a device.
            gecko_log=f"{self.profile}.log",
            startup_timeout=120,
        )
        self.driver.start_session()
        self.driver.timeout.script = 60
        self.run_privileged(ALERTS)
        self.push.release()

    def stop(self):
        """Closes the browser. It can be restarted."""
        # Marionette works on a copy of the profile. The next start uses this copy.
        copy = self.driver.instance.profile.profile
        self.driver.quit()
        shutil.rmtree(self.profile)
        shutil.copytree(copy, self.profile, ignore_dangling_symlinks=True, symlinks=True)
        self.driver.cleanup()

    def open(self, path="/"):
        self.driver.navigate(self.url + path)
        return self

    def close_pages(self):
        self.driver.navigate("about:blank")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, script_args=arguments)

    @contextmanager
    def _privileged(self):
        with self.driver.using_context("chrome"):
            yield

    def run_privileged(self, script, *arguments):
        """Runs a script in the browser itself. The script calls `done` with a JSON value."""
        with self._privileged():
            return self.driver.execute_async_script(
                "const [...given] = arguments, done = given.pop();" + script,
                script_args=arguments,
            )

    @property
    def text(self):
        return self.run("return document.body.innerText")

    def wait(self, condition, what, timeout=60):
        started = time.monotonic()
        while True:
            try:
                found = condition()
            except (errors.MarionetteException, errors.JavascriptException):
                found = None
            if found:
                return found
            waited = time.monotonic() - started
            if waited > timeout * work_per_core():
                raise AssertionError(
                    f"waited {waited:.0f} s for {what!r}; the page says:\n{self.text}"
                )
            time.sleep(0.05)

    def see(self, words, timeout=60):
        self.wait(lambda: words in self.text, words, timeout)

    def see_question(self):
        """Waits for a dialog. Its button may have the same name as the button that opened it."""
        is_open = "return Boolean(document.querySelector('dialog:modal'))"
        self.wait(lambda: self.run(is_open), "a dialog")

    FIND = """
        const reach = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
        const nameOf = (it) => (it.ariaLabel ?? it.innerText ?? "").trim();
        const found = [...reach.querySelectorAll("button, a, summary")]
          .find((it) => nameOf(it) === arguments[0] && it.ariaDisabled !== "true");
    """

    def press(self, name):
        """Clicks the element with this name, because Firefox asks for a permission only after a
        real click."""

        def press():
            found = self.driver.execute_script(
                self.FIND + "found?.scrollIntoView({block: 'center'}); return found",
                script_args=[name],
            )
            if not found:
                return False
            found.click()
            return True

        self.wait(press, name)

    def type(self, label, text):
        script = """return [...document.querySelectorAll("input, textarea")]
            .find((it) => it.labels[0]?.innerText.trim() === arguments[0])"""
        field = self.wait(lambda: self.driver.execute_script(script, script_args=[label]), label)
        field.send_keys(text)

    @property
    def notifications(self):
        return self.run_privileged(SHOWN)

    def told(self, title, timeout=60):
        return self.wait(
            lambda: next((it for it in self.notifications if it["title"] == title), None),
            f"a notification: {title}",
            timeout,
        )

    def press_notification(self, title, button=""):
        """Presses a button of the notification with this title. Without `button`, presses the
        notification itself."""
        self.run_privileged(PRESS, title, button)

    def set_permission(self, setting):
        """Changes the permission as in the browser's settings: "allow" or "deny"."""
        self.run_privileged(
            """
            const principal =
              Services.scriptSecurityManager.createContentPrincipalFromOrigin(given[0]);
            Services.perms.addFromPrincipal(
              principal, "desktop-notification", Services.perms[given[1]]);
            done();
            """,
            self.url,
            {"allow": "ALLOW_ACTION", "deny": "DENY_ACTION"}[setting],
        )

    def sign_in(self, number, path="/"):
        self.open(path)
        self.type("Phone number", number)
        self.press("Send code")
        self.type("6-digit code", CODE)
        self.wait(lambda: self.run("return Boolean(document.querySelector('nav.tabs'))"), "tabs")

    @property
    def windows(self):
        found = []
        for handle in self.driver.window_handles:
            self.driver.switch_to_window(handle)
            found.append(self.driver.get_url())
        return found

    def close(self):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)
