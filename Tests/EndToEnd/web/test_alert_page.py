"""The page of an alert for a responder without an account, in a browser."""

import re

import pytest
from support.api import new_id, sign_in, watch_over
from support.looks import SCRIPT
from support.program import phone_number
from support.twilio import Twilio
from support.waiting import wait_until

MIA = "+442071838750"


@pytest.fixture
def twilio():
    stand_in = Twilio()
    yield stand_in
    stand_in.close()


def newest_link(twilio, kind, after=None):
    """Returns the path and fragment of the newest link in Mia's messages; waits for another one
    than `after`."""

    def found():
        texts = [message["Body"] for message in twilio.messages if message["To"] == MIA]
        links = [re.search(rf"https?://[^/]+(/{kind}#\S+)", text) for text in texts]
        return [link[1] for link in links if link and link[1] != after][-1:]

    return wait_until(found, 30, "a link")[0]


@pytest.fixture
def story(make_server, make_browser, twilio):
    """Ana, whose responders are Mia and Ben, and Mia's browser."""
    server = make_server("--sms", "twilio", env=twilio.environment).start()
    ana, ben = (
        sign_in(server, phone_number(number), name) for number, name in ((1, "Ana"), (2, "Ben"))
    )
    watch_over(ben, ana)
    ana.call("PATCH", "/v1/me", {"emergencyNote": "Key at the baker’s\nTwo cats"})
    ana.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    mia = make_browser(server)
    mia.open(newest_link(twilio, "i"))
    mia.press("Yes, tell me")
    mia.see("You are told when Ana needs help")
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    mia.open(newest_link(twilio, "a"))
    mia.see("No one is on it yet.")
    return ana, ben, mia, alert


def test_invited_alert_page_updates_itself(story):
    ana, ben, mia, alert = story
    assert "Key at the baker" not in mia.text
    mia.see("As of")
    ben.post(f"/v1/alerts/{alert}/acknowledgement")
    mia.see("Ben is on it.")
    assert mia.serious_findings() == []
    ben.delete(f"/v1/alerts/{alert}/acknowledgement")
    mia.see("No one is on it yet.")
    mia.press("I’m on it")
    mia.see("You are on it.")
    mia.see("Two cats")
    assert mia.serious_findings() == []
    ana.post(f"/v1/alerts/{alert}/end")
    mia.see("Ana’s alert has ended")
    assert "Two cats" not in mia.text and "As of" not in mia.text
    assert mia.complaints() == []


def test_open_drill_page_follows_a_real_alert(story, twilio):
    ana, _, mia, alert = story
    ana.post(f"/v1/alerts/{alert}/end")
    ana.put(f"/v1/drills/{new_id()}")
    mia.open(newest_link(twilio, "d"))
    mia.see("Ana does not need help.")
    mia.see("As of")
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    mia.see("This is not a drill.")
    assert "Ana needs help" in mia.text and "does not need help" not in mia.text
    assert mia.serious_findings() == []
    ana.post(f"/v1/alerts/{alert}/end")
    mia.see("Ana no longer needs an answer.")
    assert "needs help" not in mia.text and "As of" not in mia.text
    assert mia.complaints() == []


# Records the announcements for screen readers. Without a real minute of waiting, the page reads
# another duration.
NINE_MINUTES = """
    window.said = [];
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target.closest ? target : target.parentNode).closest("[aria-live], #said");
        if (region?.textContent.trim()) said.push(region.textContent.trim());
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    const load = window.fetch;
    window.fetch = async (...request) => {
      const answer = await load(...request), { status } = answer;
      const text = await answer.text();
      return new Response(text.replace(/been on for [^.<]*/, "been on for 9 minutes"), { status });
    };
"""


