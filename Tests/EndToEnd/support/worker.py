"""Controls the service worker of a page in Chromium over DevTools: delivers messages to it, and
presses the buttons of its notifications. Chromium's own push service isn't available here."""

import itertools
import json

import requests
import websocket

from support.waiting import wait_until


# Chromium never finishes subscribing without a network, so the page gets the test's push service.
SUBSCRIBE = """
    let present = null;
    const made = ADDRESS;
    PushManager.prototype.getSubscription = async () => present;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const text = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
      const key = Uint8Array.from(text, (it) => it.charCodeAt(0)).buffer;
      localStorage.stubbed = applicationServerKey;
      return present = subscription(key);
    };
    const subscription = (key) => ({
      endpoint: made.url, options: { applicationServerKey: key },
      toJSON: () => ({ endpoint: made.url, keys: made.keys }),
      unsubscribe: async () => {
        present = null;
        localStorage.removeItem("stubbed");
        return true;
      },
    });
    // A subscription outlives its page.
    if (localStorage.stubbed) PushManager.prototype.subscribe(
      { applicationServerKey: localStorage.stubbed });
"""


def let_subscribe(browser, address):
    """Makes this browser's pages subscribe at an address of the test's push service."""
    made = json.dumps({"url": address.endpoint, "keys": address.keys})
    browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        # Blank pages are skipped, because they lack storage.
        {"source": f"if (location.port) {{ {SUBSCRIBE.replace('ADDRESS', made)} }}"},
    )


def set_notifications(browser, setting):
    """Sets the user's answer to the browser's question: "granted", "denied", or "prompt" for no
    answer yet."""
    browser.driver.execute_cdp_cmd(
        "Browser.setPermission",
        {"permission": {"name": "notifications"}, "setting": setting, "origin": browser.url},
    )


class _Target:
    def __init__(self, url):
        self._socket = websocket.create_connection(url, timeout=30, suppress_origin=True)
        self._numbers = itertools.count(1)
        self.events = []

    def call(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def close(self):
        self._socket.close()


class Worker:
    """The service worker of the page that a browser shows. It stays usable if the browser leaves
    the page."""

    def __init__(self, browser):
        self.browser = browser
        set_notifications(browser, "granted")
        browser.wait(
            lambda: browser.run("return navigator.serviceWorker.controller?.state === 'activated'"),
            "the worker",
        )
        self._page = _Target(self._address("page"))
        self._page.call("ServiceWorker.enable")
        wait_until(self._registration, 30, "the registration")

    def _address(self, kind):
        options = self.browser.driver.capabilities["goog:chromeOptions"]
        targets = requests.get(f"http://{options['debuggerAddress']}/json/list", timeout=30).json()
        # A worker of an earlier test may still be shutting down.
        return next(
            (
                it["webSocketDebuggerUrl"]
                for it in targets
                if it["type"] == kind and it["url"].startswith(f"{self.browser.url}/")
            ),
            None,
        )

    def _registration(self):
        # The answer to this call also brings the pending events.
        self._page.call("Runtime.evaluate", expression="1")
        for event in self._page.events:
            if event.get("method") == "ServiceWorker.workerRegistrationUpdated":
                for registration in event["params"]["registrations"]:
                    if registration["scopeURL"] == f"{self.browser.url}/":
                        return registration["registrationId"]
        return None

    def deliver(self, message):
        """Delivers a push message: a JSON value, or a text."""
        data = message if isinstance(message, str) else json.dumps(message)
        self._send("ServiceWorker.deliverPushMessage", data=data)

    def _send(self, event, **parameters):
        self._repeat = lambda: self._page.call(
            event,
            origin=self.browser.url,
            registrationId=self._registration(),
            **parameters,
        )
        self._repeat()

    def sync(self, is_last=False):
        """Sends the worker a sync event, as the browser does after the connection returns."""
        self._send("ServiceWorker.dispatchSyncEvent", tag="queue", lastChance=is_last)

    def run(self, script):
        """Runs an asynchronous function with this body in the worker, and returns its result."""
        target = _Target(wait_until(lambda: self._address("service_worker"), 30, "the worker"))
        try:
            result = target.call(
                "Runtime.evaluate",
                expression=f"(async () => {{ {script} }})()",
                awaitPromise=True,
                returnByValue=True,
            )
            assert "exceptionDetails" not in result, result
            return result["result"].get("value")
        finally:
            target.close()

    @property
    def notifications(self):
        return self.run(
            """
            return (await registration.getNotifications()).map((it) => ({
              title: it.title, body: it.body, tag: it.tag, isKept: it.requireInteraction,
              isNews: it.renotify, vibration: it.vibrate, badge: it.badge,
              buttons: it.actions.map(({ title }) => title) }));
            """
        )

    def told(self, title):
        def found():
            return next((it for it in self.notifications if it["title"] == title), None)

        # On a busy machine DevTools sometimes loses a message, which a browser would retry. A
        # second try is harmless, because the same event shows the same notification.
        for _ in range(3):
            try:
                return wait_until(found, 10, title)
            except AssertionError:
                self._repeat()
        return wait_until(found, 30, title)

    def press(self, button=""):
        """Presses a button of the only notification, or the notification itself. DevTools can't
        press anything, so the event is synthetic and can't open a window."""
        self.run(
            f"""
            const [notification] = await registration.getNotifications();
            const name = {json.dumps(button)};
            const action = notification.actions.find(({{ title }}) => title === name);
            const event = new NotificationEvent(
              "notificationclick", {{ notification, action: action?.action ?? "" }});
            event.waitUntil = () => {{}};
            dispatchEvent(event);
            """
        )

    def hold(self):
        """Keeps the only notification. `press_held` can press it after newer news has replaced
        it, as if the news had come between a press and its result."""
        self.run("self.held = (await registration.getNotifications())[0];")

    def press_held(self, action):
        """Presses the button of the notification that `hold` has kept."""
        self.run(
            f"""
            const event = new NotificationEvent(
              "notificationclick", {{ notification: self.held, action: {json.dumps(action)} }});
            event.waitUntil = () => {{}};
            dispatchEvent(event);
            """
        )

    def cut_line(self, is_cut=True):
        """Makes the worker's own requests to the server fail."""
        stub = "self.kept ??= fetch; self.fetch = async () => { throw new TypeError(); }"
        self.run(stub if is_cut else "self.fetch = self.kept")

    def close(self):
        self._page.close()
