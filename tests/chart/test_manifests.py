"""What the chart renders: valid for every version of Kubernetes that it names, hardened, and true to the product."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import certifi
import httpx2
import pytest
from helm import CREDENTIALS, PROFILES, TRIAL, Helm, merged, pods_of
from kubernetes_schema import faults

from trivium.config import load_settings, unknown_variables
from trivium.domain.documents import LANES_OF
from trivium.flow.pipeline import Worker, stages_of
from trivium.flow.queues import consumed_by, consumed_in_turn_by

EVERYTHING: Mapping[str, Any] = merged(
    TRIAL,
    {
        "ingress": {"http": {"enabled": True, "host": "a.example"}, "grpc": {"enabled": True, "host": "b.example"}},
        "backfill": {
            "sources": [{"name": "archive", "address": "s3://archive/2023/", "rate": "50/s", "dataset": "old"}]
        },
        "autoscaling": {"kind": "hpa"},
        "monitoring": {"kind": "annotations"},
        "certificates": {"existingConfigMap": "company", "key": "roots.pem"},
        "connect": {
            "credentials": {"acme": "acme-places", "b_2": "others"},
            "folders": {
                "papers": {"volume": {"persistentVolumeClaim": {"claimName": "papers"}}},
                "theirs": {"volume": {"nfs": {"server": "files.example", "path": "/theirs"}}, "tenant": "acme"},
            },
        },
    },
)
WHOLE = [("", TRIAL), ("", EVERYTHING), *((profile, TRIAL) for profile in PROFILES)]
COMMANDS = {"query-api", "control", "inference"}


@pytest.fixture(params=WHOLE, ids=["defaults", "everything", *PROFILES])
def objects(request: pytest.FixtureRequest, helm: Helm) -> list[dict[str, Any]]:
    profile, values = request.param
    return helm.template(values=values, profile=profile)


def test_every_object_fits_the_api_documents_of_all_supported_versions(
    objects: list[dict[str, Any]], services: Path
) -> None:
    documents = sorted((services / "kubernetes/openapi").glob("v1.*.json"))
    assert {path.name.rsplit(".", 2)[0] for path in documents} == {f"v1.{minor}" for minor in range(30, 35)}
    for path in documents:
        document = json.loads(path.read_text())
        assert [fault for item in objects for fault in faults(document, item)] == [], path.name


def test_the_check_against_api_documents_finds_what_is_wrong(helm: Helm, services: Path) -> None:
    document = json.loads(next((services / "kubernetes/openapi").glob("v1.34*.json")).read_text())
    deployment = next(item for item in helm.template() if item["kind"] == "Deployment")
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    container["livenessprobe"] = container.pop("livenessProbe")
    deployment["spec"]["revisionHistoryLimit"] = "three"
    del deployment["spec"]["selector"]
    told = " ".join(faults(document, deployment))
    assert "livenessprobe" in told
    assert "revisionHistoryLimit" in told
    assert "selector" in told


def test_every_pod_is_locked_in(objects: list[dict[str, Any]]) -> None:
    pods = pods_of(objects)
    assert len(pods) > 5
    for name, pod in pods.items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["enableServiceLinks"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in spec["containers"]:
            locked = container["securityContext"]
            assert locked == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert {"requests", "limits"} <= set(container["resources"]), name


def test_every_process_is_probed_and_has_time_to_stop(objects: list[dict[str, Any]]) -> None:
    for item in objects:
        if item["kind"] != "Deployment":
            continue
        spec = item["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
        before = int(container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [0, 0])[1])
        assert spec["terminationGracePeriodSeconds"] >= before + 10, "a stop takes ten seconds"


def environment(objects: list[dict[str, Any]], container: dict[str, Any], folder: Path) -> dict[str, str]:
    """What the container's process would find, with a file for each credential and authorities that exist."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        name = source["configMapRef"]["name"]
        (settings,) = (i for i in objects if i["kind"] == "ConfigMap" and i["metadata"]["name"] == name)
        found |= settings["data"]
    for variable in container["env"]:
        found[variable["name"]] = variable["value"]
        if variable["name"].endswith("_FILE") and variable["value"].startswith("/run/secrets"):
            path = folder / Path(variable["value"]).name
            path.write_text(CREDENTIALS.get(path.name, "default:secret") + "\n")
            found[variable["name"]] = str(path)
    if "TRIVIUM_CA_FILE" in found:
        found["TRIVIUM_CA_FILE"] = certifi.where()
    return {name: value for name, value in found.items() if name.startswith("TRIVIUM_")}


