"""What a question of UDA is answered from, as far as its record tells, and whether a chunk holds it.

In this order: the evidence passages; the evidence's strings; the page that the question's id names; the answer itself
where it stands in the document word for word. A question with none of these has no gold.
"""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHARE = 0.6  # of the rarer side's weight: a chunk may be a part of its gold, and the gold a part of a chunk
MIN_WEIGHT = 0.15  # of the gold's weight, so that a heading of two words is not taken for the passage
DISTINCT_CHARS = 5  # a shorter answer stands anywhere
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_PAGE = re.compile(r"/page_(\d+)\.pdf")


@dataclass(frozen=True)
class Gold:
    """A text to be found, or strings that must stand in one chunk, of one document."""

    document: str
    words: Mapping[str, float]
    strings: tuple[str, ...] = ()

    def stands_in(self, source: str, chunk: str) -> bool:
        """True when the chunk holds it."""
        if not source.startswith(self.document):
            return False
        if self.strings:
            flat = squeezed(chunk)
            return all(string in flat for string in self.strings)
        have = set(words(chunk))
        common = sum(weight for word, weight in self.words.items() if word in have)
        whole = sum(self.words.values())
        unknown = _unknown_weight(self.words)
        chunk_weight = sum(self.words.get(word, unknown) for word in have)
        return common >= SHARE * min(whole, chunk_weight) and common >= MIN_WEIGHT * whole

    def __str__(self) -> str:
        return str(self.strings or f"{len(self.words)} words")


class Shelf:
    """The documents' page texts, which weigh words and tell whether an answer stands in them."""

    def __init__(self, pages: Mapping[str, Sequence[str]]) -> None:
        self._pages = pages
        texts = [text for document in pages.values() for text in document]
        self._count = len(texts)
        self._frequency = Counter(word for text in texts for word in set(words(text)))
        self._flat = {name: squeezed(" ".join(document)) for name, document in pages.items()}

    def gold(self, question: Mapping[str, Any], passages: Mapping[str, str]) -> Gold | None:
        """The question's gold, or None."""
        document = question["doc"]
        if evidence := [passages[name] for name in question["evidence"] if name in passages]:
            return self._text(document, evidence[0])
        strings = question["evidence_text"]
        if strings and max(map(len, strings)) > 120:
            return self._text(document, strings[0])
        if strings:
            return Gold(document, {}, tuple(map(squeezed, strings)))
        if page := _PAGE.search(question["id"]):
            return self._text(document, self._pages[document][int(page[1]) - 1])
        return self._answer(document, _answers(question["answer"]))

    def _answer(self, document: str, answers: list[str]) -> Gold | None:
        flat = [squeezed(answer) for answer in answers]
        if flat and all(answer in self._flat[document] for answer in flat) and max(map(len, flat)) >= DISTINCT_CHARS:
            return Gold(document, {}, tuple(flat))
        if flat and max(map(len, flat)) > 40:
            return self._text(document, answers[0])
        return None

    def _text(self, document: str, text: str) -> Gold:
        weights = {word: math.log(1 + self._count / (1 + self._frequency[word])) for word in set(words(text))}
        return Gold(document, weights)


def words(text: str) -> list[str]:
    """Words and numbers, folded; thousands' separators are dropped."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word.replace(",", "") for word in _WORD.findall(folded)]


def squeezed(text: str) -> str:
    """Folded, without white space and without what tables put between cells."""
    return re.sub(r"[\s|$]+", "", unicodedata.normalize("NFKC", text).casefold())


def _unknown_weight(weights: Mapping[str, float]) -> float:
    return sum(weights.values()) / max(1, len(weights))


def _answers(answer: object) -> list[str]:
    if isinstance(answer, str) and answer.startswith("["):
        answer = ast.literal_eval(answer)
    return [str(part) for part in answer] if isinstance(answer, list) else [str(answer)]
