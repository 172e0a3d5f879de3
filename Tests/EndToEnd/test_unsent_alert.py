"""While the terminal has an unsent alert, its session is ended on another device."""

import json
from subprocess import PIPE

import pytest

from support.api import CODE, seconds, sign_in, watch_over
from support.program import phone_number
from support.terminal import NOT_SIGNED_IN, REFUSED, WAITING, Person

pytestmark = pytest.mark.both_engines


@pytest.fixture
def server(make_server):
    """A server with a fixed port, because the client stores the server's address."""
    server = make_server().start()
    server.arguments = (*server.arguments, "--port", str(server.port))
    return server


@pytest.fixture
def unaware(server, tmp_path):
    """Ana, with an unsent alert of a session that has since ended, before a command finds out."""
    ana = Person(tmp_path / "ana", phone_number(0), server).sign_in("Ana")
    session = json.loads((ana.home / "session.json").read_text())
    server.stop()
    answer = ana.call("alert", "start", code=WAITING)
    ana.raised, ana.alert = answer["waiting"][0]["createdAt"], answer["alert"]["id"]
    server.start()
    ana.beside = beside = sign_in(server, ana.number, "Ana")
    beside.delete(f"/v1/auth/sessions/{session['sessionID']}")
    ana.alerts = lambda: list(beside.pages("/v1/alerts"))
    return ana


def assert_not_sent(error):
    assert (
        error["title"] == "Your alert was NOT sent"
        and "Phone someone" in error["recoverySuggestion"]
    )


@pytest.fixture
def ana(unaware):
    """Ana, after a command has found out."""
    assert_not_sent(unaware.call("status", code=NOT_SIGNED_IN))
    assert unaware.alerts() == []
    return unaware


def back(ana, *options, typed=""):
    arguments = ("sign-in", "--server", ana.server.url, "--phone", ana.number, *options)
    return ana.say(*arguments, input=f"{CODE}\n{typed}")


@pytest.mark.parametrize(
    "command",
    [["drill"], ["drill", "--no-wait"], ["delete-account", "--yes"], ["sign-out"]],
    ids=" ".join,
)
def test_first_command_reports_unsent_alert(unaware, command):
    assert_not_sent(unaware.call(*command, code=NOT_SIGNED_IN))
    assert not (unaware.home / "copy.sqlite").exists() and unaware.alerts() == []


def test_later_commands_report_unsent_alert(ana):
    for command in (["status"], ["check-in"], ["watch", "--for", "1"], ["drill"], ["sign-out"]):
        error = ana.call(*command, code=NOT_SIGNED_IN)
        assert error["title"] == "Your alert was NOT sent", (command, error)
    back(ana, "--no-send-alert")
    ana.call("sign-out")
    assert ana.call("status", code=NOT_SIGNED_IN)["title"] == "You are not signed in"


@pytest.mark.parametrize(
    "leaving", [["sign-out"], ["sign-out", "--discard"], ["delete-account", "--yes"]], ids=" ".join
)
def test_another_person_leaves_unsent_alert_in_home(ana, leaving):
    ben = Person(ana.home, phone_number(1), ana.server).sign_in("Ben")
    ben.call(*leaving)
    assert not (ana.home / f"queue-{ben.id}.sqlite").exists()
    assert ana.call("status", code=NOT_SIGNED_IN)["title"] == "Your alert was NOT sent"
    back(ana, typed="y\n")
    assert len(ana.alerts()) == 1


def test_yes_sends_unsent_alert_with_its_time(ana):
    said = back(ana, typed="y\n")
    assert "was NOT sent. Send it now?" in said and "The alert is being sent" in said
    [alert] = ana.alerts()
    assert alert["isActive"] and seconds(alert["startTime"]) - seconds(ana.raised) < 60


def test_ended_input_sends_unsent_alert_at_once(ana):
    said = back(ana)
    assert "60 seconds" not in said and "The alert is being sent" in said, said
    assert len(ana.alerts()) == 1


