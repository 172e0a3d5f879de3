"""Draws mutants with a seed."""

import hashlib
from collections import deque

from areas import AREAS
from candidates import BINDING, BOUNDARY, CONDITION, KINDS, ORDER, STATEMENT, candidates

# The number of each kind among 20 draws.
SHARES = (
    (CONDITION, STATEMENT, BOUNDARY, CONDITION, BINDING)
    + (CONDITION, STATEMENT, BOUNDARY, CONDITION, ORDER)
    + (CONDITION, STATEMENT, BOUNDARY, CONDITION, BINDING)
    + (CONDITION, STATEMENT, BOUNDARY, STATEMENT, STATEMENT)
)


def all_candidates(root):
    """Returns the candidates of all areas, by id."""
    found = {}
    for area in AREAS:
        for file in sorted((root / area.folder).rglob("*.swift")):
            for candidate in candidates(str(file.relative_to(root)), file.read_text()):
                found[candidate.id] = candidate
    return found


def drawn(found, seed):
    """Returns all candidates in a seed's order. A changed line moves only its own candidates."""

    def rank(candidate):
        return hashlib.sha256(f"{seed} {candidate.id}".encode()).digest()

    piles = {kind: deque() for kind in KINDS}
    for candidate in sorted(found.values(), key=rank):
        piles[candidate.kind].append(candidate)
    order = []
    while any(piles.values()):
        for kind in SHARES:
            if piles[kind]:
                order.append(piles[kind].popleft())
    return order
