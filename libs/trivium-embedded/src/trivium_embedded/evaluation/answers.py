"""READ FIRST: every question of a data set asked as `POST /v1/queries` asks it, each answer laid beside its gold.

documents -> questions (the set's own, and those of a foreign one) -> answers -> judged -> tables and a JSON file
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
from rich.console import Console

from trivium.api import QueryRequest
from trivium.cli.runtime import AnswerEvaluation
from trivium.config import Settings
from trivium.domain.answers import Answer
from trivium.domain.errors import Refused, TriviumError
from trivium.evaluation.answer_scores import scores_of
from trivium.evaluation.dataset import Judged, load_questions, load_set
from trivium.evaluation.judged_answers import JudgedAnswer, Wanted, judge, wanted_of
from trivium.llm.connect import llm_address
from trivium.logs.setup import configure_logging
from trivium_embedded.evaluation.answer_tables import tables_of
from trivium_embedded.evaluation.corpus import Ingested, ingested, progress_bars
from trivium_embedded.evaluation.ragas import Critic
from trivium_query.answering import PipelineAnswerer
from trivium_query.handlers import queries

SEED = 13  # of every sample, so that two runs ask the same questions
FOREIGN_QUESTIONS = 100  # of another set, unless told how many

Asked = tuple[Judged, Wanted]
T = TypeVar("T")


def evaluate_answers(settings: Settings, folder: Path, wanted: AnswerEvaluation) -> None:
    """Ingest `folder` into a throw-away tenant, ask its questions, print the tables, write a line a question.

    Raises `Refused` (`bad_evaluation_set`), also where no question has a gold answer.
    """
    loaded = load_set(folder)
    own = _worded(loaded.queries, wanted.asked_in)
    asked = [*_own(own, wanted.questions), *_foreign(wanted.foreign, wanted.questions)]
    if not asked:
        raise Refused(
            "bad_evaluation_set",
            f"No question of {folder} has an answer.",
            "Add `answer` to its questions, or leave out --answers.",
        )
    configure_logging("error", settings.log_format)
    console = Console()
    with ExitStack() as stack:
        lines = stack.enter_context(_opened(wanted.json_file))  # before the long work, which may break off
        bars = stack.enter_context(progress_bars(console))
        taken = stack.enter_context(ingested(settings, loaded, folder, bars))
        answers = asyncio.run(_answers(taken, bars.track(asked, description="answers"), lines, settings))
    for table in tables_of(loaded.name, scores_of(answers)):
        console.print(table)


def _worded(asked: Sequence[Judged], folder: Path | None) -> Sequence[Judged]:
    """The questions in the words of another folder, by their ids; one that it lacks is left out."""
    if folder is None:
        return asked
    wordings = {query.id: query.question for query in load_questions(folder)}
    return [msgspec.structs.replace(each, question=wordings[each.id]) for each in asked if each.id in wordings]


def _own(asked: Sequence[Judged], questions: int) -> list[Asked]:
    known = [query for query in asked if query.gold or not query.answerable]
    return [(query, wanted_of(query)) for query in _sample(known, questions)]


def _foreign(folder: Path | None, questions: int) -> list[Asked]:
    """Questions that have an answer in their own corpus."""
    known = [query for query in load_questions(folder) if query.gold] if folder else []
    return [(query, Wanted.FOREIGN) for query in _sample(known, questions or FOREIGN_QUESTIONS)]


def _sample(rows: Sequence[T], wanted: int) -> list[T]:
    """At most `wanted` (0: all), the same ones each time, in the set's order."""
    if not wanted or wanted >= len(rows):
        return list(rows)
    chosen = random.Random(SEED).sample(range(len(rows)), wanted)  # noqa: S311 - a sample, no secret
    return [rows[index] for index in sorted(chosen)]


def _opened(path: Path | None) -> AbstractContextManager[BinaryIO | None]:
    if path is None:
        return nullcontext()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


async def _answers(
    taken: Ingested, asked: Iterable[Asked], lines: BinaryIO | None, settings: Settings
) -> list[JudgedAnswer]:
    answers = []
    async with _critic(taken, settings) as critic:
        for each in asked:
            answers.append(await _answer(taken, *each, critic))
            if lines is not None:
                lines.write(msgspec.json.encode(answers[-1]) + b"\n")
    return answers


@asynccontextmanager
async def _critic(taken: Ingested, settings: Settings) -> AsyncIterator[Critic | None]:
    """The configured language model; None without one."""
    address, answerer = llm_address(settings), taken.services.answerer
    if address is None or not isinstance(answerer, PipelineAnswerer):
        yield None
        return
    llm = address.connect()
    try:
        yield Critic(llm, answerer.questions.embed)
    finally:
        await llm.close()


async def _answer(taken: Ingested, query: Judged, wanted: Wanted, critic: Critic | None) -> JudgedAnswer:
    """The answer, judged; a question that ends with an error is a line too."""
    started = time.perf_counter()
    try:
        answer = await queries.ask(taken.services, taken.tenant, QueryRequest(query=query.question))
    except TriviumError as error:
        return JudgedAnswer(query.id, query.question, query.gold, wanted, ms=_since(started), failure=error.code)
    judged = judge(query, wanted, answer, _since(started), taken.names)
    return await _criticised(judged, answer, critic) if critic and answer.found else judged


async def _criticised(judged: JudgedAnswer, answer: Answer, critic: Critic) -> JudgedAnswer:
    passages = [f"{hit.chunk.heading}\n{hit.chunk.text}" for hit in answer.hits]
    return msgspec.structs.replace(
        judged,
        faithful=await critic.faithfulness(judged.question, judged.text, passages),
        relevant=await critic.relevance(judged.question, judged.text),
    )


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
