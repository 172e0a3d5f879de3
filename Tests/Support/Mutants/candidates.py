"""The plausible defects that can be put into a Swift file."""

import hashlib
import re
from dataclasses import dataclass

from statements import sql_changes
from swift_source import COMPARISONS, SwiftSource

CONDITION, BOUNDARY, ORDER, STATEMENT, BINDING = KINDS = (
    "condition", "boundary", "order", "statement", "binding",
)  # fmt: skip

MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
NEGATED = {"==": "!=", "!=": "==", "===": "!==", "!==": "==="}
TURNED = {"min": "max", "max": "min", "first": "last", "last": "first"}
# Keeps statements that begin with these words. They are neither calls nor assignments, or no rule
# depends on them.
KEPT = {
    "let", "var", "func", "guard", "if", "for", "while", "switch", "case", "default", "defer",
    "struct", "enum", "class", "actor", "extension", "protocol", "import", "typealias", "static",
    "private", "fileprivate", "public", "internal", "init", "deinit", "subscript", "repeat", "do",
    "catch", "throw", "break", "else", "super", "nonisolated", "mutating", "lazy", "final", "weak",
    "override", "indirect", "where", "logger", "log", "precondition", "assert", "async", "set",
    "get", "didSet", "willSet", "fallthrough", "associatedtype", "some", "convenience", "required",
}  # fmt: skip
TYPES = {"struct", "class", "enum", "extension", "actor", "protocol"}


@dataclass(frozen=True)
class Candidate:
    """A change of a file: `replacement` replaces the text from `start` to `end`."""

    id: int
    path: str
    line: int
    kind: str
    what: str
    start: int
    end: int
    replacement: str
    # Whether the original is a statement, which is wrapped in an `if`.
    is_statement: bool = False

    def __str__(self):
        return f"{self.id:08x} {self.path}:{self.line} ({self.kind}) {self.what}"


def candidates(path, text):
    """Returns the candidates of a file, in the order of their places."""
    return _Finder(path, SwiftSource(text)).found()


