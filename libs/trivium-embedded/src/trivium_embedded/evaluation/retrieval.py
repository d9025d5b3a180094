"""Modes on a data set, scored; no language model asked."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from trivium.config import Settings
from trivium.domain.errors import Refused, TryLater
from trivium.domain.retrieval import Mode, Scored, SearchFilter, SearchResult
from trivium.evaluation.dataset import EvaluationSet, load_set
from trivium.evaluation.metrics import COVERAGE_DEPTH, RECALL_DEPTHS, Scores, mean_scores, modality_coverage
from trivium.evaluation.trec import collapse, write_qrels, write_run
from trivium.logs.setup import configure_logging
from trivium_embedded.evaluation.corpus import Ingested, ingested, progress_bars

DEPTH = 50  # documents per question in a run file; the table looks at ten
HEADINGS = ("mode", "P@1", *(f"R@{depth}" for depth in RECALL_DEPTHS), "nDCG@10", "MRR", "ms/query")
COVERAGE_HEADINGS = (f"cov@{COVERAGE_DEPTH}", "asked")


class ModeResult(msgspec.Struct, frozen=True):
    """One mode on one set: its ranking per question, its scores, its median milliseconds a question.

    `missed` searches got no answer, `partial` ones lacked a source: late or down. `coverage` is the mean modality
    coverage of the questions that need modalities, as they are asked and with the modalities asked for; None where no
    question needs any.
    """

    run: dict[str, list[Scored]]
    scores: Scores
    median_ms: float
    missed: int
    partial: int
    coverage: tuple[float, float] | None = None


def evaluate_retrieval(settings: Settings, folder: Path, run_dir: Path | None, modes: Sequence[Mode]) -> None:
    """Ingest `folder` into a throw-away tenant, run these modes, print the table, write TREC's files.

    A document that cannot be read is told, and counts as not found; so is a search that exceeds its time budget, and
    counts as missed. Raises `Refused` (`bad_evaluation_set`), also where there are no questions.
    """
    wanted = load_set(folder)
    if not wanted.queries:
        raise Refused("bad_evaluation_set", f"{folder} has no questions.", "Add some to its queries.jsonl.")
    configure_logging("error", settings.log_format)
    console = Console()
    own = msgspec.structs.replace(settings, llm="", rerank="none")
    with (
        progress_bars(console) as bars,
        ingested(own, wanted, folder, bars, remembered_questions=0) as taken,  # each mode pays for itself
    ):
        results = {mode: asyncio.run(_run(taken, wanted, mode, bars)) for mode in modes}
    console.print(_table(wanted, results))
    for line in _losses(results):
        console.print(line, style="yellow")
    if run_dir is not None:
        write_qrels(run_dir / f"{wanted.name}.qrels", wanted.judgements)
        for mode, result in results.items():
            write_run(run_dir / f"{wanted.name}.{mode.value}.run", result.run, f"trivium-{mode.value}")


async def _run(taken: Ingested, wanted: EvaluationSet, mode: Mode, bars: Progress) -> ModeResult:
    run: dict[str, list[Scored]] = {}
    spent_ms = []
    found: list[SearchResult | None] = []
    for query in bars.track(wanted.queries, description=mode.value):
        started = time.perf_counter()
        found.append(await _search(taken, query.question, mode, DEPTH, SearchFilter()))
        spent_ms.append((time.perf_counter() - started) * 1000)
        hits = found[-1].hits if found[-1] else ()
        run[query.id] = collapse((taken.names[hit.chunk.document_id], hit.score) for hit in hits)
    rankings = {query: [row.chunk_id for row in rows] for query, rows in run.items()}
    return ModeResult(
        run,
        mean_scores(rankings, wanted.judgements),
        statistics.median(spent_ms),
        missed=found.count(None),
        partial=sum(bool(result and result.degraded) for result in found),
        coverage=await _coverage(taken, wanted, mode),
    )


async def _search(
    taken: Ingested, question: str, mode: Mode, depth: int, restrict: SearchFilter
) -> SearchResult | None:
    """None when no source, or no text, came in time."""
    try:
        return await taken.services.searcher.search(taken.tenant, question, mode, depth, restrict)
    except TryLater:
        return None


async def _coverage(taken: Ingested, wanted: EvaluationSet, mode: Mode) -> tuple[float, float] | None:
    queries = [query for query in wanted.queries if query.modalities]
    if not queries:
        return None
    shares = {False: 0.0, True: 0.0}
    for query in queries:
        for asked in shares:
            restrict = SearchFilter(modalities=query.modalities if asked else ())
            found = await _search(taken, query.question, mode, COVERAGE_DEPTH, restrict)
            kinds = [(hit.chunk.kind, *hit.chunk.kinds) for hit in found.hits] if found else []
            shares[asked] += modality_coverage(kinds, query.modalities, COVERAGE_DEPTH) / len(queries)
    return shares[False], shares[True]


def _losses(results: Mapping[Mode, ModeResult]) -> Iterator[str]:
    """What of the figures is the machine's fault."""
    for mode, result in results.items():
        if result.missed or result.partial:
            yield (
                f"{mode.value}: of {len(result.run):,} questions {result.missed:,} had no answer in time and count as"
                f" missed; {result.partial:,} were answered without a source that was late or down."
            )
    if any(result.missed or result.partial for result in results.values()):
        yield "Measure on a quieter machine, or raise TRIVIUM_VECTOR_BUDGET_S, _KEYWORD_BUDGET_S and _GRAPH_BUDGET_S."


def _table(wanted: EvaluationSet, results: Mapping[Mode, ModeResult]) -> Table:
    judged = len(wanted.judgements)
    table = Table(title=f"{wanted.name}: {len(wanted.documents):,} documents, {judged} judged questions (in percent)")
    covered = any(result.coverage for result in results.values())
    for column in (*HEADINGS, *(COVERAGE_HEADINGS if covered else ())):
        table.add_column(column, justify="left" if column == "mode" else "right")
    for mode, result in results.items():
        scores = result.scores
        cells = [scores.first, *(scores.recall[depth] for depth in RECALL_DEPTHS), scores.ndcg, scores.mrr]
        coverage = [f"{100 * share:.1f}" for share in result.coverage or ()]
        table.add_row(mode.value, *(f"{100 * value:.1f}" for value in cells), f"{result.median_ms:.1f}", *coverage)
    return table
