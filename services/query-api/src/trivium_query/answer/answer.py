"""From a question to a cited, judged answer.

understand -> retrieve -> rerank -> write (compute, generate or extract) -> verify; a partly supported answer is
repaired once from sub-questions. Everything that can fail has a plain second way, and what failed is named in the
answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence, Set

import msgspec

from trivium.domain.answers import (
    Answer,
    AnswerEvent,
    Cited,
    Failed,
    Finished,
    HitsFound,
    Judged,
    Kind,
    ShortAnswer,
    TextPiece,
    TextWithdrawn,
    Verdict,
)
from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.domain.retrieval import Hit, Rerank, SearchResult
from trivium.ports.inference import Passage, Reading, Reranker, Vector
from trivium.ports.llm import Llm
from trivium.text.languages import ENGLISH, language_of
from trivium_query.answer import extractive, verify
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import refused
from trivium_query.answer.answerers.faq import answer_by_faq, faqs_in, is_from, is_worded
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.numbered import (
    answer_by_number,
    part_asked,
    part_within,
    whole_documents,
    within_part,
)
from trivium_query.answer.answerers.option_meant import Ranked, lacking, options_near, with_its_name, with_options
from trivium_query.answer.answerers.themes import Collected, Themes, answer_of_themes
from trivium_query.answer.answerers.which_part import answer_which_part, part_sought
from trivium_query.answer.by_kind import (
    OF_ONE_DOCUMENT,
    READ_TOO,
    TOLD_IN_PART,
    UNSEARCHED,
    answer_from_passages,
    answer_of_one_document,
    answer_unsearched,
    is_read,
    themes_of,
)
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.answer_directly import ReadAnswer, answer_directly
from trivium_query.answer.direct.untold import is_under_no_label
from trivium_query.answer.evidence import Candidate, may_be_named
from trivium_query.answer.kinds import kind_of
from trivium_query.answer.ledger import Ledger
from trivium_query.answer.llm_answer import Generated, generate
from trivium_query.answer.parts import joined, parts_of
from trivium_query.answer.paths import SELF_SUFFICIENT_ROW
from trivium_query.answer.pool import pooled
from trivium_query.answer.read_code import as_read, as_written
from trivium_query.answer.rerank import PROMPT as RERANK
from trivium_query.answer.rerank import RERANK_DEPTH, rerank_with_llm, rerank_with_model
from trivium_query.answer.spelling import mended
from trivium_query.answer.spoken import spoken
from trivium_query.answer.tables.answer_from_tables import (
    Found,
    ReadTables,
    answer_from_tables,
    is_one_row_of_many,
    is_row,
)
from trivium_query.answer.tables.plan_by_llm import PROMPT as PLAN
from trivium_query.answer.understand import PROMPT as REWRITE
from trivium_query.answer.understand import Question, understand, understand_with_llm
from trivium_query.requests import AskRequest
from trivium_query.retrieve.topics import STALE_NOTE

EXTRACTIVE = "extractive"
TABLES = "tables"
SUB_TOP_K = 5  # CORTEX C8
READ = "read"  # the step
MAX_UNTOLD = 1  # of the question's words, that a row which answers has not
DISCLAIMER = "Caution: the documents do not clearly support this answer."
HEADROOM = 0.05  # of the time, kept to hand the answer over before the request ends at its deadline
# Shares of the time that is left when a step begins; generation leaves enough to fall back on.
UNDERSTAND_SHARE = 0.2
RERANK_SHARE = 0.3
TABLES_SHARE = 0.3
WRITE_SHARE = 0.8
VERIFY_SHARE = 0.6
SENTENCES_SHARE = 0.2
READ_SHARE = 0.5
THEMES_SHARE = 0.5
DOCUMENT_SHARE = 0.5


class Dependencies(msgspec.Struct, frozen=True):
    """What an answer is made with, for one tenant and one search mode.

    `retrieve` has time budgets of its own and names in its result what was late. `sentence_vectors`
    gives (n, d) rows per chunk id; `embed` gives one row per text as queries are embedded. Without `tables` nothing
    is computed, without `collection` nothing is said of the documents themselves, without `collected` nothing of their
    themes. `reader` reads passages as
    `trivium.ports.inference.Reader` promises; None where there is none.
    `languages` are those that the embedding model knows, as ISO 639-1 codes; empty: every one.
    """

    retrieve: Callable[[str, int], Awaitable[SearchResult]]
    sentence_vectors: Callable[[Sequence[str]], Awaitable[Mapping[str, Vector]]]
    embed: Callable[[Sequence[str]], Awaitable[Vector]]
    llm: Llm | None = None
    reranker: Reranker | None = None
    rerank: Rerank = Rerank.NONE
    tables: ReadTables | None = None
    reader: Callable[[str, Sequence[Passage]], Awaitable[list[Reading]]] | None = None
    collection: Collection | None = None
    collected: Collected | None = None
    languages: frozenset[str] = frozenset()


class Written(msgspec.Struct, frozen=True):
    """An answer's text, who wrote it, from what, and the verdict that its making already gives."""

    draft: Draft
    engine: str
    hits: tuple[Hit, ...]
    extract: extractive.Extract | None = None
    verdict: Verdict | None = None
    probability: float | None = None


