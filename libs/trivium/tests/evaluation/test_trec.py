from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.retrieval import Scored
from trivium.evaluation.trec import collapse, write_qrels, write_run


def test_a_document_stands_where_its_first_chunk_stands():
    assert collapse([("d1", 3.0), ("d2", 2.0), ("d1", 1.0)]) == [Scored("d1", 3.0), Scored("d2", 2.0)]


def test_a_run_has_six_columns_and_ranks_from_one(tmp_path: Path):
    write_run(tmp_path / "new" / "hybrid.run", {"q 1": [Scored("d1", 2.0), Scored("d2", 1.0)]}, "hybrid")
    assert (tmp_path / "new" / "hybrid.run").read_text() == "q_1 Q0 d1 1 2 hybrid\nq_1 Q0 d2 2 1 hybrid\n"


@given(st.lists(st.floats(-100, 100), max_size=30))
def test_scores_fall_strictly_so_that_sorting_by_score_gives_the_ranks(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("run") / "a.run"
    write_run(path, {"q": [Scored(f"d{i}", score) for i, score in enumerate(scores)]}, "t")
    written = [float(line.split()[4]) for line in path.read_text().splitlines()]
    assert all(later < earlier for earlier, later in pairwise(written))


def test_judgements_are_whole_numbers_of_at_least_one(tmp_path: Path):
    write_qrels(tmp_path / "qrels", {"q": {"a": 0.4, "b": 3.0}})
    assert (tmp_path / "qrels").read_text() == "q 0 a 1\nq 0 b 3\n"
