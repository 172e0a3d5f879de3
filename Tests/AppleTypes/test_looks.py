"""What the declarations can't draw: colours, and what fits a widget."""

import json
import re

import pytest
from check import ROOT
from test_sheets import block

IOS = ROOT / "Apps/iOS"
# The contrast that WCAG 2.2 asks of text, criterion 1.4.3.
LEAST = 4.5


def colors(name):
    """Returns the colour in light and in Dark Mode, each as red, green and blue from 0 to 1."""
    file = IOS / f"Resources/Assets.xcassets/{name}.colorset/Contents.json"
    found = [one["color"]["components"] for one in json.loads(file.read_text())["colors"]]
    return [[part(one[key]) for key in ("red", "green", "blue")] for one in found]


def part(text):
    return int(text, 16) / 255 if text.startswith("0x") else float(text)


def luminance(color):
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


def test_labels_of_main_buttons_are_readable():
    both = list(zip(colors("color-brand"), colors("color-on-brand"), strict=True))
    assert len(both) == 2
    assert all(contrast(ground, label) >= LEAST for ground, label in both)
    # The system's label.
    assert contrast(both[1][0], [1, 1, 1]) < LEAST


def test_every_main_button_sets_its_label():
    styled = [
        (file.name, match.start(), text)
        for file in IOS.rglob("*.swift")
        for text in [file.read_text()]
        for match in re.finditer(r"\.borderedProminent", text)
    ]
    assert styled
    for name, start, text in styled:
        assert ".onBrand" in text[max(0, start - 120) : start], name


@pytest.mark.parametrize("view", ["DeadlineWidgetView", "JourneyLines"])
def test_lock_screen_has_no_buttons(view):
    """A rectangle on the lock screen is 72 points high."""
    text = (IOS / "Widget/LifeSignalWidgets.swift").read_text()
    body = block(text, text.index("var body", text.index(f"struct {view}: View")))
    unguarded = body
    for guard in ("if !isOnLockScreen ", "if family != .accessoryRectangular "):
        while guard in unguarded:
            start = unguarded.index(guard)
            inside = block(unguarded, start)
            unguarded = unguarded[:start] + unguarded[unguarded.index(inside) + len(inside) :]
    assert "Button(" in body and "Button(" not in unguarded
