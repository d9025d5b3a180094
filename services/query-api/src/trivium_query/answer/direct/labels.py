"""Lines of a label and its value, "Skipper: Petra Lund", where the label is what the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.life import Told
from trivium_query.words import content_words

MAX_LABEL_WORDS = 4
MIN_REST_SHARE = 0.5  # of the question's other words, that the passage must hold
_LINE = re.compile(r"^[ \t]*([^\W\d_][^:;\n]{1,40}):[ \t]+([^\s:;][^:;\n]{0,80})[ \t]*$", re.M)


def labelled_in(question: str, hit: Hit) -> Iterator[Told]:
    """The values whose label the question names, in a passage that holds most of its other words."""
    asked = frozenset(content_words(question))
    held = frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.title} {hit.chunk.text}"))
    for line in _LINE.finditer(hit.chunk.text):
        label = content_words(line[1])
        rest = asked - frozenset(label)
        named = 0 < len(label) <= MAX_LABEL_WORDS and asked.issuperset(label)
        if named and len(rest & held) >= MIN_REST_SHARE * max(1, len(rest)):
            yield Told(*line.span(2))
