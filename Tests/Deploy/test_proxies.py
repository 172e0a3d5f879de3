"""Caddy, HAProxy and nginx in front of running servers: pages, event streams, addresses, and
servers that stop."""

import json
import re
import subprocess
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
import yaml
from requests.adapters import HTTPAdapter

import proxies
from daemons import succeeded
from paths import DEPLOY
from support.api import Client, begin_session
from support.program import phone_number
from support.waiting import wait_until

FORGED = [
    *("/metrics", "/metrics/", "//metrics", "/%6Detrics", "/%2Fmetrics", "/metrics?x=1"),
    *("/health/ready", "/health/live", "/health//ready", "//health/ready", "/health%2Fready"),
    *("/./metrics", "/x/../metrics", "/metrics;x", "/METRICS"),
]


@pytest.fixture(params=["caddy", "haproxy", "nginx"])
def proxy_of(request, start, tmp_path):
    return starting(request.param, start, tmp_path)


@pytest.fixture(params=["caddy", "haproxy"])
def proxy_of_several(request, start, tmp_path):
    return starting(request.param, start, tmp_path)


def starting(name, start, tmp_path):
    warnings.filterwarnings("ignore", message="Unverified HTTPS request")
    make = getattr(proxies, name)
    return lambda *servers: make(start, tmp_path, *servers)


def client(proxy, **options):
    client = Client(proxy, **options)
    client.session.verify = False
    return client


def sign_in(proxy, index):
    return begin_session(client(proxy), phone_number(index))


class Stream:
    """The lines of an event stream, recorded as they arrive."""

    def __init__(self, person):
        self.lines = []
        self._response = person.send(
            "GET", "/v1/events", headers={"Accept": "text/event-stream"}, stream=True
        )
        assert self._response.headers["content-type"] == "text/event-stream"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for line in self._response.iter_lines(chunk_size=1):
                self.lines.append(line.decode())
        except (requests.RequestException, OSError, AttributeError):
            pass

    def wait_for(self, text):
        """Waits for this text. The stream stays open, so a proxy that waits for the whole answer
        never delivers the text."""
        wait_until(lambda: any(text in line for line in self.lines), 30, f"{text} on the stream")

    def close(self):
        self._response.raw._fp.fp.raw._sock.shutdown(2)
        self._thread.join(30)
        self._response.close()


def open_streams(server):
    lines = Client(server).get("/metrics").decode().splitlines()
    (count,) = [line.split()[-1] for line in lines if line.startswith("lifesignal_event_streams ")]
    return int(count)


def test_caddy_takes_the_files_and_they_are_formatted():
    for file in sorted((DEPLOY / "caddy").iterdir()):
        succeeded("caddy", "validate", "--adapter", "caddyfile", "--config", file)
        formatted = subprocess.run(["caddy", "fmt", file], capture_output=True, text=True).stdout
        assert formatted == file.read_text()


def test_traefik_file_is_whole_and_hides_what_it_must():
    text = (DEPLOY / "traefik/lifesignal.yml").read_text()
    http = yaml.safe_load(text)["http"]
    usual, secret = http["routers"]["lifesignal"], http["routers"]["lifesignal-secrets"]
    for router in (usual, secret):
        assert router["service"] in http["services"]
        assert set(router["middlewares"]) == set(http["middlewares"])
    assert secret["priority"] > usual["priority"]
    assert secret["observability"] == {"accessLogs": False}
    expression = re.search(r"PathRegexp\(`(.*?)`\)", secret["rule"])[1]
    for path in ("/s/x", "/join/x", "//join/x"):
        assert re.search(expression, path), path
    assert not re.search(expression, "/settings/x")
    dropped = http["middlewares"]["lifesignal"]["headers"]["customRequestHeaders"]
    assert dropped == {"X-Request-ID": "", "traceparent": ""}
    assert "LIFESIGNAL_INTERNAL_PORT" in text


def test_haproxy_takes_the_file_without_a_warning(tmp_path):
    (tmp_path / "lifesignal.pem").touch()
    file = proxies.haproxy_file(tmp_path, ports=(5432, 80, 443))
    output = succeeded(proxies.program("haproxy"), "-c", "-f", file)
    assert "warning" not in output.lower(), output


def test_pages_and_streams_get_through_at_once(proxy_of, make_server):
    server = make_server("--trust-proxy").start()
    proxy = proxy_of(server)
    page = client(proxy).send("GET", "/")
    assert page.status_code == 200 and "<!doctype html>" in page.text.lower()

    person = sign_in(proxy, 0)
    stream = Stream(person)
    stream.wait_for("event: ready")
    person.check_in()
    stream.wait_for("event: checkIn")
    assert open_streams(server) == 1
    stream.close()
    wait_until(lambda: open_streams(server) == 0, 40, "the server's end of the stream")


