"""The Xcode project, its property lists and its resources, as far as they can be read here."""

import json
import plistlib
import re
import struct

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
    """All ids in a value."""
    if isinstance(value, dict):
        return {found for part in value.values() for found in ids(part)}
    if isinstance(value, list):
        return {found for part in value for found in ids(part)}
    return {value} if ID.fullmatch(value) else set()


def of_kind(project, kind):
    return [one for one in project["objects"].values() if one["isa"] == kind]


def test_every_object_is_there_and_used(project):
    objects = project["objects"]
    assert project["objectVersion"] == "77"
    used = ids(objects) | {project["rootObject"]}
    assert used == set(objects)
    assert objects[project["rootObject"]]["isa"] == "PBXProject"


def test_the_targets_are_those_that_the_type_check_compiles(project):
    objects = project["objects"]
    targets = {}
    for target in of_kind(project, "PBXNativeTarget"):
        folders = [objects[group]["path"] for group in target["fileSystemSynchronizedGroups"]]
        targets[target["name"]] = [folder for folder in folders if folder != "Resources"]
    assert targets == dict(PRODUCTS)


def test_every_folder_and_file_exists(project):
    for group in of_kind(project, "PBXFileSystemSynchronizedRootGroup"):
        assert (APP / group["path"]).is_dir()
    settings = [one["buildSettings"] for one in of_kind(project, "XCBuildConfiguration")]
    files = {
        one[key] for one in settings for key in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS")
        if key in one
    }  # fmt: skip
    assert len(files) == 5
    assert all((APP / file).is_file() for file in files)


def test_the_packages_products_are_in_its_manifest(project):
    manifest = (APP / "Package.swift").read_text()
    products = {one["productName"] for one in of_kind(project, "XCSwiftPackageProductDependency")}
    assert products == {"LifeSignalApp", "LifeSignalDevice"}
    assert all(f'.library(name: "{product}"' in manifest for product in products)


def test_every_build_setting_that_a_property_list_names_is_set(project):
    settings = {
        key for one in of_kind(project, "XCBuildConfiguration") for key in one["buildSettings"]
    }
    # Xcode's own.
    settings |= {"EXECUTABLE_NAME", "PRODUCT_BUNDLE_PACKAGE_TYPE", "AppIdentifierPrefix"}
    settings |= {"PRODUCT_MODULE_NAME"}
    for file in (APP / "Config").iterdir():
        for name in re.findall(r"\$\((\w+)\)", file.read_text()):
            assert name in settings, f"{file.name}: {name}"


def test_the_property_lists_say_what_the_app_needs():
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


def test_the_entitlements_share_the_group_and_the_keychain():
    app, extension = named("App.entitlements"), named("Extension.entitlements")
    groups = "com.apple.security.application-groups"
    assert app[groups] == extension[groups] == [named("App-Info.plist")["LifeSignalAppGroup"]]
    assert app["keychain-access-groups"] == [named("App-Info.plist")["LifeSignalKeychainGroup"]]
    assert app["com.apple.developer.usernotifications.time-sensitive"] is True
    assert "aps-environment" in app


def test_the_privacy_manifest_names_what_is_collected_and_tracks_nobody():
    manifest = plistlib.loads((APP / "Resources/PrivacyInfo.xcprivacy").read_bytes())
    assert manifest["NSPrivacyTracking"] is False
    assert all(
        kind["NSPrivacyCollectedDataTypeTracking"] is False
        for kind in manifest["NSPrivacyCollectedDataTypes"]
    )
    used = {one["NSPrivacyAccessedAPIType"] for one in manifest["NSPrivacyAccessedAPITypes"]}
    sources = "".join(file.read_text() for file in (APP / "Sources").rglob("*.swift"))
    assert ("NSPrivacyAccessedAPICategoryUserDefaults" in used) == ("UserDefaults" in sources)


def test_the_colours_are_those_of_the_web_app():
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


def test_the_views_name_colours_that_exist():
    sources = "".join(file.read_text() for file in APP.rglob("*.swift"))
    used = set(re.findall(r'Color\("([^"]+)"\)', sources))
    assert len(used) >= 10
    assert all((COLOURS / f"{name}.colorset").is_dir() for name in used)


def test_the_icon_has_apples_size_and_no_transparency():
    icon = (COLOURS / "AppIcon.appiconset/icon-1024.png").read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", icon[16:26])
    assert (width, height, depth, kind) == (1024, 1024, 8, 2)