def test_settings_are_settings_and_commands_are_installed(objects: list[dict[str, Any]], tmp_path: Path) -> None:
    programs = {entry.name for entry in entry_points(group="console_scripts")}
    for name, pod in pods_of(objects).items():
        (container,) = pod["spec"]["containers"]
        if name.endswith(("-vllm", "-test")):
            continue
        assert container["command"][0] in programs, name
        given = environment(objects, container, tmp_path)
        assert unknown_variables(given) == [], name
        assert load_settings(given).backend == "distributed", name


def test_a_process_has_the_credentials_that_it_needs_and_no_other(helm: Helm) -> None:
    held = {
        name: {
            file["key"]
            for volume in pod["spec"].get("volumes", [])
            for file in volume.get("secret", {}).get("items", [])
        }
        for name, pod in pods_of(helm.template()).items()
    }
    assert held["trivium-inference"] == set()
    assert {name for name, keys in held.items() if "api_keys" in keys} == {"trivium-query-api"}
    assert {name for name, keys in held.items() if "link_secret" in keys} == {"trivium-query-api"}
    assert {name for name, keys in held.items() if "events_token" in keys} == {"trivium-control"}
    assert "s3_secret_key" in held["trivium-worker-graph"]


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_authorities_of_ones_own_are_mounted_wherever_trivium_runs_and_the_setting_leads_there(
    helm: Helm, kind: str
) -> None:
    told = {"certificates": {f"existing{kind}": "company", "key": "roots.pem"}}
    archive = {"backfill": {"sources": [{"name": "archive", "address": "s3://archive/"}]}}
    for profile in ("", "gpu"):
        for name, pod in pods_of(helm.template(values=merged(TRIAL, archive, told), profile=profile)).items():
            (container,) = pod["spec"]["containers"]
            found = {variable["name"]: variable["value"] for variable in container.get("env", [])}
            mounts = {mount["mountPath"]: mount for mount in container.get("volumeMounts", [])}
            if name.endswith(("-vllm", "-test")):  # they ask nobody over TLS
                assert "TRIVIUM_CA_FILE" not in found, name
                assert "/run/trivium" not in mounts, name
                continue
            folder, _, file = found["TRIVIUM_CA_FILE"].rpartition("/")
            assert mounts[folder]["readOnly"], name
            (volume,) = (v for v in pod["spec"]["volumes"] if v["name"] == mounts[folder]["name"])
            named = {"configMap": {"name": "company"}, "secret": {"secretName": "company"}}
            source = {"ConfigMap": "configMap", "Secret": "secret"}[kind]
            assert volume[source] == {**named[source], "items": [{"key": "roots.pem", "path": file}]}, name
    assert not [name for name, pod in pods_of(helm.template()).items() if "authorities" in json.dumps(pod)]


def test_what_connections_need_is_mounted_where_they_are_looked_at_and_nowhere_else(helm: Helm) -> None:
    pods = pods_of(helm.template(values=EVERYTHING))
    for name, pod in pods.items():
        (container,) = pod["spec"]["containers"]
        told = {variable["name"]: variable.get("value") for variable in container.get("env", [])}
        volumes = {volume.pop("name"): volume for volume in pod["spec"].get("volumes", [])}
        mounts = {mount["mountPath"]: mount for mount in container.get("volumeMounts", [])}
        if name != "trivium-query-api":
            assert not [volume for volume in volumes if volume.startswith("connect")], name
            continue
        assert told["TRIVIUM_CONNECT_FOLDERS"] == "/connect/papers,acme=/connect/theirs"
        for path, source in {
            f"{told['TRIVIUM_CONNECT_SECRETS']}/acme": {"secret": {"secretName": "acme-places"}},
            f"{told['TRIVIUM_CONNECT_SECRETS']}/b_2": {"secret": {"secretName": "others"}},
            "/connect/papers": {"persistentVolumeClaim": {"claimName": "papers"}},
            "/connect/theirs": {"nfs": {"server": "files.example", "path": "/theirs"}},
        }.items():
            assert mounts[path]["readOnly"]
            (kind,) = source
            assert source[kind].items() <= volumes[mounts[path]["name"]][kind].items()


