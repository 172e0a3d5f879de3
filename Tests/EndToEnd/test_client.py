"""The program as a client for terminals and scripts, on a working connection."""

import json
import os
import pty
import re
import subprocess
import time

import pytest
from PIL import Image

from support.api import new_id, sign_in
from support.program import CODE, PROGRAM, environment, phone_number, run
from support.terminal import BUSY, DONE, FAILED, NOT_SIGNED_IN, REFUSED, USAGE, Person, mode
from support.waiting import wait_until


@pytest.fixture
def server(make_server):
    return make_server("--demo-intervals").start()


@pytest.fixture
def person(server, tmp_path):
    return lambda index: Person(tmp_path / f"home-{index}", phone_number(index), server)


@pytest.fixture
def pair(person, tmp_path):
    """Ana, and Ben, who watches over her."""
    ana, ben = person(0).sign_in("Ana"), person(1).sign_in("Ben")
    ana.call("qr", "save", tmp_path / "ana.png")
    ben.call("contacts", "add", tmp_path / "ana.png", "--dependent")
    return ana, ben


def test_picture_of_code_adds_contact(person, tmp_path):
    ana, ben = person(0).sign_in("Ana"), person(1).sign_in("Ben")
    code = ana.call("qr", "save", tmp_path / "ana.png")
    assert mode(tmp_path / "ana.png") == 0o600
    assert run("qr", "decode", tmp_path / "ana.png").stdout.strip() == code["payload"]
    added = ben.call("contacts", "add", tmp_path / "ana.png", "--dependent")["contact"]
    assert (added["name"], added["isDependent"], added["isResponder"]) == ("Ana", True, False)
    assert ana.call("contacts", "list")["contacts"][0]["isResponder"]
    assert (
        ben.call("contacts", "add", code["id"], "--dependent", code=REFUSED)["code"]
        == "already-exists"
    )
    asked = ben.call("contacts", "roles", "ana", "--responder")["contact"]
    assert not asked["isResponder"] and asked["requests"][0]["isMine"]
    assert ana.call("contacts", "accept", "Ben")["contact"]["isDependent"]
    assert ben.call("contacts")["contacts"][0]["isResponder"]
    assert ana.call("contacts", "decline", "Ben", code=USAGE)["code"] == "no-such-request"
    assert ben.call("contacts", "roles", "Ana", "--no-responder", "--no-dependent", code=USAGE)
    assert ana.call("qr", "save", tmp_path / "ana.png", code=USAGE)["code"] == "exists"
    renewed = ana.call("qr", "save", tmp_path / "ana.png", "--renew", "--force")
    assert renewed["id"] != code["id"]
    assert ben.call("contacts", "remove", added["id"])["contact"]["name"] == "Ana"
    assert ana.call("contacts")["contacts"] == []
    assert (
        ben.call("contacts", "add", code["shareLink"], "--dependent", code=REFUSED)["code"]
        == "not-found"
    )


@pytest.mark.parametrize(
    "command", [["remove"], ["block"], ["roles", "--no-dependent", "--responder"]], ids=" ".join
)
def test_beginning_of_a_name_ends_nothing_without_a_yes(pair, person, command):
    """Run twice, `contacts remove Ben` also removed Benjamin."""
    ana, ben = pair
    benjamin = person(2).sign_in("Benjamin")
    ben.call("contacts", "add", benjamin.call("qr", "show")["id"], "--dependent")
    ben.call("contacts", "remove", "ana")
    assert len(ben.call("contacts")["contacts"]) == 1
    error = ben.call("contacts", *command, "Ben", code=REFUSED)
    assert error["code"] == "not-confirmed" and "Benjamin" in error["message"], error
    assert ben.call("contacts")["contacts"][0]["isDependent"]
    ben.call("contacts", *command, "Ben", "--yes")
    assert not any(one["isDependent"] for one in ben.call("contacts")["contacts"])


