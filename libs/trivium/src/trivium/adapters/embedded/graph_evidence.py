"""HAS_EVIDENCE in the graph's file: which passages are within which HyperNode."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from trivium.adapters.embedded.graph_within import passing, where_parameters
from trivium.adapters.embedded.sqlite import json_list
from trivium.adapters.graph_rules import nodes_of, nodes_text
from trivium.domain.retrieval import RowFilter

_FIRST = "SELECT e.chunk FROM evidence e JOIN share s ON s.chunk = e.chunk WHERE e.node = :node AND"


def put_evidence(connection: sqlite3.Connection, chunk: str, nodes: Sequence[str]) -> None:
    """Have a stored passage be within exactly these HyperNodes."""
    drop_evidence(connection, chunk)
    connection.execute("UPDATE share SET within = ? WHERE chunk = ?", (nodes_text(nodes), chunk))
    add_evidence(connection, chunk, nodes)


def add_evidence(connection: sqlite3.Connection, chunk: str, nodes: Sequence[str]) -> None:
    """Have a passage whose row was just written be within these."""
    connection.executemany(
        "INSERT OR IGNORE INTO evidence VALUES (?, ?)", [(node, chunk) for node in dict.fromkeys(nodes)]
    )


def drop_evidence(connection: sqlite3.Connection, chunk: str) -> None:
    """Have it be within none, whatever its row says."""
    row = connection.execute("SELECT within FROM share WHERE chunk = ?", (chunk,)).fetchone()
    connection.executemany(
        "DELETE FROM evidence WHERE node = ? AND chunk = ?", [(node, chunk) for node in nodes_of(row[0] if row else "")]
    )


def evidence_of(db: sqlite3.Connection, nodes: Iterable[str], limit: int, where: RowFilter) -> dict[str, list[str]]:
    """The first `limit` passages within each HyperNode, by id."""
    statement = f"{_FIRST} {passing(where)} ORDER BY e.chunk LIMIT :limit"
    asked = {"limit": max(limit, 0), **where_parameters(where)}
    found = {node: [chunk for (chunk,) in db.execute(statement, {"node": node, **asked})] for node in nodes}
    return {node: chunks for node, chunks in found.items() if chunks}


def hypernodes_of(db: sqlite3.Connection, chunk_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The HyperNodes of each passage that is within one."""
    rows = db.execute(
        "SELECT chunk, within FROM share WHERE within <> '' AND chunk IN (SELECT value FROM json_each(?))",
        (json_list(chunk_ids),),
    )
    return {chunk: nodes_of(stored) for chunk, stored in rows}
