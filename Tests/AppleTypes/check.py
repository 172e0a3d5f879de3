#!/usr/bin/env python3
"""Checks the types of the iPhone app against declarations of Apple's frameworks.

Linux lacks Apple's SDK. The folders beside this file contain hand-written declarations, as far as
the app needs them. They follow the documentation of Apple and of the upstream Composable
Architecture. Each folder is a module. `swift build` has left the package's own modules in
.build/debug. The app is compiled under Swift 6 with strict concurrency, against all these modules.
The declared views draw their texts and controls instead of a screen. So Walk, which uses the app,
can be linked and run.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / ".build/debug"

# Modules in one row are independent of each other.
APPLE = [
    ["FoundationAdditions", "UIKit", "UserNotifications", "Security", "BackgroundTasks"],
    ["UniformTypeIdentifiers", "AVFoundation", "ActivityKit"],
    ["SwiftUI"],
    ["StoreAdditions", "PhotosUI", "AppIntents", "WidgetKit", "AuthenticationServices"],
]
# Modules that ClientsLive imports only on a phone. Those sources are compiled but not run, because
# the walk uses our own kits for pictures and requests.
DEVICE = [["Darwin", "CoreGraphics"], ["ImageIO", "CoreImage"]]
# The modules of the app's package, in the order of their imports.
LIBRARIES = [
    ("LifeSignalDevice", ["Sources/LifeSignalDevice"]),
    ("LifeSignalApp", ["Sources/LifeSignalApp"]),
]
PRODUCTS = [
    ("LifeSignal", ["App", "Intents"]),
    ("LifeSignalWidget", ["Widget", "Intents"]),
    ("LifeSignalNotificationService", ["NotificationService"]),
    ("LifeSignalTests", ["Tests"]),
]
LANGUAGE = ["-swift-version", "6", "-strict-concurrency=complete", "-parse-as-library"]
# A file sees only members of modules that the file itself imports.
OWN_IMPORTS = ["-enable-upcoming-feature", "MemberImportVisibility"]
# Apple's enumerations may get new cases unless they are frozen. Foundation is compiled differently
# here, which makes the compiler warn.
RESILIENT = ["-enable-library-evolution", "-suppress-warnings"]
# The oldest iOS version that the app supports. Newer APIs are missing on some phones.
DEPLOYMENT = 18.0
AVAILABLE = re.compile(r"@available\(iOS (\d+(?:\.\d+)?), \*\)")
# Upstream, StoreAdditions is part of ComposableArchitecture. On Apple's systems, URLSession is part
# of Foundation. Here they are separate modules, which no file of the app imports.
IMPLICIT = ["StoreAdditions", "FoundationNetworking", "FoundationAdditions"]


class CheckFailed(Exception):
    pass


def planned(name, kind):
    """Returns a command's arguments from the last build plan of the main build."""
    plan = BUILD.parent / "debug.yaml"
    if not plan.exists():
        raise CheckFailed("Nothing is built yet: run `swift build --build-tests` first.")
    found = re.search(
        rf'\n  "C\.{name}-x86[^"]*\.{kind}":\n.*?\n    args: (\[.*?\])\n', plan.read_text(), re.S
    )
    if not found:
        raise CheckFailed(f"{plan} does not say how {name} is made.")
    return json.loads(found.group(1))


# The benchmark of the web app links everything that the walk needs.
LINKED = "web-bench"


def link_flags():
    return [a for a in planned(LINKED, "exe") if a.startswith(("-l", "-L/"))]


def server_objects():
    """Returns the object files of the main build, except those that this check replaces."""
    files = (BUILD / f"{LINKED}.product/Objects.LinkFileList").read_text().splitlines()
    others = ("/web_bench.build/", "/ClientsLive.build/")
    return [file for file in files if not any(other in file for other in others)]


def build_flags():
    """Returns the flags with which the main build finds macros and C modules."""
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


def of_the_oldest_phone(found):
    """Returns the replacement of an `@available` attribute for this machine's compiler."""
    if float(found[1]) <= DEPLOYMENT:
        return found[0]
    return f'@available(*, unavailable, message: "only in iOS {found[1]} or newer")'


