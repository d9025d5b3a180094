"""One type per name for a whole document: the votes of every occurrence, added up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from trivium.domain.graph import EntityType
from trivium_graph import lexicon, types
from trivium_graph.division import PERSON_VOTES
from trivium_graph.shares import Reading
from trivium_graph.spans import QUOTES, Name

_COMMA = re.compile(r" ?, ")
_RESIDENT = re.compile(r"(?:, \d\d,| \(\d\d\))? of ")
_LONGEST_GAP = len(", 99, of ")

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
    for reading in readings:
        _acronym_votes(reading, votes)
    decided = {key: types.decide(votes.get(key, {})) for key, _ in forms}
    for reading in readings:
        for claim in reading.claims:  # an acronym has the type of what it stands for
            kind = types.decide(votes.get(claim.canonical_key, {}))
            decided.setdefault(claim.canonical_key, kind)
            if kind is not EntityType.CONCEPT:
                decided[claim.key] = kind
    return decided


def _acronym_votes(reading: Reading, votes: Votes) -> None:
    """What has an acronym is a person only for a better reason than its capitals; its short form may be known."""
    for claim in reading.claims:
        if not types.is_acronym(claim.surface):
            continue
        long = votes[claim.canonical_key]
        if long[EntityType.PERSON] <= types.WEAK:
            del long[EntityType.PERSON]
        known = types.by_form(claim.surface)
        if known is not None:
            long[known[0]] += known[1]


def _context_votes(reading: Reading, votes: Votes) -> None:
    text, sentences = reading.chunk.text, reading.chunk.sentences
    previous: Name | None = None
    for name in reading.names:
        if not name.atom:
            continue
        if name.start > 0 and text[name.start - 1] in QUOTES:
            votes[name.key][EntityType.CONCEPT] += 2 * types.LIKELY  # the title of a work, whatever it looks like
        opens = sentences[name.sentence].start if name.sentence < len(sentences) else 0
        vote = types.by_context(text, name.start, name.end, opens)
        if vote is not None and not _said_of_an_acronym(name, vote):
            votes[name.key][vote[0]] += vote[1]
        if previous is not None and name.start - previous.end <= _LONGEST_GAP:
            _pair_votes(text, previous, name, votes)
        previous = name


def _said_of_an_acronym(name: Name, vote: types.Vote) -> bool:
    """Documents let LLM "say" and "think" things: no sign of a person."""
    return vote[0] is EntityType.PERSON and vote[1] < types.CERTAIN and types.is_acronym(name.surface)


def _pair_votes(text: str, left: Name, right: Name, votes: Votes) -> None:
    """What two neighbours tell of each other: "Tamber, Ohio" is a place, and so is what a person is of."""
    if right.key in lexicon.PLACES:
        if _COMMA.fullmatch(text, left.end, right.start):
            votes[left.key][EntityType.LOCATION] += types.LIKELY
    elif _RESIDENT.fullmatch(text, left.end, right.start) and types.by_form(left.surface) in PERSON_VOTES:
        votes[right.key][EntityType.LOCATION] += types.WEAK + 0.1
