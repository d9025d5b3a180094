"""Which numbered part of a document deals with something: "Which clause is about insurance?". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.numbered import as_hits, words_of_title
from trivium_query.answer.answerers.outline import KIND, Document, Part, document_of, kind_of_word, parts_in
from trivium_query.answer.citations import Draft
from trivium_query.words import content_words

_ASKS = re.compile(
    rf"^\W*(?:in\s)?(?:what|which)\s(?:numbered\s)?(?P<word>{KIND})s?\s(?:of\s(?P<of>.+?)\s)?(?:deals?\swith|is\s(?:about|on)|covers?"
    r"|governs?|regulates?|treats?(?:\sof)?|concerns?|talks?\sabout|sets?\sout|explains?|describes?|handles?)\s(?P<what>.+?)\W*$",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\b(?:not|never)\s(?:\w+\s){0,2}(?:cover|deal|govern|regulat|treat|concern|expla|describ|handle|appl|included?\b)"
    r"|\b(?:elsewhere|separately|in\sanother)\b",
    re.I,
)
MAX_LINE_WORDS = 12  # of the heading behind the number


class Sought(msgspec.Struct, frozen=True):
    """What the part is called, what it deals with, and the words for the document."""

    word: str
    words: frozenset[str]
    of: frozenset[str]


class _Found(msgspec.Struct, frozen=True):
    document: Document
    part: Part


def part_sought(question: str) -> Sought | None:
    """None for any other question."""
    asks = _ASKS.match(question)
    words = frozenset(content_words(asks["what"])) if asks else frozenset[str]()
    if asks is None or not words:
        return None
    return Sought(asks["word"].lower(), words, frozenset(content_words(asks["of"] or "")))


def answer_which_part(sought: Sought, read: Sequence[Sequence[Chunk]], hits: Sequence[Hit]) -> Answered | None:
    """The one part with all these words in its heading, else, not sure, in its text; None where none or several have.

    None too where the part says that it does not.
    """
    parts = [_Found(document, part) for document in map(document_of, read) for part in parts_in(document.text)]
    parts = [one for one in parts if _fits(sought, one) and sought.of <= words_of_title(one.document.chunks[0])]
    for told, verdict in ((_line, Verdict.SUPPORTED), (_text, Verdict.PARTIALLY_SUPPORTED)):
        found = [one for one in parts if sought.words <= frozenset(content_words(told(one)))]
        found = [one for one in found if not any(one.part in other.part.within for other in found)]
        if found:
            return _answered(sought, found[0], hits, verdict) if len(found) == 1 else None
    return None


def _answered(sought: Sought, one: _Found, hits: Sequence[Hit], verdict: Verdict) -> Answered | None:
    """Its first line, and the sentence with most of the words where that is another."""
    chunk = _chunk_of(one)
    said = [(chunk, one.part.line)]
    if verdict is not Verdict.SUPPORTED:
        best = max(
            _sentences(one), key=lambda each: len(sought.words & frozenset(content_words(each[1]))), default=None
        )
        said += [best] if best and best[1] not in one.part.line else []
    if _LEFT_OUT.search(said[-1][1]):
        return None
    hits, quoted = as_hits(said, hits)
    lines, citations = cited(quoted, hits)
    short = f"{one.part.word or sought.word} {one.part.key}"
    return Answered(Draft("\n".join(lines), True, citations, short=short), verdict, hits)


def _sentences(one: _Found) -> Iterator[tuple[Chunk, str]]:
    for chunk, start in zip(one.document.chunks, one.document.starts, strict=True):
        for span in chunk.sentences:
            if one.part.start <= start + span.start < one.part.end:
                yield chunk, span.of(chunk.text)


def _fits(sought: Sought, one: _Found) -> bool:
    """Whether it may be called so: by that word, or by none."""
    return not one.part.word or kind_of_word(one.part.word) == kind_of_word(sought.word)


def _line(one: _Found) -> str:
    """Its first line, where that is short enough for a heading."""
    return one.part.line if len(one.part.line.split()) <= MAX_LINE_WORDS else ""


def _text(one: _Found) -> str:
    return one.document.text[one.part.start : one.part.end]


def _chunk_of(one: _Found) -> Chunk:
    starts = [at for at, start in enumerate(one.document.starts) if start <= one.part.start]
    return one.document.chunks[starts[-1]]
