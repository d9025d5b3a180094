"""The in-memory indexes agree with scoring by the book, however they came to be, and with a file that changes."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.adapters.embedded.flat import FlatIndex
from trivium.adapters.embedded.mirror import STATE_TABLE, Mirror, count_changes
from trivium.adapters.embedded.postings import MAX_QUERY_WORDS, PostingsIndex, encode_counts
from trivium.adapters.embedded.words import WordCounter, word_key
from trivium.adapters.times import UNDATED

SAME = ("default", "text", "", 0, UNDATED)  # dataset, kinds, run and times of every row
CHUNK = st.lists(st.integers(0, 9), max_size=12)


def rows(texts: list[list[int]], first: int) -> list[tuple[int, str, str, str, str, str, int, int, int, bytes]]:
    return [
        (
            number,
            f"c{number:04}",
            f"d{number % 3}",
            *SAME,
            len(text),
            encode_counts(Counter(text)),
        )
        for number, text in enumerate(texts, first)
    ]


def by_the_book(texts: dict[str, list[int]], query: list[int]) -> dict[str, float]:
    average = sum(map(len, texts.values())) / len(texts)
    scores = {}
    for name, text in texts.items():
        score = 0.0
        for word in query:
            holders = sum(word in other for other in texts.values())
            times = text.count(word)
            norm = 1.2 * (0.25 + 0.75 * len(text) / average) if average else 1.2
            score += math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5)) * times * 2.2 / (times + norm)
        if score:
            scores[name] = score
    return scores


@settings(deadline=None, max_examples=150)
@given(
    batches=st.lists(st.lists(CHUNK, min_size=1, max_size=5), min_size=1, max_size=8),
    dead=st.sets(st.integers(1, 40)),
    query=st.sets(st.integers(0, 11), min_size=1),
)
def test_postings_score_as_bm25_says_over_the_living_chunks(
    batches: list[list[list[int]]], dead: set[int], query: set[int]
) -> None:
    index, texts, first = PostingsIndex(), {}, 1
    for batch in batches:
        index = index.extended(rows(batch, first))
        texts.update({f"c{number:04}": text for number, text in enumerate(batch, first)})
        first += len(batch)
    living = np.array([number for number in range(1, first) if number not in dead], np.int64)
    index = index.reduced(living)
    expected = (
        by_the_book({f"c{number:04}": texts[f"c{number:04}"] for number in living}, sorted(query))
        if len(living)
        else {}
    )
    hits = index.search(np.array(list(query), np.uint64), 100)
    assert {hit.chunk_id: hit.score for hit in hits} == pytest.approx(expected, rel=1e-4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_long_question_is_ranked_by_its_rarest_words() -> None:
    common = list(range(1000, 1000 + 2 * MAX_QUERY_WORDS))
    index = PostingsIndex().extended(rows([common] * 5 + [[7]], 1))
    hits = index.search(np.array([*common, 7], np.uint64), 10)
    assert {hit.chunk_id for hit in hits} == {f"c{number:04}" for number in range(1, 7)}


def test_an_older_view_is_not_changed_by_what_comes_later() -> None:
    def vector_rows(first: int, count: int) -> list[tuple[int, str, str, str, str, bytes]]:
        return [
            (n, f"c{n:04}", "d", *SAME, np.eye(1, 4, dtype=np.float32).tobytes()) for n in range(first, first + count)
        ]

    older = FlatIndex().extended(vector_rows(1, 3))
    newer = older
    for first in range(4, 400, 3):
        newer = newer.extended(vector_rows(first, 3))
    newer = newer.reduced(np.arange(10, 20))
    query = np.eye(1, 4, dtype=np.float32)[0]
    assert len(older.search(query, 1000)) == 3
    assert [hit.chunk_id for hit in newer.search(query, 1000)] == [f"c{n:04}" for n in range(10, 20)]


class Table:
    """A table of rows with the counters that a mirror watches."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(
            STATE_TABLE + "CREATE TABLE t (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, document TEXT, vector BLOB);"
        )
        self.mirror = Mirror(
            FlatIndex,
            f"SELECT seq, id, document, 'default', 'text', '', 0, {UNDATED}, vector FROM t WHERE seq > ? ORDER BY seq",
            "SELECT seq FROM t",
        )

    def add(self, *names: str, vector: bytes = np.eye(1, 4, dtype=np.float32).tobytes()) -> None:
        self.connection.executemany(
            "INSERT INTO t (id, document, vector) VALUES (?, 'd', ?)", [(n, vector) for n in names]
        )
        count_changes(self.connection, len(names), 0)

    def seen(self) -> list[str]:
        index = self.mirror.at(self.connection)
        return [hit.chunk_id for hit in index.search(np.eye(1, 4, dtype=np.float32)[0], 10_000)]