class Outcome(msgspec.Struct, frozen=True):
    """The verdict on what was written, the questions that would repair it, and how likely it is right."""

    verdict: Verdict
    sub_questions: tuple[str, ...] = ()
    probability: float | None = None


async def answer(request: AskRequest, dependencies: Dependencies) -> Answer:
    """The whole answer. Raises `Refused` for a bad question, `TryLater` when nothing could be retrieved."""
    async for event in _events(request, dependencies):
        if isinstance(event, Finished):
            return event.answer
    raise NeverWill("no_answer", "The question ended without an answer.", "Report this.")  # pragma: no cover


async def stream(request: AskRequest, dependencies: Dependencies) -> AsyncIterator[AnswerEvent]:
    """The answer as it comes: hits, text, citations, verdict, and at the end the whole answer or the error."""
    try:
        async for event in _events(request, dependencies):
            yield event
    except TriviumError as fault:
        yield Failed(fault.code, fault.message, fault.action)


async def _events(request: AskRequest, dependencies: Dependencies) -> AsyncIterator[AnswerEvent]:
    ledger = Ledger(time.monotonic() + request.timeout_s * (1.0 - HEADROOM))
    llm = dependencies.llm
    question = await _understand(request, llm, ledger)
    themes: Themes | None = None
    async with ledger.optional("topics", THEMES_SHARE):
        themes = await themes_of(question, dependencies.collected, request.top_k, ledger.remaining_s(THEMES_SHARE))
    if themes and themes.stale:
        ledger.notes.append(STALE_NOTE)
    hits = themes.hits if themes else await _retrieve(question, request, dependencies, llm, ledger)
    yield HitsFound(hits, tuple(ledger.degraded.values()))
    question, slips = mended(question, hits)
    ledger.notes.extend(filter(None, [slips, spoken(question.standalone, hits).note(dependencies.languages)]))

    written: Written | None = None
    async for event in _write(question, hits, dependencies, llm, ledger, themes):
        if isinstance(event, Written):
            written = event
        else:
            yield event
    assert written is not None  # noqa: S101  # _write always ends with one
    outcome = await _judge(question, written, dependencies, llm, ledger)
    for citation in written.draft.citations:
        yield Cited(citation)
    yield Judged(outcome.verdict, outcome.sub_questions, outcome.probability)

    if outcome.verdict is Verdict.PARTIALLY_SUPPORTED and outcome.sub_questions:
        repaired = await _repair(question, written, outcome, request, dependencies, llm, ledger)
        if repaired is not None:
            written, outcome = repaired
            yield TextWithdrawn("A better supported answer was found through sub-questions.")
            for event in _whole(written):
                yield event
            for citation in written.draft.citations:
                yield Cited(citation)
            yield Judged(outcome.verdict, outcome.sub_questions, outcome.probability)
    finished = _finish(request, question, written, outcome, ledger)
    if finished.text != written.draft.text:
        yield TextPiece(finished.text.removeprefix(written.draft.text))
    yield Finished(finished)


