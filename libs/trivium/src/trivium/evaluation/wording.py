"""How near an answer's words come to a gold answer's: exact match, token F1, containment. Pure.

Exact match and F1 are SQuAD's (Rajpurkar et al. 2016: lower case, no punctuation, no English articles), with MLQA's
tokens for scripts that write no spaces: one a character (Lewis et al. 2020). Containment cuts words at punctuation, so
that "1901" stands in "1901-1905", but nothing stands in a part of a number: "12" does not in "12,500". Nor does it
drop the point of a decimal, as SQuAD does: "36" does not stand in "3.6".
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

LONG_GOLD_WORDS = 5  # from here on a gold answer is a statement, which others word differently
LONG_GOLD_SHARE = 0.8  # of such a gold's words
_ARTICLES = frozenset({"a", "an", "the"})
# Thai, Lao, Burmese, Khmer, kana, Han (with its extensions): scripts without spaces between words.
_SPACELESS = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff])"
)
_PUNCTUATION = frozenset(string.punctuation)
# 12,500 and 1,250.40 and 2,5 but no row of a table, time or date; 2.5 but not 12.05.1990.
# Of 12.00 and 2,000.00, which are 12 and 2,000, what is in front of the point.
_NUMBER = re.compile(
    r"(?<![\d.,:/-])(?:[1-9]\d{0,2}(?:,\d{3})+(?:\.(?!00?(?!\d))\d+)?|\d+,\d{1,2})"
    r"(?!\d|[,:/-]\d|\.(?!00?(?!\d))\d)"
    r"|(?<![\d.])\d+\.(?!00?(?!\d))\d+(?!\d|\.\d)"
)
_DECIMAL = re.compile(r"(?<=\d)[.,](?=(?:\d{1,2}|\d{4,})(?!\d))")  # three digits may be thousands
_WITHIN = "\ue000"  # of private use, and no punctuation: stands for a mark within a number


def tokens(text: str) -> list[str]:
    """SQuAD's tokens; punctuation is dropped, so "U.S." is one token."""
    return _cut(text, "")


def words(text: str) -> list[str]:
    """The same, but cut at punctuation: "well-known" is two."""
    return _cut(text, " ")


def count_words(text: str) -> int:
    """Words between spaces; in scripts without them, characters."""
    return len(_SPACELESS.sub(r" \1 ", text).split())


def exact_match(said: str, golds: Iterable[str]) -> bool:
    """Whether the answer is one of the golds, after normalisation."""
    spoken = tokens(said)
    return any(spoken == tokens(gold) for gold in golds)


def token_f1(said: str, golds: Iterable[str]) -> float:
    """The best F1, 0...1, over the golds; 0 without any."""
    spoken = Counter(tokens(said))
    return max((_f1(spoken, Counter(tokens(gold))) for gold in golds), default=0.0)


def contains(text: str, golds: Iterable[str]) -> bool:
    """Whether one of the golds stands in the text, word for word."""
    return any(_stands_in(text, gold) or _runs_in(_with_decimals(text), _with_decimals(gold)) for gold in golds)


def share_of_words(text: str, golds: Iterable[str]) -> float:
    """The largest share, 0...1, of a gold's words that the text has; 0 without golds."""
    have = Counter(words(text))
    return max((_share(have, Counter(words(gold))) for gold in golds), default=0.0)


def tells(text: str, golds: Sequence[str]) -> bool:
    """Whether the text holds a gold answer: word for word, or most words of a long one."""
    long = [gold for gold in golds if len(words(gold)) >= LONG_GOLD_WORDS]
    return contains(text, golds) or share_of_words(text, long) >= LONG_GOLD_SHARE


def _cut(text: str, in_place_of_punctuation: str) -> list[str]:
    lowered = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(in_place_of_punctuation if _is_punctuation(char) else char for char in lowered)
    return [token for token in _SPACELESS.sub(r" \1 ", bare).split() if token not in _ARTICLES]


def _with_decimals(text: str) -> list[str]:
    return tokens(_DECIMAL.sub(_WITHIN, unicodedata.normalize("NFKC", text)))


def _is_punctuation(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char).startswith("P")


def _f1(said: Counter[str], gold: Counter[str]) -> float:
    common = (said & gold).total()
    return 2 * common / (said.total() + gold.total()) if common else 0.0


def _share(have: Counter[str], gold: Counter[str]) -> float:
    return (have & gold).total() / gold.total() if gold else 0.0


def _runs_in(have: Sequence[str], wanted: Sequence[str]) -> bool:
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(have)} "


def _stands_in(text: str, gold: str) -> bool:
    """Whether the gold's words follow each other in the text, and neither end of them is within a number."""
    wanted = words(gold)
    if not _runs_in(words(text), wanted):
        return False
    marked = _NUMBER.sub(lambda number: re.sub("[.,]", _WITHIN, number[0]), unicodedata.normalize("NFKC", text))
    run = f"[ {_WITHIN}]".join(map(re.escape, wanted))
    return re.search(f" {run} ", f" {' '.join(words(marked))} ") is not None
