"""Write docs/settings.md from the settings themselves. With --check: fail when the committed one is stale."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from written import write_or_check

from trivium.config import CREDENTIALS, PREFIX, Settings

TARGET = Path(__file__).parent / "settings.md"
HEAD = """# Settings

Every setting is a variable of the environment, read once, as a process starts. In the chart it stands under `settings`,
in small letters and without `TRIVIUM_`. `trivium config` shows what each is where you call it, and who says so.
A unit is in the name: `_s` (seconds), `_ms`, `_bytes`. An empty variable is one that is not set. Where few values are
allowed, the others stand behind the default.

A credential may come as a file instead, as mounted secrets do, in a variable with `_FILE` at its end: {credentials}.
"""
COLUMNS = """
| variable | default | what it means |
|---|---|---|
"""
FOOT = """
Written by `docs/write_settings.py` from [config.py](../libs/trivium/src/trivium/config.py).
"""
TITLES = {  # of a group, by its first setting
    "backend": "Where documents live",
    "http_host": "HTTP and gRPC",
    "oidc_issuer": "Single sign-on",
    "limits": "Bounds on requests and uploads",
    "url": "The command line",
    "llm": "The language model",
    "embed_model": "The other models",
    "reader": "Readers of files",
    "chunker": "Passages and the graph",
    "mode": "Questions",
    "parse_timeout_s": "The processes that read files",
    "max_attempts": "Workers",
    "url_allow": "The web",
    "connect_folders": "Connections",
    "ca_file": "Certificates of the servers that Trivium asks",
    "s3_url": "The object store",
    "events_host": "Events of the object store",
    "redis_url": "The other servers",
    "inference_url": "The inference service",
    "traces_url": "Traces and logs",
}
_MIB, _GIB = 1024**2, 1024**3


def document() -> str:
    """The page. Raises `KeyError` for a group without a title."""
    named = ", ".join(f"`{PREFIX}{name.upper()}_FILE`" for name in sorted(CREDENTIALS))
    parts = [HEAD.format(credentials=named)]
    fields = {field.name: field for field in msgspec.structs.fields(Settings)}
    for group in groups():
        rows = (_row(fields[name], meaning) for name, meaning in group.items())
        parts.append(f"\n## {TITLES[next(iter(group))]}\n{COLUMNS}{''.join(rows)}")
    return "".join(parts) + FOOT


def groups() -> list[dict[str, str]]:
    """What each setting means, by its name: in their class a blank line stands between two groups."""
    written = ast.parse(inspect.getsource(Settings))
    found: list[dict[str, str]] = []
    name, end = "", 0
    for line in next(node.body for node in ast.walk(written) if isinstance(node, ast.ClassDef)):
        match line:
            case ast.AnnAssign(target=ast.Name(id=name)):
                if line.lineno > end + 1:
                    found.append({})
                found[-1][name] = ""
            case ast.Expr(value=ast.Constant(value=str(told))) if found:
                found[-1][name] = " ".join(told.split())
            case _:
                continue
        end = line.end_lineno or end
    return found


def _row(field: msgspec.structs.FieldInfo, meaning: str) -> str:
    told = _as_variables(meaning).replace("|", "\\|")
    return f"| `{PREFIX}{field.name.upper()}` | {_default(field)} | {told} |\n"


def _as_variables(meaning: str) -> str:
    """With the names of other settings as their variables; one without an underscore is a word or a value as well."""
    names = {field.name for field in msgspec.structs.fields(Settings) if "_" in field.name}
    return re.sub(r"`(\w+)`", lambda code: f"`{PREFIX}{code[1].upper()}`" if code[1] in names else code[0], meaning)


def _default(field: msgspec.structs.FieldInfo) -> str:
    """Also the other values that are allowed, where these are few."""
    said = _written(field.default)
    if field.name.endswith("_bytes"):
        return f"{said} ({_size(field.default)})"
    others = ", ".join(_written(value) for value in _allowed(field.type) if value != field.default)
    return f"{said or 'empty'}; or {others}" if others else said


def _size(size_bytes: int) -> str:
    return f"{size_bytes // _MIB} MiB" if size_bytes % _GIB else f"{size_bytes // _GIB} GiB"


def _written(value: Any) -> str:
    match value:
        case "":
            return ""
        case bool():
            return f"`{str(value).lower()}`"
        case float():
            return f"`{value:g}`"
    return f"`{value}`"


def _allowed(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from kind


if __name__ == "__main__":
    write_or_check(TARGET, document())
