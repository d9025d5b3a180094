"""Cypher: statements that may be run again without doubling anything, one a line, for `cypher-shell`.

Labels and relationship types are fixed, and every value is a string or number literal: nothing that a document says
is ever syntax. A JSON string is a Cypher string literal; what is not ASCII is escaped as well, so that neither the
encoding nor the line ends of whoever carries the file matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from trivium.domain.graph import Entity
from trivium_query.export.parts import Part, Statement

BEGINNING = b"CREATE CONSTRAINT trivium_export IF NOT EXISTS FOR (n:TriviumEntity) REQUIRE n.id IS UNIQUE;\n"


def written(parts: Iterable[Part]) -> bytes:
    """A statement each."""
    return "".join(_node(part) if isinstance(part, Entity) else _edge(part) for part in parts).encode("ascii")


def _node(entity: Entity) -> str:
    values = {
        "name": entity.name,
        "type": entity.type.value,
        "aliases": list(entity.aliases),
        "mentions": entity.mentions,
        "key": entity.key,
    }
    return f"MERGE (n:TriviumEntity {{id: {_literal(entity.id)}}}) SET n += {_map(values)};\n"


def _edge(one: Statement) -> str:
    values = {
        "type": one.type,
        "confidence": one.confidence,
        "document_id": one.document_id,
        "document": one.document,
        "chunk_id": one.chunk_id,
        "snippet": one.snippet,
        "operation": one.operation,
    }
    return (
        f"MERGE (a:TriviumEntity {{id: {_literal(one.source)}}}) MERGE (b:TriviumEntity {{id: {_literal(one.target)}}})"
        f" MERGE (a)-[r:RELATES {{id: {_literal(one.id)}}}]->(b) SET r += {_map(values)};\n"
    )


def _map(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {_literal(value)}" for name, value in values.items()) + "}"


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)
