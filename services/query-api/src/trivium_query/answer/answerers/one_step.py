# ruff: noqa: SIM905  (word lists read best as words)
"""Of a numbered list of steps: how many there are, the third or the last one, or the one behind a step that is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import ITEM, Block, blocks, words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.words import content_words

MIN_STEPS = 2
MIN_TOLD = 0.75  # of the words that tell a step, in that step
MIN_TOLD_WORDS = 2
MAX_SHORT_CHARS = 200
_RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_STEPS = r"(?:steps?|stages?)"
_HOW_MANY = re.compile(rf"^\W*how many {_STEPS}\b(?P<of>.*)", re.I)
# What is done, as "to bleed" or "packing": a stair has steps too.
_DONE = re.compile(r"\bto (?!the\b|an?\b)[^\W\d_]+|(?<!\bthe )(?<!\ba )\b[^\W\d_]{3,}ing\b", re.I)
_RANKED = re.compile(
    r"^\W*(?:what(?:['\u2019]s| is| was| do (?:i|you|we) do (?:in|at|as)| happens (?:in|at))|which is|name|tell me)"
    rf" (?:the )?(?P<rank>{'|'.join(_RANKS)}|\d+(?:st|nd|rd|th)|last|final)"
    rf" (?:{_STEPS}\b|thing\b(?= (?:to do|(?:i|you|we)\b)))(?P<of>.*)",
    re.I,
)
_DO = (
    r"what (?:do|should|must|shall|can) (?:i|we|you|one) (?:have to |need to )?do"
    r"|what(?: i|['\u2019])s (?:the )?next(?: step)?"
)
_BEHIND = re.compile(
    rf"\b(?:(?:{_DO}|what comes|the (?:next )?step)(?: next)?(?: (?:right|directly|straight|immediately|just))? after "
    rf"(?P<told>.+)|^(?:after|once) (?P<before>.+?),? (?:{_DO}|what comes)(?: next| then| now)?\W*$)",
    re.I,
)
_ASKING = frozenset(content_words("step steps stage stages thing take takes need needed do does make have involve"))
_OTHER = re.compile(r"\b(?:after|once|when|afterwards)\b", re.I)
# What is done in some case only, or must not be done: nothing comes "after" it.
_NO_STEP = re.compile(r"(?:if|when|in case|do not|don['\u2019]t|never|no)\b", re.I)
_OTHERWISE = re.compile(r"\b(?:if|unless|without|not|never|no)\b|n['\u2019]t\b", re.I)
_NUMBER = re.compile(r"^\s*(\d{1,3})[.)]\s+")


class Steps(msgspec.Struct, frozen=True):
    """The steps of one list, from 1 on, each with its passage; the words of what leads to them.

    `closed`: something else stands behind the last one. `open`: it may still go on behind a note.
    """

    steps: tuple[tuple[Hit, str], ...]
    words: frozenset[str]
    closed: bool = False
    open: bool = True


def answer_by_one_step(question: str, hits: Sequence[Hit]) -> Answered | None:
    """None where nothing of the kind is asked, and where no list, or several, may be meant."""
    if (found := _BEHIND.search(question)) is not None:
        return None if _OTHERWISE.search(question) else _behind(found["told"] or found["before"], hits)
    counted, ranked = _HOW_MANY.match(question), _RANKED.match(question)
    counted = counted if _DONE.search(question) else None
    found = counted or ranked
    asked = frozenset(content_words(found["of"])) - _ASKING if found else frozenset[str]()
    chosen = _about(asked, hits) if asked else None
    if chosen is None:
        return None
    if counted:
        return _answered(str(len(chosen.steps)), chosen.steps, hits, sure=chosen.closed)
    place = _place(ranked["rank"].casefold(), len(chosen.steps)) if ranked else None
    if place is None:
        return None
    sure = chosen.closed or place < len(chosen.steps) - 1
    return _one(chosen.steps[place], hits, sure=sure)


def _place(rank: str, steps: int) -> int | None:
    """Counted from 0; None where the list is shorter."""
    number = _RANKS.index(rank) + 1 if rank in _RANKS else int(rank[:-2]) if rank[0].isdigit() else steps
    return number - 1 if 0 < number <= steps else None


def _about(asked: frozenset[str], hits: Sequence[Hit]) -> Steps | None:
    """The one list whose heading and the line before it hold all that is asked, most of it by themselves."""
    named = [
        (len(asked & one.words), one)
        for one in _lists(hits)
        if asked <= one.words | words_of_name(one.steps[0][0].chunk) and 2 * len(asked & one.words) > len(asked)
    ]
    best = max((share for share, _ in named), default=0)
    first = [one for share, one in named if share == best]
    return first[0] if len(first) == 1 else None


def _behind(told: str, hits: Sequence[Hit]) -> Answered | None:
    """What follows on the step that has most of the words; None where a sentence says itself what comes "after" it."""
    asked = frozenset(content_words(told)) - _ASKING
    scored = sorted(
        (
            (len(asked & set(content_words(_first(step)))), len(steps.steps) - at, steps, at)
            for steps in _lists(hits)
            for at, (_, step) in enumerate(steps.steps)
        ),
        key=lambda one: -one[0],
    )
    if not scored or scored[0][0] < max(MIN_TOLD_WORDS, MIN_TOLD * len(asked)):
        return None
    best, left, steps, at = scored[0]
    no_step = _NO_STEP.match(_first(steps.steps[at][1]))
    if no_step or left == 1 or any(score == best for score, *_ in scored[1:]) or _is_said_otherwise(asked, best, hits):
        return None
    return _one(steps.steps[at + 1], hits, sure=best == len(asked))


def _is_said_otherwise(asked: frozenset[str], share: int, hits: Sequence[Hit]) -> bool:
    sentences = (span.of(hit.chunk.text) for hit in hits for span in hit.chunk.sentences)
    return any(_OTHER.search(one) and len(asked & set(content_words(one))) >= share for one in sentences)


def _one(step: tuple[Hit, str], hits: Sequence[Hit], *, sure: bool) -> Answered:
    said = ITEM.sub("", step[1])
    return _answered(said if len(said) <= MAX_SHORT_CHARS else _first(said), (step,), hits, sure=sure)


def _first(step: str) -> str:
    """Its first sentence, without its number."""
    said = ITEM.sub("", step)
    return next((span.of(said).strip() for span in split_sentences(said)), said)


def _answered(short: str, steps: Sequence[tuple[Hit, str]], hits: Sequence[Hit], *, sure: bool) -> Answered:
    lines, citations = cited(steps, hits)
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations, short=short), verdict)


def _lists(hits: Sequence[Hit]) -> list[Steps]:
    """Those that are numbered from 1 on without a gap, also with a note between or over passages that follow."""
    found: list[Steps] = []
    heading, lead, before = "", "", None
    for hit, block in _in_order(hits):
        steps = tuple((hit, one) for one in _whole_items(block.sentences, hit.chunk.text))
        follows = before is not None and _follows(before, hit)
        lead = lead if follows else ""
        if found and found[-1].open:
            same = follows and block.heading in (heading, "")
            found[-1] = _gone_on(found[-1], steps if same else (), ended=follows, over=not same or bool(steps))
        if _starts(block.items, 1):
            said = content_words(f"{block.heading} {lead} {' '.join(_before(block.sentences))}")
            found.append(Steps(steps, frozenset(said)))
        heading, before = block.heading or heading, hit
        lead = block.sentences[-1] if block.sentences[-1].rstrip().endswith(":") else ""
    return [one for one in found if len(one.steps) >= MIN_STEPS]


def _gone_on(begun: Steps, steps: tuple[tuple[Hit, str], ...], *, ended: bool, over: bool) -> Steps:
    """With the steps that are numbered on; `over` where others or another heading stand there, which end it too."""
    if steps and _starts([one for _, one in steps], len(begun.steps) + 1):
        return msgspec.structs.replace(begun, steps=(*begun.steps, *steps), closed=False)
    return msgspec.structs.replace(begun, open=not over, closed=begun.closed or ended)


def _whole_items(sentences: Sequence[str], text: str) -> list[str]:
    """Each item with the sentences that go on behind its first, as they stand in the passage."""
    parts: list[list[str]] = []
    for one in sentences:
        if ITEM.match(one):
            parts.append([one])
        elif parts:
            parts[-1].append(one)
    found = [(each, re.search(r"\s+".join(map(re.escape, each)), text)) for each in parts]
    return [whole[0] if whole else each[0] for each, whole in found]


def _in_order(hits: Sequence[Hit]) -> Iterator[tuple[Hit, Block]]:
    """The blocks of each document's passages."""
    for hit in sorted(hits, key=lambda one: (one.chunk.document_id, one.chunk.number)):
        yield from ((hit, block) for block in blocks(hit.chunk) if block.sentences)


def _follows(before: Hit, hit: Hit) -> bool:
    same = before.chunk.document_id == hit.chunk.document_id
    return same and hit.chunk.number - before.chunk.number in (0, 1)


def _before(sentences: Sequence[str]) -> Sequence[str]:
    return sentences[: next((at for at, one in enumerate(sentences) if ITEM.match(one)), 0)]


def _starts(items: Sequence[str], number: int) -> bool:
    """Whether they are numbered so, each by one more."""
    found = [_NUMBER.match(one) for one in items]
    return bool(items) and [int(one[1]) if one else 0 for one in found] == [*range(number, number + len(items))]
