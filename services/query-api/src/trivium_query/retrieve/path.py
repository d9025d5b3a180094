"""Path retrieval: a passage is good when a good passage says, in a sentence near the question, a name that leads to it.

One step over names, without a language model:

1. every candidate has a base score of 0...1 from vectors, keywords and its best sentence (`base_scores`);
2. passages that the question names gain (`anchors`);
3. from the best passages, each name they mention leads to the passages about it, to those whose
   heading holds it, and to those that mention it too (`departures`, `leads`, `best_links`);
4. a passage's score is its own plus the best link's; that link is its explanation (`linked`);
5. what a good text has beside it (its table, picture, formula) gains from it, and the other way round (`stepped`).

A link stands for what the question could not find by itself. So a name of the question leads nowhere, and
a passage gains the less the better it was found without the link: passages of one document that
share their names would lift one another above the one that answers.
Measured in bench/retrieval-notes.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.graph import Mention, MentionRole, Step, StepType
from trivium.domain.retrieval import Places, Scored
from trivium.text.names import subnames
from trivium_query.retrieve.fuse import standardised_mean

CANDIDATES = 200  # fetched from vectors and from keywords; also the population of the standard scores
SOURCES = 20  # passages that links start from
KEYWORD_WEIGHT = 0.45  # words, whose best stand out more, a little below meaning: either alone may be poor
DENSE_WEIGHT = 0.275  # meaning is half the passage ...
SENTENCE_WEIGHT = 0.275  # ... and half its best sentence
FULL_SIMILARITY = 0.6  # a sentence this close to the question (cosine) passes on its passage's whole score
ABOUT_STRENGTH = 1.0  # over the root of the passages about the name
HEADING_STRENGTH = 0.4  # over the root of the passages with the name in a heading
SHARED_STRENGTH = 0.5  # over the other passages that mention the name: each is as likely meant
FOUND_ALREADY = 0.85  # the share of a link's gain that the best passage, found without it, goes without
BESIDE_STRENGTH = 0.4  # a table and the text that it belongs to
PICTURE_STRENGTH = 0.3  # a picture alone says less than words do; not tuned: no encoder was at hand
MAX_SHARED = 50  # a name in more passages than this links none of them
MAX_SUBNAME_TOKENS = 6
LEAST_WEIGHT = 0.1  # of the best passage's score; names that pass on less are half of all and decide nothing
UNKNOWN_CLOSENESS = 0.5  # of a sentence, while vectors are down

Similarities = NDArray[np.float32]  # cosine of the question with each sentence of one chunk, (n_sentences,)


class Link(msgspec.Struct, frozen=True, gc=False):
    """A step: sentence `sentence` of `source` mentions `surface`, a name that leads to `target`.

    `strength` is the link's own (0...1), `gain` the most that it adds to the target's score (`linked`).
    """

    source: str
    target: str
    sentence: int
    surface: str
    strength: float
    gain: float


class Beside(msgspec.Struct, frozen=True, gc=False):
    """A step across modalities: `source` and the passage stand beside each other; `gain` as in `Link`."""

    source: str
    type: StepType
    gain: float


class Departure(msgspec.Struct, frozen=True, gc=False):
    """A name as a source mentions it: in the sentence closest to the question."""

    source: str
    key: str
    surface: str
    sentence: int
    weight: float
    own: frozenset[str]


Leads = dict[str, list[Departure]]
Parts = dict[str, list[str]]


def base_scores(
    dense: Sequence[Scored], keyword: Sequence[Scored], sentences: Mapping[str, Similarities]
) -> dict[str, float]:
    """0...1 for every passage that vectors, keywords or `sentences` hold."""
    nearest = {row.chunk_id: row.score for row in dense}
    best = _closest(sentences)
    return standardised_mean(
        [
            (KEYWORD_WEIGHT, worded(keyword, (*nearest, *best))),
            (DENSE_WEIGHT, nearest),
            (SENTENCE_WEIGHT, best),
        ],
        CANDIDATES,
    )


def worded(keyword: Sequence[Scored], others: Iterable[str]) -> dict[str, float]:
    """BM25 scores; 0 for the `others` too where fewer than `CANDIDATES` hold any of the words.

    So what few passages hold stands out from all, not from those few.
    """
    scores = {row.chunk_id: row.score for row in keyword}
    return scores if not scores or len(scores) >= CANDIDATES else dict.fromkeys(others, 0.0) | scores


def _closest(sentences: Mapping[str, Similarities]) -> dict[str, float]:
    """The best sentence of each passage that has one."""
    filled = {chunk_id: values for chunk_id, values in sentences.items() if len(values)}
    if not filled:
        return {}
    starts = [0, *accumulate(map(len, filled.values()))][:-1]
    best = np.maximum.reduceat(np.concatenate(list(filled.values())), starts)
    return dict(zip(filled, best.tolist(), strict=True))


def picture_gains(pictures: Sequence[Scored]) -> dict[str, float]:
    """What passages gain by their pictures: the more these stand out from the others near the question."""
    best = standardised_mean([(1.0, {row.chunk_id: row.score for row in pictures})], CANDIDATES)
    return {chunk_id: PICTURE_STRENGTH * score for chunk_id, score in best.items() if score > 0}


def added(scores: Mapping[str, float], gains: Mapping[str, float]) -> dict[str, float]:
    """Scores with gains added; a passage with a gain alone has a score of that gain."""
    total = dict(scores)
    for key, gain in gains.items():
        total[key] = total.get(key, 0.0) + gain
    return total


def sources(scores: Mapping[str, float], limit: int = SOURCES) -> list[str]:
    """The passages that links start from: the best, ties by id."""
    return sorted((key for key, value in scores.items() if value > 0), key=lambda key: (-scores[key], key))[:limit]


def departures(
    starts: Sequence[str],
    scores: Mapping[str, float],
    mentions: Mapping[str, Sequence[Mention]],
    sentences: Mapping[str, Similarities],
    asked: frozenset[str],
) -> list[Departure]:
    """The names that each source mentions, once each, without its own names and those of the question.

    `weight` is the source's score, as far as the sentence is close to the question. `asked` holds the
    question's names, folded.
    """
    found: list[Departure] = []
    for source in starts:
        rows = mentions.get(source, ())
        own = _own(rows)
        shares, other = _closeness(sentences.get(source))
        best: dict[str, tuple[float, Mention]] = {}
        for row in rows:
            if row.role is not MentionRole.MENTION or row.key in own or row.key in asked:
                continue
            share = shares.get(row.sentence, other)
            if row.key not in best or share > best[row.key][0]:
                best[row.key] = (share, row)
        found.extend(
            Departure(source, key, row.surface, row.sentence, scores[source] * share, own)
            for key, (share, row) in best.items()
            if scores[source] * share >= LEAST_WEIGHT
        )
    return found


def _own(rows: Sequence[Mention]) -> frozenset[str]:
    return frozenset(row.key for row in rows if row.role is MentionRole.TITLE)


def _closeness(near: Similarities | None) -> tuple[dict[int, float], float]:
    """The share of its passage's score that each sentence passes on, and that of any other sentence."""
    if near is None:
        return {}, UNKNOWN_CLOSENESS
    return {n: min(1.0, max(0.0, cosine / FULL_SIMILARITY)) for n, cosine in enumerate(near.tolist())}, 0.0


