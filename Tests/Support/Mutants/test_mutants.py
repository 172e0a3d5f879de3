"""Tests of the mutants' script: its changes and its reports."""

import os
import time
from pathlib import Path

import pytest
from areas import AREAS, area_of
from candidates import BINDING, BOUNDARY, CONDITION, ORDER, STATEMENT, candidates
from draw import all_candidates, drawn
from mutants import EQUIVALENTS, ROOT
from program import Program
from report import Result, Results, known_equivalents, summary
from runs import Checks, broken, failed_test, hash_of, run
from swift_source import SwiftSource
from weave import woven


def changes(text, kind=None):
    """Returns the file's text after each single change."""
    return {
        text[: one.start] + one.replacement + text[one.end :]
        for one in candidates("A.swift", text)
        if kind in (None, one.kind)
    }


def body(line):
    return f"func f() {{\n    {line}\n}}\n"


def in_body(line, kind):
    """Returns the changes of one line in a function."""
    return {text[len("func f() {\n    ") : -len("\n}\n")] for text in changes(body(line), kind)}


# Conditions


def test_condition_of_if_is_negated_and_dropped():
    assert in_body("if isOver { stop = 2 }", CONDITION) == {
        "if !(isOver) { stop = 2 }",
        "if true { stop = 2 }",
        "if false { stop = 2 }",
    }


def test_clauses_of_guard_change_one_by_one():
    found = in_body("guard let a = b, a.isOn, c else { return }", CONDITION)
    assert found == {
        "guard let a = b, !(a.isOn), c else { return }",
        "guard let a = b, true, c else { return }",
        "guard let a = b, a.isOn, !(c) else { return }",
        "guard let a = b, a.isOn, true else { return }",
    }


def test_try_stays_before_the_changed_condition():
    assert "if try !(a.isOn()) { b = c }" in in_body("if try a.isOn() { b = c }", CONDITION)


def test_operands_are_left_out():
    found = in_body("let a = b && c || d", CONDITION)
    assert found == {
        "let a = true && c || d",
        "let a = b && true || d",
        "let a = false || d",
        "let a = b && c || false",
    }


def test_equation_is_turned_once():
    assert in_body("return a == b", CONDITION) == {"return a != b"}


def test_operand_may_be_a_call_over_several_lines():
    text = body("let a = b(\n        c) == d\n        .e")
    assert text.replace("==", "!=") in changes(text, CONDITION)


def test_filter_and_where_are_left_out():
    assert "let a = b.c" in in_body("let a = b.c.filter { $0.isOn }", CONDITION)
    assert "for a in b where true { c += 2 }" in in_body(
        "for a in b where a.isOn { c += 2 }", CONDITION
    )


def test_choice_is_turned():
    assert in_body("let a = isOn ? b : c", CONDITION) == {"let a = !(isOn) ? b : c"}


# Boundaries and order


def test_comparison_moves_by_one():
    assert in_body("return a.count < b && c >= d", BOUNDARY) == {
        "return a.count <= b && c >= d",
        "return a.count < b && c > d",
    }


def test_constants_move_by_one_unit():
    assert changes("let pause: Duration = .seconds(30)\n") == {
        "let pause: Duration = .seconds(31)\n",
        "let pause: Duration = .seconds(29)\n",
    }


@pytest.mark.parametrize(
    "text",
    [
        "let a: Set<B> = c\n",
        "let a = $0.1\n",
        "enum A: Int {\n    case b = 5\n}\n",
        "// if a < b { return }\n",
        "#if os(iOS)\nlet a = 5\n#endif\n",
        'let a = "5 < 6"\n',
        'let a = "SELECT 1 FROM b"\n',
        "let a: B? = c?.d\n",
        "@available(iOS 18, *)\n",
    ],
)
def test_nothing_to_change(text):
    assert changes(text) == set()


