"""Names within some documents: the places of a name, joined with the shares that say whose they are.

A name's places are all looked at, so a hub costs what it has; nothing is kept in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.domain.graph import Mentioning, MentionRole
from trivium.domain.retrieval import EVERYWHERE, RowFilter
from trivium.domain.times import TimeOf

_WITHIN = """
    FROM json_each(:keys) k JOIN named n ON n.key = k.value AND n.role = :role JOIN share s ON s.chunk = n.chunk
    WHERE
"""
_PASSING = """
    (:dataset = '' OR s.dataset = :dataset)
    AND (:documents IS NULL OR s.document IN (SELECT value FROM json_each(:documents)))
    AND (:run = '' OR s.run = :run)
    AND (:kinds IS NULL OR EXISTS (
        SELECT 1 FROM json_each(:kinds) w WHERE instr('|' || s.kinds || '|', '|' || w.value || '|')
    ))
"""
_PERIODS = {
    None: "",
    TimeOf.UPLOADED: " AND s.uploaded >= coalesce(:start, s.uploaded) AND s.uploaded < coalesce(:end, s.uploaded + 1)",
    TimeOf.DATED: " AND s.dated >= coalesce(:start, s.dated) AND s.dated < coalesce(:end, s.dated + 1)",
}


class Groups(NamedTuple):
    """`members[root]` are all names of an entity, the root first; `root_of` has every name asked for."""

    root_of: dict[str, str]
    members: dict[str, list[str]]

    def names(self) -> list[str]:
        """Every name of every entity asked for."""
        return [name for group in self.members.values() for name in group]


def restricts(where: RowFilter) -> bool:
    """Whether the graph has to look whose a place is."""
    return where != EVERYWHERE


def about_within(db: sqlite3.Connection, names: Sequence[str], where: RowFilter) -> Iterable[tuple[str, str, float]]:
    """(name, chunk, confidence) of the chunks that are about one of the names."""
    return db.execute("SELECT n.key, n.chunk, n.confidence" + _within(where), _asked(names, MentionRole.TITLE, where))


def mentioned_within(
    db: sqlite3.Connection, groups: Groups, limit: int, role: MentionRole, where: RowFilter
) -> dict[str, Mentioning]:
    """Totals and first places by name; names that stand nowhere within are absent."""
    rows = db.execute("SELECT n.key, n.chunk, n.sentence" + _within(where), _asked(groups.names(), role, where))
    root_of_member = {name: root for root, names in groups.members.items() for name in names}
    places: dict[str, dict[str, int]] = {}
    for key, chunk, sentence in rows:
        first = places.setdefault(root_of_member[key], {})
        first[chunk] = min(sentence, first.get(chunk, sentence))
    return {
        key: Mentioning(len(places[root]), tuple(sorted(places[root].items())[: max(limit, 0)]))
        for key, root in groups.root_of.items()
        if root in places
    }


def passing(where: RowFilter) -> str:
    """The condition on a share `s`, for `where_parameters`."""
    return _PASSING + _PERIODS[where.period.of if where.period else None]


def _within(where: RowFilter) -> str:
    return _WITHIN + passing(where)


def _asked(names: Sequence[str], role: MentionRole, where: RowFilter) -> Mapping[str, str | int | None]:
    return {"keys": json.dumps(names), "role": role.value, **where_parameters(where)}


def where_parameters(where: RowFilter) -> dict[str, str | int | None]:
    """What `passing` asks for."""
    return {
        "dataset": where.dataset,
        "documents": None if where.document_ids is None else json.dumps(where.document_ids),
        "run": where.run,
        "kinds": json.dumps(where.kinds) if where.kinds else None,
        "start": where.period.start if where.period else None,
        "end": where.period.end if where.period else None,
    }