def leads(leaving: Iterable[Departure], asked: frozenset[str]) -> tuple[Parts, Leads]:
    """Parts of names, with the names that they stand in; and where each name comes from, the strongest departure first.

    The first are looked up among titles and headings, the second in the text. Names of the question lead nowhere.
    """
    whole: Leads = {}
    for departure in sorted(leaving, key=_by_weight):
        whole.setdefault(departure.key, []).append(departure)
    parts: Parts = {}
    for key in whole:
        for part in _parts(key):
            if part in parts:
                parts[part].append(key)
            elif part not in asked:
                parts[part] = [key]
    return parts, whole


def _leaving_by(part: str, keys: Sequence[str], whole: Leads) -> list[Departure]:
    """The departures of these names, the strongest first; a source's own names lead nowhere."""
    found = [leaving for key in keys for leaving in whole[key] if part not in leaving.own]
    return sorted(found, key=_by_weight) if len(keys) > 1 else found


@lru_cache(maxsize=8192)
def _parts(key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((key, *subnames(key, MAX_SUBNAME_TOKENS)))) if " " in key else (key,)


def _by_weight(departure: Departure) -> tuple[float, str, str]:
    return -departure.weight, departure.source, departure.key


def best_links(parts: Parts, whole: Leads, places: Places) -> dict[str, Link]:
    """The link into each passage that adds most; of equal ones the first, in the order of `parts` and `whole`."""
    best: dict[str, Link] = {}
    for key in [key for key in parts if key in places.about]:
        rows, leaving = places.about[key], _leaving_by(key, parts[key], whole)
        root = math.sqrt(max(1.0, math.fsum([row.score for row in rows])))
        for row in rows:
            _improve(best, leaving, ((row.chunk_id, 0),), ABOUT_STRENGTH * row.score / root)
    for key in [key for key in parts if key in places.headings]:
        heading = places.headings[key]
        if heading.total <= MAX_SHARED:
            leaving = _leaving_by(key, parts[key], whole)
            _improve(best, leaving, heading.places, HEADING_STRENGTH / math.sqrt(max(1, heading.total)))
    for key in [key for key in whole if key in places.mentioned]:
        mentioning = places.mentioned[key]
        if 1 < mentioning.total <= MAX_SHARED:
            _improve(best, whole[key], mentioning.places, SHARED_STRENGTH / (mentioning.total - 1))
    return best


def _improve(
    best: dict[str, Link], departing: Sequence[Departure], arrivals: Iterable[tuple[str, int]], strength: float
) -> None:
    """Let the strongest departure that starts elsewhere lead to each arrival, a (chunk id, sentence) each."""
    for target, _ in arrivals:
        for leaving in departing:
            if leaving.source != target:
                gain = leaving.weight * strength
                known = best.get(target)
                if known is None or gain > known.gain:
                    best[target] = Link(leaving.source, target, leaving.sentence, leaving.surface, strength, gain)
                break


def linked(scores: Mapping[str, float], links: Mapping[str, Link]) -> dict[str, float]:
    """Scores with the links' gains added: in full where a passage scores 0, the least where it scores 1 or more."""
    return _risen(scores, links)


def best_steps(
    starts: Sequence[str], scores: Mapping[str, float], beside: Mapping[str, Sequence[Step]]
) -> dict[str, Beside]:
    """The best source that stands beside each passage; `starts` come best first."""
    best: dict[str, Beside] = {}
    for source in starts:
        for step in beside.get(source, ()):
            best.setdefault(step.chunk_id, Beside(source, step.type, scores[source] * BESIDE_STRENGTH))
    return best


def stepped(scores: Mapping[str, float], steps: Mapping[str, Beside]) -> dict[str, float]:
    """Scores with the steps' gains added, as `linked` adds those of links."""
    return _risen(scores, steps)


def _risen(scores: Mapping[str, float], gains: Mapping[str, Link] | Mapping[str, Beside]) -> dict[str, float]:
    total = dict(scores)
    for target, rise in gains.items():
        own = total.get(target, 0.0)
        total[target] = own + rise.gain * (1 - FOUND_ALREADY * min(1.0, own))
    return total
