"""The processes of the rendered manifests, started for real: commands, settings, probes and stops, on real servers.

Without the servers' addresses in the environment (`make services`) there is nothing to start them on.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from behind_tls import servers_behind_tls
from buckets import client
from certificates import Authority
from helm import ROOT, Helm, merged
from leftovers import claim_broker, remove_all
from pods import Pods, pods
from waiting import wait_until

from trivium.config import load_settings

KEY = "key-of-the-chart"
READY = ("inference", "control", "worker-ingest", "worker-graph", "query-api")
STOP_S = 10.0
COMPOSE = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())["services"]
IN_COMPOSE = {"control": "ingest-control", "worker-ingest": "ingest-worker", "worker-graph": "graph-worker"}


@pytest.fixture(scope="module")
def values() -> Iterator[dict[str, Any]]:
    """An installation of the test's own on the servers that the environment names."""
    name = f"t{uuid.uuid4().hex[:8]}"
    shared = {
        "TRIVIUM_INDEX_PREFIX": name,
        "TRIVIUM_S3_BUCKET": f"{name}-state",
        "TRIVIUM_S3_UPLOADS": f"{name}-uploads",
        "TRIVIUM_REDIS_URL": claim_broker(os.environ["TRIVIUM_REDIS_URL"]),
    }
    settings = load_settings({**os.environ, **shared})
    for bucket in (settings.s3_bucket, settings.s3_uploads):
        client(settings).make_bucket(bucket)
    shelf, page = f"{name}-shelf", b"# Herring\n\nThe herring fleet of Kelmore had 41 boats in 1962.\n"
    client(settings).make_bucket(shelf)
    client(settings).put_object(shelf, "fleet.md", io.BytesIO(page), len(page))
    names = ("s3_url", "s3_bucket", "s3_uploads", "redis_url", "milvus_url", "elasticsearch_url", "neo4j_url")
    secret = ("s3_access_key", "s3_secret_key", "elasticsearch_user", "elasticsearch_password", "neo4j_password")
    yield {
        "settings": {name: getattr(settings, name) for name in (*names, "index_prefix")},
        "credentials": {
            "create": {name: getattr(settings, name) for name in secret}
            | {"api_keys": f"default:{KEY}", "events_token": "token"}
        },
        "prepare": {"waitSeconds": 20},
        "backfill": {"sources": [{"name": "shelf", "address": f"s3://{shelf}/"}]},
    }
    client(settings).remove_object(shelf, "fleet.md")
    client(settings).remove_bucket(shelf)
    remove_all(settings)


@pytest.fixture
def open_ports(values: dict[str, Any]) -> list[int]:
    return [urlsplit(str(url)).port or 0 for name, url in values["settings"].items() if name.endswith("_url")]


@pytest.fixture
def running(helm: Helm, values: dict[str, Any], open_ports: list[int], tmp_path: Path) -> Iterator[Pods]:
    with pods(helm.template(values=values, profile="small"), tmp_path, open_ports) as made:
        yield made