def test_a_credential_is_in_no_settings(helm: Helm) -> None:
    values = merged(TRIAL, {"credentials": {"create": {"redis_url": "rediss://u:word@redis.servers.svc:6379/0"}}})
    objects = helm.template(values=values)
    (settings,) = (item for item in objects if item["kind"] == "ConfigMap")
    assert "TRIVIUM_REDIS_URL" not in settings["data"]
    texts = [json.dumps(item) for item in objects if item["kind"] != "Secret"]
    assert not [text for text in texts if "word" in text or "secret-of-s3" in text]


def test_changed_settings_change_every_pod(helm: Helm) -> None:
    before = pods_of(helm.template())
    after = pods_of(helm.template(values=merged(TRIAL, {"settings": {"chunk_size": 999}})))
    for name, pod in before.items():
        if not name.endswith("-test"):
            assert pod["metadata"]["annotations"] != after[name]["metadata"]["annotations"], name


def test_only_the_query_service_reaches_the_internet(objects: list[dict[str, Any]]) -> None:
    policies = {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == "NetworkPolicy"}
    labels = {name: pod["metadata"]["labels"] for name, pod in pods_of(objects).items()}
    for name, found in labels.items():
        chosen = [p for p in policies.values() if p["podSelector"]["matchLabels"].items() <= found.items()]
        assert len(chosen) == 1 or name.endswith("-test"), f"{name} is under one policy"
    wide = {name for name, policy in policies.items() if any(_is_wide(rule) for rule in policy["egress"])}
    assert wide <= {"trivium-query-api"}
    assert all({"Ingress", "Egress"} == set(policy["policyTypes"]) for policy in policies.values())


STORES = {("servers", port) for port in (9000, 6379, 19530, 9200, 7687)}
DNS = {("kube-system", 53)}
INFERENCE, VLLM, ANYWHERE = ("component inference", 9191), ("component vllm", 8000), "anywhere"
LEAVES = {
    "query-api": STORES | DNS | {INFERENCE},
    "control": STORES | DNS | {INFERENCE},
    "worker-ingest": STORES | DNS | {INFERENCE},
    "worker-graph": STORES | DNS | {INFERENCE},
    "inference": DNS,
    "prepare": STORES | DNS | {INFERENCE},
}
ENTERS = {
    "query-api": {(ANYWHERE, 8080), (ANYWHERE, 9090), ("every namespace", 8080)},
    "control": {("servers", 8081), ("every namespace", 8081)},
    "worker-ingest": {("every namespace", 9100)},
    "worker-graph": {("every namespace", 9100)},
    "inference": {("ours", 9191), ("every namespace", 9192)},
    "prepare": set(),
}


def _peer(peer: Mapping[str, Any]) -> str:
    """In words: a namespace, a component, or how wide it is."""
    if "ipBlock" in peer:
        return str(peer["ipBlock"]["cidr"])
    if "namespaceSelector" in peer:
        return str(
            peer["namespaceSelector"].get("matchLabels", {}).get("kubernetes.io/metadata.name", "every namespace")
        )
    component = peer["podSelector"]["matchLabels"].get("app.kubernetes.io/component")
    return f"component {component}" if component else "ours"


def _pairs(rules: list[Mapping[str, Any]], side: str) -> set[tuple[str, int]]:
    """Each peer with each port that it may use; without peers, anybody."""
    return {
        (peer, port["port"])
        for rule in rules
        for peer in (map(_peer, rule[side]) if rule.get(side) else [ANYWHERE])
        for port in rule["ports"]
    }


def _policies(helm: Helm, values: Mapping[str, Any], profile: str = "") -> dict[str, Any]:
    objects = helm.template(values=values, profile=profile)
    return {i["metadata"]["name"].removeprefix("trivium-"): i["spec"] for i in objects if i["kind"] == "NetworkPolicy"}


def test_a_component_reaches_the_servers_of_the_settings_by_their_ports_and_nothing_else(helm: Helm) -> None:
    policies = _policies(helm, merged(TRIAL, {"networkPolicy": {"web": {"enabled": False}}}))
    assert {name: _pairs(policies[name]["egress"], "to") for name in LEAVES} == LEAVES
    assert {name: _pairs(policies[name]["ingress"], "from") for name in ENTERS} == ENTERS