def test_alert_page_announces_news_and_end_but_no_minutes(story):
    ana, ben, mia, alert = story
    mia.run(NINE_MINUTES)
    mia.run("document.querySelector('a[href^=tel]').focus()")
    mia.see("It has been on for 9 minutes.")
    assert mia.run("return said") == []
    ben.post(f"/v1/alerts/{alert}/acknowledgement")
    mia.wait(lambda: any("Ben is on it" in line for line in mia.run("return said")), "the news")
    assert mia.run("return document.activeElement.href").startswith("tel:")
    ana.post(f"/v1/alerts/{alert}/end")
    mia.wait(lambda: "Ana’s alert has ended" in mia.run("return said"), "the end to be said")


# Withdraws on another page, as by SMS.
WITHDRAW = """
    const secret = location.hash.slice(1);
    return fetch("/a", {
      method: "POST", body: new URLSearchParams({ secret, action: "cannot" }),
    }).then(({ ok }) => ok);
"""


def test_back_and_reload_repeat_no_press(story):
    _, _, mia, _ = story
    mia.press("I’m on it")
    mia.see("You are on it.")
    assert mia.run(WITHDRAW)
    mia.driver.refresh()
    mia.see("No one is on it yet.")
    mia.see("You said that you can’t")
    mia.press("I’m on it")
    mia.see("You are on it.")
    mia.driver.back()
    mia.see("You are on it.")
    mia.press("I can’t after all")
    mia.see("You said that you can’t")
    assert mia.complaints() == []


def test_second_link_in_the_same_tab_opens(story, twilio):
    _, ben, mia, _ = story
    first, invitation = newest_link(twilio, "a"), newest_link(twilio, "i")
    ben.post("/v1/invitations", {"name": "Mia", "phoneNumber": MIA}, status=201)
    mia.open(newest_link(twilio, "i", after=invitation))
    mia.see("Ben sees you as Mia.")
    mia.press("Yes, tell me")
    mia.see("You are told when Ben needs help")
    ben.put(f"/v1/alerts/{new_id()}")
    second = newest_link(twilio, "a", after=first)
    mia.open(first)
    mia.see("Ana needs help")
    mia.open(second)
    mia.see("Ben needs help")
    mia.press("I’m on it")
    mia.see("You are on it.")
    mia.see("Ben needs help")
    mia.open(first)
    mia.see("Ana needs help")
    mia.see("No one is on it yet.")
    mia.open("/a")
    mia.miss("Ana needs help")
    mia.open(second)
    mia.see("Ben needs help")
    assert mia.complaints() == []


SIZES = """
    return ["h1", "p"].map((name) =>
      parseFloat(getComputedStyle(document.querySelector(name)).fontSize));
"""


def test_long_name_fits_large_letters(story):
    ana, _, mia, _ = story
    name = "Margarethe Fernandez-Olschlaeger"
    ana.call("PATCH", "/v1/me", {"name": name})
    mia.see(f"{name} needs help")
    assert mia.fits(360, 200)
    for width in (320, 360):
        with mia.screen(width, 740), mia.letters(200):
            assert [line for line in mia.run(SCRIPT) if "is broken" in line] == []
            title, text = mia.run(SIZES)
            assert title >= text, width


def test_stopping_all_messages_asks_first(story):
    ana, _, mia, _ = story
    mia.press("Never tell me again")
    mia.see("Never tell you again when Ana needs help?")
    assert mia.serious_findings() == []
    mia.press("No, keep helping")
    mia.press("Never tell me again")
    mia.press("Yes, stop the messages")
    mia.see("You get no more messages about Ana")
    assert len(ana.get("/v1/contacts")["items"]) == 1
    mia.press("Undo: keep helping Ana")
    mia.see("No one is on it yet.")
    assert len(ana.get("/v1/contacts")["items"]) == 2
    assert mia.complaints() == []


def test_offline_alert_page_shows_its_age(story):
    _, _, mia, _ = story
    mia.cut_line()
    mia.see("No connection now. This is as of")
    assert "No connection now" in mia.find("#said").get_attribute("textContent")
    mia.cut_line(False)
    mia.wait(lambda: "No connection now" not in mia.text, "fresh news")
    assert mia.find("#said").get_attribute("textContent") == ""