def test_order_is_reversed():
    assert in_body("let a = b.sorted { $0 < $1 }", ORDER) == {"let a = b.sorted { $0 > $1 }"}
    assert in_body("let a = b.map(\\.c).min()", ORDER) == {"let a = b.map(\\.c).max()"}
    assert in_body("let a = b.first?.c", ORDER) == {"let a = b.last?.c"}
    assert in_body("return b.c.reversed()", ORDER) == {"return b.c"}


# Statements


def left_out(text):
    """Returns the statements that mutants leave out."""
    return {
        text[one.start : one.end] for one in candidates("A.swift", text) if one.kind == STATEMENT
    }


def test_calls_and_assignments_are_left_out():
    text = "func f() {\n    let a = b\n    a.c(\n        d)\n    a.e = 2\n    return\n}\n"
    assert left_out(text) == {"a.c(\n        d)", "a.e = 2", "return"}


def test_statements_of_a_closure_are_left_out():
    text = "func f() {\n    try g { a in\n        try h(a)\n        i += 1\n    }\n}\n"
    inner = {"try h(a)", "i += 1"}
    assert left_out(text) == inner | {text[text.index("try g") : text.rindex("\n}")]}


def test_declarations_and_values_stay():
    assert (
        left_out("struct A {\n    var b = C(d)\n    init(b: Int) {\n        self.b = b\n    }\n}\n")
        == set()
    )
    assert left_out("var a: [Int] {\n    b.map { c($0) }\n}\n") == {"b.map { c($0) }"}


# SQL

QUERY = '''\
let a = """
    SELECT id FROM alerts
    WHERE user_id = $1 AND ended_at IS NULL
        AND (kind = 'a' OR sent <= $2)
    ORDER BY sent DESC, id LIMIT 1
    """
'''


def sql(old, new):
    assert old in QUERY
    return QUERY.replace(old, new)


def test_binding_of_a_user_is_removed():
    assert changes(QUERY, BINDING) == {sql("user_id = $1", "$1 = $1")}


def test_binding_to_a_list_is_removed():
    text = 'let a = "SELECT b FROM c WHERE user_id \\($0)"\n'
    assert changes(text, BINDING) == {text.replace("user_id \\($0)", "(NULL \\($0) OR 1 = 1)")}


def test_conditions_of_sql_are_dropped_and_negated():
    group = "(kind = 'a' OR sent <= $2)"
    assert changes(QUERY, CONDITION) == {
        sql("ended_at IS NULL", "(ended_at IS NULL OR 1 = 1)"),
        sql("ended_at IS NULL", "NOT (ended_at IS NULL)"),
        sql(group, f"({group} OR 1 = 1)"),
        sql(group, f"NOT ({group})"),
        sql("sent <= $2", "(sent <= $2 AND 1 = 0)"),
        sql("sent <= $2", "NOT (sent <= $2)"),
    }


def test_boundaries_and_orders_of_sql_change():
    assert changes(QUERY, BOUNDARY) == {sql("<=", "<"), sql("LIMIT 1", "LIMIT 2")}
    assert changes(QUERY, ORDER) == {sql("DESC", "ASC"), sql("id LIMIT", "id DESC LIMIT")}


def test_interpolation_with_a_string_stays_whole():
    text = 'let a = "SELECT b FROM c WHERE d = \\(e["user_id"]) AND f = 1"\n'
    assert text.replace("f = 1", "(f = 1 OR 1 = 1)") in changes(text, CONDITION)
    whole = 'd = \\(e["user_id"])'
    assert text.replace(whole, f"({whole} OR 1 = 1)") in changes(text, CONDITION)


# Weaving


def test_each_mutant_is_chosen_by_its_id():
    text = "let a = 5\n"
    (one, other) = candidates("A.swift", text)
    assert woven(text, [one, other]).text == (
        f"let a = (isMutant(0x{one.id:08x}) ? ({one.replacement}) : "
        f"((isMutant(0x{other.id:08x}) ? ({other.replacement}) : (5))))\n"
    )


