"""The option or setting whose text is nearest in meaning to what shall be done, of the manual that is named."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import words_of_file, words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.entry import Entry, entries_in, options_in, shown
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.numbered import whole_documents
from trivium_query.answer.citations import Draft
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

MAX_MANUALS = 3  # that are read for what is meant
MAX_ADDED = 3  # passages that are read beside the hits
MAX_SENTENCES = 4  # of an entry, that may say what it does
LEAST = 0.45  # cosine of a sentence with the question, and half its share of the question's words
CLEAR = 0.12  # so much before the next, an option is the one that is meant
_ASKS_NAME = re.compile(
    r"^\W*(?:with\s|by\s)?(?:which|what)\s(?!(?:is|are|was|do|does)\b)(?:[\w.-]+\s){0,3}?"
    r"(?:options?|flags?|switch(?:es)?|parameters?|arguments?|directives?|settings?|keywords?)\b"
    r"(?!\s(?:did|was|were|had)\b)",  # "Which option did the council choose?"
    re.I,
)
_ASKS_HOW = re.compile(r"^\W*how\s(?:(?:do|can|could|should|would|must)\s(?:i|you|we|one)|to)\b", re.I)
_LIGHT = frozenset(content_words("use make let want need tell get do work"))  # tell nothing of what shall be done
_WORDS = re.compile(r"[^\W_]+")


def lacking(question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits of the manuals to read for the entry of the option that the question names or means; none where it is there.

    A search does not find "-d", and what is long told of an option hides what it does.
    """
    options = options_in(question)
    if not (options or _asks(question)):
        return ()
    named = [hit for hit in hits if _is_named(hit, question)]
    if not options:
        first = {hit.chunk.document_id: hit for hit in named if any(one.is_option for one in entries_in(hit))}
        return tuple(first.values())[:MAX_MANUALS]
    of = named or hits
    return () if any(one.names & options for hit in of for one in entries_in(hit)) else tuple(of)


async def with_options(
    question: str,
    hits: tuple[Hit, ...],
    manuals: Sequence[Hit],
    collection: Collection,
    sentence_vectors: Callable[[Sequence[str]], Awaitable[Mapping[str, Vector]]],
    embed: Callable[[Sequence[str]], Awaitable[Vector]],
) -> tuple[Hit, ...]:
    """The hits, behind passages of the manuals with the entry that is `lacking`. Raises what is asked of raises."""
    runs = await whole_documents(manuals, collection)
    known = {hit.chunk.id for hit in hits}
    read = [Hit(chunk, 1, hits[0].score) for run in runs for chunk in run if chunk.id not in known]
    options = options_in(question)
    found = await asyncio.to_thread(_with_entry, read, options)
    if found and not options:
        asked = (await embed([question]))[0]
        rows = await sentence_vectors([hit.chunk.id for hit in found])
        near = {
            chunk: float((row @ asked).max()) for chunk, row in rows.items() if row.shape[-1] == len(asked) and len(row)
        }
        found = sorted(found, key=lambda hit: -near.get(hit.chunk.id, 0.0))
    return tuple(msgspec.structs.replace(hit, rank=rank) for rank, hit in enumerate([*found[:MAX_ADDED], *hits], 1))


def _with_entry(read: Sequence[Hit], options: frozenset[str]) -> list[Hit]:
    """Those with an entry of one of the options; of any where none is named."""
    if not options:
        return [hit for hit in read if any(one.is_option for one in entries_in(hit))]
    near = (hit for hit in read if any(option in hit.chunk.text for option in options))
    return [hit for hit in near if any(one.names & options for one in entries_in(hit))]


def answer_by_option_meant(question: str, extracted: Extract, hits: Sequence[Hit]) -> Answered | None:
    """The option of the manual that is named with the sentence nearest to the question; None where none is near.

    Nor where it has no word of what shall be done: "How do I uninstall it?".
    """
    if not _asks(question):
        return None
    near = dict[str, tuple[float, Entry]]()
    for one in (one for hit in hits if _is_named(hit, question) for one in entries_in(hit)):
        nearness = _nearness(one, extracted) if one.is_option and _wanted(question, one) & _said(one) - _LIGHT else 0.0
        if nearness > near.get(one.term, (LEAST, one))[0]:
            near[one.term] = nearness, one
    ranked = sorted(near.values(), key=lambda pair: -pair[0])
    if not ranked:
        return None
    best = ranked[0][1]
    clear = len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= CLEAR
    sure = clear and _wanted(question, best) <= _said(best) | words_of_name(best.hit.chunk)
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    lines, citations = cited([(best.hit, text) for text in shown(best, 1)], hits)
    return Answered(Draft("\n".join(lines), True, citations, short=", ".join(best.term.split("\n"))), verdict)


def _asks(question: str) -> re.Match[str] | None:
    return _ASKS_NAME.match(question) or _ASKS_HOW.match(question)


def _is_named(hit: Hit, question: str) -> bool:
    """Whether the question has a word of the name of its file or its title."""
    return bool(words_of_file(hit.chunk) & {*content_words(question)})


def _wanted(question: str, one: Entry) -> set[str]:
    """The words of what shall be done, but those of its manual's name."""
    asks = _asks(question)
    return {*content_words(question[asks.end() :])} - words_of_file(one.hit.chunk) if asks else set()


def _said(one: Entry) -> set[str]:
    """The words of its names and first sentence."""
    return {*content_words(" ".join([_apart(one.term), *shown(one, 1)]))}


def _nearness(one: Entry, extracted: Extract) -> float:
    """Of the likeliest of its first sentences."""
    said = {" ".join(text.split()) for text in shown(one, MAX_SENTENCES)}
    said |= {text.removeprefix(" ".join(one.term.split())).strip() for text in said}
    of_term = extracted.asked.words_in(_apart(one.term))
    near = (
        other.cosine + extracted.asked.coverage(other.covered | of_term) / 2
        for other in extracted.ranked
        if other.hit.chunk.id == one.hit.chunk.id and " ".join(other.text.split()) in said
    )
    return max(near, default=0.0)


def _apart(term: str) -> str:
    """The words of "--limit-rate"."""
    return " ".join(_WORDS.findall(term))