def test_what_is_for_operators_is_not_reachable(proxy_of, make_server):
    server = make_server("--trust-proxy").start()
    proxy = proxy_of(server)
    assert Client(server).send("GET", "/metrics").ok
    for path in FORGED:
        # curl doesn't normalize the path.
        status = succeeded(
            *["curl", "--silent", "--insecure", "--path-as-is", "--output", "/dev/null"],
            *["--write-out", "%{http_code}", proxy.url + path],
        )
        assert status == "404", path
    assert client(proxy).send("GET", "/openapi.json").ok


def test_nginx_logs_no_secret_address(start, tmp_path, make_server):
    server = make_server("--trust-proxy").start()
    proxy = starting("nginx", start, tmp_path)(server)
    secret = "A" * 43
    for path in (f"/s/{secret}", f"//s/{secret}", f"/%73/{secret}"):
        succeeded("curl", "-sk", "--path-as-is", "-X", "POST", proxy.url + path)
    for path in (f"/join/{secret}", f"//join/{secret}", f"/%6aoin/{secret}"):
        succeeded("curl", "-sk", "--path-as-is", proxy.url + path)
    server.stop()
    succeeded("curl", "-sk", "-X", "POST", f"{proxy.url}/s/{secret}")
    succeeded("curl", "-sk", f"{proxy.url}/join/{secret}")
    succeeded("curl", "-sk", f"{proxy.url}/seen")
    logs = [tmp_path / name for name in ("access.log", "nginx.log")]
    wait_until(lambda: "/seen" in logs[0].read_text(), 30, "the request in the log")
    assert not [log for log in logs if secret in log.read_text()]


def test_requests_wait_while_the_server_restarts(start, tmp_path, make_server):
    server = make_server("--trust-proxy").start()
    proxy = starting("caddy", start, tmp_path)(server)
    assert client(proxy).send("GET", "/").ok
    server.stop()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(client(proxy).send("GET", "/")))
    waiting.start()
    server.start_again()
    waiting.join(30)
    assert [answer.status_code for answer in answers] == [200]


def test_a_client_cannot_invent_its_address(proxy_of, make_server):
    server = make_server("--trust-proxy", "--requests-per-address", "5").start()
    proxy = proxy_of(server)

    def answers(source, count):
        session = requests.Session()
        session.trust_env = session.verify = False
        session.mount("https://", FromAddress(source))
        return [
            session.get(
                proxy.url + "/v1/me",
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
                timeout=30,
            ).status_code
            for number in range(count)
        ]

    assert answers("127.0.0.1", 10)[-1] == 429
    assert answers("127.0.0.2", 1) == [401], "another address has its own limit"


class FromAddress(HTTPAdapter):
    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


class NotReady(BaseHTTPRequestHandler):
    def do_GET(self):
        ready = self.path.startswith("/health")
        self.send_response(503 if ready else 200)
        body = json.dumps({"problems": ["the database can't be written"]}).encode()
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-LifeSignal-Epoch", "not ready")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_browser_stays_with_a_server_until_it_goes(proxy_of_several, make_server):
    servers = [make_server("--trust-proxy").start() for _ in range(2)]
    stub = ThreadingHTTPServer(("127.0.0.1", 0), NotReady)
    stub.port = stub.server_address[1]
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    proxy = proxy_of_several(*servers, stub)

    def epoch(person):
        answer = person.send("GET", "/openapi.json")
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.headers["X-LifeSignal-Epoch"]

    # Each server has its own database, so the epoch tells which server answered.
    epochs = {
        Client(server).send("GET", "/").headers["X-LifeSignal-Epoch"]: server for server in servers
    }
    assert len(epochs) == 2
    wait_until(lambda: epoch(client(proxy)) in epochs, 30, "a ready server")

    def all_ready():
        return {epoch(client(proxy)) for _ in range(6)}

    wait_until(lambda: all_ready() == set(epochs), 20, "both servers, and not the one that is not")
    person = client(proxy)
    mine = epoch(person)
    assert "lifesignal-server" in person.session.cookies
    assert {epoch(person) for _ in range(8)} == {mine}

    epochs[mine].kill()
    (other,) = set(epochs) - {mine}
    assert {epoch(person) for _ in range(4)} == {other}, "no request is lost"
    stub.shutdown()
