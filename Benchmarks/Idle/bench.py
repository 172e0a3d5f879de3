"""Measures what a server costs while nobody does anything: `make bench-idle`. An argument sets the
seconds (300), a second one those before it in which the server settles (75). Linux only."""

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from support.api import sign_in
from support.program import Server, phone_number

sys.path.append(str(Path(__file__).parent.parent / "Browser"))
from table import Table

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
# Longer than the longest pause of a loop, so that each has begun its long sleep.
SETTLING = int(sys.argv[2]) if len(sys.argv) > 2 else 75
HOUR = 3600


def fields(path):
    """Returns the numbers of a file with lines such as `name: number unit`."""
    pairs = re.findall(r"^(\w+):\s+(\d+)\b", path.read_text(), re.MULTILINE)
    return {name: int(value) for name, value in pairs}


class Process:
    def __init__(self, pid):
        self.folder = Path(f"/proc/{pid}")
        self.switches = {}

    def look(self):
        """Notes each thread's context switches. The kernel forgets a thread that has ended."""
        for thread in (self.folder / "task").iterdir():
            try:
                status = fields(thread / "status")
            except (FileNotFoundError, ProcessLookupError):
                continue
            kinds = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
            name = (thread / "comm").read_text().strip() if thread.exists() else "?"
            self.switches[thread.name] = (name, sum(status[kind] for kind in kinds))

    @property
    def cpu_seconds(self):
        ticks = (self.folder / "stat").read_text().rpartition(")")[2].split()
        return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def written_bytes(self):
        return fields(self.folder / "io")["write_bytes"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder).start()
        try:
            ana = sign_in(server, phone_number(0), "Ana")
            ana.check_in()
            process = Process(server.process.pid)
            each = measure_check_ins(ana, process)
            measure(process, each)
        finally:
            server.stop()


def measure_check_ins(person, process):
    """Returns the KB written for each of nine check-ins that come every 20 s."""
    time.sleep(35)  # a checkpoint follows the next commit
    written = process.written_bytes
    for _ in range(9):
        person.check_in()
        time.sleep(20)
    return (process.written_bytes - written) / 1000 / 9


def measure(process, each):
    time.sleep(SETTLING)
    process.look()
    before = dict(process.switches)
    start, cpu, written = time.monotonic(), process.cpu_seconds, process.written_bytes
    while time.monotonic() - start < SECONDS:
        time.sleep(0.5)
        process.look()
    seconds = time.monotonic() - start
    per_thread = {
        (name, thread): count - before.get(thread, ("", 0))[1]
        for thread, (name, count) in process.switches.items()
    }
    wakeups = sum(per_thread.values()) / seconds
    cpu = (process.cpu_seconds - cpu) * HOUR / seconds
    written = (process.written_bytes - written) / 1000 * HOUR / seconds
    table = Table()
    table.add("idle: wake-ups a second", f"{wakeups:.1f}", "≤ 5", wakeups <= 5)
    table.add("CPU seconds an hour", f"{cpu:.2f}", "≤ 1", cpu <= 1)
    table.add("KB written an hour", f"{written:.0f}", "≤ 500", written <= 500)
    table.add("a check-in every 20 s: KB written for each", f"{each:.0f}", "≤ 100", each <= 100)
    print(table)
    print(f"\nMeasured for {seconds:.0f} s. The busiest threads, in wake-ups a second:")
    for (name, thread), count in sorted(per_thread.items(), key=lambda item: -item[1])[:8]:
        print(f"  {name} {thread}: {count / seconds:.2f}")
    sys.exit(1 if table.has_missed else 0)


if __name__ == "__main__":
    main()
