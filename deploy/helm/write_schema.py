"""Write what settings are, and what each may be, into the chart's values.schema.json; `--check`: fail where it differs.

The rest of that file is written by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from trivium.config import Settings

FILE = Path(__file__).parent / "trivium/values.schema.json"


def main(arguments: list[str]) -> int:
    """Answers the exit status."""
    text = FILE.read_text()
    schema = json.loads(text)
    schema["$defs"]["settings"] = settings_schema()
    wanted = f"{json.dumps(schema, indent=1)}\n"
    if "--check" in arguments:
        if wanted != text:
            print(f"{FILE} is not up to date: run `make chart-schema`.", file=sys.stderr)  # noqa: T201
        return int(wanted != text)
    FILE.write_text(wanted)
    return 0


def settings_schema() -> dict[str, Any]:
    """Every setting by its name in small letters; its descriptions are left to docs/settings.md."""
    properties = {field.name: _allowed(field.type) for field in msgspec.structs.fields(Settings)}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _allowed(kind: Any) -> dict[str, Any]:
    schema = msgspec.json.schema(kind, schema_hook=lambda _path: {"type": "string"})
    for name in (schema.pop("$ref", "") or "").split("/")[-1:]:
        schema |= schema.get("$defs", {}).get(name, {})
    return {key: value for key, value in schema.items() if key in _KEPT}


_KEPT = ("type", "enum", "pattern", "minimum", "maximum", "exclusiveMinimum")

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