async def _understand(request: AskRequest, llm: Llm | None, ledger: Ledger) -> Question:
    """The question on its own, with its kind; by the model only when something is asked that a history may resolve."""
    question = understand(request.question, request.history)
    kind = request.kind or kind_of(question.standalone)
    if llm is not None and request.history and kind is not Kind.NOT_A_QUESTION:
        async with ledger.optional("understand", UNDERSTAND_SHARE):
            limit_s = ledger.remaining_s(UNDERSTAND_SHARE)
            question, completion = await understand_with_llm(request.question, request.history, llm, limit_s)
            ledger.spend(completion, REWRITE)
    return msgspec.structs.replace(question, kind=request.kind or kind_of(question.standalone))


async def _retrieve(
    question: Question, request: AskRequest, dependencies: Dependencies, llm: Llm | None, ledger: Ledger
) -> tuple[Hit, ...]:
    """The best hits, reranked when asked for."""
    if question.kind in UNSEARCHED and dependencies.collection is not None:
        return ()
    depth = request.top_k if dependencies.rerank is Rerank.NONE else max(request.top_k, RERANK_DEPTH)
    async with ledger.step("retrieve"):
        result = await dependencies.retrieve(question.standalone, depth)
    ledger.timings_ms.update(result.timings_ms)
    for lost in result.degraded:
        ledger.lose(lost.source, lost.reason)
    ledger.notes.extend(result.notes)
    hits = result.hits
    if dependencies.rerank is not Rerank.NONE and hits:
        hits = await _rerank(question, hits, dependencies, llm, ledger)
    hits = hits[: request.top_k]
    collection = dependencies.collection
    if collection is not None and (manuals := lacking(question.standalone, hits)):
        async with ledger.optional("collection", DOCUMENT_SHARE):
            hits = await with_options(question.standalone, hits, manuals, collection, dependencies.embed)
    return hits


async def _rerank(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, llm: Llm | None, ledger: Ledger
) -> tuple[Hit, ...]:
    ordered = hits
    async with ledger.optional("rerank", RERANK_SHARE):
        if dependencies.rerank is Rerank.LLM and llm is not None:
            limit_s = ledger.remaining_s(RERANK_SHARE)
            ordered, completion = await rerank_with_llm(question.standalone, hits, llm, limit_s)
            ledger.spend(completion, RERANK)
        elif dependencies.rerank is Rerank.CROSS_ENCODER and dependencies.reranker is not None:
            ordered = await rerank_with_model(question.standalone, hits, dependencies.reranker)
        else:
            ledger.lose("rerank", f"No model for the reranker '{dependencies.rerank}' is configured.")
    return ordered


async def _write(
    question: Question,
    hits: tuple[Hit, ...],
    dependencies: Dependencies,
    llm: Llm | None,
    ledger: Ledger,
    themes: Themes | None = None,
) -> AsyncIterator[AnswerEvent | Written]:
    """The text: computed from tables where it asks for that, by the model when there is one, else extracted."""
    known = await _numbered(question, hits, dependencies, ledger)
    if known := known or await _unsearched(question, dependencies, ledger, themes):
        for event in (*_whole(known), known):
            yield event
        return
    if (computed := await _compute(question, hits, dependencies, llm, ledger)) is not None:
        for event in (*_whole(computed), computed):
            yield event
        return
    if llm is not None and hits:
        said = False
        try:
            async with contextlib.aclosing(_generate(question, hits, llm, ledger)) as pieces:
                async for piece in pieces:
                    said = said or isinstance(piece, TextPiece)
                    yield piece
            return
        except (TryLater, NeverWill) as fault:
            ledger.lose("llm", fault.message)
            ledger.notes.append(f"{fault} This answer was extracted from the documents instead.")
        if said:
            yield TextWithdrawn("The language model did not finish.")
    written = await _extract(question, hits, dependencies, ledger)
    for event in (*_whole(written), written):
        yield event


