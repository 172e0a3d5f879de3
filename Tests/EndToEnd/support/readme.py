"""Reads the README's commands, so that tests run what it says."""

import re

from support.program import REPOSITORY


def block(marker):
    """The shell block that contains `marker`."""
    blocks = re.findall(r"```(?:bash|sh)\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.S)
    return next(text for text in blocks if marker in text)


def flags():
    """The options of the tour's server."""
    arguments = re.search(r'make run ARGS="(.*?)"', block("make run ARGS"), re.S).group(1)
    return arguments.replace("\\\n", "").split()
