#!/usr/bin/env python3
"""Puts plausible defects into a copy of the program, and reports which ones the checks notice.

One build contains all defects; the environment variable LIFESIGNAL_MUTANT chooses one. Build and
results stay in .build-mutants, so the same command continues after an interruption.
"""

import argparse
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from areas import AREAS, area_of
from draw import all_candidates, drawn
from program import BuildFailed, Program
from report import Result, Results, known_equivalents, summary
from runs import Checks

ROOT = Path(__file__).resolve().parents[3]
EQUIVALENTS = Path(__file__).parent / "equivalents.txt"


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=100, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=1, help="decides which are drawn")
    parser.add_argument("--only", nargs="*", default=[], help="run these again, by id")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at the same time")
    parser.add_argument("--seeds", type=int, default=8, help="how many seeds may be played")
    parser.add_argument("--plays", type=int, default=2, help="seeds against each mutant, at most")
    parser.add_argument("--minutes", type=float, help="begins no mutant after this time")
    parser.add_argument("--resume", type=Path, help="the file with the results")
    parser.add_argument("--no-build", action="store_true", help="takes the program as it is built")
    parser.add_argument("--list", action="store_true", help="lists what is drawn, without a build")
    return parser.parse_args(words)


def main(words):
    options = arguments(words)
    found = all_candidates(ROOT)
    order = drawn(found, options.seed)
    equivalents = known_equivalents(EQUIVALENTS)
    if options.list:
        for one in order[: options.number]:
            print(one)
        return 0
    program = Program(ROOT)
    wanted = [found[id] for word in options.only if (id := int(word, 16)) in found]
    if len(wanted) < len(options.only):
        return "Some of these mutants don't exist in the sources of today."
    # About a fifth of the candidates don't compile.
    spare = options.number * 3 // 2 + 20
    candidates = list(dict.fromkeys(order[:spare] + wanted))
    try:
        if options.no_build:
            candidates = [one for one in candidates if one.id not in program.refused]
        else:
            candidates = program.build(candidates)
    except BuildFailed as problem:
        return str(problem)
    compiled = {one.id for one in candidates}
    draw = [one for one in order if one.id in compiled][: options.number]
    results = Results(options.resume or program.work / f"results-{options.seed}.jsonl")
    queue = wanted or [
        one for one in draw if one.id not in results.by_id and one.id not in equivalents
    ]
    checks = Checks(program, range(1, options.seeds + 1), options.plays)
    if problem := run_all(queue, checks, options, results):
        return problem
    named = [one for one in draw if one.id in equivalents]
    ran = [results.by_id[one.id] for one in draw if one.id in results.by_id and one not in named]
    print(summary(ran, named, len(draw) - len(ran) - len(named)))
    for one in named:
        print(f"  equivalent: {one}: {equivalents[one.id]}")
    return 0


def run_all(queue, checks, options, results):
    """Runs the mutants. Returns a problem, or None."""
    areas = [area for area in AREAS if any(area_of(one.path) == area for one in queue)]
    if problems := checks.learn(areas):
        return "Without a mutant something fails already: " + "; ".join(problems)
    began, lock = time.monotonic(), threading.Lock()

    def one_mutant(mutant):
        if options.minutes and time.monotonic() - began > options.minutes * 60:
            return
        by_simulation, by_tests, happened = checks.check(mutant.id, area_of(mutant.path))
        result = Result(
            mutant.id, mutant.path, mutant.line, mutant.kind, mutant.what, by_simulation, by_tests,
            happened,
        )  # fmt: skip
        with lock:
            results.add(result)
            print(result, flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(one_mutant, mutant) for mutant in queue]:
            future.result()
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