def test_an_address_of_the_settings_moves_the_rule_that_leads_there(helm: Helm) -> None:
    moved = {"settings": {"milvus_url": "http://10.1.2.3:1234", "traces_url": "http://otel.watch.svc:4318"}}
    found = _pairs(_policies(helm, merged(TRIAL, moved))["worker-graph"]["egress"], "to")
    assert found == STORES - {("servers", 19530)} | DNS | {INFERENCE, ("10.1.2.3/32", 1234), ("watch", 4318)}


def _told(cidr: str, port: int) -> dict[str, Any]:
    """What networkPolicy.egress says of one place."""
    return {"to": [{"ipBlock": {"cidr": cidr}}], "ports": [{"protocol": "TCP", "port": port}]}


def test_a_hosted_language_model_is_reached_where_it_is_told_to_be_by_all_who_ask_it(helm: Helm) -> None:
    hosted = {
        "settings": {"llm": "openai", "llm_model": "m"},
        "networkPolicy": {"egress": {"llm": [_told("198.51.100.0/24", 443)]}},
    }
    policies = _policies(helm, merged(TRIAL, hosted))
    reach = {name for name, policy in policies.items() if ("198.51.100.0/24", 443) in _pairs(policy["egress"], "to")}
    assert reach == {"query-api", "prepare", "upkeep", *(name for name in policies if name.startswith("worker-"))}
    beside = {"settings": {"llm": "ollama", "llm_model": "m"}}
    assert _policies(helm, merged(TRIAL, beside)) == _policies(helm, TRIAL), "one of the pod's own is under no policy"


def test_an_identity_provider_and_private_places_are_reached_by_the_query_service_alone(helm: Helm) -> None:
    inside = {"settings": {"oidc_issuer": "https://keycloak.login.svc/realms/acme", "oidc_audience": "us"}}
    policies = _policies(helm, merged(TRIAL, inside))
    assert {n for n, p in policies.items() if ("login", 443) in _pairs(p["egress"], "to")} == {"query-api"}
    public = {"settings": {"oidc_issuer": "https://login.example.org", "oidc_audience": "us"}}
    assert _policies(helm, merged(TRIAL, public)) == _policies(helm, TRIAL), "the web has it"
    rules = {"oidc": [_told("10.1.0.7/32", 443)], "connect": [_told("10.2.0.0/16", 993)]}
    policies = _policies(helm, merged(TRIAL, public, {"networkPolicy": {"egress": rules}}))
    for place in (("10.1.0.7/32", 443), ("10.2.0.0/16", 993)):
        assert {n for n, p in policies.items() if place in _pairs(p["egress"], "to")} == {"query-api"}


def test_an_air_gapped_cluster_lets_nothing_out(helm: Helm) -> None:
    policies = _policies(helm, TRIAL, profile="gpu")
    for name, policy in policies.items():
        assert not any(_is_wide(rule) for rule in policy["egress"]), name
    assert _pairs(policies["vllm"]["egress"], "to") == DNS
    assert _pairs(policies["worker-ingest"]["egress"], "to") == STORES | DNS | {INFERENCE, VLLM}


def test_a_large_installation_spreads_over_zones_and_nodes(helm: Helm) -> None:
    objects = helm.template(profile="large")
    pods = pods_of(objects)
    for name in (item["metadata"]["name"] for item in objects if item["kind"] == "Deployment"):
        spread = pods[name]["spec"]["topologySpreadConstraints"]
        assert {one["topologyKey"] for one in spread} == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}
        for one in spread:
            assert one["labelSelector"]["matchLabels"].items() <= pods[name]["metadata"]["labels"].items()


def test_an_ingress_leads_to_the_port_of_its_protocol(helm: Helm) -> None:
    objects = helm.template(values=EVERYTHING)
    (service,) = (i for i in objects if i["kind"] == "Service" and i["metadata"]["name"] == "trivium-query-api")
    ports = {port["name"] for port in service["spec"]["ports"]}
    found = {}
    for item in (i for i in objects if i["kind"] == "Ingress"):
        (rule,) = item["spec"]["rules"]
        (path,) = rule["http"]["paths"]
        found[rule["host"]] = path["backend"]["service"]
    assert found == {
        "a.example": {"name": "trivium-query-api", "port": {"name": "http"}},
        "b.example": {"name": "trivium-query-api", "port": {"name": "grpc"}},
    }
    assert {"http", "grpc"} <= ports


