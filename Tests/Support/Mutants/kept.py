"""The defects that the simulation must find, as the files of `Simulation/Defects` describe them.

A file begins with a sentence about the defect. Lines `Name: value` follow, then the changes:

    Invariant: storm     breaks with the defect
    Seed: 2              the first seed that is played; 1 without it
    Unseen: reason       why the simulation misses it so far; `make simulate-defects` names it
    After: let limit     a text before the change; only where the changed text occurs repeatedly
    - 4                  an expression or a statement of the program
    + 400                what stands in its place; without it the statement is left out

Spaces and line breaks may differ from the program. The changed text, or the text of `After`, must
occur exactly once in the folders of `areas.py`. So a defect survives when files move and types get
other names.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from areas import AREAS
from candidates import Candidate
from swift_source import SwiftSource


class Misplaced(Exception):
    """A change's text is missing in the program, or occurs repeatedly."""


@dataclass
class Change:
    old: str = ""
    new: str = ""
    after: str = ""


@dataclass
class Defect:
    name: str
    title: str
    invariant: str = ""
    seed: int = 1
    # Why the simulation doesn't find the defect; None if it must.
    unseen: str | None = None
    changes: list[Change] = field(default_factory=list)

    @property
    def id(self):
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:4], "big") or 1

    def candidates(self, root):
        """The defect's changes for `weave`, all with the defect's id."""
        return [self._candidate(change, sources(root)) for change in self.changes]

    def _candidate(self, change, files):
        if change.after:
            path, source, begin = self._only(change.after, files)
            places = occurrences(tokens(change.old), source)
            index = next((place for place in places if place > begin), None)
            if index is None:
                raise Misplaced(f"{self.name}: {change.old!r} is not after {change.after!r}")
        else:
            path, source, index = self._only(change.old, files)
        start = source.tokens[index].start
        end = source.tokens[index + len(tokens(change.old)) - 1].end
        return Candidate(
            self.id, path, source.line(start), "kept", self.title, start, end, change.new,
            is_statement=not change.new,
        )  # fmt: skip

    def _only(self, text, files):
        """The only place of a text."""
        places = [
            (path, source, index)
            for path, source in files.items()
            for index in occurrences(tokens(text), source)
        ]
        if len(places) != 1:
            raise Misplaced(f"{self.name}: {text!r} occurs {len(places)} times")
        return places[0]


def read(folder):
    """Reads all defects of a folder."""
    return [parsed(file.stem, file.read_text()) for file in sorted(folder.glob("*.txt"))]


def parsed(name, text):
    title, *lines = text.splitlines()
    defect, after = Defect(name, title), ""
    for number, line in enumerate(lines, 2):
        mark, _, rest = line.partition(" ")
        rest = rest.strip()
        if mark == "Invariant:":
            defect.invariant = rest
        elif mark == "Unseen:":
            defect.unseen = rest
        elif mark == "Seed:":
            defect.seed = int(rest)
        elif mark == "After:":
            after = rest
        elif mark == "-" and (not defect.changes or lines[number - 3][:1] != "-"):
            defect.changes.append(Change(rest, after=after))
            after = ""
        elif mark == "-":
            defect.changes[-1].old += "\n" + rest
        elif mark == "+" and defect.changes:
            defect.changes[-1].new += rest + "\n"
        elif not line:
            continue
        else:
            raise ValueError(f"{name}.txt:{number}: {line!r} is not understood")
    if not (defect.invariant and defect.changes):
        raise ValueError(f"{name}.txt: an invariant or a change is missing")
    return defect


@cache
def sources(root):
    files = {}
    for area in AREAS:
        for file in sorted(Path(root, area.folder).rglob("*.swift")):
            files[str(file.relative_to(root))] = SwiftSource(file.read_text())
    return files


def tokens(text):
    return [token.text for token in SwiftSource(text).tokens]


def occurrences(wanted, source):
    """The indices of the tokens with which the wanted texts begin."""
    texts = [token.text for token in source.tokens]
    last = len(texts) - len(wanted)
    return [index for index in range(last + 1) if texts[index : index + len(wanted)] == wanted]
