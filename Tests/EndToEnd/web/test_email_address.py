import re

from support.people import enter, known, retype
from support.program import phone_number

ANA = phone_number(0)


def code(server, address):
    """Returns the code that a server without a mail account prints to its terminal."""
    return re.search(rf"e-mail to {re.escape(address)}: (\d{{6}})", server.output())


def test_address_is_confirmed_and_removed(make_server, make_browser):
    server = make_server().start()
    api = known(server, ANA, "Ana")
    ana = enter(make_browser(server), ANA, "/profile")
    ana.press("E-mail")
    ana.field("E-mail address").send_keys("ana")
    ana.press("Send code")
    ana.see("Enter an e-mail address like ana@example.org.")
    retype(ana.field("E-mail address"), "ana@example.org")
    ana.press("Send code")
    ana.field("6-digit code")
    sent = ana.wait(lambda: code(server, "ana@example.org"), "the code")[1]
    wrong = "111111" if sent != "111111" else "111112"
    ana.field("6-digit code").send_keys(wrong)
    ana.see("That code is wrong, or has expired.")
    retype(ana.field("6-digit code"), sent)
    ana.see("Alerts come to ana@example.org.")
    assert api.get("/v1/me/email")["address"] == "ana@example.org"
    ana.press("Use another address")
    retype(ana.field("E-mail address"), "ana@example.com")
    ana.press("Send code")
    ana.see("It goes to ana@example.com once.")
    ana.press("Close")
    ana.press("E-mail")
    # The page asks for the code until it is entered. Until then the previous address stays in use.
    ana.field("6-digit code").send_keys(
        ana.wait(lambda: code(server, "ana@example.com"), "the second code")[1]
    )
    ana.see("Alerts come to ana@example.com.")
    ana.press("Remove")
    ana.field("E-mail address")
    assert api.get("/v1/me/email") == {}
    assert ana.complaints() == []
