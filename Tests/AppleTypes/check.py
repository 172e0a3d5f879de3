#!/usr/bin/env python3
"""Checks the types of the iPhone app against declarations of Apple's frameworks.

There is no Apple SDK on Linux. The folders beside this file declare, by hand and only as far as
the app uses them, what Apple and the upstream Composable Architecture document: each folder is a
module. The app is compiled against them and against our own modules, which `swift build` has left
in .build/debug, under Swift 6 with strict concurrency. The declarations draw a view's words and
controls in place of a screen, so that Walk can be linked and run: it uses the app.
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


def planned(name, kind):
    """The arguments of a command of the main build, from its last plan."""
    plan = BUILD.parent / "debug.yaml"
    if not plan.exists():
        raise CheckFailed("Nothing is built yet: run `swift build --build-tests` first.")
    found = re.search(
        rf'\n  "C\.{name}-x86[^"]*\.{kind}":\n.*?\n    args: (\[.*?\])\n', plan.read_text(), re.S
    )
    if not found:
        raise CheckFailed(f"{plan} does not say how {name} is made.")
    return json.loads(found.group(1))


# The benchmark of the web app is linked from all that the walk needs.
LINKED = "web-bench"


def link_flags():
    return [a for a in planned(LINKED, "exe") if a.startswith(("-l", "-L/"))]


def server_objects():
    """What the main build has made of our modules, but for those that are others here."""
    files = (BUILD / f"{LINKED}.product/Objects.LinkFileList").read_text().splitlines()
    others = ("/web_bench.build/", "/ClientsLive.build/")
    return [file for file in files if not any(other in file for other in others)]


def build_flags():
    """The flags by which the main build finds macros and C modules."""
    arguments = planned(LINKED, "module")
    flags = ["-I", str(BUILD / "Modules")]
    for index, argument in enumerate(arguments):
        if argument in ("-Xcc", "-target"):
            flags += arguments[index : index + 2]
        elif argument == "-load-plugin-executable":
            flags += arguments[index - 1 : index + 3]
        elif argument == "-load-plugin-library":
            flags += arguments[index : index + 2]
        elif argument.startswith("-I/"):
            flags.append(argument)
    return flags


class Check:
    """The modules of a check in a folder; what it compiles stays there."""

    def __init__(self, modules, flags=None):
        self.modules = modules
        flags = flags or [*build_flags(), "-module-cache-path", str(modules / "cache")]
        self.flags = ["-I", str(modules), *flags]

    def beside(self, modules):
        """A check on top of this one, which leaves this one as it is."""
        return Check(modules, self.flags)

    def declare_apple(self):
        """Compiles Apple's modules, and those of ours that see them."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            for row in APPLE:
                list(pool.map(self.declare, row))
        for name in IMPLICIT:
            self.flags += ["-Xfrontend", "-import-module", "-Xfrontend", name]
        sources = [ROOT / "Sources/Client/ClientsLive"]
        self.compile("ClientsLive", sources, LANGUAGE + ["-enable-testing"], is_linked=True)

    def check(self, app):
        """Checks the app in this folder; throws `CheckFailed` with the compiler's words."""
        for name, folders in LIBRARIES:
            self.compile(name, [app / folder for folder in folders])
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda one: self.compile(one[0], [app / f for f in one[1]]), PRODUCTS))

    def walk(self):
        """Links the program that walks through the app, and returns its path."""
        linked = [name for row in APPLE for name in row] + ["ClientsLive", "Walk"]
        for name, folders in LIBRARIES:
            sources = [ROOT / "Apps/iOS" / folder for folder in folders]
            self.compile(name, sources, LANGUAGE + ["-enable-testing"], is_linked=True)
            linked.append(name)
        shared = ["Tests/WebTests/Support/Screen.swift", "Benchmarks/client-bench/Cable.swift"]
        sources = [HERE / "Walk", *(ROOT / file for file in shared)]
        self.compile("Walk", sources, LANGUAGE, is_linked=True)
        objects = self.modules / "objects"
        files = [self.modules / f"{name}.o" for name in linked] + server_objects()
        objects.write_text("".join(f"{file}\n" for file in files))
        program = self.modules / "walk"
        self.run(
            ["swiftc", "-emit-executable", "-o", str(program), *link_flags(), f"@{objects}"],
            "The program that walks through the app",
        )
        return program

    def declare(self, name):
        language = LANGUAGE[:2] + LANGUAGE[3:]
        self.compile(name, [HERE / name], language + ["-enable-testing"], is_linked=True)

    def compile(self, name, sources, language=LANGUAGE, is_linked=False):
        """Checks a module whole, isolation included, and keeps it for those that import it."""
        files = sorted(
            str(file)
            for source in sources
            for file in (source.rglob("*.swift") if source.is_dir() else [source])
        )
        if not files:
            raise CheckFailed(f"{name} has no sources in {sources[0]}.")
        kind, suffix = ("-c", "o") if is_linked else ("-emit-sil", "sil")
        # The compiler removes its output when it fails: never name a file of the system here.
        command = ["swiftc", "-wmo", kind, "-o", str(self.modules / f"{name}.{suffix}")]
        command += ["-emit-module-path", str(self.modules / f"{name}.swiftmodule")]
        self.run(command + ["-module-name", name, *language, *self.flags, *files], name)

    def run(self, command, what):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if done.returncode or "warning:" in done.stderr:
            raise CheckFailed(f"{what} does not pass:\n{done.stderr}")


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
