"""The village: one administrator runs the program for all people of a village, with documented
commands only. `make test-village` plays it with 500 people."""

import io
import os
import re
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image
from test_admin import admin, answer
from test_backup import succeeded

from support.api import Client, check_problem, new_id, watch_over
from support.program import run
from support.small_machine import SmallMachine
from support.terminal import Person
from support.waiting import wait_until

# By default more people than an hour's codes to new numbers of a country.
SIZE = int(os.environ.get("LIFESIGNAL_VILLAGE") or 60)
# Twenty minutes of sign-ups pass in a fraction of that, so the requests per minute need the value
# for an event (configuration.md). All other limits have their defaults.
EVENT = {"LIFESIGNAL_REQUESTS_PER_ADDRESS": "10000"}
# Sign-ups at the same time.
HURRY = 8
MAYOR = "+4915112340000"
AUNT = "+4915112340001"
NEWS = "The server moves on Sunday."


def number_of(index):
    return f"+49151123{index:05d}"


def name_of(index):
    """A name without digits, which could not stand in a text message."""
    tens, ones = divmod(index, 26)
    return f"Wim {chr(ord('A') + tens)}{chr(ord('a') + ones)}"


@pytest.fixture
def machine(tmp_path):
    machine = SmallMachine(tmp_path, descriptors=4096, disk=64, memory=1024)
    yield machine
    machine.close()


class Village:
    """`people` sit in a ring: each is the responder of the one before."""

    def __init__(self, server):
        self.server = server
        self.people = []
        # The kind of each administrator's act, in order.
        self.acts = []
        # Shared, because this process may have fewer file descriptors than there are people.
        self.connections = Client(server).session

    def admin(self, command, *arguments, why=None, code=0):
        reason = ("--reason", why) if why else ()
        if why and not code:
            self.acts.append(command)
        return answer(self.server, command, *arguments, *reason, code=code)

    def invite(self, *arguments, why):
        """Returns the secret of a new token."""
        return self.admin("invite", *arguments, why=why)["link"].rpartition("/join/")[2]

    def code(self, number, known=0):
        """Returns the newest code that was sent to a number after `known` others."""
        return wait_until(lambda: self.codes(number)[known:], 30, f"a code for {number}")[-1]

    def codes(self, number):
        return re.findall(rf"\{number}.*?\b(\d{{6}})\b", self.server.output())

    def client(self):
        client = Client(self.server)
        client.session = self.connections
        return client

    def sign_up(self, number, name, token=None):
        client, known = self.client(), len(self.codes(number))
        signing_in = {"phoneNumber": number}
        shown = {"token": token} if token else {}
        asked = client.post("/v1/auth/codes", {**signing_in, **shown}, status=202)
        way = (
            {"code": self.code(number, known)} if asked.get("needsCode", True) else {"token": token}
        )
        client.session_request = {
            **signing_in,
            **way,
            "deviceName": "phone",
            "requestID": asked["requestID"],
        }
        session = client.post("/v1/auth/sessions", client.session_request, status=201)
        client.token, client.id = session["accessToken"], session["userID"]
        client.number, client.name = number, name
        client.call("PATCH", "/v1/me", {"name": name})
        return client

    def listed(self, *search):
        """Returns all people, read page by page."""
        found, after = [], ()
        while True:
            page = self.admin("people", *search, "--limit", "30", *after)
            found += page["people"]
            if "next" not in page:
                return found
            after = ("--after", page["next"])

    def everyone_is_there(self):
        wanted = {person.id: person.name for person in self.people}
        listed = self.listed()
        assert len(listed) == self.size
        assert wanted.items() <= {one["id"]: one["name"] for one in listed}.items()

    @property
    def size(self):
        """The number of accounts, with the mayor's."""
        return len(self.people) + 1

    def replace(self, old, new):
        self.people[self.people.index(old)] = new

    def neighbours(self, person):
        """Returns the people before and after this one."""
        index = self.people.index(person)
        return self.people[index - 1], self.people[(index + 1) % len(self.people)]


def at_once(work, *lists):
    """Does the work for all entries, a few at the same time. Returns the results in order."""
    with ThreadPoolExecutor(HURRY) as workers:
        return list(workers.map(work, *lists))


def readiness(server):
    return Client(server).send("GET", "/health/ready")


def test_village(machine, make_server, tmp_path):
    server = make_server(
        *("--sms", "console", "--operator-contact", "the town hall"),
        phones=0,
        keeps_defaults=True,
        env=EVENT,
        database=machine.disk / "lifesignal.sqlite",
    )
    machine.attach(server)
    village = Village(server.start())
    mayor = first_account_is_the_administrators(village, tmp_path)
    everyone_signs_up_by_one_link(village, tmp_path)
    pages_list_everyone(village)
    invited_aunt_signs_up(village)
    nobody_is_stuck(village)
    lost_phone_is_replaced(village)
    spammer_is_locked_and_deleted(village)
    everyone_hears_the_news(village)
    owner_stops_a_move(village)
    key_is_rotated_under_load(village)
    upgrade_keeps_everyone(village)
    full_disk_recovers(village, machine)
    backup_is_restored_on_another_machine(village, make_server, tmp_path)
    everyone_checks_in_and_is_helped(village)
    assert mayor.call("status")["profile"]["name"] == "Mia"
    log = village.admin("log", "--limit", "200")["entries"]
    assert [entry["act"]["kind"] for entry in reversed(log)] == village.acts


