"""The app's views use the texts of the web app and of the features."""

import re

import pytest
from check import ROOT
from strings import texts

IOS = ROOT / "Apps/iOS"
APP = IOS / "Sources/LifeSignalApp"
WEB = ROOT / "Sources/Apps/Web"
FEATURES = ROOT / "Sources/Client/Features"
BUTTONS = ROOT / "Sources/Shared/Domain/Notifications/PushAction.swift"
FOLDERS = [APP, IOS / "App", IOS / "Intents", IOS / "Widget", IOS / "NotificationService"]
OWN = APP / "Shared/AppWords.swift"

# Xcode extracts the texts of intents from the sources, so they can't be in AppWords.swift. The web
# app lacks them, because it doesn't use Siri.
SPOKEN = {
    "Check in with {}", "I’m fine with {}", "Call for help with {}", "How is {} in {}",
    "How is someone I watch over?", "Person", "Call for help? Your responders are alerted at once.",
    "I have arrived with {}", "30 minutes more", "30 minutes more with {}",
}  # fmt: skip
# Keys and identifiers that users never see.
NAMES = {
    "CFBundleShortVersionString", "lifesignal.camera", "not-sent", "refresh", "outgoing",
    "push-wanted-by", "push-put-off-by", "deadline", "session.lock", "unauthenticated",
    "not-found", "nothing-changed", "waiting", "reminder ", "unreachable", "malformed-answer",
    "unavailable",
}  # fmt: skip
# Folders of the web app without a counterpart in the app: for wide windows, and for the page's
# scripts.
WITHOUT_A_VIEW = {"Assets", "Routes", "Session", "Shared"}


def words(folder):
    return {text for file in folder.rglob("*.swift") for text in words_in(file)}


def words_in(file):
    return {text for text in texts(file.read_text()) if is_text(text)}


def is_text(text):
    return re.search("[A-Za-z]{2}", text.replace("{}", "")) is not None


@pytest.fixture(scope="module")
def known():
    scripts = "".join(file.read_text() for file in (WEB / "Assets").glob("*.js"))
    return words(WEB) | words(FEATURES) | words_in(BUTTONS), scripts


def symbols():
    return set(texts((APP / "Shared/Palette.swift").read_text()))


def test_app_texts_are_those_of_the_web_app(known):
    texts_of_the_web, scripts = known
    allowed = texts_of_the_web | SPOKEN | NAMES | symbols()
    missing = []
    for file in sorted(file for folder in FOLDERS for file in folder.rglob("*.swift")):
        for text in texts(file.read_text()):
            if file != OWN and is_text(text) and text not in allowed and text not in scripts:
                missing.append(f"{file.relative_to(IOS)}: {text}")
    assert not missing, "\n".join(missing)


def test_app_words_differ_from_web_app_texts(known):
    """A text that the web app has, too, belongs to the features."""
    texts_of_the_web, _ = known
    assert (set(texts(OWN.read_text())) | SPOKEN) & texts_of_the_web == set()


def test_each_app_word_has_a_reason():
    lines = [line.strip() for line in OWN.read_text().splitlines()]
    words = [number for number, line in enumerate(lines) if line.startswith("static ")]
    assert len(words) >= 8
    for number in words:
        assert lines[number - 1].startswith("///"), lines[number]


def test_app_has_a_view_for_each_web_feature():
    folders = {folder.name for folder in WEB.iterdir() if folder.is_dir()} - WITHOUT_A_VIEW
    assert len(folders) >= 18
    for folder in sorted(folders):
        found = "".join(file.read_text() for file in (APP / folder).glob("*.swift"))
        assert ": View {" in found, f"{folder} has no view in the app"


def test_text_reader_finds_only_texts():
    source = '''
    // "no"
    let a = "one \\(two("three")) four"
    let b = """
        five \\
        six \\(seven)
        """
    let c = #"eight \\ "nine""#
    '''
    assert texts(source) == ["one {} four", "three", "five six {}", 'eight \\ "nine"']
