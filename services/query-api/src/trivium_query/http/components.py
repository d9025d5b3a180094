"""The API's types in the OpenAPI document."""

from __future__ import annotations

import enum
from inspect import cleandoc
from typing import Any

import msgspec

from trivium import api
from trivium.graph_tools.tools import CALLABLE
from trivium.json_schemas import component_schemas

REF = "#/components/schemas/{name}"


def ref(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Where the document describes `kind`."""
    return {"$ref": REF.format(name=kind.__name__)}


def components() -> dict[str, Any]:
    """Every type of the API, and those of the domain that it shows."""
    of_tools = [kind for tool in CALLABLE.values() for kind in (tool.arguments, tool.result)]
    return _described(
        *of_tools,
        *(
            kind
            for kind in vars(api).values()
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct | enum.Enum)
            if kind not in (api.Input, api.Output, api.WebAddress, api.UploadFields)
        ),
    )


def properties(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of one that is no component: a form."""
    fields: dict[str, Any] = _described(kind)[kind.__name__]["properties"]
    return fields


def _described(*kinds: type) -> dict[str, Any]:
    """As JSON Schema. Nothing is sent that is not described."""
    schemas = component_schemas(kinds, REF)
    for schema in schemas.values():
        schema["description"] = cleandoc(schema["description"])
        schema.update({"type": "string"} if "enum" in schema else {"additionalProperties": False})
    return schemas
