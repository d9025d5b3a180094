"""The formats in which the graph is exported."""

from __future__ import annotations

import enum


class ExportFormat(enum.StrEnum):
    """As callers name them; `rdf` is N-Triples."""

    JSONL = "jsonl"
    GRAPHML = "graphml"
    CYPHER = "cypher"
    RDF = "rdf"
