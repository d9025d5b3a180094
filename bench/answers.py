"""What the extractive engine answers, and when it says that it found nothing.

Usage: python bench/answers.py FOLDER [--strangers FOLDER] [--limit N]

FOLDER holds corpus*.jsonl.gz ({id, title, text}) and queries.jsonl.gz ({question, answer, type, evidence}). The corpus
is ingested by a server of the benchmark's own, every question asked over HTTP. Types `null_query` and `unanswerable`
have no answer: the more of them are not found the better. `--strangers` asks the questions of another folder, whose
answers are not here either. Columns: share found, share with the verdict SUPPORTED, and of those found: share whose
text holds the expected answer, and mean share of the evidence that is cited.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serving import running_server

from trivium.client import TriviumClient
from trivium.text.names import fold_name

UNANSWERABLE = ("null_query", "unanswerable", "strangers")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--strangers", type=Path)
    arguments.add_argument("--limit", type=int, default=200)
    options = arguments.parse_args()
    questions = sample(read(options.folder / "queries.jsonl.gz"), options.limit)
    if options.strangers:
        others = sample(read(options.strangers / "queries.jsonl.gz"), options.limit)
        questions += [{**other, "type": "strangers", "evidence": []} for other in others]
    with (
        tempfile.TemporaryDirectory() as scratch,
        running_server(Path(scratch, "data")) as server,
        TriviumClient(server.url) as client,
    ):
        ids = ingest(client, options.folder, Path(scratch))
        report([(question, *ask(client, question, ids)) for question in questions])


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sample(rows: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """At most `limit`, evenly spread over the file."""
    return rows[:: max(1, -(-len(rows) // limit))]


def corpus(folder: Path) -> Iterator[dict[str, Any]]:
    passages = folder / "corpus_passages.jsonl.gz"
    for path in [passages] if passages.exists() else sorted(folder.glob("corpus*.jsonl.gz")):
        yield from read(path)


def ingest(client: TriviumClient, folder: Path, scratch: Path) -> dict[str, str]:
    """Upload every row as a Markdown file; returns the row's id by the name of its file."""
    ids: dict[str, str] = {}
    sources = []
    for number, row in enumerate(corpus(folder)):
        path = scratch / f"{number}.md"
        heading = f"# {row['title']}\n\n" if row.get("title") else ""
        path.write_text(f"{heading}{row['text']}\n", encoding="utf-8")
        sources.append(client.submit_file(path).id)
        ids[path.name] = row["id"]
    client.wait(sources)
    print(f"{len(sources)} documents")
    return ids


def ask(client: TriviumClient, question: dict[str, Any], ids: dict[str, str]) -> tuple[Any, float, float, float]:
    """The answer, whether its text holds the expected one, the share of the evidence cited, and seconds."""
    started = time.perf_counter()
    answer = client.ask(question["question"])
    spent_s = time.perf_counter() - started
    wanted = fold_name(f"{question.get('answer', '')} .")
    right = float(f" {wanted} " in f" {fold_name(f'{answer.text} .')} ")
    evidence = set(question.get("evidence", []))
    cited = {ids.get(Path(citation.source).name, "") for citation in answer.citations}
    return answer, right, len(evidence & cited) / max(1, len(evidence)), spent_s


def report(rows: list[tuple[dict[str, Any], Any, float, float, float]]) -> None:
    groups = defaultdict(list)
    for row in rows:
        groups[row[0].get("type", "")].append(row)
    print(f"{'type':20} {'n':>4} {'found':>6} {'sure':>6} {'holds':>6} {'cited':>6} {'ms':>6}")
    for kind, members in sorted(groups.items()):
        found = [row for row in members if row[1].found]
        sure = sum(row[1].verdict == "SUPPORTED" for row in members) / len(members)
        holds = mean([row[2] for row in found]) if kind not in UNANSWERABLE else float("nan")
        cited = mean([row[3] for row in found]) if kind not in UNANSWERABLE else float("nan")
        slow = sorted(row[4] for row in members)[len(members) // 2] * 1000
        share = len(found) / len(members)
        print(f"{kind:20} {len(members):4} {share:6.2f} {sure:6.2f} {holds:6.2f} {cited:6.2f} {slow:6.0f}")


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


if __name__ == "__main__":
    main()
