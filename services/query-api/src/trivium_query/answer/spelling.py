"""Slips of the pen in an English question, mended where the passages found for it have the word. Pure.

Or where it is a word that asks for what is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from rapidfuzz.distance import DamerauLevenshtein

from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH
from trivium_query.answer.spoken import language_of_question
from trivium_query.answer.tables.cues import CUE_WORDS
from trivium_query.answer.understand import Question
from trivium_query.words import stem, tokens

MIN_LETTERS = 5
LONG = 8  # letters: no other word differs by one
_WORD = re.compile(r"[^\W\d_]+")
_DOUBLED = re.compile(r"(.)\1+")


def mended(question: Question, hits: Sequence[Hit]) -> tuple[Question, str]:
    """With the passages' word (or a cue's) for one that none of them has, where only one is so near.

    And a note of it, or "".
    """
    if language_of_question(question.standalone) not in ("", ENGLISH):
        return question, ""
    known = {word for hit in hits for word in tokens(f"{hit.chunk.heading} {hit.chunk.text}")}
    slips = dict(_slips(question.standalone, known))
    if not slips:
        return question, ""
    said = _WORD.sub(lambda word: slips.get(word[0], word[0]), question.standalone)
    told = " and ".join(f"{written!r} was read as {meant!r}" for written, meant in slips.items())
    return msgspec.structs.replace(question, standalone=said), f"{told}."


def _slips(question: str, known: set[str]) -> Iterator[tuple[str, str]]:
    written = _WORD.findall(question)
    both = known | CUE_WORDS
    unknown = [word for word in written if len(word) >= MIN_LETTERS and word.islower() and word not in both]
    stems = {stem(word) for word in both} if unknown else set()
    for word in unknown:
        if stem(word) in stems:
            continue
        meant = [other for other in both if other[0] == word[0] and _is_slip(word, other)]
        if len(meant) == 1 and (meant[0] in known or not _is_other_letter(word, meant[0])):
            yield word, meant[0]


def _is_other_letter(written: str, meant: str) -> bool:
    """Whether it differs by one letter only, as "extensive" does from "expensive"."""
    return len(written) == len(meant) and sorted(written) != sorted(meant)


def _is_slip(written: str, meant: str) -> bool:
    """Whether two letters changed places, one is doubled or not, or one of a long word is another."""
    if abs(len(written) - len(meant)) > 1 or DamerauLevenshtein.distance(written, meant, score_cutoff=1) > 1:
        return False
    if len(written) == len(meant):
        return len(written) >= LONG or sorted(written) == sorted(meant)
    return len(written) >= LONG or _DOUBLED.sub(r"\1", written) == _DOUBLED.sub(r"\1", meant)
