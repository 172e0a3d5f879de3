"""A copy of profiles and alerts in Firestore. It equals the database in the end, whatever fails,
and delays nothing."""

import io
import sqlite3
import time

import pytest
from google.cloud.firestore import Query
from PIL import Image

from support.api import Client, begin_session, new_id, set_interval, sign_in, watch_over
from support.apps import GoogleService
from support.copying import (
    PUBLIC_URL,
    call_and_end,
    equals_database,
    metrics,
    operate,
    people,
    raise_alert,
    start,
    warnings,
)
from support.firestore import MOST_WRITES, Firestore, failure
from support.firestore_documents import documents
from support.program import phone_number, run
from support.waiting import wait_until, work_per_core
from test_push_apps import register, told

pytestmark = pytest.mark.waits

NOTE = "Insulin is in the fridge"
# Seconds after which a retry must have come, in spite of back-off.
PATIENCE = 150


@pytest.fixture
def firestore(tmp_path):
    service = Firestore(tmp_path)
    yield service
    service.close()


@pytest.fixture
def google(tmp_path):
    service = GoogleService(tmp_path)
    yield service
    service.close()


@pytest.fixture
def pair(make_server, firestore):
    """Ana, and her responder Ben."""
    server = start(make_server, firestore)
    ana, ben = people(server, "Ana", "Ben")
    watch_over(ben, ana)
    return ana, ben


def picture(colour):
    file = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, "PNG")
    return file.getvalue()


def set_note(person, note):
    person.call("PATCH", "/v1/me", {"emergencyNote": note})


def document(firestore, person):
    return documents(firestore).get(person.id, (None, {}))[0]


