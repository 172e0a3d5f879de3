"""A page of the web app as it is delivered, and what its script may send, without a browser: for
what no browser would send."""

from html.parser import HTMLParser

import requests

TIMEOUT = 30


class WebPage:
    """`GET` of a page with the cookie of a browser, or without one."""

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
        """The event of the control with this name, with `changes`."""
        part, index = self._controls.found[name]
        return {"n": number, "p": part, "i": index, "g": self.generation, **changes}

    def send(self, *events, **changes):
        """Sends events as the script does; `changes` are in the body."""
        return self.post("/web/events", json={"view": self.view, "events": list(events), **changes})

    def post(self, path, headers=None, cookies=None, **body):
        """As the script sends it; a header that is None is left out."""
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
    """Under the label, the id or the words of each control: the part it is in, and its place
    there."""

    VOID = {"input", "img", "br", "meta", "link", "hr"}

    def __init__(self, html):
        super().__init__()
        self.view = self.generation = None
        self.found = {}
        # The parts and the controls that are open, one for each element; None for an element that
        # is neither.
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
