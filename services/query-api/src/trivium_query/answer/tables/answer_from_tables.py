"""READ FIRST: a question of a table, from the hits to a cited draft, or to none where the mapping is unsure.

tables of the hits -> plan by names (once more with synonyms) or by the language model -> SQL -> draft
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from rapidfuzz import fuzz, process

from trivium.domain.answers import Kind
from trivium.domain.chunks import Chunk
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium.ports.llm import Completion, Llm
from trivium_query.answer.citations import Draft
from trivium_query.answer.extractive import NOT_FOUND
from trivium_query.answer.support import FUZZY_RATIO, MIN_FUZZY_CHARS
from trivium_query.answer.tables.asked_words import Word, words_of
from trivium_query.answer.tables.draft import compose, compose_empty, short
from trivium_query.answer.tables.engine import Result, overlap, run
from trivium_query.answer.tables.plan_by_llm import plan_with_llm
from trivium_query.answer.tables.plan_by_names import (
    Planned,
    asks_for_computing,
    is_open,
    plan_by_names,
    plan_of_existence,
    plans_of_cells,
)
from trivium_query.answer.tables.query_plan import Plan, Test
from trivium_query.answer.tables.synonyms import synonyms_of
from trivium_query.answer.tables.table import DocumentTables, Table
from trivium_query.words import content_words, stem

MAX_HITS = 10
MAX_DOCUMENTS = 5
MAX_TABLES = 12
MAX_SYNONYMS = 3  # words that a question may have besides those of the table
FIRST_HITS = 2  # of which one must be of the table, where words of the question are left over
LLM_HITS = 3  # a language model is asked when so good a hit holds a table, and the question names something of one

_BEFORE_THINGS = frozenset(["of", "many", "for", "from", "total", "average", "mean"])
_ROW = re.compile(r"[^;:\n]{1,120}: [^;\n]*; [^;:\n]{1,120}: ")  # `Header: value; Header: value`

ReadTables = Callable[[str, str], Awaitable[DocumentTables]]
"""The tables of a document's version, of one tenant."""
Embed = Callable[[Sequence[str]], Awaitable[Vector]]


class Found(msgspec.Struct, frozen=True):
    """The draft, whether its mapping is certain, and what a language model's plan cost.

    Without a draft nothing is said of the question. A draft that is not `found` says that the tables which the
    question is about do not hold what it asks for.
    """

    draft: Draft | None = None
    certain: bool = True
    completion: Completion | None = None


class _Stored(msgspec.Struct, frozen=True):
    """A table and the document's that it is among."""

    document: DocumentTables
    table: Table


class _Answered(msgspec.Struct, frozen=True):
    stored: _Stored
    plan: Plan
    result: Result | None
    told: int = 0
    certain: bool = True
    affirmed: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """What would be said, "" for nothing."""
        return short(self.plan, self.stored.table, self.result) if self.result else ""


async def answer_from_tables(
    question: str, hits: Sequence[Hit], read: ReadTables, embed: Embed, llm: Llm | None, timeout_s: float
) -> Found:
    """At most one draft. Raises what reading, embedding and the language model raise."""
    stored = await _tables_of(hits[:MAX_HITS], read)
    if not stored:
        return Found()
    if not is_open(question):
        return await asyncio.to_thread(_by_cell, question, stored, hits)
    planned = await _planned(question, stored, embed)
    answered = await asyncio.to_thread(_answered, stored, planned)
    best = _only_best(answered)
    if best or (blank := _of_empty_cell(answered, hits)):
        return Found(_drafted(best, hits) if best else blank, best is not None and best.certain)
    if llm is None:
        likely = await asyncio.to_thread(_likely, stored, planned, hits)
        draft = _drafted(likely, hits) if likely else _not_there(question, planned, answered, hits)
        return Found(draft, certain=likely is None)
    if any(each.told for each in planned) and any(hit.chunk.holds(UnitKind.TABLE) for hit in hits[:LLM_HITS]):
        return await _by_llm(question, stored, hits, llm, timeout_s)
    return Found(_not_there(question, planned, answered, hits))


def is_one_row_of_many(question: str, sentence: str, hit: Hit) -> bool:
    """Whether a row of a table is no whole answer: the question asks for what is computed or counted."""
    return is_row(sentence, hit) and asks_for_computing(question)


