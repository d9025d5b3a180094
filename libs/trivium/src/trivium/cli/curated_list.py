"""A curated list as a file: CSV with a header (`name`, `type`, `aliases`), or JSON Lines as `trivium graph export`.

Other names in one cell of a CSV file stand apart by `;` or `|`. Relations are in JSON Lines only.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from trivium.batches import batches
from trivium.domain.errors import Refused
from trivium.domain.graph import CO_OCCURS, EntityType
from trivium.graph_tools.create_entity import MAX_ALIASES
from trivium.graph_tools.desk import checked_name
from trivium.graph_tools.import_list import ListedEntity
from trivium.graph_tools.values import NamedRelation
from trivium.text.names import fold_name

MAX_BYTES = 100_000_000
_COLUMNS = ("name", "type", "aliases")
_APART = re.compile(r"[;|]")


class Row(msgspec.Struct, frozen=True):
    """`line` counts from 1."""

    line: int
    listed: ListedEntity | NamedRelation

    @property
    def names(self) -> int:
        """How many names it gives."""
        return 1 + len(self.listed.aliases) if isinstance(self.listed, ListedEntity) else 1


def read(path: Path) -> list[Row]:
    """Its rows, entities before relations. Raises `Refused` (`bad_list`) with the line."""
    if path.stat().st_size > MAX_BYTES:
        raise Refused("bad_list", f"{path} is larger than {MAX_BYTES // 1_000_000} MB.", "Cut it into several files.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("bad_list", f"{path} is not UTF-8.", "Save it as UTF-8.") from error
    rows: list[Row] = []
    if text.strip():
        rows = list(_json_rows(text) if text.lstrip().startswith("{") else _csv_rows(text))
    if not rows:
        raise Refused("bad_list", f"{path} has no rows.", f"The first line names the columns: {','.join(_COLUMNS)}")
    _require_one_row_a_name(rows)
    relations = {row.listed: row for row in reversed(rows) if isinstance(row.listed, NamedRelation)}  # stated often
    return [row for row in rows if isinstance(row.listed, ListedEntity)] + list(reversed(relations.values()))


def _csv_rows(text: str) -> Iterator[Row]:
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        header = [cell.strip().casefold() for cell in next(reader, [])]
        if "name" not in header or set(header) - set(_COLUMNS):
            raise _bad(1, f"the columns are {', '.join(header)[:80]}", f"Name them {', '.join(_COLUMNS)}.")
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) > len(header):
                    raise _bad(reader.line_num, "there are more cells than columns", 'Put names with commas in "…".')
                values = dict(zip(header, map(str.strip, cells), strict=False))
                row = _row(reader.line_num, {**values, "aliases": _names(values.get("aliases", ""))})
                _require_names(row)
                yield row
    except csv.Error as error:
        raise _bad(reader.line_num, str(error), "Save it as CSV again.") from error


def _names(cell: str) -> list[str]:
    return [name for part in _APART.split(cell) if (name := part.strip())]


def _json_rows(text: str) -> Iterator[Row]:
    """Ids of the file's own entities, as in an export, give way to their names.

    These may be titles that nobody may call a thing by: whoever imports the rows refuses each by itself.
    """
    names: dict[object, object] = {}
    for line, record in enumerate(text.split("\n"), start=1):
        if not record.strip():
            continue
        try:
            values = msgspec.json.decode(record, type=dict[str, object])
        except msgspec.DecodeError as error:
            raise _bad(line, f"it is no JSON object ({error})", "Write one object a line.") from error
        if values.get("kind") == "topic":  # made of the graph, not decided
            continue
        if values.get("kind") != "relation":
            names[values.get("id")] = values.get("name")
            yield from (_row(line, part) for part in _parts(values))
        elif values.get("type") != CO_OCCURS:  # what passages say, not what somebody decided
            ends = {end: names.get(values.get(end), values.get(end)) for end in ("source", "target")}
            yield _row(line, {**values, **ends})


def _parts(values: Mapping[str, object]) -> list[Mapping[str, object]]:
    """An entity of many other names as several rows."""
    aliases = values.get("aliases")
    if not isinstance(aliases, list) or len(aliases) <= MAX_ALIASES:
        return [values]
    return [{**values, "aliases": some} for some in batches(aliases, MAX_ALIASES)]


def _row(line: int, values: Mapping[str, object]) -> Row:
    kind: type[ListedEntity | NamedRelation] = NamedRelation if values.get("kind") == "relation" else ListedEntity
    given = {name: values[name] for name in kind.__struct_fields__ if values.get(name)}
    try:
        return Row(line, msgspec.convert(given, kind))
    except msgspec.ValidationError as error:
        types = f"Types are {', '.join(kind.value for kind in EntityType)}."
        raise _bad(line, str(error), types if "$.type" in str(error) else "Correct the row.") from error


def _require_names(row: Row) -> None:
    try:
        for name in (row.listed.name, *row.listed.aliases) if isinstance(row.listed, ListedEntity) else ():
            checked_name(name)
    except Refused as error:
        raise _bad(row.line, error.message.removesuffix("."), error.action) from error


def _require_one_row_a_name(rows: list[Row]) -> None:
    lines: dict[str, int] = {}
    for row in rows:
        if isinstance(row.listed, ListedEntity):
            for key in {fold_name(name): name for name in (row.listed.name, *row.listed.aliases)}:
                if (other := lines.setdefault(key, row.line)) != row.line:
                    raise _bad(row.line, f"{key!r} stands in line {other} too", "A name is one thing's: keep one row.")


def _bad(line: int, what: str, action: str) -> Refused:
    return Refused("bad_list", f"Line {line}: {what}.", f"{action} Nothing was imported.")
