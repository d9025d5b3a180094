"""JSON Schema of Struct types, in whose patterns `$` stands where Python needs another end (`api.END`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def json_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of one type, what it refers to under `$defs`."""
    return _as_told(msgspec.json.schema(kind))


def component_schemas(kinds: Iterable[type], ref_template: str) -> dict[str, dict[str, Any]]:
    """The schemas of `kinds` and of all that they refer to, by name."""
    return _as_told(msgspec.json.schema_components(kinds, ref_template=ref_template)[1])


def _as_told(schema: T) -> T:
    """Ends as JSON Schema writes them: `$`, which in Python also stands before a last line break."""
    told: T = msgspec.json.decode(msgspec.json.encode(schema).replace(rb"\\Z", b"$"))
    return told
