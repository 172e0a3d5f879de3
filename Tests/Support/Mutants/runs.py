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
HASH = re.compile(r"seed \d+: .*hash ([0-9a-f]+)", re.IGNORECASE)
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


def environment(mutant, reached=None):
    """Returns the environment that chooses a mutant and names the file for the reached ones."""
    env = {key: value for key, value in os.environ.items() if key != "LIFESIGNAL_MUTANT"}
    env.setdefault("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8")
    if mutant:
        env["LIFESIGNAL_MUTANT"] = f"{mutant:08x}"
    if reached:
        env["LIFESIGNAL_MUTANTS_REACHED"] = str(reached)
    return env


class Checks:
    """The simulation and the suites that run against each mutant of a built program.

    A first run without mutants learns which of them each seed and each suite reaches. Against a
    mutant runs only what reaches it: at most `plays` of the seeds, and the area's suites.
    """

    def __init__(self, program, seeds=range(1, 9), plays=2, limit=1_200):
        self.program, self.seeds, self.plays = program, list(seeds), plays
        # Seconds after which a run counts as hung.
        self.limit = limit
        self.known = {}

    def learn(self, areas, say=print):
        """Runs everything once per build, without a mutant. Leaves out suites and seeds that fail.
        Returns the failures of seeds if no seed of a simulation passes."""
        file = self.program.work / "unmutated.json"
        self.known = json.loads(file.read_text()) if file.exists() else {}
        if self.known.get("build") != self._build():
            self.known = {"build": self._build(), "hashes": {}, "reached": {}, "took": {}}
        reached, problems = self.known["reached"], []
        for mode in sorted({mode_of(area) for area in areas}):
            failed = []
            for seed in self.seeds:
                if f"{mode} {seed}" not in reached:
                    say(f"Learning what seed {seed} reaches ({mode}) …")
                    ended, ids = self._traced(lambda file: self._simulation(mode, seed, 0, file))
                    if ended.end != "passed":
                        failed.append(f"seed {seed} ({mode}) {ended.end}")
                        say(f"Left out, because it fails without a mutant: {failed[-1]}")
                        continue
                    self.known["hashes"][f"{mode} {seed}"] = hash_of(ended.lines)
                    reached[f"{mode} {seed}"] = ids
            if len(failed) == len(self.seeds):
                problems += failed
        for target in dict.fromkeys(target for area in areas for target in area.suites):
            say(f"Learning what each suite of {target} reaches …")
            for suite in self._suites_of(target):
                if suite in reached:
                    continue
                began = time.monotonic()
                ended, ids = self._traced(lambda file: self._run_suites([suite], 0, file))
                if ended.end != "passed":
                    say(f"Left out, because it fails without a mutant: {noticed([suite], ended)}")
                    continue
                reached[suite], self.known["took"][suite] = ids, time.monotonic() - began
            file.write_text(json.dumps(self.known))
        file.write_text(json.dumps(self.known))
        return problems

    def _traced(self, run_with):
        """Returns a run, and the ids that it reached."""
        file = self.program.work / "reached.txt"
        file.write_text("")
        ended = run_with(file)
        return ended, sorted({int(line, 16) for line in file.read_text().split()})

    def _suites_of(self, target):
        """Returns a target's suites, and its tests outside of suites."""
        listed = run(
            [self.program.binaries / TESTS, "--testing-library", "swift-testing", "--list-tests"],
            environment(0),
            self.limit,
        )
        names = {line.strip().partition("/")[0].partition("(")[0] for line in listed.lines}
        return sorted(name for name in names if name.startswith(target + "."))

    def _build(self):
        """Returns a value that stays equal for the same build and the same seeds."""
        times = [(self.program.binaries / name).stat().st_mtime for name in (SIMULATE, TESTS)]
        return [*times, self.seeds]

    def check(self, mutant, area):
        """Returns how the simulation and the suites notice a mutant, as two texts (empty if they
        don't), and whether the mutant changed the simulation's run."""
        by_simulation, happened = self._simulate(mutant, area)
        return by_simulation, self._suites(mutant, area), happened

    def _reaches(self, name, mutant):
        return mutant in self.known["reached"].get(name, ())

    def _simulate(self, mutant, area):
        mode, happened = mode_of(area), False
        seeds = [seed for seed in self.seeds if self._reaches(f"{mode} {seed}", mutant)]
        for seed in seeds[: self.plays]:
            ended = self._simulation(mode, seed, mutant)
            if ended.end != "passed":
                found = next((found for line in ended.lines if (found := broken(line))), ended.end)
                return found, True
            happened |= hash_of(ended.lines) != self.known["hashes"][f"{mode} {seed}"]
        return "", happened

    def _simulation(self, mode, seed, mutant, reached=None):
        return run(
            [self.program.binaries / SIMULATE, "--seed", str(seed), "--jobs", "1", "--shrink", "0"]
            + (["--devices"] if mode == DEVICES else []),
            environment(mutant, reached),
            limit=300,
        )

    def _suites(self, mutant, area):
        """Returns the target with its first failed test or its end; empty if all suites passed."""
        for target in area.suites:
            suites = [
                name
                for name in self.known["took"]
                if name.startswith(target + ".") and self._reaches(name, mutant)
            ]
            if suites and (said := noticed(suites, self._run_suites(suites, mutant))):
                return said
        return ""

    def _run_suites(self, suites, mutant, reached=None):
        # Other work may keep the machine busier than during the first run.
        limit = 60 + 4 * sum(self.known["took"].get(suite, self.limit) for suite in suites)
        names = "|".join(re.escape(suite) for suite in suites)
        return run(
            [self.program.binaries / TESTS]
            + ["--testing-library", "swift-testing", "--filter", rf"^({names})[(/]"],
            environment(mutant, reached),
            min(limit, self.limit),
            stop=lambda line: failed_test(line) is not None,
        )


def noticed(suites, ended):
    """Returns how the suites of one target noticed a mutant; empty if they passed."""
    if ended.end == "passed":
        return ""
    test = next((test for line in ended.lines if (test := failed_test(line))), None)
    return f"{suites[0].partition('.')[0]}: {test or ended.end}"


def mode_of(area):
    """Returns the simulation that runs against an area's mutants."""
    return DEVICES if area.uses_devices else "server"


def hash_of(lines):
    """Returns the hash that a seed's run printed, or None."""
    return next((match[1] for line in lines if (match := HASH.search(line))), None)


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