def _whole(written: Written) -> tuple[AnswerEvent, ...]:
    """An answer that was not written piece by piece."""
    draft = written.draft
    text = TextPiece(draft.text)
    return (ShortAnswer(draft.short), text) if draft.short else (text,)


async def _unsearched(
    question: Question, dependencies: Dependencies, ledger: Ledger, themes: Themes | None
) -> Written | None:
    """The answer to what no passage answers; None where it could not be read, or the model shall write of themes."""
    answered: Answered | None = None
    if themes is not None:
        answered = answer_of_themes(themes) if dependencies.llm is None else None
    elif question.kind in UNSEARCHED:
        async with ledger.optional("collection"):
            answered = await answer_unsearched(question, dependencies.collection)
    elif question.kind in OF_ONE_DOCUMENT and dependencies.llm is None:
        async with ledger.optional("collection", DOCUMENT_SHARE):
            answered = await answer_of_one_document(question, dependencies.collection, dependencies.sentence_vectors)
    return Written(answered.draft, EXTRACTIVE, answered.hits, verdict=answered.verdict) if answered else None


async def _numbered(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger
) -> Written | None:
    """The part of the hits' documents that is named by its number, word for word; or which one deals with something."""
    collection = dependencies.collection
    asked, sought = part_asked(question.standalone), part_sought(question.standalone)
    answered: Answered | None = None
    if (asked or sought) and hits and collection is not None:
        async with ledger.optional("collection", DOCUMENT_SHARE):
            read = await whole_documents(hits, collection)
            answered = answer_by_number(asked, read, hits) if asked else None
            answered = answered or (answer_which_part(sought, read, hits) if sought else None)
    return Written(answered.draft, EXTRACTIVE, answered.hits, verdict=answered.verdict) if answered else None


async def _compute(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, llm: Llm | None, ledger: Ledger
) -> Written | None:
    """What tables of the hits give; None where the question is none of theirs, or they could not be read."""
    found = Found()
    if dependencies.tables is not None and hits:
        async with ledger.optional("tables", TABLES_SHARE):
            limit_s = ledger.remaining_s(TABLES_SHARE)
            found = await answer_from_tables(
                question.standalone, hits, dependencies.tables, dependencies.embed, llm, limit_s
            )
    if found.completion is not None:
        ledger.spend(found.completion, PLAN)
    if found.draft is None:
        return None
    verdict = Verdict.SUPPORTED if found.certain else Verdict.PARTIALLY_SUPPORTED
    return Written(found.draft, TABLES, hits, verdict=verdict)


async def _generate(
    question: Question, hits: tuple[Hit, ...], llm: Llm, ledger: Ledger
) -> AsyncGenerator[TextPiece | TextWithdrawn | Written]:
    started = asyncio.get_running_loop().time()
    try:
        async for piece in generate(question.standalone, hits, llm, ledger.remaining_s(WRITE_SHARE), question.kind):
            if isinstance(piece, Generated):
                ledger.spend(piece.completion, *piece.prompts, calls=piece.calls)
                yield Written(piece.draft, llm.name, hits)
            else:
                yield piece
    finally:
        ledger.timings_ms["generate"] = round((asyncio.get_running_loop().time() - started) * 1000, 3)


async def _extract(question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger) -> Written:
    """As `_extract_one`, of each of two questions in one; a caller that set the kind asks one."""
    parts = parts_of(question.standalone) if question.kind is kind_of(question.standalone) else None
    if parts is None:
        return await _extract_one(question, hits, dependencies, ledger)
    first, second = [
        await _extract_one(Question(part, part, kind=kind_of(part)), hits, dependencies, ledger) for part in parts
    ]
    draft, verdict = joined(parts, (first.draft, second.draft), (first.verdict, second.verdict))
    likely = [one.probability for one in (first, second) if one.probability is not None]
    return Written(draft, EXTRACTIVE, hits, first.extract, verdict, min(likely, default=None))


async def _extract_one(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger
) -> Written:
    """As `_extract_read`, with code read as prose and cited as it stands."""
    read = await _of_the_part(question, hits, dependencies, ledger)
    written = await _extract_read(question, as_read(read), dependencies, ledger)
    draft = with_its_name(question.standalone, written.draft, as_read(read))
    known = {hit.chunk.id for hit in hits}
    hits = (*hits, *(hit for hit in read if hit.chunk.id not in known))
    return msgspec.structs.replace(written, draft=as_written(draft, hits), hits=hits)


