"""Waiting for something to become true, never for longer than a bound."""

import time


def wait_until(condition, timeout, what, every=0.02):
    """Returns the first true value of `condition()`; fails after `timeout` seconds, naming what did
    not happen."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(every)
