"""What tables answer beside passages of text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import ParsedDocument, Position, Unit, UnitKind
from trivium.domain.retrieval import Hit
from trivium_query.answer.tables.answer_from_tables import Found, answer_from_tables
from trivium_query.answer.tables.engine import database_of
from trivium_query.answer.tables.from_units import tables_of
from trivium_query.answer.tables.table import DocumentTables

TRIPS = (("2025-04-05", "Marigold", "Hedda Quist"), ("2025-04-06", "Petrel", "Owen Marsh"))
HEADER = ("Date", "Boat", "Skipper")


def _table() -> DocumentTables:
    cells = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in TRIPS)
    lines = "\n".join("; ".join(f"{label}: {cell}" for label, cell in zip(HEADER, row, strict=True)) for row in TRIPS)
    html = f"<table><tr><th>{'</th><th>'.join(HEADER)}</th></tr>{cells}</table>"
    unit = Unit(UnitKind.TABLE, lines, Position(rows=(2, 3)), html=html)
    chunk = Chunk("t", "trips", "v", 0, lines, Span(0, len(lines)), "trips.csv", kind=UnitKind.TABLE)
    return database_of(tables_of(ParsedDocument("text/csv", (unit,))), "trips.csv", [chunk])


def _ask(question: str, text: str) -> Found:
    stored = _table()
    prose = Chunk("p", "notes", "v", 0, text, Span(0, len(text)), "notes.md")

    async def read(document: str, version: str) -> DocumentTables:
        return stored if document == "trips" else DocumentTables()

    async def embed(texts: Sequence[str]) -> list[bytes]:
        raise AssertionError(texts)

    hits = [Hit(stored.chunks[0], 1, 1.0), Hit(prose, 2, 0.9)]
    return asyncio.run(answer_from_tables(question, hits, read, embed, None, 1.0))


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Did Owen Marsh ever take the Petrel?", "The boats lie at the quay.", "yes"),
        ("Did Hedda Quist ever take the Petrel?", "The boats lie at the quay.", "no"),
        ("Did Hedda Quist ever take the Petrel?", "In 2019 Hedda Quist took the Petrel out.", ""),
    ],
)
def test_no_row_is_no_no_where_a_text_tells_of_it(question: str, text: str, said: str) -> None:
    draft = _ask(question, text).draft
    assert (draft.short if draft else "") == said
