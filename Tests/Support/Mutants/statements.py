"""Changes of the SQL in a string literal of Swift."""

import re

LOOKS_LIKE_SQL = re.compile(r"\b(SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE|AND|ORDER BY)\b")
# The words that begin a condition, and the words that end one.
BEGINS = re.compile(r"\b(WHERE|ON|AND|OR|HAVING|WHEN)\b")
ENDS = {
    "WHERE", "AND", "OR", "GROUP", "ORDER", "LIMIT", "RETURNING", "UNION", "THEN", "ON", "SET",
    "LEFT", "JOIN", "INNER", "HAVING", "DO", "FOR", "ELSE", "END", "WINDOW", "SELECT", "CONFLICT",
}  # fmt: skip
PIECES = re.compile(
    r"\\\(|'[^']*'|\$[0-9]+|[A-Za-z_][A-Za-z_0-9.]*|[0-9]+|<=|>=|<>|!=|[<>=(),]|\n|\S"
)
# Comparisons of a row's user with a value.
BINDING = re.compile(
    r"(\w+\.)?(user|alert_user|owner|person|responder|dependent|contact)_id = \$[0-9]+"
    r"|(\w+\.)?user_id (= )?\\\(.*\)"
)
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def sql_changes(literal):
    """Yields the changes of a string literal: kind, words, changed literal, and the change's
    place. Literals without SQL have none."""
    if not LOOKS_LIKE_SQL.search(literal):
        return
    pieces = _pieces(literal)
    yield from _conditions(literal, pieces)
    yield from _boundaries(literal, pieces)
    yield from _orders(literal, pieces)


def _pieces(literal):
    """Returns each piece's start and end. An interpolation and an SQL string are one piece."""
    pieces, at = [], 0
    while match := PIECES.search(literal, at):
        start, at = match.span()
        if match[0] == "\\(":
            depth = 1
            while depth and at < len(literal):
                depth += {"(": 1, ")": -1}.get(literal[at], 0)
                at += 1
        if literal[start] not in '"\n':
            pieces.append((start, at))
    return pieces


def _conditions(literal, pieces):
    words = [literal[start:end] for start, end in pieces]
    for index, word in enumerate(words):
        if word not in ("WHERE", "ON", "AND", "OR", "HAVING", "WHEN"):
            continue
        if word == "ON" and words[index + 1 : index + 2] == ["CONFLICT"]:
            continue
        last = _end_of_condition(words, index + 1)
        if last is None:
            continue
        start, end = pieces[index + 1][0], pieces[last][1]
        text = literal[start:end]
        if words[index - 2 : index - 1] == ["BETWEEN"] or text.startswith('"'):
            continue
        short = " ".join(text.split())
        kind = "binding" if BINDING.fullmatch(short) else "condition"
        weaker = f"({text} OR 1 = 1)" if word != "OR" else f"({text} AND 1 = 0)"
        if kind == "binding":
            weaker = _unbound(text)
        if word != "WHEN":
            yield kind, f"without {short}", literal[:start] + weaker + literal[end:], start
        if kind == "condition":
            negated = f"NOT ({text})"
            yield kind, f"NOT ({short})", literal[:start] + negated + literal[end:], start


def _unbound(text):
    """Removes the column from a comparison, because tests look for the column in each statement.
    Keeps the parameter, because the engines reject an unused one."""
    column, _, value = text.partition(" ")
    if value.startswith("= "):
        return f"{value[2:]} = {value[2:]}"
    return f"(NULL {value} OR 1 = 1)"


def _end_of_condition(words, begin):
    depth, at = 0, begin
    between = False
    while at < len(words):
        word = words[at]
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and word == "BETWEEN":
            between = True
        elif depth == 0 and word == "AND" and between:
            between = False
        elif depth == 0 and (word in ENDS or word == ","):
            break
        at += 1
    return at - 1 if at > begin else None


def _boundaries(literal, pieces):
    word = ""
    for start, end in pieces:
        previous, word = word, literal[start:end]
        if previous == "SELECT" and word.isdigit():
            # `SELECT 1` only tests whether a row exists.
            continue
        if word in MOVED:
            line = _around(literal, start, end)
            changed = literal[:start] + MOVED[word] + literal[end:]
            yield "boundary", f"{MOVED[word]} for {word} in {line}", changed, start
        elif word.isdigit():
            other = str(int(word) + 1)
            changed = literal[:start] + other + literal[end:]
            yield "boundary", f"{other} in {_around(literal, start, end)}", changed, start


def _orders(literal, pieces):
    words = [literal[start:end] for start, end in pieces]
    for index, word in enumerate(words):
        start, end = pieces[index]
        if word == "DESC":
            yield "order", "ASC for DESC", literal[:start] + "ASC" + literal[end:], start
        elif word in ("MIN", "MAX") and words[index + 1 : index + 2] == ["("]:
            other = {"MIN": "MAX", "MAX": "MIN"}[word]
            yield "order", f"{other} for {word}", literal[:start] + other + literal[end:], start
        elif word == "ORDER" and words[index + 1 : index + 2] == ["BY"]:
            for last in _ascending(words, index + 2):
                place = pieces[last][1]
                changed = literal[:place] + " DESC" + literal[place:]
                yield "order", f"DESC for {words[last]}", changed, place


def _ascending(words, begin):
    """Yields the last piece of each ascending term."""
    depth, at = 0, begin
    while at < len(words):
        depth += {"(": 1, ")": -1}.get(words[at], 0)
        following = words[at + 1] if at + 1 < len(words) else ")"
        if depth < 0:
            return
        if depth == 0 and (following in ",)" or following in ENDS):
            if words[at] not in ("DESC", "ASC"):
                yield at
            if following != ",":
                return
            at += 1
        at += 1


def _around(literal, start, end):
    line = literal[literal.rfind("\n", 0, start) + 1 : (literal + "\n").find("\n", end)]
    return " ".join(line.split())[:60]
