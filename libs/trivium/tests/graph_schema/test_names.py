import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.errors import Refused
from trivium.graph_schema.names import RESERVED, is_name, most_like, named, require_name, said_by


@pytest.mark.parametrize("name", ["works_for", "WORKS FOR", "_WORKS", "WORKS_", "W__F", "1ST", "", "ÉTUDIE", "A" * 41])
def test_a_name_that_is_not_upper_snake_case_is_refused(name: str):
    with pytest.raises(Refused) as refused:
        require_name(name)
    assert refused.value.code == "bad_relation_type"


def test_the_refusal_says_how_to_write_it():
    with pytest.raises(Refused, match="Write it as WORKS_FOR"):
        require_name("worksFor")


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_the_graphs_own_relations_are_in_no_schema(name: str):
    with pytest.raises(Refused, match="the graph's own"):
        require_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("WORKS_FOR", "WORKED_FOR"),
        ("WORKS_FOR", "HAS_WORKED_FOR"),
        ("LOCATED_IN", "IS_LOCATED_IN"),
        ("WROTE", "WRITES"),
        ("BUILT", "BUILDS"),
    ],
)
def test_tenses_say_the_same(one: str, other: str):
    assert said_by(one) == said_by(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("FOUNDED", "FOUNDED_BY"), ("BORN_IN", "BORN_ON"), ("WORKS_FOR", "WORKS_WITH"), ("LED_BY", "LED")],
)
def test_directions_and_prepositions_do_not(one: str, other: str):
    assert said_by(one) != said_by(other)


def test_a_misspelling_is_like_what_was_meant():
    assert most_like("WORKS_FRO", ["BORN_IN", "WORKS_FOR"]) == "WORKS_FOR"
    assert most_like("BORN_ON", ["BORN_IN"]) == ""


@given(st.text(max_size=200))
def test_whatever_is_written_means_a_well_made_name_or_none(text: str):
    name = named(text)
    assert name == "" or is_name(name)
    assert named(name) == name
    assert not is_name(text) or name == text
