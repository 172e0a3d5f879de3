"""The wall clock of a server's machine, set to any time."""

import subprocess
from pathlib import Path

SOURCE = Path(__file__).parent / "wrong_clock.c"


class Clock:
    """The wall clock of a server. It is right until a test sets it."""

    def __init__(self, folder):
        self.file = folder / "offset"
        self.library = folder / "wrong_clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, SOURCE, "-ldl"], check=True)
        self.set(0)

    def set(self, offset):
        new = self.file.with_suffix(".new")
        new.write_text(str(offset))
        new.replace(self.file)

    @property
    def env(self):
        return {"LD_PRELOAD": str(self.library), "WRONG_CLOCK": str(self.file)}
