"""The words of a text as BM25 counts them, by SQLite's own tokenizer: folded to lower case without accents, stemmed.

The tokenizer is FTS5's `porter unicode61 remove_diacritics 2`, run over a table in memory that is emptied each
time: 80 microseconds a chunk, 35 a question. Marks that are a script's vowels are part of their word. Runs of scripts
without spaces between words (and of Korean's, whose particles have none) become overlapping pairs of letters. A number
of several parts ("4.0", a version or a clause) is a word beside its parts.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache

from trivium.text.dotted import dotted_numbers
from trivium.text.spaceless import MARKED, MARKS, SPACELESS, pairs, spelt

_PAIRED = re.compile(f"[{SPACELESS}\uac00-\ud7af]+")
_DOT = "\ue000"  # between the parts of a number; of private use, where the tokenizer does not cut
_TOKENIZER = f"porter unicode61 remove_diacritics 2 tokenchars '{MARKS}'"
_WITH_MARKS = re.compile(f"[{MARKED}]")


class WordCounter:
    """Counts the words of texts; may be shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.text_factory = lambda term: term.decode("utf-8", "ignore")  # a long one is cut within a letter
        self._connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize=\"{_TOKENIZER}\")")
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


def was_counted_otherwise(text: str) -> bool:
    """Whether its words may have been, before marks were part of them and numbers of several parts were words."""
    if dotted_numbers(text):
        return True
    return not text.isascii() and (_WITH_MARKS.search(text) is not None or spelt(text) != text)


def _prepared(text: str) -> str:
    if numbers := dotted_numbers(text):
        text = f"{text} {' '.join(numbers).replace('.', _DOT)}"
    if text.isascii():
        return text
    whole = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text to SQLite
    return _PAIRED.sub(lambda run: f" {' '.join(pairs(run.group()))} ", spelt(whole))
