"""Forged events are refused with a clear status, change nothing, and cause no internal error."""

import pytest
import requests

from support.people import enter, make_member
from support.program import phone_number
from support.web_page import WebPage


class Person:
    """A user with a client of the API, and their browser's cookie."""

    def __init__(self, server, browser, index, name):
        self.api = make_member(server, phone_number(index), name)
        enter(browser, phone_number(index))
        browser.wait(
            lambda: browser.driver.execute_script("return localStorage.user") == self.api.id,
            "the cookie of whoever signed in",
        )
        self.browser = browser

    def page(self, path="/"):
        return WebPage(self.browser.url, self.cookie, path)

    @property
    def cookie(self):
        return self.browser.driver.get_cookie("lifesignal")["value"]

    @property
    def check_ins(self):
        return [item["id"] for item in self.api.pages("/v1/check-ins")]


@pytest.fixture
def people(make_server, make_browser):
    """Ana and Ben. Checks after each test that the server has logged no internal error. Neither may
    have checked in or raised an alert."""
    server = make_server().start()
    ana, ben = (
        Person(server, make_browser(server), index, name)
        for index, name in enumerate(("Ana", "Ben"))
    )
    before = ana.check_ins, ben.check_ins
    yield ana, ben
    assert (ana.check_ins, ben.check_ins) == before
    assert not list(ana.api.pages("/v1/alerts"))
    assert (
        server.is_running
        and "code=internal" not in server.output()
        and "Fatal error" not in server.output()
    )


def test_event_for_another_users_page_is_refused(people):
    ana, ben = people[0].page(), people[1].page()
    press = ana.event("Check in")
    assert ben.send(press, view=ana.view).status_code == 410, "a page of somebody else"
    assert (
        ana.post(
            "/web/events", cookies=ben.cookies, json={"view": ana.view, "events": [press]}
        ).status_code
        == 410
    )
    assert (
        ana.post("/web/events", cookies={}, json={"view": ana.view, "events": [press]}).status_code
        == 401
    )
    assert (
        ana.post(
            "/web/events",
            cookies={"lifesignal": "A" * 43},
            json={"view": ana.view, "events": [press]},
        ).status_code
        == 401
    )
    assert (
        ana.post(
            "/web/queue", cookies=ben.cookies, json={"user": people[0].api.id, "items": []}
        ).status_code
        == 403
    )
    # The stream shows the signed-in user's own page, even if the request names another user's page.
    with ben.get(f"/web/stream?view={ana.view}&generation=1") as stream:
        first = next(
            line for line in stream.iter_lines(decode_unicode=True) if line.startswith("data:")
        )
        assert people[1].api.id in first and people[0].api.id not in first and ana.view not in first


def test_event_for_missing_control_is_refused(people):
    page = people[0].page()
    press = page.event("Check in")
    wrong = [
        {"p": "AAAAAAAA"},
        {"p": ""},
        {"p": "x" * 30_000},
        {"p": "__proto__"},
        {"i": -1},
        {"i": 99},
        {"i": 2**63 - 1},
        {"g": -1},
        {"g": 2**63 - 1},
        {"g": 0},
        {"v": True},
        {"v": "text"},
        {"v": "x" * 9_000},
        {"v": 0.5},
        {"v": -1e308},
    ]
    for number, change in enumerate(wrong, start=1):
        answer = page.send({**press, "n": number, **change})
        assert (answer.status_code, answer.json()) == (200, {"refused": [number]}), change
    # The page has already handled events with these numbers.
    for number in (0, -1, -(2**63), 1):
        assert page.send({**press, "n": number}).status_code == 204


def test_press_on_closed_sheet_is_refused(people):
    ana = people[0]
    page = ana.page()
    opened = page.send(page.event("Schedule"))
    sheet = ana.page()
    close = sheet.event("Cancel")
    assert opened.status_code == 204 and sheet.send(close).status_code == 204
    assert ana.page().send({**close, "g": sheet.generation}).json() == {"refused": [1]}, (
        "the sheet has gone"
    )
    assert sheet.send(close).status_code == 204, "sent again, it is not done again"


def test_malformed_event_is_refused(people):
    page = people[0].page()
    press = page.event("Check in")
    bodies = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b'"x"',
        b"\xff\xfe",
        b"{}" * 10,
        b'{"view":null,"events":[]}',
        b'{"view":1,"events":[]}',
        b'{"view":"x"}',
        b"[" * 50_000,
        b'{"view":"x","events":[' + b"[" * 30_000,
    ]
    for body in bodies:
        assert page.post("/web/events", data=body).status_code == 422, body[:40]
    for change in (
        {"n": "1"},
        {"n": None},
        {"n": 1.5},
        {"n": 2**63},
        {"i": "0"},
        {"i": None},
        {"p": 7},
        {"p": None},
        {"g": {}},
        {"v": []},
        {"v": {"a": 1}},
        {"path": 1},
    ):
        assert page.send({**press, **change}).status_code == 422, change
    for path in (
        "/nowhere",
        "//evil.example",
        "https://evil.example/",
        "\x00",
        "/add/" + "x" * 40_000,
        "/add/%00%ff",
        "javascript:alert(1)",
    ):
        assert page.send({"n": 1, "path": path}).status_code == 204, path
    assert page.post("/web/events", data=b"x" * 140_000).status_code == 413
    # The two dialogs are only the templates: one for an unsent alert, one for the question before
    # an alert.
    assert people[0].page().html.lower().count("<dialog") == 2


