"""docker/compose.yaml fits the product and the local recipes. No container engine is needed; none is started."""

from __future__ import annotations

import json
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from trivium.config import load_settings, unknown_variables
from trivium.flow.queues import RECORDING_LIMIT_S, TASK_LIMIT_S

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())
GPU: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.gpu.yaml").read_text())
VALUES: dict[str, Any] = yaml.safe_load((ROOT / "deploy/helm/trivium/values.yaml").read_text())
POD = (ROOT / "deploy/helm/trivium/templates/_pod.tpl").read_text()
SERVICES: dict[str, Any] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"].startswith("trivium/")}
SERVERS = {name: service for name, service in SERVICES.items() if name not in OWN}
ONCE = {"minio-setup", "prepare"}
STAYING = {name: service for name, service in OWN.items() if name not in ONCE}
SERVICE_KEYS = {
    *("image", "build", "command", "entrypoint", "environment", "depends_on", "healthcheck", "restart", "ports"),
    *("volumes", "security_opt", "read_only", "cap_drop", "user", "mem_limit", "stop_grace_period"),
}
KINDS = {  # of the chart, and where its values stand
    "query-api": ("query", VALUES["queryApi"]),
    "ingest-control": ("control", VALUES["control"]),
    "inference": ("inference", VALUES["inference"]),
    "ingest-worker": ("ingest", VALUES["workers"]["ingest"]),
    "ingest-worker-others": ("ingest", VALUES["workers"]["ingest-others"]),
    "graph-worker": ("graph", VALUES["workers"]["graph"]),
    "graph-worker-others": ("graph", VALUES["workers"]["graph-others"]),
}
_VARIABLE = re.compile(r"\$\{(\w+)[^}]*\}")


def environment(service: dict[str, Any]) -> dict[str, str]:
    """With a value for each variable that compose would fill in."""
    return {name: _VARIABLE.sub(f"tenant:{'x' * 32}", str(value)) for name, value in service["environment"].items()}


def test_the_file_uses_only_what_compose_knows_and_names_only_what_it_defines() -> None:
    assert set(COMPOSE) - {key for key in COMPOSE if key.startswith("x-")} == {"name", "services", "volumes"}
    mounted = [volume.split(":") for service in SERVICES.values() for volume in service.get("volumes", [])]
    volumes = [names[0] for names in mounted if len(names) > 1]
    assert sorted(volumes) == sorted(COMPOSE["volumes"])
    for service in SERVICES.values():
        assert set(service) <= SERVICE_KEYS
        for name, wanted in service.get("depends_on", {}).items():
            condition = "service_completed_successfully" if name in ONCE else "service_healthy"
            assert wanted == {"condition": condition}
            assert name in SERVICES


@pytest.mark.parametrize("name", sorted(set(SERVICES) - ONCE))
def test_every_service_restarts_and_says_whether_it_is_healthy(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout"} <= set(service["healthcheck"])


@pytest.mark.parametrize("name", sorted(OWN))
def test_every_process_of_trivium_is_installed_and_its_settings_are_accepted(name: str) -> None:
    programs = {entry.name for entry in entry_points(group="console_scripts")}
    assert OWN[name]["command"].split()[0] in programs
    given = environment(OWN[name])
    assert unknown_variables(given) == []
    settings = load_settings(given)
    assert settings.backend == "distributed"
    if name == "inference":
        return
    for url in (
        settings.s3_url,
        settings.redis_url,
        settings.milvus_url,
        settings.elasticsearch_url,
        settings.neo4j_url,
    ):
        assert urlsplit(url).hostname in SERVERS
    assert settings.inference_url == f"inference:{settings.inference_port}"


def test_the_object_store_announces_to_where_trivium_listens() -> None:
    minio, control = environment(SERVERS["minio"]), load_settings(environment(OWN["ingest-control"]))
    webhook = urlsplit(minio["MINIO_NOTIFY_WEBHOOK_ENDPOINT_TRIVIUM"])
    assert (webhook.hostname, webhook.port, webhook.path) == ("ingest-control", control.events_port, "/events")
    assert minio["MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN_TRIVIUM"] == control.events_token
    assert minio["MINIO_NOTIFY_REDIS_KEY_TRIVIUM"] == control.events_key
    buckets = SERVERS["minio-setup"]["command"][0]
    assert {control.s3_bucket, control.s3_uploads} <= set(re.findall(r"store/([\w-]+)", buckets))


def test_images_are_pinned_to_the_versions_of_the_local_recipes() -> None:
    versions = dict(re.findall(r'\{(\w+)_VERSION:=([^}"]+)', (ROOT / "deploy/local/versions.env").read_text()))
    tags = {name: service["image"].partition(":")[2] for name, service in SERVICES.items()}
    assert all(re.match(r"v?\d|RELEASE\.\d", tag) for tag in tags.values())
    assert tags["elasticsearch"] == versions["ELASTICSEARCH"]
    assert tags["milvus"] == f"v{versions['MILVUS']}"
    assert tags["neo4j"].startswith(f"{versions['NEO4J']}-")
    assert tags["redis"].startswith(versions["REDIS"].partition(":")[2].rstrip("*"))
    assert VALUES["vllm"]["image"]["tag"] == f"v{versions['VLLM']}"
    assert GPU["services"]["vllm"]["image"].partition(":")[2] == f"v{versions['VLLM']}"


def test_nothing_is_published_beyond_loopback_and_every_password_is_asked_for() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
    text = (ROOT / "docker/compose.yaml").read_text()
    asked = {name for name, _ in re.findall(r"\$\{(\w+):\?([^}]+)\}", text)}
    left_open = dict(re.findall(r"\$\{(\w+):-([^}]+)\}", text))
    assert asked | set(left_open) == set(_VARIABLE.findall(text)), "each has to be given, but for what has a default"
    example = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / "docker/.env.example").read_text(), re.M))
    assert example == dict.fromkeys(asked, "") | left_open


