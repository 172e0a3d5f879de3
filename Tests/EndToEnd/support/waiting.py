"""Waiting for something to become true, never for longer than a bound."""

import os
import time


def work_per_core():
    """How much more than it can do at once the machine has to do; at least 1. A bound for one that
    has nothing else to do is multiplied by it."""
    return max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_until(condition, timeout, what, every=0.02):
    """Returns the first true value of `condition()`; fails after `timeout` seconds, or more on a
    busy machine, naming what did not happen."""
    started = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - started
        if waited > timeout * work_per_core():
            raise AssertionError(f"not within {waited:.0f} s: {what}")
        time.sleep(every)
