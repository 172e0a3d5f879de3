"""Starts a PostgreSQL that keeps what it commits, and measures servers on it."""

import subprocess
import sys

from support.postgresql import PostgreSQL


def main():
    bench, program, *rest = sys.argv[1:]
    server = PostgreSQL(
        "fsync=on",
        "shared_buffers=1GB",
        "max_wal_size=4GB",
        "checkpoint_timeout=30min",
    )
    try:
        command = [bench, "--program", program, "--postgresql", server.server_url, *rest]
        return subprocess.run(command).returncode
    finally:
        server.stop()


sys.exit(main())
