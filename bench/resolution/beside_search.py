"""How long a search takes while names are resolved: `python bench/resolution/beside_search.py DATA [--files 1500]`.

DATA is a folder of questions with its corpus (`2wiki_dev`). Its first files are ingested once; then servers are started
on them in turn: one whose names are all resolved, and one that has them all to resolve, as it is right behind a large
ingest. Each is asked the same questions, one after the other. Milliseconds through HTTP, to be compared with each
other.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from trivium.domain.verdicts import RULE_SHARE
from trivium.evaluation.dataset import Row, load_set
from trivium.flow.resolving import LOOK_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from report import p50_p95
from serving import TRIVIUM, running_server

GRAPH = "tenants/default/graph.sqlite"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--files", type=int, default=1500)
    arguments.add_argument("--questions", type=int, default=150)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--folder", type=Path, help="where the data directory is kept for another time")
    given = arguments.parse_args()
    judged = load_set(given.data)
    questions = [query.question for query in judged.queries[: given.questions]]
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        if not (folder / GRAPH).exists():
            _ingest(folder, Path(scratch) / "files", judged.documents[: given.files])
        for turn in range(given.rounds):
            for busy in (False, True):
                (_forget if busy else _give_up)(folder / GRAPH)
                print(f"round {turn + 1}, {'resolving' if busy else 'idle     '}: {_measured(folder, questions)}")


def _ingest(folder: Path, files: Path, documents: Sequence[Row]) -> None:
    files.mkdir()
    for number, document in enumerate(documents):
        (files / f"{number:06}.md").write_text(f"# {document.title}\n\n{document.text}\n", encoding="utf-8")
    environment = {**os.environ, "TRIVIUM_DATA_DIR": str(folder)}
    subprocess.run([TRIVIUM, "ingest", str(files)], check=True, env=environment, stdout=subprocess.DEVNULL)


def _forget(graph: Path) -> None:
    """All that was decided of names."""
    with closing(sqlite3.connect(graph)) as db, db:
        for table in ("block", "near", "verdict"):
            db.execute(f"DELETE FROM {table}")
        db.execute("DELETE FROM claimed WHERE chunk = ?", (RULE_SHARE,))
        db.execute("INSERT OR IGNORE INTO unresolved SELECT DISTINCT key, '' FROM tally")


def _give_up(graph: Path) -> None:
    """On what is left to look at."""
    with closing(sqlite3.connect(graph)) as db, db:
        db.execute("DELETE FROM unresolved")


def _left(graph: Path) -> int:
    with closing(sqlite3.connect(graph)) as db:
        return int(db.execute("SELECT count(DISTINCT key) FROM unresolved").fetchone()[0])


def _measured(folder: Path, questions: list[str]) -> str:
    with running_server(folder) as server:
        for question in questions[:20]:
            server.client.post("/v1/search", json={"query": question}).raise_for_status()
        time.sleep(LOOK_S)
        before, began, spent = _left(folder / GRAPH), time.perf_counter(), []
        for question in questions:
            asked = time.perf_counter()
            server.client.post("/v1/search", json={"query": question}).raise_for_status()
            spent.append(1000 * (time.perf_counter() - asked))
        after, took = _left(folder / GRAPH), time.perf_counter() - began
    return f"{p50_p95(spent)}; {before - after:,} names in {took:.1f} s, {after:,} left"


if __name__ == "__main__":
    main()
