"""Runs the simulation and the suites against one mutant."""

import json
import os
import re
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

SIMULATE, TESTS = "simulate", "LifeSignalPackageTests.xctest"
DEVICES = "devices"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HASH = re.compile(r"seed (\d+): .*hash ([0-9a-f]+)", re.IGNORECASE)
BROKEN = re.compile(r'breaks "([^"]+)"|BROKEN (?:\S+ s +)?(\w+)')
FAILED_TEST = re.compile(r'^✘ Test (?!run with )("[^"]*"|\w+).*(recorded an issue|failed after)')


@dataclass
class Run:
    """The end of a process: "passed", "failed", "crashed" or "hung"."""

    end: str
    lines: list[str] = field(default_factory=list)


def run(command, env, limit, stop=lambda line: False):
    """Runs a command until it ends, `stop` accepts a line, or `limit` seconds pass."""
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        bufsize=0,
    )  # fmt: skip
    end, rest, lines, deadline = None, b"", [], time.monotonic() + limit
    try:
        while end is None:
            if not select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                end = "hung"
                break
            part = os.read(process.stdout.fileno(), 65_536)
            if not part:
                break
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                lines.append(COLOUR.sub("", line.decode(errors="replace")))
                if stop(lines[-1]):
                    end = "failed"
        if end is None:
            try:
                status = process.wait(max(0, deadline - time.monotonic()))
                end = "passed" if status == 0 else "failed" if status > 0 else "crashed"
            except subprocess.TimeoutExpired:
                end = "hung"
    finally:
        kill_session(process.pid)
        process.wait()
        process.stdout.close()
    return Run(end, lines)


def kill_session(session):
    """Kills a process and its children, which may have process groups of their own."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except (OSError, IndexError):
            continue


def environment(mutant):
    env = {key: value for key, value in os.environ.items() if key != "LIFESIGNAL_MUTANT"}
    env.setdefault("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8")
    if mutant:
        env["LIFESIGNAL_MUTANT"] = f"{mutant:08x}"
    return env


class Checks:
    """The simulation and the suites that run against each mutant of a built program."""

    def __init__(self, program, seconds, seed=1, limit=1_200):
        self.program, self.seconds, self.seed = program, seconds, seed
        # Seconds after which a suite counts as hung; for each suite as soon as it has run once.
        self.limit, self.limits = limit, {}
        self.hashes = {}

    def learn(self, areas):
        """Runs everything once per build, without a mutant. Returns the failures."""
        file = self.program.work / "unmutated.json"
        known = json.loads(file.read_text()) if file.exists() else {}
        if known.get("build") != self._build():
            known = {"build": self._build(), "hashes": {}, "passed": {}}
        problems = []
        for mode in sorted({mode_of(area) for area in areas} - set(known["hashes"])):
            ended = self._simulation(0, mode, 4 * self.seconds)
            if ended.end == "passed":
                known["hashes"][mode] = dict(hashes(ended.lines))
            else:
                problems.append(f"the simulation {ended.end}")
        suites = {suite for area in areas for suite in area.suites}
        for suite in sorted(suites - set(known["passed"])):
            began = time.monotonic()
            if said := self._suite(suite, 0):
                problems.append(said)
            else:
                known["passed"][suite] = time.monotonic() - began
        self.hashes = known["hashes"]
        # Other work may keep the machine busier later than now.
        self.limits = {suite: 120 + 4 * took for suite, took in known["passed"].items()}
        file.write_text(json.dumps(known))
        return problems

    def _build(self):
        """Returns a value that stays equal for the same build and the same simulation."""
        times = [(self.program.binaries / name).stat().st_mtime for name in (SIMULATE, TESTS)]
        return [*times, self.seconds, self.seed]

    def check(self, mutant, area):
        """Returns how the simulation and the suites notice a mutant, as two texts (empty if they
        don't), and whether the mutant changed the simulation's run."""
        by_simulation, happened = self._simulate(mutant, area)
        by_tests = ""
        for suite in area.suites:
            by_tests = self._suite(suite, mutant)
            if by_tests:
                break
        return by_simulation, by_tests, happened

    def _simulate(self, mutant, area):
        ended = self._simulation(mutant, mode_of(area), self.seconds)
        if ended.end != "passed":
            invariant = next((found for line in ended.lines if (found := broken(line))), ended.end)
            return invariant, True
        known = self.hashes[mode_of(area)]
        seen = hashes(ended.lines)
        return "", any(known.get(seed, value) != value for seed, value in seen)

    def _simulation(self, mutant, mode, seconds):
        return run(
            [self.program.binaries / SIMULATE, "--seed", str(self.seed), "--jobs", "1"]
            + ["--seconds", str(seconds), "--shrink", "0"]
            + (["--devices"] if mode == DEVICES else []),
            environment(mutant),
            # A seed that has begun runs to its end.
            limit=seconds + 60,
        )

    def _suite(self, suite, mutant):
        """Returns the suite with its first failed test or its end; empty if the suite passed."""
        ended = run(
            [self.program.binaries / TESTS]
            + ["--testing-library", "swift-testing", "--filter", f"^{suite}\\."],
            environment(mutant),
            self.limits.get(suite, self.limit),
            stop=lambda line: failed_test(line) is not None,
        )
        if ended.end == "passed":
            return ""
        test = next((test for line in ended.lines if (test := failed_test(line))), None)
        if test is None:
            (self.program.work / "unclear.log").write_text("\n".join(ended.lines))
        return f"{suite}: {test or ended.end}"


def mode_of(area):
    """Returns the simulation that runs against an area's mutants."""
    return DEVICES if area.uses_devices else "server"


def hashes(lines):
    """Returns the seeds with their hashes."""
    return [(match[1], match[2]) for line in lines if (match := HASH.search(line))]


def broken(line):
    """Returns the broken invariant in a line of the simulation, or None."""
    match = BROKEN.search(line)
    return match and (match[1] or match[2])


def failed_test(line):
    """Returns the failed test in a line of Swift Testing, or None."""
    if "known issue" in line:
        return None
    match = FAILED_TEST.search(line)
    return match and match[1]