def test_request_is_declined_and_person_blocked(pair):
    ana, ben = pair
    ben.call("contacts", "roles", "Ana", "--responder")
    assert ana.call("contacts", "decline", "Ben")["contact"]["requests"] == []
    ben.call("contacts", "roles", "Ana", "--responder")
    assert ben.call("contacts", "withdraw", "Ana", "--responder")["contact"]["requests"] == []
    blocked = ana.call("contacts", "block", "Ben")["blocked"]
    assert blocked["name"] == "Ben" and ana.call("contacts")["contacts"] == []
    assert [person["id"] for person in ana.call("contacts", "blocked")["blocked"]] == [
        blocked["id"]
    ]
    code = ana.call("qr", "show")["id"]
    assert ben.call("contacts", "add", code, "--dependent", code=REFUSED)["code"] == "not-found"
    assert ana.call("contacts", "unblock", "Ben")["unblocked"]["id"] == blocked["id"]
    assert ben.call("contacts", "add", code, "--dependent")["contact"]["name"] == "Ana"


def test_terminal_code_can_be_scanned(pair, tmp_path):
    ana, _ = pair
    lines = ana.say("qr", "show").split("\n\n")[0].splitlines()
    drawn = [line for line in lines if set(line) <= set("█▀▄ ")]
    picture = Image.new("L", (len(drawn[0]), 2 * len(drawn)), 255)
    for y, line in enumerate(drawn):
        for x, block in enumerate(line):
            picture.putpixel((x, 2 * y), 0 if block in "█▀" else 255)
            picture.putpixel((x, 2 * y + 1), 0 if block in "█▄" else 255)
    # The drawing already contains the quiet zone.
    picture.resize((picture.width * 6, picture.height * 6), Image.NEAREST).save(
        tmp_path / "terminal.png"
    )
    decoded = run("qr", "decode", tmp_path / "terminal.png")
    assert json.loads(decoded.stdout)["id"] == ana.call("qr", "show")["id"], decoded


def test_ping_is_answered_in_terminal(pair):
    ana, ben = pair
    assert ana.call("ping", "Ben", code=REFUSED)["code"] == "permission-denied"
    assert ana.call("respond", code=REFUSED)["code"] == "no-ping"
    assert ben.call("ping", "an")["ping"]["state"] == "pending"
    assert ana.call("status")["pingsToAnswer"][0]["name"] == "Ben"
    assert "Ben asks whether you are fine" in ana.say("status")
    assert ana.call("respond")["pings"][0]["state"] == "answered"
    ben.call("ping", ana.id)
    assert ben.call("ping", "Ana", "--clear")["ping"]["state"] == "cleared"
    assert ben.call("ping", "Ana", "--clear", code=REFUSED)["code"] == "no-ping"
    ben.call("ping", "Ana")
    assert ana.call("respond", "Ben")["state"] == "done"
    assert ben.call("status")["pingsSent"] == []
    ben.call("ping", "Ana")
    assert ana.call("respond", "--all")["state"] == "done"


def test_watch_follows_an_alert(pair):
    ana, ben = pair
    with ben.watch() as watch:
        first = watch.until("state")
        assert first["profile"]["name"] == "Ben" and first.get("isOnline") is not False
        watch.until("online")
        alert = ana.call("alert", "start")["alert"]
        assert ana.call("alert", "start")["alert"]["id"] == alert["id"], "at most one"
        assert watch.until("alert-started")["alertID"] == alert["id"]
        # Another command of the same home can run while the watch continues.
        assert (
            ben.call("alert", "acknowledge", "Ana", timeout=30)["alert"]["acknowledgedBy"] == "Ben"
        )
        # After its reconnection, the watch reports the events that it missed.
        ana.call("check-in")
        assert ana.call("alert", "stop")["alert"]["isActive"] is False
        assert watch.until("alert-ended")["alertID"] == alert["id"]
        assert watch.stop() == DONE
    assert ana.call("alert", "stop", code=REFUSED)["code"] == "no-alert"
    told = ana.call("alert", "history", alert["id"])["alert"]
    assert [entry["name"] for entry in told["ledger"]] and told["acknowledgedBy"] == "Ben"
    assert [entry["id"] for entry in ben.call("alert", "history")["alerts"]] == [alert["id"]]


def test_watch_stays_online_beside_other_commands(pair):
    ana, ben = pair
    with ben.watch() as watch:
        watch.until("online")
        for _ in range(3):
            ben.call("status")
        ana.call("alert", "start")
        watch.until("alert-started")
        assert [line for line in watch.seen if line["event"] == "offline"] == []


