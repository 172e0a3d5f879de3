"""The service worker of a page in Chromium, over DevTools: gives it messages, and presses the
buttons of what it shows. Chromium itself needs a push service that cannot be had here."""

import itertools
import json

import requests
import websocket

from support.waiting import wait_until


# Chromium never answers a subscription without a network: the page gets one of the test's service.
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
    """Pages of this browser subscribe at an address of the test's push service."""
    made = json.dumps({"url": address.endpoint, "keys": address.keys})
    browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        # Not on pages of nobody, which have no storage.
        {"source": f"if (location.port) {{ {SUBSCRIBE.replace('ADDRESS', made)} }}"},
    )


def set_notifications(browser, setting):
    """As the person has answered the browser's question: granted, denied, or prompt for not yet."""
    browser.driver.execute_cdp_cmd(
        "Browser.setPermission",
        {"permission": {"name": "notifications"}, "setting": setting, "origin": browser.url},
    )


class _Target:
    """One thing that DevTools can be asked about."""

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
    """The worker of the page that a browser shows, which may then go elsewhere."""

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
        # A worker of an earlier test may still be on its way out.
        return next(
            (
                it["webSocketDebuggerUrl"]
                for it in targets
                if it["type"] == kind and it["url"].startswith(f"{self.browser.url}/")
            ),
            None,
        )

    def _registration(self):
        # Answers bring the events along.
        self._page.call("Runtime.evaluate", expression="1")
        for event in self._page.events:
            if event.get("method") == "ServiceWorker.workerRegistrationUpdated":
                for registration in event["params"]["registrations"]:
                    if registration["scopeURL"] == f"{self.browser.url}/":
                        return registration["registrationId"]
        return None

    def deliver(self, message):
        """A message of the push service: something for JSON, or a text."""
        self._delivered = message if isinstance(message, str) else json.dumps(message)
        self._deliver()

    def _deliver(self):
        self._page.call(
            "ServiceWorker.deliverPushMessage",
            origin=self.browser.url,
            registrationId=self._registration(),
            data=self._delivered,
        )

    def run(self, script):
        """The value of an asynchronous function with this body, in the worker."""
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
              isNews: it.renotify, buttons: it.actions.map(({ title }) => title) }));
            """
        )

    def told(self, title):
        """The notification with this title, once it is there."""

        def found():
            return next((it for it in self.notifications if it["title"] == title), None)

        # DevTools drops a message now and then on a busy machine. The same one again shows the
        # same notification.
        for _ in range(3):
            try:
                return wait_until(found, 10, title)
            except AssertionError:
                self._deliver()
        return wait_until(found, 30, title)

    def press(self, button=""):
        """A button of the only notification, or the notification itself. DevTools can't press
        one: the event is made by hand, and may open no window."""
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

    def cut_line(self, is_cut=True):
        """What the worker itself asks of the server gets no answer."""
        stub = "self.kept ??= fetch; self.fetch = async () => { throw new TypeError(); }"
        self.run(stub if is_cut else "self.fetch = self.kept")

    def close(self):
        self._page.close()
