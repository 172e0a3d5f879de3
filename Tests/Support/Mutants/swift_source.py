"""The tokens of a Swift file that mutations need: words, numbers, strings, operators."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

WORD = re.compile(r"`?[A-Za-z_][A-Za-z_0-9]*`?|\$[0-9A-Za-z_]+")
NUMBER = re.compile(r"0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?")
OPERATOR = re.compile(r"\.\.[.<]|[-/=+!*%<>&|^~?]+")
PAIRS = {"(": ")", "[": "]", "{": "}"}
BLANK = " \t\n"

# Words after which an expression begins, or that continue a line.
STARTS = {
    "return", "in", "if", "guard", "while", "else", "case", "where", "throw", "try", "await",
    "let", "var", "switch", "for", "default", "repeat", "do", "catch", "yield",
}  # fmt: skip
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "&+=", "&-=", "^="}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "===", "!=="}


@dataclass(slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int
    # Whether the token is the first of its line.
    leads: bool = False
    # "infix" with a space on both sides, else "prefix", "postfix" or "tight".
    fix: str = ""
    # The index of the matching bracket, or -1.
    match: int = -1
    # The index of the enclosing bracket, or -1.
    parent: int = -1


@dataclass
class SwiftSource:
    """A file's text and tokens. Comments and the insides of strings aren't tokens."""

    text: str
    tokens: list[Token] = field(default_factory=list)

    def __post_init__(self):
        self.lines = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self._scan()
        self._pair()
        self._hide_conditional_code()

    def line(self, position):
        """Returns the number of the line, from 1 on."""
        return bisect_right(self.lines, position)

    def line_text(self, position):
        begin = self.lines[self.line(position) - 1]
        end = self.text.find("\n", begin)
        return self.text[begin : len(self.text) if end < 0 else end]

    def part(self, first, last):
        """Returns the text from one token to another, both included."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def _scan(self):
        text, position, leads = self.text, 0, True
        while position < len(text):
            character = text[position]
            if character == "\n":
                leads = True
                position += 1
            elif character in BLANK:
                position += 1
            elif text.startswith("//", position):
                end = text.find("\n", position)
                position = len(text) if end < 0 else end
            elif text.startswith("/*", position):
                position = text.index("*/", position) + 2
            else:
                token = self._token(position)
                token.leads, leads = leads, False
                self.tokens.append(token)
                position = token.end

    def _token(self, position):
        text = self.text
        if match := re.compile(r'#*"').match(text, position):
            return self._new("string", position, end_of_string(text, position, match.end()))
        if text.startswith("#/", position):
            return self._new("regex", position, text.index("/#", position) + 2)
        for kind, pattern in (("word", WORD), ("number", NUMBER), ("operator", OPERATOR)):
            if match := pattern.match(text, position):
                token = self._new(kind, position, match.end())
                if kind == "operator":
                    token.fix = self._fix(token)
                return token
        return self._new("mark", position, position + 1)

    def _new(self, kind, start, end):
        return Token(kind, self.text[start:end], start, end)

    def _fix(self, token):
        left = token.start == 0 or self.text[token.start - 1] in BLANK + "([{,;:"
        right = token.end >= len(self.text) or self.text[token.end] in BLANK + ")]},;:."
        if left and right:
            return "infix"
        # Without spaces: an optional, a range, or the brackets of generic types.
        if left == right:
            return "postfix" if token.text[0] in "?!" else "tight"
        return "prefix" if left else "postfix"

    def _pair(self):
        opened = []
        for index, token in enumerate(self.tokens):
            if token.text in ")]}" and token.kind == "mark":
                begin = opened.pop()
                token.match, self.tokens[begin].match = begin, index
            token.parent = opened[-1] if opened else -1
            if token.text in PAIRS and token.kind == "mark":
                opened.append(index)

    def _hide_conditional_code(self):
        """Finds the ranges within `#if`, where some code isn't compiled."""
        self.hidden, depth, begin = [], 0, 0
        for match in re.finditer(r"^\s*#(if|endif)\b.*$", self.text, re.MULTILINE):
            if match[1] == "if":
                begin = match.start() if depth == 0 else begin
                depth += 1
            else:
                depth -= 1
                if depth == 0:
                    self.hidden.append((begin, match.end()))

    def is_hidden(self, position):
        return any(begin <= position < end for begin, end in self.hidden)

    # Neighbours

    def is_mark(self, index, texts):
        token = self.tokens[index]
        return token.kind == "mark" and token.text in texts

    def is_infix(self, index, texts=None):
        token = self.tokens[index]
        return (
            token.kind == "operator"
            and token.fix == "infix"
            and token.text != "->"
            and (texts is None or token.text in texts)
        )

    def is_word(self, index, words):
        token = self.tokens[index]
        return token.kind == "word" and token.text in words

    def begins_statement(self, index):
        """Returns whether a statement may begin with this token, judged by the line breaks."""
        if index == 0:
            return True
        token, before = self.tokens[index], self.tokens[index - 1]
        if before.kind == "mark" and before.text in "{;":
            return True
        if not token.leads:
            return before.kind == "word" and before.text == "in" and self._is_closure_head(index)
        if token.kind == "mark" and token.text in ".)]},:":
            return False
        if self.is_infix(index) or self.is_word(index, {"else", "catch", "where", "as", "is"}):
            return False
        if before.kind == "mark" and before.text in ",([.:":
            return before.text == ":" and self._is_case_label(index - 1)
        if before.kind == "word" and before.text == "in" and not self._is_closure_head(index):
            return False
        return not (self.is_infix(index - 1) or before.text in ("->", "return", "try", "await"))

    def _is_closure_head(self, index):
        """Returns whether the `in` before this token ends a closure's parameters."""
        for at in range(index - 2, self.tokens[index - 1].parent, -1):
            if self.is_word(at, {"for"}) and self.tokens[at].parent == self.tokens[index].parent:
                return False
            if self.tokens[at].leads and self.tokens[at].parent == self.tokens[index].parent:
                break
        return True

    def _is_case_label(self, colon):
        parent = self.tokens[colon].parent
        for at in range(colon - 1, parent, -1):
            token = self.tokens[at]
            if token.parent != parent:
                continue
            if self.is_word(at, {"case", "default"}):
                return True
            if self.is_infix(at, {"?"}) or token.text == ":":
                return False
        return False

    def first_of_expression(self, operator, stops):
        """Returns the index of the first token of an operator's left operand."""
        first, at = operator, operator - 1
        while at >= 0:
            token = self.tokens[at]
            if token.match >= 0 and token.match < at:
                if token.text == "}" and token.match in self.bodies:
                    break
                at = first = token.match
            elif token.match > at or (token.kind == "mark" and token.text in ",;:"):
                break
            elif token.kind == "word" and token.text in STARTS:
                break
            elif self.is_infix(at, stops) or self.is_infix(at, ASSIGNMENTS | {"?"}):
                break
            elif token.text in ("->", "@"):
                break
            else:
                first = at
            if self.begins_statement(first):
                break
            at -= 1
        return first

    def last_of_expression(self, operator, stops):
        """Returns the index of the last token of an operator's right operand."""
        last, at = operator, operator + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            if at > operator + 1 and self.begins_statement(at):
                break
            if token.match > at:
                if token.text == "{" and at in self.bodies:
                    break
                at = last = token.match
            elif token.match >= 0 or (token.kind == "mark" and token.text in ",;:"):
                break
            elif token.kind == "word" and token.text in {"else", "where", "in"}:
                break
            elif self.is_infix(at, stops) or self.is_infix(at, ASSIGNMENTS | {"?"}):
                break
            else:
                last = at
            at += 1
        return last

    @cached_property
    def bodies(self):
        """The opening braces of bodies of `if`, `while`, `guard … else`, `for` and `switch`."""
        found = set()
        for index, token in enumerate(self.tokens):
            if token.kind == "word" and token.text in ("if", "while", "for", "switch", "guard"):
                if not (index and self.is_mark(index - 1, "#.@")):
                    found.add(self.body(index))
            elif token.kind == "word" and token.text in ("else", "do", "repeat"):
                if index + 1 < len(self.tokens) and self.is_mark(index + 1, "{"):
                    found.add(index + 1)
        return found - {None}

    def words_before(self, brace):
        """Returns the words of the declaration before a body."""
        words, at = set(), brace - 1
        while at >= 0 and not self.is_mark(at, "{};"):
            token = self.tokens[at]
            if token.match >= 0 and token.match < at:
                at = token.match
            elif token.match > at:
                break
            elif token.kind == "word" and not (at and self.is_mark(at - 1, ".")):
                words.add(token.text)
            at -= 1
        return words

    def body(self, keyword):
        """Returns the opening brace of the body of `if`, `while`, `for`, `switch` or `guard`."""
        is_guard = self.tokens[keyword].text == "guard"
        at = keyword + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            if is_guard and token.kind == "word" and token.text == "else":
                return at + 1 if self.is_mark(at + 1, "{") else None
            if token.match > at:
                if token.text == "{" and not is_guard:
                    return at
                at = token.match
            elif token.match >= 0:
                return None
            at += 1
        return None


def end_of_string(text, start, content):
    """Returns the end of the string literal at `start`, whose content begins at `content`."""
    hashes = "#" * (content - start - 1)
    is_long = text.startswith('""', content) and (
        text.startswith('"""', content - 1) and text[content + 2 : content + 3] != '"'
    )
    quotes = '"""' if is_long else '"'
    at = content - 1 + len(quotes)
    while at < len(text):
        if text.startswith(quotes + hashes, at):
            return at + len(quotes) + len(hashes)
        if text.startswith("\\" + hashes, at):
            at += 1 + len(hashes)
            if text.startswith("(", at):
                at = end_of_interpolation(text, at)
            else:
                at += 1
        elif text[at] == "\n" and not is_long:
            raise ValueError(f"a string does not end: {text[start : start + 60]!r}")
        else:
            at += 1
    raise ValueError(f"a string does not end: {text[start : start + 60]!r}")


def end_of_interpolation(text, parenthesis):
    """Returns the end of the interpolation that opens at `parenthesis`."""
    depth, at = 0, parenthesis
    while at < len(text):
        if text[at] == '"':
            at = end_of_string(text, at, at + 1)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise ValueError("an interpolation does not end")
