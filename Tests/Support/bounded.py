#!/usr/bin/env python3
"""Runs tests, and ends them if one hangs: `bounded.py COMMAND…`.

Swift Testing's time limits can't end a test that blocks its thread. If there is no output for
LIFESIGNAL_TEST_SILENCE seconds (600), this script names the tests that have not ended, stops the
command with all its processes, and fails. Otherwise it exits with the command's code.
"""

import os
import re
import select
import signal
import subprocess
import sys
import time

TIME_TO_STOP = 30

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


def main(command):
    silence = float(os.environ.get("LIFESIGNAL_TEST_SILENCE", 600))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        hanging = watch(process, silence)
        if hanging is None:
            return process.wait()
    except KeyboardInterrupt:
        return 130
    finally:
        if process.poll() is None:
            stop(process)
    print(f"✘ No test has said anything for {silence:g} seconds. These have not ended:")
    for name in sorted(hanging):
        print(f"✘ Test {name} hangs.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
