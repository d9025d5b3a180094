"""The first passages that the product finds for each question of a set, as its reader would be given them.

Usage: python bench/reader_passages.py FOLDER OUT.json

FOLDER is in the evaluation format. It is ingested into a tenant of its own, and every question is searched as `trivium
ask` does: `bench/train_reader.py` measures on the passages that a person's question gets.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from trivium.config import load_settings
from trivium.domain.retrieval import Hit, Mode, SearchFilter
from trivium.evaluation.dataset import Judged, load_set
from trivium.ports.inference import Passage
from trivium_embedded.evaluation.corpus import Ingested, ingested, progress_bars
from trivium_query.answering import PipelineAnswerer

TOP = 5


class Found(msgspec.Struct, frozen=True):
    """The passages of one question, best first."""

    query: str
    passages: tuple[Passage, ...]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("out", type=Path)
    options = arguments.parse_args()
    options.out.write_bytes(msgspec.json.encode(find(options.folder)))


def find(folder: Path) -> list[Found]:
    settings = msgspec.structs.replace(
        load_settings({}), llm="", rerank="none", vector_budget_s=60.0, keyword_budget_s=60.0, graph_budget_s=60.0
    )
    wanted = load_set(folder)
    with progress_bars(Console()) as bars, ingested(settings, wanted, folder, bars) as taken:
        return asyncio.run(searched(taken, wanted.queries))


async def searched(taken: Ingested, queries: Sequence[Judged]) -> list[Found]:
    answerer = taken.services.answerer
    assert isinstance(answerer, PipelineAnswerer)
    results = [
        await answerer.searcher.search(taken.tenant, query.question, Mode.HYBRID, TOP, SearchFilter())
        for query in queries
    ]
    return [
        Found(query.id, tuple(as_read(hit) for hit in result.hits))
        for query, result in zip(queries, results, strict=True)
    ]


def as_read(hit: Hit) -> Passage:
    """With its title, and with the sentence of the step that led to it."""
    bridge = [hit.bridge.sentence] if hit.bridge else []
    return Passage(hit.chunk.text, "\n".join([hit.chunk.title, *bridge]))


if __name__ == "__main__":
    main()
