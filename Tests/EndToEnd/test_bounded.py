"""A hanging test run is ended, and its output names the hanging tests."""

import os
import subprocess
import time

import pytest

from support.program import REPOSITORY

BOUNDED = REPOSITORY / "Tests/Support/bounded.py"
# Two tests have the same name: one ends, the other blocks behind a second process.
HANGING = """
echo '◇ Test run started.'
echo '◇ Test ends() started.'
echo '◇ Test hangs(number:) started.'
echo '◇ Test twice() started.'
echo '◇ Test twice() started.' >&2
echo '✔ Test ends() passed after 0.1 seconds.'
echo '✘ Test twice() with 2 test cases failed after 0.1 seconds with 1 issue.'
sleep 600 & echo $! >child
wait
"""


def run(script, folder, silence):
    return subprocess.run(
        [BOUNDED, "bash", "-c", script],
        cwd=folder,
        env={**os.environ, "LIFESIGNAL_TEST_SILENCE": str(silence)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            # A zombie remains until its parent has collected it, which may take a while.
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("group", ["", "setsid "])
def test_a_run_that_hangs_ends_and_names_its_tests(tmp_path, group):
    told = run(HANGING.replace("sleep 600", f"{group}sleep 600"), tmp_path, silence=1)
    assert told.returncode == 1
    lines = told.stdout.splitlines()
    assert lines[0] == "◇ Test run started."
    named = ["✘ Test hangs(number:) hangs.", "✘ Test twice() hangs."]
    again = "==> The tests run once more, because they hung"
    assert lines[-2:] == named and lines.count(again) == 1
    assert lines[lines.index(again) - 2 :][:2] == named
    assert any("(threads: 1): sleep 600" in line for line in lines)
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while is_running(child):
        assert time.monotonic() < deadline, "a process of the tests lives on"


@pytest.mark.parametrize("code", [0, 3])
def test_a_run_that_hangs_once_runs_again(tmp_path, code):
    script = f"if [ -e again ]; then exit {code}; fi; touch again; {HANGING}"
    assert run(script, tmp_path, silence=1).returncode == code


@pytest.mark.parametrize("code", [0, 3])
def test_a_run_that_ends_keeps_its_output_and_its_code(tmp_path, code):
    told = run(f"echo one; echo two >&2; printf three; exit {code}", tmp_path, silence=50)
    assert (told.returncode, told.stdout) == (code, "one\ntwo\nthree")


def test_every_run_of_swift_tests_is_bounded():
    makefile = (REPOSITORY / "Makefile").read_text().replace("\\\n", " ")
    runs = [line for line in makefile.splitlines() if "$(SWIFT) test" in line]
    assert len(runs) == 3
    for line in runs:
        assert "$(BOUNDED)" in line, line
