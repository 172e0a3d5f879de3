#!/usr/bin/env python3
"""Runs tests, and ends them if one hangs: `bounded.py COMMAND…`.

Swift Testing's time limits can't end a test that blocks its thread. If there is no output for
LIFESIGNAL_TEST_SILENCE seconds (300), this script names the tests that have not ended, lists the
command's processes, shows the stacks of their threads if gdb is there, and stops them all. It then
runs the command once more, and fails if tests hang again: a tool that hangs once, such as SwiftPM
in the tests of the manifest, must not refuse a change. Otherwise it exits with the command's code.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

TIME_TO_STOP = 30
TIME_FOR_STACKS = 240

STARTED = re.compile(r"^\S+ Test (?!case |run )(.+) started\.$")
ENDED = re.compile(
    r"^\S+ Test (?!case |run )(.+?)(?: with \d+ test cases?)? (?:passed|failed) after "
)


class Progress:
    """The running tests. Several may have the same name."""

    def __init__(self):
        self.running = []

    def note(self, line):
        if match := STARTED.match(line):
            self.running.append(match[1])
        elif (match := ENDED.match(line)) and match[1] in self.running:
            self.running.remove(match[1])


def descendants(ancestor):
    """Returns the ids of all processes below a process."""
    listing = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True)
    children = {}
    for line in listing.stdout.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    found = []
    level = [ancestor]
    while level:
        level = [child for parent in level for child in children.get(parent, [])]
        found += level
    return found


def stop(process):
    """Ends the command and its descendants. `swift test` runs the tests in another group."""
    below = descendants(process.pid)
    for kind in (signal.SIGTERM, signal.SIGKILL):
        for end, targets in ((os.killpg, [process.pid]), (os.kill, below)):
            for target in targets:
                try:
                    end(target, kind)
                except ProcessLookupError:
                    pass
        try:
            process.wait(TIME_TO_STOP)
        except subprocess.TimeoutExpired:
            continue


def show_where_they_hang(process):
    """Prints the processes, oldest first, and the stacks of each that has threads."""
    for child in sorted(descendants(process.pid)):
        try:
            with open(f"/proc/{child}/cmdline") as file:
                command = file.read().replace("\0", " ")[:150]
            threads = len(os.listdir(f"/proc/{child}/task"))
        except OSError:
            continue
        print(f"Process {child} (threads: {threads}): {command}")
        if threads > 1 and shutil.which("gdb"):
            show_stacks(child)


def show_stacks(process):
    # gdb takes about a minute to read the symbols of the test program.
    command = ["gdb", "--batch", "--pid", f"{process}", "--ex", "thread apply all backtrace 40"]
    try:
        stacks = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIME_FOR_STACKS
        )
    except subprocess.TimeoutExpired:
        return print("gdb didn't show the stacks in time.")
    for line in stacks.stdout.splitlines():
        if line.startswith(("Thread", "#")):
            print(line[:200])


def watch(process, silence):
    """Prints the output. Returns the tests that hang, or None at the end of the output."""
    progress = Progress()
    output = process.stdout.fileno()
    rest = b""
    while True:
        deadline = time.monotonic() + silence
        while not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
            if time.monotonic() >= deadline:
                return progress.running
        chunk = os.read(output, 1 << 16)
        if not chunk:
            return None
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            progress.note(line.decode(errors="replace"))


def run_once(command, silence):
    """Runs the command. Returns its code, or None if its tests hung."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        hanging = watch(process, silence)
        if hanging is None:
            return process.wait()
        show_where_they_hang(process)
    except KeyboardInterrupt:
        return 130
    finally:
        if process.poll() is None:
            stop(process)
    print(f"✘ No test has said anything for {silence:g} seconds. These have not ended:")
    for name in sorted(hanging):
        print(f"✘ Test {name} hangs.", flush=True)
    return None


def main(command):
    silence = float(os.environ.get("LIFESIGNAL_TEST_SILENCE", 300))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    code = run_once(command, silence)
    if code is None:
        print("==> The tests run once more, because they hung", flush=True)
        code = run_once(command, silence)
    return 1 if code is None else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
