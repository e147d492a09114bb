"""The Helm chart renders valid manifests of the same processes as docker-compose.yml.

Charts are rendered by Helm's own Go library, which `helm-python-sdk` contains.
"""

import json
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version as installed
from itertools import groupby
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml
from click.testing import CliRunner

from detourage.cli import main
from tests.image_context import ROOT
from worker.messaging.broker import topology_of
from worker.messaging.task_names import EXTRACT, STAGES
from worker.service.celery_application import create_app
from worker.settings import Settings

CHART = ROOT / "deploy/helm"
REQUIRED = {"image": "registry.example:5000/detourage:1.0.0", "secret": "news"}
OPTIONS: dict[str, dict[str, Any]] = {
    "autoscaling": {"autoscaling": True},
    "certificateAuthority": {"certificateAuthority": "authority.pem"},
    "environmentSecret": {"environmentSecret": "keys"},
    "neighbours": {"processes": {"inspector": {"replicas": 1}, "stories": {"replicas": 2}}},
    "monitoring": {"monitoring": {"enabled": True, "labels": {"release": "prometheus"}}},
    "networkPolicy": {"networkPolicy": {"enabled": True, "from": [{"podSelector": {}}]}},
    "pod": {"pod": {"nodeSelector": {"disk": "fast"}, "imagePullSecrets": [{"name": "pull"}]}},
}
EVERYTHING = {name: value for option in OPTIONS.values() for name, value in option.items()}

Manifest = dict[str, Any]
Render = Callable[..., list[Manifest]]


def compose_services() -> dict[str, dict[str, Any]]:
    """Return the processes of the Compose file, with the default values of its variables."""
    text = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", (ROOT / "docker-compose.yml").read_text())
    services = yaml.safe_load(text.replace("/run/secrets/", "/etc/detourage/"))["services"]
    return {name: each for name, each in services.items() if each["image"] == "detourage"}


SERVICES = compose_services()
WITH_HEARTBEAT = ("beat", "intake", "relay", "worker")


@pytest.fixture(scope="module")
def render() -> Iterator[Render]:
    with helm_python.Chart.load(CHART) as chart:

        def render_chart(**values: Any) -> list[Manifest]:
            files = chart.render({**REQUIRED, **values}, name="news", namespace="press")
            return [
                manifest
                for name, text in files.items()
                if name.endswith(".yaml")
                for manifest in yaml.load_all(text, yaml.CSafeLoader)
                if manifest
            ]

        yield render_chart


@pytest.fixture(scope="module")
def all_manifests(render: Render) -> list[Manifest]:
    return render(**EVERYTHING)


def of_kind(manifests: list[Manifest], kind: str) -> dict[str, Manifest]:
    return {each["metadata"]["name"]: each for each in manifests if each["kind"] == kind}


def pod_specs(manifests: list[Manifest]) -> dict[str, dict[str, Any]]:
    """Return the pod specification of each process, under the name of the process."""
    workloads = of_kind(manifests, "Deployment") | of_kind(manifests, "Job")
    return {
        name.removeprefix("news-"): each["spec"]["template"]["spec"]
        for name, each in workloads.items()
    }


def container_of(manifests: list[Manifest], name: str) -> dict[str, Any]:
    (found,) = pod_specs(manifests)[name]["containers"]
    assert isinstance(found, dict)
    return found


def environment_of(manifests: list[Manifest], name: str) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container_of(manifests, name)["env"]}


@pytest.mark.parametrize("version", ["1.28", "1.37"])
def test_manifests_follow_the_schemas_of_kubernetes(
    version: str, render: Render, all_manifests: list[Manifest]
) -> None:
    manifests = render() + all_manifests
    built_in = [
        each for each in manifests if not each["apiVersion"].startswith(("keda.", "monitoring."))
    ]

    def version_and_kind(manifest: Manifest) -> tuple[str, str]:
        return manifest["apiVersion"], manifest["kind"]

    # One list per kind, because the schemas are loaded for each validation.
    for (api, name), each in groupby(sorted(built_in, key=version_and_kind), version_and_kind):
        items = {"apiVersion": api, "kind": f"{name}List", "items": list(each)}
        kubernetes_validate.validate(items, version, strict=True)


