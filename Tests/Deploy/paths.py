"""The files under test, and copies of them with the addresses that a test needs."""

from support.program import REPOSITORY

DEPLOY = REPOSITORY / "Deploy"


def adapted(path, *replacements, folder):
    """Writes a copy of a file with every `(old, new)` replaced. Fails if an `old` is missing."""
    text = (DEPLOY / path).read_text()
    for old, new in replacements:
        assert old in text, f"{path} does not contain {old!r}"
        text = text.replace(old, new)
    copy = folder / (DEPLOY / path).name
    copy.write_text(text)
    return copy
