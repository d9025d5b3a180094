"""From a Struct type to the JSON schema that constrains a model, and from its text back to a value."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from trivium.json_schemas import json_schema
from trivium.llm.reasoning import json_of

T = TypeVar("T", bound=msgspec.Struct)
JsonSchema = dict[str, Any]

# Structured output refuses keywords it does not know; these carry nothing the decoder does not check itself.
_DROPPED = ("default", "title", "minLength", "maxLength")


def schema_of(shape: type[msgspec.Struct]) -> JsonSchema:
    """The shape's JSON schema with an object at its root, closed, and every property required."""
    schema = json_schema(shape)
    definitions = schema.get("$defs", {})
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    root = definitions.pop(name, schema)
    closed: JsonSchema = _close(root)
    if definitions:
        closed["$defs"] = {key: _close(value) for key, value in definitions.items()}
    return closed


def _close(node: Any) -> Any:
    if isinstance(node, list):
        return [_close(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _close(value) for key, value in node.items() if key not in _DROPPED}
    properties = node.get("properties")
    if isinstance(properties, dict):  # a property may be called "title": only keywords are dropped
        closed["properties"] = {key: _close(value) for key, value in properties.items()}
        closed["required"] = list(properties)
        closed["additionalProperties"] = False
    return closed


def decode_shape(text: str, shape: type[T]) -> T:
    """The value in a model's text, code fence and thoughts around it removed.

    Raises `msgspec.DecodeError` (which `msgspec.ValidationError` is) when there is none, and `RecursionError`
    where it nests without end.
    """
    bare = json_of(text)
    start, end = bare.find("{"), bare.rfind("}")
    return msgspec.json.decode(bare[start : end + 1] if 0 <= start < end else bare, type=shape)
