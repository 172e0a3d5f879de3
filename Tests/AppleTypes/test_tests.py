"""Runs those tests of the Xcode project that don't need a phone."""

import os
import subprocess


def test_project_tests_pass(check):
    environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    done = subprocess.run(
        [check.tests(), "--skip", "PhoneTests"],
        capture_output=True, text=True, env=environment, timeout=120,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "40 tests" in said and "PushMessageTests" in said, said
