import gzip
import json
from pathlib import Path

import pytest

from trivium.domain.errors import Refused
from trivium.evaluation.dataset import load_questions, load_set


def _write(path: Path, *rows: object) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _write(tmp_path / "corpus_a.jsonl.gz", {"id": "a", "title": "A", "text": "first", "kind": "page"})
    _write(tmp_path / "corpus_b.jsonl.gz", {"id": "b", "text": "second"}, {"id": "a", "text": "again"})
    _write(
        tmp_path / "queries.jsonl.gz",
        {"id": "q1", "question": "Which?", "answer": None, "evidence": ["a", "a", "b"]},
        {"id": "q2", "question": "None?", "evidence": []},
    )
    return tmp_path


def test_several_corpus_files_are_one_corpus_and_the_first_row_of_an_id_counts(folder: Path):
    assert [(row.id, row.title, row.text) for row in load_set(folder).documents] == [
        ("a", "A", "first"),
        ("b", None, "second"),
    ]


def test_questions_without_evidence_are_kept_and_have_no_judgement(folder: Path):
    loaded = load_set(folder)
    assert [query.id for query in loaded.queries] == ["q1", "q2"]
    assert loaded.judgements == {"q1": {"a": 1.0, "b": 1.0}}


def test_a_higher_grade_is_better_unless_the_set_says_otherwise(folder: Path):
    _write(
        folder / "queries.jsonl.gz",
        {"id": "q", "question": "?", "evidence": ["a", "b", "c"], "grades": {"a": 1, "b": 3, "c": -1}},
    )
    assert load_set(folder).judgements["q"] == {"a": 1.0, "b": 3.0, "c": 1.0}
    (folder / "meta.json").write_text('{"note": "Grade 1 is the most relevant and 4 the least."}')
    assert load_set(folder).judgements["q"] == {"a": 3.0, "b": 1.0, "c": 1.0}


@pytest.mark.parametrize("missing", ["queries.jsonl.gz", "corpus_a.jsonl.gz"])
def test_a_folder_without_both_kinds_of_file_is_refused(folder: Path, missing: str):
    for path in folder.glob("corpus*") if missing.startswith("corpus") else [folder / missing]:
        path.unlink()
    with pytest.raises(Refused, match="has no"):
        load_set(folder)


@pytest.mark.parametrize("content", [b"not gzip", gzip.compress(b"{broken\n"), gzip.compress(b'{"id": 1}\n')])
def test_a_broken_file_is_named(folder: Path, content: bytes):
    (folder / "corpus_b.jsonl.gz").write_bytes(content)
    with pytest.raises(Refused, match=r"corpus_b\.jsonl\.gz, line"):
        load_set(folder)


def test_a_row_may_be_a_file_of_the_folder_and_a_question_may_need_modalities(folder: Path):
    (folder / "a.pdf").write_bytes(b"%PDF-")
    _write(folder / "corpus_files.jsonl.gz", {"id": "file", "file": "a.pdf"})
    _write(folder / "queries.jsonl.gz", {"id": "q", "question": "?", "evidence": ["file"], "modalities": ["table"]})
    loaded = load_set(folder)
    assert [row.file for row in loaded.documents if row.id == "file"] == ["a.pdf"]
    assert loaded.queries[0].modalities == ("table",)


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/hostname", "absent.pdf", "."])
def test_a_file_that_is_not_in_the_folder_is_refused(folder: Path, name: str):
    (folder.parent / "outside.txt").write_text("x")
    _write(folder / "corpus_files.jsonl.gz", {"id": "file", "file": name})
    with pytest.raises(Refused, match="is no file in"):
        load_set(folder)


@pytest.mark.parametrize(
    ("row", "gold"),
    [
        ({"answer": "Cork"}, ("Cork",)),
        ({"answer": "Cork", "answer_aliases": ["Cork City", "Cork"]}, ("Cork", "Cork City")),
        ({"answer": 4.5, "answers": ["4.50"]}, ("4.5", "4.50")),
        ({"answer": ["72", 140]}, ("72, 140",)),
        ({"answer": "no", "answers": [{"answer": "no"}, {"type": "free", "answer": "It is not"}]}, ("no", "It is not")),
        ({"answer": None}, ()),
        ({"answer": "Insufficient information.", "type": "null_query"}, ()),
    ],
)
def test_the_gold_answer_is_every_wording_of_a_question_that_has_an_answer(
    folder: Path, row: dict[str, object], gold: object
):
    _write(folder / "queries.jsonl.gz", {"id": "q", "question": "?", **row})
    [query] = load_questions(folder)
    assert query.gold == gold
    assert query.answerable is (row.get("type") != "null_query")


def test_the_files_may_be_plain(folder: Path):
    packed = load_set(folder)
    for path in folder.glob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    assert load_set(folder) == packed