def curl(running: Pods, *arguments: str) -> dict[str, Any]:
    """A client beside the query service."""
    command = [*running.enter(), "curl", "-sS", "--max-time", "60", "-H", f"x-api-key: {KEY}", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def asked_by_compose(name: str) -> list[str]:
    """The health check that docker/compose.yaml has for the same process, as a container engine runs it."""
    kind, *command = COMPOSE[IN_COMPOSE.get(name, name)]["healthcheck"]["test"]
    given = [part.replace("$$", "$") for part in command]
    if kind == "CMD-SHELL":
        return ["sh", "-c", *given]
    return [sys.executable if part == "python" else part for part in given]


@pytest.mark.timeout(900)
def test_from_nothing_to_a_cited_answer_and_to_the_end(running: Pods, tmp_path: Path) -> None:
    assert "Every server is ready." in running.run("trivium-prepare")
    running.run("trivium-prepare")  # the second time too
    told: dict[str, Any] = {}
    for name in READY:
        running.start(f"trivium-{name}")
    for name in READY:
        pod = running.running[f"trivium-{name}"]
        told[name] = {"ready_s": round(pod.wait_until_ready(), 1)}
        assert pod.probe(pod.container["livenessProbe"]), pod.log()
        assert pod.run(asked_by_compose(name)) == 0, pod.log()
        assert pod.status("Uid").split() == ["10001"] * 4
        assert pod.status("NoNewPrivs") == "1"
        assert int(pod.status("CapEff"), 16) == int(pod.status("CapBnd"), 16) == 0
        assert pod.run(["touch", "/etc/trivium"]) != 0, "the root is read-only"
        assert "unknown_setting" not in pod.log()
        assert "network_not_locked" not in pod.log(), "seccomp works without privilege"

    report = tmp_path / "report.md"
    report.write_text("# Fish ladders\n\nIlse Brandt built the fish ladder at Corrin Gorge in 2016.\n")
    base = "http://trivium-query-api:8080"
    resolve = ("--resolve", "trivium-query-api:8080:127.0.0.1")
    taken = curl(running, *resolve, "-F", f"file=@{report}", f"{base}/v1/sources")

    def ready() -> bool:
        return bool(curl(running, *resolve, f"{base}/v1/sources/{taken['id']}")["state"] == "ready")

    wait_until(ready, "the document is ready", limit_s=120, told=lambda: _logs(running), pause_s=0.5)
    asked = json.dumps({"query": "Who built the fish ladder at Corrin Gorge?"})
    answer = curl(running, *resolve, "-H", "content-type: application/json", "-d", asked, f"{base}/v1/queries")
    assert "Ilse Brandt" in answer["text"], answer
    assert answer["citations"]

    assert "accepted 1, unchanged 0, refused 0, failed 0" in running.run("trivium-backfill-shelf")
    assert "Every store is as the artifacts say" in running.run("trivium-audit")
    assert "Nothing has failed" in running.run("trivium-dead-report")
    stop_in_the_middle(running, tmp_path, f"{base}/v1/sources", resolve)
    for name, port in (("worker-ingest", 9100), ("inference", 9192), ("query-api", 8080)):
        metrics = [*running.enter(), "curl", "-sS", "--fail", f"http://127.0.0.1:{port}/metrics"]
        assert "trivium_" in subprocess.run(metrics, check=True, capture_output=True, text=True).stdout, name
    for name in reversed(READY):
        pod = running.running[f"trivium-{name}"]
        told[name]["resident_mb"] = pod.resident_bytes() // 10**6
        told[name]["stop_s"] = round(pod.stop(), 1)
        assert told[name]["stop_s"] <= STOP_S
    print(json.dumps(told, indent=1))  # noqa: T201 - figures for bench/RESULTS.md


def stop_in_the_middle(running: Pods, folder: Path, sources: str, resolve: tuple[str, ...]) -> None:
    """A worker that is busy ends in time, and another one ends its work."""
    long = folder / "long.txt"
    long.write_text("\n\n".join(f"Station {n} counted {n * 7} herring near Kelmore in 2021." for n in range(5_000)))
    taken = curl(running, *resolve, "-F", f"file=@{long}", sources)["id"]

    def state() -> str:
        return str(curl(running, *resolve, f"{sources}/{taken}")["state"])

    wait_until(lambda: state() == "running", "the long document is begun", told=lambda: _logs(running))
    assert running.running["trivium-worker-ingest"].stop() <= STOP_S
    assert state() == "running", "it was in the middle"
    running.start("trivium-worker-ingest").wait_until_ready()
    wait_until(lambda: state() == "ready", "it is ended", limit_s=240, told=lambda: _logs(running), pause_s=0.5)


def test_a_wrong_probe_or_command_is_noticed(
    helm: Helm, values: dict[str, Any], open_ports: list[int], tmp_path: Path
) -> None:
    objects = helm.template(values=values, profile="small")
    control = next(i for i in objects if i["kind"] == "Deployment" and i["metadata"]["name"] == "trivium-control")
    container = control["spec"]["template"]["spec"]["containers"][0]
    with pods(objects, tmp_path, open_ports) as made:
        pod = made.start("trivium-control")
        pod.wait_until_ready()
        assert not pod.probe({"httpGet": {"path": "/health", "port": "events"}})
        pod.stop()
        container["command"] = ["trivium-ingest-controller"]
        with pytest.raises(AssertionError, match="trivium-control ended"):
            made.start("trivium-control").wait_until_ready()


def test_the_preparation_says_which_server_is_wrong(
    helm: Helm, values: dict[str, Any], open_ports: list[int], tmp_path: Path
) -> None:
    wrong = {
        **values,
        "settings": {**values["settings"], "milvus_url": "http://127.0.0.1:1"},
        "credentials": {"create": {**values["credentials"]["create"], "neo4j_password": "wrong"}},
        "prepare": {"waitSeconds": 0},
    }
    with pods(helm.template(values=wrong, profile="small"), tmp_path, open_ports) as made:
        job = made.start("trivium-prepare")
        assert job.process.wait(120) == 1
        assert "milvus: milvus_down: Milvus at 127.0.0.1:1 did not answer" in job.log()
        assert "neo4j: neo4j_credentials:" in job.log()


def test_every_kind_of_process_believes_servers_that_an_authority_of_ones_own_certified(
    helm: Helm, values: dict[str, Any], tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    company = {"kind": "ConfigMap", "metadata": {"name": "company"}, "data": {"ca.crt": authority.file.read_text()}}
    with servers_behind_tls(authority, values["settings"]) as urls:
        over = merged(
            values, {"settings": urls, "certificates": {"existingConfigMap": "company"}, "prepare": {"waitSeconds": 0}}
        )
        ports = [urlsplit(url).port or 0 for url in urls.values()]
        with pods([*helm.template(values=over, profile="small"), company], tmp_path, ports) as made:
            assert "Every server is ready." in made.run("trivium-prepare")
            for name in READY:
                made.start(f"trivium-{name}")
            for name in READY:
                made.running[f"trivium-{name}"].wait_until_ready()
            assert "Every store is as the artifacts say" in made.run("trivium-audit")
        unknown = merged(over, {"certificates": {"existingConfigMap": ""}})
        with pods(helm.template(values=unknown, profile="small"), tmp_path, ports) as made:
            job = made.start("trivium-prepare")
            assert job.process.wait(120) == 1
            assert job.log().count("certificate_not_trusted: The certificate of localhost:") == len(urls)


def _logs(running: Pods) -> str:
    return "\n".join(f"--- {name}\n{pod.log()}" for name, pod in running.running.items())
