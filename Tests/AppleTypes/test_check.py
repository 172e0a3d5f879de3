"""The check of the iPhone app's types: it passes, and it finds what it is there to find."""

import shutil

import pytest
from check import ROOT, CheckFailed

APP = ROOT / "Apps/iOS"


@pytest.fixture
def changed(tmp_path):
    """The app with one text in the place of another."""

    def change(path, before, after):
        app = tmp_path / "app"
        shutil.copytree(APP, app, symlinks=True, ignore=shutil.ignore_patterns(".build"))
        text = (app / path).read_text()
        assert before in text
        (app / path).write_text(text.replace(before, after, 1))
        return app

    return change


@pytest.fixture
def own(check, tmp_path):
    """A check whose modules no other test sees."""
    modules = tmp_path / "modules"
    modules.mkdir()
    return check.beside(modules)


def failure(own, app):
    with pytest.raises(CheckFailed) as caught:
        own.check(app)
    return str(caught.value)


def test_the_app_passes(own):
    own.check(APP)


def test_a_misspelt_label_is_found(own, changed):
    app = changed("Sources/LifeSignalApp/CheckIn/RingButton.swift", "lineWidth: 8)", "lineWith: 8)")
    assert "incorrect argument label" in failure(own, app)


def test_a_misspelt_action_is_found(own, changed):
    app = changed(
        "Sources/LifeSignalApp/CheckIn/CheckInView.swift",
        "store.send(.checkInButtonTapped)",
        "store.send(.checkInButtonTaped)",
    )
    assert "checkInButtonTaped" in failure(own, app)


def test_missing_isolation_is_found(own, changed):
    """UIKit is for the main actor alone."""
    app = changed(
        "Sources/LifeSignalApp/Device/AppDelegate.swift",
        "@MainActor\n    fileprivate static func app",
        "fileprivate static func app",
    )
    assert "main actor-isolated" in failure(own, app)


def test_a_value_that_is_not_sendable_may_not_leave_its_isolation(own, changed):
    app = changed(
        "NotificationService/NotificationService.swift",
        "private final class Delivery: @unchecked Sendable",
        "private final class Delivery",
    )
    assert "data race" in failure(own, app)
