"""The program as a client while its server is unreachable: what it queues and shows. Each action
takes effect once."""

import os
import random
import signal
import socket
import subprocess
import time

import pytest

from support.api import seconds, sign_in, watch_over
from support.program import phone_number
from support.terminal import DONE, FAILED, REFUSED, UNREACHABLE, USAGE, WAITING, Person
from support.waiting import work_per_core

KILLS = int(os.environ.get("LIFESIGNAL_KILLS", "12"))

pytestmark = pytest.mark.both_engines


@pytest.fixture
def server(make_server):
    """A server with a fixed port, because the client stores the server's address."""
    server = make_server("--demo-intervals").start()
    server.arguments = (*server.arguments, "--port", str(server.port))
    return server


@pytest.fixture
def ana(server, tmp_path):
    return Person(tmp_path / "ana", phone_number(0), server).sign_in("Ana")


@pytest.fixture
def beside(server):
    """Returns an API client for Ana's account that doesn't use her terminal."""

    def ask(path):
        return list(sign_in(server, phone_number(0), "Ana").pages(path))

    return ask


def test_offline_check_in_is_sent_once(server, ana, beside):
    ana.call("check-in")
    server.stop()
    answer = ana.call("check-in", code=WAITING)
    assert (
        answer["state"] == "waiting"
        and [item["kind"] for item in answer["waiting"]] == ["checkIn"]
        and answer["isOnline"] is False
    )
    assert "Waiting to be sent: your check-in of" in ana.say("check-in", code=WAITING)
    shown = ana.say("status")
    assert "Offline: as of" in shown and shown.count("Waiting to be sent") == 2
    server.start()
    said = ana.say("status")
    assert said.count("Sent now: your check-in of") == 2 and "Online." in said
    assert ana.call("status")["waiting"] == []
    assert len(beside("/v1/check-ins")) == 3


def test_queued_actions_keep_their_time(server, ana, beside):
    server.stop()
    before = ana.call("check-in", code=WAITING)["waiting"][0]["createdAt"]
    time.sleep(1.5)
    server.start()
    ana.call("status")
    record = beside("/v1/check-ins")[0]
    assert abs(seconds(record["occurredAt"]) - seconds(before)) < 1
    assert seconds(record["receivedAt"]) - seconds(record["occurredAt"]) > 1.5


def test_queued_alert_keeps_its_start(server, ana, beside):
    server.stop()
    before = ana.call("alert", "start", code=WAITING)["waiting"][0]["createdAt"]
    time.sleep(1.5)
    server.start()
    ana.call("status")
    [alert] = beside("/v1/alerts")
    assert abs(seconds(alert["startTime"]) - seconds(before)) < 1
    table = ana.say("alert", "history", "--csv").splitlines()
    assert table[0].startswith("id,name,kind,startTime") and table[1].startswith(
        f"{alert['id']},Ana,manual,"
    )
    assert "1 in all: 1 by hand" in ana.say("alert", "history")


def test_offline_alert_names_people_to_phone(server, ana):
    ben = sign_in(server, phone_number(1), "Ben")
    watch_over(ben, sign_in(server, phone_number(0)))
    ana.call("status")
    server.stop()
    said = ana.say("alert", "start", code=WAITING)
    assert "NOT SENT" in said and f"Ben  {phone_number(1)}" in said
    for command in (["status"], ["alert", "history"]):
        said = ana.say(*command)
        assert "NOT SENT" in said and "no one is on it yet" not in said, said
    assert [alert["isUnsent"] for alert in ana.call("status")["openAlerts"]] == [True]
    with open("/dev/full", "wb") as full:
        process = ana.start("alert", "start", stdout=full, stderr=subprocess.PIPE)
        error = process.communicate(timeout=60)[1].decode()
    assert process.returncode == FAILED, error
    assert "NOT SENT. We don't know whether anyone was told" in error, error


def test_queued_alert_is_sent_first(server, ana, beside):
    server.stop()
    ana.call("profile", "edit", "--name", "Ana B", code=WAITING)
    ana.call("check-in", code=WAITING)
    said = ana.say("alert", "start", code=WAITING)
    assert "We don't know whether anyone was told" in said and "No one knows" not in said
    assert [item["kind"] for item in ana.call("status")["waiting"]] == [
        "raiseAlert",
        "checkIn",
        "updateProfile",
    ]
    server.start()
    assert [item["kind"] for item in ana.call("status")["sent"]] == [
        "raiseAlert",
        "checkIn",
        "updateProfile",
    ]
    alerts, check_ins = beside("/v1/alerts"), beside("/v1/check-ins")
    assert len(alerts) == 1 and alerts[0]["isActive"] and len(check_ins) == 1
    assert alerts[0]["startTime"] <= check_ins[0]["receivedAt"]


def test_offline_alert_is_raised_and_ended(server, ana, beside):
    server.stop()
    ana.call("alert", "start", code=WAITING)
    ana.call("alert", "stop", code=WAITING)
    server.start()
    ana.call("status")
    alerts = beside("/v1/alerts")
    assert len(alerts) == 1 and not alerts[0]["isActive"]


def test_watch_sends_queue_of_other_commands(server, ana, beside):
    with ana.watch() as watch:
        watch.until("online")
        server.stop()
        watch.until("offline")
        ana.call("check-in", code=WAITING, timeout=20)
        watch.until("waiting")
        server.start()
        watch.until("sent", timeout=60)
        assert len(beside("/v1/check-ins")) == 1


