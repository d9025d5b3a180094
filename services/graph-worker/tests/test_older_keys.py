from __future__ import annotations

from contextlib import closing
from pathlib import Path

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.domain.chunks import Span
from trivium.domain.edits import Actor, Change, Edit, Merge, Remove, Rename, Retype
from trivium.domain.graph import ChunkGraph, Entity, EntityType, Mention
from trivium.domain.scope import Scope, Tenant
from trivium.edits.fold import fold
from trivium.edits.words import keys_of
from trivium.ports.graph import GraphRow
from trivium.text.names import fold_name, key_without_marks
from trivium_graph.older_keys import with_older_keys

ACME = Tenant("acme")
BALI, PARIS, HOTEL = "バリ", "パリ", "Hotel"


def shares(*names: str) -> list[ChunkGraph]:
    return [ChunkGraph("c1", tuple(Mention(fold_name(name), "c1", 0, Span(0, 1), name) for name in names))]


async def read_anew(folder: Path, *changes: Change, names: tuple[str, ...] = (BALI, HOTEL)) -> dict[str, Entity]:
    """The entities of a passage that is read after these edits, by name."""
    edits = [Edit(n, 0, change, Actor(), 1.0) for n, change in enumerate(changes, 1)]
    known = {key for edit in edits for key in keys_of(edit.change)}
    read = with_older_keys(shares(*names), lambda: known)
    with closing(SqliteGraphs(folder)) as graphs:
        writer = graphs.writer(ACME)
        writer.decide(fold(edits).decisions)
        writer.upsert([GraphRow(each, "d", "v", Scope(ACME)) for each in read])
        return {entity.name: entity for entity in (await graphs.reader(ACME).entities()).entities}


async def test_names_that_no_edit_is_about_have_keys_of_their_own(tmp_path: Path) -> None:
    found = await read_anew(tmp_path, names=(BALI, PARIS, HOTEL))
    assert {entity.key for entity in found.values()} == {fold_name(name) for name in (BALI, PARIS, HOTEL)}


async def test_an_edit_that_names_an_old_key_finds_its_entity(tmp_path: Path) -> None:
    bali = key_without_marks(BALI)
    assert (await read_anew(tmp_path / "typed", Retype(bali, EntityType.LOCATION)))[BALI].type is EntityType.LOCATION
    assert "Isle" in await read_anew(tmp_path / "named", Rename(bali, "Isle"))
    assert set(await read_anew(tmp_path / "merged", Merge(bali, fold_name(HOTEL), BALI))) == {HOTEL}
    assert set(await read_anew(tmp_path / "removed", Remove(bali))) == {HOTEL}


def test_the_log_is_not_read_for_names_whose_key_is_as_before() -> None:
    def unread() -> set[str]:
        raise AssertionError

    assert with_older_keys(shares(HOTEL, "Émile"), unread) == shares(HOTEL, "Émile")