class Check:
    """A check whose modules are in a folder, together with everything that the check compiles."""

    def __init__(self, modules, flags=None):
        self.modules = modules
        flags = flags or [*build_flags(), "-module-cache-path", str(modules / "cache")]
        self.flags = ["-I", str(modules), *flags]

    def beside(self, modules):
        """Returns a check that builds on this one without changing it."""
        return Check(modules, self.flags)

    def declare_apple(self):
        """Compiles Apple's modules, and then our modules that import them."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            for row in APPLE:
                list(pool.map(self.declare, row))
        for name in IMPLICIT:
            self.flags += ["-Xfrontend", "-import-module", "-Xfrontend", name]
        sources = [ROOT / "Sources/Client/ClientsLive"]
        self.compile("ClientsLive", sources, LANGUAGE + ["-enable-testing"], is_linked=True)

    def check_device(self, clients=ROOT / "Sources/Client/ClientsLive"):
        """Checks our clients as compiled for a phone. The walk doesn't use that form."""
        for row in DEVICE:
            for name in row:
                self.declare(name, HERE / "Device")
        # Adapts the sources: the compiler can't target iOS here, and one property of Foundation is
        # read-only on Linux.
        sources = self.modules / "ClientsLive"
        shutil.copytree(clients, sources)
        for file in sources.rglob("*.swift"):
            text = file.read_text().replace("#if os(iOS)", "#if canImport(Darwin)")
            text = text.replace(".waitsForConnectivity = false", ".httpShouldSetCookies = true")
            file.write_text(text)
        self.compile("ClientsLive", [sources])

    def check(self, app):
        """Checks the app in this folder. Raises `CheckFailed` with the compiler's message."""
        language = LANGUAGE + OWN_IMPORTS
        for name, folders in LIBRARIES:
            sources = [app / folder for folder in folders]
            self.compile(name, sources, language + ["-enable-testing"])
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(
                pool.map(
                    lambda one: self.compile(one[0], [app / f for f in one[1]], language), PRODUCTS
                )
            )

    def walk(self):
        """Links the program that walks through the app. Returns its path."""
        shared = ["Tests/WebTests/Support/Screen.swift", "Benchmarks/client-bench/Cable.swift"]
        return self.program("Walk", [HERE / "Walk", *(ROOT / file for file in shared)])

    def tests(self):
        return self.program("Tests", [ROOT / "Apps/iOS/Tests", HERE / "Tests"], ["-lTesting"])

    def program(self, name, sources, libraries=()):
        linked = [name for row in APPLE for name in row] + ["ClientsLive", name]
        for library, folders in LIBRARIES:
            linked.append(library)
            if not (self.modules / f"{library}.o").exists():
                own = [ROOT / "Apps/iOS" / folder for folder in folders]
                self.compile(library, own, LANGUAGE + ["-enable-testing"], is_linked=True)
        self.compile(name, sources, LANGUAGE, is_linked=True)
        objects = self.modules / f"{name}.objects"
        files = [self.modules / f"{module}.o" for module in linked] + server_objects()
        objects.write_text("".join(f"{file}\n" for file in files))
        program = self.modules / f"{name}.program"
        command = ["swiftc", "-emit-executable", "-o", str(program), *link_flags(), *libraries]
        self.run([*command, f"@{objects}"], f"The program {name}")
        return program

    def declare(self, name, folder=HERE):
        """Compiles declarations. APIs newer than the app's oldest iOS become unavailable."""
        declared = self.modules / "declared" / name
        declared.mkdir(parents=True)
        for file in (folder / name).glob("*.swift"):
            (declared / file.name).write_text(AVAILABLE.sub(of_the_oldest_phone, file.read_text()))
        language = LANGUAGE[:2] + LANGUAGE[3:] + ["-enable-testing"]
        # The upstream store is compiled in the same way as the app.
        language += [] if name == "StoreAdditions" else RESILIENT
        self.compile(name, [declared], language, is_linked=True)

    def compile(self, name, sources, language=LANGUAGE, is_linked=False):
        """Checks a whole module, including its isolation. Keeps the module for other modules that
        import it."""
        files = sorted(
            str(file)
            for source in sources
            for file in (source.rglob("*.swift") if source.is_dir() else [source])
        )
        if not files:
            raise CheckFailed(f"{name} has no sources in {sources[0]}.")
        kind, suffix = ("-c", "o") if is_linked else ("-emit-sil", "sil")
        # A failing compiler deletes its output, so the output must never be a file of the system.
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
            device = pathlib.Path(modules) / "device"
            device.mkdir()
            check.beside(device).check_device()
        except CheckFailed as failure:
            sys.exit(str(failure))
    print("The types of the iPhone app are right, as far as Tests/AppleTypes declares them.")


if __name__ == "__main__":
    main()