def test_stopped_watch_delays_alert_only_briefly(server, ana, beside):
    """A stopped `watch` keeps the lock of the home. The alert and its end wait 5 seconds for the
    lock, other commands 30."""
    with ana.watch() as watch:
        watch.until("online")
        for command, event in (("start", "alert-started"), ("stop", "alert-ended")):
            watch.pause()
            started = time.monotonic()
            alert = ana.call("alert", command, timeout=60)["alert"]
            elapsed = time.monotonic() - started
            watch.resume()
            assert 4 < elapsed < min(29, 5 + 15 * work_per_core())
            assert watch.until(event)["alertID"] == alert["id"]
        assert watch.stop() == DONE
    assert [(item["id"], item["isActive"]) for item in beside("/v1/alerts")] == [
        (alert["id"], False)
    ]


def test_online_only_commands_say_so(server, ana, tmp_path):
    server.stop()
    for command in (
        ["qr", "show"],
        ["qr", "save", tmp_path / "x.png"],
        ["contacts", "add", "0" * 32, "--dependent"],
    ):
        assert ana.call(*command, code=UNREACHABLE)["code"] == "unreachable"
    assert not (tmp_path / "x.png").exists()
    for command in (["contacts"], ["notifications"], ["alert", "history"], ["profile"]):
        assert ana.call(*command)["isOnline"] is False
        assert "LifeSignal can't be reached: as of" in ana.say(*command)


def test_offline_refusals_show_their_age(server, ana):
    server.stop()
    for command in (["alert", "stop"], ["respond"], ["ping", "Zoe"], ["ping", "Zoe", "--clear"]):
        result = ana.run(*command)
        assert result.returncode in (REFUSED, USAGE), result
        assert "LifeSignal can't be reached: as of" in result.stderr, result
    server.start()
    assert "can't be reached" not in ana.run("alert", "stop").stderr


def test_offline_table_prints_age_to_stderr(server, ana):
    ana.call("alert", "start")
    server.stop()
    result = ana.run("alert", "history", "--csv")
    assert result.returncode == DONE and "as of" in result.stderr, result
    assert "as of" not in result.stdout and len(result.stdout.splitlines()) == 2, result


@pytest.mark.parametrize("command", [["alert", "start"], ["check-in"]])
def test_ctrl_c_says_what_is_queued(server, ana, beside, command):
    server.stop()
    # This socket replaces the server: it accepts connections but never answers.
    with socket.create_server(("127.0.0.1", server.port)) as silent:
        silent.settimeout(60)
        process = ana.start(*command, stderr=subprocess.PIPE)
        connection, _ = silent.accept()
        with connection:
            connection.recv(1)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130, said
    assert "Interrupted." in said and "Waiting to be sent: your" in said, said
    server.start()
    assert ana.call("status")["waiting"] == []
    assert len(beside("/v1/alerts") + beside("/v1/check-ins")) == 1


def test_signing_out_keeps_the_queue(server, ana, beside):
    server.stop()
    ana.call("check-in", code=WAITING)
    result = ana.run("sign-out", "--yes")
    assert result.returncode == WAITING and "waiting to be sent" in result.stderr, result
    server.start()
    ana.call("sign-out")
    assert ana.bytes_kept() == b"" and len(beside("/v1/check-ins")) == 1


def test_signing_out_offline(server, ana):
    server.stop()
    ana.call("check-in", code=WAITING)
    error = ana.call("sign-out", "--discard", code=REFUSED)
    assert error["code"] == "not-confirmed" and "it isn't known" in error["message"], error
    answer = ana.call("sign-out", "--discard", "--yes")
    assert any("it isn't known" in words for words in answer["unfinished"]), answer
    assert ana.bytes_kept() == b""


def test_concurrent_commands_share_a_home(server, ana, beside):
    """Of ten check-ins at once, each is stored exactly once, and the files stay intact."""
    processes = [ana.start("check-in") for _ in range(10)]
    assert [process.wait(60) for process in processes] == [DONE] * 10
    server.stop()
    processes = [ana.start("check-in") for _ in range(5)]
    assert [process.wait(60) for process in processes] == [WAITING] * 5
    server.start()
    assert len(ana.call("status")["sent"]) == 5
    assert len(beside("/v1/check-ins")) == 15


@pytest.mark.parametrize("seed", range(2))
def test_killed_clients_send_queue_once(server, ana, beside, seed):
    """Clients killed at any moment send the queue exactly once, the alert first."""
    chance = random.Random(seed)
    server.stop()
    ana.call("check-in", code=WAITING)
    ana.call("alert", "start", code=WAITING)
    server.start()
    for turn in range(KILLS):
        process = ana.start("status")
        time.sleep(chance.uniform(0, 0.12))
        process.kill()
        process.wait(10)
    assert ana.call("status")["waiting"] == []
    alerts, check_ins = beside("/v1/alerts"), beside("/v1/check-ins")
    assert len(alerts) == 1 and alerts[0]["isActive"] and len(check_ins) == 1
    assert alerts[0]["startTime"] <= check_ins[0]["receivedAt"]


def test_killed_check_in_exists_at_most_once(server, ana, beside):
    """The check-in of a finished command exists. The check-in of a killed command exists at most
    once."""
    chance, ended, killed = random.Random(7), 0, 0
    for turn in range(KILLS):
        process = ana.start("check-in")
        time.sleep(chance.uniform(0.01, 0.15))
        process.kill()
        code = process.wait(10)
        ended, killed = ended + (code == 0), killed + (code != 0)
    assert ana.call("status")["waiting"] == []
    records = beside("/v1/check-ins")
    assert ended <= len(records) <= ended + killed
    assert len({record["id"] for record in records}) == len(records)