def test_a_worker_whose_canary_is_late_fails_its_probe(helm: Helm, tmp_path: Path) -> None:
    """The rendered command itself, on a file of ours."""
    alive = tmp_path / "worker-alive"
    for name, minutes in (("worker-ingest", 241), ("worker-ingest-others", 31)):
        (container,) = pods_of(helm.template())[f"trivium-{name}"]["spec"]["containers"]
        command = [
            part.replace("/tmp/worker-alive", str(alive)) for part in container["livenessProbe"]["exec"]["command"]
        ]
        assert container["readinessProbe"]["exec"] == container["livenessProbe"]["exec"]
        alive.touch()
        for age_minutes, status in ((minutes - 2, 0), (minutes + 1, 1)):
            then = time.time() - 60 * age_minutes
            os.utime(alive, (then, then))
            assert subprocess.run(command, check=False).returncode == status, (name, age_minutes)
        alive.unlink()
        assert subprocess.run(command, check=False, capture_output=True).returncode == 1


def _is_wide(rule: Mapping[str, Any]) -> bool:
    """Whether it leads out of the cluster, or anywhere."""
    return not rule.get("to") or any(peer.get("ipBlock", {}).get("cidr", "").endswith("/0") for peer in rule["to"])


def test_keda_watches_the_queues_that_a_worker_consumes(helm: Helm) -> None:
    objects = helm.template(profile="large")
    scaled = {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == "ScaledObject"}
    for name, kind in (("ingest", Worker.INGEST), ("graph", Worker.GRAPH)):
        for suffix, lanes in (("", LANES_OF["uploads"]), ("-others", LANES_OF["others"])):
            triggers = scaled[f"trivium-worker-{name}{suffix}"]["triggers"]
            stages = stages_of(kind)
            wanted = {*consumed_by(stages, lanes), *consumed_in_turn_by(stages, lanes)}
            for trigger in triggers:
                url = httpx2.URL(trigger["metadata"]["url"])
                assert url.host == "trivium-control.trivium.svc"
                assert set(url.params["queues"].split(",")) == wanted
            assert [trigger["metadata"]["valueLocation"] for trigger in triggers] == [
                "total.work_s",
                "total.active_documents",
            ]
    deployments = {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == "Deployment"}
    assert all("replicas" not in deployments[name] for name in scaled), "an upgrade must not undo the scaling"


