"""The Makefile's builds. Scripts replace the compiler and record how they were called."""

import re
import shutil
import subprocess

import pytest

from support.program import REPOSITORY

SWIFT = """#!/bin/bash
echo "${LIFESIGNAL_MACROS:-} | $*" >>calls
echo "${LIFESIGNAL_BUILD:-}" >build
"""
COMPILER = """#!/bin/bash
case "$*" in
--version) cat version ;;
-print-target-info) echo '  "runtimeResourcePath": "/a toolchain/lib/swift",' ;;
*) echo "macros | $*" >>calls
    [ ! -e broken ] || { echo "error: a macro"; exit 1; }
    while [ "$1" != -o ]; do shift; done
    cp "${@: -1}" "$2" ;;
esac
"""
SOURCES = "Sources/Kits/ComposableArchitectureMacros"
PROGRAM = "build -c release --scratch-path .build-release --product lifesignal"
EVERYTHING = "build --build-tests"


class Checkout:
    def __init__(self, folder):
        self.folder = folder
        shutil.copy(REPOSITORY / "Makefile", folder)
        for name, script in [("swift", SWIFT), ("swiftc", COMPILER)]:
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        (folder / SOURCES).mkdir(parents=True)
        self.write_version("6.3")
        self.write_macros("first")

    def write_version(self, version):
        (self.folder / "version").write_text(version)

    def write_macros(self, content):
        (self.folder / SOURCES / "Macro.swift").write_text(content)
        (self.folder / SOURCES / "Plugin.swift").write_text("import SwiftCompilerPlugin")

    def make(self, target="release", **variables):
        """Returns the output, whether the build succeeded, and the compiler's calls: for each, the
        macro library and the arguments."""
        (self.folder / "calls").write_text("")
        told = subprocess.run(
            ["make", target, "SWIFT=./swift", "PACKAGES=", "TEST_PACKAGES="]
            + [f"{name}={value}" for name, value in variables.items()],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        calls = (self.folder / "calls").read_text().splitlines()
        return (
            told.stdout + told.stderr,
            told.returncode == 0,
            [tuple(call.split(" | ")) for call in calls],
        )


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    return Checkout(folder)


def test_first_build_makes_and_loads_macros(checkout):
    printed, succeeded, calls = checkout.make()
    assert succeeded, printed
    (made, arguments), (library, build) = calls
    assert made == "macros" and build == PROGRAM
    # The entry point of SwiftPM's tool is not part of a library.
    assert arguments.endswith(f" {SOURCES}/Macro.swift")
    assert "-I /a toolchain/lib/swift/host -L /a toolchain/lib/swift/host" in arguments
    # The path is absolute, and a single argument although the checkout's path contains a space.
    assert library.startswith(str(checkout.folder / ".build-macros"))
    # The compiler derives the macro module's name from the file name.
    assert library.endswith("/libComposableArchitectureMacros.so")
    with open(library) as file:
        assert file.read() == "first"


def test_changed_macros_get_another_path(checkout):
    first = checkout.make()[2][-1][0]
    assert checkout.make()[2] == [(first, PROGRAM)]
    checkout.write_macros("second")
    second = checkout.make()[2][-1][0]
    assert second != first
    with open(second) as file:
        assert file.read() == "second"
    checkout.write_macros("first")
    assert checkout.make()[2][-1][0] == first
    # A library that was built for one compiler doesn't work with another.
    checkout.write_version("6.4")
    assert checkout.make()[2][-1][0] not in (first, second)


def test_only_releases_know_their_commit(checkout):
    built = checkout.folder / "build"
    assert checkout.make()[1] and built.read_text() == "\n", "sources without git have none"
    assert checkout.make(LIFESIGNAL_BUILD="v1-0-gabc")[1] and built.read_text() == "v1-0-gabc\n"
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "Makefile"], ["commit", "-qm", "First"], ["tag", "v2"]):
        subprocess.run([*git, *command], cwd=checkout.folder, check=True)
    assert checkout.make()[1] and re.fullmatch(r"v2-0-g[0-9a-f]{12}\n", built.read_text())
    with open(checkout.folder / "Makefile", "a") as file:
        file.write("# changed\n")
    assert checkout.make()[1] and built.read_text().endswith("-dirty\n")
    assert checkout.make("tests-built")[1] and built.read_text() == "\n"


def test_debug_and_release_builds_load_the_same_macros(checkout):
    release = checkout.make()[2][-1][0]
    assert checkout.make("tests-built")[2] == [(release, EVERYTHING)]


def test_broken_macros_stop_the_build(checkout):
    for content in ["first", "second"]:
        checkout.write_macros(content)
        (checkout.folder / "broken").touch()
        for _ in range(2):
            printed, succeeded, calls = checkout.make()
            assert not succeeded
            assert "error: a macro" in printed and "The macros do not build" in printed
            assert all(arguments != PROGRAM for _, arguments in calls)
        # The build succeeded with the first content, and fails with the second.
        (checkout.folder / "broken").unlink()
        assert checkout.make()[1]