def is_row(sentence: str, hit: Hit) -> bool:
    """Whether the sentence is a table's row, written out."""
    return hit.chunk.holds(UnitKind.TABLE) and bool(_ROW.match(sentence))


async def _tables_of(hits: Sequence[Hit], read: ReadTables) -> list[_Stored]:
    """The tables that the hits stand in, best hit first."""
    holding = [hit.chunk for hit in hits if hit.chunk.holds(UnitKind.TABLE)]
    places = list(dict.fromkeys((chunk.document_id, chunk.version) for chunk in holding))[:MAX_DOCUMENTS]
    documents = dict(zip(places, await asyncio.gather(*(read(*place) for place in places)), strict=True))
    found: dict[tuple[str, int], _Stored] = {}
    for chunk in holding:
        document = documents.get((chunk.document_id, chunk.version), DocumentTables())
        for table in document.tables:
            if overlap(table.span, chunk.span):
                found.setdefault((chunk.document_id, table.number), _Stored(document, table))
    return list(found.values())[:MAX_TABLES]


async def _planned(question: str, stored: Sequence[_Stored], embed: Embed) -> list[Planned]:
    """A plan for each table; where none is sure, words that may be other names of columns are looked at."""
    planned = await asyncio.to_thread(lambda: [plan_by_names(question, each.table, {}) for each in stored])
    words = _unknown(planned)
    if any(each.sure for each in planned) or not words:
        return planned
    labels = [[column.label for column in each.table.columns] for each in stored]
    vectors = await embed([word.folded for word in words] + [label for some in labels for label in some])
    at = len(words)
    again = []
    for each, some in zip(stored, labels, strict=True):
        synonyms = synonyms_of(words, vectors[: len(words)], vectors[at : at + len(some)])
        again.append(plan_by_names(question, each.table, synonyms))
        at += len(some)
    return again


def _unknown(planned: Sequence[Planned]) -> list[Word]:
    """The words that tables have no use for, of tables for which they are few."""
    few = [each.spare for each in planned if each.told and len(each.spare) <= MAX_SYNONYMS]
    return list({word.stem: word for words in few for word in words}.values())


def _answered(stored: Sequence[_Stored], planned: Sequence[Planned]) -> list[_Answered]:
    found = []
    for each, one in zip(stored, planned, strict=True):
        if plan := one.sure:
            result = run(each.document, each.table, plan)
            found.append(_Answered(each, plan, result, one.told, certain_of(one, result), one.affirmed))
    return found


def certain_of(planned: Planned, result: Result | None) -> bool:
    """That nothing is of a time says more where the table goes on behind it, and whatever a row counts."""
    if result is None or result.rows:
        return planned.certain
    return planned.certain_of_none and result.reached


def _likely(stored: Sequence[_Stored], planned: Sequence[Planned], hits: Sequence[Hit]) -> _Answered | None:
    """What is computed though a few words are left over, of a table that one of the first hits is of."""
    first = [hit.chunk for hit in hits[:FIRST_HITS] if hit.chunk.holds(UnitKind.TABLE)]
    told = max(each.told for each in planned)
    return _only_best(
        [
            _Answered(each, plan, run(each.document, each.table, plan), one.told, certain=False)
            for each, one in zip(stored, planned, strict=True)
            if (plan := one.likely) and one.told == told and any(_holds(chunk, each) for chunk in first)
        ]
    )


def _holds(chunk: Chunk, stored: _Stored) -> bool:
    """Whether the chunk is of the table."""
    same = any(each.document_id == chunk.document_id for each in stored.document.chunks)
    return same and overlap(stored.table.span, chunk.span)


def _only_best(answered: Sequence[_Answered]) -> _Answered | None:
    """The one that the most words name; None where others are named as well and say something else."""
    told = max((each.told for each in answered if each.short), default=0)
    best = [each for each in answered if each.short and each.told == told]
    return best[0] if len({each.short for each in best}) == 1 else None


def _of_empty_cell(answered: Sequence[_Answered], hits: Sequence[Hit]) -> Draft | None:
    """That its cell says "none", of the one row that the question names."""
    blank = [(each, each.result) for each in answered if each.result and each.result.rows and not each.result.values]
    if len(blank) != 1:
        return None
    one, result = blank[0]
    return compose_empty(one.plan, one.stored.table, result, hits, one.stored.document.chunks)