def test_a_worker_of_the_language_model_scales_to_nothing_by_its_own_queue(helm: Helm) -> None:
    llm = {"kind": "ingest", "lanes": "all", "queues": ["llm"], "scaling": {"min": 0}, "replicas": 1, "scratch": "1Gi"}
    both = {"llm": {**llm, "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}}}
    workers = {"ingest": {"lanes": "all", "queues": ["parse", "embed", "index"]}, "ingest-others": None, **both}
    values = merged(TRIAL, {"workers": workers, "autoscaling": {"kind": "keda"}})
    objects = helm.template(values=values)
    scaled = {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == "ScaledObject"}
    of_llm, of_ingest = scaled["trivium-worker-llm"], scaled["trivium-worker-ingest"]
    assert (of_llm["minReplicaCount"], of_ingest["minReplicaCount"]) == (0, 1)
    asked = httpx2.URL(of_llm["triggers"][0]["metadata"]["url"]).params["queues"].split(",")
    assert asked == ["llm", "llm.recording", "llm.large", "llm.backfill"]
    (container,) = pods_of(objects)["trivium-worker-llm"]["spec"]["containers"]
    assert {"name": "TRIVIUM_WORKER_QUEUES", "value": "llm"} in container["env"]


def test_the_query_service_scales_by_requests_in_flight_and_by_processor_time_without_keda(helm: Helm) -> None:
    def scaler(kind: str, of: str) -> Any:
        objects = helm.template(values=merged(TRIAL, {"autoscaling": {"kind": kind}}))
        return next(i["spec"] for i in objects if i["kind"] == of and i["metadata"]["name"] == "trivium-query-api")

    (trigger,) = scaler("keda", "ScaledObject")["triggers"]
    assert trigger["metadata"]["valueLocation"] == "trivium_requests_inflight"
    assert trigger["metadata"]["aggregationType"] == "sum"
    (metric,) = scaler("hpa", "HorizontalPodAutoscaler")["metrics"]
    assert metric["resource"]["name"] == "cpu"


def test_inference_scales_by_the_seconds_in_its_queue(helm: Helm) -> None:
    prometheus = {"autoscaling": {"kind": "keda", "prometheus": {"address": "http://prometheus.monitoring.svc:9090"}}}
    objects = helm.template(values=merged(TRIAL, prometheus))
    scaled = {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == "ScaledObject"}
    (trigger,) = scaled["trivium-inference"]["triggers"]
    query = trigger["metadata"]["query"]
    assert query.count('{namespace="trivium"}') == 3
    assert {name for name in re.findall(r"trivium_[a-z_]+", query)} == {
        "trivium_inference_queued",
        "trivium_inference_batch_seconds_sum",
        "trivium_inference_batch_cost_sum",
    }


def test_every_process_is_scraped_where_it_tells_its_metrics(helm: Helm) -> None:
    objects = helm.template(values=merged(TRIAL, {"monitoring": {"kind": "prometheus-operator"}}))
    scraped = {i["metadata"]["name"]: i["spec"]["podMetricsEndpoints"][0] for i in objects if i["kind"] == "PodMonitor"}
    assert scraped["trivium-control"]["port"] == "events"
    for name, endpoint in scraped.items():
        (container,) = pods_of(objects)[name]["spec"]["containers"]
        assert endpoint["port"] in {port["name"] for port in container["ports"]}


def _names(objects: list[dict[str, Any]], kind: str) -> Iterator[str]:
    return (item["metadata"]["name"] for item in objects if item["kind"] == kind)


def test_a_gpu_is_asked_for_where_models_run(helm: Helm) -> None:
    pods = pods_of(helm.template(profile="gpu"))
    on_gpus = {name for name, pod in pods.items() if "nvidia.com/gpu" in json.dumps(pod["spec"]["containers"])}
    assert on_gpus == {"trivium-inference", "trivium-vllm"}
    for name in on_gpus:
        assert pods[name]["spec"]["tolerations"], name
        assert {"name": "models", "mountPath": "/models", "readOnly": True} in pods[name]["spec"]["containers"][0][
            "volumeMounts"
        ]


def test_a_backfill_is_a_job_of_its_own_address(helm: Helm) -> None:
    objects = helm.template(values=EVERYTHING)
    (name,) = (name for name in _names(objects, "Job") if "backfill" in name)
    (container,) = pods_of(objects)[name]["spec"]["containers"]
    assert container["command"] == [
        *("trivium", "backfill", "s3://archive/2023/", "--max-inflight", "1000", "--rate", "50/s", "--dataset", "old"),
    ]
    changed = helm.template(values=merged(EVERYTHING, {"image": {"tag": "0.2.0"}}))
    assert name not in _names(changed, "Job"), "a Job cannot be changed, only replaced"


def test_every_process_has_its_own_image_or_all_have_one(helm: Helm) -> None:
    assert _images(helm) == {"query-api", "control", "ingest-worker", "graph-worker", "inference", "trivium"}
    assert _images(helm, {"inference": {"enabled": False}}) == {"control", "trivium"}, "each runs the models itself"
    one = dict.fromkeys(("query", "ingest", "graph", "control", "inference", "job"), "")
    digest = f"sha256:{'0' * 64}"
    pods = pods_of(helm.template(values=merged(TRIAL, {"images": one, "image": {"digest": digest}}))).values()
    assert {pod["spec"]["containers"][0]["image"] for pod in pods} == {f"trivium@{digest}"}


def _images(helm: Helm, values: Mapping[str, Any] | None = None) -> set[str]:
    """The names below the repository."""
    pods = pods_of(helm.template(values=merged(TRIAL, values or {}))).values()
    return {pod["spec"]["containers"][0]["image"].split("/")[-1].partition(":")[0] for pod in pods}
