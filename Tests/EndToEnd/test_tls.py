"""The server speaks TLS itself, with a certificate from files that are renewed while it runs."""

import http.client
import re
import signal
import socket
import ssl
import time
import warnings

import pytest
from cryptography import x509

from support.certificates import Certificate, Files
from support.program import run
from support.waiting import wait_until


# The server promises 20 s. Another 8 s allow for a busy machine.
CUT_OFF_WITHIN = 28


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def serve(make_server, files):
    """Starts a server. Returns it with its port."""

    def start(*arguments, **options):
        server = make_server(*files.options, *arguments, **options).launch()
        ready = r"ready at https://\S+:(\d+)"
        port = wait_until(lambda: re.search(ready, server.output()), 60, "the ready line")[1]
        server.port = int(port)
        return server

    return start


def trusting(certificate):
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=certificate.pem().decode())
    return context


def connection(server, context):
    return http.client.HTTPSConnection("127.0.0.1", server.port, timeout=30, context=context)


def get(connection, path="/health/live", **headers):
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def serial_in_use(server):
    """Returns the number of the certificate that a new connection gets."""
    context = ssl._create_unverified_context()
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain,
        context.wrap_socket(plain) as wrapped,
    ):
        return x509.load_der_x509_certificate(wrapped.getpeercert(True)).serial_number


def test_requests_by_tls(files, serve):
    certificate = Certificate()
    files.write(certificate)
    server = serve()
    client = connection(server, trusting(certificate))
    # Several requests on one connection, the second with a large answer.
    assert get(client)[0] == 200
    status, openapi = get(client, "/openapi.json")
    assert status == 200 and len(openapi) > 50_000
    assert get(client, Connection="close")[0] == 200
    client = connection(server, trusting(certificate))
    body = b"x" * 200_000
    client.request("POST", "/v1/auth/codes", body, {"Content-Type": "application/json"})
    assert client.getresponse().status in (400, 413, 422)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = trusting(certificate)
        context.minimum_version = context.maximum_version = version
        assert get(connection(server, context))[0] == 200, version
    assert server.stop()[0] == 0


def test_other_protocols_are_closed(files, serve):
    files.write(Certificate())
    server = serve()
    for words in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\x00" * 200):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
            plain.sendall(words)
            answer = b""
            try:
                while part := plain.recv(4096):
                    answer += part
            except ConnectionResetError:
                pass
            assert b"HTTP/" not in answer
    old = ssl._create_unverified_context()
    old.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        get(connection(server, old))


def test_unfinished_handshakes_are_closed(files, serve):
    certificate = Certificate()
    files.write(certificate)
    server = serve()
    started = time.monotonic()
    # Nothing, and the start of a record of 512 bytes.
    waiting = [(socket.create_connection(("127.0.0.1", server.port)), b"")]
    waiting.append((socket.create_connection(("127.0.0.1", server.port)), b"\x01"))
    waiting[1][0].sendall(b"\x16\x03\x01\x02\x00")
    for client, _ in waiting:
        client.setblocking(False)
    while waiting and time.monotonic() - started < CUT_OFF_WITHIN:
        for entry in [entry for entry in waiting if is_over(*entry)]:
            waiting.remove(entry)
            entry[0].close()
        time.sleep(0.5)
    for client, _ in waiting:
        client.close()
    assert not waiting, f"{len(waiting)} still connected after {CUT_OFF_WITHIN} s"
    assert get(connection(server, trusting(certificate)))[0] == 200


def is_over(client, trickle):
    """Sends another piece. Returns whether the server has closed the connection."""
    try:
        client.sendall(trickle)
        return client.recv(4096) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_internal_port_stays_plain(files, serve):
    files.write(Certificate())
    server = serve("--internal-port", 0)
    port = wait_until(
        lambda: re.search(r"Health and metrics: http://127.0.0.1:(\d+)", server.output()),
        30,
        "the port",
    )[1]
    client = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
    assert get(client)[0] == 200


