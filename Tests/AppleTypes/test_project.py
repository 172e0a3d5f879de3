"""Checks the Xcode project, its property lists and its resources, as far as Linux can read them."""

import json
import plistlib
import re
import struct
from xml.etree import ElementTree

import pytest
from check import PRODUCTS, ROOT
from openstep import parse

APP = ROOT / "Apps/iOS"
COLOURS = APP / "Resources/Assets.xcassets"
ID = re.compile(r"[0-9A-F]{24}")


@pytest.fixture(scope="module")
def project():
    return parse((APP / "LifeSignal.xcodeproj/project.pbxproj").read_text())


def named(name):
    return plistlib.loads((APP / "Config" / name).read_bytes())


def ids(value):
    if isinstance(value, dict):
        return {found for part in value.values() for found in ids(part)}
    if isinstance(value, list):
        return {found for part in value for found in ids(part)}
    return {value} if ID.fullmatch(value) else set()


def of_kind(project, kind):
    return [one for one in project["objects"].values() if one["isa"] == kind]


def test_every_object_exists_and_is_used(project):
    objects = project["objects"]
    assert project["objectVersion"] == "77"
    used = ids(objects) | {project["rootObject"]}
    assert used == set(objects)
    assert objects[project["rootObject"]]["isa"] == "PBXProject"


def test_type_check_compiles_every_target(project):
    objects = project["objects"]
    targets = {}
    for target in of_kind(project, "PBXNativeTarget"):
        folders = [objects[group]["path"] for group in target["fileSystemSynchronizedGroups"]]
        targets[target["name"]] = [folder for folder in folders if folder != "Resources"]
    assert targets == dict(PRODUCTS)


def test_shared_scheme_runs_the_tests(project):
    file = APP / "LifeSignal.xcodeproj/xcshareddata/xcschemes/LifeSignal.xcscheme"
    scheme = ElementTree.parse(file).getroot()
    targets = {
        one: project["objects"][one] for one in project["objects"]
        if project["objects"][one]["isa"] == "PBXNativeTarget"
    }  # fmt: skip
    for reference in scheme.iter("BuildableReference"):
        target = targets[reference.get("BlueprintIdentifier")]
        assert target["name"] == reference.get("BlueprintName")
        product = project["objects"][target["productReference"]]
        assert product["path"] == reference.get("BuildableName")
        assert reference.get("ReferencedContainer") == "container:LifeSignal.xcodeproj"
    tested = scheme.findall("TestAction/Testables/TestableReference/BuildableReference")
    assert [one.get("BlueprintName") for one in tested] == ["LifeSignalTests"]
    assert scheme.find("ArchiveAction").get("buildConfiguration") == "Release"


def test_every_folder_and_file_exists(project):
    for group in of_kind(project, "PBXFileSystemSynchronizedRootGroup"):
        assert (APP / group["path"]).is_dir()
    settings = [one["buildSettings"] for one in of_kind(project, "XCBuildConfiguration")]
    files = {
        one[key].replace("$(LIFESIGNAL_CRITICAL)", critical)
        for one in settings for key in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS")
        if key in one for critical in ("", "Critical")
    }  # fmt: skip
    assert len(files) == 6
    assert all((APP / file).is_file() for file in files)


def test_manifest_declares_the_products(project):
    manifest = (APP / "Package.swift").read_text()
    products = {one["productName"] for one in of_kind(project, "XCSwiftPackageProductDependency")}
    assert products == {"LifeSignalApp", "LifeSignalDevice"}
    assert all(f'.library(name: "{product}"' in manifest for product in products)


def test_property_lists_use_defined_build_settings(project):
    settings = {
        key for one in of_kind(project, "XCBuildConfiguration") for key in one["buildSettings"]
    }
    # Xcode itself defines these settings.
    settings |= {"EXECUTABLE_NAME", "PRODUCT_BUNDLE_PACKAGE_TYPE", "AppIdentifierPrefix"}
    settings |= {"PRODUCT_MODULE_NAME"}
    for file in (APP / "Config").iterdir():
        for name in re.findall(r"\$\((\w+)\)", file.read_text()):
            assert name in settings, f"{file.name}: {name}"


