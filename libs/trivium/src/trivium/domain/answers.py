"""Answers, their citations and the verdict on them."""

from __future__ import annotations

import enum

import msgspec

from trivium.domain.citations import Citation as Citation  # noqa: PLC0414  it is an answer's word too
from trivium.domain.contradictions import Contradiction
from trivium.domain.retrieval import Degraded, Hit


class Verdict(enum.StrEnum):
    """CRAG's labels (CORTEX C8)."""

    SUPPORTED = "SUPPORTED"
    PARTIALLY_SUPPORTED = "PARTIALLY_SUPPORTED"
    NOT_SUPPORTED = "NOT_SUPPORTED"


class Kind(enum.StrEnum):
    """What a question asks for. A follow-up has the kind of the question that it stands for."""

    FACT = "fact"
    YES_NO = "yes_no"
    CHOICE = "choice"  # between things that the question names
    ORDER = "order"  # in time
    LIST = "list"
    COUNT = "count"
    ARITHMETIC = "arithmetic"  # sum, mean, least, most or difference over rows
    DEFINITION = "definition"
    REASON = "reason"
    PROCEDURE = "procedure"
    ABOUT = "about"  # what a document is about
    SUMMARY = "summary"
    THEMES = "themes"  # what a whole collection is about
    COLLECTION = "collection"  # which documents there are, and how many
    KEYWORDS = "keywords"  # words to search for, not a sentence
    NOT_A_QUESTION = "not_a_question"


class Usage(msgspec.Struct, frozen=True):
    """Language-model tokens spent, zero with the extractive engine, and what it was told (`name@version`)."""

    input_tokens: int
    output_tokens: int
    calls: int
    prompts: tuple[str, ...] = ()


NOTHING_USED = Usage(0, 0, 0)


class Turn(msgspec.Struct, frozen=True):
    """One exchange of a conversation; `kind` and `short` as in `Answer`."""

    question: str
    answer: str
    kind: str = ""
    short: str = ""


class Answer(msgspec.Struct, frozen=True):
    """What the user gets. `engine` says who wrote it (`extractive`, `tables`, `openai:gpt-…`).

    `found` is False when the documents do not hold the answer; `text` then says so.
    `kind` is one of `Kind`, "" where nothing decided it. `short` is the answer in a word or two ("412", "yes", a name),
    "" where there is none; `text` shows it. `probability` (0...1) that the answer is right, None where none is known.
    `sub_questions` are those CRAG asked to repair a partial answer. `notes` are for the reader
    ("The language model did not answer in time; this answer was extracted instead.").
    `contradictions` are the open cards that what it cites takes part in.
    """

    question: str
    text: str
    engine: str
    verdict: Verdict
    found: bool
    citations: tuple[Citation, ...] = ()
    hits: tuple[Hit, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    sub_questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = NOTHING_USED
    timings_ms: dict[str, float] = {}
    kind: str = ""
    short: str = ""
    probability: float | None = None
    contradictions: tuple[Contradiction, ...] = ()


class HitsFound(msgspec.Struct, frozen=True, tag_field="event", tag="hits"):
    """What the answer will be made from, before it is written."""

    hits: tuple[Hit, ...]
    degraded: tuple[Degraded, ...] = ()


class ShortAnswer(msgspec.Struct, frozen=True, tag_field="event", tag="short"):
    """The answer in a word or two, before the text that shows it; only where there is one."""

    short: str


class TextPiece(msgspec.Struct, frozen=True, tag_field="event", tag="text"):
    """The next piece of the answer's text."""

    text: str


class TextWithdrawn(msgspec.Struct, frozen=True, tag_field="event", tag="withdrawn"):
    """Forget the text so far: the writer failed, or a better answer follows."""

    reason: str


class Cited(msgspec.Struct, frozen=True, tag_field="event", tag="citation"):
    """A source that the text cites."""

    citation: Citation


class Judged(msgspec.Struct, frozen=True, tag_field="event", tag="verdict"):
    """The verdict on the text so far; a repaired answer gets a second one."""

    verdict: Verdict
    sub_questions: tuple[str, ...] = ()
    probability: float | None = None


class Finished(msgspec.Struct, frozen=True, tag_field="event", tag="answer"):
    """The whole answer, always the last event of a stream that did not fail."""

    answer: Answer


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="error"):
    """Why there is no answer, always the last event of a stream that failed."""

    code: str
    message: str
    action: str = ""


AnswerEvent = HitsFound | ShortAnswer | TextPiece | TextWithdrawn | Cited | Judged | Finished | Failed
