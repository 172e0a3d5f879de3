"""`lifesignal admin`, through the socket of a running server and on the database without one."""

import json
import os
import resource
import shutil
import stat
import tempfile
from pathlib import Path

import pytest
from support.api import new_id, sign_in, watch_over
from support.mail import MailServer
from support.program import phone_number, run
from support.twilio import PUBLIC_URL, Twilio
from support.waiting import wait_until

REFUSED = 4
USAGE = 2
FAILED = 1
NOBODY = 65534


@pytest.fixture
def made(make_server):
    return make_server("--sms", "console").start()


@pytest.fixture
def ana(made):
    return sign_in(made, phone_number(0), "Ana")


def admin(server, *arguments, **options):
    command, *rest = arguments
    return run("admin", command, *rest, "--database", server.database, **options)


def answer(server, *arguments, code=0):
    result = admin(server, *arguments, "--json")
    assert result.returncode == code, result.stdout + result.stderr
    return json.loads(result.stderr)["error"] if code else json.loads(result.stdout)


def test_socket_is_the_servers_own(made):
    socket = made.database.with_name(made.database.name + ".admin")
    wait_until(socket.exists, 10, "the socket")
    # The server's umask keeps others out, even before the mode is set.
    assert stat.S_IMODE(socket.stat().st_mode) in (0o600, 0o700)
    wait_until(lambda: stat.S_IMODE(socket.stat().st_mode) == 0o600, 10, "the socket's mode")
    assert stat.S_ISSOCK(socket.stat().st_mode)
    made.stop()
    assert not socket.exists()


def test_people_are_found(made, ana):
    [person] = answer(made, "people", "an")["people"]
    assert person["phoneNumber"] == phone_number(0) and person["name"] == "Ana"
    assert "emergencyNote" not in person
    shown = admin(made, "person", phone_number(0))
    assert shown.returncode == 0 and "Ana" in shown.stdout
    problem = answer(made, "person", "+15559999999", code=REFUSED)
    assert problem["code"] == "not-found"


def test_lock_is_read_by_the_person(made, ana):
    answer(made, "lock", phone_number(0), "--reason", "Asks strangers")
    problem = ana.call("PATCH", "/v1/me", {"name": "Mia"}, status=423)
    assert problem["code"] == "account-locked"
    ana.check_in()
    [act] = ana.get("/v1/me/administration")["items"]
    assert act["reason"] == "Asks strangers" and act["doneBy"]
    assert ana.get("/v1/me/export")["administration"] == [act]
    answer(made, "unlock", phone_number(0), "--reason", "Explained")
    assert ana.call("PATCH", "/v1/me", {"name": "Mia"})["name"] == "Mia"


def test_change_without_a_reason_is_refused(made, ana):
    result = admin(made, "lock", phone_number(0))
    assert result.returncode == USAGE and "--reason" in result.stderr
    assert answer(made, "lock", phone_number(0), "--reason", " ", code=REFUSED)


def test_works_without_a_server(made, ana):
    made.stop()
    answer(made, "lock", phone_number(0), "--reason", "Spam")
    [person] = answer(made, "people", phone_number(0))["people"]
    assert person["lockedAt"]
    made.start_again()
    assert ana.get("/v1/me")["lockedAt"] == person["lockedAt"]


def test_link_of_a_stopped_server_needs_its_address(made):
    made.stop()
    problem = answer(made, "invite", "--reason", "Village", code=USAGE)
    assert "LIFESIGNAL_PUBLIC_URL" in problem["message"]
    assert answer(made, "tokens")["tokens"] == []
    address = {"LIFESIGNAL_PUBLIC_URL": "https://village.example"}
    token = admin(made, "invite", "--reason", "Village", "--json", env=address)
    assert json.loads(token.stdout)["link"].startswith("https://village.example/join/")


def test_server_without_a_socket_is_not_bypassed(make_server):
    server = make_server("--admin-socket", "none").start()
    problem = answer(server, "people", code=REFUSED)
    assert problem["code"] == "in-use"


def test_impossible_socket_is_logged_with_its_path(make_server, tmp_path):
    path = tmp_path / "none" / "a"
    server = make_server("--admin-socket", path).start()
    words = "there is no admin socket: --admin-socket can't be opened"
    wait_until(lambda: words in server.output(), 30, "the error")
    line = next(line for line in server.output().splitlines() if words in line)
    assert str(path) in line and "No such file or directory" in line and "bind(" not in line


def test_missing_database_is_not_made(tmp_path):
    path = tmp_path / "none.sqlite"
    result = run("admin", "people", "--database", path)
    assert result.returncode == USAGE and "There is no database" in result.stderr
    assert not list(tmp_path.iterdir())