async def _of_the_part(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger
) -> tuple[Hit, ...]:
    """What the part says in which the question asks: "under clause 4.2"; the hits where it asks in none."""
    asked = part_within(question.standalone) if hits else None
    collection = dependencies.collection
    if asked is not None and collection is not None:
        async with ledger.optional("collection", DOCUMENT_SHARE):
            return within_part(asked, await whole_documents(hits, collection), hits)
    return hits


async def _extract_read(
    question: Question, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger
) -> Written:
    """Sentences of the hits; without vectors their words alone decide. Never fails: it is what others fall back on.

    In a language that the embedding model does not know, neither its vectors nor the reader made of it are asked.
    """
    question_vector: Vector | None = None
    vectors: Mapping[str, Vector] = {}
    options: Ranked = ()
    asked_before: Answered | None = None
    understood = not spoken(question.standalone, hits).beyond(dependencies.languages)
    if hits and understood:
        async with ledger.optional("sentences", SENTENCES_SHARE):
            vectors = await dependencies.sentence_vectors([hit.chunk.id for hit in hits])
            question_vector = (await dependencies.embed([question.standalone]))[0]
            asked_before = await _asked_before(question, question_vector, hits, dependencies)
            options = await options_near(question.standalone, hits, dependencies.embed)
    with ledger.timed("extract"):
        extracted = extractive.extract(question.standalone, hits, question_vector, vectors)
    told: Answered | ReadAnswer | None = None if is_worded(question.kind) else asked_before
    told = told or answer_from_passages(question, extracted, hits, options)
    if told is None or (question.kind in READ_TOO and not told.draft.found):
        read = await _read(question, extracted, hits, dependencies, ledger) if understood else None
        told = _likeliest(question, asked_before, read, told if understood else None)
    if told is not None:
        likely = told.probability if isinstance(told, ReadAnswer) else None
        return Written(told.draft, EXTRACTIVE, hits, extracted, told.verdict, likely)
    if question.kind is Kind.FACT and _is_row_without_label(question, extracted):
        return Written(refused(question.standalone, hits).draft, EXTRACTIVE, hits, extracted, Verdict.NOT_SUPPORTED)
    unread = any(source == READ for source, _ in ledger.degraded)  # what it would have doubted nobody has
    part = Verdict.PARTIALLY_SUPPORTED if question.kind in TOLD_IN_PART or unread else None
    return Written(extractive.compose(extracted, hits), EXTRACTIVE, hits, extracted, part)


def _likeliest(
    question: Question,
    asked_before: Answered | None,
    read: ReadAnswer | None,
    formed: Answered | ReadAnswer | None,
) -> Answered | ReadAnswer | None:
    """What was read, unless it is less sure than what stands under a question that asks the same, and not from there.

    Else what has the form of an answer.
    """
    if asked_before is not None:
        surer = read is not None and Verdict.SUPPORTED == read.verdict != asked_before.verdict
        from_there = read is not None and is_from(read.draft, asked_before.draft)
        return read if surer or from_there else asked_before
    return read if read is not None and (question.kind not in READ_TOO or read.draft.found) else formed


async def _asked_before(
    question: Question, vector: Vector, hits: tuple[Hit, ...], dependencies: Dependencies
) -> Answered | None:
    """What a document tells under a question that asks the same."""
    found = faqs_in(question.standalone, question.kind, hits)
    if not found:
        return None
    rows = await dependencies.embed([one.question for one in found])
    near = [(one, float(row @ vector)) for one, row in zip(found, rows, strict=True)]
    return answer_by_faq(question.standalone, question.kind, near, hits)