def test_statement_is_skipped_around_its_inner_mutants():
    text = body("a(b < c)")
    mutants = candidates("A.swift", text)
    statement = next(one for one in mutants if one.is_statement)
    boundary = next(one for one in mutants if one.kind == BOUNDARY)
    assert woven(text, mutants).text == body(
        f"if !isMutant(0x{statement.id:08x}) "
        f"{{ a((isMutant(0x{boundary.id:08x}) ? (b <= c) : (b < c))) }}"
    )


def test_error_blames_the_mutants_of_its_place():
    text = body("a(b < c)\n    d(e)")
    mutants = candidates("A.swift", text)
    result = woven(text, mutants)
    second = next(one.id for one in mutants if one.what == "without d(e)")
    boundary = next(one.id for one in mutants if one.kind == BOUNDARY)
    line = result.text.splitlines()[1]
    assert result.ids_at(3, 6) == [second]
    assert boundary in result.ids_at(2, line.index("b <=") + 1)
    assert second not in result.ids_at(2, line.index("b <=") + 1)
    # A gap at the end of a function belongs to its last statement.
    assert result.ids_at(4, 1) == [second]


def test_ids_outlive_other_lines():
    first = {one.id for one in candidates("A.swift", "let a = 5\n")}
    assert first == {one.id for one in candidates("A.swift", "let c = d\n\nlet a = 5\n")}
    twice = candidates("A.swift", "let a = 5\nlet a = 5\n")
    assert len({one.id for one in twice}) == 4


# The whole sources


@pytest.fixture(scope="module")
def found():
    return all_candidates(ROOT)


def test_every_area_has_every_common_kind(found):
    kinds = {(area_of(one.path).target, one.kind) for one in found.values()}
    for area in AREAS:
        assert {(area.target, kind) for kind in (CONDITION, BOUNDARY, STATEMENT)} <= kinds
    assert ("Persistence", BINDING) in kinds
    assert len(found) > 5_000


def test_draw_depends_on_the_seed_only(found):
    some = [one.id for one in drawn(found, 7)[:50]]
    assert some == [one.id for one in drawn(dict(reversed(found.items())), 7)[:50]]
    assert some != [one.id for one in drawn(found, 8)[:50]]
    assert {one.kind for one in drawn(found, 7)[:20]} == {
        CONDITION, BOUNDARY, ORDER, STATEMENT, BINDING,
    }  # fmt: skip


def test_all_mutants_fit_into_one_file(found):
    path = "Sources/Server/SafetyNetwork/Alerts/Responding.swift"
    ours = [one for one in found.values() if one.path == path]
    result = woven((ROOT / path).read_text(), ours)
    assert result.rejected == []
    assert set(result.places) == {one.id for one in ours}
    assert SwiftSource(result.text).tokens


def test_known_equivalents_exist(found):
    assert [f"{id:08x}" for id in known_equivalents(EQUIVALENTS) if id not in found] == []


def test_equivalent_needs_a_reason(tmp_path):
    (tmp_path / "list").write_text("# a comment\n0000000a because\n0000000b\n")
    with pytest.raises(ValueError, match="list:3"):
        known_equivalents(tmp_path / "list")


# Building


SWIFT = """#!/bin/bash
case "$*" in
*"--target Persistence"*)
    file="{copy}/Sources/Shared/Domain/A.swift"
    if grep -q "<= 6" "$file"; then echo "$file:1:31: error: no"; exit 1; fi ;;
esac
"""


