#!/usr/bin/env python3
"""Puts known defects into a copy of the program, and checks that the simulation finds each.

All defects are in one build, which stays in .build-defects; an environment variable chooses one.
Fails if a defect is not found, or if another invariant than its own breaks.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kept import Misplaced, read
from program import BuildFailed, Program
from runs import broken, environment, run

ROOT = Path(__file__).resolve().parents[3]
DEFECTS = ROOT / "Tests/Support/Simulation/Defects"


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="the defects; all without names")
    parser.add_argument("--seconds", type=int, default=60, help="of simulation, at most")
    parser.add_argument("--seed", type=int, help="the first seed, in place of the defects' own")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at the same time")
    parser.add_argument("--no-build", action="store_true", help="takes the program as it is built")
    return parser.parse_args(words)


def main(words):
    options = arguments(words)
    defects = [one for one in read(DEFECTS) if not options.names or one.name in options.names]
    if missing := set(options.names) - {one.name for one in defects}:
        return f"There is no defect {', '.join(sorted(missing))}."
    program = Program(ROOT, work=".build-defects", suites=False)
    try:
        wanted = [change for one in read(DEFECTS) for change in one.candidates(ROOT)]
        built = wanted if options.no_build else program.build(wanted)
    except (Misplaced, BuildFailed) as problem:
        return str(problem)
    known = {change.id for change in built} - program.refused
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda one: search(one, program, options, known), defects))
    return 0 if all(found) else 1


def search(defect, program, options, known):
    """Plays seeds with a defect, prints what happens, and returns whether it was found."""
    if defect.unseen and not options.names:
        print(f"{defect.name}: not found so far. {defect.unseen}", flush=True)
        return True
    if defect.id not in known:
        print(f"{defect.name}: does not compile", flush=True)
        return False
    seed = options.seed or defect.seed
    ended = run(
        [program.binaries / "simulate", "--only", defect.invariant, "--seed", str(seed)]
        + ["--seconds", str(options.seconds), "--shrink", "5", "--jobs", "1"],
        environment(defect.id),
        limit=options.seconds + 120,
    )
    (program.work / f"{defect.name}.log").write_text("\n".join(ended.lines))
    lines = iter(ended.lines)
    breaks = next((line for line in lines if broken(line) == defect.invariant), None)
    if breaks:
        print(f"{defect.name}: found. {breaks.split(' breaks')[0]}. {next(lines, '')}", flush=True)
    else:
        print(f"{defect.name}: NOT found ({ended.end}); see .build-defects", flush=True)
    return breaks is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
