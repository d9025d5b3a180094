"""The chart through Helm itself, as an operator uses it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/helm/trivium"
PROFILES = ("small", "gpu", "large")
NEWEST = "1.34"
CREDENTIALS = {
    "s3_access_key": "trivium",
    "s3_secret_key": "secret-of-s3",
    "api_keys": "default:key-of-default",
    "events_token": "token-of-events",
    "link_secret": "secret-of-links-secret-of-links-32",
}
TRIAL: Mapping[str, Any] = {"credentials": {"create": CREDENTIALS}}
"""What an installation has to be told at least."""


class Refused(Exception):
    """Helm's own words."""


class Helm:
    """Helm of a services folder, on the control plane beside it where a command needs one."""

    def __init__(self, services: Path) -> None:
        self._folder = services / "kubernetes"

    def __call__(self, *arguments: str, values: Mapping[str, Any] | None = None, profile: str = "") -> str:
        """Its output. `values` come last and win over the profile. Raises `Refused`."""
        command = [str(self._folder / "bin/helm"), *arguments, "--kubeconfig", str(self._folder / "kubeconfig")]
        if profile:
            command += ["--values", str(CHART / f"values-{profile}.yaml")]
        if values is not None:
            command += ["--values", "-"]
        done = subprocess.run(
            command, input=json.dumps(values), capture_output=True, text=True, timeout=180, check=False
        )
        if done.returncode:
            raise Refused(done.stderr)
        return done.stdout

    def lint(self, **given: Any) -> str:
        return self("lint", str(CHART), "--strict", "--kube-version", NEWEST, **given)

    def template(self, *arguments: str, values: Mapping[str, Any] = TRIAL, profile: str = "") -> list[dict[str, Any]]:
        """Every object, those of hooks included."""
        text = self(
            *("template", "trivium", str(CHART), "--namespace", "trivium", "--kube-version", NEWEST, *arguments),
            values=values,
            profile=profile,
        )
        return [found for found in yaml.safe_load_all(text) if found]


def pods_of(objects: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Name of a workload to its pod template."""
    found = {}
    for item in objects:
        spec = item["spec"]["jobTemplate"]["spec"] if item["kind"] == "CronJob" else item.get("spec", {})
        if isinstance(spec.get("template"), dict) and "spec" in spec["template"]:
            found[item["metadata"]["name"]] = spec["template"]
    return found


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """As Helm lays values over each other."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
            result[key] = merged(result[key], value) if both else value
    return result