def test_mutants_that_do_not_compile_are_dropped(tmp_path):
    source = tmp_path / "Sources/Shared/Domain/A.swift"
    source.parent.mkdir(parents=True)
    (tmp_path / "Tests").mkdir()
    (tmp_path / "Package.swift").write_text("let package = 1\n")
    source.write_text("let a = b < 6\nlet c = 7\n")
    (tmp_path / "swift").write_text(SWIFT.format(copy=tmp_path / ".build-mutants/copy"))
    (tmp_path / "swift").chmod(0o755)
    mutants = candidates("Sources/Shared/Domain/A.swift", source.read_text())
    (moved,) = (one.id for one in mutants if one.what.startswith("b <= 6"))
    program = Program(tmp_path, tmp_path / "swift")
    built = program.build(mutants, say=lambda text: None)
    assert {one.id for one in built} == {one.id for one in mutants} - {moved}
    assert "b <= 6" not in (program.copy / "Sources/Shared/Domain/A.swift").read_text()
    assert Program(tmp_path, tmp_path / "swift").refused == {moved}


# Running and reporting


def test_run_ends_at_the_first_failure():
    began = time.monotonic()
    ended = run(["sh", "-c", "echo no; sleep 60"], os.environ, 30, stop=lambda line: line == "no")
    assert ended.end == "failed" and time.monotonic() - began < 10


def test_hang_and_crash_are_told_apart():
    assert run(["sleep", "60"], os.environ, 0.2).end == "hung"
    assert run(["sh", "-c", "kill -SEGV $$"], os.environ, 30).end == "crashed"
    assert run(["false"], os.environ, 30).end == "failed"
    assert run(["true"], os.environ, 30).end == "passed"


def test_children_end_with_a_run():
    script = "set -m; sleep 61 & echo $!; wait"
    ended = run(["bash", "-c", script], os.environ, 30, stop=str.isdigit)
    stat = Path(f"/proc/{ended.lines[0]}/stat")
    for _ in range(100):
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError("the child still runs")


def test_output_of_the_checks_is_understood():
    server = "seed 3: 9 steps, 1.0 simulated days, 1 alerts, 2 messages, 1 starts, hash a0f"
    assert hash_of(["else", server]) == "a0f"
    assert hash_of(["Seed 4: 3 acts, 5 looks, 2.0 h, hash b"]) == "b"
    assert hash_of(["else"]) is None
    assert broken('Seed 102 breaks "grace": After an outage.') == "grace"
    assert broken("  BROKEN 5152 s  screen: Ana") == "screen"
    assert failed_test("✘ Test aBoundary() recorded an issue at A.swift:1:2: …") == "aBoundary"
    assert failed_test('✘ Test "in words" with 2 test cases failed after 1.0 s') == '"in words"'
    assert failed_test("✘ Test a() recorded a known issue at A.swift:1:2: …") is None
    assert failed_test("✔ Test a() passed after 0.1 seconds.") is None


SIMULATE = """#!/bin/bash
echo "$LIFESIGNAL_MUTANT $*" >> "$0.runs"
[ -z "$LIFESIGNAL_MUTANTS_REACHED" ] || [ $2 = 1 ] ||
  printf '%s\\n' 0a 0b >> "$LIFESIGNAL_MUTANTS_REACHED"
case "$LIFESIGNAL_MUTANT" in
0000000a) echo 'Seed 2 breaks "grace": A rule.'; exit 1 ;;
0000000b) echo "seed $2: hash ff" ;;
*) echo "seed $2: hash aa" ;;
esac
"""
SUITES = """#!/bin/bash
[ "$3" != --list-tests ] ||
  exec printf '%s\\n' 'DeliveryTests.One/a()' 'DeliveryTests.One/b()' 'DeliveryTests.aRule()' \\
    'PersistenceTests.Other/c()'
echo "$LIFESIGNAL_MUTANT $4" >> "$0.runs"
case "$4" in
*One*) [ -z "$LIFESIGNAL_MUTANTS_REACHED" ] || echo c >> "$LIFESIGNAL_MUTANTS_REACHED" ;;
esac
[ "$LIFESIGNAL_MUTANT" != 0000000c ] ||
  printf '\\x1b[91m✘\\x1b[0m Test aRule() recorded an issue\\n'
"""