def test_property_lists_have_required_keys():
    app = named("App-Info.plist")
    assert app["NSCameraUsageDescription"]
    assert app["NSSupportsLiveActivities"] is True
    assert app["BGTaskSchedulerPermittedIdentifiers"] == ["refresh"]
    assert {"fetch", "remote-notification"} <= set(app["UIBackgroundModes"])
    service = named("NotificationService-Info.plist")["NSExtension"]
    assert service["NSExtensionPrincipalClass"].endswith(".NotificationService")
    for name in ("App", "Widget", "NotificationService"):
        info = named(f"{name}-Info.plist")
        assert info["LifeSignalServer"] and info["LifeSignalAppGroup"]


# What Apple's systems require for these APIs. Without a purpose in Info.plist, the system ends the
# app. Without an entitlement, the call fails.
NEEDED = [
    # Each row: the API in the sources, the property list, its key, and the value.
    (r"\bAVCaptureDevice\b", "App-Info.plist", "NSCameraUsageDescription", None),
    # The share sheet of a picture offers "Save Image".
    (r"exportedContentType: \.png", "App-Info.plist", "NSPhotoLibraryAddUsageDescription", None),
    (r"\bActivity\.request\b", "App-Info.plist", "NSSupportsLiveActivities", True),
    (r"\bBGTaskScheduler\b", "App-Info.plist", "BGTaskSchedulerPermittedIdentifiers", ["refresh"]),
    (r"\bBGAppRefreshTaskRequest\b", "App-Info.plist", "UIBackgroundModes", ["fetch"]),
    (r"registerForRemoteNotifications", "App.entitlements", "aps-environment", None),
    (
        r"didReceiveRemoteNotification", "App-Info.plist", "UIBackgroundModes",
        ["remote-notification"],
    ),
    (
        r"\.timeSensitive\b", "App.entitlements",
        "com.apple.developer.usernotifications.time-sensitive", True,
    ),
    (
        r"\.criticalAlert\b", "AppCritical.entitlements",
        "com.apple.developer.usernotifications.critical-alerts", True,
    ),
    (
        r"forSecurityApplicationGroupIdentifier", "App.entitlements",
        "com.apple.security.application-groups", None,
    ),
    (r"\.onOpenURL\b", "App.entitlements", "com.apple.developer.associated-domains", None),
    (r"\bLAContext\b", "App-Info.plist", "NSFaceIDUsageDescription", None),
    (r"\bCLLocationManager\b", "App-Info.plist", "NSLocationWhenInUseUsageDescription", None),
    (r"\bCNContactStore\b", "App-Info.plist", "NSContactsUsageDescription", None),
    (r"\bPHPhotoLibrary\b", "App-Info.plist", "NSPhotoLibraryUsageDescription", None),
    (r"\bAVAudioRecorder\b", "App-Info.plist", "NSMicrophoneUsageDescription", None),
    (r"\bNWBrowser\b", "App-Info.plist", "NSLocalNetworkUsageDescription", None),
]  # fmt: skip


def swift_sources():
    return "".join(
        file.read_text()
        for folder in ("Sources/LifeSignalApp", "Sources/LifeSignalDevice", "App", "Intents")
        for file in sorted((APP / folder).rglob("*.swift"))
    )


def missing_keys(sources, read=named):
    found = []
    for pattern, file, key, content in NEEDED:
        if not re.search(pattern, sources):
            continue
        value = read(file).get(key)
        is_there = bool(value)
        if isinstance(content, list):
            is_there = is_there and set(content) <= set(value)
        elif content is not None:
            is_there = value is content
        if not is_there:
            found.append(key)
    return found


def test_each_api_has_its_required_key():
    assert missing_keys(swift_sources()) == []


@pytest.mark.parametrize("key", sorted({key for _, _, key, _ in NEEDED}))
def test_missing_key_is_found(key):
    def without(file):
        return {name: value for name, value in named(file).items() if name != key}

    uses = [pattern for pattern, _, needed, _ in NEEDED if needed == key]
    text = "\n".join(re.sub(r"\\b|\\", "", pattern) for pattern in uses)
    assert key in missing_keys(text, without)


