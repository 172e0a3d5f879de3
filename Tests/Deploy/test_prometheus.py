"""The rules and the dashboard name only metrics that exist. The rules fire when they should. A real
Prometheus accepts both."""

import json
import re

import pytest
import requests
import yaml

import metrics
from daemons import program, succeeded
from paths import DEPLOY, adapted
from ports import free_ports
from support.api import Client, sign_in
from support.program import phone_number
from support.waiting import wait_until

RULES = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus/rules.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((DEPLOY / "grafana/lifesignal.json").read_text())
PANELS = DASHBOARD["panels"]
TARGETS = [target for panel in PANELS for target in panel.get("targets", [])]


def filled_in(expression):
    """Returns an expression of the dashboard as Grafana would send it."""
    return expression.replace("$__rate_interval", "1m").replace("$instance", ".*")


def test_names_are_found_in_expressions():
    found = metrics.named('sum by (le) (rate(a_bucket{x="y z"}[5m])) / b > 1 unless c offset 5m')
    assert found == {"a_bucket", "b", "c"}


def test_rules_name_metrics_that_exist():
    for rule in RULES:
        assert metrics.named(rule["expr"]), rule["alert"]
        assert not metrics.unknown(rule["expr"]), rule["alert"]


def test_the_dashboard_names_metrics_that_exist():
    assert len(TARGETS) > 20
    for target in TARGETS:
        assert metrics.named(target["expr"]), target
        assert not metrics.unknown(target["expr"]), target


def test_states_in_expressions_are_states_of_deliveries():
    source = (metrics.SOURCES / "Shared/Domain/Notifications/Delivery.swift").read_text()
    states = set(re.findall(r"^    case (\w+)$", source, re.MULTILINE))
    assert {"queued", "accepted"} < states
    for rule in RULES:
        for value in re.findall(r'\bstate=~?"([^"]*)"', rule["expr"]):
            assert set(value.split("|")) <= states, rule["alert"]


def test_a_running_server_has_the_metrics(make_server):
    server = make_server().start()
    sign_in(server, phone_number(0)).check_in()
    text = Client(server).get("/metrics").decode()
    shown = set(re.findall(r"^(lifesignal_\w+)", text, re.MULTILINE))
    assert shown and shown <= metrics.samples()
    assert "lifesignal_deadline_failures_total" in shown
    # Other metrics appear with their first event. Every server has made commits.
    assert {name for name in metrics.samples() if "commit_seconds" in name} <= shown


def test_promtool_takes_the_files():
    for check in (["config", "prometheus.yml"], ["rules", "rules.yml"]):
        succeeded("promtool", "check", *check, cwd=DEPLOY / "prometheus")
    succeeded("promtool", "test", "rules", "tests.yml", cwd=DEPLOY / "prometheus")


def test_every_alert_has_a_test_in_which_it_fires():
    tests = yaml.safe_load((DEPLOY / "prometheus/tests.yml").read_text())["tests"]
    checks = [check for test in tests for check in test["alert_rule_test"]]
    fired = {check["alertname"] for check in checks if check.get("exp_alerts")}
    assert fired == {rule["alert"] for rule in RULES}


def test_every_alert_says_what_to_do():
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert set(rule["annotations"]) == {"summary", "action"}, rule["alert"]


def test_panels_have_numbers_of_their_own_and_do_not_overlap():
    numbers = [panel["id"] for panel in PANELS]
    assert len(numbers) == len(set(numbers))
    taken = set()
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def test_the_dashboard_asks_which_prometheus():
    assert DASHBOARD["schemaVersion"] >= 36 and DASHBOARD["title"] and DASHBOARD["uid"]
    variables = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["datasource"]["query"] == "prometheus"
    for panel in PANELS:
        if panel["type"] != "row":
            assert panel["title"] and panel["targets"]
            references = [target["refId"] for target in panel["targets"]]
            assert len(references) == len(set(references))
            for owner in (panel, *panel["targets"]):
                assert owner["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


@pytest.fixture
def prometheus(make_server, start, tmp_path):
    """Prometheus and the blackbox exporter with the shipped settings, and a server to watch."""
    server = make_server().start()
    port, probes = free_ports(2)
    (tmp_path / "rules.yml").write_text((DEPLOY / "prometheus/rules.yml").read_text())
    file = adapted(
        "prometheus/prometheus.yml",
        ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
        ("127.0.0.1:9115", f"127.0.0.1:{probes}"),
        ("_interval: 5s", "_interval: 1s"),
        folder=tmp_path,
    )
    start(
        *[program("prometheus-blackbox-exporter"), "--config.file=/etc/prometheus/blackbox.yml"],
        f"--web.listen-address=127.0.0.1:{probes}",
    ).wait_for_port(probes)
    start(
        *[program("prometheus"), f"--config.file={file}", f"--storage.tsdb.path={tmp_path}/data"],
        f"--web.listen-address=127.0.0.1:{port}",
    ).wait_for_port(port)

    ready = f"http://127.0.0.1:{port}/-/ready"
    wait_until(lambda: requests.get(ready, timeout=10).status_code == 200, 30, "Prometheus")

    def ask(path, **parameters):
        answer = requests.get(f"http://127.0.0.1:{port}/api/v1/{path}", parameters, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    return server, ask


def test_prometheus_reads_the_server_and_notices_its_end(prometheus):
    server, ask = prometheus

    def value(expression):
        return [sample["value"][1] for sample in ask("query", query=expression)["result"]]

    wait_until(lambda: value('up{job="lifesignal"}') == ["1"], 30, "figures of the server")
    wait_until(
        lambda: value('probe_success{job="lifesignal-ready"}') == ["1"], 30, "the probe's figure"
    )
    for target in TARGETS:
        ask("query", query=filled_in(target["expr"]))
    assert value('sum(up{job="lifesignal"})') == ["1"]

    def alerts():
        return {alert["labels"]["alertname"] for alert in ask("alerts")["alerts"]}

    loaded = {rule["name"] for group in ask("rules")["groups"] for rule in group["rules"]}
    assert loaded == {rule["alert"] for rule in RULES}
    expected = {"LifeSignalDown", "LifeSignalAllDown", "LifeSignalNotReady"}
    wait_until(
        lambda: not expected & alerts(), 30, "the end of the alerts before the first figures"
    )
    server.kill()
    wait_until(lambda: expected <= alerts(), 30, "the alerts of a server that is gone")
