"""The type check of the iPhone app: the app passes, and mistakes are found."""

import re
import shutil

import pytest
from check import DEPLOYMENT, ROOT, CheckFailed

APP = ROOT / "Apps/iOS"


@pytest.fixture
def changed(tmp_path):
    """A function that returns the app with one text replaced."""

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
    """A check with modules of its own, which other tests don't see."""
    modules = tmp_path / "modules"
    modules.mkdir()
    return check.beside(modules)


def failure(own, app):
    with pytest.raises(CheckFailed) as caught:
        own.check(app)
    return str(caught.value)


def test_the_app_passes(own):
    own.check(APP)


def test_misspelt_label_is_found(own, changed):
    app = changed("Sources/LifeSignalApp/CheckIn/RingButton.swift", "lineWidth: 8)", "lineWith: 8)")
    assert "incorrect argument label" in failure(own, app)


def test_misspelt_action_is_found(own, changed):
    app = changed(
        "Sources/LifeSignalApp/CheckIn/CheckInView.swift",
        "store.send(.checkInButtonTapped)",
        "store.send(.checkInButtonTaped)",
    )
    assert "checkInButtonTaped" in failure(own, app)


def test_switch_needs_unknown_default(own, changed):
    """Apple's enumerations may get new cases, so a `switch` over one needs `@unknown default`."""
    app = changed(
        "Sources/LifeSignalApp/App/AppView.swift",
        "                @unknown default: break\n",
        "",
    )
    assert "ScenePhase" in failure(own, app)


def test_each_file_needs_its_own_imports(own, changed):
    app = changed(
        "Sources/LifeSignalApp/QRCode/QRCodeView.swift", "import UniformTypeIdentifiers\n", ""
    )
    assert "UniformTypeIdentifiers" in failure(own, app)


def test_handler_completing_off_main_thread_is_found(own, changed):
    """If the delegate's `async` methods complete on a background thread, UIKit traps."""
    app = changed(
        "Sources/LifeSignalApp/Device/NotificationTapHandler.swift",
        """willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([.banner, .list, .sound]) }""",
        """willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [.banner, .list, .sound] }""",
    )
    assert "does not conform to protocol" in failure(own, app)


def test_api_of_newer_ios_is_found(own, changed):
    app = changed(
        "Sources/LifeSignalApp/CheckIn/RingButton.swift",
        ".accessibilityHidden(true)",
        ".glassEffect().accessibilityHidden(true)",
    )
    assert "only in iOS 26.0" in failure(own, app)


def test_phone_clients_pass(check, tmp_path):
    """The clients compile with requests, pictures, keychain and locks as they are on Apple's
    systems."""
    check.beside(tmp_path).check_device()


def test_mistake_in_phone_only_code_is_found(check, tmp_path):
    clients = tmp_path / "sources"
    shutil.copytree(ROOT / "Sources/Client/ClientsLive", clients)
    workshop = clients / "PictureWorkshop.swift"
    workshop.write_text(workshop.read_text().replace("UTType.jpeg", "UTType.jpg", 1))
    modules = tmp_path / "modules"
    modules.mkdir()
    with pytest.raises(CheckFailed) as caught:
        check.beside(modules).check_device(clients)
    assert "jpg" in str(caught.value)


def test_deployment_target_matches_the_app():
    manifest = (APP / "Package.swift").read_text()
    assert f".iOS(.v{int(DEPLOYMENT)})" in manifest
    project = (APP / "LifeSignal.xcodeproj/project.pbxproj").read_text()
    assert set(re.findall(r"IPHONEOS_DEPLOYMENT_TARGET = ([\d.]+);", project)) == {str(DEPLOYMENT)}


def test_missing_isolation_is_found(own, changed):
    """UIKit may be used only on the main actor."""
    app = changed(
        "Sources/LifeSignalApp/Device/AppDelegate.swift",
        "@MainActor\n    fileprivate static func app",
        "fileprivate static func app",
    )
    assert "main actor-isolated" in failure(own, app)


def test_non_sendable_value_stays_in_its_isolation(own, changed):
    app = changed(
        "NotificationService/NotificationService.swift",
        "private final class Delivery: @unchecked Sendable",
        "private final class Delivery",
    )
    assert "data race" in failure(own, app)
