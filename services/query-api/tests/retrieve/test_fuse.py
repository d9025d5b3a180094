import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.retrieval import Scored
from trivium_query.retrieve.fuse import (
    as_ranking,
    reciprocal_rank_fusion,
    standard_scores,
    standardised_mean,
    weighted_hybrid,
)

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 100), max_size=8)
RANKINGS = st.lists(SCORES.map(as_ranking), max_size=4)


def table(ranking):
    return {row.chunk_id: row.score for row in ranking}


def test_rrf_counts_ranks_from_one_with_k_60():
    fused = reciprocal_rank_fusion([[Scored("a", 9.0), Scored("b", 1.0)], [Scored("b", 0.2)]])
    assert fused == [Scored("b", 1 / 62 + 1 / 61), Scored("a", 1 / 61)]


@given(RANKINGS)
def test_rrf_holds_every_passage_once_best_first(rankings):
    fused = reciprocal_rank_fusion(rankings)
    assert {row.chunk_id for row in fused} == {row.chunk_id for ranking in rankings for row in ranking}
    assert len({row.chunk_id for row in fused}) == len(fused)
    assert [row.score for row in fused] == sorted((row.score for row in fused), reverse=True)


@given(RANKINGS, st.randoms())
def test_rrf_does_not_depend_on_the_order_of_the_sources(rankings, random):
    shuffled = list(rankings)
    random.shuffle(shuffled)
    assert table(reciprocal_rank_fusion(shuffled)) == pytest.approx(table(reciprocal_rank_fusion(rankings)))


def test_the_weighted_hybrid_mixes_cosine_and_scaled_bm25():
    fused = weighted_hybrid([Scored("a", 0.5), Scored("b", 0.4)], [Scored("b", 30.0), Scored("c", 15.0)])
    assert table(fused) == pytest.approx({"a": 0.4, "b": 0.8 * 0.4 + 0.2, "c": 0.1})


@given(st.lists(st.tuples(st.floats(0.1, 1), SCORES), max_size=4), st.integers(1, 10))
def test_standardised_means_lie_between_zero_and_one(tables, population):
    mixed = standardised_mean(tables, population)
    assert set(mixed) == {key for _, scores in tables for key in scores}
    assert all(0 <= value <= 1 for value in mixed.values())
    assert not mixed or max(mixed.values()) == 1


@given(SCORES.filter(bool), st.integers(1, 8))
def test_standardising_keeps_the_order(scores, population):
    standard = dict(zip(scores, standard_scores(scores, population).tolist(), strict=True))
    keys = sorted(scores, key=lambda key: scores[key])
    assert [standard[key] for key in keys] == sorted(standard.values())


def test_a_source_whose_best_stands_out_says_more_than_one_whose_results_are_alike():
    sure = {"a": 10.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0}
    unsure = {"a": 0.3, "b": 0.5, "c": 0.4, "d": 0.2, "e": 0.1}
    mixed = standardised_mean([(0.5, sure), (0.5, unsure)], 5)
    assert max(mixed, key=lambda key: mixed[key]) == "a"


def test_an_empty_source_leaves_its_weight_to_the_others():
    assert standardised_mean([(0.5, {}), (0.5, {"a": 2.0, "b": 1.0})], 10) == {"a": 1.0, "b": 0.0}