@pytest.fixture
def checks(tmp_path):
    """The checks of a program whose binaries are scripts."""
    program = Program(tmp_path)
    program.binaries.mkdir(parents=True)
    for name, script in (("simulate", SIMULATE), ("LifeSignalPackageTests.xctest", SUITES)):
        (program.binaries / name).write_text(script)
        (program.binaries / name).chmod(0o755)
    checks = Checks(program, seeds=[1, 2])
    assert checks.learn(AREAS, say=lambda text: None) == []
    for name in ("simulate", "LifeSignalPackageTests.xctest"):
        (program.binaries / f"{name}.runs").write_text("")
    return checks


def test_checks_say_who_notices_and_whether_it_happened(checks):
    area = area_of("Sources/Server/Delivery/DeliveryWorker.swift")
    assert checks.check(0xA, area) == ("grace", "", True)
    assert checks.check(0xB, area) == ("", "", True)
    assert checks.check(0xC, area) == ("", "DeliveryTests: aRule", False)
    assert checks.check(0xD, area) == ("", "", False)


def test_only_what_reaches_a_mutant_runs(checks):
    area = area_of("Sources/Server/Delivery/DeliveryWorker.swift")
    for mutant in (0xA, 0xC, 0xD):
        checks.check(mutant, area)
    seeds = (checks.program.binaries / "simulate.runs").read_text()
    assert seeds == "0000000a --seed 2 --jobs 1 --shrink 0\n"
    suites = (checks.program.binaries / "LifeSignalPackageTests.xctest.runs").read_text()
    assert suites == "0000000c ^(DeliveryTests\\.One)[(/]\n"


def test_checks_run_once_without_a_mutant(checks):
    again = Checks(checks.program, seeds=[1, 2])
    assert again.learn(AREAS, say=lambda text: None) == []
    assert again.known["hashes"]["devices 2"] == "aa"
    assert (checks.program.binaries / "simulate.runs").read_text() == ""
    (checks.program.binaries / "simulate").write_text("#!/bin/false\n")
    assert Checks(checks.program, seeds=[1]).learn(AREAS, say=lambda text: None) == [
        "seed 1 (devices) failed",
        "seed 1 (server) failed",
    ]


def test_a_seed_that_fails_is_left_out(checks):
    whole = (checks.program.binaries / "simulate").read_text()
    first, rest = whole.split("\n", 1)
    failing = f'{first}\n[ "$2" = 1 ] || exit 1\n{rest}'
    (checks.program.binaries / "simulate").write_text(failing)
    again = Checks(checks.program, seeds=[1, 2, 3])
    said = []
    assert again.learn(AREAS, say=said.append) == []
    assert "Left out, because it fails without a mutant: seed 2 (server) failed" in said
    assert sorted(again.known["hashes"]) == ["devices 1", "server 1"]


def result(id, by_simulation="", by_tests="", happened=True):
    return Result(id, "A.swift", id, CONDITION, "not (a)", by_simulation, by_tests, happened)


def test_summary_counts_who_noticed():
    results = [
        result(1, "grace", "A: b"), result(2, "", "hung"), result(3, "once"), result(4),
        result(5, happened=False),
    ]  # fmt: skip
    text = summary(results, equivalents=["x"], waiting=2)
    for line in [
        "5 mutants ran; 2 wait.",
        "noticed: 3 (60 %), 1 of them by a hang",
        "by tests: 2 (40 %)",
        "by the simulation: 2 (40 %), by it alone: 1",
        "noticed by neither: 2 (40 %)",
        "never happened in the simulation: 1",
        "happened, and no rule minds: 1",
        "equivalent, not counted: 1",
        "00000004 A.swift:4 (condition) not (a): NO RULE",
        "00000005 A.swift:5 (condition) not (a): NEVER HAPPENED",
    ]:
        assert line in text


def test_results_are_resumed(tmp_path):
    file = tmp_path / "folder/results"
    Results(file).add(result(1, "grace"))
    Results(file).add(result(1, "once"))
    Results(file).add(result(2))
    assert {id: one.by_simulation for id, one in Results(file).by_id.items()} == {1: "once", 2: ""}