def test_alert_is_not_reported_from_an_old_copy(pair):
    """Ben has left since Ana's last command, so her copy still has him."""
    ana, ben = pair
    assert ana.call("contacts")["contacts"][0]["isResponder"]
    ben.call("contacts", "remove", "Ana")
    said = ana.say("alert", "start")
    assert "no one is told" in said and "being told" not in said, said


def test_watch_prints_missed_check_in(pair):
    ana, ben = pair
    ana.call("profile", "edit", "--interval", "2s", "--no-two-hours", "--no-thirty-minutes")
    ana.call("check-in")
    told = ben.say("watch", "--for", "10", timeout=40)
    assert re.search(r"\d\d:\d\d:\d\d  ALERT: Ana missed a check-in\.", told), told
    assert "\x1b" not in told
    assert "NOT RESPONDING" in ben.say("status")


def test_only_one_watch_per_home(pair):
    _, ben = pair
    with ben.watch() as watch:
        watch.until("online")
        assert ben.call("watch", "--for", "1", code=BUSY)["code"] == "busy"


def test_watch_redraws_in_a_terminal(pair):
    ana, ben = pair
    ben.env = {**ben.env, "TERM": "xterm"}
    leader, follower = pty.openpty()
    watch = ben.start("watch", stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    started = time.monotonic()
    raised = False
    while b"needs help" not in shown and time.monotonic() < started + 60:
        shown += os.read(leader, 65536)
        if b"Online." in shown and not raised:
            raised = True
            ana.call("alert", "start")
    watch.send_signal(2)
    while True:
        try:
            shown += os.read(leader, 65536)
        except OSError:
            break
    assert watch.wait(10) == DONE
    assert b"needs help" in shown and b"\x1b[H" in shown
    assert b"\a" in shown, "a new alert rings the bell"
    assert shown.rstrip().endswith(b"\x1b[?1049l"), "the terminal is as it was"


def test_client_uses_server_time_with_wrong_clock(pair, clock):
    """Ben's clock is three days ahead, but his client doesn't show Ana's check-in as missed."""
    ana, ben = pair
    ana.call("check-in")
    ben.env = {**ben.env, **clock.env}
    clock.set(3 * 24 * 3600)
    for command in (["status"], ["contacts"]):
        said = ben.say(*command)
        assert "left" in said and "NOT RESPONDING" not in said, said


def test_notifications(pair):
    ana, _ = pair
    first = wait_until(lambda: ana.call("notifications")["notifications"], 30, "a notification")[0]
    assert first["type"] == "contactAdded"
    assert ana.call("notifications", "read", first["id"])["unread"] == 0
    assert ana.call("notifications", "list", "--unread")["notifications"] == []
    assert ana.call("notifications", "read", "--all")["state"] == "done"


def test_profile(pair):
    ana, ben = pair
    shown = ana.call(
        "profile", "edit", "--name", "  Ana María ", "--note", "Nuts.\nBees.", "--interval", "8h"
    )["profile"]
    assert (shown["name"], shown["emergencyNote"], shown["intervalSeconds"]) == (
        "Ana María",
        "Nuts.\nBees.",
        28800,
    )
    assert "Ana María" in ana.say("profile")
    contact = ben.call("contacts", "list", "--details")["contacts"][0]
    assert contact["emergencyNote"] == "Nuts.\nBees." and contact["phoneNumber"] == ana.number
    assert ana.number not in ben.say("contacts") + ben.say("status") + json.dumps(
        ben.call("contacts")
    )
    assert ana.call("profile", "edit", "--name", " ", code=USAGE)["code"] == "invalid-argument"
    assert ana.call("profile", "edit", "--interval", "soon", code=USAGE)["code"] == "usage"
    # This server keeps no copy with Google.
    refused = ana.call("profile", "edit", "--no-note-in-copy", code=REFUSED)
    assert refused["code"] == "invalid-argument" and "no copy" in refused["message"]
    assert "Google" not in ana.say("profile")


def test_name_cannot_control_the_terminal(pair):
    ana, ben = pair
    # The server refuses control characters, but accepts marks that change the writing direction.
    ana.call("profile", "edit", "--name", "\u202eanA")
    for output in (ben.say("status"), ben.say("contacts"), ben.say("notifications")):
        assert "\u202e" not in output


BAD = [
    ["fly"],
    ["alert"],
    ["alert", "fly"],
    ["ping"],
    ["contacts", "add", "x"],
    ["contacts", "roles", "Ana"],
    ["profile", "edit"],
    ["notifications", "read"],
    ["respond", "Ana", "--all"],
    ["alert", "history", "--limit", "0"],
    ["history", "--month", "2026-13"],
    ["history", "--day", "32"],
    ["watch", "--for", "-1"],
    ["schedule", "every", "-5h"],
    ["pause", "for", "-3h"],
    ["check-in", "--home"],
    ["contacts", "add", "no-such-file.png", "--dependent"],
    ["ping", "Nobody"],
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_invalid_arguments_are_explained(person, arguments, tmp_path):
    ana = person(0).sign_in("Ana")
    result = ana.run(*arguments)
    if arguments == ["alert"]:
        assert result.returncode == DONE and "SUBCOMMANDS" in result.stdout
        return
    assert result.returncode == USAGE and result.stderr and not result.stdout, result
    if arguments[-1] != "--home":
        assert ana.call(*arguments, code=USAGE)


def test_pictures_without_code_are_refused(pair, tmp_path):
    _, ben = pair
    Image.new("RGB", (50, 50), "white").save(tmp_path / "blank.png")
    (tmp_path / "text.png").write_text("no picture")
    assert run("qr", "encode", "https://example.org", "-o", tmp_path / "other.png").returncode == 0
    for name in ("blank.png", "text.png", "other.png"):
        assert (
            ben.call("contacts", "add", tmp_path / name, "--dependent", code=REFUSED)["code"]
            == "invalid-argument"
        )


def test_signing_in(person, server):
    ana = person(0)
    assert ana.call("status", code=NOT_SIGNED_IN)["code"] == "unauthenticated"
    assert ana.call("sign-in", "--server", server.url, "--phone", "12", code=USAGE)
    assert ana.call("sign-in", "--server", "nonsense", "--phone", ana.number, code=USAGE)
    result = ana.run("sign-in", "--server", server.url, "--phone", ana.number, input="111111\n")
    assert result.returncode == REFUSED and "wrong or has expired" in result.stderr, result
    assert ana.call("status", code=NOT_SIGNED_IN)
    assert (
        ana.run("sign-in", "--server", server.url, "--phone", ana.number, "--send-code").returncode
        == DONE
    )
    assert (
        ana.run(
            "sign-in",
            "--server",
            server.url,
            "--phone",
            ana.number,
            "--code",
            CODE,
            "--device-name",
            "A script",
        ).returncode
        == DONE
    )
    assert (
        ana.call("sign-in", "--server", server.url, "--phone", ana.number, code=REFUSED)["code"]
        == "already-signed-in"
    )


def test_session_secrets_are_never_printed(pair):
    ana, _ = pair
    session = json.loads((ana.home / "session.json").read_text())
    printed = "".join(
        ana.say(*command)
        for command in (
            ["status"],
            ["profile"],
            ["status", "--json"],
            ["profile", "--json"],
            ["qr", "show", "--json"],
        )
    )
    assert session["accessToken"] not in printed and session["refreshToken"] not in printed


def test_client_sign_out_leaves_nothing(pair):
    ana, _ = pair
    ana.call("check-in")
    assert ana.call("sign-out") and ana.bytes_kept() == b""
    assert ana.call("status", code=NOT_SIGNED_IN)
    assert ana.call("sign-out", code=NOT_SIGNED_IN)


def test_client_sign_out_names_what_continues(pair):
    ana, _ = pair
    ana.call("check-in")
    ana.call("alert", "start")
    said = ana.say("sign-out")
    assert "Your alert stays on. Sign in again to end it." in said, said
    assert "Your deadline keeps running" in said, said


@pytest.mark.parametrize("is_on", [True, False])
def test_client_sign_out_asks_the_server_what_continues(pair, server, is_on):
    """Another device raises or ends the alert after this device's last command."""
    ana, _ = pair
    beside = sign_in(server, ana.number, "Ana")
    if is_on:
        ana.call("status")
        beside.put(f"/v1/alerts/{new_id()}")
    else:
        alert = ana.call("alert", "start")["alert"]["id"]
        beside.post(f"/v1/alerts/{alert}/end")
    answer = ana.call("sign-out")
    unfinished = answer["unfinished"]
    assert answer["removedEndpoints"] == []
    assert ("Your alert stays on. Sign in again to end it." in unfinished) == is_on, unfinished


def test_session_ended_elsewhere_is_explained(pair, server):
    ana, _ = pair
    session = json.loads((ana.home / "session.json").read_text())
    sign_in(server, ana.number, "Ana").delete(f"/v1/auth/sessions/{session['sessionID']}")
    assert ana.call("status", code=NOT_SIGNED_IN)
    assert not (ana.home / "copy.sqlite").exists() and not (ana.home / "session.json").exists()


@pytest.mark.parametrize(
    "command",
    ["status", "alert history", "contacts", "notifications", "profile", "history", "schedule"],
)
def test_ended_session_without_copy_is_not_signed_in(person, server, command):
    ana = person(0).sign_in("Ana")
    session = json.loads((ana.home / "session.json").read_text())
    sign_in(server, ana.number, "Ana").delete(f"/v1/auth/sessions/{session['sessionID']}")
    remove_copy(ana)
    assert ana.call(*command.split(), code=NOT_SIGNED_IN)


@pytest.mark.parametrize("command", ["profile edit --name Mia", "pause for 3h"])
def test_change_without_copy_succeeds(person, command):
    ana = person(0).sign_in("Ana")
    ana.call("check-in")
    remove_copy(ana)
    assert ana.call(*command.split())["profile"]["id"] == ana.id


def remove_copy(person):
    for path in person.home.glob("copy.sqlite*"):
        path.unlink()


def test_client_files_are_private(pair):
    ana, _ = pair
    assert mode(ana.home) == 0o700
    assert {path.name: mode(path) for path in ana.home.iterdir() if mode(path) != 0o600} == {}
    os.chmod(ana.home / "session.json", 0o644)
    error = ana.call("status", code=FAILED)
    assert error["code"] == "storage" and "session.json" in error["message"]
    os.chmod(ana.home / "session.json", 0o600)
    os.chmod(ana.home, 0o777)
    assert "chmod 700" in ana.call("status", code=FAILED)["recoverySuggestion"]
    os.chmod(ana.home, 0o700)
    assert ana.call("status")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_alert_is_raised_and_ended_from_a_read_only_home(pair):
    ana, ben = pair
    # The access token has expired, and the new tokens can't be saved.
    session = ana.home / "session.json"
    tokens = json.loads(session.read_text())
    session.write_text(json.dumps(tokens | {"accessToken": "A" * 43}))
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'

    def call(*arguments):
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", mount, ana.home, PROGRAM, *arguments],
            env=environment(ana.env),
            capture_output=True,
            text=True,
            timeout=60,
        )

    for arguments, words in [
        (("alert", "start"), "ALERT, but no message reaches your responders"),
        (("check-in",), "Checked in at"),
        (("alert", "stop"), "Ben is being told"),
    ]:
        result = call(*arguments)
        assert result.returncode == DONE and words in result.stdout, (arguments, result)
    assert len(ben.call("alert", "history")["alerts"]) == 1
    assert call("status").returncode == FAILED


def test_failed_alert_says_that_no_one_knows(pair):
    ana, ben = pair
    (ana.home / "settings.json").write_text("")
    error = ana.call("alert", "start", code=FAILED)
    assert "No one knows about your alert: phone someone now." in error["message"]
    assert "No one knows" not in ana.call("status", code=FAILED)["message"]
    assert ben.call("alert", "history")["alerts"] == []


def test_home_that_is_a_file_is_refused(person):
    ana = person(0)
    ana.home.write_text("")
    assert ana.call("status", code=FAILED)["code"] == "storage"


def test_full_disk_under_the_answer_is_a_failure(person):
    ana = person(0).sign_in("Ana")
    for command, words in (
        (["status", "--json"], "carried out"),
        (["sources", "add", "Key"], "lifesignal sources remove"),
        (["recovery-codes"], "same codes"),
    ):
        with open("/dev/full", "wb") as full:
            process = ana.start(*command, stdout=full, stderr=subprocess.PIPE)
            error = process.communicate(timeout=60)[1].decode()
        assert process.returncode == FAILED, (command, error)
        assert "could not be written" in error and words in error, (command, error)
    assert [source["name"] for source in ana.call("sources")["sources"]] == ["Key"]
    # A reader may end early.
    reader, writer = os.pipe()
    os.close(reader)
    process = ana.start("status", stdout=writer)
    os.close(writer)
    assert process.wait(60) == DONE


def test_closed_pipe_ends_the_client(pair):
    _, ben = pair
    command = f"{PROGRAM} watch | head -1"
    result = subprocess.run(
        ["bash", "-c", command],
        env=environment(ben.env),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert result.returncode == 0 and "Ben" in result.stdout, result


@pytest.mark.parametrize(
    "command",
    [
        ["sign-in"],
        ["status"],
        ["check-in"],
        ["alert", "start"],
        ["contacts", "add"],
        ["qr", "show"],
        ["watch"],
    ],
    ids=" ".join,
)
def test_help(command):
    result = run(*command, "--help")
    assert result.returncode == 0 and "USAGE" in result.stdout


def test_help_lists_exit_codes():
    assert "6 kept, and waiting to be sent" in " ".join(run("--help").stdout.split())


def test_endpoints_are_listed_and_removed(server, person):
    ana = person(0).sign_in("Ana")
    assert ana.call("endpoints")["endpoints"] == []
    other = sign_in(server, phone_number(0), "Ana")
    hook, address = new_id(), "https://hooks.example.org/lifesignal?secret=1"
    other.put(f"/v1/devices/{hook}", {"kind": "webhook", "url": address})
    [endpoint] = ana.call("endpoints", "list")["endpoints"]
    assert (endpoint["id"], endpoint["name"]) == (hook, "hooks.example.org")
    assert "secret" not in str(endpoint)
    assert ana.call("endpoints", "remove", hook)["endpoint"] == hook
    assert other.get("/v1/devices")["items"] == []
    assert ana.call("endpoints", "remove", hook, code=REFUSED)["code"] == "not-found"
    assert ana.call("endpoints", "remove", "x", code=USAGE)["code"] == "usage"


def test_devices_are_listed_and_signed_out(server, person):
    ana = person(0).sign_in("Ana")
    other = sign_in(server, phone_number(0), "Ana")
    sessions = ana.call("sessions")["sessions"]
    [mine] = [session["id"] for session in sessions if session["isCurrent"]]
    [others] = [session["id"] for session in sessions if not session["isCurrent"]]
    assert "this one" in ana.say("sessions", "list")
    assert ana.call("sessions", "end", mine, code=REFUSED)["code"] == "current-session"
    assert ana.call("sessions", "end", others)["session"] == others
    other.get("/v1/me", status=401)
    assert ana.call("sessions", "end", others, code=REFUSED)["code"] == "not-found"
    assert ana.call("sessions", "end", "x", code=USAGE)["code"] == "usage"


@pytest.fixture
def ana_by_sms(make_server, tmp_path):
    """Returns Ana at a server that sends real codes, and a function that returns the newest
    code."""
    server = make_server("--sms", "console").start()
    ana = Person(tmp_path / "ana", "+4915112345678", server)

    def code():
        return re.findall(r"\b\d{6}\b", server.output())[-1]

    signing_in = ("sign-in", "--server", server.url, "--phone", ana.number)
    ana.call(*signing_in, "--send-code")
    ana.call(*signing_in, "--code", code())
    return ana, code


def test_account_deletion_needs_a_code(ana_by_sms):
    ana, code = ana_by_sms
    assert ana.call("delete-account", code=REFUSED, input="no\n")["code"] == "not-confirmed"
    assert ana.call("delete-account", "--yes", code=REFUSED)["code"] == "code-needed"
    wrong = "000000" if code() != "000000" else "000001"
    assert ana.call("delete-account", "--yes", "--code", wrong, code=REFUSED)
    ana.call("status")
    assert ana.call("delete-account", "--yes", "--code", code())["deleted"]
    assert ana.bytes_kept() == b""
    assert ana.call("status", code=NOT_SIGNED_IN)


def test_account_without_code_is_deleted_at_once(person):
    ana = person(0).sign_in("Ana")
    said = ana.say("delete-account", input="DELETE\n")
    assert "deleted" in said and "may need a new invitation" in said, said
    assert ana.sign_in().call("status")["profile"]["name"] == ""
