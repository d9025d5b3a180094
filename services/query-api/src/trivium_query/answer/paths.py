"""Sentences reached by a path: what leads to them counts for them, and is shown before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH
from trivium.text.names import fold_name
from trivium_query.answer.evidence import Asked, Candidate, has_address, is_reference_list
from trivium_query.words import content_words

# The share of its bridge's score that a sentence inherits: the bridge holds the half of the question that
# the sentence cannot. `trivium eval --answers` measures it.
BRIDGE_SHARE = 0.8
# Words of the question that the bridge has told already count against a sentence, the others for it.
LEFT_WORDS_WEIGHT = 0.3
# A bridge tells at least this share of the question that its target, heading included, does not.
MIN_BRIDGE_COVERAGE = 0.1
# Of what the bridge leaves of the question, its target tells so much in another language than English: there names are
# guessed by their capitals.
MIN_ADDED = 0.5
# A sentence that holds this share of the question by itself needs no path; a row's other fields answer the rest.
SELF_SUFFICIENT = 0.9
SELF_SUFFICIENT_ROW = 0.6


def along_paths(asked: Asked, ranked: Sequence[Candidate], hits: Sequence[Hit]) -> list[Candidate]:
    """The candidates with their bridges as `via` and their scores raised by them, best first.

    A bridge through a name that the question itself gives leads nowhere new and is left out, and so is one through
    a single word in another language than English, which may be any noun or a sentence's first word. No path is walked
    when one sentence holds nearly all of the question.
    """
    if any(asked.coverage(one.covered) >= _sufficient(one) for one in ranked):
        return list(ranked)
    by_chunk = {hit.chunk.id: hit for hit in hits}
    by_place = {(one.hit.chunk.id, one.text): one for one in ranked}
    vias = {
        hit.chunk.id: _bridge(hit, by_chunk, by_place)
        for hit in hits
        if hit.bridge is not None and _leads(asked, hit.bridge.name)
    }
    raised = [_raised(asked, one, vias.get(one.hit.chunk.id)) for one in ranked]
    return sorted(raised, key=lambda one: (-one.score, one.hit.rank, one.span.start))


def _sufficient(one: Candidate) -> float:
    return SELF_SUFFICIENT_ROW if one.hit.chunk.kind is UnitKind.TABLE else SELF_SUFFICIENT


def _leads(asked: Asked, name: str) -> bool:
    """Not where the question names it already, by itself or within a longer name ("Stennet" in "Stennet Dam")."""
    words = set(fold_name(name).split())
    given = any(words.issuperset(known.split()) for known in asked.names)
    return not given and (_is_english(asked) or len(words) > 1)


def _is_english(asked: Asked) -> bool:
    return asked.language in ("", ENGLISH)


def _raised(asked: Asked, one: Candidate, via: Candidate | None) -> Candidate:
    if via is None:
        return one
    held = one.covered | asked.words_in(one.hit.chunk.heading)
    if asked.coverage(via.covered - held) < MIN_BRIDGE_COVERAGE:
        return one
    added = asked.coverage(one.covered - via.covered)
    if not _is_english(asked) and added < MIN_ADDED * (1.0 - asked.coverage(via.covered)):
        return one
    left = added - asked.coverage(one.covered & via.covered)
    score = one.score + BRIDGE_SHARE * max(0.0, via.score) + LEFT_WORDS_WEIGHT * left
    return msgspec.structs.replace(one, via=via, score=score)


def _bridge(hit: Hit, by_chunk: Mapping[str, Hit], by_place: Mapping[tuple[str, str], Candidate]) -> Candidate | None:
    """The bridge's sentence; None when its chunk is not a hit or does not hold it, for then it cannot be cited.

    A list of references tells nothing of what it names.
    """
    bridge = hit.bridge
    origin = by_chunk.get(bridge.from_chunk_id) if bridge else None
    if bridge is None or origin is None or origin.chunk.id == hit.chunk.id or not bridge.sentence.strip():
        return None
    if has_address(bridge.sentence) or is_reference_list(origin.chunk.text):
        return None
    known = by_place.get((origin.chunk.id, bridge.sentence))
    start = origin.chunk.text.find(bridge.sentence)
    if known is not None or start < 0:
        return known
    words = frozenset(content_words(bridge.sentence))
    span = Span(start, start + len(bridge.sentence))
    return Candidate(origin, span, bridge.sentence, words, frozenset(), 0.0, 0.0)