def _by_cell(question: str, stored: Sequence[_Stored], hits: Sequence[Hit]) -> Found:
    """Yes or no, where one table says it of one row, or of several."""
    plans = [(each, plan) for each in stored for plan in plans_of_cells(question, each.table)]
    answered = _answered([each for each, _ in plans], [plan for _, plan in plans])
    best = _only_best([each for each in answered if each.result and each.result.rows == 1])
    draft = _drafted(best, hits) if best else None
    if best is None or draft is None:
        return _by_rows(question, stored, hits)
    said = "yes" if draft.short in best.affirmed else "no"
    return Found(msgspec.structs.replace(draft, short=said, kind=Kind.YES_NO))


def _by_rows(question: str, stored: Sequence[_Stored], hits: Sequence[Hit]) -> Found:
    """Yes, where a table has a row of all that is named; no, where it has none, nor a text all names of it."""
    plans = [(each, plan) for each in stored if (plan := plan_of_existence(question, each.table))]
    best = _only_best(_answered([each for each, _ in plans], [plan for _, plan in plans]))
    draft = _drafted(best, hits) if best else None
    if best is None or draft is None:
        return Found()
    said = "no" if draft.short == "0" else "yes"
    if said == "no" and _are_together(best.plan, hits):
        return Found()
    return Found(msgspec.structs.replace(draft, short=said, kind=Kind.YES_NO), best.certain)


def _are_together(plan: Plan, hits: Sequence[Hit]) -> bool:
    """Whether one passage that is no table has all of several names: it may tell what no table holds."""
    names = [" ".join(map(str, one.values)) for one in plan.filters if one.test is Test.IS]
    asked = set(content_words(" ".join(names)))
    return len(names) > 1 and any(asked <= _words(hit) for hit in hits if not hit.chunk.holds(UnitKind.TABLE))


def _drafted(answered: _Answered, hits: Sequence[Hit]) -> Draft | None:
    if answered.result is None or not answered.result.values:
        return None
    stored = answered.stored
    return compose(answered.plan, stored.table, answered.result, hits, stored.document.chunks)


def _not_there(
    question: str, planned: Sequence[Planned], answered: Sequence[_Answered], hits: Sequence[Hit]
) -> Draft | None:
    """That it was not found: no row is of what is asked, or a thing to compute of is named in no hit."""
    if not asks_for_computing(question) or _is_said(question, hits):
        return None
    said = frozenset[str]().union(*map(_words, hits))
    words = words_of(question)
    unheard = any(
        each.plan and not any(_is_heard(word, said) for word in things)
        for each in planned
        if (things := [word for word in each.unexplained if _is_thing(word, words)])
    )
    empty = bool(answered) and all(each.result and not each.result.values for each in answered)
    return Draft(NOT_FOUND, found=False) if empty or unheard else None


def _is_thing(word: Word, words: Sequence[Word]) -> bool:
    """Whether it is a name, or what there is a number of; a verb that no hit has says nothing."""
    at = words.index(word)
    return at > 0 and (word.written[0].isupper() or words[at - 1].folded in _BEFORE_THINGS)


def _is_heard(word: Word, said: frozenset[str]) -> bool:
    """Whether the word stands in a hit, or one that it may be a slip of the pen of."""
    near = process.extractOne(word.stem, said, scorer=fuzz.ratio, score_cutoff=FUZZY_RATIO)
    return stem(word.folded) in said or (len(word.stem) >= MIN_FUZZY_CHARS and near is not None)


def _is_said(question: str, hits: Sequence[Hit]) -> bool:
    """Whether one passage that is no table has all words of the question: it may tell what no table holds."""
    asked = set(content_words(question))
    return any(asked <= _words(hit) for hit in hits if not hit.chunk.holds(UnitKind.TABLE))


def _words(hit: Hit) -> frozenset[str]:
    return frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.text} {hit.chunk.source}"))


async def _by_llm(question: str, stored: Sequence[_Stored], hits: Sequence[Hit], llm: Llm, timeout_s: float) -> Found:
    """The language model's plan, if it is one of these tables and gives something."""
    written, completion = await plan_with_llm(question, [each.table for each in stored], llm, timeout_s)
    if written is None:
        return Found(completion=completion)
    chosen = stored[written.table]
    result = await asyncio.to_thread(run, chosen.document, chosen.table, written.plan)
    return Found(_drafted(_Answered(chosen, written.plan, result), hits), completion=completion)
