"""What people do in a browser, click by click, that more than one test needs."""

from support.program import CODE


def sign_in(browser, number, name):
    """From the first page to home, through onboarding."""
    browser.open()
    browser.field("Phone number").send_keys(number)
    browser.press("Send code")
    browser.field("Code with six digits").send_keys(CODE)
    browser.see("What is your name?")
    browser.field("Name").send_keys(name)
    browser.press("Continue")
    browser.see("What should your responders know?")
    browser.field("Emergency note").send_keys("Allergic to nuts.")
    browser.press("Continue")
    browser.see("How often do you want to check in?")
    browser.press("Continue")
    browser.see("When do you want to be reminded?")
    browser.press("Continue")
    browser.press("Check in")
    browser.see("Call for help")
