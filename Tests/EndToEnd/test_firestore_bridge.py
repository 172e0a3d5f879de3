"""The stand-in for Firestore itself: Google's clients can use it, and it refuses what Google's
service refuses."""

import time

import google.auth.transport.requests
import pytest
import requests
from google.cloud.firestore import Query
from google.oauth2.service_account import Credentials

from support.api import seconds
from support.firestore import SCOPE, Firestore, failure

DATABASE = f"projects/{Firestore.PROJECT}/databases/(default)"
DOCUMENTS = f"{DATABASE}/documents"
TIMES = ["2026-11-26T10:00:00.123Z", "2026-11-26T11:00:00Z", "2026-11-26T09:00:00Z"]


@pytest.fixture
def firestore(tmp_path):
    service = Firestore(tmp_path)
    yield service
    service.close()


@pytest.fixture
def session(firestore):
    """A session with a token that Google's library has asked for."""
    account = Credentials.from_service_account_file(str(firestore.file), scopes=[SCOPE])
    account.refresh(google.auth.transport.requests.Request())
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {account.token}"
    return session


def user(id, **fields):
    return {"update": {"name": f"{DOCUMENTS}/users/{id}", "fields": fields}}


def alert(owner, id, start):
    fields = {
        "id": {"stringValue": id},
        "startTime": {"timestampValue": start},
        "endTime": {"nullValue": None},
        "isActive": {"booleanValue": True},
    }
    return {"update": {"name": f"{DOCUMENTS}/users/{owner}/alerts/{id}", "fields": fields}}


def commit(firestore, session, *writes, **more):
    address = f"{firestore.url}/v1/{DOCUMENTS}:commit"
    return session.post(address, json={"writes": writes, **more}, timeout=30)


def get(firestore, session, path, **parameters):
    address = f"{firestore.url}/v1/{DOCUMENTS}/{path}"
    return session.get(address, params=parameters, timeout=30)


def test_googles_client_reads_commits_and_queries_history(firestore, session):
    alerts = [alert("ana", f"a{index}", start) for index, start in enumerate(TIMES)]
    answer = commit(firestore, session, user("ana", name={"stringValue": "Ana"}), *alerts)
    assert answer.status_code == 200 and len(answer.json()["writeResults"]) == 4
    ana = firestore.client().collection("users").document("ana")
    assert ana.get().to_dict() == {"name": "Ana"}
    newest = ana.collection("alerts").order_by("startTime", direction=Query.DESCENDING)
    assert [item.id for item in newest.stream()] == ["a1", "a0", "a2"]
    assert [item.id for item in newest.limit(1).stream()] == ["a1"]
    first = newest.limit(2).get()[1].to_dict()
    assert first["startTime"].timestamp() == seconds(TIMES[0]) and first["endTime"] is None
    assert firestore.requests == {"token": 1, "commit": 1} and firestore.writes == 4


def test_lists_have_pages_and_missing_documents(firestore, session):
    users = [user(f"u{index}") for index in range(5)]
    commit(firestore, session, *users, alert("gone", "a1", TIMES[0]))
    found, token = [], ""
    while True:
        page = get(firestore, session, "users", pageSize=2, pageToken=token).json()
        found += [document["name"].rsplit("/", 1)[1] for document in page["documents"]]
        token = page.get("nextPageToken")
        if not token:
            break
    assert found == ["u0", "u1", "u2", "u3", "u4"]
    page = get(firestore, session, "users", showMissing="true").json()
    assert page["documents"][0] == {"name": f"{DOCUMENTS}/users/gone"}
    assert get(firestore, session, "users/gone").status_code == 404
    assert get(firestore, session, "users/u1").json()["name"] == f"{DOCUMENTS}/users/u1"
    listed = firestore.client().collection("users").list_documents(page_size=2)
    assert [item.id for item in listed] == ["gone", "u0", "u1", "u2", "u3", "u4"]
    names = [f"{DOCUMENTS}/users/{id}" for id in ("u1", "gone")]
    answer = session.post(
        f"{firestore.url}/v1/{DOCUMENTS}:batchGet", json={"documents": names}, timeout=30
    ).json()
    assert answer[0]["found"]["name"] == names[0] and answer[1]["missing"] == names[1]


@pytest.mark.parametrize(
    "write",
    [
        {"upsert": {}},
        user("ana", name={"stringValue": 1}),
        user("ana", name={"text": "Ana"}),
        user("ana", name={}),
        user("ana", age={"integerValue": "old"}),
        user("ana", since={"timestampValue": "yesterday"}),
        user("ana/alerts"),
        {"update": {"name": "users/ana", "fields": {}}},
        {"delete": f"{DOCUMENTS}/users"},
        {**user("ana"), "updateMask": ["name"]},
        user("ana", note={"stringValue": "x" * 1_100_000}),
    ],
    ids=lambda write: str(write)[:80],
)
def test_malformed_writes_are_refused(firestore, session, write):
    answer = commit(firestore, session, user("ben"), write)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert list(firestore.client().collection("users").stream()) == [], "a commit is atomic"


