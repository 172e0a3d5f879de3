"""The Debian package of the program under test."""

import os

from daemons import succeeded
from paths import DEPLOY
from support.program import PROGRAM


def build(folder, **environment):
    output = succeeded(
        DEPLOY / "debian/build.sh", PROGRAM, folder, env={**os.environ, **environment}, timeout=500
    )
    return folder / output.splitlines()[-1].rsplit("/", 1)[-1]
