"""The direct answer's text: the sentences of its steps and its own, then what else bears on the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.direct.direct import Direct
from trivium_query.answer.direct.focus import is_elsewhere
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract

MAX_WORDS = 70  # of the whole answer, its first sentences apart
MAX_SENTENCE_WORDS = 60
MAX_SENTENCES = 6
NEAR_BEST = 0.4  # of the best sentence's score: what is further off tells of something else
NEAR_AND_SURE = 0.8  # the same, where the answer is sure
SURE = 0.6  # of a span, that needs no other sentence
SPAN_WEIGHT = 4.0  # of a sentence's likeliest span against its own score; the best of five tried on the sets in DATA
RELATED = 0.45  # cosine of question and sentence, where they share no word but names
MIN_PROBABILITY = 0.04  # of a span that is shown as the short answer


# Of a mail or a quoted one: it tells nothing beside an answer.
_MAIL_HEADER = re.compile(r"(?:From|To|Cc|Date|Sent|Reply-To): ")


class Said(msgspec.Struct, frozen=True):
    """One sentence of a hit's text."""

    hit: Hit
    text: str


def sentences_of(direct: Direct, extracted: Extract, *, sure: bool) -> list[Said]:
    """What the answer says, in order, each once: its steps, and unless these are `sure`, what else may answer.

    That is of the document that the question is about, where this is clear.
    """
    shown: list[Said] = []
    for said in _shown_by(direct):
        shown = [one for one in shown if one.hit.chunk.id != said.hit.chunk.id or one.text not in said.text]
        if not any(_holds(one, said) for one in shown):
            shown.append(said)
    near = NEAR_AND_SURE if sure else NEAR_BEST
    there = frozenset(one.hit.chunk.document_id for one in shown)
    others = iter(()) if _is_enough(direct) else _bearing_on(direct, extracted, near, there)
    for said in others:
        if is_elsewhere(said.hit, direct.focus):
            continue
        fits = sum(_words(one.text) for one in shown) + _words(said.text) <= MAX_WORDS
        if not any(_holds(one, said) for one in shown) and (fits or not shown):
            shown.append(said)
            if sure:
                break
    return shown


def short_of(direct: Direct) -> str:
    """The answer in a few words, "" where no span is likely enough."""
    if direct.compared is not None:
        return direct.compared.short
    if direct.decided is not None:
        return direct.decided.short
    if direct.asks_yes_or_no:
        return ""
    if direct.listed is not None:
        return direct.listed.short
    best = direct.span
    return best.short if best and best.probability >= MIN_PROBABILITY and not best.signals["misfits"] else ""


def compose(direct: Direct, extracted: Extract, hits: Sequence[Hit], *, sure: bool) -> Draft:
    """A sentence and its citation a line."""
    shelf = Shelf(hits)
    said = sentences_of(direct, extracted, sure=sure)
    lines = [f"{' '.join(one.text.split())} {shelf.marker(one.hit)}" for one in said]
    citations = tuple(shelf.cite(one.hit, one.text) for one in said)
    return Draft("\n".join(lines), found=True, citations=citations, short=short_of(direct))


def _bearing_on(direct: Direct, extracted: Extract, near: float, there: frozenset[str]) -> Iterator[Said]:
    """Sentences by their own score and by the likeliest span in them, best first.

    Beside an answer from the documents `there`, none of another that shares neither word nor sense with the question.
    """
    likeliest: dict[tuple[str, int], float] = {}
    for span in () if direct.asks_yes_or_no else direct.chosen:
        sentence = span.found.sentence
        place = span.found.hit.chunk.id, sentence.start if sentence else 0
        likeliest[place] = max(likeliest.get(place, 0.0), span.probability)

    def score(one: Candidate) -> float:
        return one.score + SPAN_WEIGHT * likeliest.get((one.hit.chunk.id, one.span.start), 0.0)

    best = max((score(one) for one in extracted.ranked), default=0.0)
    for one in sorted(extracted.ranked, key=score, reverse=True)[:MAX_SENTENCES]:
        bears = not there or one.hit.chunk.document_id in there or one.covered or one.cosine >= RELATED
        if score(one) >= near * best and bears and not _MAIL_HEADER.match(one.text):
            yield Said(one.hit, one.text)


def _is_enough(direct: Direct) -> bool:
    """Whether the steps alone answer, so that nothing else need be read."""
    sure = bool(direct.chosen and short_of(direct)) and direct.chosen[0].probability >= SURE
    return direct.compared is not None or direct.decided is not None or direct.listed is not None or sure


def _shown_by(direct: Direct) -> Iterator[Said]:
    if direct.compared is not None:
        for value in direct.compared.values:
            yield from _steps_of(value)
    elif direct.decided is not None:
        yield Said(direct.decided.sentence.hit, direct.decided.sentence.text)
    elif direct.listed is not None:
        yield from (Said(direct.listed.found.hit, item) for item in direct.listed.items)
    elif short_of(direct):
        yield from _steps_of(direct.chosen[0].found)


def _steps_of(found: Found) -> Iterable[Said]:
    for one in (*found.steps, found):
        text = one.hit.chunk.text
        said = one.sentence.of(text) if one.sentence else text
        words = said.split()
        yield Said(one.hit, said if len(words) <= MAX_SENTENCE_WORDS else " ".join(words[:MAX_SENTENCE_WORDS]))


def _holds(one: Said, other: Said) -> bool:
    return one.hit.chunk.id == other.hit.chunk.id and (other.text in one.text or one.text in other.text)


def _words(text: str) -> int:
    return len(text.split())
