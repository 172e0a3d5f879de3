"""A collector gets a sample of traces by OTLP over HTTP. The messages are read by the classes of
opentelemetry-proto, which refuse unknown fields and wrong types."""

import base64
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from support.api import new_id, sign_in, watch_over
from support.program import phone_number
from support.waiting import wait_until

# In OTLP's JSON, these bytes are hexadecimal. Protobuf's JSON has base64.
IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def with_base64(value):
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if key in IDS:
            assert re.fullmatch(f"[0-9a-f]{{{IDS[key]}}}", item), f"{key}: {item}"
            item = base64.b64encode(bytes.fromhex(item)).decode()
        result[key] = with_base64(item)
    return result


class Collector:
    def __init__(self, status=200):
        self.bodies = []
        self.paths = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.headers["Content-Type"] == "application/json"
                outer.bodies.append(body)
                outer.paths.add(self.path)
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def spans(self):
        found = []
        for body in list(self.bodies):
            message = ParseDict(with_base64(json.loads(body)), ExportTraceServiceRequest())
            for resource in message.resource_spans:
                names = {a.key: a.value.string_value for a in resource.resource.attributes}
                assert names["service.name"] == "lifesignal" and names["service.version"]
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.close()


def attributes(span):
    return {a.key: a.value.string_value or a.value.int_value for a in span.attributes}


def test_collector_gets_requests_passes_and_deliveries(make_server, collector, webhooks):
    server = make_server(
        "--traces-url", collector.url, "--traces-percent", 100, "--allow-private-webhooks"
    ).start()
    person = sign_in(server, phone_number(0), "Ada Lovelace")
    person.check_in()
    responder = sign_in(server, phone_number(1))
    watch_over(responder, person)
    hook = {"kind": "webhook", "url": f"{webhooks.url}/hook"}
    responder.put(f"/v1/devices/{new_id()}", hook)
    person.put(f"/v1/alerts/{new_id()}")
    wait_until(lambda: collector.named("delivery"), 30, "a delivery")
    delivery = collector.named("delivery")[0]
    assert delivery.kind == Span.SPAN_KIND_CLIENT
    assert attributes(delivery) == {"lifesignal.channel": "webhook"}
    wait_until(lambda: collector.named("deadline pass"), 30, "a deadline pass")
    name = "PUT /v1/check-ins/{id}"
    wait_until(lambda: collector.named(name), 30, "a check-in")
    span = collector.named(name)[0]
    assert span.kind == Span.SPAN_KIND_SERVER
    assert attributes(span) | {"http.response.status_code": 0} == {
        "http.request.method": "PUT",
        "http.route": "/v1/check-ins/{id}",
        "http.response.status_code": 0,
    }
    assert 200 <= attributes(span)["http.response.status_code"] < 300
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano <= time.time_ns()
    assert all(span.status.code == Status.STATUS_CODE_UNSET for span in collector.spans)
    assert collector.paths == {"/v1/traces"}
    for secret in [phone_number(0), "Ada", person.token, person.id, f"{webhooks.url}/hook"]:
        assert not [body for body in collector.bodies if secret.encode() in body], secret


def test_trusted_proxy_decides_on_sampling(make_server, collector):
    server = make_server(
        "--traces-url", f"{collector.url}/otlp", "--traces-percent", 1, "--trust-proxy"
    ).start()
    parent = f"00-{TRACE}-00f067aa0ba902b7-01"
    requests.get(f"{server.url}/health/live", headers={"traceparent": parent}, timeout=30)

    def continued():
        return [span for span in collector.spans if span.trace_id.hex() == TRACE]

    wait_until(continued, 30, "the proxy's trace")
    assert continued()[0].parent_span_id.hex() == "00f067aa0ba902b7"
    assert collector.paths == {"/otlp"}


def test_one_percent_of_requests_is_sampled(make_server, collector):
    server = make_server("--traces-url", collector.url).start()
    with requests.Session() as session:
        for _ in range(3_000):
            session.get(f"{server.url}/health/live", timeout=30)
    time.sleep(6)
    # 30 are expected; fewer than 5 or more than 80 come once in millions of runs.
    assert 5 <= len(collector.named("GET /health/live")) <= 80


@pytest.mark.parametrize("status", [None, 503])
def test_missing_collector_delays_nothing(make_server, status):
    collector = Collector(status or 200)
    if status is None:
        collector.close()
    server = make_server("--traces-url", collector.url, "--traces-percent", 100).start()
    person = sign_in(server, phone_number(0))
    for _ in range(20):
        person.check_in()
    wait_until(lambda: "traces failed" in server.output(), 30, "a line about the collector")
    metrics = requests.get(f"{server.url}/metrics", timeout=30).text
    dropped = re.search(r"^lifesignal_trace_spans_dropped_total (\d+)$", metrics, re.MULTILINE)
    assert int(dropped[1]) > 0
    started = time.monotonic()
    assert server.stop()[0] == 0
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["--traces-url", "http://example.org"], "--traces-url"),
        (["--traces-url", "http://localhost:4318", "--traces-percent", "0"], "--traces-percent"),
        (["--traces-url", "http://localhost:4318", "--traces-percent", "101"], "--traces-percent"),
    ],
)
def test_unusable_settings_are_refused(make_server, arguments, word):
    server = make_server(*arguments)
    server.launch()
    assert server.wait_for_end(10) > 0
    assert word in server.output()
