"""A page of the web app and the requests of its script, without a browser. It can send requests
that a browser would never send."""

from html.parser import HTMLParser

import requests

TIMEOUT = 30


class WebPage:
    """The answer to `GET` of a page, with or without a browser's cookie."""

    def __init__(self, url, cookie=None, path="/"):
        self.url = url
        self.cookies = {"lifesignal": cookie} if cookie else {}
        answer = requests.get(url + path, cookies=self.cookies, timeout=TIMEOUT)
        assert answer.status_code == 200, answer.text
        self.cookies = {"lifesignal": answer.cookies["lifesignal"]}
        self.html = answer.text
        self._controls = _Controls(self.html)
        self.view, self.generation = self._controls.view, self._controls.generation

    def event(self, name, number=1, **changes):
        """Returns the event that the control with this name sends, modified by `changes`."""
        part, index = self._controls.found[name]
        return {"n": number, "p": part, "i": index, "g": self.generation, **changes}

    def send(self, *events, **changes):
        """Sends events as the script does. `changes` modify the body."""
        return self.post("/web/events", json={"view": self.view, "events": list(events), **changes})

    def post(self, path, headers=None, cookies=None, **body):
        """Sends a request as the script does. A header that is None is left out."""
        ours = {
            "X-LifeSignal": "1",
            "Origin": self.url,
            "Sec-Fetch-Site": "same-origin",
            **(headers or {}),
        }
        sent = {name: value for name, value in ours.items() if value is not None}
        return requests.post(
            self.url + path,
            headers=sent,
            cookies=self.cookies if cookies is None else cookies,
            timeout=TIMEOUT,
            **body,
        )

    def get(self, path, **headers):
        return requests.get(
            self.url + path, headers=headers, cookies=self.cookies, timeout=TIMEOUT, stream=True
        )


class _Controls(HTMLParser):
    """Maps each control's label, id or text to the control's part of the page and its index in that
    part."""

    VOID = {"input", "img", "br", "meta", "link", "hr"}

    def __init__(self, html):
        super().__init__()
        self.view = self.generation = None
        self.found = {}
        # One entry per open element: its part and control, or None if it is neither.
        self._parts, self._controls = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "html":
            self.view, self.generation = values["data-view"], int(values["data-generation"])
        self._parts.append(values.get("data-p"))
        index = next(
            (values[f"data-{kind}"] for kind in ("tap", "input") if f"data-{kind}" in values), None
        )
        self._controls.append(None if index is None else (_last(self._parts), int(index)))
        for name in (values.get("aria-label"), values.get("id")):
            self._note(name)
        if tag in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self._parts:
            self._parts.pop()
            self._controls.pop()

    def handle_data(self, data):
        self._note(data.strip())

    def _note(self, name):
        control = _last(self._controls)
        if name and control:
            self.found.setdefault(name, control)


def _last(open_ones):
    return next((one for one in reversed(open_ones) if one), None)
