"""The words of a text as BM25 counts them, by SQLite's own tokenizer: folded to lower case without accents, stemmed.

The tokenizer is FTS5's `porter unicode61 remove_diacritics 2`, run over a table in memory that is emptied each
time: 80 microseconds a chunk, 35 a question. Runs of Chinese, Japanese and Korean characters, which have no spaces,
become overlapping pairs.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache

_PAIRED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


class WordCounter:
    """Counts the words of texts; may be shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance)")

    def counts(self, texts: Sequence[str]) -> list[dict[str, int]]:
        """How often each word stands in each text, words in alphabetical order."""
        found: list[dict[str, int]] = [{} for _ in texts]
        rows = [(number, _prepared(text)) for number, text in enumerate(texts)]
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
                for word, number in self._connection.execute("SELECT term, doc FROM words"):
                    counts = found[number]
                    counts[word] = counts.get(word, 0) + 1
            finally:
                self._connection.execute("ROLLBACK")
        return found

    def close(self) -> None:
        """Free the table."""
        with self._lock:
            self._connection.close()


@lru_cache(maxsize=1 << 14)
def word_key(word: str) -> int:
    """64 bits that stand for the word: at a million words, two share a key with a chance of 3 in 10^8."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def _prepared(text: str) -> str:
    if text.isascii():
        return text
    whole = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text to SQLite
    return _PAIRED.sub(lambda run: f" {_pairs(run.group())} ", whole)


def _pairs(run: str) -> str:
    return " ".join(run[at : at + 2] for at in range(max(1, len(run) - 1)))
