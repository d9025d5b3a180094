"""The API of the control plane that `deploy/local/services.sh start kubernetes` starts."""

from __future__ import annotations

import ssl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import yaml
from waiting import wait_until

PATHS = {  # of the kinds that an installation may consist of
    **dict.fromkeys(("configmaps", "pods", "secrets", "serviceaccounts", "services"), "/api/v1"),
    **dict.fromkeys(("deployments", "replicasets"), "/apis/apps/v1"),
    **dict.fromkeys(("jobs", "cronjobs"), "/apis/batch/v1"),
    **dict.fromkeys(("networkpolicies", "ingresses"), "/apis/networking.k8s.io/v1"),
    "poddisruptionbudgets": "/apis/policy/v1",
    "horizontalpodautoscalers": "/apis/autoscaling/v2",
    "scaledobjects": "/apis/keda.sh/v1alpha1",
    "podmonitors": "/apis/monitoring.coreos.com/v1",
}
RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}


class Api:
    """As an administrator, or as somebody whom he may speak for."""

    def __init__(self, services: Path) -> None:
        config = yaml.safe_load((services / "kubernetes/kubeconfig").read_text())
        cluster = config["clusters"][0]["cluster"]
        self._client = httpx2.Client(
            base_url=cluster["server"],
            headers={"authorization": f"Bearer {config['users'][0]['user']['token']}"},
            verify=ssl.create_default_context(cafile=cluster["certificate-authority"]),
            trust_env=False,
            timeout=30,
        )

    def close(self) -> None:
        self._client.close()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return self._client.request(
            method, path, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )

    def items(self, namespace: str, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._listed(f"{PATHS[kind]}/namespaces/{namespace}/{kind}").json()["items"]
        return found

    def _listed(self, path: str) -> httpx2.Response:
        """A kind that was defined a moment ago has no storage yet: the API server says so by 429."""

        def asked() -> httpx2.Response | None:
            answer = self.call("GET", path)
            return None if answer.status_code == httpx2.codes.TOO_MANY_REQUESTS else answer

        return wait_until(asked, f"{path} can be listed", pause_s=0.2).raise_for_status()

    def names(self, namespace: str, kind: str) -> set[str]:
        return {item["metadata"]["name"] for item in self.items(namespace, kind)}

    def everything(self, namespace: str) -> set[str]:
        """Kind and name of whatever is there, but what a namespace always has."""
        found = {f"{kind}/{name}" for kind in PATHS for name in self.names(namespace, kind)}
        return found - {"serviceaccounts/default", "configmaps/kube-root-ca.crt"}

    @contextmanager
    def namespace(self, **labels: str) -> Iterator[str]:
        """One of a test's own, where only pods of the standard `restricted` are admitted."""
        name = f"test-{uuid.uuid4().hex[:8]}"
        metadata = {"name": name, "labels": {**RESTRICTED, **labels}}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.call("POST", "/api/v1/namespaces", body).raise_for_status()
        wait_until(lambda: self.names(name, "serviceaccounts"), "the namespace has its account")
        try:
            yield name
        finally:
            self.call("DELETE", f"/api/v1/namespaces/{name}").raise_for_status()
