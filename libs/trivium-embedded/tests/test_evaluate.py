"""`trivium eval` through its entry, on a small set of the test's own."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from trivium.config import load_settings
from trivium.domain.retrieval import Mode
from trivium_embedded import evaluation

PATIENCE = {f"TRIVIUM_{source}_BUDGET_S": "20" for source in ("VECTOR", "KEYWORD", "GRAPH")}  # of a busy machine
CORPUS = [{"id": "a", "text": "The heron stands in the reeds."}, {"id": "b", "text": "A ferry crosses at noon."}]
QUERIES = [
    {"id": "q1", "question": "heron", "evidence": ["a"]},
    {"id": "q2", "question": "When does the ferry cross?", "evidence": ["b"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, rows))))
    return tmp_path


def test_each_mode_embeds_its_questions_and_finds_by_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluation.retrieval(load_settings(PATIENCE), folder, None, tuple(Mode))
    told = capsys.readouterr().out
    assert "no answer in time" not in told
    rows = {line.split()[1]: line.split()[3] for line in told.splitlines() if line.startswith("│")}
    assert rows["vector"] == rows["hybrid"] == "100.0"


def test_a_source_beyond_its_budget_is_left_out_where_others_answer_and_the_summary_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = msgspec.structs.replace(load_settings({}), vector_budget_s=1e-9)
    evaluation.retrieval(slow, folder, folder / "runs", tuple(Mode))
    told = capsys.readouterr().out
    rows = {line.split()[1]: line.split() for line in told.splitlines() if line.startswith("│")}
    assert "100.0" in rows["vector"]  # its only source is waited for
    assert "100.0" in rows["keyword"]
    plain = " ".join(told.split())
    assert "vector: of" not in plain
    assert "hybrid: of 2 questions 0 had no answer in time and count as missed; 2 were answered without" in plain
    assert "keyword: of" not in plain
    assert (folder / "runs" / f"{folder.name}.hybrid.run").read_text()
    assert (folder / "runs" / f"{folder.name}.qrels").read_text() == "q1 0 a 1\nq2 0 b 1\n"
