"""docker/compose.yaml fits the product and the local recipes. No container engine is needed; none is started."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from trivium.config import load_settings, unknown_variables

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"].startswith("trivium:")}
SERVERS = {name: service for name, service in SERVICES.items() if name not in OWN}
ONCE = {"minio-buckets"}
SERVICE_KEYS = {
    *("image", "build", "command", "entrypoint", "environment", "depends_on"),
    *("healthcheck", "restart", "ports", "volumes", "security_opt"),
}
_VARIABLE = re.compile(r"\$\{(\w+)[^}]*\}")


def environment(service: dict[str, Any]) -> dict[str, str]:
    """With a value for each variable that compose would fill in."""
    return {name: _VARIABLE.sub("tenant:filled-in", str(value)) for name, value in service["environment"].items()}


def test_the_file_uses_only_what_compose_knows_and_names_only_what_it_defines() -> None:
    assert set(COMPOSE) - {key for key in COMPOSE if key.startswith("x-")} == {"name", "services", "volumes"}
    volumes = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
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
    assert OWN[name]["command"] in programs
    given = environment(OWN[name])
    assert unknown_variables(given) == []
    settings = load_settings(given)
    assert settings.backend == "distributed"
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
    buckets = SERVERS["minio-buckets"]["command"][0]
    assert {control.s3_bucket, control.s3_uploads} <= set(re.findall(r"store/([\w-]+)", buckets))


def test_images_are_pinned_to_the_versions_of_the_local_recipes() -> None:
    versions = dict(re.findall(r'\{(\w+)_VERSION:=([^}"]+)', (ROOT / "deploy/local/versions.env").read_text()))
    tags = {name: service["image"].partition(":")[2] for name, service in SERVICES.items()}
    assert all(re.match(r"v?\d|RELEASE\.\d", tag) for tag in tags.values())
    assert tags["elasticsearch"] == versions["ELASTICSEARCH"]
    assert tags["milvus"] == f"v{versions['MILVUS']}"
    assert tags["neo4j"].startswith(f"{versions['NEO4J']}-")
    assert tags["redis"].startswith(versions["REDIS"].partition(":")[2].rstrip("*"))


def test_nothing_is_published_beyond_loopback_and_every_password_is_asked_for() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
    text = (ROOT / "docker/compose.yaml").read_text()
    asked = {name for name, _ in re.findall(r"\$\{(\w+):\?([^}]+)\}", text)}
    assert asked == set(_VARIABLE.findall(text)), "each has to be given"
    assert asked == set(re.findall(r"^(\w+)=$", (ROOT / "docker/.env.example").read_text(), re.M))


def test_the_image_is_made_of_folders_that_exist() -> None:
    copied = re.findall(r"^COPY (\w+) ", (ROOT / "docker/Dockerfile").read_text(), re.M)
    allowed = re.findall(r"^!(\w+)$", (ROOT / "docker/Dockerfile.dockerignore").read_text(), re.M)
    assert copied == allowed
    assert all((ROOT / folder).is_dir() for folder in copied)
