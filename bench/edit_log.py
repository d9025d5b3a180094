"""What a log of 100,000 edits costs: the fold, a start from the object store, the first projection, one more edit.

.venv/bin/python bench/edit_log.py
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from trivium.adapters.embedded.graph import SqliteGraphs
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.edits import (
    Actor,
    Change,
    CreateRelation,
    Draft,
    Edit,
    Invalidate,
    Merge,
    RelationKey,
    Rename,
    Retype,
    Undo,
)
from trivium.domain.graph import EntityType
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curation
from trivium.edits.fold import fold
from trivium.edits.log import PACKED, EditLog
from trivium.flow import artifacts

EDITS = 100_000
NAMES = 200_000
TENANT = Tenant("bench")
SOMEBODY = Actor(name="bench")


def change(number: int, chance: random.Random) -> Change:
    a, b = (f"name {chance.randrange(NAMES)}" for _ in range(2))
    return chance.choices(
        (
            Merge(a, b, a.title()),
            Rename(a, f"{a.title()} x"),
            Retype(a, EntityType.PERSON),
            CreateRelation(RelationKey(a, b, "KNOWS")),
            Invalidate(RelationKey(a, b, "NEAR")),
            Undo(f"{chance.randrange(1, number + 1)}.0"),
        ),
        (40, 20, 10, 15, 10, 5),
    )[0]


@contextmanager
def timed(what: str) -> Iterator[None]:
    began, worked = time.perf_counter(), time.process_time()
    yield
    print(f"{what}: {time.perf_counter() - began:.2f} s, {time.process_time() - worked:.2f} s of a processor")


def curation_at(objects: LocalObjects, folder: str, graphs: SqliteGraphs) -> Curation:
    return Curation(objects, SqliteRegistry(Path(folder)), graphs)


def main() -> None:
    chance = random.Random(1)
    edits = [Edit(n, 0, change(n, chance), SOMEBODY, float(n), "because") for n in range(1, EDITS + 1)]
    with timed(f"fold of {EDITS:,} edits"):
        decisions = fold(edits).decisions
    with TemporaryDirectory() as folder, closing(SqliteGraphs(Path(folder))) as graphs:
        objects = LocalObjects(Path(folder))
        store = objects.for_tenant(TENANT)
        for pack in range(EDITS // PACKED):
            held = tuple(edits[pack * PACKED : (pack + 1) * PACKED])
            artifacts.save(store, f"edits-packed/{pack:09}", held)
        with timed("start: read from packs"):
            assert len(EditLog(store).read()) == EDITS
        with timed("first projection, embedded"):
            graphs.writer(TENANT).decide(decisions)
        curation = curation_at(objects, folder, graphs)
        with timed("a process starts: folded, and the graph compared as a whole"):
            curation.project(TENANT)
        for what, one in (
            ("one more edit: appended and projected", Merge("one", "more", "One")),
            ("the same", Rename("more", "One More")),
            ("the same", Invalidate(RelationKey("one", "name 7", "NEAR"))),
            ("an undo of the last but one", Undo(f"{EDITS + 2}.0")),
            ("an undo of an old one, which is folded anew", Undo("500.0")),
            ("one more edit behind that", Retype("more", EntityType.PERSON)),
        ):
            with timed(what):
                curation.append(TENANT, lambda _, one=one: [Draft(one, SOMEBODY)])  # type: ignore[misc]
        with timed("another process, the graph as it should be"):
            decisions = curation_at(objects, folder, graphs).now(TENANT).folded.decisions
            assert not graphs.writer(TENANT).undecided(decisions)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
