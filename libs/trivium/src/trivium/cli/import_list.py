"""`trivium graph import`: a curated list of entities, their other names and relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from trivium.cli.curate import me
from trivium.cli.session import connected
from trivium.cli.terminal import json_option, note, one_line, print_json, say

if TYPE_CHECKING:
    from trivium.cli.curated_list import Row
    from trivium.graph_tools.import_list import ImportList

MAX_NAMES = 400  # a call, which then takes about a second
_COUNTED = {
    "created": "created",
    "renamed": "renamed",
    "retyped": "of another type",
    "named": "other names",
    "related": "relations",
    "unchanged": "rows in the graph already",
}


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--why", default="", help="The reason, kept with the edits.")
@json_option
def import_list(file: Path, dry_run: bool, why: str, as_json: bool) -> None:
    r"""Import FILE, a curated list of entities and their other names, as edits.

    CSV with a first line `name,type,aliases` (other names apart by `;`), or JSON Lines as `trivium graph export` writes
    them, relations included. What the graph has already stays as it is: a list may be imported again.

    \b
      name,type,aliases
      Ilse Brandt,person,I. Brandt; Brandt
    """
    from trivium.cli.curated_list import read
    from trivium.graph_tools.import_list import Imported

    batches = list(_batches(read(file)))
    done: list[Imported] = []
    with connected() as client:
        for number, batch in enumerate(batches, start=1):
            done.append(client.tool("import_list", _wanted(batch, why, dry_run), Imported, actor=me()))
            if len(batches) > 1:
                note(f"{number} of {len(batches)} parts")
    sums = {name: sum(getattr(imported, name) for imported in done) for name in _COUNTED}
    records = [imported.record for imported in done if imported.record]
    refused = [
        {"line": batch[each.row].line, **msgspec.structs.asdict(each)}
        for batch, imported in zip(batches, done, strict=True)
        for each in imported.refused
    ]
    if as_json:
        print_json({**sums, "records": records, "refused": refused})
    else:
        told = ", ".join(f"{sums[name]} {what}" for name, what in _COUNTED.items())
        say(f"It would be: {told}" if dry_run else told)
        for row in refused:
            say(one_line(f"Line {row['line']}: {row['message']} {row['action']}"))
        if records:
            note(f"To undo: {'; '.join(f'trivium graph undo {record}' for record in reversed(records))}")
    if refused:
        raise SystemExit(1)


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Rows whose edits fit into one record."""
    from trivium.graph_tools.import_list import MAX_ROWS

    batch: list[Row] = []
    names = 0
    for row in rows:
        if batch and (names + row.names > MAX_NAMES or len(batch) == MAX_ROWS):
            yield batch
            batch, names = [], 0
        batch.append(row)
        names += row.names
    yield batch


def _wanted(batch: Sequence[Row], why: str, dry_run: bool) -> ImportList:
    from trivium.graph_tools.import_list import ImportList, ListedEntity
    from trivium.graph_tools.values import NamedRelation

    listed = [row.listed for row in batch]
    return ImportList(
        tuple(one for one in listed if isinstance(one, ListedEntity)),
        tuple(one for one in listed if isinstance(one, NamedRelation)),
        why,
        dry_run,
    )
