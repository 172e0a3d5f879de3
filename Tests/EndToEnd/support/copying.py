"""Servers that copy profiles and alerts to the stand-in for Firestore."""

from collections import Counter

from support.api import new_id, sign_in
from support.firestore_documents import differences
from support.program import phone_number, run
from support.waiting import wait_until

# Pictures have the same URL after a restart at another port.
PUBLIC_URL = "https://lifesignal.example.org"


def start(make_server, firestore, *arguments, **options):
    address = [] if "--public-url" in arguments else ["--public-url", PUBLIC_URL]
    return make_server(*firestore.arguments, *address, *arguments, **options).start()


def people(server, *names):
    return [sign_in(server, phone_number(index), name) for index, name in enumerate(names, 1)]


def equals_database(firestore, people, timeout=60):
    """Waits until every document equals the database."""
    last = []

    def is_equal():
        last[:] = differences(firestore, people)
        return not last

    try:
        wait_until(is_equal, timeout, "documents equal to the database", every=0.3)
    except AssertionError as error:
        raise AssertionError(f"{error}: {last[:5]}") from None


def raise_alert(person):
    alert = new_id()
    person.put(f"/v1/alerts/{alert}")
    return alert


def call_and_end(person):
    person.post(f"/v1/alerts/{raise_alert(person)}/end")


def operate(firestore, server, *arguments):
    """Runs `lifesignal firestore` with a server's settings."""
    key = ["--key-file", server.folder / "lifesignal.key"] if server.has_key_file else []
    return run(
        *("firestore", *arguments, "--database", server.database, *key),
        *("--public-url", PUBLIC_URL, *firestore.arguments),
        env=server.env,
        timeout=300,
    )


def warnings(person):
    ready = person.get("/health/ready")
    assert ready["problems"] == [], ready
    return [text for text in ready["warnings"] if "Firestore" in text]


def metrics(person):
    """Returns the metrics about Firestore by name, added up over their labels."""
    figures = Counter()
    for line in person.send("GET", "/metrics").text.splitlines():
        if line.startswith("lifesignal_firestore"):
            name, _, value = line.rpartition(" ")
            figures[name.partition("{")[0]] += float(value)
    return figures
