"""Tests of the known defects: how their files are read, and where each stands in the program."""

from pathlib import Path

import pytest
from find_kept import DEFECTS, ROOT
from kept import Change, Defect, Misplaced, parsed, read
from swift_source import SwiftSource
from weave import woven

PROGRAM = """
enum Limits {
    static let few = 4
    static let many = 4
}
func end() throws {
    try first()
    try withdraw(
        all: true)
}
"""


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr("kept.sources", lambda root: {"A.swift": SwiftSource(PROGRAM)})
    return lambda *changes: Defect("name", "title", "order", changes=list(changes))


def with_defect(defect):
    return woven(PROGRAM, defect.candidates(ROOT)).text


def test_file_gives_title_invariant_seed_and_changes():
    text = "Too late.\nInvariant: ladder\nSeed: 7\nAfter: let a\n- 1\n+ 2\n- go()\n- stop()\n"
    assert parsed("late", text) == Defect(
        "late",
        "Too late.",
        "ladder",
        7,
        None,
        [Change("1", "2\n", "let a"), Change("go()\nstop()")],
    )


def test_line_that_is_not_understood_is_named():
    with pytest.raises(ValueError, match="late.txt:2: 'Invariants: ladder'"):
        parsed("late", "Too late.\nInvariants: ladder\n- 1\n")


def test_defect_without_change_is_refused():
    with pytest.raises(ValueError, match="missing"):
        parsed("late", "Too late.\nInvariant: ladder\n")


def test_statement_is_left_out_however_its_lines_break(program):
    text = with_defect(program(Change("try withdraw(all: true)")))
    assert "{ try withdraw(\n        all: true) }" in text


def test_expression_is_replaced(program):
    assert "? (9) : (4))\n    static let many" in with_defect(program(Change("4", "9", "let few")))


def test_text_that_occurs_repeatedly_is_refused(program):
    with pytest.raises(Misplaced, match="'4' occurs 2 times"):
        with_defect(program(Change("4", "9")))


def test_text_that_is_missing_is_refused(program):
    with pytest.raises(Misplaced, match="occurs 0 times"):
        with_defect(program(Change("5", "9")))


def test_text_that_is_not_after_the_other_is_refused(program):
    with pytest.raises(Misplaced, match="not after"):
        with_defect(program(Change("4", "9", "try first()")))


@pytest.mark.parametrize("defect", read(DEFECTS), ids=lambda defect: defect.name)
def test_known_defect_has_its_place_in_the_program(defect):
    assert all(Path(ROOT, change.path).exists() for change in defect.candidates(ROOT))


def test_known_defects_exist():
    defects = read(DEFECTS)
    assert len(defects) > 20
    assert len({defect.id for defect in defects}) == len(defects)
