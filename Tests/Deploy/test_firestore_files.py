"""The rules let no client in, and Google's own messages accept the indexes. Nothing here reaches
Google, so its parser of rules has never read them."""

import json
import re

import pytest
from google.cloud.firestore_admin_v1.types import Index
from google.protobuf.json_format import ParseDict, ParseError

from paths import DEPLOY
from support.firestore_documents import ALERT_FIELDS, USER_FIELDS

FOLDER = DEPLOY / "firestore"
INDEXES = json.loads((FOLDER / "firestore.indexes.json").read_text())
TOKEN = re.compile(r"\s+|//[^\n]*|('[^']*'|[A-Za-z_][\w.]*|\{\w+(?:=\*\*)?\}|[/;:,={}()])")
# The whole file as tokens. Whatever else it contains would be a way in.
RULES = """
rules_version = '2' ;
service cloud.firestore {
  match / databases / {database} / documents {
    match / {document=**} { allow read , write : if false ; }
  }
}
""".split()


def tokens(text):
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match, f"unexpected: {text[place : place + 20]!r}"
        found += [match[1]] if match[1] else []
        place = match.end()
    return found


def test_rules_let_no_client_in():
    assert tokens((FOLDER / "firestore.rules").read_text()) == RULES


@pytest.mark.parametrize(
    "change",
    [
        ("if false", "if true"),
        ("if false", "if request.auth != null"),
        ("read, write: if false;", "read, write: if false; allow get;"),
        ("{document=**}", "{document}"),
    ],
    ids=str,
)
def test_other_rules_are_noticed(change):
    text = (FOLDER / "firestore.rules").read_text().replace(*change)
    try:
        assert tokens(text) != RULES
    except AssertionError as error:
        assert "unexpected" in str(error)


def test_firebase_finds_both_files():
    files = json.loads((FOLDER / "firebase.json").read_text())["firestore"]
    assert files.keys() == {"rules", "indexes"}
    assert all((FOLDER / name).is_file() for name in files.values())


def test_indexes_are_googles_messages():
    assert INDEXES.keys() == {"indexes", "fieldOverrides"}
    for index in INDEXES["indexes"]:
        message = dict(index)
        assert message.pop("collectionGroup") == "alerts"
        parsed = ParseDict(message, Index.pb()())
        # Firestore itself has the indexes of single fields.
        assert len(parsed.fields) > 1
        assert {field.field_path for field in parsed.fields} <= ALERT_FIELDS
    with pytest.raises(ParseError):
        ParseDict({"queryScope": "EVERYTHING"}, Index.pb()())


def test_note_and_picture_are_not_indexed():
    overrides = {item["fieldPath"]: item for item in INDEXES["fieldOverrides"]}
    assert overrides.keys() == {"emergencyNote", "profilePictureURL"} <= USER_FIELDS
    for item in overrides.values():
        assert item["collectionGroup"] == "users" and item["indexes"] == []
