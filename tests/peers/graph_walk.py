"""What a stranger does with the graph of examples/files, through the product's client, and what he finds there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from doors import Doors
from waiting import wait_until

from trivium import api
from trivium.client import TriviumClient
from trivium.domain.edits import Actor
from trivium.graph_tools.merge_entity import MergeEntity

FILES = Path(__file__).parents[2] / "examples" / "files"
NOTES = "# Weir\n\nThe removal of Harrow Weir is led by the engineer Odalys Prant.\n"  # examples/ say another
ONE, INTO = "Tamsin", "River Tamsin"  # rules ask whether these are one river
STRANGER = Actor(name="stranger")
MANY = 200
SETTLED_S = 240.0


class Found(msgspec.Struct, frozen=True):
    """What does not depend on where it was found: no ids and no times."""

    entities: list[tuple[object, ...]]
    why: list[tuple[object, ...]]
    cards: list[tuple[object, ...]]
    topics: list[str]
    export: list[str]


def walk(doors: Doors) -> Found:
    """From no document to a merge that was undone; asserts what holds at each step."""
    with TriviumClient(doors.url, doors.key) as client:
        _read(client)
        before = _entities(client)
        merged = client.tool("merge_entity", MergeEntity(ONE, INTO, why="one river"), api.Edited, actor=STRANGER)
        names = {str(name) for name, *_ in _entities(client)}
        assert (ONE in names, INTO in names) == (False, True)
        why = client.provenance(entity=ONE, limit=MANY)
        assert {"tamsin", "river tamsin"} <= {said.source_key for said in why.said if not said.type}
        assert [(e.kind, e.by, e.why, e.standing) for e in why.edits] == [
            ("merge", "person stranger", "one river", "counts")
        ]
        client.undo(merged.edits[0].id, "two after all", actor=STRANGER)
        assert _entities(client) == before
        assert {edit.standing for edit in client.provenance(entity=INTO).edits if edit.kind == "merge"} == {"undone"}
        return Found(before, sorted(map(_said, why.said)), _cards(client), _topics(client), _export(client))


def _read(client: TriviumClient) -> None:
    """Until all is read, the files within files too, and names are compared."""
    sent = [client.submit_file(path) for path in sorted(FILES.iterdir())]
    sent.append(client.submit_text("notes.md", NOTES))
    ended = client.wait([source.id for source in sent], SETTLED_S)
    assert {source.state for source in ended} == {"ready"}, ended

    def asked() -> set[str]:
        return {name for each in client.duplicates().duplicates for name in (each.entity.name, each.other_entity.name)}

    wait_until(lambda: {ONE, INTO} <= asked(), "the two names are compared", told=asked)


def _entities(client: TriviumClient) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    cursor, more = "", True
    while more:
        page = client.entities(limit=MANY, cursor=cursor)
        found += [(one.name, one.type, one.aliases, one.mentions, one.degree) for one in page.entities]
        cursor = page.cursor
        more = bool(cursor)
    assert len(found) > MANY / 2
    return found


def _said(said: api.Said) -> tuple[object, ...]:
    place = (said.place.source, said.place.chunk_number) if said.place else ()
    what = (said.source_key, said.type, said.target_key)
    return (*what, place, said.start, said.end, said.snippet, said.confidence, said.operation, said.invalid_by)


def _cards(client: TriviumClient) -> list[tuple[object, ...]]:
    """The card of the planted contradiction among them, with both of its sources."""
    wait_until(lambda: not client.contradictions().pending, "all is looked at for contradictions")
    found = [
        (
            card.kind,
            card.subject,
            card.attribute,
            card.confidence,
            card.operation,
            sorted((side.citation.source, side.citation.quote, side.value) for side in card.sides),
        )
        for card in client.contradictions(limit=MANY).contradictions
    ]
    sources = [{source for source, _, _ in sides} for *_, sides in found]
    assert {"weir-removal-plan.docx", "notes.md"} in sources, found
    return sorted(found)


def _topics(client: TriviumClient) -> list[str]:
    page = client.topics(limit=MANY)
    assert page.topics
    return [topic.name for topic in page.topics]


def _export(client: TriviumClient) -> list[str]:
    """The lines, sorted; ids hold the tenant, so the ends of a relation are told by key."""
    with client.export() as pieces:
        lines: list[dict[str, Any]] = [json.loads(line) for line in b"".join(pieces).splitlines()]
    keys = {line["id"]: line["key"] for line in lines if line["kind"] == "entity"}
    assert {line["kind"] for line in lines} >= {"entity", "relation"}
    return sorted(json.dumps(_without_ids(line, keys), sort_keys=True) for line in lines)


def _without_ids(line: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    ends = {end: keys[line[end]] for end in ("source", "target") if end in line}
    return {name: value for name, value in line.items() if name != "id" and not name.endswith("_id")} | ends