def test_shared_folder_has_only_whole_files():
    """iOS kills an app that is suspended with a lock or an open database in this folder."""
    users = {
        file.name
        for file in (APP / "Sources/LifeSignalApp").rglob("*.swift")
        if "sharedFolder" in file.read_text()
    }
    # The display of the deadline and the recipient of messages write their files atomically.
    assert users == {"DeadlineDisplay.swift", "AppDelegate.swift"}


def test_entitlements_share_group_and_keychain():
    app, extension = named("App.entitlements"), named("Extension.entitlements")
    groups = "com.apple.security.application-groups"
    assert app[groups] == extension[groups] == [named("App-Info.plist")["LifeSignalAppGroup"]]
    assert app["keychain-access-groups"] == [named("App-Info.plist")["LifeSignalKeychainGroup"]]
    assert app["com.apple.developer.usernotifications.time-sensitive"] is True
    assert "aps-environment" in app
    # Xcode doesn't sign an app with an entitlement that Apple hasn't granted. So the entitlement
    # for critical alerts is in a separate file.
    critical = "com.apple.developer.usernotifications.critical-alerts"
    assert named("AppCritical.entitlements") == {**app, critical: True} and critical not in app
    assert named("App-Info.plist")["LifeSignalCritical"] == "$(LIFESIGNAL_CRITICAL)"


def test_privacy_manifest_lists_collected_data_without_tracking():
    manifest = plistlib.loads((APP / "Resources/PrivacyInfo.xcprivacy").read_bytes())
    assert manifest["NSPrivacyTracking"] is False
    assert all(
        kind["NSPrivacyCollectedDataTypeTracking"] is False
        for kind in manifest["NSPrivacyCollectedDataTypes"]
    )
    collected = {
        kind["NSPrivacyCollectedDataType"].removeprefix("NSPrivacyCollectedDataType")
        for kind in manifest["NSPrivacyCollectedDataTypes"]
    }
    # The app collects health data, because the emergency note asks for illnesses and medication.
    assert {"Health", "PhoneNumber", "EmailAddress", "Contacts", "DeviceID"} <= collected
    used = {one["NSPrivacyAccessedAPIType"] for one in manifest["NSPrivacyAccessedAPITypes"]}
    sources = "".join(file.read_text() for file in (APP / "Sources").rglob("*.swift"))
    assert ("NSPrivacyAccessedAPICategoryUserDefaults" in used) == ("UserDefaults" in sources)


def test_colours_match_the_web_app():
    tokens = json.loads((ROOT / "Sources/Apps/Web/Assets/tokens.json").read_text())
    names = {name for name in tokens["light"] if name.startswith("color-")}
    assert {folder.stem for folder in COLOURS.glob("*.colorset")} == names
    for name in names:
        contents = json.loads((COLOURS / f"{name}.colorset/Contents.json").read_text())
        light, dark = contents["colors"]
        assert dark["appearances"] == [{"appearance": "luminosity", "value": "dark"}]
        assert hexadecimal(light) == tokens["light"][name]
        assert hexadecimal(dark) == tokens["dark"][name]


def hexadecimal(entry):
    components = entry["color"]["components"]
    assert components["alpha"] == "1.000"
    digits = [components[part][2:].lower() for part in ("red", "green", "blue")]
    return "#" + "".join(digits)


def test_views_use_existing_colours():
    sources = "".join(file.read_text() for file in APP.rglob("*.swift"))
    used = set(re.findall(r'Color\("([^"]+)"\)', sources))
    assert len(used) >= 10
    assert all((COLOURS / f"{name}.colorset").is_dir() for name in used)


def test_icon_has_apples_size_without_transparency():
    icon = (COLOURS / "AppIcon.appiconset/icon-1024.png").read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", icon[16:26])
    assert (width, height, depth, kind) == (1024, 1024, 8, 2)