@pytest.mark.both_engines
def test_profile_picture_and_alerts_are_copied(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    assert document(firestore, ana)["phoneNumber"] == phone_number(1)
    ana.call("PATCH", "/v1/me", {"name": "Ana Maria", "emergencyNote": NOTE})
    ana.put("/v1/me/picture", data=picture("red"), headers={"Content-Type": "image/png"})
    first = raise_alert(ana)
    equals_database(firestore, pair)
    told_now = document(firestore, ana)
    assert told_now["isAlertActive"] and told_now["emergencyNote"] == NOTE
    # The picture's address is the server's, which shows it to contacts only.
    stranger = Client(ana.server)
    path = told_now["profilePictureURL"].removeprefix(PUBLIC_URL)
    assert path.startswith("/v1/pictures/") and stranger.send("GET", path).status_code == 401

    ana.post(f"/v1/alerts/{first}/end")
    second = raise_alert(ana)
    ana.delete("/v1/me/picture")
    equals_database(firestore, pair)
    # The seed's history: the newest alert first.
    history = firestore.client().collection("users").document(ana.id).collection("alerts")
    newest = history.order_by("startTime", direction=Query.DESCENDING)
    assert [item.id for item in newest.stream()] == [second, first]
    active = history.where("isActive", "==", True)
    assert [item.id for item in active.stream()] == [second]
    # The server lists its test numbers, which are the people's.
    lines = ana.server.output().splitlines()
    logs = "\n".join(line for line in lines if not line.startswith("Test number"))
    secrets = [NOTE, "Ana Maria", phone_number(1), *firestore.granted]
    assert not [secret for secret in secrets if secret in logs]


@pytest.mark.both_engines
def test_deleted_account_leaves_no_document(pair, firestore):
    ana, ben = pair
    for _ in range(3):
        call_and_end(ana)
    equals_database(firestore, pair)
    ana.delete("/v1/me", status=204)
    equals_database(firestore, [ben])
    # Deleted while Firestore is away.
    call_and_end(ben)
    equals_database(firestore, [ben])
    firestore.vanish()
    ben.delete("/v1/me", status=204)
    firestore.appear()
    equals_database(firestore, [], PATIENCE)


@pytest.mark.both_engines
def test_administrator_without_the_settings_deletes_the_copy(pair, firestore):
    ana, ben = pair
    server = ana.server
    equals_database(firestore, pair)
    server.stop()
    key = ["--key-file", server.folder / "lifesignal.key"] if server.has_key_file else []
    done = run(
        *("admin", "delete", phone_number(1), "--reason", "Asked by letter"),
        *("--database", server.database, *key),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    server.start_again()
    equals_database(firestore, [ben])


def test_drill_and_check_ins_change_no_document(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    before = document(firestore, ana)
    ana.put(f"/v1/drills/{new_id()}")
    for _ in range(5):
        ana.check_in()
    set_note(ana, "the last change")
    wait_until(
        lambda: document(firestore, ana)["emergencyNote"] == "the last change", 60, "the change"
    )
    changed = {"emergencyNote": None, "version": None}
    assert {**document(firestore, ana), **changed} == {**before, **changed}
    assert documents(firestore)[ana.id][1] == {}


def test_check_ins_send_nothing(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    before = firestore.requests.total()
    for _ in range(20):
        ana.check_in()
    time.sleep(2)
    assert firestore.requests.total() == before


def test_missed_check_in_is_copied(make_server, firestore):
    server = start(make_server, firestore, "--demo-intervals")
    ana, ben = both = people(server, "Ana", "Ben")
    watch_over(ben, ana)
    set_interval(ana, 2)
    ana.check_in()
    wait_until(lambda: ana.get("/v1/alerts")["items"], 30, "a missed check-in")
    equals_database(firestore, both)
    set_interval(ana, 3600)
    ana.check_in()
    equals_database(firestore, both)


@pytest.mark.both_engines
def test_note_can_be_left_out(pair, firestore):
    ana, ben = pair
    set_note(ana, NOTE)
    set_note(ben, "Ben's note")
    equals_database(firestore, pair)
    ana.call("PATCH", "/v1/me", {"leavesNoteOutOfCopy": True})
    assert ana.get("/v1/me")["leavesNoteOutOfCopy"] is True
    equals_database(firestore, pair)
    assert not document(firestore, ana).get("emergencyNote")
    assert document(firestore, ben)["emergencyNote"] == "Ben's note"
    sent = len(firestore.calls)
    set_note(ana, "Another secret")
    call_and_end(ana)
    equals_database(firestore, pair)
    lists = firestore.requests["list"]
    assert operate(firestore, ana.server, "--fill").returncode == 0
    # Everyone's page, and the alerts of two people.
    wait_until(lambda: firestore.requests["list"] >= lists + 3, 60, "everyone's copy", every=0.2)
    assert not any(b"Another secret" in call.body for call in firestore.calls[sent:])
    ana.call("PATCH", "/v1/me", {"leavesNoteOutOfCopy": False})
    equals_database(firestore, pair)
    assert document(firestore, ana)["emergencyNote"] == "Another secret"


def test_everyone_is_copied_when_the_option_comes(make_server, firestore):
    server = make_server("--public-url", PUBLIC_URL).start()
    both = people(server, "Ana", "Ben")
    call_and_end(both[0])
    set_note(both[0], NOTE)
    time.sleep(1)
    assert firestore.calls == [] and metrics(both[0]) == {}
    with_copy = (*server.arguments, *firestore.arguments)
    without, server.arguments = server.arguments, with_copy
    server.stop()
    server.start()
    equals_database(firestore, both)
    # What changes without the option is copied when it returns.
    server.stop()
    server.arguments = without
    server.start()
    sent = len(firestore.calls)
    set_note(both[0], "A note of that time")
    time.sleep(1)
    assert len(firestore.calls) == sent
    server.stop()
    server.arguments = with_copy
    server.start()
    assert operate(firestore, server, "--fill").returncode == 0
    equals_database(firestore, both)


TROUBLES = {
    "429": failure(429, "Quota exceeded."),
    "429 with a time": failure(429, "Quota exceeded.", headers={"Retry-After": "3"}),
    "403": failure(403, "Missing or insufficient permissions."),
    "403 for the project": failure(403, "Cloud Firestore API has not been used in project 1."),
    "401": failure(401, "Request had invalid authentication credentials."),
    "400": failure(400, "Invalid value."),
    "400 for the state": failure(400, "The project is disabled.", status="FAILED_PRECONDITION"),
    "404": failure(404, "The database (default) does not exist for project lifesignal-test."),
    "409": failure(409, "Too much contention on these documents. Please try again."),
    "500": failure(500, "Internal error."),
    "503": failure(503, "The service is temporarily unavailable."),
    "504": failure(504, "Deadline exceeded."),
    "502 of a proxy": (502, "no JSON object", {}),
    **{name: name for name in ("reset", "garbage", "nothing", "lost", "hang")},
}


def failing(pair, firestore, kinds, trouble):
    """Checks that requests of these kinds are repeated after failures. Returns the failed ones."""
    ana, _ = pair
    equals_database(firestore, pair)
    failed = []

    def answer(call):
        if call.kind not in kinds:
            return None
        failed.append(call)
        return trouble

    firestore.answer = answer
    set_note(ana, NOTE)
    call_and_end(ana)
    wait_until(lambda: failed, 30, "a first try")
    ana.check_in()
    firestore.answer = lambda call: None
    equals_database(firestore, pair, PATIENCE)
    return failed


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_failed_commits_are_repeated(pair, firestore, trouble):
    failed = failing(pair, firestore, ["commit"], trouble)
    if "Retry-After" in str(trouble):
        later = [call for call in firestore.commits if call.arrived > failed[-1].arrived]
        assert later[0].arrived - failed[-1].arrived >= 2.9


@pytest.mark.parametrize("name", ["429", "403", "404", "500", "503", "reset", "garbage", "hang"])
def test_failed_reads_are_repeated(pair, firestore, name):
    failing(pair, firestore, ["batchGet", "get", "list", "runQuery", "commit"], TROUBLES[name])


@pytest.mark.parametrize(
    "trouble",
    [(400, {"error": "invalid_grant"}, {}), failure(503), (200, {"hello": 1}, {}), "hang", "reset"],
    ids=str,
)
def test_failures_of_token_exchange_are_retried(make_server, firestore, trouble):
    firestore.answer = lambda call: trouble if call.kind == "token" else None
    server = start(make_server, firestore)
    both = people(server, "Ana", "Ben")
    wait_until(lambda: firestore.requests["token"], 30, "a first try")
    both[0].check_in()
    firestore.answer = lambda call: None
    equals_database(firestore, both, PATIENCE)


def test_ended_token_is_renewed_once(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    assert firestore.requests["token"] == 1
    firestore.granted.clear()
    set_note(ana, NOTE)
    equals_database(firestore, pair)
    assert firestore.requests["token"] == 2


def test_refusal_warns_the_operator(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    assert warnings(ana) == []
    calm = metrics(ana)
    assert {"lifesignal_firestore_waiting", "lifesignal_firestore_lag_seconds"} <= calm.keys()
    firestore.answer = lambda call: failure(403, "Missing or insufficient permissions.")
    set_note(ana, NOTE)
    wait_until(lambda: warnings(ana), 120, "a warning", every=0.5)
    late = metrics(ana)
    assert late["lifesignal_firestore_waiting"] == 1
    assert late["lifesignal_firestore_lag_seconds"] > calm["lifesignal_firestore_lag_seconds"] + 30
    assert NOTE not in str(warnings(ana)) + ana.server.output()
    firestore.answer = lambda call: None
    equals_database(firestore, pair, PATIENCE)
    wait_until(lambda: not warnings(ana), 60, "the end of the warning", every=0.5)


@pytest.mark.parametrize("trouble", ["hang", failure(429, "Quota exceeded.")], ids=str)
@pytest.mark.both_engines
def test_alerts_and_check_ins_do_not_wait(make_server, firestore, google, trouble):
    server = start(make_server, firestore, env=google.environment)
    ana, ben = both = people(server, "Ana", "Ben")
    watch_over(ben, ana)
    token = register(ben, "fcm")
    equals_database(firestore, both)
    firestore.answer = lambda call: trouble
    sent = firestore.requests.total()
    set_note(ana, NOTE)
    wait_until(lambda: firestore.requests.total() > sent, 30, "a request that gets no answer")
    longest = 0
    for _ in range(10):
        began = time.monotonic()
        ana.check_in()
        longest = max(longest, time.monotonic() - began)
    assert longest < work_per_core()
    began = time.monotonic()
    alert = raise_alert(ana)
    told(google, token, "Ana needs help")
    ana.post(f"/v1/alerts/{alert}/end")
    told(google, token, "Ana ended the alert")
    assert time.monotonic() - began < 3 * work_per_core()
    firestore.answer = lambda call: None
    equals_database(firestore, both, PATIENCE)


def rows(database):
    """Returns how many rows wait for Firestore."""
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT COUNT(*) FROM firestore_changes").fetchone()[0]


def test_absence_holds_a_row_for_a_person(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    wait_until(lambda: rows(ana.server.database) == 0, 30, "no row")
    firestore.vanish()
    for index in range(200):
        set_note(ana, f"Note {index}")
    for _ in range(20):
        call_and_end(ana)
    assert rows(ana.server.database) == 1
    written = firestore.writes
    firestore.appear()
    equals_database(firestore, pair, PATIENCE)
    # Ana and her 20 alerts may be written twice.
    assert firestore.writes - written <= 2 * 21
    assert not any(b"Note 198" in call.body for call in firestore.commits)
    wait_until(lambda: rows(ana.server.database) == 0, 30, "no row")


def test_stop_does_not_wait_for_firestore(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    firestore.answer = lambda call: "hang"
    sent = firestore.requests.total()
    set_note(ana, NOTE)
    wait_until(lambda: firestore.requests.total() > sent, 30, "a request")
    code, duration = ana.server.stop()
    assert code == 0 and duration < 15
    firestore.answer = lambda call: None
    ana.server.start_again()
    equals_database(firestore, pair, PATIENCE)


@pytest.mark.both_engines
def test_verify_names_differences_and_fill_repairs(pair, firestore):
    ana, ben = pair
    call_and_end(ana)
    kept = raise_alert(ana)
    call_and_end(ben)
    equals_database(firestore, pair)
    clean = operate(firestore, ana.server, "--verify")
    assert clean.returncode == 0, clean.stdout + clean.stderr

    users = firestore.client().collection("users")
    spoilt = {
        "changed": lambda: users.document(ana.id).update({"name": "Anna"}),
        "one field more": lambda: users.document(ana.id).update({"age": 30}),
        "alert changed": lambda: (
            users.document(ana.id).collection("alerts").document(kept).update({"isActive": False})
        ),
        "alert missing": lambda: (
            users.document(ana.id).collection("alerts").document(kept).delete()
        ),
        "missing": lambda: users.document(ben.id).delete(),
        "extra": lambda: users.document(new_id()).set({"name": "Nobody"}),
        "extra alert": lambda: (
            users.document(ana.id).collection("alerts").document(new_id()).set({"isActive": True})
        ),
        "extra alert of nobody": lambda: (
            users.document(new_id()).collection("alerts").document(new_id()).set({"id": "x"})
        ),
    }
    for what, spoil in spoilt.items():
        spoil()
        verified = operate(firestore, ana.server, "--verify")
        assert verified.returncode != 0, f"{what}: {verified.stdout}"
        assert verified.stdout.strip(), what
        filled = operate(firestore, ana.server, "--fill")
        assert filled.returncode == 0, f"{what}: {filled.stdout}{filled.stderr}"
        equals_database(firestore, pair, PATIENCE)
        again = operate(firestore, ana.server, "--verify")
        assert again.returncode == 0, f"{what}: {again.stdout}{again.stderr}"


def test_verify_fails_without_an_answer(pair, firestore):
    ana, _ = pair
    equals_database(firestore, pair)
    firestore.answer = lambda call: failure(403, "Missing or insufficient permissions.")
    refused = operate(firestore, ana.server, "--verify")
    assert refused.returncode != 0 and "Traceback" not in refused.stderr
    assert "403" in refused.stdout + refused.stderr or "permission" in refused.stderr.lower()


def test_verify_reads_all_pages(make_server, firestore):
    server = start(make_server, firestore, phones=400)
    everyone = people(server, *[f"Person {index}" for index in range(350)])
    equals_database(firestore, everyone, PATIENCE)
    assert operate(firestore, server, "--verify").returncode == 0
    assert firestore.requests["list"] > 2
    last = max(person.id for person in everyone)
    firestore.client().collection("users").document(last).update({"name": "X"})
    assert operate(firestore, server, "--verify").returncode != 0


def test_commits_stay_within_the_limit(pair, firestore):
    ana, _ = pair
    firestore.vanish()
    for _ in range(MOST_WRITES + 10):
        call_and_end(ana)
    firestore.appear()
    equals_database(firestore, pair, PATIENCE)
    assert operate(firestore, ana.server, "--fill").returncode == 0
    equals_database(firestore, pair, PATIENCE)
    assert max(len(call.names) for call in firestore.commits) <= MOST_WRITES
    assert all(call.status in (200, None) for call in firestore.commits)


def test_unusable_settings_are_explained(firestore, tmp_path):
    def doctor(*arguments):
        answer = run("doctor", "--database", tmp_path / "d.sqlite", "--port", 0, *arguments)
        return answer.stdout + answer.stderr

    project, credentials, url = (firestore.arguments[index : index + 2] for index in (0, 2, 4))
    assert "Firestore" in doctor(*project, *credentials, *url)
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    broken.chmod(0o600)
    assert "JSON key file" in doctor(*project, *url, "--firestore-credentials", str(broken))
    assert "can't be read" in doctor(*project, *url, "--firestore-credentials", "/none")
    assert "--firestore-credentials" in doctor(*project, *url)
    firestore.file.chmod(0o644)
    refusal = doctor(*project, *credentials, *url)
    assert "other users can read" in refusal and "chmod" in refusal


def test_new_account_is_copied_once_it_has_a_name(make_server, firestore):
    """The onboarding, which names the copy, saves the name last."""
    server = start(make_server, firestore)
    ben = sign_in(server, phone_number(2), "Ben")
    ana = begin_session(Client(server), phone_number(1))
    ana.call("PATCH", "/v1/me", {"emergencyNote": NOTE})
    equals_database(firestore, [ben])
    ben.call("PATCH", "/v1/me", {"name": "Benno"})
    equals_database(firestore, [ben])
    told = b"".join(call.body for call in firestore.calls)
    assert NOTE.encode() not in told and phone_number(1).encode() not in told
    ana.name = 'Zoë 🦊 \u200d"\\'
    ana.call("PATCH", "/v1/me", {"name": ana.name})
    equals_database(firestore, [ana, ben])
