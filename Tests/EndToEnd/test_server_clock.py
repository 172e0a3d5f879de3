"""A server on a machine whose clock is wrong until it is corrected."""

import json
import sys
import time

import pytest

from support.api import seconds, set_interval, sign_in, watch_over
from support.program import phone_number, run
from support.waiting import wait_until, work_per_core

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="the clock is replaced by LD_PRELOAD"),
]
MINUTES, DAYS = 60, 86_400
# Seconds on an idle machine. Long enough to kill the server, restart it and see its warning before
# the deadline.
INTERVAL = 40


def readiness(server, client):
    answer = client.send("GET", "/health/ready")
    assert answer.status_code == 200, answer.text
    return answer.json()


def open_alerts(person):
    return [alert for alert in person.get("/v1/alerts")["items"] if alert["isActive"]]


@pytest.mark.parametrize("error", [-50 * MINUTES, 2 * DAYS])
def test_restart_with_wrong_clock_keeps_right_time(make_server, clock, error):
    """Deadlines and check-ins are on time before and after the clock is corrected."""
    interval = int(INTERVAL * work_per_core())
    server = make_server("--demo-intervals", env=clock.env).start()
    ada, ben = sign_in(server, phone_number(0), "Ada"), sign_in(server, phone_number(1), "Ben")
    watch_over(ben, ada)
    set_interval(ada, interval)
    deadline = seconds(ada.check_in()["nextCheckInTime"])
    server.kill()
    clock.set(error)
    server.start()
    assert open_alerts(ada) == []
    wait_until(
        lambda: any("the machine's clock is" in one for one in readiness(server, ada)["warnings"]),
        10,
        "a warning",
    )
    clock.set(0)
    wait_until(lambda: readiness(server, ada)["warnings"] == [], 10, "the end of the warning")
    assert open_alerts(ada) == []
    assert time.time() < deadline, "too slow for this interval"
    wait_until(lambda: open_alerts(ada), deadline - time.time() + 10, "an alert", every=0.2)
    (alert,) = open_alerts(ada)
    assert alert["kind"] == "missedCheckIn" and seconds(alert["startTime"]) >= deadline
    moment = time.time()
    moved = seconds(ada.check_in(at=moment)["nextCheckInTime"])
    assert open_alerts(ada) == [] and abs(moved - moment - interval) < 2


@pytest.mark.parametrize("error", [-50 * MINUTES, 2 * DAYS])
def test_first_start_recovers_once_clock_is_corrected(make_server, clock, error):
    """A server's first start relies on the clock. The clock's correction moves the times of
    everything that has happened."""
    clock.set(error)
    server = make_server("--demo-intervals", env=clock.env).start()
    ada = sign_in(server, phone_number(0), "Ada")
    set_interval(ada, 3600)
    if error < 0:
        # A server that doesn't know the error of its own clock refuses a device's right time as a
        # future time.
        ada.check_in(at=time.time() + error)
    else:
        ada.check_in()
    time.sleep(2)
    clock.set(0)
    # The kernel tells a server at once that its clock was set. This library can't, and a server
    # looks every 5 seconds.
    time.sleep(7)
    assert readiness(server, ada)["problems"] == []
    assert "the server's time was corrected by " in server.output(), server.output()
    # Ada's access token has expired meanwhile.
    ada = sign_in(server, phone_number(0), "Ada")
    moment = time.time()
    moved = seconds(ada.check_in(at=moment)["nextCheckInTime"])
    assert abs(moved - moment - 3600) < 5
    assert open_alerts(ada) == []


@pytest.mark.parametrize("error", [-50 * MINUTES, 2 * DAYS])
def test_command_without_a_server_continues_its_time(make_server, clock, error):
    server = make_server(env=clock.env).start()
    sign_in(server, phone_number(0), "Ada")
    server.kill()
    clock.set(error)
    database = ["--database", server.database]
    lock = ["admin", "lock", phone_number(0), "--reason", "Spam", *database]
    # The operator's word that the machine's clock is right asks for a correction of the rows.
    trusting = {**clock.env, "LIFESIGNAL_TRUST_CLOCK": "true"}
    refused = run(*lock, "--json", env=trusting)
    assert refused.returncode == 4, refused.stdout + refused.stderr
    assert json.loads(refused.stderr)["error"]["code"] == "clock-corrected"
    locked = run(*lock, env=clock.env)
    assert locked.returncode == 0, locked.stdout + locked.stderr
    log = run("admin", "log", "--json", *database, env=clock.env)
    (entry,) = json.loads(log.stdout)["entries"]
    assert abs(seconds(entry["act"]["time"]) - time.time()) < 30


def test_doctor_compares_clock_with_server_time(make_server, clock):
    server = make_server(env=clock.env).start()
    server.kill()
    arguments = ["doctor", "--database", server.database, "--port", 0]
    assert "BAD   clock" not in run(*arguments, env=clock.env).stdout
    clock.set(-50 * MINUTES)
    wrong = run(*arguments, env=clock.env)
    assert (
        wrong.returncode == 1
        and "BAD   clock" in wrong.stdout
        and "behind the server's time" in wrong.stdout
    ), wrong
    trusted = run(*arguments, "--trust-clock", env=clock.env)
    assert "BAD   clock" not in trusted.stdout, trusted
