import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.domain.graph import Edge, Entity, EntityType, Mention, Mentioning
from trivium.domain.retrieval import Places, Scored
from trivium_query.retrieve import bfs, pagerank

NODES = st.sampled_from("abcdef")
GRAPHS = st.dictionaries(NODES, st.dictionaries(NODES, st.floats(0.1, 5), max_size=4), max_size=6)


@given(GRAPHS, st.dictionaries(NODES, st.floats(0.01, 3), min_size=1))
def test_the_walk_is_a_distribution(weights, seeds):
    assert sum(pagerank.personalized_pagerank(weights, seeds).values()) == pytest.approx(1.0)


def test_a_walk_without_a_seed_goes_nowhere():
    assert pagerank.personalized_pagerank({"a": {"b": 1.0}}, {"a": 0.0}) == {}


def test_a_passage_that_shares_a_name_with_a_seed_is_reached():
    mentions = {"s": [Mention("ada", "s", 0, Span(0, 3), "Ada")]}
    places = Places({"ada": [Scored("a", 1.0)]}, {}, {"ada": Mentioning(2, (("s", 0), ("m", 0)))})
    arrived = pagerank.arrivals(pagerank.local_graph(mentions, places), {"s": 1.0})
    assert 1 == arrived["a"] > arrived["m"] > 0


def _entity(key: str) -> Entity:
    return Entity(id=key, key=key, name=key, type=EntityType.PERSON)


def test_only_names_that_are_alike_are_entities_of_the_question():
    matches = {"Ada": [(_entity("ada"), 1.0), (_entity("adam"), 0.7)], "ADA": [(_entity("ada"), 0.95)]}
    assert bfs.direct_entities(matches) == ["ada"]


def test_a_word_that_nobody_capitalised_means_a_person_and_no_work_or_place_that_has_it_in_its_name():
    aid, brandt = msgspec.structs.replace(_entity("live aid"), type=EntityType.EVENT), _entity("ilse brandt")
    matches = {"live": [(aid, 0.7)], "brandt": [(brandt, 0.7)]}
    assert bfs.direct_entities(matches, ["live", "brandt"]) == ["ilse brandt"]


def test_neighbours_are_the_other_ends_that_were_not_seen():
    edges = {"ada": [Edge("ada", "paris", "BORN_IN", 0.9), Edge("turing", "ada", "KNOWS", 0.8)]}
    assert bfs.neighbours(edges, ["ada", "turing"]) == ["paris"]


def test_a_direct_entity_scores_one_and_a_neighbour_half():
    mentioned = {"ada": Mentioning(1, (("c1", 0),)), "paris": Mentioning(2, (("c1", 0), ("c2", 1)))}
    assert bfs.graph_scores(["ada"], ["paris"], mentioned) == {"c1": 1.0, "c2": 0.5}


def test_graph_and_vector_mix_at_four_to_six():
    mixed = bfs.mix({"a": 1.0, "b": 0.5}, [Scored("a", 0.5)])
    assert [row.chunk_id for row in mixed] == ["a", "b"]
    assert [row.score for row in mixed] == pytest.approx([0.7, 0.2])
