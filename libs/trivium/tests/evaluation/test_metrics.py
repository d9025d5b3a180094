import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.evaluation.metrics import mean_scores, modality_coverage, ndcg_at, recall_at, reciprocal_rank

RANKINGS = st.lists(st.sampled_from("abcdefghijkl"), unique=True)
RELEVANT = st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, 4).map(float), min_size=1)


def test_recall_counts_the_relevant_documents_within_the_depth():
    assert recall_at(["a", "x", "b"], {"a": 1.0, "b": 1.0}, 2) == 0.5
    assert recall_at(["a", "x", "b"], {"a": 1.0, "b": 1.0}, 3) == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_relevant_document():
    assert reciprocal_rank(["x", "a", "b"], {"a": 1.0, "b": 1.0}) == 0.5
    assert reciprocal_rank(["x"], {"a": 1.0}) == 0.0


def test_ndcg_discounts_by_the_logarithm_of_the_rank():
    expected = (1 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert ndcg_at(["x", "b"], {"a": 2.0, "b": 1.0}) == pytest.approx(expected)


@given(RANKINGS, RELEVANT)
def test_every_metric_stays_between_zero_and_one(ranking, relevant):
    for value in (recall_at(ranking, relevant, 5), reciprocal_rank(ranking, relevant), ndcg_at(ranking, relevant)):
        assert 0 <= value <= 1 + 1e-9


@given(RELEVANT)
def test_the_ideal_order_has_ndcg_one(relevant):
    ideal = sorted(relevant, key=lambda document: -relevant[document])
    assert ndcg_at(ideal, relevant, 20) == pytest.approx(1.0)


@given(RANKINGS, RELEVANT, st.integers(1, 11))
def test_recall_never_falls_with_depth(ranking, relevant, depth):
    assert recall_at(ranking, relevant, depth) <= recall_at(ranking, relevant, depth + 1)


def test_means_leave_out_questions_without_evidence_and_count_unanswered_ones_as_zero():
    scores = mean_scores({"q1": ["a"]}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {}})
    assert scores.first == scores.recall[5] == scores.mrr == scores.ndcg == 0.5


def test_only_the_first_document_counts_for_precision_at_one():
    run = {"q1": ["a", "b"], "q2": ["b", "a"], "q3": []}
    assert mean_scores(run, {query: {"a": 1.0} for query in run}).first == pytest.approx(1 / 3)


def test_no_judged_question_at_all_gives_zeros():
    scores = mean_scores({}, {})
    assert scores.first == scores.recall[5] == scores.mrr == scores.ndcg == 0.0


def test_modality_coverage_counts_what_the_first_passages_hold():
    found = [("text",), ("text", "table"), ("image",)]
    assert modality_coverage(found, ["table", "image"], 3) == 1.0
    assert modality_coverage(found, ["table", "image", "table"], 2) == 0.5
    assert modality_coverage([], ["table"], 5) == 0.0
    assert modality_coverage([], [], 5) == 1.0
