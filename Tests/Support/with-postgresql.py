#!/usr/bin/env python3
"""Runs a command with its own PostgreSQL server: `with-postgresql.py COMMAND…`.

LIFESIGNAL_TEST_DATABASE holds the server's URL. The server stops when the command ends. The exit
code is the command's.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Deploy/cluster"))

from postgresql import Problem, TestPostgreSQL


def main(command):
    # SIGTERM and Ctrl-C end the `with` below. The terminal also sends Ctrl-C to the command.
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
