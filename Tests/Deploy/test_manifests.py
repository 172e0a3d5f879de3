"""The files for Compose and Kubernetes, against their schemas and against the image."""

import subprocess
import sys

import kubernetes_validate
import pytest
import yaml

from paths import DEPLOY
from support.program import environment

sys.path.insert(0, str(DEPLOY / "container"))
import image

COMPOSE = DEPLOY / "container/compose.yaml"
KUBERNETES = DEPLOY / "kubernetes/lifesignal.yaml"


def compose_fault(file):
    """Returns what is wrong by the schema of the Compose specification, or an empty text."""
    check = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    result = subprocess.run([sys.executable, *check], capture_output=True, text=True)
    return result.stdout + result.stderr if result.returncode else ""


def objects():
    return list(yaml.safe_load_all(KUBERNETES.read_text()))


def object_of(kind):
    return next(one for one in objects() if one["kind"] == kind)


def test_compose_file_fits_its_schema(tmp_path):
    assert not compose_fault(COMPOSE)
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(COMPOSE.read_text().replace("read_only: true", "read_only: [1]"))
    assert "read_only" in compose_fault(wrong)


@pytest.mark.parametrize("version", ["1.31", "1.34", "1.37"])
def test_kubernetes_objects_fit_their_schemas(version):
    for one in objects():
        kubernetes_validate.validate(one, version, strict=True)
    wrong = object_of("StatefulSet")
    wrong["spec"]["replicaz"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_compose_runs_the_image_as_it_is_meant():
    service = yaml.safe_load(COMPOSE.read_text())["services"]["lifesignal"]
    assert service["user"] == f"{image.USER}:{image.USER}"
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert service["volumes"] == [f"data:{image.DATA}"]
    assert service["healthcheck"]["test"] == image.HEALTH
    assert "ports" not in service, "only the proxy is reached from outside"
    caddy = yaml.safe_load(COMPOSE.read_text())["services"]["caddy"]
    assert caddy["depends_on"] == {"lifesignal": {"condition": "service_started"}}


def test_kubernetes_runs_the_image_as_it_is_meant():
    spec = object_of("StatefulSet")["spec"]
    assert spec["replicas"] == 1, "a file has one server"
    pod = spec["template"]["spec"]
    assert pod["enableServiceLinks"] is False, "its LIFESIGNAL_PORT is no port"
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsUser"] == image.USER
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [one["mountPath"] for one in container["volumeMounts"]] == [image.DATA]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports["http"] == 8080
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert f":{ports[asked['port']]}/health/" in image.HEALTH[-1], probe
        assert asked["path"] == "/health/live", "a full disk must not cut off the only server"
    [service] = [one for one in object_of("Service")["spec"]["ports"]]
    assert service["targetPort"] == "http", "health and metrics stay inside"


def test_health_and_metrics_stay_inside():
    (rule,) = object_of("Ingress")["spec"]["rules"]
    hidden = {
        path["path"]
        for path in rule["http"]["paths"]
        if path["backend"]["service"]["name"] == "lifesignal-hidden"
    }
    assert hidden == {"/health", "/metrics"}
    assert (
        "selector"
        not in next(one for one in objects() if one["metadata"]["name"] == "lifesignal-hidden")[
            "spec"
        ]
    )
    configs = yaml.safe_load(COMPOSE.read_text())["configs"]
    assert "@inside path /metrics /metrics/* /health /health/*" in configs["caddyfile"]["content"]


def test_caddy_takes_the_configuration_of_compose(tmp_path):
    text = yaml.safe_load(COMPOSE.read_text())["configs"]["caddyfile"]["content"]
    file = tmp_path / "Caddyfile"
    file.write_text(text.replace("${LIFESIGNAL_NAME}", "lifesignal.example.org"))
    subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", file],
        env=environment({"HOME": str(tmp_path)}),
        check=True,
        timeout=30,
    )


def test_new_servers_ask_for_an_invitation():
    service = yaml.safe_load(COMPOSE.read_text())["services"]["lifesignal"]["environment"]
    assert service["LIFESIGNAL_SIGN_UP"] == "${LIFESIGNAL_SIGN_UP:-invited}"
    assert object_of("ConfigMap")["data"]["LIFESIGNAL_SIGN_UP"] == "invited"


@pytest.mark.parametrize("name", ["LIFESIGNAL_SMS", "LIFESIGNAL_MAIL_SERVER"])
def test_new_servers_write_no_messages_into_the_log(name):
    service = yaml.safe_load(COMPOSE.read_text())["services"]["lifesignal"]["environment"]
    assert service[name] == f"${{{name}:-none}}"
    assert object_of("ConfigMap")["data"][name] == "none"
    assert f"\n{name}=none\n" in (DEPLOY / "systemd/lifesignal.env").read_text()
