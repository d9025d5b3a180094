"""`trivium eval` through its entry, on a small set of the test's own."""

from __future__ import annotations

import gzip
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from embedded_server import PATIENCE
from rich.progress import Progress, TaskID
from zip_files import zipped

from trivium.config import load_settings
from trivium.domain.errors import Refused
from trivium.domain.retrieval import Mode
from trivium_embedded import evaluation
from trivium_embedded.evaluation import corpus
from trivium_embedded.wiring import assembled, open_stores
from trivium_ingest.upkeep.audit import audit

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


def test_what_is_found_in_a_file_within_a_row_s_file_is_found_in_the_row(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = zipped({"log.txt": b"The lighthouse keeper counts gannets.", "bad.pdf": b"%PDF-1.7 nothing"})
    (folder / "box.zip").write_bytes(zipped({"inner.zip": inner}))
    rows = [{"id": "box", "file": "box.zip"}, *({"id": f"x{n}", "text": f"Page {n} is blank."} for n in range(3))]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, rows))))
    question = {"id": "q", "question": "Who counts gannets?", "evidence": ["box"]}
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(msgspec.json.encode(question)))
    evaluation.retrieval(load_settings(PATIENCE), folder, folder / "runs", (Mode.KEYWORD,))
    told = " ".join(capsys.readouterr().out.split())
    assert (folder / "runs" / f"{folder.name}.keyword.run").read_text().startswith("q Q0 box 1 ")
    assert "Not read, so not found: box.zip > inner.zip > bad.pdf of box: " in told


def test_every_document_that_was_not_read_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": f"row-{number:02}", "file": f"{number}.pdf"} for number in range(52)]
    for row in rows:
        (folder / row["file"]).write_bytes(b"%PDF-1.7 nothing")
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, rows))))
    evaluation.retrieval(load_settings(PATIENCE), folder, None, (Mode.KEYWORD,))
    told = " ".join(capsys.readouterr().out.split())
    assert all(f"Not read, so not found: {row['id']}: " in told for row in rows)


def test_a_set_without_questions_is_refused_before_anything_is_read(folder: Path) -> None:
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(Refused) as refused:
        evaluation.retrieval(load_settings(PATIENCE), folder, None, (Mode.KEYWORD,))
    assert refused.value.code == "bad_evaluation_set"


@pytest.mark.parametrize("broken_off", [False, True])
def test_nothing_of_the_tenant_is_left_on_servers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, broken_off: bool
) -> None:
    """Another data directory stands for them. An audit would bring back what has a record or objects."""
    servers = msgspec.structs.replace(load_settings(PATIENCE), data_dir=tmp_path / "servers")
    monkeypatch.setattr(corpus, "assembled", lambda _, **options: assembled(servers, **options))
    monkeypatch.setattr(corpus, "open_stores", lambda _: open_stores(servers))
    add_task = Progress.add_task

    def interrupted(self: Progress, description: str, **options: Any) -> TaskID:
        if broken_off and description == "ingest":
            raise KeyboardInterrupt
        return add_task(self, description, **options)

    monkeypatch.setattr(Progress, "add_task", interrupted)
    with pytest.raises(KeyboardInterrupt) if broken_off else nullcontext():
        evaluation.retrieval(msgspec.structs.replace(servers, backend="distributed"), folder, None, (Mode.KEYWORD,))
    with open_stores(servers) as stores:
        rows = (stores.vectors, stores.visuals, stores.hypernodes, stores.keywords, stores.graphs)
        for store in (*rows, stores.conversations, stores.objects, stores.registry):
            assert list(store.tenants()) == []
        assert list(audit(stores, repair=True)) == []
