"""The commands besides serving: doctor, QR codes, help."""

import io
import os
import re

import pytest
from PIL import Image

from support.program import REPOSITORY, run


def doctor(tmp_path, *arguments, **environment):
    return run(
        "doctor",
        "--database",
        tmp_path / "lifesignal.sqlite",
        "--port",
        0,
        *arguments,
        env=environment,
    )


def test_doctor_before_the_first_start(tmp_path):
    result = doctor(tmp_path)
    assert (
        "there is none yet" in result.stdout
        and "disk:" in result.stdout
        and "port:" in result.stdout
    )
    assert result.returncode == 0 and "All is well." in result.stdout, result.stdout + result.stderr
    assert not list(tmp_path.iterdir()), "looking makes nothing"


def test_doctor_beside_a_running_server(server):
    result = run("doctor", "--database", server.database, "--port", 0)
    assert "is whole, schema version" in result.stdout and result.returncode == 0, (
        result.stdout + result.stderr
    )


def test_doctor_finds_a_damaged_database(tmp_path):
    (tmp_path / "lifesignal.sqlite").write_bytes(os.urandom(10_000))
    result = doctor(tmp_path)
    assert result.returncode == 1 and "BAD   database" in result.stdout, (
        result.stdout + result.stderr
    )
    assert "lifesignal restore" in result.stdout


def test_doctor_finds_a_port_that_is_taken(server, tmp_path):
    result = run("doctor", "--database", tmp_path / "lifesignal.sqlite", "--port", server.port)
    assert result.returncode == 1 and "BAD   port" in result.stdout, result.stdout + result.stderr


def test_doctor_finds_an_address_that_is_not_ours(tmp_path):
    result = doctor(tmp_path, "--host", "192.0.2.1")
    assert result.returncode == 1 and "192.0.2.1" in result.stdout, result.stdout + result.stderr


def test_doctor_refuses_the_options_that_serve_refuses(tmp_path):
    result = doctor(tmp_path, "--log-level", "loud")
    assert result.returncode != 0 and "--log-level" in result.stderr


TEXTS = [
    "a",
    "https://example.org/?a=b&c=d",
    "Grüße, 世界 🚨",
    "line one\nline two",
    "0" * 2000,
    "ä" * 1000,
    '{"id":"x"}',
    " spaces ",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{len(text)} characters")
def test_qr_there_and_back(tmp_path, text):
    picture = tmp_path / "code.png"
    assert run("qr", "encode", text, "--output", picture).returncode == 0
    with Image.open(picture) as image:
        assert image.format == "PNG" and image.width == image.height
    result = run("qr", "decode", picture)
    assert result.returncode == 0 and result.stdout == text + "\n", result


def test_qr_from_a_photo(tmp_path):
    """Turned, grey, with a border, and as a JPEG of middling quality."""
    text = "lifesignal in a photo"
    assert run("qr", "encode", text, "-o", tmp_path / "code.png").returncode == 0
    with Image.open(tmp_path / "code.png") as image:
        photo = Image.new("L", (900, 700), 200)
        photo.paste(
            image.convert("L").resize((400, 400)).rotate(20, expand=True, fillcolor=200), (150, 60)
        )
        photo.save(tmp_path / "photo.jpg", quality=60)
    result = run("qr", "decode", tmp_path / "photo.jpg")
    assert result.returncode == 0 and result.stdout == text + "\n", result


def test_qr_that_can_not_be(tmp_path):
    too_long = run("qr", "encode", "x" * 3000, "-o", tmp_path / "code.png")
    assert too_long.returncode != 0 and "too long" in too_long.stderr
    empty = run("qr", "encode", "", "-o", tmp_path / "code.png")
    assert empty.returncode != 0 and not (tmp_path / "code.png").exists()
    missing = run("qr", "decode", tmp_path / "missing.png")
    assert missing.returncode != 0 and "missing.png" in missing.stderr
    nowhere = run("qr", "encode", "x", "-o", tmp_path / "no/such/folder.png")
    assert nowhere.returncode != 0 and "folder.png" in nowhere.stderr


def test_qr_decode_of_what_is_no_code(tmp_path):
    blank = io.BytesIO()
    Image.new("RGB", (100, 100), "white").save(blank, "PNG")
    for content, words in [
        (blank.getvalue(), "No QR code"),
        (b"text", "neither a PNG nor a JPEG"),
        (blank.getvalue()[:50], "damaged"),
    ]:
        (tmp_path / "picture").write_bytes(content)
        result = run("qr", "decode", tmp_path / "picture")
        assert result.returncode != 0 and words in result.stderr and not result.stdout, result


@pytest.mark.parametrize(
    "command",
    [[], ["serve"], ["doctor"], ["backup"], ["restore"], ["qr"], ["qr", "encode"], ["demo"]],
    ids=" ".join,
)
def test_help(command):
    result = run(*command, "--help")
    assert result.returncode == 0 and "USAGE" in result.stdout


def test_version():
    assert run("--version").stdout.strip()


def test_a_command_that_does_not_exist():
    result = run("fly")
    assert result.returncode != 0 and "fly" in result.stderr


def test_the_manual_names_every_command():
    manual = (REPOSITORY / "Deploy/debian/lifesignal.1").read_text().replace("\\-", "-")
    commands = re.findall(r"^  ([a-z][a-z-]+) {2,}[A-Z]", run("--help").stdout, re.MULTILINE)
    assert len(commands) > 10
    for command in commands:
        assert re.search(rf"^\.BR? {command}\b", manual, re.MULTILINE), command
