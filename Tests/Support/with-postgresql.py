#!/usr/bin/env python3
"""Runs a command with a PostgreSQL server of its own: `with-postgresql.py COMMAND…`.

The command finds the server in LIFESIGNAL_TEST_DATABASE. Whatever way it ends, nothing is left
running, and the exit code is that of the command.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Deploy/cluster"))

from postgresql import Problem, TestPostgreSQL


def main(command):
    # Both end the `with` below; the command gets the terminal's own Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with TestPostgreSQL() as server:
            env = {**os.environ, "LIFESIGNAL_TEST_DATABASE": server.url()}
            process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "--", *command], env=env)
            try:
                return process.wait()
            except BaseException:
                process.terminate()
                process.wait()
                raise
    except Problem as problem:
        print(f"Error: {problem}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
