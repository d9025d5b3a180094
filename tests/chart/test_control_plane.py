"""The chart on a real API server, with real controllers and scheduler; its nodes are played, so no container runs."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from helm import CHART, CREDENTIALS, PROFILES, ROOT, TRIAL, Helm, Refused, merged, pods_of
from kubernetes_api import Api
from waiting import wait_until

READY_S = 60  # from `helm install --wait` to all pods ready


@pytest.fixture(scope="module")
def api(services: Path) -> Iterator[Api]:
    assert (services / "kubernetes/kubeconfig").exists(), "no control plane is running: make test-chart"
    with closing(Api(services)) as opened:
        yield opened


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    with api.namespace() as name:
        yield name


def install(helm: Helm, namespace: str, *arguments: str, values: Any = TRIAL, profile: str = "") -> str:
    command = (
        *("upgrade", "--install", "trivium", str(CHART), "--namespace", namespace),
        "--wait",
        "--timeout",
        "100s",
    )
    return helm(*command, *arguments, values=values, profile=profile)


def deployment(api: Api, namespace: str, name: str) -> dict[str, Any]:
    (found,) = (d for d in api.items(namespace, "deployments") if d["metadata"]["name"] == f"trivium-{name}")
    return found


def test_install_upgrade_roll_back_test_and_uninstall(helm: Helm, api: Api, namespace: str) -> None:
    started = time.monotonic()
    install(helm, namespace)
    assert time.monotonic() - started < READY_S
    pods = api.items(namespace, "pods")
    assert len(pods) == 8
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    assert not {name for name in api.everything(namespace) if "prepare" in name}, "hooks leave nothing"

    changed = merged(TRIAL, {"queryApi": {"replicas": 3}, "settings": {"chunk_size": 999}})
    install(helm, namespace, values=changed)
    assert deployment(api, namespace, "query-api")["status"]["readyReplicas"] == 3
    (settings,) = (i for i in api.items(namespace, "configmaps") if i["metadata"]["name"] == "trivium-settings")
    assert settings["data"]["TRIVIUM_CHUNK_SIZE"] == "999"

    helm("rollback", "trivium", "1", "--namespace", namespace, "--wait", "--timeout", "100s")
    assert deployment(api, namespace, "query-api")["spec"]["replicas"] == 2
    (settings,) = (i for i in api.items(namespace, "configmaps") if i["metadata"]["name"] == "trivium-settings")
    assert "TRIVIUM_CHUNK_SIZE" not in settings["data"]

    assert "Succeeded" in helm("test", "trivium", "--namespace", namespace)

    helm("uninstall", "trivium", "--namespace", namespace, "--wait")
    wait_until(lambda: not api.everything(namespace), "nothing is left", told=lambda: api.everything(namespace))


def ready_deployments(api: Api, namespace: str) -> list[dict[str, Any]]:
    """All of them, or none: Helm waits for their pods, and what they say of them comes a moment later."""
    found = api.items(namespace, "deployments")
    return found if all(item["status"].get("readyReplicas") for item in found) else []


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_admitted_and_becomes_ready(helm: Helm, api: Api, namespace: str, profile: str) -> None:
    claim = {
        "metadata": {"name": "trivium-models"},
        "spec": {
            "accessModes": ["ReadOnlyMany"],
            "resources": {"requests": {"storage": "1Gi"}},
            "volumeName": namespace,
        },
    }
    volume = {
        "metadata": {"name": namespace},
        "spec": {
            "accessModes": ["ReadOnlyMany"],
            "capacity": {"storage": "1Gi"},
            "csi": {"driver": "models.example", "volumeHandle": namespace},
            "claimRef": {"name": "trivium-models", "namespace": namespace},
        },
    }
    api.call("POST", "/api/v1/persistentvolumes", volume).raise_for_status()
    try:
        api.call("POST", f"/api/v1/namespaces/{namespace}/persistentvolumeclaims", claim).raise_for_status()
        install(helm, namespace, profile=profile)
        if profile == "large":
            assert len(api.items(namespace, "scaledobjects")) == 6
            assert len(api.items(namespace, "podmonitors")) == 7
        deployments = wait_until(lambda: ready_deployments(api, namespace), "every deployment says that it is ready")
        refused = [c for d in deployments for c in d["status"]["conditions"] if c["type"] == "ReplicaFailure"]
        assert refused == [], "Pod Security `restricted` admits everything"
    finally:
        api.call("DELETE", f"/api/v1/persistentvolumes/{namespace}").raise_for_status()


def test_the_jobs_are_admitted_too(helm: Helm, api: Api, namespace: str) -> None:
    source = {"backfill": {"sources": [{"name": "archive", "address": "s3://archive/2023/"}]}}
    install(helm, namespace, values=merged(TRIAL, source))
    assert any("backfill" in name for name in api.names(namespace, "jobs"))
    for cron in api.items(namespace, "cronjobs"):
        job = {
            "metadata": {"name": f"{cron['metadata']['name']}-by-hand"},
            "spec": cron["spec"]["jobTemplate"]["spec"],
        }
        api.call("POST", f"/apis/batch/v1/namespaces/{namespace}/jobs", job).raise_for_status()

    def done() -> bool:
        return sum(bool(job["status"].get("succeeded")) for job in api.items(namespace, "jobs")) == 3

    wait_until(done, "backfill, audit and report have run", told=lambda: api.items(namespace, "jobs"))


def test_pod_security_refuses_a_chart_that_is_not_locked_in(helm: Helm, api: Api, namespace: str) -> None:
    """Else the tests above would show nothing."""
    pod = pods_of(helm.template())["trivium-control"]
    pod["spec"]["serviceAccountName"] = "default"
    pod["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    body = {"metadata": {"name": "loose"}, "spec": pod["spec"]}
    answer = api.call("POST", f"/api/v1/namespaces/{namespace}/pods", body)
    assert answer.status_code == 403
    assert "allowPrivilegeEscalation" in answer.text


def test_the_pod_that_the_guide_fills_a_claim_by_is_admitted(api: Api, namespace: str) -> None:
    (shown,) = re.findall(r"--overrides='(.*?)'", (ROOT / "docs/kubernetes.md").read_text(), re.S)
    body = {"metadata": {"name": "copy"}, **json.loads(shown)}
    answer = api.call("POST", f"/api/v1/namespaces/{namespace}/pods", body)
    assert answer.status_code == 201, answer.text


def test_the_budget_lets_one_query_pod_go_and_keeps_the_last(helm: Helm, api: Api, namespace: str) -> None:
    install(helm, namespace)
    budget = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/trivium-query-api"

    def allowed() -> bool:
        return api.call("GET", budget).json()["status"].get("disruptionsAllowed") == 1

    wait_until(allowed, "the budget is counted")
    with cordoned(api):  # no replacement finds a place: the second eviction meets the budget, not luck
        pods = [name for name in api.names(namespace, "pods") if "query-api" in name]
        assert [evicted(api, namespace, pod) for pod in pods] == [201, 429]


@contextmanager
def cordoned(api: Api) -> Iterator[None]:
    """No node takes a new pod meanwhile."""
    nodes = [node["metadata"]["name"] for node in api.call("GET", "/api/v1/nodes").json()["items"]]

    def close(*, closed: bool) -> None:
        for node in nodes:
            body = {"spec": {"unschedulable": closed}}
            merge = "application/merge-patch+json"
            api.call("PATCH", f"/api/v1/nodes/{node}", body, content_type=merge).raise_for_status()

    close(closed=True)
    try:
        yield
    finally:
        close(closed=False)


def evicted(api: Api, namespace: str, pod: str) -> int:
    """The answer to an eviction, as a drain asks for it."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
    return api.call("POST", f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction", body).status_code


def test_the_accounts_may_do_nothing(helm: Helm, api: Api, namespace: str) -> None:
    install(helm, namespace)
    accounts = api.names(namespace, "serviceaccounts") - {"default"}
    assert len(accounts) == 8
    for account in accounts:
        who = f"system:serviceaccount:{namespace}:{account}"
        for path in (
            f"/api/v1/namespaces/{namespace}/secrets",
            f"/api/v1/namespaces/{namespace}/pods",
            "/api/v1/nodes",
        ):
            assert api.call("GET", path, impersonate_user=who).status_code == 403, f"{account} {path}"


def test_a_server_refuses_what_the_chart_could_not_know(helm: Helm, namespace: str) -> None:
    loose = merged(TRIAL, {"networkPolicy": {"dns": [{"namespaceSelctor": {}}]}})
    with pytest.raises(Refused, match="namespaceSelctor"):
        install(helm, namespace, values=loose)


def test_an_existing_secret_is_used_and_left_alone(helm: Helm, api: Api, namespace: str) -> None:
    secret = {"metadata": {"name": "mine"}, "stringData": CREDENTIALS}
    api.call("POST", f"/api/v1/namespaces/{namespace}/secrets", secret).raise_for_status()
    values = {"credentials": {"existingSecret": "mine", "keys": list(CREDENTIALS)}}
    install(helm, namespace, values=values)
    assert "trivium-credentials" not in api.names(namespace, "secrets")
    helm("uninstall", "trivium", "--namespace", namespace, "--wait")
    assert "mine" in api.names(namespace, "secrets")


def test_a_missing_secret_or_key_is_told_before_anything_is_installed(helm: Helm, api: Api, namespace: str) -> None:
    """`helm template` knows no cluster and goes on as before."""
    values = {"credentials": {"existingSecret": "mine", "keys": list(CREDENTIALS)}}
    assert helm.template(values=values)
    with pytest.raises(Refused, match=f"names the Secret mine, which is not in the namespace {namespace}"):
        install(helm, namespace, values=values)
    held = {name: value for name, value in CREDENTIALS.items() if name != "events_token"}
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    api.call("POST", secrets, {"metadata": {"name": "mine"}, "stringData": held}).raise_for_status()
    with pytest.raises(Refused, match="The Secret mine has no key events_token"):
        install(helm, namespace, values=values)
    assert not api.items(namespace, "deployments")
    api.call("DELETE", f"{secrets}/mine").raise_for_status()
    api.call("POST", secrets, {"metadata": {"name": "mine"}, "stringData": CREDENTIALS}).raise_for_status()
    install(helm, namespace, values=values)


def test_missing_authorities_are_told_before_anything_is_installed(helm: Helm, api: Api, namespace: str) -> None:
    values = merged(TRIAL, {"certificates": {"existingConfigMap": "company"}})
    with pytest.raises(Refused, match=f"names the ConfigMap company, which is not in the namespace {namespace}"):
        install(helm, namespace, values=values)
    maps = f"/api/v1/namespaces/{namespace}/configmaps"
    held = {"metadata": {"name": "company"}, "data": {"roots.pem": "..."}}
    api.call("POST", maps, held).raise_for_status()
    with pytest.raises(Refused, match=r"The ConfigMap company has no key ca\.crt"):
        install(helm, namespace, values=values)
    install(helm, namespace, values=merged(values, {"certificates": {"key": "roots.pem"}}))