def test_empty_postgresql_database_stays_empty(made, postgresql):
    url = postgresql.make_database()
    key = made.database.with_name(made.database.name + ".key")
    result = run("admin", "people", "--database", url, "--key-file", key)
    assert result.returncode == USAGE, result.stdout + result.stderr
    assert "there is no LifeSignal database in" in result.stderr
    tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgresql.sql(tables, url.rsplit("/", 1)[1]) == "0"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    "command",
    [
        ["people"],
        ["lock", phone_number(0), "--reason", "Spam"],
        ["keys", "prepare"],
        ["keys", "rotate", "--reason", "Yearly"],
        ["keys", "forget", "--yes", "--reason", "Theft"],
    ],
    ids=" ".join,
)
def test_another_user_is_refused(command, made, ana):
    result = admin(made, *command, "--json", user=NOBODY, group=NOBODY)
    assert result.returncode == REFUSED, result.stdout + result.stderr
    problem = json.loads(result.stderr)["error"]
    assert problem["code"] == "permission-denied" and "another user" in problem["message"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_root_works_as_the_owner_of_the_database(made, ana):
    """As with the package: the database is the server's user's, the key is root's."""
    made.stop()
    # Another user can't enter the folders that pytest makes.
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "lifesignal.sqlite")
        shutil.copy(made.database, database)
        for path in [Path(folder), database]:
            os.chown(path, NOBODY, NOBODY)
        key = made.database.with_name(made.database.name + ".key")
        options = ["--database", database, "--key-file", key]
        locked = run("admin", "lock", phone_number(0), "--reason", "Spam", *options)
        assert locked.returncode == 0, locked.stdout + locked.stderr
        log = run("admin", "log", "--json", *options)
        assert json.loads(log.stdout)["entries"][0]["act"]["doneBy"] == "root"
        assert {path.stat().st_uid for path in Path(folder).iterdir()} == {NOBODY}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
def test_root_follows_no_link_of_another_user(made, ana):
    """The server's user could make root write beside any file of root's."""
    made.stop()
    before = sorted(made.database.parent.iterdir())
    lock = made.database.with_name(made.database.name + ".lock")
    content = lock.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, "lifesignal.sqlite")
        link.symlink_to(made.database)
        os.chown(folder, NOBODY, NOBODY)
        os.lchown(link, NOBODY, NOBODY)
        key = made.database.with_name(made.database.name + ".key")
        options = ["--database", link, "--key-file", key]
        locked = run("admin", "lock", phone_number(0), "--reason", "Spam", *options)
        assert locked.returncode != 0, locked.stdout
    assert sorted(made.database.parent.iterdir()) == before
    assert lock.read_bytes() == content


def test_deleted_number_signs_up_again(made, ana):
    ben = sign_in(made, phone_number(1), "Ben")
    watch_over(ben, ana)
    answer(made, "delete", phone_number(0), "--reason", "Asked by letter")
    news = ben.get("/v1/notifications")["items"]
    assert any(item["body"].startswith("The people who run this server") for item in news)
    assert sign_in(made, phone_number(0), "Ana").get("/v1/me")["id"] != ana.id
    log = answer(made, "log")["entries"]
    assert [entry["act"]["kind"] for entry in log] == ["delete"]
    assert "person" not in log[0]


def test_everyone_hears_an_announcement(made, ana):
    answer(
        made,
        "announce",
        "New server on Sunday",
        "--maintenance",
        "2099-01-01T00:00:00Z",
        "2099-01-01T01:00:00Z",
        "--reason",
        "Move",
        code=REFUSED,
    )
    answer(made, "announce", "New server on Sunday", "--reason", "Move")

    def bodies():
        return [item["body"] for item in ana.get("/v1/notifications")["items"]]

    wait_until(lambda: "New server on Sunday" in bodies(), 30, "the announcement")


def test_person_keeps_the_number(made, ana):
    answer(made, "move", phone_number(0), "+493012345678", "--reason", "Lost the SIM")
    move = ana.get("/v1/me")["numberMove"]
    assert move["phoneNumber"] == "+493012345678"
    assert "numberMove" not in ana.delete("/v1/me/number-move", status=200)
    ana.delete("/v1/me/number-move", status=404)


@pytest.mark.parametrize("sms", [None, "console", "none"])
def test_move_without_a_server_shows_no_text_instead_of_sending_it(made, ana, sms):
    made.stop()
    settings = {"LIFESIGNAL_PUBLIC_URL": PUBLIC_URL}
    if sms:
        settings["LIFESIGNAL_SMS"] = sms
    move = ("move", phone_number(0), "+493012345678", "--reason", "Lost the SIM", "--json")
    done = admin(made, *move, env=settings)
    if sms == "none":
        assert done.returncode == 0, done.stdout + done.stderr
        message = json.loads(done.stdout)["message"]
        assert "No text message goes to the present number." in message
    else:
        assert done.returncode == USAGE, done.stdout + done.stderr
        assert "LIFESIGNAL_SMS" in json.loads(done.stderr)["error"]["message"]
        assert "SMS to" not in done.stderr
    made.start_again()
    assert ("numberMove" in ana.get("/v1/me")) == (sms == "none")


