"""Starts a PostgreSQL server with durable commits, and measures servers on it."""

import subprocess
import sys

from postgresql import TestPostgreSQL


def main():
    bench, program, *rest = sys.argv[1:]
    durable = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on"}
    large = {"shared_buffers": "1GB", "max_wal_size": "4GB", "checkpoint_timeout": "30min"}
    with TestPostgreSQL(**durable, **large) as server:
        command = [bench, "--program", program, "--postgresql", server.url(), *rest]
        return subprocess.run(command).returncode


sys.exit(main())
