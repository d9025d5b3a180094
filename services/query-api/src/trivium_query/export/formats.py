"""The formats of an export by name: each a beginning, the parts, and an end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from trivium.domain.exports import ExportFormat
from trivium.domain.topics import Topic
from trivium_query.export import cypher, graphml, jsonl
from trivium_query.export.parts import Part


class Writing(msgspec.Struct, frozen=True):
    """How a format is written, in UTF-8, and what it is called."""

    parts: Callable[[Iterable[Part]], bytes]
    media_type: str
    suffix: str
    beginning: bytes = b""
    end: bytes = b""
    topics: Callable[[Iterable[Topic]], bytes] | None = None
    """Where the format has a place for them: between the parts and the end."""


def _rdf(parts: Iterable[Part]) -> bytes:
    from trivium_query.export import rdf  # noqa: PLC0415 - pyoxigraph, 9 MB

    return rdf.written(parts)


FORMATS = {
    ExportFormat.JSONL: Writing(jsonl.written, "application/jsonl", "jsonl", topics=jsonl.topics),
    ExportFormat.GRAPHML: Writing(
        graphml.written, "application/graphml+xml", "graphml", graphml.BEGINNING, graphml.END, graphml.topics
    ),
    ExportFormat.CYPHER: Writing(cypher.written, "text/plain; charset=utf-8", "cypher", cypher.BEGINNING),
    ExportFormat.RDF: Writing(_rdf, "application/n-triples", "nt"),
}