def test_forged_files_and_queues_are_refused(people):
    ana = people[0]
    page = ana.page()
    part = page.event("Check in")["p"]
    for number, address in enumerate(
        (
            "x",
            "x.y",
            f"{part}.-1",
            f"{part}.x",
            f"{part}.99999999999999999999",
            "a.b.c",
            "%2e%2e.1",
            "%00.0",
        ),
        start=1,
    ):
        answer = page.post(
            f"/web/files/{address}?view={page.view}&generation=1&number={number}", data=b"x"
        )
        assert answer.status_code == 422 or answer.json() == {"refused": [number]}, address
    assert (
        page.post(
            f"/web/files/{part}.0?view={page.view}&generation=x&number=1", data=b"x"
        ).status_code
        == 422
    )
    good = {
        "kind": "checkIn",
        "id": "11111111-1111-4111-8111-111111111111",
        "at": "2026-03-01T12:00:00.000Z",
    }
    for change in (
        {"id": "x"},
        {"id": 1},
        {"at": "yesterday"},
        {"at": 1},
        {"at": None},
        {"kind": 1},
        {"kind": None},
    ):
        assert (
            page.post(
                "/web/queue", json={"user": ana.api.id, "items": [{**good, **change}]}
            ).status_code
            == 422
        ), change
    for user in ("", "x", people[1].api.id, 1, None):
        assert page.post("/web/queue", json={"user": user, "items": [good]}).status_code in (
            403,
            422,
        ), user
    unknown = page.post(
        "/web/queue", json={"user": ana.api.id, "items": [{**good, "kind": "ping"}]}
    )
    assert (unknown.status_code, unknown.json()) == (200, [])
    for body in ({}, {"view": page.view, "ticket": "x"}, {"view": page.view, "ticket": "A" * 43}):
        assert page.post("/web/session", json=body).status_code in (403, 422), body
    for view in (
        "",
        "?view=x",
        "?generation=1",
        "?view=x&generation=x",
        "?view=x&generation=99999999999999999999",
    ):
        assert page.get(f"/web/stream{view}").status_code == 422, view


def test_unlinked_addresses_are_harmless(people):
    page = people[0].page()
    strange = (
        "/add/<script>alert(1)</script>",
        "/add/%00",
        "/add/%ff%fe",
        "/add/" + "x" * 15_000,
        "/add/..%2f..%2fv1%2fme",
        "/add//",
        "//evil.example/",
        "/?" + "x=1&" * 3_000,
        "/profile/",
        "/PROFILE",
        "/web/pictures/x",
        "/web/pictures/%00",
        "/web/downloads/..%2f..%2fetc%2fpasswd",
        "/web/assets/x/../app.js",
        "/sw.js/x",
    )
    for path in strange:
        answer = page.get(path, Accept="text/html")
        assert answer.status_code in (200, 400, 404, 414, 431), path
        assert "<script>alert" not in answer.text, path
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "NONSENSE"):
        for path in ("/", "/web/events", "/web/queue", "/web/stream?view=x&generation=1"):
            answer = requests.request(
                method,
                page.url + path,
                cookies=page.cookies,
                timeout=30,
                headers={"Origin": "https://evil.example"},
            )
            assert answer.status_code in (200, 400, 404, 405) and not [
                name for name in answer.headers if name.lower().startswith("access-control")
            ], (method, path)


def test_requests_of_other_sites_are_refused(people):
    page = people[0].page()
    body = {"view": page.view, "events": [page.event("Check in")]}
    changes = [
        ("X-LifeSignal", None),
        ("X-LifeSignal", "0"),
        ("Origin", None),
        ("Origin", "null"),
        ("Origin", "https://evil.example"),
        ("Origin", page.url + ".evil.example"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ]
    for name, value in changes:
        for path in ("/web/events", "/web/queue", "/web/session", "/web/files/AAAAAAAA.0"):
            assert page.post(path, headers={name: value}, json=body).status_code == 403, (
                path,
                name,
                value,
            )
    for path in (
        f"/web/stream?view={page.view}&generation=1",
        "/web/pictures/11111111-1111-4111-8111-111111111111",
        "/web/downloads/x",
    ):
        assert page.get(path, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403, path
