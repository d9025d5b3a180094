"""Which answerer a kind of question has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from trivium.domain.answers import Kind
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium.text.names import names_in
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.coded import answer_by_code, answer_by_value
from trivium_query.answer.answerers.collection import answer_of_collection
from trivium_query.answer.answerers.definition import answer_by_definition, term_of
from trivium_query.answer.answerers.document import answer_of_document, named_in
from trivium_query.answer.answerers.entry import answer_by_described_option, answer_by_entry
from trivium_query.answer.answerers.enumeration import answer_by_items
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.one_step import answer_by_one_step
from trivium_query.answer.answerers.option_meant import Ranked, answer_by_option_meant
from trivium_query.answer.answerers.procedure import answer_by_steps
from trivium_query.answer.answerers.reason import answer_by_reason
from trivium_query.answer.answerers.release_notes import answer_by_release
from trivium_query.answer.answerers.row import answer_by_row
from trivium_query.answer.answerers.setting import answer_by_setting
from trivium_query.answer.answerers.small_talk import reply
from trivium_query.answer.answerers.succession import answer_by_succession
from trivium_query.answer.answerers.themes import Collected, Themes
from trivium_query.answer.extractive import Extract
from trivium_query.answer.understand import Question

UNSEARCHED = frozenset({Kind.NOT_A_QUESTION, Kind.COLLECTION})
"""Kinds that no passage answers: nothing is retrieved, and no language model writes the answer."""
OF_ONE_DOCUMENT = frozenset({Kind.ABOUT, Kind.SUMMARY, Kind.THEMES})

READ = frozenset(
    {Kind.FACT, Kind.KEYWORDS, Kind.YES_NO, Kind.CHOICE, Kind.ORDER, Kind.LIST, Kind.COUNT, Kind.ARITHMETIC}
)
"""Kinds that a few words of a passage answer."""
READ_TOO = frozenset({Kind.REASON, Kind.PROCEDURE})
"""Kinds with a form of their own, which a few words answer where nothing has that form."""
TOLD_IN_PART = frozenset({Kind.PROCEDURE, Kind.DEFINITION, Kind.REASON})
"""Kinds that a sentence without their form tells in part at most."""

_OF_FACTS = (
    answer_by_succession,
    answer_by_release,
    answer_by_items,
    answer_by_code,
    answer_by_value,
    answer_by_entry,
    answer_by_described_option,
    answer_by_setting,
    answer_by_row,
)
_ANSWERERS: Mapping[Kind, Sequence[Callable[[str, Sequence[Hit]], Answered | None]]] = {
    Kind.DEFINITION: (
        answer_by_release,
        answer_by_code,
        answer_by_definition,
        answer_by_entry,
        answer_by_row,
        answer_by_items,
    ),
    Kind.PROCEDURE: (answer_by_steps, answer_by_described_option),
    Kind.FACT: _OF_FACTS,
    Kind.LIST: _OF_FACTS,
    Kind.ORDER: (answer_by_succession,),
    Kind.COUNT: (answer_by_entry, answer_by_setting),
    Kind.KEYWORDS: (answer_by_entry, answer_by_row),
}

SentenceVectors = Callable[[Sequence[str]], Awaitable[Mapping[str, Vector]]]


def is_read(question: Question) -> bool:
    """Whether words of a passage may answer; who or what bears a name is told by no other name."""
    if question.kind is Kind.DEFINITION:
        term = term_of(question.standalone)
        return not any(span.start == 0 and span.end == len(term) for span in names_in(term))
    return question.kind in READ | READ_TOO


async def answer_unsearched(question: Question, collection: Collection | None) -> Answered | None:
    """The answer of one of `UNSEARCHED`; None without the collection that it needs."""
    if question.kind is Kind.NOT_A_QUESTION:
        return reply(question.text)
    return await answer_of_collection(question.standalone, collection) if collection else None


async def answer_of_one_document(
    question: Question, collection: Collection | None, vectors: SentenceVectors
) -> Answered | None:
    """What the one document that is named is about; None where none is, or more."""
    documents = (await collection.documents()).found if collection is not None else ()
    alone = documents[0] if question.kind is Kind.THEMES and len(documents) == 1 else None
    named = alone if question.kind is Kind.THEMES else named_in(question.standalone, documents)
    if collection is None or named is None:
        return None
    chunks = await collection.passages(named.id, named.active_version)
    return answer_of_document(question.kind, chunks, await vectors([chunk.id for chunk in chunks])) if chunks else None


async def themes_of(question: Question, collected: Collected | None, count: int, limit_s: float) -> Themes | None:
    """The themes that are asked for; None for any other question, and for a collection of one document."""
    if question.kind is not Kind.THEMES or collected is None:
        return None
    found = await collected.themes(count, limit_s)
    return found if found.shown and found.documents > 1 else None


def answer_from_passages(
    question: Question, extracted: Extract, hits: Sequence[Hit], options: Ranked
) -> Answered | None:
    """By the answerers of the question's kind; None where it has none, or these find nothing of their form."""
    if (step := answer_by_one_step(question.standalone, hits)) is not None:
        return step
    if question.kind is Kind.REASON:
        entry = answer_by_entry(question.standalone, hits)
        return entry or answer_by_reason(question.standalone, extracted, hits)
    answers = (answer(question.standalone, hits) for answer in _ANSWERERS.get(question.kind, ()))
    formed = next(filter(None, answers), None)
    return formed or answer_by_option_meant(question.standalone, options, hits)