def test_a_mirror_follows_additions_removals_and_a_total_clearance() -> None:
    table = Table()
    assert table.seen() == []
    table.add("a", "b", "c")
    assert table.seen() == ["a", "b", "c"]
    table.connection.execute("DELETE FROM t WHERE id = 'b'")
    count_changes(table.connection, 0, 1)
    table.add("d")
    assert table.seen() == ["a", "c", "d"]
    table.connection.execute("DELETE FROM t")
    count_changes(table.connection, 0, 3)
    assert table.seen() == []
    table.add("e")
    assert table.seen() == ["e"]


def test_a_mirror_drops_dead_slots_when_they_are_many() -> None:
    table = Table()
    table.add(*(f"c{number:04}" for number in range(4000)))
    assert len(table.seen()) == 4000
    table.connection.execute("DELETE FROM t WHERE seq % 2 = 0")
    count_changes(table.connection, 0, 2000)
    assert len(table.seen()) == 2000
    assert len(table.mirror.at(table.connection).slots) == 2000


def test_a_load_that_fails_half_way_is_made_good_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.adapters.embedded.mirror.ROWS_PER_FETCH", 2)
    table = Table()
    table.add("a")
    assert table.seen() == ["a"]
    table.add("b", "c")
    table.add("bad", vector=b"123")
    with pytest.raises(ValueError):  # noqa: PT011 - whatever NumPy says of three bytes
        table.seen()
    table.connection.execute("DELETE FROM t WHERE id IN ('b', 'bad')")
    count_changes(table.connection, 0, 2)
    assert table.seen() == ["a", "c"]


def test_a_load_that_was_cut_off_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes longer than a search has would else never end."""
    monkeypatch.setattr("trivium.adapters.embedded.mirror.ROWS_PER_FETCH", 2)
    table = Table()
    names = [f"c{number}" for number in range(8)]
    table.add(*names)
    extended, read = FlatIndex.extended, []

    def cut_off(index: FlatIndex, rows: Sequence[tuple[Any, ...]]) -> FlatIndex:
        if len(read) == 4:
            read.append("cut off")
            raise sqlite3.OperationalError("interrupted")
        read.extend(row[1] for row in rows)
        return extended(index, rows)

    monkeypatch.setattr(FlatIndex, "extended", cut_off)
    with pytest.raises(sqlite3.OperationalError):
        table.seen()
    assert table.seen() == names
    assert read == [*names[:4], "cut off", *names[4:]]


def test_words_are_counted_as_sqlites_stemmer_sees_them() -> None:
    counter = WordCounter()
    assert counter.counts(["Running foxes run; a Fox's café", "", "東京都"]) == [
        {"a": 1, "cafe": 1, "fox": 2, "run": 2, "s": 1},
        {},
        {"東京": 1, "京都": 1},
    ]
    assert counter.counts([]) == []
    assert counter.counts(["Երևան\u2024 Ապրիլ"]) == [{"ապրիլ": 1, "երևան": 1}]
    assert counter.counts(["कि" * 8_000]) == [{("कि" * 8_000).encode()[:32_768].decode("utf-8", "ignore"): 1}]
    assert word_key("fox") != word_key("foxe")
    counter.close()
