"""Someone without LifeSignal is invited by keyboard, and answers on the link's page."""

import re

import pytest
from selenium.webdriver.common.keys import Keys
from support.api import sign_in
from support.people import come_back
from support.program import phone_number
from support.twilio import Twilio
from support.waiting import wait_until

MIA = "+442071838750"


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


def invitation(twilio):
    """Returns the path and fragment of the link in the first message to Mia."""
    texts = wait_until(
        lambda: [text["Body"] for text in twilio.messages if text["To"] == MIA], 30, "the message"
    )
    return re.search(r"https?://[^/]+(/i#\S+)", texts[0])[1]


def test_invited_person_accepts(make_server, make_browser, twilio):
    server = make_server("--sms", "twilio", env=twilio.environment).start()
    ana = make_browser(server)
    ana.device = come_back(server, ana, phone_number(1), "Ana")
    ana.open("/responders")
    ana.see("Someone without LifeSignal")
    name = ana.find("#invited-name")
    name.send_keys("Mia 24", Keys.TAB, MIA, Keys.ENTER)
    ana.see("without digits, links or symbols")
    assert ana.serious_findings() == []
    name = ana.find("#invited-name")
    name.clear()
    name.send_keys("Mia", Keys.ENTER)
    ana.see("no answer yet")
    mia = make_browser(server)
    mia.open(invitation(twilio))
    mia.see("Ana asks for your help")
    assert mia.serious_findings() == []
    mia.button("Yes, tell me").send_keys(Keys.ENTER)
    mia.see("You are told when Ana needs help")
    assert mia.serious_findings() == []
    ana.see("said yes")
    assert ana.serious_findings() == [] and ana.complaints() == []


def test_long_name_fits_large_letters(make_server, make_browser, twilio):
    server = make_server("--sms", "twilio", env=twilio.environment).start()
    name = "Margaret Fernandez-Olschlaeger"
    ana = sign_in(server, phone_number(1), name)
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    mia = make_browser(server)
    mia.open(invitation(twilio))
    mia.see(f"{name} asks for your help")
    assert mia.fits(360, 200)
