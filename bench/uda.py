"""Is the gold passage or table of a question about a PDF among the first five chunks? Product against plain text.

Usage: python bench/uda.py FOLDER [--set NAME=VALUE ...] [--misses]

FOLDER holds queries.jsonl.gz, corpus.jsonl.gz and pdfs/ (questions of the UDA benchmark). Each side is a server of its
own, asked in the default mode: one ingests the PDFs, the other what pypdfium2 gives as their text, with the same
chunker and models. What is gold is told by `uda_gold.py`, in the same way for both. Asked twice: in the question's own
PDF, as UDA asks (many questions name no document), and in all.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
from rich.console import Console
from rich.table import Table
from serving import Running, running_server
from speed import wait_idle
from uda_gold import Gold, Shelf

DEPTHS = (1, 3, 5, 10)
TOP = 5
OWN = "the question's own PDF"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--set", action="append", default=[], metavar="TRIVIUM_NAME=VALUE", help="for both sides")
    arguments.add_argument("--side", choices=("product", "plain"), help="only this one")
    arguments.add_argument("--misses", action="store_true", help="list the questions that either side misses")
    options = arguments.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.set)
    Console().print(compare(options.folder, settings, options.side, options.misses))


def compare(folder: Path, settings: dict[str, str], only: str | None = None, misses: bool = False) -> Table:
    """Both sides' shares of judged questions whose gold is found, at each depth, in both scopes."""
    questions = _records(folder / "queries.jsonl.gz")
    passages = {record["id"]: record["text"] for record in _records(folder / "corpus.jsonl.gz")}
    pdfs = sorted({folder / question["pdf"] for question in questions})
    texts = {pdf.stem: _page_texts(pdf) for pdf in pdfs}
    shelf = Shelf(texts)
    golds = [shelf.gold(question, passages) for question in questions]
    judged = [(question, gold) for question, gold in zip(questions, golds, strict=True) if gold is not None]
    table = Table(title=f"UDA: {len(judged)} of {len(questions)} questions have a gold that can be told")
    for heading in ("side", "chunks", "searched", *(f"gold in top {depth}, %" for depth in DEPTHS)):
        table.add_column(heading)
    for side in ("product", "plain"):
        if only not in (None, side):
            continue
        files = [(pdf.name, pdf.read_bytes()) for pdf in pdfs]
        if side == "plain":
            files = [(f"{name}.txt", "\n\n".join(pages).encode()) for name, pages in texts.items()]
        chunks, scopes = _ranks(files, judged, settings)
        for scope, ranks in scopes.items():
            shares = [100 * sum(rank <= depth for rank in ranks) / len(judged) for depth in DEPTHS]
            table.add_row(side, str(chunks), scope, *(f"{share:.1f}" for share in shares))
        for (question, gold), rank in zip(judged, scopes[OWN], strict=True) if misses else ():
            if rank > TOP:
                print(f"{side} misses ({rank}) {question['doc']}: {question['question']} <- {gold}")
    return table


def _ranks(
    files: Sequence[tuple[str, bytes]], judged: Sequence[tuple[dict[str, Any], Gold]], settings: dict[str, str]
) -> tuple[int, dict[str, list[int]]]:
    """Chunks in the index, and by scope each question's first rank with its gold, one past the last without it."""
    with tempfile.TemporaryDirectory() as data, running_server(Path(data), **settings) as server:
        ids, chunks = _ingest(server, files)
        own = [_rank(server, question, gold, {"document_ids": [ids[gold.document]]}) for question, gold in judged]
        every = [_rank(server, question, gold, {}) for question, gold in judged]
    return chunks, {OWN: own, "all PDFs": every}


def _rank(server: Running, question: dict[str, Any], gold: Gold, filters: dict[str, list[str]]) -> int:
    ask = {"query": question["question"], "top_k": DEPTHS[-1], "filters": filters}
    hits = server.client.post("/v1/search", json=ask).raise_for_status().json()["hits"]
    chunks = (hit["chunk"] for hit in hits)
    found = (rank for rank, chunk in enumerate(chunks, 1) if gold.stands_in(chunk["source"], chunk["text"]))
    return next(found, DEPTHS[-1] + 1)


def _ingest(server: Running, files: Sequence[tuple[str, bytes]]) -> tuple[dict[str, str], int]:
    """The sources' ids by file name without its extension, and how many chunks they made. Tells what was not read."""
    ids = {}
    for name, content in files:
        sent = server.client.post("/v1/sources", files=[("file", (name, content))]).raise_for_status().json()
        ids[Path(name).stem] = sent["id"]
    status = wait_idle(server.client)
    for name, identity in ids.items():
        if reason := server.client.get(f"/v1/sources/{identity}").json().get("reason"):
            print(f"{name} was not read, so nothing in it is found: {reason}")
    return ids, int(str(status["chunks"]))


def _page_texts(pdf: Path) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_bounded() for page in document]


def _records(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
