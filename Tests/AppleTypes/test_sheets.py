"""A sheet covers the alert button and the alarms, so each sheet of the app has its own."""

import re

from check import ROOT

APP = ROOT / "Apps/iOS/Sources/LifeSignalApp"
# The system's sheet for sharing. The app can add nothing to it.
OF_THE_SYSTEM = {"ShareSheet"}
SHEET = re.compile(r"\.(?:sheet|fullScreenCover|popover)\(")


def after_parentheses(text, start):
    """Returns the position after the parenthesis that closes the one before `start`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def block(text, start):
    """Returns the text between the next brace and the brace that closes it."""
    first = end = text.index("{", start) + 1
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[first : end - 1]


def sheets(text):
    """Returns the content of each sheet that this source presents."""
    return [block(text, after_parentheses(text, f.end())) for f in SHEET.finditer(text)]


def has_frame(content, text, sources):
    """Returns whether everything that the sheet may show has the frame with the alert button."""
    if "SheetFrame(" in content:
        return True
    views = re.findall(r"\b([A-Z]\w+)\(", content)
    if not views:
        return "SheetFrame(" in block(text, text.index(f"var {content.strip()}: some View"))
    for view in set(views) - OF_THE_SYSTEM:
        found = [re.search(rf"struct {view}\b", source) for source in sources]
        bodies = [block(one.string, one.end()) for one in found if one]
        if not any("SheetFrame(" in body for body in bodies):
            return False
    return True


def test_every_sheet_has_the_alert_button():
    sources = [file.read_text() for file in APP.rglob("*.swift")]
    found = [(content, text) for text in sources for content in sheets(text)]
    assert len(found) >= 14
    bare = [content for content, text in found if not has_frame(content, text, sources)]
    assert not bare, "\n".join(bare)
    cards = (APP / "Shared/Cards.swift").read_text()
    frame = block(cards, cards.index("struct SheetFrame"))
    assert "AlertInSheet()" in frame and "TroubleInSheet(" in frame


def test_sheet_without_the_frame_is_found():
    text = """
    .sheet(isPresented: $store[presented: \\.isOpen, close: \\.closed]) {
        Bare(store: store)
    }
    struct Bare: View { var body: some View { Text("Bare") } }
    """
    (content,) = sheets(text)
    assert not has_frame(content, text, [text])
    assert has_frame(content, text, [text.replace("Text(", "SheetFrame(title: ")])
