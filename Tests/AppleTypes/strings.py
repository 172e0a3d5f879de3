"""Reads the texts in Swift sources. Each interpolation is replaced by `{}`."""

import re


def texts(source):
    """Returns all texts in the source, in order. Comments are ignored."""
    found = []
    read(source, 0, found)
    return found


def read(source, at, found, ends_with=None):
    """Reads code from `at`; if `ends_with` is a closing parenthesis, only up to it."""
    depth = 0
    while at < len(source):
        if source.startswith("//", at):
            at = source.find("\n", at)
            at = len(source) if at < 0 else at
        elif source[at] == '"' or re.match(r'#+"', source[at : at + 4]):
            at = read_text(source, at, found)
        else:
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
            if ends_with and depth < 0:
                return at
    return at


def read_text(source, at, found):
    hashes = 0
    while source[at] == "#":
        hashes, at = hashes + 1, at + 1
    quotes = '"""' if source.startswith('"""', at) else '"'
    end = quotes + "#" * hashes
    escape = "\\" + "#" * hashes
    at += len(quotes)
    index = len(found)
    found.append("")
    text = ""
    while not source.startswith(end, at):
        if source.startswith(escape + "(", at):
            at = read(source, at + len(escape) + 1, found, ends_with=")")
            text += "{}"
        elif source.startswith(escape, at):
            after = at + len(escape)
            if source.startswith("u{", after):
                stop = source.index("}", after)
                text += chr(int(source[after + 2 : stop], 16))
                at = stop + 1
            else:
                # Removes the indentation of the line after a continued line.
                text += {"n": "\n", "t": "\t", "\n": "\0"}.get(source[after], source[after])
                at = after + 1
        else:
            text += source[at]
            at += 1
    if quotes == '"""':
        text = re.sub(r"\0[ \t]*", "", text)
        text = "\n".join(line.strip() for line in text.strip("\n").split("\n")).strip()
    found[index] = text
    return at + len(end)
