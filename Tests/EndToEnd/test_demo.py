"""`lifesignal demo` starts its own server, with fakes of a push service and of Twilio."""

import pytest

from support.program import run


@pytest.mark.waits
def test_demo_runs_to_its_end():
    # The demo takes long because phones ring only 90 seconds after the alert.
    result = run("demo", timeout=400)
    assert result.returncode == 0, result.stdout + result.stderr
    steps = [line.split(" s  ", 1)[1] for line in result.stdout.splitlines()]
    scenes = [
        "Ben's device shows it",
        "Cleo signs in",
        "The push service of Cleo's browser refuses",
        "The SMS is late",
        "Two telephones ring",
        "She presses 1",
        "Ana sees that Cleo is on it",
        "Done: every step worked.",
    ]
    begun = [step for step in steps if any(step.startswith(scene) for scene in scenes)]
    assert len(begun) == len(scenes), result.stdout
