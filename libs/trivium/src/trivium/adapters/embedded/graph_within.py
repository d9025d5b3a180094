"""Names within some documents: the places of a name, joined with the shares that say whose they are.

A name's places are all looked at, so a hub costs what it has; nothing is kept in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trivium.domain.graph import Mentioning, MentionRole
from trivium.domain.retrieval import RowFilter

_WITHIN = """
    FROM json_each(:keys) k JOIN named n ON n.key = k.value AND n.role = :role JOIN share s ON s.chunk = n.chunk
    WHERE (:dataset = '' OR s.dataset = :dataset)
    AND (:documents IS NULL OR s.document IN (SELECT value FROM json_each(:documents)))
"""


class Groups(NamedTuple):
    """`members[root]` are all names of an entity, the root first; `root_of` has every name asked for."""

    root_of: dict[str, str]
    members: dict[str, list[str]]

    def names(self) -> list[str]:
        """Every name of every entity asked for."""
        return [name for group in self.members.values() for name in group]


def restricts(where: RowFilter) -> bool:
    """Whether the graph has to look whose a place is."""
    return where.document_ids is not None or bool(where.dataset)


def about_within(db: sqlite3.Connection, names: Sequence[str], where: RowFilter) -> Iterable[tuple[str, str, float]]:
    """(name, chunk, confidence) of the chunks that are about one of the names."""
    return db.execute("SELECT n.key, n.chunk, n.confidence" + _WITHIN, _asked(names, MentionRole.TITLE, where))


def mentioned_within(
    db: sqlite3.Connection, groups: Groups, limit: int, role: MentionRole, where: RowFilter
) -> dict[str, Mentioning]:
    """Totals and first places by name; names that stand nowhere within are absent."""
    rows = db.execute("SELECT n.key, n.chunk, n.sentence" + _WITHIN, _asked(groups.names(), role, where))
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


def _asked(names: Sequence[str], role: MentionRole, where: RowFilter) -> Mapping[str, str | None]:
    documents = None if where.document_ids is None else json.dumps(where.document_ids)
    return {"keys": json.dumps(names), "role": role.value, "dataset": where.dataset, "documents": documents}
