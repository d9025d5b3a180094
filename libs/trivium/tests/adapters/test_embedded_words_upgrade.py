from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trivium.adapters.embedded import keywords as module
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.domain.chunks import Chunk, Span
from trivium.domain.scope import Scope, Tenant
from trivium.ports.keywords import keyword_rows

ACME = Tenant("acme")
TEXTS = {"hindi": "मोदी आए", "arabic": "مُحَمَّد", "number": "in 4.0", "english": "apple"}
ROWS = keyword_rows(
    [Chunk(name, "d", "v1", 0, text, Span(0, len(text)), "a.txt") for name, text in TEXTS.items()], Scope(ACME)
)


async def test_words_that_were_cut_at_marks_or_dots_are_counted_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_COUNTED_AT_ONCE", 2)
    with closing(SqliteKeywords(tmp_path)) as keywords:
        keywords.writer(ACME).upsert(ROWS)
    with closing(sqlite3.connect(tmp_path / "tenants" / ACME.name / "keywords.sqlite")) as older:
        older.executescript(
            "UPDATE chunks SET length = 1, counts = x'' WHERE chunk_id <> 'english'; PRAGMA user_version = 5;"
        )
    with closing(SqliteKeywords(tmp_path)) as keywords:
        assert [hit.chunk_id for hit in await keywords.reader(ACME).search("मोदी", 9)] == ["hindi"]
        assert [hit.chunk_id for hit in await keywords.reader(ACME).search("4.0", 9)] == ["number"]
        assert keywords.writer(ACME).unlike(ROWS) == set()
