"""Objects held against Kubernetes' own API documents (OpenAPI 2), more strictly than by a server: no unknown field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

CUSTOM = ("keda.sh", "monitoring.coreos.com")  # their CRDs are asked instead, by the API server
_OPEN = {  # what may be written in several ways
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": (int, str),
    "io.k8s.apimachinery.pkg.api.resource.Quantity": (int, float, str),
}
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}


def faults(document: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[str]:
    """What does not fit, each with its path."""
    group, _, version = item["apiVersion"].rpartition("/")
    if group.endswith(CUSTOM):
        return
    wanted = {"group": group, "kind": item["kind"], "version": version}
    for definition in document["definitions"].values():
        if wanted in definition.get("x-kubernetes-group-version-kind", []):
            yield from _fits(document["definitions"], definition, item, f"{item['kind']}/{item['metadata']['name']}")
            return
    yield f"{item['kind']}: no {item['apiVersion']} in this version"


def _fits(definitions: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if reference := schema.get("$ref"):
        name = reference.removeprefix("#/definitions/")
        if name in _OPEN:
            yield from [] if isinstance(value, _OPEN[name]) else [f"{path}: {value!r}"]
        else:
            yield from _fits(definitions, definitions[name], value, path)
    elif "properties" in schema:
        yield from _object(definitions, schema, value, path)
    elif expected := _TYPES.get(schema.get("type", "")):
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            yield f"{path}: {value!r} is no {schema['type']}"
        for index, part in enumerate(value if isinstance(value, list) else []):
            yield from _fits(definitions, schema["items"], part, f"{path}[{index}]")
    elif "additionalProperties" in schema and isinstance(value, dict):
        for key, part in value.items():
            yield from _fits(definitions, schema["additionalProperties"], part, f"{path}.{key}")


def _object(definitions: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no object"
        return
    yield from (f"{path}: {name} is missing" for name in schema.get("required", []) if name not in value)
    for key, part in value.items():
        if key in schema["properties"]:
            yield from _fits(definitions, schema["properties"][key], part, f"{path}.{key}")
        else:
            yield f"{path}: {key} is unknown"