def first_account_is_the_administrators(village, tmp_path):
    server = village.server
    options = Client(server).get("/v1/auth/options")
    assert (options["signUp"], options["sendsCodes"]) == ("invited", True)
    assert options["operatorContact"] == "the town hall"
    link = re.search(r"The first account: (\S+/join/\S+)", server.output())[1]
    mayor = Person(tmp_path / "mayor", MAYOR, server)
    mayor.call(
        *("sign-in", "--server", server.url, "--phone", MAYOR),
        *("--token", link.rpartition("/join/")[2], "--send-code"),
    )
    mayor.call("sign-in", "--server", server.url, "--phone", MAYOR, "--code", village.code(MAYOR))
    mayor.call("profile", "edit", "--name", "Mia")
    return mayor


def everyone_signs_up_by_one_link(village, tmp_path):
    poster = tmp_path / "poster.png"
    token = village.invite("--uses", SIZE, "--note", "Fair", "--qr", poster, why="Village fair")
    assert poster.read_bytes().startswith(b"\x89PNG")

    def arrive(index):
        # `post` fails for a 429.
        person = village.sign_up(number_of(index), name_of(index), token)
        person.check_in()
        return person

    village.people = at_once(arrive, range(1, SIZE + 1))
    at_once(watch_over, village.people[1:] + village.people[:1], village.people)
    [listed] = village.admin("tokens")["tokens"][:1]
    assert (listed["used"], listed["uses"], listed["isUsable"]) == (SIZE, SIZE, False)
    late = {"phoneNumber": number_of(SIZE + 1), "token": token}
    refusal = Client(village.server).post("/v1/auth/codes", late, status=422)
    assert refusal["reason"] == "token-used-up"


def pages_list_everyone(village):
    village.everyone_is_there()
    numbers = [one["phoneNumber"] for one in village.listed()]
    assert numbers == sorted(numbers) and len(set(numbers)) == SIZE + 1
    assert len(village.listed("wim")) == SIZE
    assert [one["name"] for one in village.listed(number_of(7))] == [name_of(7)]
    shown = village.admin("person", number_of(7))
    assert (shown["responders"], shown["reachableResponders"], shown["sessions"]) == (1, 1, 1)
    assert shown["person"]["lastCheckIn"] and shown["person"]["channels"] == ["sms"]


def invited_aunt_signs_up(village):
    """The sign-ups before have not used up the codes of people without the link."""
    first = village.people[0]
    first.post("/v1/invitations", {"name": "Ida", "phoneNumber": AUNT}, status=201)
    aunt = village.sign_up(AUNT, "Ida")
    aunt.check_in()
    watch_over(first, aunt)
    village.people.append(aunt)


def nobody_is_stuck(village):
    words = admin(village.server, "stuck")
    assert succeeded(words) == "Nothing is stuck.\n"


def lost_phone_is_replaced(village):
    old = village.people[2]
    before = len(village.codes(old.number))
    token = village.invite(old.number, why="Lost the phone")
    new = village.sign_up(old.number, old.name, token)
    assert new.id == old.id and len(village.codes(old.number)) == before
    for session in new.pages("/v1/auth/sessions"):
        if not session["isCurrent"]:
            new.delete(f"/v1/auth/sessions/{session['id']}")
    old.get("/v1/me", status=401)
    thief = village.client()
    used = thief.post("/v1/auth/sessions", new.session_request, status=422)
    assert used["reason"] == "token-used-up"
    [act] = new.get("/v1/me/administration")["items"]
    assert (act["kind"], act["reason"]) == ("invite", "Lost the phone")
    village.replace(old, new)


def spammer_is_locked_and_deleted(village):
    spammer, victim = village.people[5], village.people[10]
    code = victim.get("/v1/me/qr-code")["payload"]
    asking = {"code": code, "isResponder": True, "isDependent": False}
    village.admin("lock", spammer.number, why="Asks strangers")
    assert spammer.post("/v1/contacts", asking, status=423)["code"] == "account-locked"
    spammer.check_in()
    before, after = village.neighbours(spammer)
    village.admin("delete", spammer.number, why="Went on")
    spammer.get("/v1/me", status=401)
    assert village.admin("stuck")["people"] == [before.id], "this person's only responder is gone"
    token = village.invite(why="Somebody else has this number now")
    other = village.sign_up(spammer.number, "Eva", token)
    assert other.id != spammer.id
    watch_over(other, before)
    watch_over(after, other)
    village.replace(spammer, other)
    nobody_is_stuck(village)