def admin_by_twilio(made, status, *arguments):
    """Runs a command without a server, and with a Twilio that answers with `status`."""
    made.stop()
    twilio = Twilio()
    twilio.status = status
    settings = {"LIFESIGNAL_SMS": "twilio", "LIFESIGNAL_PUBLIC_URL": PUBLIC_URL}
    try:
        done = admin(made, *arguments, "--json", env={**twilio.environment, **settings})
    finally:
        twilio.close()
    return done, twilio


@pytest.mark.parametrize("status", [201, 400])
def test_move_without_a_server_says_if_its_text_is_refused(made, ana, status):
    move = ("move", phone_number(0), "+493012345678", "--reason", "Lost the SIM")
    done, twilio = admin_by_twilio(made, status, *move)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [message["To"] for message in twilio.messages] == [phone_number(0)]
    refusal = "The provider has not accepted the text message: http-400."
    assert (refusal in json.loads(done.stdout)["message"]) == (status == 400)


def test_message_without_a_provider_is_refused(made):
    def message(result):
        assert result.returncode == REFUSED, result.stdout + result.stderr
        return json.loads(result.stdout)["message"]

    sms = ("test", "sms", "+493012345678", "--reason", "Setup", "--json")
    call = ("test", "call", *sms[2:])
    shown = "No provider is set up: the message was only shown in the terminal."
    assert message(admin(made, *sms)) == shown and "This is a test" in made.output()
    assert message(admin(made, *call)) == "This server makes no calls."
    assert answer(made, "test", "pigeon", "Ana", "--reason", "Setup", code=USAGE)
    assert answer(made, "test", "mail", "Ana", "--reason", "Setup", code=REFUSED)
    acts = [entry["act"]["kind"] for entry in answer(made, "log")["entries"]]
    assert acts == ["test", "test"], "none of a malformed address"
    made.stop()
    direct = admin(made, *sms)

    def hint(messages):
        return (
            f"This command's settings name no provider for {messages}: "
            "give it the variables of lifesignal.env."
        )

    assert message(direct) == f"{shown} {hint('text messages')}"
    assert "This is a test" in direct.stderr
    assert message(admin(made, *call)) == f"This server makes no calls. {hint('calls')}"
    off = admin(made, *sms, env={"LIFESIGNAL_SMS": "none"})
    assert message(off) == "This server sends no text messages."


@pytest.mark.parametrize("status", [201, 400])
def test_refused_text_shows_the_providers_words(made, status):
    done, _ = admin_by_twilio(made, status, "test", "sms", "+493012345678", "--reason", "Setup")
    assert done.returncode == (0 if status == 201 else REFUSED), done.stdout + done.stderr
    message = json.loads(done.stdout)["message"]
    assert ('http-400. It said: {"sid":"SM1"}' in message) == (status == 400), message


def test_text_to_a_test_number_is_not_called_accepted(made):
    made.stop()
    twilio = Twilio()
    settings = {
        "LIFESIGNAL_SMS": "twilio",
        "LIFESIGNAL_PUBLIC_URL": PUBLIC_URL,
        "LIFESIGNAL_TEST_PHONE": "+493012345678=123456",
    }
    sms = ("test", "sms", "+493012345678", "--reason", "Setup")
    try:
        done = admin(made, *sms, env={**twilio.environment, **settings})
    finally:
        twilio.close()
    assert done.returncode == REFUSED, done.stdout + done.stderr
    assert done.stdout == "+493012345678 is a test number: nothing is sent.\n"
    assert twilio.messages == []


@pytest.mark.parametrize("reply", [None, "554 5.7.1 Relaying denied"])
def test_refused_mail_shows_the_providers_words(make_server, tmp_path, reply):
    mail = MailServer(tmp_path)
    mail.reply = reply
    try:
        server = make_server(env=mail.environment).start()
        done = admin(server, "test", "mail", "ana@example.org", "--reason", "Setup")
    finally:
        mail.close()
    assert done.returncode == (REFUSED if reply else 0), done.stdout + done.stderr
    if reply:
        assert f"smtp-554. It said: {reply}" in done.stdout
    else:
        assert "The provider accepted the message." in done.stdout


