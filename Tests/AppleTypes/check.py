#!/usr/bin/env python3
"""Checks the types of the iPhone app against declarations of Apple's frameworks.

There is no Apple SDK on Linux. The folders beside this file declare, by hand and only as far as
the app uses them, what Apple and the upstream Composable Architecture document: each folder is a
module. The app is compiled against them and against our own modules, which `swift build` has left
in .build/debug, under Swift 6 with strict concurrency. Nothing is linked or run.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / ".build/debug"

# Modules that do not need each other stand in one row.
APPLE = [
    ["FoundationAdditions", "UIKit", "UserNotifications", "Security", "BackgroundTasks"],
    ["SwiftUI", "AVFoundation", "ActivityKit"],
    ["StoreAdditions", "PhotosUI", "AppIntents", "WidgetKit"],
]
# Of the app's package, in the order of their imports.
LIBRARIES = [
    ("LifeSignalDevice", ["Sources/LifeSignalDevice"]),
    ("LifeSignalApp", ["Sources/LifeSignalApp"]),
]
# The targets of the Xcode project, with their folders.
PRODUCTS = [
    ("LifeSignal", ["App", "Intents"]),
    ("LifeSignalWidget", ["Widget", "Intents"]),
    ("LifeSignalNotificationService", ["NotificationService"]),
]
LANGUAGE = ["-swift-version", "6", "-strict-concurrency=complete", "-parse-as-library"]
# Upstream has its additions in ComposableArchitecture itself, and Apple's Foundation has
# URLSession: here both are modules of their own that no file of the app imports.
IMPLICIT = ["StoreAdditions", "FoundationNetworking", "FoundationAdditions"]


class CheckFailed(Exception):
    pass


def build_flags():
    """The flags by which the main build finds macros and C modules, from its last plan."""
    plan = ROOT / ".build/debug.yaml"
    if not plan.exists():
        raise CheckFailed("Nothing is built yet: run `swift build --build-tests` first.")
    found = re.search(
        r'\n  "C\.ClientsLive-[^"]*\.module":\n.*?\n    args: (\[.*?\])\n', plan.read_text(), re.S
    )
    if not found:
        raise CheckFailed(f"{plan} does not say how ClientsLive is compiled.")
    arguments = json.loads(found.group(1))
    flags = ["-I", str(BUILD / "Modules")]
    for index, argument in enumerate(arguments):
        if argument in ("-Xcc", "-Xfrontend", "-target"):
            flags += arguments[index : index + 2]
        elif argument.startswith("-I/"):
            flags.append(argument)
    return flags


class Check:
    def __init__(self, modules):
        self.modules = modules
        self.flags = ["-I", str(modules), *build_flags()]
        self.flags += ["-module-cache-path", str(modules / "cache")]

    def declare_apple(self):
        """Compiles Apple's modules, and those of ours that see them."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            for row in APPLE:
                list(pool.map(self.declare, row))
        for name in IMPLICIT:
            self.flags += ["-Xfrontend", "-import-module", "-Xfrontend", name]
        self.compile("ClientsLive", [ROOT / "Sources/Client/ClientsLive"])

    def check(self, app):
        """Checks the app in this folder; throws `CheckFailed` with the compiler's words."""
        for name, folders in LIBRARIES:
            self.compile(name, [app / folder for folder in folders])
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda one: self.compile(one[0], [app / f for f in one[1]]), PRODUCTS))

    def declare(self, name):
        self.compile(name, [HERE / name], language=LANGUAGE[:2] + LANGUAGE[3:])

    def compile(self, name, folders, language=LANGUAGE):
        """Checks a module whole, isolation included, and keeps it for those that import it."""
        files = sorted(str(file) for folder in folders for file in folder.rglob("*.swift"))
        if not files:
            raise CheckFailed(f"{name} has no sources in {folders[0]}.")
        # The compiler removes its output when it fails: never name a file of the system here.
        output = str(self.modules / f"{name}.sil")
        command = ["swiftc", "-wmo", "-emit-sil", "-o", output, "-module-name", name]
        command += ["-emit-module-path", str(self.modules / f"{name}.swiftmodule")]
        done = subprocess.run(
            command + language + self.flags + files, capture_output=True, text=True, cwd=ROOT
        )
        if done.returncode or "warning:" in done.stderr:
            raise CheckFailed(f"{name} does not pass:\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description="Checks the types of the iPhone app.")
    parser.add_argument("--app", type=pathlib.Path, default=ROOT / "Apps/iOS")
    app = parser.parse_args().app.resolve()
    with tempfile.TemporaryDirectory() as modules:
        try:
            check = Check(pathlib.Path(modules))
            check.declare_apple()
            check.check(app)
        except CheckFailed as failure:
            sys.exit(str(failure))
    print("The types of the iPhone app are right, as far as Tests/AppleTypes declares them.")


if __name__ == "__main__":
    main()
