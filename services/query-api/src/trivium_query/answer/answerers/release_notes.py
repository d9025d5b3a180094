"""What changed in a version, since one or between two: what a changelog tells under their headings. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Span
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import ITEM
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.releases import (
    CALLED,
    ELSE,
    HEAD,
    MAX_DEED_WORDS,
    SAME_DEED,
    is_release,
    words_of_title,
)
from trivium_query.words import content_words

MAX_LINES = 20
_ASKS = re.compile(
    r"^\W*(?:what|which|list|show|tell me)\b.*\b(?:new|change[sd]?|added|introduced|fix(?:ed|es)|removed|dropped"
    r"|deprecated)\b",
    re.I,
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)(?![\w-]|\.\d)", re.I)
_SINCE = re.compile(r"\b(?:since|after)\b", re.I)
_SPAN = re.compile(r"\b(?:between|from|since|after)\b", re.I)  # else each of two
_OTHERWISE = re.compile(r"\b(?:before|until|till|without|not|when|who|why|how)\b|n['\u2019]t\b", re.I)
_TOLD = CALLED | frozenset(content_words("new change changes added introduced fixed fixes removed dropped deprecated"))
_TOLD |= frozenset(content_words("after between feature features thing things list show tell"))
_DEEDS = frozenset[str]().union(*SAME_DEED)
_SIGNED = re.compile(r"--\s[^<\n]+<\S+@\S+>")  # who wrote it and when, as Debian's changelogs end a version
_ADDED = re.compile(r"\b(?:added|introduced)\b", re.I)  # who asks what is new asks for all


class _Note(msgspec.Struct, frozen=True):
    """One change, with the line that tells of what kind it is ("Fixed"), or ""."""

    hit: Hit
    kind: str
    text: str


class _Section(msgspec.Struct, frozen=True):
    """What stands under one version, at `place` of the passage; `ends` where another one follows there."""

    hit: Hit
    head: str
    version: tuple[int, ...]
    ends: bool
    place: Span
    notes: tuple[_Note, ...] = ()
    deed: str = ""


def answer_by_release(question: str, hits: Sequence[Hit]) -> Answered | None:
    """The changes of one changelog, those of each version under its heading; sure where the end of them is seen."""
    named = [_numbers(version) for version in _VERSION.findall(question)]
    if not _ASKS.match(question) or _OTHERWISE.search(question) or len(named) not in (1, 2):
        return None
    asked = frozenset(content_words(_VERSION.sub(" ", question)))
    logs = [hit for hit in hits if asked - _TOLD <= words_of_title(hit)]
    parts = [[*_sections(hit)] for hit in logs]
    sections = [one for part in parts for one in part if _is_asked(one.version, named, question)]
    wanted = _deeds(asked, question)
    told = [msgspec.structs.replace(one, notes=tuple(_of_kind(wanted, _notes(one)))) for one in sections]
    told = sorted((one for one in told if one.notes), key=lambda one: one.version, reverse=True)
    if not told or len({one.hit.chunk.document_id for one in told}) > 1:
        return None
    lines = [
        (one.hit, line) for one in told for line in ([one.head] * (len(told) > 1) + [*_lines(one, kinds=not wanted)])
    ]
    text, citations = cited(lines[:MAX_LINES], hits)
    whole = len(lines) <= MAX_LINES and all(one.ends for one in told) and _reaches(named, question, parts)
    alone = ITEM.sub("", lines[0][1]).strip(" .") if len(lines) == 1 else ""
    verdict = Verdict.SUPPORTED if whole else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(text), True, citations, short=alone), verdict)


def _lines(section: _Section, *, kinds: bool) -> Iterator[str]:
    """Those of one kind below the line that tells it: what was removed is not what is new."""
    before = ""
    for note in section.notes:
        if kinds and note.kind != before:
            yield note.kind
        before = note.kind
        yield note.text


def _numbers(version: str) -> tuple[int, ...]:
    """Without zeros at the end: 4.0 is 4.0.0."""
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _is_asked(version: tuple[int, ...], named: Sequence[tuple[int, ...]], question: str) -> bool:
    if len(named) == 2 and not _SPAN.search(question):
        return version in named
    if len(named) == 2:
        return min(named) < version <= max(named)
    return version > named[0] if _SINCE.search(question) else version == named[0]


def _reaches(named: Sequence[tuple[int, ...]], question: str, parts: Sequence[Sequence[_Section]]) -> bool:
    """Whether all from the first version on is seen: in one passage with it that no newer version stands before."""
    if len(named) == 1 and not _SINCE.search(question):
        return True
    whole = [part for part in parts if part and (part[0].hit.chunk.ordinal == 0 or len(named) == 2)]
    seen = ([one.version for one in part] for part in whole)
    return any(min(versions) <= min(named) and max(named) <= max(versions) for versions in seen)


def _sections(hit: Hit) -> Iterator[_Section]:
    text = hit.chunk.text
    heads = [head for head in HEAD.finditer(text) if is_release(head, hit)]
    for head, following in pairwise([*heads, None]):
        if head is not None:
            end = following.start() if following else len(text)
            version = _numbers(head["version"].partition("-")[0])
            place = Span(head.end(), end)
            yield _Section(hit, head[0].strip(), version, following is not None, place, deed=head["deed"] or "")


def _notes(section: _Section) -> Iterator[_Note]:
    """Up to what is of no version, as the next chapter is."""
    hit, place, kind = section.hit, section.place, section.deed
    for span in hit.chunk.sentences:
        said = span.of(hit.chunk.text).strip()
        if not place.start <= span.start < place.end:
            continue
        if ITEM.match(said) is None and (ELSE.match(said) or _SIGNED.match(said)):
            return
        if ITEM.match(said) is None and len(said.split()) <= MAX_DEED_WORDS and not said.endswith("."):
            kind = said
        else:
            yield _Note(hit, kind, said)


def _deeds(asked: frozenset[str], question: str) -> list[frozenset[str]]:
    """What was done, where not all is asked for that is new or has changed."""
    return [deed for deed in SAME_DEED[2:] if deed & asked] or [SAME_DEED[0]] * bool(_ADDED.search(question))


def _of_kind(wanted: Sequence[frozenset[str]], notes: Iterable[_Note]) -> Iterator[_Note]:
    """Those of a wanted deed, by the line above or else the first of their own words that tells one."""
    for note in notes:
        told = frozenset(content_words(note.kind))
        if not any(deed & told for deed in SAME_DEED):
            told = frozenset(next(([word] for word in content_words(note.text) if word in _DEEDS), ()))
        if not wanted or any(deed & told for deed in wanted):
            yield note
