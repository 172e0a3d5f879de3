from support.people import enter, make_member
from support.program import phone_number

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko)"
    " Version/18.5 Mobile/15E148 Safari/604.1"
)


def test_sessions_name_their_browsers(make_server, make_browser):
    server = make_server().start()
    make_member(server, phone_number(1), "Ana")
    desk, phone = make_browser(server), make_browser(server, arguments=[f"--user-agent={IPHONE}"])
    enter(desk, phone_number(1), "/settings")
    desk.see("Chrome on Linux")
    enter(phone, phone_number(1))
    desk.see("Safari on iPhone")
    desk.button("Sign out Safari on iPhone")
    assert "Mozilla" not in desk.text and "18_5" not in desk.text