def test_helm_finds_no_fault() -> None:
    report = helm_python.lint(CHART, {**REQUIRED, **EVERYTHING}, strict=True)
    assert report["errors"] == []
    assert [each["error"] for each in report["messages"]] == ["icon is recommended"]


def test_the_chart_has_all_processes_of_compose_and_omits_optional_ones_by_default(
    render: Render, all_manifests: list[Manifest]
) -> None:
    assert set(pod_specs(all_manifests)) == set(SERVICES)
    assert set(pod_specs(render())) == set(SERVICES) - {"inspector", "stories", "stories-migrate"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_process_runs_as_in_compose(name: str, render: Render) -> None:
    manifests = render(**OPTIONS["neighbours"])
    service, pod = SERVICES[name], pod_specs(manifests)[name]
    container = container_of(manifests, name)
    assert container["command"] == service["command"]
    chosen_by_users = {"DETOURAGE_LOG_LEVEL", "DETOURAGE_REVISIONS_FROM"}
    assert environment_of(manifests, name) == {
        variable: value
        for variable, value in service["environment"].items()
        if variable not in chosen_by_users
    }
    (items,) = (volume["secret"]["items"] for volume in pod["volumes"] if "secret" in volume)
    assert sorted(item["path"] for item in items) == sorted(service["secrets"])
    unit = {"g": "Gi", "m": "Mi"}[service["mem_limit"][-1]]
    assert container["resources"]["limits"]["memory"] == service["mem_limit"][:-1] + unit
    identity = pod["securityContext"]
    assert service["user"] == f"{identity['runAsUser']}:{identity['runAsGroup']}"


@pytest.mark.parametrize("name", SERVICES)
def test_a_pod_meets_the_restricted_standard(name: str, all_manifests: list[Manifest]) -> None:
    pod, container = pod_specs(all_manifests)[name], container_of(all_manifests, name)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False
    assert {next(iter(set(volume) - {"name"})) for volume in pod["volumes"]} == {
        "emptyDir",
        "secret",
    }


@pytest.mark.parametrize("name", WITH_HEARTBEAT)
def test_probes_run_commands_that_exist(name: str, all_manifests: list[Manifest]) -> None:
    container = container_of(all_manifests, name)
    liveness_command = container["livenessProbe"]["exec"]["command"]
    assert container["startupProbe"]["exec"]["command"] == liveness_command
    assert liveness_command == SERVICES[name]["healthcheck"]["test"][1:]
    for program, *arguments in (liveness_command, container["readinessProbe"]["exec"]["command"]):
        assert program == "detourage"
        assert CliRunner().invoke(main, [*arguments, "--help"]).exit_code == 0


@pytest.mark.parametrize("name", ["inspector", "metrics"])
def test_probes_use_the_port_that_the_service_offers(
    name: str, all_manifests: list[Manifest]
) -> None:
    container = container_of(all_manifests, name)
    (port,) = of_kind(all_manifests, "Service")[f"news-{name}"]["spec"]["ports"]
    assert str(port["port"]) in re.findall(r"\d{4}", " ".join(container["command"]))
    assert container["ports"] == [{"name": port["targetPort"], "containerPort": port["port"]}]
    for moment in ("startup", "liveness", "readiness"):
        probe = container[f"{moment}Probe"]
        assert (probe.get("tcpSocket") or probe["httpGet"])["port"] == port["port"]
        if "httpGet" in probe:
            assert (ROOT / "inspector" / probe["httpGet"]["path"].lstrip("/")).is_file()


@pytest.mark.parametrize("seconds", [60, 2.5, 600])
def test_a_worker_may_finish_its_tasks(
    seconds: float, render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETOURAGE_BROKER_URL", "amqp://broker")
    monkeypatch.setenv("DETOURAGE_PAGE_SECONDS", str(seconds))
    limit = create_app(Settings()).conf.task_annotations[EXTRACT]["time_limit"]
    pod = pod_specs(render(settings={"DETOURAGE_PAGE_SECONDS": seconds}))["worker"]
    assert pod["terminationGracePeriodSeconds"] == limit


def test_settings_exist_and_reach_every_process(render: Render) -> None:
    numbers_and_flags = {"DETOURAGE_PENDING_LIMIT": 16777216, "DETOURAGE_RENDER_NETWORK": True}
    manifests = render(settings={**numbers_and_flags, "DETOURAGE_TEXT_ROLES": 'lead "x"'})
    for name in pod_specs(manifests):
        variables = environment_of(manifests, name)
        assert variables["DETOURAGE_PENDING_LIMIT"] == "16777216"
        assert variables["DETOURAGE_RENDER_NETWORK"] == "true"
        assert variables["DETOURAGE_TEXT_ROLES"] == 'lead "x"'
        own_variables = {variable for variable in variables if variable.startswith("DETOURAGE_")}
        settings = {re.sub("^DETOURAGE_|_URL_FILE$", "", variable) for variable in own_variables}
        fields = {field.removesuffix("_url").upper() for field in Settings.model_fields}
        assert settings <= fields


def test_certificates_are_mounted_for_broker_and_database(render: Render) -> None:
    manifests = render(certificateAuthority="authority.pem")
    for name, pod in pod_specs(manifests).items():
        file = environment_of(manifests, name)["DETOURAGE_BROKER_CA_FILE"]
        assert file == "/etc/detourage/authority.pem"
        assert {"key": "authority.pem", "path": "authority.pem"} in pod["volumes"][0]["secret"][
            "items"
        ]


def test_other_variables_come_from_a_secret(render: Render, all_manifests: list[Manifest]) -> None:
    for name in pod_specs(all_manifests):
        expected = None if name.endswith("migrate") else [{"secretRef": {"name": "keys"}}]
        assert container_of(all_manifests, name).get("envFrom") == expected
    assert all("envFrom" not in container_of(render(), name) for name in pod_specs(render()))


def test_the_schema_is_migrated_before_processes_start(render: Render) -> None:
    (job,) = of_kind(render(), "Job").values()
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"


def test_processes_with_several_replicas_are_not_all_evicted_at_once(render: Render) -> None:
    manifests = render(processes={"relay": {"replicas": 1}})
    deployments = of_kind(manifests, "Deployment")
    budgets = of_kind(manifests, "PodDisruptionBudget")
    replicated = {name for name, each in deployments.items() if each["spec"]["replicas"] > 1}
    assert set(budgets) == replicated == {"news-intake", "news-worker"}
    for name, budget in budgets.items():
        assert budget["spec"]["selector"] == deployments[name]["spec"]["selector"]
        assert budget["spec"]["maxUnavailable"] == 1


def test_queues_scale_intake_and_worker(render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {each["kind"] for each in render()} & {"ScaledObject", "TriggerAuthentication"} == set()
    monkeypatch.setenv("DETOURAGE_BROKER_URL", "amqp://broker")
    monkeypatch.setenv("DETOURAGE_QUEUE_PREFIX", "north.")
    topology = topology_of(Settings())
    manifests = render(autoscaling=True, settings={"DETOURAGE_QUEUE_PREFIX": "north."})
    specs_by_target = {
        each["spec"]["scaleTargetRef"]["name"]: each["spec"]
        for each in of_kind(manifests, "ScaledObject").values()
    }
    queues = {
        name: {trigger["metadata"]["queueName"] for trigger in each["triggers"]}
        for name, each in specs_by_target.items()
    }
    assert queues == {
        "news-intake": {topology.pages},
        "news-worker": {topology.task_queue(stage) for stage in STAGES},
    }
    (authentication,) = of_kind(manifests, "TriggerAuthentication")
    (reference,) = of_kind(manifests, "TriggerAuthentication")[authentication]["spec"][
        "secretTargetRef"
    ]
    assert (reference["name"], reference["key"]) == ("news", "broker_url")
    deployments = of_kind(manifests, "Deployment")
    for name, each in specs_by_target.items():
        assert {trigger["authenticationRef"]["name"] for trigger in each["triggers"]} == {
            authentication
        }
        assert 1 <= each["minReplicaCount"] <= each["maxReplicaCount"]
        # Otherwise, each upgrade would undo the scaling.
        assert "replicas" not in deployments[name]["spec"]


def test_prometheus_and_grafana_get_the_rules_and_the_dashboard(render: Render) -> None:
    manifests = render(**OPTIONS["monitoring"])
    (rules,) = of_kind(manifests, "PrometheusRule").values()
    assert rules["spec"] == yaml.safe_load((ROOT / "monitoring/alerts.yml").read_text())
    (dashboard,) = of_kind(manifests, "ConfigMap").values()
    text = (ROOT / "monitoring/grafana/detourage.json").read_text()
    assert json.loads(dashboard["data"]["detourage.json"]) == json.loads(text)
    (monitor,) = of_kind(manifests, "ServiceMonitor").values()
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    labels = of_kind(manifests, "Service")["news-metrics"]["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    # The alerts select the series of this job.
    assert f'job="{labels[monitor["spec"]["jobLabel"]]}"' in json.dumps(rules["spec"]).replace(
        "\\", ""
    )


def test_a_network_policy_admits_only_the_given_peers_and_ports(render: Render) -> None:
    assert of_kind(render(), "NetworkPolicy") == {}
    policy = {"enabled": True, "ports": [6432], "from": [{"podSelector": {}}]}
    manifests = render(networkPolicy=policy)
    (spec,) = (each["spec"] for each in of_kind(manifests, "NetworkPolicy").values())
    assert spec["ingress"] == [{"ports": [{"port": "http"}], "from": policy["from"]}]
    assert {each["port"] for each in spec["egress"][0]["ports"]} == {53, 6432}
    for each in [*of_kind(manifests, "Deployment").values(), *of_kind(manifests, "Job").values()]:
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert spec["podSelector"]["matchLabels"].items() <= labels.items()


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"image": ""}, "at '/image'"),
        ({"image": "registry.example:5000/detourage"}, "at '/image'"),
        ({"image": "detourage:latest"}, "at '/image'"),
        ({"secret": ""}, "at '/secret'"),
        ({"processes": {"worker": {"replicas": 0}}}, "at '/processes/worker/replicas'"),
        ({"processes": {"relay": {"concurrency": 2}}}, "'concurrency' not allowed"),
        ({"processes": {"browser": {}}}, "'browser' not allowed"),
        ({"replicas": 3}, "'replicas' not allowed"),
        (
            {"settings": {"DETOURAGE_DATABASE_URL": "postgresql://u:p@h/d"}},
            "at '/settings/DETOURAGE_DATABASE_URL'",
        ),
        ({"settings": {"LOG_LEVEL": "INFO"}}, "LOG_LEVEL"),
        ({"networkPolicy": {"ports": [70000]}}, "at '/networkPolicy/ports/0'"),
        ({"pod": {"securityContext": {}}}, "securityContext"),
        (
            {"autoscaling": True, "processes": {"intake": {"maxReplicas": 1}}},
            "processes.intake: maxReplicas is less than replicas",
        ),
        (
            {"monitoring": {"enabled": True}, "processes": {"metrics": {"replicas": 0}}},
            "monitoring.enabled requires processes.metrics.replicas: 1",
        ),
    ],
)
def test_unusable_values_are_named(values: dict[str, Any], complaint: str, render: Render) -> None:
    with pytest.raises(helm_python.HelmError) as caught:
        render(**values)
    assert complaint in str(caught.value)


def test_the_chart_is_of_this_version() -> None:
    with helm_python.Chart.load(CHART) as chart:
        assert chart.metadata["appVersion"] == installed("detourage")
