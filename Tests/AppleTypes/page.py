"""A page of the web app as a user perceives it: its texts, and its controls, found by their
names."""

from html.parser import HTMLParser

VOID = {"br", "img", "input", "link", "meta", "source", "wbr", "hr"}
CONTROLS = {"a", "button", "input", "select", "textarea"}
# Attributes that are read aloud or shown.
SPOKEN = {"alt", "aria-label", "aria-description", "placeholder", "title", "aria-valuetext"}


def plain(text):
    return " ".join(text.split())


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children = []

    def all(self):
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.all()

    def text(self, between="", hidden=True):
        """Returns the element's text. With `hidden`, includes text that is hidden from screen
        readers."""
        if "hidden" in self.attributes or (
            not hidden and self.attributes.get("aria-hidden") == "true"
        ):
            return ""
        return between.join(
            child if isinstance(child, str) else child.text(between, hidden)
            for child in self.children
        )

    @property
    def is_in_frame(self):
        """Returns whether the element is hidden, or outside the page's content: in tabs, bars, or
        the side of wide windows."""
        above = self
        while above:
            attributes = above.attributes
            if above.tag in ("aside", "nav") or attributes.get("class") == "alert-bar":
                return True
            if "hidden" in attributes:
                return True
            above = above.parent
        return False

    @property
    def is_disabled(self):
        attributes = self.attributes
        return (
            "disabled" in attributes
            or "readonly" in attributes
            or attributes.get("aria-disabled") == "true"
        )


class Page(HTMLParser):
    def __init__(self, markup):
        super().__init__()
        self.root = self.open = Element("", {}, None)
        self.feed(markup)
        self.close()
        spoken = [
            value
            for element in self.root.all()
            for name, value in element.attributes.items()
            if name in SPOKEN and value
        ]
        # A tag may or may not end a word, so the text is kept with and without spaces.
        self.words = [plain(self.root.text(between)) for between in ("", " ")]
        self.words += [plain(text) for text in spoken]
        self.controls = {}
        for element in self.root.all():
            if element.tag in CONTROLS:
                self.controls.setdefault(self.name(element), []).append(element)
        self.groups = {plain(e.text()) for e in self.root.all() if e.tag == "legend"}

    def handle_starttag(self, tag, attributes):
        element = Element(tag, dict(attributes), self.open)
        self.open.children.append(element)
        if tag not in VOID:
            self.open = element

    def handle_endtag(self, tag):
        self.open = self.open.parent

    def handle_data(self, text):
        self.open.children.append(text)

    def name(self, element):
        if label := element.attributes.get("aria-label"):
            return plain(label)
        if element.tag in ("input", "select", "textarea"):
            return plain(self.label(element))
        return plain(element.text(" ", hidden=False))

    def label(self, element):
        for label in self.root.all():
            if label.tag == "label" and (
                label.attributes.get("for") == element.attributes.get("id", "")
                or element in label.all()
            ):
                return label.text(" ", hidden=False)
        return element.attributes.get("name", "")

    def in_front(self):
        """Returns the names of the reachable controls: if a sheet is open, those of the topmost
        sheet."""
        front, questions = self.root, []
        for element in self.root.all():
            kind = element.attributes.get("class", "").split()
            if element.tag == "dialog" and "sheet" in kind:
                front = element
            elif element.tag == "dialog" and "question" in kind:
                questions.append(element)
        reached = {element for part in [front, *questions] for element in part.all()}
        return {
            name
            for name, elements in self.controls.items()
            if any(e in reached and not e.is_in_frame for e in elements)
        }

    def says(self, words):
        words = plain(words)
        return any(words in said for said in self.words)

    def enabled(self, name):
        """Returns whether one of the controls with this name is enabled; None without any control
        of this name."""
        found = self.controls.get(name)
        return any(not element.is_disabled for element in found) if found else None
