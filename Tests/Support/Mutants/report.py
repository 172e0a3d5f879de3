"""The results of mutants, and their summary."""

import json
from dataclasses import asdict, dataclass


@dataclass
class Result:
    id: int
    path: str
    line: int
    kind: str
    what: str
    # The broken invariant, the failed test, "hung" or "crashed"; empty if the mutant was unnoticed.
    by_simulation: str
    by_tests: str
    # Whether the mutant changed the simulation's run.
    happened: bool

    @property
    def is_noticed(self):
        return bool(self.by_simulation or self.by_tests)

    def __str__(self):
        name = f"{self.id:08x} {self.path}:{self.line} ({self.kind}) {self.what}"
        by = [text for text in (self.by_simulation, self.by_tests) if text]
        if by:
            return f"{name}: {'; '.join(by)}"
        return f"{name}: {'NO RULE' if self.happened else 'NEVER HAPPENED'}"


class Results:
    """Results in a file, so that an interrupted run can continue."""

    def __init__(self, file):
        self.file, self.by_id = file, {}
        if file.exists():
            for line in file.read_text().splitlines():
                result = Result(**json.loads(line))
                self.by_id[result.id] = result

    def add(self, result):
        self.by_id[result.id] = result
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")


def known_equivalents(file):
    """Reads the ids of mutants without an effect, each with the reason."""
    found = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        id, _, reason = line.partition(" ")
        if len(id) != 8 or not reason.strip():
            raise ValueError(f"{file.name}:{number}: an id of 8 digits and a reason are missing")
        found[int(id, 16)] = reason.strip()
    return found


def summary(results, equivalents=(), waiting=0):
    """Returns the figures of a run, and its survivors."""
    results = list(results)
    both = sum(1 for one in results if one.by_tests and one.by_simulation)
    tests = sum(1 for one in results if one.by_tests and not one.by_simulation)
    simulation = sum(1 for one in results if one.by_simulation and not one.by_tests)
    survivors = [one for one in results if not one.is_noticed]
    never = [one for one in survivors if not one.happened]
    hung = sum("hung" in one.by_simulation + one.by_tests for one in results)

    def share(count):
        return f"{count} ({count * 100 // len(results)} %)" if results else str(count)

    lines = [
        f"{len(results)} mutants ran" + (f"; {waiting} wait" if waiting else "") + ".",
        f"  noticed: {share(both + tests + simulation)}, {hung} of them by a hang",
        f"    by tests: {share(both + tests)}",
        f"    by the simulation: {share(both + simulation)}, by it alone: {simulation}",
        f"  noticed by neither: {share(len(survivors))}",
        f"    never happened in the simulation: {len(never)}",
        f"    happened, and no rule minds: {len(survivors) - len(never)}",
        f"  equivalent, not counted: {len(equivalents)}",
    ]
    for kind in sorted({one.kind for one in results}):
        ours = [one for one in results if one.kind == kind]
        noticed = sum(one.is_noticed for one in ours)
        lines.append(f"  {kind}: {noticed} of {len(ours)} noticed")
    if survivors:
        lines += ["Survivors:"] + [
            f"  {one}" for one in sorted(survivors, key=lambda one: (one.path, one.line))
        ]
    return "\n".join(lines)