def test_every_process_knows_whose_the_files_in_the_bucket_of_uploads_are() -> None:
    assert COMPOSE["x-settings"]["TRIVIUM_UPLOADS_TENANT"] == "${UPLOADS_TENANT:-default}"
    knowing = {name for name, service in OWN.items() if "TRIVIUM_UPLOADS_TENANT" in service["environment"]}
    assert knowing == set(OWN) - {"inference"}, "erasing a tenant and a backfill ask too"


def test_the_object_store_gives_trivium_an_account_with_its_buckets_alone() -> None:
    minio, setup = environment(SERVERS["minio"]), SERVERS["minio-setup"]
    control = environment(OWN["ingest-control"])
    assert control["TRIVIUM_S3_ACCESS_KEY"] != minio["MINIO_ROOT_USER"]
    assert "MINIO_ROOT_PASSWORD" not in " ".join(str(service) for service in OWN.values())
    assert environment(setup)["MC_HOST_store"].startswith(f"http://{minio['MINIO_ROOT_USER']}:")
    script = setup["command"][0]
    policy = json.loads(re.search(r"echo '(.*?)'", script, re.S)[1])  # type: ignore[index]
    (statement,) = policy["Statement"]
    settings = load_settings(control)
    of = [f"arn:aws:s3:::{bucket}{rest}" for bucket in (settings.s3_bucket, settings.s3_uploads) for rest in ("", "/*")]
    assert statement == {"Effect": "Allow", "Action": ["s3:*"], "Resource": of}
    assert f"mc admin user add store {control['TRIVIUM_S3_ACCESS_KEY']} " in script


@pytest.mark.parametrize("name", sorted(STAYING))
def test_a_process_is_what_the_chart_says_it_is(name: str) -> None:
    service, (kind, values) = STAYING[name], KINDS[name]
    assert service["image"] == f"{VALUES['image']['repository']}/{VALUES['images'][kind]}:{_version()}"
    assert re.search(rf'"{kind}" "{service["command"]}"', POD), "the command"
    assert service["user"] == f"{VALUES['defaults']['user']}:{VALUES['defaults']['user']}"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "/tmp" in service["volumes"], "scratch is on disk, and the container's own"
    assert _bytes(service["mem_limit"]) == _bytes(values["resources"]["limits"]["memory"])
    query, others = re.search(r"terminationGracePeriodSeconds: .* ternary (\d+) .* (\d+)\)", POD).groups()  # type: ignore[union-attr]
    assert service["stop_grace_period"] == f"{query if kind in ('query', 'inference') else others}s"


@pytest.mark.parametrize("name", sorted(name for name, (kind, _) in KINDS.items() if kind in ("ingest", "graph")))
def test_a_worker_takes_the_charts_lanes_and_is_asked_as_often_as_there(name: str) -> None:
    values = KINDS[name][1]
    given = environment(SERVICES[name])
    assert load_settings(given).worker_lanes == values["lanes"]
    own = dict(re.findall(r"^(TRIVIUM_(?:ALIVE_FILE|WORKER_METRICS_\w+)): \"?([^\"\n]+)", POD, re.M))
    assert {key: given[key] for key in own} == own
    assert len(own) == 3
    others, long = re.search(r'eq .values.lanes "others" \| ternary (\d+) (\d+)', POD).groups()  # type: ignore[union-attr]
    minutes = int(others if values["lanes"] == "others" else long)
    assert (
        SERVICES[name]["healthcheck"]["test"][1] == f'test -n "$$(find {own["TRIVIUM_ALIVE_FILE"]} -mmin -{minutes})"'
    )
    longest_s = TASK_LIMIT_S if values["lanes"] == "others" else RECORDING_LIMIT_S
    assert minutes * 60 > longest_s, "a batch may take so long"


