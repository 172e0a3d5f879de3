"""A small client of the HTTP API, written from the API's description and not from the program's
code."""

import time
import uuid
from datetime import UTC, datetime

import requests

from support.program import CODE

TIMEOUT = 30
PROBLEM_FIELDS = {"type", "title", "status", "detail", "code", "requestID"}


def new_id():
    return str(uuid.uuid4())


def timestamp(seconds=None):
    """Returns a time as RFC 3339 with milliseconds; the current time by default."""
    moment = datetime.fromtimestamp(time.time() if seconds is None else seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(text):
    return datetime.fromisoformat(text).timestamp()


def check_problem(response):
    assert response.headers.get("content-type") == "application/problem+json", response.headers
    problem = response.json()
    missing = PROBLEM_FIELDS - problem.keys()
    assert not missing, f"{missing} missing in {problem}"
    assert problem["status"] == response.status_code and problem["type"].startswith("urn:"), problem
    assert response.status_code != 422 or problem.get("field"), problem
    return problem


class Client:
    """Calls a server. `server` needs only a `url`, which may change when the server restarts."""

    def __init__(self, server, token=None):
        self.server = server
        self.token = token
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, method, path, json=None, **options):
        headers = {
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
            **options.pop("headers", {}),
        }
        options.setdefault("timeout", TIMEOUT)
        return self.session.request(
            method, self.server.url + path, json=json, headers=headers, **options
        )

    def call(self, method, path, json=None, status=None, **options):
        """Returns the JSON of the answer. Fails unless the status is `status`, or a success if
        `status` is None."""
        response = self.send(method, path, json, **options)
        expected = response.status_code == status if status else response.ok
        assert expected, f"{method} {path} → {response.status_code} {response.text[:500]}"
        if not response.ok:
            return check_problem(response)
        is_json = response.headers.get("content-type", "").startswith("application/json")
        return response.json() if is_json else response.content

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def put(self, path, json=None, **options):
        return self.call("PUT", path, json, **options)

    def post(self, path, json=None, **options):
        return self.call("POST", path, json, **options)

    def delete(self, path, **options):
        return self.call("DELETE", path, **options)

    def pages(self, path, limit=200):
        """Yields the items of a list, newest first, page by page."""
        before = ""
        while True:
            page = self.get(f"{path}?limit={limit}{before}")
            yield from page["items"]
            if "next" not in page:
                return
            before = f"&before={page['next']}"

    def check_in(self, id=None, at=None):
        return self.put(f"/v1/check-ins/{id or new_id()}", {"occurredAt": timestamp(at)})


def begin_session(client, number):
    """Signs the client in with this test number, without a name."""
    client.post("/v1/auth/codes", {"phoneNumber": number}, status=202)
    return enter_code(client, number, CODE)


def enter_code(client, number, code):
    tokens = client.post(
        "/v1/auth/sessions",
        {"phoneNumber": number, "code": code, "deviceName": "end-to-end"},
        status=201,
    )
    client.token, client.refresh_token, client.id = (
        tokens["accessToken"],
        tokens["refreshToken"],
        tokens["userID"],
    )
    return client


def sign_in(server, number, name=None):
    """Returns a signed-in client for this test number, with the user's `id` and `name`."""
    client = begin_session(Client(server), number)
    client.name = name or f"Person {number[-4:]}"
    client.call("PATCH", "/v1/me", {"name": client.name})
    return client


def watch_over(responder, dependent):
    """Makes `responder` a responder of `dependent`, using the dependent's code."""
    code = dependent.get("/v1/me/qr-code")["payload"]
    return responder.post(
        "/v1/contacts", {"code": code, "isResponder": False, "isDependent": True}, status=201
    )


def set_interval(client, interval):
    settings = {
        "intervalSeconds": interval,
        "remindTwoHoursBefore": False,
        "remindThirtyMinutesBefore": False,
    }
    return client.put("/v1/me/check-in-settings", settings)
