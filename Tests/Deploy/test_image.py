"""Builds the image, inspects it, and runs it. `podman run` needs more than many machines allow, so
the image's root file system runs in namespaces of its own."""

import json
import os
import re
import time

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from daemons import succeeded
from images import Container, Image
from package import build
from ports import free_ports
from support.api import Client, sign_in
from support.program import CODE, PROGRAM, phone_number
from support.waiting import wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes these namespaces")
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return build(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def image(package, tmp_path_factory):
    return Image(tmp_path_factory.mktemp("image"), package)


@pytest.fixture(scope="module")
def root(image, tmp_path_factory):
    return image.unpack(tmp_path_factory.mktemp("root"))


@pytest.fixture
def container(image, root, tmp_path):
    return Container(image, root, tmp_path / "volume")


def test_the_image_is_small(image, root):
    packed = sum(layer["size"] for layer in image.inspect("--raw")["layers"])
    unpacked = sum(file.lstat().st_size for file in root.rglob("*") if not file.is_dir())
    print(f"image: {packed / MEGABYTE:.0f} MB packed, {unpacked / MEGABYTE:.0f} MB unpacked")
    assert packed < 150 * MEGABYTE


def test_the_configuration_says_how_to_run_it(image):
    told = image.inspect("--config")
    settings = told["config"]
    assert told["os"] == "linux" and told["architecture"] in ("amd64", "arm64")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", settings["User"])
    assert list(settings["Volumes"]) == ["/data"]
    assert list(settings["ExposedPorts"]) == ["8080/tcp"]
    labels = settings["Labels"]
    version = succeeded(PROGRAM, "--version").strip()
    assert labels["org.opencontainers.image.version"] == version
    commit = re.search(r"([0-9a-f]{12}(-dirty)?)\)", version)
    revision = labels["org.opencontainers.image.revision"]
    assert revision == (commit[1] if commit else "unknown")


def test_the_same_package_gives_the_same_image(image, package, tmp_path):
    assert Image(tmp_path, package).file.read_bytes() == image.file.read_bytes()


def test_an_engine_that_keeps_health_checks_gets_this_one(image):
    health = image.configuration()["config"]["Healthcheck"]
    assert health["Test"][0] == "CMD" and health["Retries"] == 3
    port = re.search(r":(\d+)/health/ready$", health["Test"][-1])[1]
    assert f"LIFESIGNAL_INTERNAL_PORT={port}" in image.configuration()["config"]["Env"]


def test_the_image_has_no_shell_and_nothing_that_gains_rights(root):
    programs = {file.name for file in (root / "usr/bin").iterdir()}
    assert programs == {"lifesignal", "curl"}
    assert not [file for file in root.rglob("*") if file.lstat().st_mode & 0o6000]


@needs_root
def test_a_first_start_on_a_read_only_root(container, tmp_path):
    port, internal = free_ports(2)
    phones = f"{phone_number(0)}={CODE}"
    options = {
        "LIFESIGNAL_PORT": str(port),
        "LIFESIGNAL_INTERNAL_PORT": str(internal),
        "LIFESIGNAL_SMS": "none",
    }
    started = time.monotonic()
    daemon = container.start(
        tmp_path / "container.log",
        LIFESIGNAL_TEST_PHONE=phones,
        LIFESIGNAL_SIGN_UP="open",
        **options,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        server = type("Running", (), {"url": url})
        health = type("Internal", (), {"url": f"http://127.0.0.1:{internal}"})
        places = [(health, "/health/ready"), (server, "/")]
        wait_until(
            lambda: all(answers(*place, daemon) for place in places),
            *(30, "the server in the image"),
            every=0.005,
        )
        print(f"image: {time.monotonic() - started:.2f} s from the first start to ready")

        ana = sign_in(server, phone_number(0), "Ana")
        ana.check_in()
        # Libraries for pictures, with the tables of characters that they need.
        picture = ana.get("/v1/me/qr-code.png")
        read = ana.call(
            "POST",
            "/v1/qr-codes/decode",
            data=picture,
            headers={"Content-Type": "image/png"},
        )
        assert ana.get("/v1/me/qr-code")["id"] in json.dumps(read)

        (*_, address) = test = container.configuration["Healthcheck"]["Test"][1:]
        asked = address.replace(":8081/", f":{internal}/")
        # An engine's proxy, which can't reach the container's own port.
        proxy = {"http_proxy": "http://127.0.0.1:9"}
        assert container.run(*test[:-1], asked, **proxy).returncode == 0
        (nobody,) = free_ports(1)
        assert container.run(*test[:-1], address.replace(":8081/", f":{nobody}/")).returncode != 0

        files = {file.name for file in container.volume.iterdir()}
        assert {"lifesignal.sqlite", "lifesignal.sqlite.key"} <= files
        user = int(container.configuration["User"].split(":")[0])
        assert all(file.stat().st_uid == user for file in container.volume.iterdir())
        # curl's exit status for a file that it can't write.
        for place, status in [("/usr/bin/copy", 23), ("/tmp/copy", 23), ("/data/copy", 0)]:
            written = container.run("/usr/bin/curl", "-sS", "-o", place, f"{url}/openapi.json")
            assert written.returncode == status, f"{place}: {written.stdout}"
        assert container.ask_to_stop(daemon) == 0, daemon.output()
    finally:
        daemon.kill()


def answers(server, path, daemon):
    assert daemon.process.poll() is None, f"ended early:\n{daemon.output()}"
    try:
        return Client(server).send("GET", path).ok
    except OSError:
        return False


def test_the_bills_of_the_package_and_the_image_are_valid(package, image, tmp_path):
    succeeded("dpkg-deb", "--extract", package, tmp_path)
    of_package = tmp_path / "usr/share/doc/lifesignal/sbom.cdx.json"
    for file in (of_package, image.bill):
        fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read_text())
        assert fault is None, fault
    small, large = (json.loads(file.read_text()) for file in (of_package, image.bill))
    assert small["metadata"]["component"]["version"] == succeeded(PROGRAM, "--version").strip()
    names = {one["name"]: one for one in small["components"]}
    assert {"swift-nio", "GRDB.swift", "hummingbird", "swift-runtime", "libsqlite3-0"} <= set(names)
    assert all(one["version"] and one["licenses"] for one in large["components"])
    assert set(names) < {one["name"] for one in large["components"]}
    assert {"curl", "tzdata", "ca-certificates"} <= {one["name"] for one in large["components"]}


def test_the_bill_of_the_image_names_every_library(image, root):
    told = {one["name"] for one in json.loads(image.bill.read_text())["components"]}
    entries = {file.name for file in (root / "var/lib/dpkg/status.d").iterdir()}
    assert entries < told
    for name in entries:
        assert (root / "usr/share/doc" / name / "copyright").exists(), name