def test_every_entry_of_the_chart_is_there_and_with_a_gpu_too() -> None:
    assert set(VALUES["workers"]) == {name.replace("-worker", "") for name in KINDS if "-worker" in name}
    gpu = yaml.safe_load((ROOT / "deploy/helm/trivium/values-gpu.yaml").read_text())
    inference, vllm = GPU["services"]["inference"], GPU["services"]["vllm"]
    assert inference["image"] == f"trivium/{gpu['images']['inference']}:{_version()}"
    assert inference["build"]["target"] == gpu["images"]["inference"]
    assert _bytes(inference["mem_limit"]) == _bytes(gpu["inference"]["resources"]["limits"]["memory"])
    given = inference["environment"] | {"TRIVIUM_BACKEND": "distributed"}
    settings = load_settings(given | environment(OWN["ingest-control"]))
    for setting in ("embed_backend", "embed_model", "speech_model"):
        assert getattr(settings, setting) == gpu["settings"][setting]
    asking = load_settings(environment(OWN["query-api"]) | GPU["services"]["query-api"]["environment"])
    assert asking.embed_languages == gpu["settings"]["embed_languages"], "what decides which questions go to it"
    image = VALUES["vllm"]["image"]
    assert vllm["image"] == f"{image['repository']}:{image['tag']}"
    assert f"--model={gpu['vllm']['model']}" in vllm["command"]
    assert f"--served-model-name={gpu['vllm']['servedName']}" in vllm["command"]
    assert _bytes(vllm["mem_limit"]) == _bytes(VALUES["vllm"]["resources"]["limits"]["memory"])
    assert _bytes(vllm["shm_size"]) == _bytes(VALUES["vllm"]["sharedMemory"])
    for service in (inference, vllm):
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device["capabilities"] == ["gpu"]
    for name, (kind, _) in KINDS.items():
        if kind in ("query", "ingest", "graph"):
            assert load_settings(environment(OWN[name]) | GPU["services"][name]["environment"]).llm == "vllm"


def test_every_container_has_a_limit_of_memory() -> None:
    assert [name for name, service in SERVICES.items() if "mem_limit" not in service] == []


def test_every_server_has_time_to_stop_and_milvus_ends_well_before() -> None:
    """Alone it would wait for half an hour: no other query node takes what it holds."""
    assert {SERVERS[name]["stop_grace_period"] for name in set(SERVERS) - ONCE} == {"60s"}
    waits = environment(SERVERS["milvus"])["COMMON_GRACEFULSTOPTIMEOUT"]
    assert f"COMMON_GRACEFULSTOPTIMEOUT={waits} " in (ROOT / "deploy/local/milvus.sh").read_text()
    assert int(waits) < 25, "services.sh kills after that"


def test_every_image_of_the_chart_is_a_target_of_the_dockerfile_and_holds_what_is_locked() -> None:
    targets = set(re.findall(r"^FROM base AS (\S+)$", (ROOT / "docker/Dockerfile").read_text(), re.M)) - {"tools"}
    assert targets == {*VALUES["images"].values(), "inference-cuda"}
    assert targets == set(json.loads((ROOT / "requirements/images.json").read_text()))
    for service in OWN.values():
        target = service["image"].removeprefix("trivium/").partition(":")[0]
        assert target in targets
        assert service.get("build", {}).get("target", target) == target


def test_the_images_are_made_of_what_exists() -> None:
    copied = re.findall(r"^COPY ([\w./]+) ", (ROOT / "docker/Dockerfile").read_text(), re.M)
    allowed = re.findall(r"^!([\w./]+)$", (ROOT / "docker/Dockerfile.dockerignore").read_text(), re.M)
    assert copied == allowed
    assert all((ROOT / each).exists() for each in copied)


def _bytes(amount: str) -> int:
    """4g and 512m are compose's words, 4Gi and 512Mi the chart's."""
    number, unit = re.fullmatch(r"(\d+)([gm])i?", amount.lower()).groups()  # type: ignore[union-attr]
    return int(number) * {"g": 1024, "m": 1}[unit]


def _version() -> str:
    chart = yaml.safe_load((ROOT / "deploy/helm/trivium/Chart.yaml").read_text())
    return str(chart["appVersion"])