def test_certificate_is_renewed_while_connections_are_open(files, serve):
    first, second = Certificate(), Certificate()
    files.write(first)
    server = serve()
    client = connection(server, trusting(first))
    assert get(client)[0] == 200

    files.write(second, key=first)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the last one stays" in server.output(), 30, "the refusal")
    assert f"{files.key} is not the key of the certificate" in server.output()
    assert serial_in_use(server) == first.serial

    files.write(second)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the certificate was renewed" in server.output(), 30, "the renewal")
    assert serial_in_use(server) == second.serial
    assert get(connection(server, trusting(second)))[0] == 200
    assert get(client)[0] == 200
    assert server.stop()[0] == 0


def test_server_notices_new_files_by_itself(files, serve):
    first, second = Certificate(), Certificate()
    files.write(first)
    server = serve()
    files.write(second)
    wait_until(lambda: serial_in_use(server) == second.serial, 90, "the renewal", every=1)


def refusal(*arguments, **options):
    """Returns the one sentence with which `serve` refuses its files."""
    arguments = ("--port", 0, *arguments)
    result = run("serve", *arguments, **options)
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result
    return result.stderr


@pytest.mark.parametrize("missing", ["--tls-certificate", "--tls-key"])
def test_files_need_each_other(missing, tmp_path):
    (other,) = {"--tls-certificate", "--tls-key"} - {missing}
    assert "need each other" in refusal(other, "x", cwd=tmp_path)


def test_unusable_files_are_named(files, tmp_path):
    good = Certificate()
    files.write(good)

    def words():
        return refusal(*files.options, cwd=tmp_path)

    files.key.chmod(0o644)
    assert f"other users can read {files.key}" in words()
    files.key.chmod(0o600)
    files.key.write_bytes(good.key_pem(passphrase=b"secret"))
    assert f"{files.key} has no key in PEM without a passphrase" in words()
    files.key.write_bytes(b"nothing")
    assert f"{files.key} has no key in PEM" in words()
    files.write(good, key=Certificate())
    assert f"{files.key} is not the key of the certificate" in words()
    files.certificate.write_bytes(b"-----BEGIN CERTIFICATE-----\n")
    assert f"{files.certificate} has no certificate in PEM" in words()
    files.certificate.write_bytes(good.pem() + good.pem()[:100])
    assert f"a certificate of an issuer in {files.certificate} is cut or damaged" in words()
    files.certificate.unlink()
    assert f"the file {files.certificate} can't be read" in words()
    files.write(good)
    files.key.unlink()
    assert f"the file {files.key} can't be read" in words()


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (14, "ok    certificate: "),
        (14, "is valid for 14 days"),
        (13, "note  certificate: "),
        (13, "expires in 13 days"),
        (-1, "BAD   certificate: "),
        (-1, "has expired"),
    ],
)
def test_doctor_says_how_long_the_certificate_is_valid(files, tmp_path, days, words):
    files.write(Certificate(days))
    result = run("doctor", "--port", 0, *files.options, cwd=tmp_path)
    assert words in result.stdout, result
    assert (result.returncode == 1) == (days < 0)


def test_doctor_names_unusable_file(files, tmp_path):
    files.write(Certificate(), key=Certificate())
    result = run("doctor", "--port", 0, *files.options, cwd=tmp_path)
    assert result.returncode == 1 and "is not the key of the certificate" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "is_bad"),
    [
        (["--trust-proxy"], True),
        (["--trust-proxy", "--trusted-proxies", "10.0.0.0/8"], False),
        ([], False),
    ],
)
def test_doctor_finds_trust_in_everyone(files, tmp_path, arguments, is_bad):
    files.write(Certificate())
    result = run("doctor", "--port", 0, *files.options, *arguments, cwd=tmp_path)
    assert ("BAD   proxy: " in result.stdout) == is_bad, result
    assert ("remove LIFESIGNAL_TRUST_PROXY" in result.stdout) == is_bad
    assert (result.returncode == 1) == is_bad


def test_server_starts_with_a_warning_if_it_trusts_everyone(files, serve):
    files.write(Certificate())
    server = serve("--trust-proxy")
    assert server.output().count("clients choose their address") == 1
    assert server.stop()[0] == 0
    server = serve()
    assert "clients choose their address" not in server.output()


def test_local_address_is_https(files, tmp_path):
    files.write(Certificate())
    result = run("config", "--port", 8443, *files.options, cwd=tmp_path)
    assert "https://localhost:8443" in result.stdout
