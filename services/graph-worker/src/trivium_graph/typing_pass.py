"""One type per name for a whole document: the votes of every occurrence, added up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from trivium.domain.graph import EntityType
from trivium_graph import lexicon, types
from trivium_graph.shares import Reading
from trivium_graph.spans import Name

_COMMA = re.compile(r" ?, ")

Votes = defaultdict[str, defaultdict[EntityType, float]]


def types_of(readings: Sequence[Reading]) -> dict[str, EntityType]:
    """The type of every key that the document's names and topics have."""
    votes: Votes = defaultdict(lambda: defaultdict(float))
    forms: set[tuple[str, str]] = set()
    for reading in readings:
        for topic in reading.topics:
            forms.add((topic.key, topic.surface))
        for name in reading.names:
            forms.add((name.key, name.surface))
        _context_votes(reading, votes)
    for key, surface in forms:
        vote = types.by_form(surface)
        if vote is not None:
            votes[key][vote[0]] += vote[1]
    decided = {key: types.decide(votes.get(key, {})) for key, _ in forms}
    for reading in readings:
        for claim in reading.claims:  # an acronym has the type of what it stands for
            kind = types.decide(votes.get(claim.canonical_key, {}))
            decided.setdefault(claim.canonical_key, kind)
            if kind is not EntityType.CONCEPT:
                decided[claim.key] = kind
    return decided


def _context_votes(reading: Reading, votes: Votes) -> None:
    text, sentences = reading.chunk.text, reading.chunk.sentences
    previous: Name | None = None
    for name in reading.names:
        if not name.atom:
            continue
        opens = sentences[name.sentence].start if name.sentence < len(sentences) else 0
        vote = types.by_context(text, name.start, name.end, opens)
        if vote is not None:
            votes[name.key][vote[0]] += vote[1]
        if previous is not None and name.key in lexicon.PLACES and _COMMA.fullmatch(text, previous.end, name.start):
            votes[previous.key][EntityType.LOCATION] += types.LIKELY
        previous = name
