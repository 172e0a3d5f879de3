#!/usr/bin/env python3
"""Measures which lines of the server a minute of simulation reaches.

Builds `simulate` with counters in its own folder and runs it. Prints each file's reached lines and
regions, and the ranges of lines that were not reached. `unreachable.txt` names files that one
process without sockets can't reach, with the reason. Such files are listed, but not counted. Exits
with 1 if a folder misses its goal.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / ".build-coverage"
PROGRAM = WORK / "debug/simulate"
# The minimum share of reached lines in each folder, in percent.
GOALS = {
    "Sources/Shared/Domain": 95,
    "Sources/Server/SafetyNetwork": 95,
    "Sources/Server/Delivery": 90,
    "Sources/Server/Persistence/Queries": 90,
}


def build():
    WORK.mkdir(exist_ok=True)
    for part in ("artifacts", "checkouts", "prebuilts", "repositories"):
        if (ROOT / ".build" / part).exists() and not (WORK / part).exists():
            shutil.copytree(ROOT / ".build" / part, WORK / part, symlinks=True)
    arguments = ["swift", "build", "--scratch-path", str(WORK), "--product", "simulate"]
    arguments += ["--enable-code-coverage"]
    subprocess.run(arguments, cwd=ROOT, check=True)


def run(arguments):
    """Returns the profile of a run."""
    for old in WORK.glob("*.profraw"):
        old.unlink()
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(WORK / "%p.profraw"))
    subprocess.run([str(PROGRAM), *arguments], env=environment, check=True)
    profile = WORK / "simulate.profdata"
    raw = [str(path) for path in WORK.glob("*.profraw")]
    tool("llvm-profdata", "merge", "-sparse", "-o", str(profile), *raw)
    return profile


def tool(name, *arguments):
    """Runs a tool of the current compiler. Another version's tool can't read the files."""
    beside = Path(shutil.which("swift")).resolve().parent / name
    command = str(beside) if beside.exists() else name
    return subprocess.run(
        [command, *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def read(profile):
    """Returns for each file: the reached regions, all regions, and each line's count."""
    options = [str(PROGRAM), "-instr-profile", str(profile)]
    folders = [str(ROOT / folder) for folder in GOALS]
    summary = json.loads(tool("llvm-cov", "export", "-summary-only", *options, *folders))
    regions = {
        file["filename"]: (
            file["summary"]["regions"]["covered"],
            file["summary"]["regions"]["count"],
        )
        for file in summary["data"][0]["files"]
    }
    files = {}
    for part in tool("llvm-cov", "export", "-format=lcov", *options, *folders).split(
        "end_of_record"
    ):
        name = re.search(r"^SF:(.*)$", part, re.MULTILINE)
        if name:
            counts = re.findall(r"^DA:(\d+),(\d+)", part, re.MULTILINE)
            lines = {int(line): int(count) for line, count in counts}
            path = str(Path(name[1]).relative_to(ROOT))
            files[path] = (regions[name[1]], lines)
    return files


def unreachable():
    """Returns the reasons in unreachable.txt, by path."""
    text = (Path(__file__).parent / "unreachable.txt").read_text()
    rows = [line.split(": ", 1) for line in text.splitlines() if ": " in line and line[0] != "#"]
    return {path: reason for path, reason in rows}


def ranges(lines):
    """Returns the lines that were not reached, as text: 3, 7-9."""
    found = []
    last = None
    for line in sorted(lines):
        if lines[line]:
            last = None
        elif last is not None and line == last + 1:
            found[-1][1] = last = line
        else:
            found.append([line, line])
            last = line
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


def share(part, whole):
    return 100 * part / whole if whole else 100


def report(files):
    """Prints the tables. Returns True if all goals are reached."""
    reasons = unreachable()
    is_reached = True
    for folder, goal in GOALS.items():
        inside = {path: file for path, file in files.items() if path.startswith(folder + "/")}
        counted = {path: file for path, file in inside.items() if path not in reasons}
        print(f"\n{folder}")
        print("  lines  regions  file, and the lines that were not reached")
        for path, ((some, all_regions), lines) in sorted(inside.items()):
            reached = sum(1 for count in lines.values() if count)
            name = path.removeprefix(folder + "/")
            note = f"({reasons[path]})" if path in reasons else ranges(lines)
            print(
                f"  {share(reached, len(lines)):4.0f} %   {share(some, all_regions):4.0f} %"
                f"   {name}  {note}"
            )
        lines = [count for _, lines in counted.values() for count in lines.values()]
        reached = share(sum(1 for count in lines if count), len(lines))
        regions = share(
            sum(some for (some, _), _ in counted.values()),
            sum(every for (_, every), _ in counted.values()),
        )
        print(f"  {reached:.1f} % of lines (goal {goal} %), {regions:.1f} % of regions")
        is_reached = is_reached and reached >= goal
    for path in sorted(set(reasons) - set(files)):
        print(f"unreachable.txt names {path}, which has no lines.")
    return is_reached


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="reports about the last run")
    options = parser.parse_args()
    profile = WORK / "simulate.profdata"
    if not options.keep:
        build()
        profile = run(["--seed", str(options.first_seed), "--seconds", str(options.seconds)])
    sys.exit(0 if report(read(profile)) else 1)


if __name__ == "__main__":
    main()
