"""The Makefile's release build, with a script in Swift's place that records how it is called."""

import shutil
import subprocess

import pytest

from support.program import REPOSITORY

SWIFT = """#!/bin/bash
echo "${LIFESIGNAL_MACROS:-} | $*" >>calls
case "$*" in
"package resolve") touch Package.resolved ;;
*ComposableArchitectureMacros) [ ! -e broken ] || { echo "error: a macro"; exit 1; }
    mkdir -p .build/debug && cp macros .build/debug/ComposableArchitectureMacros-tool ;;
esac
"""
MACROS = "build --product ComposableArchitectureMacros"
PROGRAM = "build -c release --scratch-path .build-release --product lifesignal"


class Checkout:
    def __init__(self, folder):
        self.folder = folder
        shutil.copy(REPOSITORY / "Makefile", folder)
        (folder / "swift").write_text(SWIFT)
        (folder / "swift").chmod(0o755)
        self.write_macros("first")

    def write_macros(self, content):
        (self.folder / "macros").write_text(content)

    def make(self, target="release", **variables):
        """The output, whether it succeeded, and the calls of Swift: macros' tool and arguments."""
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


def test_the_first_build_resolves_once_and_loads_the_macros(checkout):
    printed, succeeded, calls = checkout.make()
    assert succeeded, printed
    assert calls[0] == ("", "package resolve")
    beside = "build -c release --scratch-path .build-release --target Hummingbird"
    assert sorted(calls[1:3]) == sorted([("", MACROS), ("", beside)])
    ((tool, arguments),) = calls[3:]
    assert arguments == PROGRAM
    # Absolute, and in one piece although the checkout's path has a space.
    assert tool.startswith(str(checkout.folder / ".build-release"))
    with open(tool) as file:
        assert file.read() == "first"


def test_the_same_macros_keep_their_path_and_others_get_another(checkout):
    _, _, calls = checkout.make()
    first = calls[-1][0]
    _, _, calls = checkout.make()
    assert calls == [("", MACROS), (first, PROGRAM)]
    checkout.write_macros("second")
    _, _, calls = checkout.make()
    second = calls[-1][0]
    assert second != first
    with open(second) as file:
        assert file.read() == "second"
    checkout.write_macros("first")
    _, _, calls = checkout.make()
    assert calls[-1][0] == first


def test_macros_that_do_not_build_stop_the_build_and_are_named(checkout):
    for _ in range(2):
        (checkout.folder / "broken").touch()
        printed, succeeded, calls = checkout.make()
        assert not succeeded
        assert "error: a macro" in printed and "The macros do not build" in printed
        assert all(arguments != PROGRAM for _, arguments in calls)
        # The second time they break after they have been built.
        (checkout.folder / "broken").unlink()
        assert checkout.make()[1]