def everyone_hears_the_news(village):
    village.admin("announce", NEWS, why="Move")

    def has_heard(person):
        return any(item["body"] == NEWS for item in person.get("/v1/notifications")["items"])

    def hears(person):
        return wait_until(lambda: has_heard(person), 60, f"news for {person.name}", every=0.5)

    at_once(hears, village.people)


def owner_stops_a_move(village):
    owner = village.people[4]
    village.admin("move", owner.number, "+4915112390000", why="Lost the SIM, says a caller")
    assert owner.get("/v1/me")["numberMove"]["phoneNumber"] == "+4915112390000"
    assert "move" in village.admin("person", owner.number)
    owner.delete("/v1/me/number-move", status=200)
    assert "move" not in village.admin("person", owner.number)
    assert owner.get("/v1/me")["phoneNumber"] == owner.number


def key_is_rotated_under_load(village):
    key = village.server.database.with_name(village.server.database.name + ".key")
    old = key.read_bytes()
    with ThreadPoolExecutor(HURRY) as pool:
        checks = [pool.submit(person.check_in) for person in village.people]
        village.admin("keys", "rotate", "--reason", "Yearly")
        for check in checks:
            assert check.result()
    village.acts.append("rotate-key")
    assert key.read_bytes() != old


def upgrade_keeps_everyone(village):
    server = village.server
    backup = server.folder / "before-the-upgrade.sqlite"
    succeeded(run("backup", backup, "--verify", "--database", server.database))
    code, _ = server.stop()
    assert code == 0
    server.start_again()
    at_once(lambda person: person.get("/v1/me"), village.people)
    assert "/join/" not in server.output(), "there is an account"


def full_disk_recovers(village, machine):
    """Check-ins have a reserve. Pictures use it up; then the server refuses what it can't store,
    keeps what it has confirmed, and needs no restart."""
    machine.fill()
    # Without a disk of its own, files have a limit that is below the reserve.
    some = village.people if machine.has_disk else []
    kept = at_once(lambda person: (person, person.check_in()["id"]), some)
    wait_until(lambda: store_pictures(village), 60, "a refusal")
    assert len(village.listed()) == village.size, "reads work"
    machine.empty()
    wait_until(lambda: readiness(village.server).status_code == 200, 30, "ready again", every=0.2)
    at_once(lambda person: person.check_in(), village.people)
    for person, id in kept:
        assert id in [item["id"] for item in person.get("/v1/check-ins")["items"]]


def store_pictures(village):
    """Stores a picture for everyone. Returns whether the server has refused one."""
    picture = io.BytesIO()
    Image.effect_noise((1000, 1000), 100).save(picture, "JPEG", quality=95)
    headers = {"Content-Type": "image/jpeg"}

    def store(person):
        sent = person.send("PUT", "/v1/me/picture", data=picture.getvalue(), headers=headers)
        if not sent.ok:
            assert sent.status_code == 503 and sent.headers["Retry-After"], sent.text
            assert check_problem(sent)["code"] == "unavailable"
        return not sent.ok

    return any(at_once(store, village.people))


def backup_is_restored_on_another_machine(village, make_server, tmp_path):
    old, elsewhere = village.server, tmp_path / "another-machine"
    elsewhere.mkdir()
    backup = tmp_path / "village.sqlite"
    said = succeeded(run("backup", backup, "--verify", "--database", old.database))
    assert f"Verified: {village.size} people" in said
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT COUNT(*) FROM users").fetchone() == (village.size,)
    connection.close()
    old.stop()
    key, database = elsewhere / "server.key", elsewhere / "lifesignal.sqlite"
    # As `install -m 600` does it.
    shutil.copyfile(f"{backup}.key", key)
    key.chmod(0o600)
    succeeded(run("restore", backup, "--database", database, "--key-file", key))
    new = make_server(
        *(*old.arguments, "--key-file", key),
        phones=0,
        keeps_defaults=True,
        env=EVENT,
        database=database,
    )
    village.server = new.start()
    assert new.url == old.url, "as behind the same name"
    village.everyone_is_there()


def everyone_checks_in_and_is_helped(village):
    at_once(lambda person: person.check_in(), village.people)
    owner = village.people[0]
    _, responder = village.neighbours(owner)
    alert = owner.put(f"/v1/alerts/{new_id()}")["id"]
    told = f"{responder.name} by sms: accepted"
    wait_until(
        lambda: told in succeeded(admin(village.server, "alert", alert)), 30, told, every=0.2
    )
    taken = responder.post(f"/v1/alerts/{alert}/acknowledgement")
    assert taken["acknowledgement"]["responderId"] == responder.id
    owner.post(f"/v1/alerts/{alert}/end")
    assert not responder.get(f"/v1/alerts/{alert}")["isActive"]
    village.everyone_is_there()
    nobody_is_stuck(village)
