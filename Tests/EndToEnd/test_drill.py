"""A drill of the whole escalation ladder, with two terminals, a browser's button and a call."""

import json
import subprocess
from xml.etree import ElementTree

import pytest
import requests
from support.api import new_id, sign_in, watch_over
from support.program import phone_number
from support.push import PushService
from support.terminal import DONE, REFUSED, Person
from support.twilio import AUTH_TOKEN, PUBLIC_URL, Twilio
from support.waiting import wait_until
from twilio.request_validator import RequestValidator


@pytest.fixture
def pair(make_server, tmp_path):
    """Ana, and Ben, who watches over her."""
    server = make_server().start()
    ana, ben = (
        Person(tmp_path / name, phone_number(index), server).sign_in(name)
        for index, name in enumerate(["Ana", "Ben"])
    )
    ana.call("qr", "save", tmp_path / "ana.png")
    ben.call("contacts", "add", tmp_path / "ana.png", "--dependent")
    return ana, ben


def test_drill_between_two_terminals(pair):
    ana, ben = pair
    assert ben.call("drill", "answer", code=REFUSED)["code"] == "no-drill"
    assert "no drill" in ana.say("drill", "status")
    running = ana.start("drill", stdout=subprocess.PIPE, text=True)
    assert "Asked: Ben" in running.stdout.readline()
    # Other commands of the same home work meanwhile.
    ana.call("check-in")
    assert "This is a drill by Ana" in ben.say("drill", "status")
    assert "DRILL  This is a drill by Ana" in ben.say("status")
    assert "DRILL" in ben.say("notifications")
    assert "Ana sees that the drill reached you" in ben.say("drill", "answer")
    rest, _ = running.communicate(timeout=60)
    assert running.returncode == DONE
    assert "Ben: Got it, in LifeSignal, after " in rest
    assert "1 of 1 has answered. Everyone has answered. The drill is over." in rest
    assert ana.call("drill", "status")["own"]["end"] == "everyoneAnswered"
    refusal = ana.call("drill", code=REFUSED)
    assert "24 hours" in json.dumps(refusal)
    assert ben.call("status")["openAlerts"] == [] and ana.call("status")["openAlerts"] == []


def test_watch_shows_drills_of_others(pair):
    ana, ben = pair
    with ben.watch() as watch:
        watch.until("online")
        drill = ana.call("drill", "start", "--no-wait")["drill"]["id"]
        assert watch.until("drill-asked")["drillID"] == drill
        [shown] = ben.call("status")["drillsToAnswer"]
        assert shown["id"] == drill
        ben.call("drill", "answer")
        assert watch.until("drill-ended")["drillID"] == drill
        # The watch steps aside for commands, and then asks no second time.
        assert [line["event"] for line in watch.seen].count("drill-asked") == 1
    assert ben.call("status")["drillsToAnswer"] == []


def test_drill_can_be_stopped_and_needs_responder(pair):
    ana, ben = pair
    assert "responder" in json.dumps(ben.call("drill", code=REFUSED))
    assert ana.call("drill", "start", "--no-wait")["drill"]["answers"][0]["name"] == "Ben"
    assert ana.call("drill", "stop")["drill"]["end"] == "stopped"
    assert ana.call("drill", "stop", code=REFUSED)["code"] == "no-drill"


@pytest.mark.both_engines
def test_drill_asks_a_browser(make_server):
    server = make_server("--allow-private-webhooks").start()
    ana, ben = (sign_in(server, phone_number(index), name) for index, name in [(1, "A"), (2, "B")])
    watch_over(ben, ana)
    service = PushService()
    try:
        browser = service.browser("/ben")
        browser.register(ben, new_id())
        drill = ana.put(f"/v1/drills/{new_id()}")
        message = wait_until(
            lambda: next((m for m in service.read(browser) if "DRILL" in m["title"]), None),
            10,
            "the drill",
        )
        assert message["type"] == "system" and "alertID" not in message
        assert message["actions"] == ["confirmDrill"]
        asked = ben.get("/v1/drills")["asked"]
        assert [one["notificationID"] for one in asked] == [message["id"]]
        ben.post(f"/v1/drills/{asked[0]['id']}/answer", {"channel": "webPush"})
        own = ana.get("/v1/drills")["own"]
        assert own["id"] == drill["id"] and own["end"] == "everyoneAnswered"
        assert own["answers"][0]["channel"] == "webPush"
        assert ben.get("/v1/alerts")["items"] == []
    finally:
        service.close()


def test_drill_is_answered_by_call(make_server):
    twilio = Twilio()
    try:
        server = make_server(
            "--voice", "twilio", "--public-url", PUBLIC_URL, env=twilio.environment
        ).start()
        twilio.lifesignal = server
        ana, ben = (
            sign_in(server, phone_number(index), name) for index, name in [(1, "Ana"), (2, "Ben")]
        )
        watch_over(ben, ana)
        # Ben can only be reached by phone, so he is called at once.
        ana.put(f"/v1/drills/{new_id()}")
        call = wait_until(lambda: [m for m in twilio.messages if "Url" in m], 30, "a call")[0]
        first = ask(server, call["Url"], {"CallSid": "CA1", "CallStatus": "in-progress"})
        said = " ".join(say.text for say in first.iter("Say"))
        assert "only a drill" in said and "Ana does not need help" in said
        assert "alert" not in said and "take it on" not in said
        key = first.find("Gather").get("action")
        again = ask(server, key, {"CallSid": "CA1", "Digits": "2"})
        assert "only a drill" in again.find("Gather").find("Say").text
        for _ in range(2):
            pressed = ask(server, key, {"CallSid": "CA1", "Digits": "1"})
            assert "The drill has reached you" in pressed.find("Say").text
        own = ana.get("/v1/drills")["own"]
        assert own["answers"][0]["channel"] == "voice" and own["end"] == "everyoneAnswered"
        reachability = ana.get("/v1/contacts")["items"][0]["reachability"]
        assert (reachability["state"], reachability["channel"]) == ("proven", "voice")
    finally:
        twilio.close()


def ask(server, url, fields):
    """Sends a request as Twilio, signed by Twilio's own helper."""
    signed = RequestValidator(AUTH_TOKEN).compute_signature(url, fields)
    answer = requests.post(
        server.url + url.removeprefix(PUBLIC_URL),
        data=fields,
        headers={"X-Twilio-Signature": signed},
        timeout=10,
    )
    assert answer.status_code == 200, answer.text
    return ElementTree.fromstring(answer.text)
