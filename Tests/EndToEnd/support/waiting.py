"""Waits with a time limit for a condition to become true."""

import os
import time


def work_per_core():
    """Returns the load per core, at least 1. Time limits for an idle machine grow by it."""
    return max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_until(condition, timeout, what, every=0.02):
    """Returns the first true value of `condition()`. Fails after `timeout` seconds, or later on a
    busy machine, with a message that names what did not happen."""
    started = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - started
        if waited > timeout * work_per_core():
            raise AssertionError(f"not within {waited:.0f} s: {what}")
        time.sleep(every)
