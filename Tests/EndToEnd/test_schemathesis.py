"""The server conforms to its own OpenAPI document, according to all checks of Schemathesis.

LIFESIGNAL_EXAMPLES sets the number of random requests per operation (25); LIFESIGNAL_SEED sets the
seed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.api import new_id, set_interval, sign_in, watch_over
from support.program import environment, phone_number
from support.twilio import Twilio

HERE = Path(__file__).parent
EXAMPLES = os.environ.get("LIFESIGNAL_EXAMPLES", "25")
SEED = os.environ.get("LIFESIGNAL_SEED", "1")

# The first three would end the session that other operations need. The last never ends by itself.
# The second test calls all four without a session.
NOT_WITH_THIS_SESSION = ["deleteAccount", "signOut", "endSession", "streamEvents"]


def schemathesis(server, folder, *arguments, known=None):
    """Runs Schemathesis against a server. Prints its report, so that pytest shows it if the test
    fails."""
    command = [
        sys.executable,
        "-m",
        "schemathesis.cli",
        "--config-file",
        str(HERE / "schemathesis.toml"),
        "run",
        f"{server.url}/openapi.json",
        "--checks",
        "all",
        "--seed",
        SEED,
        "--max-examples",
        EXAMPLES,
        "--generation-database",
        "none",
        "--request-timeout",
        "20",
        "--no-color",
        "--warnings",
        "off",
        *arguments,
    ]
    env = {
        **environment(),
        "LIFESIGNAL_KNOWN_IDS": json.dumps(known or {}),
        "PYTHONPATH": str(HERE),
        "NO_PROXY": "*",
    }
    result = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=280
    )
    print(result.stdout[result.stdout.find("= SUMMARY =") :])
    assert result.returncode == 0, result.stdout + result.stderr
    assert server.is_running and "code=internal" not in server.output()


def known_ids(person, friend, helper):
    """For each operation with an id in its path, returns an existing id that `person` can use."""
    picture = friend.get("/v1/me/qr-code.png")
    url = friend.put("/v1/me/picture", data=picture, headers={"Content-Type": "image/png"})[
        "profilePictureURL"
    ]
    friends_alert, own_alert, sent, received = (new_id() for _ in range(4))
    friend.put(f"/v1/alerts/{friends_alert}")
    person.put(f"/v1/alerts/{own_alert}")
    person.put(f"/v1/pings/{sent}", {"dependentID": friend.id})
    helper.put(f"/v1/pings/{received}", {"dependentID": person.id})
    device, check_in = new_id(), new_id()
    person.put(f"/v1/devices/{device}", {"kind": "webhook", "url": "https://example.org/hook"})
    person.check_in(check_in)
    notification = person.get("/v1/notifications")["items"][-1]["id"]
    return {
        "getPicture": url.rsplit("/", 1)[1],
        "getQRCodeOwner": friend.get("/v1/me/qr-code")["id"],
        "checkIn": check_in,
        "changeRoles": friend.id,
        "removeContact": helper.id,
        "ping": sent,
        "respondToPing": received,
        "clearPing": sent,
        "raiseAlert": own_alert,
        "endAlert": own_alert,
        "getAlert": friends_alert,
        "acknowledgeAlert": friends_alert,
        "declineAlert": friends_alert,
        "readNotification": notification,
        "deleteNotification": notification,
        "saveDevice": device,
        "deleteDevice": device,
        "testDevice": device,
    }


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


def test_signed_in_requests_conform(make_server, tmp_path, twilio):
    # A server that can't send text messages refuses invitations with 503.
    server = make_server(
        "--allow-private-webhooks", "--sms", "twilio", env=twilio.environment
    ).start()
    person, friend, helper = (sign_in(server, phone_number(index)) for index in range(3))
    watch_over(person, friend)
    watch_over(helper, person)
    set_interval(person, 7200)
    arguments = [
        part for name in NOT_WITH_THIS_SESSION for part in ("--exclude-operation-id", name)
    ]
    token = ["-H", f"Authorization: Bearer {person.token}"]
    schemathesis(server, tmp_path, *token, *arguments, known=known_ids(person, friend, helper))
    assert person.get("/v1/me")["id"] == person.id


def test_requests_with_ended_session_conform(server, tmp_path):
    """All operations are refused as the document says, including the four that the first test
    omits."""
    person = sign_in(server, phone_number(0))
    person.delete("/v1/auth/sessions/current", status=204)
    schemathesis(
        server,
        tmp_path,
        "-H",
        f"Authorization: Bearer {person.token}",
        "--phases",
        "coverage",
        "--max-examples",
        "5",
    )
