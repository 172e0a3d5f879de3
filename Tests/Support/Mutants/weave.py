"""Puts many mutants into one text. Each is chosen at run time by its id."""

from dataclasses import dataclass

SWITCH = """\
import Foundation
import Synchronization

private let settings = ProcessInfo.processInfo.environment
private let active = UInt32(settings["LIFESIGNAL_MUTANT"] ?? "", radix: 16) ?? 0
private let places = ReachedPlaces(settings["LIFESIGNAL_MUTANTS_REACHED"])

/// Whether the process runs with this mutant.
public func isMutant(_ id: UInt32) -> Bool {
    places?.add(id)
    return id == active
}

/// Appends the id of each place that the process reaches to a file, once.
private final class ReachedPlaces: Sendable {
    private let known = Mutex<Set<UInt32>>([])
    private let file: Int32

    init?(_ path: String?) {
        guard let path else { return nil }
        // Several modules and processes append to one file.
        file = open(path, O_WRONLY | O_APPEND)
    }

    func add(_ id: UInt32) {
        known.withLock {
            guard $0.insert(id).inserted else { return }
            let line = "\\(String(id, radix: 16))\\n"
            _ = write(file, line, line.utf8.count)
        }
    }
}
"""


@dataclass
class Woven:
    text: str
    # The first and last position of each mutant in the text, by id.
    places: dict[int, tuple[int, int]]
    # The ids of omitted mutants, which overlap with others.
    rejected: list[int]

    def ids_at(self, line, column):
        """Returns the mutants that may have caused a compiler's error: those around its place, else
        those on its line, else the last one before its line."""
        lines = self.text.splitlines(keepends=True)
        begin = sum(map(len, lines[: line - 1]))
        end = begin + len(lines[line - 1]) if line <= len(lines) else begin
        # The compiler counts bytes.
        prefix = lines[line - 1].encode()[: column - 1] if line <= len(lines) else b""
        place = begin + len(prefix.decode(errors="ignore"))
        for first, last in ((place, place), (begin, end)):
            ids = [id for id, (a, b) in self.places.items() if a <= last and b >= first]
            if ids:
                return ids
        before = [(b, id) for id, (_, b) in self.places.items() if b <= begin]
        return [max(before)[1]] if before else []


def woven(text, mutants):
    """Returns the text with all mutants."""
    rejected = []
    order = sorted(mutants, key=lambda one: (one.start, -one.end, not one.is_statement))
    text, places = _weave(text, 0, len(text), order, rejected)
    return Woven(text, places, rejected)


def _weave(text, start, end, mutants, rejected):
    parts, places, at = [], {}, start
    length = 0

    def add(part):
        nonlocal length
        parts.append(part)
        length += len(part)

    queue = list(mutants)
    while queue:
        one = queue.pop(0)
        inner = []
        while queue and queue[0].start < one.end:
            following = queue.pop(0)
            if following.end <= one.end:
                inner.append(following)
            else:
                rejected.append(following.id)
        add(text[at : one.start])
        begin = length
        woven_inner, inner_places = _weave(text, one.start, one.end, inner, rejected)
        if one.is_statement:
            add(f"if !isMutant(0x{one.id:08x}) {{ ")
            after = " }"
        else:
            add(f"(isMutant(0x{one.id:08x}) ? ({one.replacement}) : (")
            after = "))"
        for id, (first, last) in inner_places.items():
            places[id] = (length + first, length + last)
        add(woven_inner)
        add(after)
        places[one.id] = (begin, length)
        at = one.end
    add(text[at:end])
    return "".join(parts), places
