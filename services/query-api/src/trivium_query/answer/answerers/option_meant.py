"""The option or setting whose text is nearest in meaning to what shall be done, of the manual that is named."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence, Set
from math import log

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import words_of_file, words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.entry import Entry, begins_not, entries_in, options_in, shown, told_by
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.numbered import whole_documents
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.polarity import denies
from trivium_query.words import content_words

Embed = Callable[[Sequence[str]], Awaitable[Vector]]
Ranked = Sequence[tuple[float, Entry]]
"""Options, the one nearest to what shall be done first, with how near it is."""

MAX_MANUALS = 3  # that are read for what is meant
MAX_UNCLEAR = 2  # options that are told, where none is clearly nearest
MAX_ADDED = 3  # passages that are read beside the hits
MAX_EMBEDDED = 40  # options that are compared by their sense
MAX_SENTENCES = 4  # of an entry, that may say what it does
MIN_WORDS = 3  # of a sentence that tells what an option does
LEAST = 0.36  # cosine of what an option does with what shall be done, and half its share of the words
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
    question: str, hits: tuple[Hit, ...], manuals: Sequence[Hit], collection: Collection, embed: Embed
) -> tuple[Hit, ...]:
    """The hits, behind passages of the manuals with the entry that is `lacking`. Raises what is asked of raises."""
    runs = await whole_documents(manuals, collection)
    read = [Hit(chunk, 1, hits[0].score) for run in runs for chunk in run]
    if options := options_in(question):
        found = await asyncio.to_thread(_with_entry, read, options)
    else:
        found = [*dict.fromkeys(one.hit for _, one in await options_near(question, read, embed))]
    known = {hit.chunk.id: hit for hit in hits}
    first = [known.pop(hit.chunk.id, hit) for hit in found[:MAX_ADDED]]
    return tuple(msgspec.structs.replace(hit, rank=rank) for rank, hit in enumerate([*first, *known.values()], 1))


async def options_near(question: str, hits: Sequence[Hit], embed: Embed) -> Ranked:
    """The options of the manual that is named, by what they do; none far off, or where none may be asked for.

    What an option does is compared with what shall be done, without the manual's name, which is near everything in it.
    Raises what `embed` raises.
    """
    asks = _asks(question)
    found = await asyncio.to_thread(_options, question, hits) if asks else []
    if not (asks and found):
        return ()
    names = words_of_file(found[0][1].hit.chunk)
    deed = " ".join(word for word in question[asks.end() :].split() if not _is_one_of(word, names))
    rows = await embed([deed, *(_does(one) for _, one in found)])
    near = [(share / 2 + float(row @ rows[0]), one) for (share, one), row in zip(found, rows[1:], strict=True)]
    return sorted((pair for pair in near if pair[0] >= LEAST), key=lambda pair: -pair[0])


def _options(question: str, hits: Sequence[Hit]) -> list[tuple[float, Entry]]:
    """Each option once, with its share of the words of what shall be done, rare ones more; those with most of them."""
    named = (hit for hit in hits if _is_named(hit, question))
    longest: dict[str, Entry] = {}
    for one in (one for hit in named for one in entries_in(hit) if one.is_option):
        if one.term not in longest or len(one.told) > len(longest[one.term].told):
            longest[one.term] = one
    said = [_said(one) for one in longest.values()]
    told = Counter(word for words in said for word in words)
    found: list[tuple[float, Entry]] = []
    for one, words in zip(longest.values(), said, strict=True):
        asked = {word: log(1 + len(said) / (told[word] + 0.5)) for word in _wanted(question, one) - _LIGHT}
        found.append((sum(asked[word] for word in words & asked.keys()) / (sum(asked.values()) or 1.0), one))
    return sorted(found, key=lambda pair: -pair[0])[:MAX_EMBEDDED]


def _does(one: Entry) -> str:
    """Its names as words, and its first sentence: "limit rate: Do not send faster"."""
    return f"{_apart(' '.join(options_in(one.term)) or one.term)}: {told_by(one)}"


def _is_one_of(text: str, words: Set[str]) -> bool:
    told = {*content_words(text)}
    return bool(told) and told <= words


def _with_entry(read: Sequence[Hit], options: frozenset[str]) -> list[Hit]:
    """Those with an entry of one of the options."""
    near = (hit for hit in read if any(option in hit.chunk.text for option in options))
    return [hit for hit in near if any(one.names & options for one in entries_in(hit))]


def answer_by_option_meant(question: str, ranked: Ranked, hits: Sequence[Hit]) -> Answered | None:
    """The option that is nearest to what shall be done, and the next where that is near too; None where none is."""
    if not ranked:
        return None
    best = ranked[0][1]
    clear = len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= CLEAR
    alike = denies(question) == begins_not(best)
    sure = clear and alike and _wanted(question, best) <= _said(best) | words_of_name(best.hit.chunk)
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    told = [one for _, one in ranked[: 1 if clear else MAX_UNCLEAR]]
    lines, citations = cited([(one.hit, text) for one in told for text in shown(one, 1)], hits)
    return Answered(Draft("\n".join(lines), True, citations, short=_in_line(best)), verdict)


def with_its_name(question: str, draft: Draft, hits: Sequence[Hit]) -> Draft:
    """The draft, with the names of the option before its first sentence, where that tells what an option does.

    Where an option may be asked for: "Start the week from Monday" alone tells nobody how.
    """
    first = next(iter(draft.citations), None)
    if first is None or not (draft.found and _asks(question)) or len(first.quote.split()) < MIN_WORDS:
        return draft
    within = (hit for hit in hits if hit.chunk.id == first.chunk_id)
    for one in (one for hit in within for one in entries_in(hit) if one.is_option):
        texts = shown(one, MAX_SENTENCES)
        place = next((at for at, text in enumerate(texts) if text.endswith(first.quote)), None)
        if place is None or " ".join(one.term.split()) in draft.text:
            continue
        lines, citations = cited([(one.hit, text) for text in texts[: place + 1]], hits)
        lines, citations = [*lines, *draft.text.split("\n")[1:]], (*citations, *draft.citations[1:])
        return msgspec.structs.replace(
            draft, text="\n".join(lines), citations=citations, short=draft.short or _in_line(one)
        )
    return draft


def _in_line(one: Entry) -> str:
    return ", ".join(one.term.split("\n"))


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
    """The words of its names and first sentence, without its values: "-o FILE"."""
    return {*content_words(_does(one))}


def _apart(term: str) -> str:
    """The words of "--limit-rate"."""
    return " ".join(_WORDS.findall(term))