class _Finder:
    def __init__(self, path, source):
        self.path, self.source, self.drafts, self.seen = path, source, [], {}
        self.tokens = source.tokens

    def found(self):
        for index, token in enumerate(self.tokens):
            if self.source.is_hidden(token.start) or self._is_pattern(index):
                continue
            if token.kind == "word":
                self._conditions(index)
                self._turned(index)
            elif token.kind == "operator" and self.source.is_infix(index):
                self._operators(index)
            elif token.kind == "number":
                self._number(index)
            elif token.kind == "string":
                self._sql(token)
        self._statements()
        return sorted(self.drafts, key=lambda draft: (draft.start, -draft.end))

    def _add(self, kind, what, first, last, replacement, **options):
        start, end = self.tokens[first].start, self.tokens[last].end
        self._add_text(kind, what, start, end, replacement, **options)

    def _add_text(self, kind, what, start, end, replacement, is_statement=False, place=None):
        if any(old.start == start and old.end == end and old.what == what for old in self.drafts):
            return
        place = start if place is None else place
        line = self.source.line_text(place).strip()
        name = "\n".join((self.path, line, kind, what))
        count = self.seen[name] = self.seen.get(name, 0) + 1
        # The id changes only if this line or earlier equal lines change.
        digest = hashlib.sha256(f"{name}\n{count}".encode()).hexdigest()
        self.drafts.append(
            Candidate(
                int(digest[:8], 16),
                self.path,
                self.source.line(place),
                kind,
                what,
                start,
                end,
                replacement,
                is_statement,
            )  # fmt: skip
        )

    def _is_pattern(self, index):
        """Returns whether a token is in a case pattern, attribute, precondition or log line."""
        line = self.source.line_text(self.tokens[index].start).strip()
        if re.match(r"(indirect )?case\b", line):
            colon = line.rfind(":")
            begin = self.source.text.rindex(line, 0, self.tokens[index].start + len(line))
            return colon < 0 or self.tokens[index].start - begin <= colon
        return line.startswith("@") or "precondition(" in line or "logger." in line

    # Conditions

    def _conditions(self, index):
        token = self.tokens[index]
        if index and self.source.is_mark(index - 1, "#.@"):
            if token.text == "filter":
                self._filter(index)
            return
        if token.text in ("if", "guard", "while"):
            brace = self.source.body(index)
            if brace is None:
                return
            end = brace - 2 if token.text == "guard" else brace - 1
            for first, last in self._clauses(index + 1, end):
                self._condition(token.text, first, last)
        elif token.text == "where" and self._belongs_to_for(index):
            last = self.source.last_of_expression(index, set())
            self._condition("where", index + 1, last)

    def _clauses(self, first, last):
        """Yields the first and last token of each comma-separated part of a condition."""
        begin, at = first, first
        while at <= last:
            if self.tokens[at].match > at:
                at = self.tokens[at].match
            elif self.source.is_mark(at, ","):
                yield begin, at - 1
                begin = at + 1
            at += 1
        yield begin, last

    def _condition(self, keyword, first, last):
        if self.source.is_word(first, {"let", "var", "case"}) or self.source.is_mark(first, "#"):
            return
        while self.source.is_word(first, {"try", "await"}):
            first += 1
        text = self.source.part(first, last)
        if not self._is_equation(first, last):
            self._add(CONDITION, f"not ({_short(text)})", first, last, f"!({text})")
        if keyword != "while":
            self._add(CONDITION, f"without {_short(text)}", first, last, "true")
        if keyword == "if":
            self._add(CONDITION, f"never {_short(text)}", first, last, "false")

    def _is_equation(self, first, last):
        """Returns whether a condition is one comparison, which `_operators` negates."""
        found, at = False, first
        while at <= last:
            if self.source.is_infix(at, {"&&", "||", "?"}):
                return False
            found = found or self.source.is_infix(at, NEGATED)
            at = max(at, self.tokens[at].match) + 1
        return found

    def _belongs_to_for(self, index):
        for at in range(index - 1, self.tokens[index].parent, -1):
            if self.tokens[at].parent != self.tokens[index].parent:
                continue
            if self.source.is_word(at, {"for"}):
                return True
            if self.source.is_mark(at, "{}") or self.source.is_word(at, {"func", "extension"}):
                return False
        return False

    def _filter(self, index):
        first = self._begin_of_chain(index - 2)
        opening = index + 1
        if first is None or self.tokens[opening].match < opening:
            return
        last = self.tokens[opening].match
        condition = self.source.part(index, last)
        self._add(
            CONDITION, f"without {_short(condition)}", first, last,
            self.source.part(first, index - 2),
        )  # fmt: skip

    def _begin_of_chain(self, last):
        """Returns the first token of a chain like `a.b(c)?.d` that ends at `last`."""
        at, first = last, None
        while at >= 0:
            token = self.tokens[at]
            if token.kind == "mark" and token.text in ")]}" and token.match < at:
                if token.text == "}" and token.match in self.source.bodies:
                    return first
                at = first = token.match
                goes_on = self.tokens[at - 1].end == self.tokens[at].start or token.text == "}"
                if not goes_on or self.source.is_mark(at - 1, "([{,:") or at == 0:
                    return first
                before = self.tokens[at - 1]
                if before.kind not in ("word", "mark") and before.fix != "postfix":
                    return first
                if before.kind == "word" and before.text in ("in", "return", "try", "else"):
                    return first
                at -= 1
                continue
            if token.kind == "operator" and token.fix == "postfix":
                at -= 1
                continue
            if token.kind not in ("word", "string"):
                return first
            first = at
            if at and self.source.is_mark(at - 1, "."):
                if at > 1 and self.tokens[at - 2].end < self.tokens[at - 1].start:
                    if not self.tokens[at - 1].leads:
                        return at - 1
                elif at > 1 and self.source.is_mark(at - 2, "([{,:"):
                    return at - 1
                at -= 2
                continue
            return first
        return first

    # Operators

    def _operators(self, index):
        operator = self.tokens[index].text
        if operator in ("&&", "||"):
            return self._junction(index, operator)
        if operator == "?":
            return self._ternary(index)
        if operator not in MOVED and operator not in NEGATED:
            return
        stops = {"&&", "||"} | COMPARISONS
        first = self.source.first_of_expression(index, stops)
        last = self.source.last_of_expression(index, stops)
        if first == index or last == index:
            return
        left, right = self.source.part(first, index - 1), self.source.part(index + 1, last)
        if operator in MOVED:
            kind, other = BOUNDARY, MOVED[operator]
            if self._sorts(index):
                kind, other = ORDER, {"<": ">", ">": "<"}.get(operator, other)
        else:
            kind, other = CONDITION, NEGATED[operator]
        what = f"{_short(left)} {other} {_short(right)} for {operator}"
        self._add(kind, what, first, last, f"{left} {other} {right}")

    def _sorts(self, index):
        """Returns whether a comparison orders elements for `sorted`, `min` or `max`."""
        brace = self.tokens[index].parent
        while brace > 0 and not self.source.is_mark(brace, "{"):
            brace = self.tokens[brace].parent
        if brace <= 0:
            return False
        before = self.source.part(max(0, brace - 4), brace)
        return re.search(r"\b(sorted|sort|min|max)\b", before) is not None

    def _junction(self, index, operator):
        # `&&` binds tighter than `
        # `.
        stops = {"&&", "||"} if operator == "&&" else {"||"}
        for first, last in (
            (self.source.first_of_expression(index, stops), index - 1),
            (index + 1, self.source.last_of_expression(index, stops)),
        ):
            while first < last and self.source.is_word(first, {"try", "await"}):
                first += 1
            if first > last:
                continue
            text = self.source.part(first, last)
            neutral = "true" if operator == "&&" else "false"
            self._add(CONDITION, f"without {operator} {_short(text)}", first, last, neutral)

    def _ternary(self, index):
        first = self.source.first_of_expression(index, set())
        while first < index and self.source.is_word(first, {"try", "await"}):
            first += 1
        if first < index and not self._is_equation(first, index - 1):
            text = self.source.part(first, index - 1)
            self._add(CONDITION, f"not ({_short(text)}) ?", first, index - 1, f"!({text})")

    # Constants and order

    def _number(self, index):
        token = self.tokens[index]
        if not re.fullmatch(r"[0-9][0-9_]*", token.text):
            return
        before = self.tokens[index - 1]
        if before.text in (".", "$", "_") or before.kind == "operator" and before.fix == "prefix":
            return
        if self.source.is_mark(index - 1, "[") and self.source.is_mark(index + 1, "]"):
            return
        value = int(token.text.replace("_", ""))
        for other in {value + 1, value - 1 if value else value + 1}:
            self._add(BOUNDARY, f"{other} for {token.text}", index, index, str(other))

    def _turned(self, index):
        word = self.tokens[index].text
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        is_member = index > 0 and self.source.is_mark(index - 1, ".")
        if after is None or self.source.is_word(index - 1, {"func", "let", "var"}):
            return
        opens = after.kind == "mark" and after.text in "({" and after.match > index
        if word in ("min", "max") and opens and (is_member or after.text == "("):
            self._turn(index, after.match, is_member)
        elif word in ("first", "last") and is_member and after.text != ":":
            self._turn(index, after.match if opens else index, True)
        elif word == "reversed" and is_member and after.text == "(":
            first = self._begin_of_chain(index - 2)
            if first is not None:
                base = self.source.part(first, index - 2)
                self._add(ORDER, "without reversed()", first, after.match, base)

    def _turn(self, index, last, is_member):
        first = self._begin_of_chain(index) if is_member else index
        if first is None:
            return
        word = self.tokens[index]
        before = self.source.text[self.tokens[first].start : word.start]
        after = self.source.text[word.end : self.tokens[last].end]
        other = TURNED[word.text]
        self._add(ORDER, f"{other} for {word.text}", first, last, before + other + after)

    # SQL

    def _sql(self, token):
        if "\\" in token.text and token.text.startswith("#"):
            return
        for kind, what, literal, place in sql_changes(token.text):
            self._add_text(
                kind, f"SQL {what}", token.start, token.end, literal, place=token.start + place
            )

    # Statements

    def _statements(self):
        for index, token in enumerate(self.tokens):
            if token.kind != "word" or token.parent < 0 or self.source.is_hidden(token.start):
                continue
            if not self.source.is_mark(token.parent, "{") or self._is_type_body(token.parent):
                continue
            if not self.source.begins_statement(index):
                continue
            last = self._last_of_statement(index)
            text = self.source.part(index, last)
            if self._can_be_left_out(index, last, text):
                self._add(STATEMENT, f"without {_short(text)}", index, last, "", is_statement=True)

    def _last_of_statement(self, index):
        closing = self.tokens[self.tokens[index].parent].match
        at, last = index, index
        while at < closing:
            if at > index and self.source.begins_statement(at):
                break
            last = at = max(at, self.tokens[at].match)
            at += 1
        return last

    def _can_be_left_out(self, index, last, text):
        word, words = self.tokens[index].text, self.source.words_before(self.tokens[index].parent)
        # A closure's or property's only expression is its value, which can't be left out.
        if (
            not self.tokens[index].leads
            and last + 1 == self.tokens[self.tokens[index].parent].match
        ):
            if self.tokens[index].parent not in self.source.bodies and "func" not in words:
                return False
        if word in KEPT or self._is_pattern(index) or "logger." in text:
            return False
        if word in ("return", "continue"):
            return last == index
        at, has_assignment = index, False
        while at <= last:
            if self.tokens[at].match > at:
                at = self.tokens[at].match
            has_assignment = has_assignment or self.source.is_infix(
                at, {"=", "+=", "-=", "*=", "|=", "&=", "&+="}
            )
            at += 1
        # An initialiser must keep the first value of each stored property.
        if has_assignment:
            return "init" not in words
        return self.source.is_mark(last, ")}")

    def _is_type_body(self, brace):
        words = self.source.words_before(brace)
        return bool(words & TYPES) and not words & {"func", "init", "if", "in", "for"}


def _short(text, limit=60):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
