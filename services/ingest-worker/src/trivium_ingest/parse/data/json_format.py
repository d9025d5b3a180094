"""JSON and JSON Lines: each record in words (`path: value; path: value`), a long one in lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "application/json"
LINES_MEDIA_TYPE = "application/x-ndjson"
MAX_DEPTH = 64
_END = r"\](?![ \t]*[^\s,\]])"
# A list whose first value is one of JSON's and ends as it must: "[2024-01-01 10:00]", "[network]", "[1] Ada" are text.
_LIST = re.compile(
    rf'\[[\s\[]*+(?:[{{"]|{_END}|\Z|(?:-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)\s*+(?:,|{_END}|\Z))'
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\s\[\]{}:,"]+', re.DOTALL)
_NO_NUMBER = re.compile(r"\b(?:NaN|Infinity)\b")
MAX_STATEMENT_CHARS = 400  # a record up to here is one statement, as a table's row is; a longer one has a line a value


def recognise(sample: Sample) -> Evidence:
    """An object or a list at the start, with what JSON needs after it."""
    text = sample.text.lstrip()
    if text[:1] == "{" and (text[1:].lstrip()[:1] in ('"', "}")):
        return Evidence.SHAPE
    return Evidence.SIGNS if _LIST.match(text) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """A list gives one unit per element, lines one per line; what is no JSON is kept as text."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    metadata = {"encoding": encoding}
    budget = _Budget(limits)
    try:
        value = _decoded(text)
    except msgspec.DecodeError:
        media_type = _lines(text, budget, out)
        return out.document(media_type, metadata=metadata)
    except RecursionError:
        out.add(UnitKind.TEXT, _too_deep(text, budget, out), Position(offset=(0, len(text))))
        return out.document(MEDIA_TYPE, metadata=metadata)
    for record in value if isinstance(value, list) else [value]:
        out.add(UnitKind.TEXT, _record(record, budget))
    return out.document(MEDIA_TYPE, metadata=metadata)


def _decoded(text: str) -> object:
    """Also where numbers are missing as Python's and other libraries say so. Raises `DecodeError`, `RecursionError`."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        if not _NO_NUMBER.search(text):
            raise
        try:
            return json.loads(text)
        except ValueError:
            raise error from None


class _Budget:
    """Counts values against `max_cells`."""

    def __init__(self, limits: ParseLimits) -> None:
        self._left = self._limit = limits.max_cells

    def take(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise too_large("max_cells", f"more than {self._limit:,} values")


def _lines(text: str, budget: _Budget, out: Collector) -> str:
    """JSON Lines with the place of each line; when the first is none either, the file is text."""
    start, records = 0, 0
    for line in text.split("\n"):  # what else ends a line may stand in a string
        end = start + len(line.rstrip("\r"))
        try:
            record = _decoded(line) if line.strip() else None
        except RecursionError:
            records += 1
            out.add(UnitKind.TEXT, _too_deep(line, budget, out), Position(offset=(start, end)))
        except msgspec.DecodeError:
            if not records:
                out.add(UnitKind.TEXT, text, Position(offset=(0, len(text))))
                out.warn("This looks like JSON and is not complete; it was read as text.")
                return "text/plain"
            out.add(UnitKind.TEXT, line, Position(offset=(start, end)))
            out.warn("Some lines are not JSON and were read as text.")
        else:
            records += bool(line.strip())
            if record is not None:
                out.add(UnitKind.TEXT, _record(record, budget), Position(offset=(start, end)))
        start += len(line) + 1
    return LINES_MEDIA_TYPE


def _record(record: object, budget: _Budget) -> str:
    lines = list(_said(record, budget))
    statement = "; ".join(lines)
    return statement if len(statement) <= MAX_STATEMENT_CHARS and "\n" not in statement else "\n".join(lines)


def _said(record: object, budget: _Budget) -> Iterator[str]:
    """One line for each value and each list of values. A path of `MAX_DEPTH` steps is a line, and goes on as "…"."""
    waiting = [(record, "", 0)]
    while waiting:
        value, path, depth = waiting.pop()
        budget.take()
        if depth == MAX_DEPTH and isinstance(value, dict | list):
            if path:
                yield path
            path, depth = "…" if path else "", 0
        if isinstance(value, dict):
            inside = [(inner, f"{path}.{key}" if path else str(key), depth + 1) for key, inner in value.items()]
            waiting += reversed(inside)
        elif isinstance(value, list):
            if all(isinstance(inner, str | int | float | bool) for inner in value):
                yield _line(path, ", ".join(map(_scalar, value)))
            else:
                waiting += [(inner, path, depth + 1) for inner in reversed(value)]
        elif value is not None:
            yield _line(path, _scalar(value))


def _too_deep(text: str, budget: _Budget, out: Collector) -> str:
    """What stands in JSON that no parser follows to its end: names and values in order, without their structure."""
    out.warn("This JSON is nested too deeply: its names and values are listed in order, without its structure.")
    found = []
    for token in _TOKEN.findall(text):
        budget.take()
        found.append(_string(token) if token.startswith('"') else token)
    return "\n".join(found)


def _string(token: str) -> str:
    try:
        return msgspec.json.decode(token, type=str)
    except msgspec.DecodeError:
        return token


def _line(path: str, text: str) -> str:
    return f"{path}: {text}" if path else text


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


FORMAT = Format(
    name="JSON",
    media_types=(MEDIA_TYPE, LINES_MEDIA_TYPE),
    extensions=("json", "jsonl", "ndjson"),
    version=6,
    recognise=recognise,
    read=read,
    cites="characters in the text, for JSON Lines",
)