def test_answer_without_connection_says_not_sent(ana):
    arguments = ("sign-in", "--server", ana.server.url, "--phone", ana.number)
    process = ana.start(*arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
    process.stdin.write(f"{CODE}\n")
    process.stdin.flush()
    asked = ""
    while not asked.endswith("[Y/n] "):
        character = process.stderr.read(1)
        assert character, asked
        asked += character
    ana.server.stop()
    said, _ = process.communicate("y\n", timeout=60)
    assert process.returncode == WAITING and said.startswith("NOT SENT"), said
    assert "Signed in as Ana." in said
    ana.server.start()
    assert [item["kind"] for item in ana.call("status")["sent"]] == ["raiseAlert"]
    [alert] = ana.call("alert", "history")["alerts"]
    assert alert["isActive"]


@pytest.fixture
def unanswered(ana):
    """Ana, who has pressed Ctrl-C at the question about her unsent alert."""
    arguments = ("sign-in", "--server", ana.server.url, "--phone", ana.number)
    code, said = ana.interrupt("[Y/n] ", *arguments, typed=f"{CODE}\n")
    assert "it is sent in 60 seconds" in said, said
    rest = said.partition("Interrupted.")[2]
    assert code == 130 and "was NOT sent" in rest and "Nothing" not in rest, said
    return ana


def test_every_command_shows_unanswered_alert(unanswered):
    assert unanswered.call("status")["unsentAlert"]["raisedAt"]
    for command in (["status"], ["contacts"], ["watch", "--for", "2"]):
        assert "was NOT sent" in unanswered.say(*command), command
    again = ("sign-in", "--server", unanswered.server.url, "--phone", unanswered.number)
    for command in (again, ["drill"]):
        message = unanswered.call(*command, code=REFUSED)["message"]
        assert "was NOT sent" in message and "alert stop" in message, (command, message)
    error = unanswered.call("sign-out", code=WAITING)
    assert error["title"] == "You are still signed in" and "was NOT sent" in error["message"]
    assert "alert stop" in error["message"] and unanswered.alerts() == []


def test_waiting_drill_shows_unanswered_alert(unanswered):
    watch_over(sign_in(unanswered.server, phone_number(1), "Ben"), unanswered.beside)
    with unanswered.start("drill", stdout=PIPE, text=True) as running:
        said = running.stdout.readline()
        running.kill()
    assert "was NOT sent" in said


def test_start_sends_unanswered_alert(unanswered):
    unanswered.call("alert", "start")
    [alert] = unanswered.alerts()
    # A new alert would have another id.
    assert alert["id"] == unanswered.alert
    assert "unsentAlert" not in unanswered.call("status")


@pytest.mark.parametrize("command", [["alert", "stop"], ["sign-out", "--discard"]], ids=" ".join)
def test_unanswered_alert_can_be_discarded(unanswered, command):
    unanswered.call(*command)
    if "sign-out" in command:
        back(unanswered)
    unanswered.call("status")
    assert unanswered.alerts() == []


def test_later_failure_names_discarded_alert(unanswered):
    session = json.loads((unanswered.home / "session.json").read_text())
    unanswered.beside.delete(f"/v1/auth/sessions/{session['sessionID']}")
    error = unanswered.call("alert", "stop", code=NOT_SIGNED_IN)
    assert "was not sent and is discarded" in error["message"]


def test_interrupted_deletion_names_queued_alert(unaware):
    code, said = unaware.interrupt("DELETE: ", "delete-account")
    assert code == 130 and "Waiting to be sent: your" in said, said
    assert "Nothing was changed" in said and "next command" not in said


def test_interrupted_sign_in_names_unsent_alert(ana):
    arguments = ("sign-in", "--server", ana.server.url, "--phone", ana.number)
    code, said = ana.interrupt("Code: ", *arguments)
    assert code == 130 and "was NOT sent. `lifesignal sign-in`" in said, said


def test_no_discards_unsent_alert(ana):
    assert "is discarded" in back(ana, typed="n\n")
    assert ana.call("status")["waiting"] == [] and ana.alerts() == []


def test_unsent_alert_is_sent_without_terminal(ana):
    back(ana)
    assert len(ana.alerts()) == 1


@pytest.mark.parametrize("option, count", [("--send-alert", 1), ("--no-send-alert", 0)])
def test_option_answers_about_unsent_alert(ana, option, count):
    assert "Send it now?" not in back(ana, option)
    assert len(ana.alerts()) == count