async def _read(
    question: Question, extracted: extractive.Extract, hits: tuple[Hit, ...], dependencies: Dependencies, ledger: Ledger
) -> ReadAnswer | None:
    """The direct answer; None where nothing reads, or the question asks for more than a few words."""
    answered: ReadAnswer | None = None
    told_by_row = (
        question.kind not in (Kind.CHOICE, Kind.YES_NO) and extracted.support.sufficient and _is_told_by_row(extracted)
    )
    if dependencies.reader is not None and hits and is_read(question) and not told_by_row:
        async with ledger.optional(READ, READ_SHARE):
            answered = await answer_directly(question.standalone, extracted, hits, dependencies.reader)
    return answered


def _is_told_by_row(extracted: extractive.Extract) -> bool:
    """A table's row that holds the question, but for a word: its own labels say which of its words is what."""
    return any(
        extracted.asked.coverage(row.covered) >= SELF_SUFFICIENT_ROW and len(_untold(extracted, row)) <= MAX_UNTOLD
        for row in extracted.chosen[:1]
        if is_row(row.text, row.hit)
    )


def _untold(extracted: extractive.Extract, row: Candidate) -> Set[str]:
    """The question's words that neither the row nor its heading has."""
    asked = extracted.asked
    return asked.weights.keys() - row.covered - asked.words_in(row.hit.chunk.heading)


async def _judge(
    question: Question, written: Written, dependencies: Dependencies, llm: Llm | None, ledger: Ledger
) -> Outcome:
    """The verdict: by the sentences' own support, or on each claim of a model's answer."""
    if not written.draft.found:
        return Outcome(Verdict.NOT_SUPPORTED)
    if written.extract is not None:
        return _judge_extract(question, written, written.extract)
    if written.verdict is not None:
        return Outcome(written.verdict)
    judged: verify.Judgement | None = None
    if llm is not None:
        async with ledger.optional("verify", VERIFY_SHARE):
            limit_s = ledger.remaining_s(VERIFY_SHARE)
            judged, completion = await verify.judge_with_llm(
                question.standalone, written.draft, written.hits, llm, limit_s
            )
            ledger.spend(completion, verify.PROMPT)
    if judged is None:
        return await _judge_by_words(question, written, dependencies, ledger)
    return Outcome(judged.verdict, judged.asked())


def _judge_extract(question: Question, written: Written, extract: extractive.Extract) -> Outcome:
    sure = _is_sure(extract) if written.verdict is None else written.verdict is Verdict.SUPPORTED
    cited = [
        (citation.quote, hit)
        for citation in written.draft.citations[:1]
        for hit in written.hits
        if hit.chunk.id == citation.chunk_id
    ]
    of_many = any(is_one_row_of_many(question.standalone, quote, hit) for quote, hit in cited)
    if sure and not of_many and not _has_twins(extract):
        return Outcome(Verdict.SUPPORTED, (), written.probability)
    asked = verify.sub_questions(question.standalone, extract.names, extract.support.missing)
    return Outcome(Verdict.PARTIALLY_SUPPORTED, asked, written.probability)


def _has_twins(extract: extractive.Extract) -> bool:
    """Whether other rows of the table hold the same of the question as the one that answers: it is one of several."""
    best = next((one for one in extract.chosen[:1] if is_row(one.text, one.hit)), None)
    return best is not None and any(
        one.covered == best.covered and one.text != best.text and is_row(one.text, one.hit)
        for one in extract.ranked
        if one.hit.chunk.document_id == best.hit.chunk.document_id
    )


def _is_row_without_a_word(extract: extractive.Extract) -> bool:
    """Whether a row answers that lacks a word of the question, which may be what is asked: "pay", of a log."""
    return any(is_row(one.text, one.hit) and _untold(extract, one) for one in extract.chosen[:1])


def _is_row_without_label(question: Question, extract: extractive.Extract) -> bool:
    """Whether a row answers that lacks a word of the question, and a label for what it asks; both in English."""
    return (
        extract.asked.language in ("", ENGLISH)
        and _is_row_without_a_word(extract)
        and language_of(extract.chosen[0].hit.chunk.text) in ("", ENGLISH)
        and is_under_no_label(question.standalone, extract.chosen[0].text)
    )