def test_push_says_whether_it_was_accepted(make_server, webhooks):
    server = make_server("--allow-private-webhooks").start()
    ana = sign_in(server, phone_number(0), "Ana")
    test = ("test", "push", phone_number(0), "--reason", "Setup")
    none = admin(server, *test)
    assert none.returncode == REFUSED and "No message was sent" in none.stdout
    ana.put(f"/v1/devices/{new_id()}", {"kind": "webhook", "url": f"{webhooks.url}/hook"})
    done = admin(server, *test)
    assert done.returncode == 0 and "webhook: accepted" in done.stdout, done.stdout


def test_nothing_is_stuck(made):
    result = admin(made, "stuck")
    assert result.returncode == 0 and "Nothing is stuck." in result.stdout


@pytest.mark.parametrize("sms", ["none", None])
def test_stopped_server_counts_no_channel_without_a_provider(made, ana, sms):
    def channels(env=None):
        result = admin(made, "people", "an", "--json", env=env)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)["people"][0]["channels"], result.stderr

    assert "sms" in channels()[0]
    made.stop()
    mail = {"LIFESIGNAL_MAIL_SERVER": "none"}
    found, hint = channels(env={**mail, "LIFESIGNAL_SMS": sms} if sms else mail)
    assert "sms" not in found
    assert ("no provider for text messages:" in hint) == (sms is None)
    assert ("no provider" in hint) == (sms is None)
    _, hint = channels(env={"LIFESIGNAL_SMS": sms} if sms else {})
    named = "e-mail" if sms else "text messages and e-mail"
    assert f"no provider for {named}:" in hint


def test_export_without_room_is_not_told(made, ana, tmp_path):
    file = tmp_path / "ana.json"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    export = ("export", phone_number(0), file, "--reason", "Moves")
    refused = admin(made, *export, preexec_fn=limit, restore_signals=False)
    assert refused.returncode == FAILED, refused
    assert f"the disk that holds {file} is full" in refused.stderr
    assert not file.exists()
    assert ana.get("/v1/me/administration")["items"] == []
    assert admin(made, *export).returncode == 0
    assert json.loads(file.read_text())["profile"]["name"] == "Ana"
    assert [act["kind"] for act in ana.get("/v1/me/administration")["items"]] == ["export"]


def test_person_moves_to_another_server(made, ana, make_server, tmp_path):
    ana.call("PATCH", "/v1/me", {"emergencyNote": "Diabetic"})
    ana.check_in()
    file = tmp_path / "ana.json"
    exported = admin(made, "export", phone_number(0), file, "--reason", "Moves")
    assert exported.returncode == 0, exported.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert admin(made, "export", phone_number(0), file, "--reason", "Again").returncode == USAGE
    assert file.stat().st_size, "the failed export has left the first one"
    nowhere = tmp_path / "none" / "ana.json"
    problem = answer(made, "export", phone_number(0), nowhere, "--reason", "Again", code=FAILED)
    assert problem["code"] == "storage" and "No such file or directory" in problem["message"]
    other = tmp_path / "zoe.json"
    answer(made, "export", "+15559999999", other, "--reason", "Again", code=REFUSED)
    assert not other.exists()
    acts = [act["kind"] for act in ana.get("/v1/me/administration")["items"]]
    assert acts == ["export"], "only of the export with a file"
    other = make_server().start()
    answer(other, "import", file, "--reason", "Moves")
    moved = sign_in(other, phone_number(0), "Ana")
    assert moved.get("/v1/me")["emergencyNote"] == "Diabetic"
    assert len(moved.get("/v1/check-ins")["items"]) == 1
    assert "nextCheckInTime" not in moved.get("/v1/me")
    problem = answer(other, "import", file, "--reason", "Again", code=REFUSED)
    assert problem["code"] == "already-exists"
    file.write_text("{}")
    assert answer(other, "import", file, "--reason", "Again", code=USAGE)


def test_token_that_would_admit_nobody_is_not_made(make_server):
    server = make_server().start()
    problem = answer(server, "invite", "--reason", "Village", code=REFUSED)
    assert problem["code"] == "invalid-argument" and "sends no codes" in problem["message"]
    assert answer(server, "invite", phone_number(0), "--reason", "Village")["link"]


def test_token_is_made_and_revoked(made, tmp_path):
    picture = tmp_path / "token.png"
    token = answer(made, "invite", "--uses", "20", "--qr", picture, "--reason", "Village")
    assert "/join/" in token["link"] and picture.read_bytes().startswith(b"\x89PNG")
    drawn = picture.read_bytes()
    again = answer(made, "invite", "--qr", picture, "--reason", "Another", code=2)
    assert "exists" in again["message"] and picture.read_bytes() == drawn
    [listed] = answer(made, "tokens")["tokens"]
    assert listed["id"] == token["id"] and listed["uses"] == 20 and listed["isUsable"]
    answer(made, "revoke", token["id"], "--reason", "Printed wrongly")
    assert answer(made, "revoke", token["id"], "--reason", "Again", code=REFUSED)
