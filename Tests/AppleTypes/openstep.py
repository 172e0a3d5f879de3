"""Reads Xcode's project files, which are property lists in the old text format."""

import re

TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|([{}()=;,])|"((?:[^"\\]|\\.)*)"|([\w./$-]+)', re.S)


def parse(text):
    """Returns the value of the whole text, made of dictionaries, lists and strings."""
    tokens = []
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        assert found, f"not readable at: {text[at : at + 40]!r}"
        mark, quoted, word = found.groups()
        if mark:
            tokens.append(("mark", mark))
        elif quoted is not None or word is not None:
            tokens.append(("text", quoted if quoted is not None else word))
        at = found.end()
    value, rest = parse_value(tokens, 0)
    assert rest == len(tokens), "more than one value"
    return value


def parse_value(tokens, at):
    kind, value = tokens[at]
    if kind == "text":
        return value, at + 1
    if value == "(":
        return parse_list(tokens, at + 1)
    assert value == "{", f"{value} where a value was expected"
    entries = {}
    at += 1
    while tokens[at] != ("mark", "}"):
        kind, key = tokens[at]
        assert kind == "text" and tokens[at + 1] == ("mark", "="), f"no key: {key}"
        assert key not in entries, f"{key} twice"
        entries[key], at = parse_value(tokens, at + 2)
        assert tokens[at] == ("mark", ";"), f"no semicolon after {key}"
        at += 1
    return entries, at + 1


def parse_list(tokens, at):
    values = []
    while tokens[at] != ("mark", ")"):
        value, at = parse_value(tokens, at)
        values.append(value)
        if tokens[at] == ("mark", ","):
            at += 1
    return values, at + 1