def _is_sure(extract: extractive.Extract) -> bool:
    """By its support, if one document has it all; where somebody's name is asked for, only with one."""
    asked = extract.asked
    own = [
        one.covered for one in extract.chosen if one.hit.chunk.document_id == extract.chosen[0].hit.chunk.document_id
    ]
    told = frozenset[str]().union(*own)  # not "the scaffold was extended" and, elsewhere, "the policy costs"
    whole = all(one.covered <= told for one in extract.chosen)
    named = asked.wants != "name" or any(may_be_named(asked, one.text) for one in extract.chosen)
    return extract.support.sure and whole and named and not _is_row_without_a_word(extract)


async def _judge_by_words(question: Question, written: Written, dependencies: Dependencies, ledger: Ledger) -> Outcome:
    claims = verify.claims_of(written.draft, written.hits)
    claim_vectors: Vector | None = None
    vectors: Mapping[str, Vector] = {}
    if claims:
        async with ledger.optional("verify", VERIFY_SHARE):
            vectors = await dependencies.sentence_vectors([hit.chunk.id for hit in written.hits])
            claim_vectors = await dependencies.embed([claim.text for claim in claims])
    verdict = verify.judge_claims(claims, claim_vectors, vectors)
    if verdict is not Verdict.PARTIALLY_SUPPORTED:
        return Outcome(verdict)
    return Outcome(verdict, verify.sub_questions(question.standalone, (), ()))


async def _repair(
    question: Question,
    written: Written,
    outcome: Outcome,
    request: AskRequest,
    dependencies: Dependencies,
    llm: Llm | None,
    ledger: Ledger,
) -> tuple[Written, Outcome] | None:
    """CRAG's second round, once: ask the sub-questions, pool, write again; None unless it is better."""
    rankings: list[tuple[Hit, ...]] = []
    async with ledger.optional("sub_questions", VERIFY_SHARE):
        asked = [dependencies.retrieve(part, SUB_TOP_K) for part in outcome.sub_questions]
        rankings = [result.hits for result in await asyncio.gather(*asked)]
    known = {hit.chunk.id for hit in written.hits}
    if all(hit.chunk.id in known for ranking in rankings for hit in ranking):
        return None
    hits = pooled([written.hits, *rankings], request.top_k + SUB_TOP_K)
    noted = len(ledger.notes)
    again: Written | None = None
    async for event in _write(question, hits, dependencies, llm if written.extract is None else None, ledger):
        again = event if isinstance(event, Written) else again
    if again is not None and again.engine == written.engine:
        second = await _judge(question, again, dependencies, llm, ledger)
        if _strength(again, second) > _strength(written, outcome):
            return again, msgspec.structs.replace(second, sub_questions=outcome.sub_questions)
    del ledger.notes[noted:]  # they tell of an answer that nobody gets
    return None


def _strength(written: Written, outcome: Outcome) -> tuple[int, float]:
    """Orders answers by verdict, then by the extract's own support."""
    order = (Verdict.NOT_SUPPORTED, Verdict.PARTIALLY_SUPPORTED, Verdict.SUPPORTED)
    extracted = written.extract.support.probability if written.extract else 0.0
    return order.index(outcome.verdict), extracted if written.probability is None else written.probability


def _finish(request: AskRequest, question: Question, written: Written, outcome: Outcome, ledger: Ledger) -> Answer:
    """Everything the reader gets; a found answer without support carries a disclaimer."""
    draft = written.draft
    unsupported = draft.found and outcome.verdict is Verdict.NOT_SUPPORTED
    return Answer(
        question=question.text,
        text=f"{draft.text}\n\n{DISCLAIMER}" if unsupported else draft.text,
        engine=written.engine,
        verdict=outcome.verdict,
        found=draft.found,
        citations=draft.citations,
        hits=written.hits,
        degraded=tuple(ledger.degraded.values()),
        sub_questions=outcome.sub_questions,
        notes=tuple(dict.fromkeys((*ledger.notes, *draft.notes))),
        usage=ledger.usage,
        timings_ms=ledger.timings_ms,
        kind=request.kind or draft.kind or question.kind,
        short=draft.short,
        probability=outcome.probability,
    )
