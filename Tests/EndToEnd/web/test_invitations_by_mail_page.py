"""Someone is invited by e-mail address, and answers on the link's page."""

import re

import pytest
from selenium.webdriver.common.keys import Keys
from support.mail import MailServer, text
from support.people import come_back
from support.program import phone_number
from support.waiting import wait_until

MIA = "mia@example.org"


@pytest.fixture
def mail(tmp_path):
    stand_in = MailServer(tmp_path)
    yield stand_in
    stand_in.close()


def test_person_is_invited_by_mail(make_server, make_browser, mail):
    server = make_server(env=mail.environment).start()
    ana = make_browser(server)
    ana.device = come_back(server, ana, phone_number(1), "Ana")
    ana.open("/responders")
    ana.see("Their phone number or e-mail address")
    ana.find("#invited-name").send_keys("Mia", Keys.TAB, MIA, Keys.ENTER)
    ana.see("no answer yet")
    mailed = wait_until(lambda: mail.to(MIA), 30, "the message")[0]
    link = re.search(r"https?://[^/\s]+(/i#\S+)", text(mailed))[1]
    mia = make_browser(server)
    mia.open(link)
    mia.see("tells you by e-mail")
    assert mia.serious_findings() == []
    mia.button("Yes, tell me").send_keys(Keys.ENTER)
    mia.see("You are told when Ana needs help")
    ana.see("said yes")
    assert ana.serious_findings() == [] and ana.complaints() == []
