"""The check of the iPhone app's types: it passes, and it finds what it is there to find."""

import shutil

import pytest
from check import Check, CheckFailed, ROOT

APP = ROOT / "Apps/iOS"


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    check = Check(tmp_path_factory.mktemp("modules"))
    check.declare_apple()
    return check


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


def failure(check, app):
    with pytest.raises(CheckFailed) as caught:
        check.check(app)
    return str(caught.value)


def test_the_app_passes(check):
    check.check(APP)


def test_a_misspelt_label_is_found(check, changed):
    app = changed("Sources/LifeSignalApp/CheckIn/RingButton.swift", "lineWidth: 8)", "lineWith: 8)")
    assert "incorrect argument label" in failure(check, app)


def test_a_misspelt_action_is_found(check, changed):
    app = changed(
        "Sources/LifeSignalApp/CheckIn/CheckInView.swift",
        "store.send(.checkInButtonTapped)",
        "store.send(.checkInButtonTaped)",
    )
    assert "checkInButtonTaped" in failure(check, app)


def test_missing_isolation_is_found(check, changed):
    """UIKit is for the main actor alone."""
    app = changed(
        "Sources/LifeSignalApp/Device/AppDelegate.swift",
        "@MainActor\n    fileprivate static func app",
        "fileprivate static func app",
    )
    assert "main actor-isolated" in failure(check, app)


def test_a_value_that_is_not_sendable_may_not_leave_its_isolation(check, changed):
    app = changed(
        "NotificationService/NotificationService.swift",
        "private final class Delivery: @unchecked Sendable",
        "private final class Delivery",
    )
    assert "data race" in failure(check, app)
