"""Buttons and programs that check in without the app, with the requests that they send."""

import time

import pytest
import requests

from support.api import TIMEOUT, Client, check_problem, seconds, set_interval, sign_in, watch_over
from support.program import phone_number
from support.terminal import USAGE, Person

UNKNOWN = "/s/" + "A" * 43


@pytest.fixture
def ana(server):
    return sign_in(server, phone_number(0), "Ana")


@pytest.fixture
def button(server, ana):
    return add(server, ana, "Kitchen button")


def add(server, person, name):
    """Returns the path of the new source's address."""
    address = person.post("/v1/sources", {"name": name}, status=201)["address"]
    path = address[address.index("/s/") :]
    assert len(path) == len(UNKNOWN)
    return path


def sources_of(person):
    return person.get("/v1/sources")["items"]


def history_of(person):
    return person.get("/v1/check-ins")["items"]


def test_post_checks_in(server, ana, button):
    answer = requests.post(server.url + button, data="pressed", timeout=TIMEOUT)
    assert answer.status_code == 200 and answer.text.startswith("Recorded. Next check-in by ")
    assert answer.headers["content-type"].startswith("text/plain")
    [record] = history_of(ana)
    assert record["source"] == "Kitchen button"
    profile = ana.get("/v1/me")
    assert profile["nextCheckInTime"] == record["nextCheckInTime"]
    [source] = sources_of(ana)
    assert source["name"] == "Kitchen button"
    assert seconds(source["lastUsedAt"]) == pytest.approx(time.time(), abs=60)
    ana.check_in()
    assert "source" not in history_of(ana)[0], "the person's own check-in"


def test_source_ends_a_missed_check_in(make_server):
    server = make_server("--demo-intervals").start()
    ana, ben = (sign_in(server, phone_number(number)) for number in range(2))
    watch_over(ben, ana)
    button = add(server, ana, "Button")
    set_interval(ana, 1)
    ana.check_in()
    end = time.monotonic() + 30
    while not ben.get("/v1/alerts?open=true")["items"]:
        assert time.monotonic() < end, "no alert"
        time.sleep(0.1)
    set_interval(ana, 3600)
    assert requests.post(server.url + button, timeout=TIMEOUT).status_code == 200
    assert not ben.get("/v1/alerts?open=true")["items"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods_record_nothing(server, ana, button, method):
    for accepted in ("*/*", "text/html"):
        answer = requests.request(
            method, server.url + button, headers={"Accept": accepted}, timeout=TIMEOUT
        )
        assert answer.status_code == 405 and answer.headers["allow"] == "POST"
        assert method == "HEAD" or check_problem(answer)["detail"] == "This address takes POST."
    assert history_of(ana) == []


def test_second_use_in_a_minute_changes_nothing(server, ana, button):
    assert requests.post(server.url + button, timeout=TIMEOUT).status_code == 200
    before = (ana.get("/v1/me"), history_of(ana), sources_of(ana))
    answer = requests.post(server.url + button, timeout=TIMEOUT)
    assert check_problem(answer)["code"] == "rate-limited" and answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert (ana.get("/v1/me"), history_of(ana), sources_of(ana)) == before
    tag = add(server, ana, "Door tag")
    assert requests.post(server.url + tag, timeout=TIMEOUT).status_code == 200


@pytest.mark.parametrize("path", [UNKNOWN, "/s/x", "/s/%00", UNKNOWN + "A"])
def test_unknown_address_is_not_found(server, path):
    answer = requests.post(server.url + path, timeout=TIMEOUT)
    assert answer.status_code == 404 and check_problem(answer)["code"] == "not-found"


def test_guesses_count_against_the_network_address(make_server):
    server = make_server("--requests-per-address", "60").start()
    guesser = Client(server)
    statuses = [guesser.send("POST", UNKNOWN).status_code for _ in range(60)]
    assert statuses[0] == 404 and statuses[-1] == 429, statuses


def test_removed_source_and_the_limit(server, ana, button):
    for number in range(2, 11):
        add(server, ana, f"Button {number}")
    problem = ana.post("/v1/sources", {"name": "Button 11"}, status=422)
    assert (problem["field"], problem["reason"]) == ("name", "sources-full")
    first = sources_of(ana)[0]
    ana.delete(f"/v1/sources/{first['id']}", status=204)
    assert requests.post(server.url + button, timeout=TIMEOUT).status_code == 404
    ana.delete(f"/v1/sources/{first['id']}", status=404)
    assert len(sources_of(ana)) == 9


def test_others_see_nothing_of_it(server, ana, button):
    ben = sign_in(server, phone_number(1), "Ben")
    [source] = sources_of(ana)
    assert sources_of(ben) == []
    ben.delete(f"/v1/sources/{source['id']}", status=404)
    export = ana.get("/v1/me/export")
    assert export["sources"] == [source]
    assert button.removeprefix("/s/") not in str(export)


def test_other_devices_are_told(server, ana):
    tablet = sign_in(server, phone_number(0), "Ana")
    tablet.post("/v1/sources", {"name": "Door tag"}, status=201)
    titles = [item["title"] for item in ana.get("/v1/notifications")["items"]]
    assert "A source can check in for you" in titles


def test_terminal(server, tmp_path):
    ana = Person(tmp_path / "ana", phone_number(0), server).sign_in("Ana")
    assert ana.call("sources")["sources"] == []
    added = ana.call("sources", "add", "Kitchen button")["source"]
    path = added["address"][added["address"].index("/s/") :]
    assert requests.post(server.url + path, timeout=TIMEOUT).status_code == 200
    assert " by Kitchen button." in ana.say("status")
    said = ana.say("sources")
    assert "Kitchen button (checked in " in said and path not in said
    error = ana.call("sources", "add", "a" * 41, code=USAGE)
    assert error["code"] == "invalid-argument"
    assert ana.call("sources", "remove", "Door", code=USAGE)["code"] == "no-such-source"
    for _ in range(2):
        ana.call("sources", "add", "Lamp")
    error = ana.call("sources", "remove", "lamp", code=USAGE)
    lamps = [source["id"] for source in ana.call("sources")["sources"] if source["name"] == "Lamp"]
    assert error["code"] == "ambiguous-source" and len(lamps) == 2
    assert all(lamp in error["message"] for lamp in lamps), error
    for lamp in lamps:
        ana.call("sources", "remove", lamp)
    assert ana.call("sources", "remove", "kitchen button")["state"] == "done"
    assert ana.call("sources")["sources"] == []
    assert requests.post(server.url + path, timeout=TIMEOUT).status_code == 404