def test_limits_and_addresses(firestore, session):
    assert commit(firestore, session, *[user("ana")] * 500).status_code == 200
    assert commit(firestore, session, *[user("ana")] * 501).status_code == 400
    assert commit(firestore, session, more=1).status_code == 400
    assert get(firestore, session, "users", pageSizes=2).status_code == 400
    other = f"{firestore.url}/v1/{DOCUMENTS}:commit".replace("(default)", "other")
    assert session.post(other, json={"writes": []}, timeout=30).status_code == 404


def test_condition_must_hold(firestore, session):
    existing = {**user("ana"), "currentDocument": {"exists": True}}
    answer = commit(firestore, session, user("ben"), existing)
    assert answer.status_code == 404 and get(firestore, session, "users/ben").status_code == 404


def test_version_must_match(firestore, session):
    commit(firestore, session, user("ana"))
    version = get(firestore, session, "users/ana").json()["updateTime"]
    write = {**user("ana"), "currentDocument": {"updateTime": version}}
    assert commit(firestore, session, write).status_code == 200
    late = commit(firestore, session, write)
    assert late.status_code == 400, late.text


def test_only_granted_tokens_count(firestore, session):
    assert commit(firestore, requests.Session(), user("ana")).status_code == 401
    firestore.token_seconds = 0
    account = Credentials.from_service_account_file(str(firestore.file), scopes=[SCOPE])
    account.refresh(google.auth.transport.requests.Request())
    session.headers["Authorization"] = f"Bearer {account.token}"
    assert commit(firestore, session, user("ana")).status_code == 401


@pytest.mark.parametrize("scopes", [[], ["https://www.googleapis.com/auth/firebase.messaging"]])
def test_token_needs_the_scope(firestore, scopes):
    account = Credentials.from_service_account_file(str(firestore.file), scopes=scopes)
    with pytest.raises(google.auth.exceptions.RefreshError, match="invalid_grant"):
        account.refresh(google.auth.transport.requests.Request())


def test_foreign_and_expired_assertions_get_no_token(firestore, tmp_path):
    def answer(**changed):
        now = int(time.time())
        claims = {"iss": Firestore.EMAIL, "scope": SCOPE, "aud": f"{firestore.url}/token"}
        claims |= {"iat": now, "exp": now + 3600} | changed
        form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}
        form["assertion"] = google.auth.jwt.encode(signer, claims)
        return requests.post(f"{firestore.url}/token", data=form, timeout=30).status_code

    folder = tmp_path / "other"
    folder.mkdir()
    other = Firestore(folder)
    own, foreign = (
        google.auth.crypt.RSASigner.from_service_account_info(service.account)
        for service in (firestore, other)
    )
    other.close()
    now = int(time.time())
    signer = own
    assert answer() == 200
    assert answer(aud="https://example.org/token") == 400
    assert answer(iat=now - 7200, exp=now - 3600) == 400
    assert answer(exp=now + 7200) == 400
    assert answer(iss="someone@example.org") == 400
    signer = foreign
    assert answer() == 400


def test_documents_survive_a_kill(firestore, session):
    commit(firestore, session, user("ana"))
    firestore.kill_emulator()
    assert commit(firestore, session, user("ben")).status_code == 503
    firestore.start_emulator()
    commit(firestore, session, user("cleo"))
    assert [item.id for item in firestore.client().collection("users").stream()] == ["ana", "cleo"]
    firestore.vanish()
    with pytest.raises(requests.ConnectionError):
        commit(firestore, session, user("dan"))
    firestore.appear()
    assert get(firestore, session, "users/cleo").status_code == 200


def test_failures_are_given_as_told(firestore, session):
    firestore.answer = lambda call: failure(429, "Quota exceeded.", headers={"Retry-After": "3"})
    answer = commit(firestore, session, user("ana"))
    assert answer.status_code == 429 and answer.headers["Retry-After"] == "3"
    assert answer.json()["error"]["status"] == "RESOURCE_EXHAUSTED"
    for trouble in ("reset", "nothing", "garbage", "lost"):
        firestore.answer = lambda call, trouble=trouble: trouble
        with pytest.raises(requests.RequestException):
            commit(firestore, session, user(trouble))
    firestore.answer = lambda call: "hang"
    with pytest.raises(requests.Timeout):
        session.get(f"{firestore.url}/v1/{DOCUMENTS}/users/ana", timeout=0.2)
    firestore.answer = lambda call: None
    stored = [item.id for item in firestore.client().collection("users").stream()]
    assert stored == ["lost"], "only this request took effect"
