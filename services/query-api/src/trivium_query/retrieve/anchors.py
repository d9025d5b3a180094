"""Anchors: passages whose own name (title, heading, defined term) stands in the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trivium.domain.retrieval import Scored
from trivium.text.names import is_name_edge, name_tokens

ANCHOR_GAIN = 0.8  # of the best base score; 0.6 to 1.0 measure alike
MAX_ANCHOR_TOKENS = 8
MAX_QUESTION_TOKENS = 256  # of a longer question only the beginning is looked up


class QuestionName(NamedTuple):
    """Words of the question, `[start, end)` counted in tokens, that could be a name."""

    key: str
    start: int
    end: int


def question_names(question: str) -> list[QuestionName]:
    """Every run of at most `MAX_ANCHOR_TOKENS` words, folded as names are, capitalised or not."""
    tokens = name_tokens(question)[:MAX_QUESTION_TOKENS]
    names: list[QuestionName] = []
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + MAX_ANCHOR_TOKENS) + 1):
            if end - start > 1 or not is_name_edge(tokens[start]):
                names.append(QuestionName(" ".join(tokens[start:end]), start, end))
    return names


def anchor_names(names: Sequence[QuestionName], about: Mapping[str, Sequence[Scored]]) -> list[str]:
    """The keys that some passage is about, without those that stand inside a longer one; in question order."""
    found = [name for name in names if about.get(name.key)]
    outer = [name for name in found if not any(_contains(other, name) for other in found)]
    return list(dict.fromkeys(name.key for name in outer))


def _contains(outer: QuestionName, inner: QuestionName) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and outer[1:] != inner[1:]


def anchor_gains(keys: Sequence[str], about: Mapping[str, Sequence[Scored]]) -> dict[str, float]:
    """What each anchored passage gains: shared among the passages about the same name, summed over names."""
    gains: dict[str, float] = {}
    for key in keys:
        rows = about[key]
        share = ANCHOR_GAIN / math.sqrt(max(1.0, math.fsum(row.score for row in rows)))
        for row in rows:
            gains[row.chunk_id] = gains.get(row.chunk_id, 0.0) + share * row.score
    return gains
