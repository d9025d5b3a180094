import random
from collections.abc import Mapping
from typing import Any

from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.domain.graph import CO_OCCURS, ChunkGraph, EntityType, Mention, Relation
from trivium.domain.graph_schema import Targets
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.graph_schema import profile as profiles
from trivium.graph_schema.profile import Profile
from trivium.ports.graph import GraphRow

P, L, C = EntityType.PERSON, EntityType.LOCATION, EntityType.CONCEPT


NONE: Mapping[str, Any] = {}


def row(
    chunk: str, *stated: tuple[str, str, str], operation: str = "pattern:x", types: Mapping[str, EntityType] = NONE
):
    names = {name for source, _, target in stated for name in (source, target)}
    share = ChunkGraph(
        chunk,
        tuple(Mention(name, chunk, 0, Span(0, 1), name, type=types.get(name, P)) for name in sorted(names)),
        tuple(
            Relation(source, target, kind, 0.9, chunk, Span(0, 5), "words", operation)
            for source, kind, target in stated
        ),
    )
    return GraphRow(share, f"d-{chunk}", "v", Scope(DEFAULT_TENANT))


def read(rows: list[GraphRow], roots: Mapping[str, str] = NONE) -> dict[str, profiles.Observed]:
    profile = Profile()
    for one in rows:
        profile.add(one, roots)
    return {one.name: one for one in profile.observed()}


def test_a_type_whose_sources_are_said_to_have_the_same_target_again_and_again_has_one():
    rows = [row(f"{n}{again}", (f"p{n}", "BORN_IN", f"town{n}")) for n in range(8) for again in "ab"]
    assert read(rows)["BORN_IN"].targets is Targets.ONE


def test_a_type_whose_sources_have_several_has_many():
    rows = [row(f"{n}{again}", (f"p{n}", "LIVES_IN", f"town{n}{again}")) for n in range(8) for again in "ab"]
    assert read(rows)["LIVES_IN"].targets is Targets.MANY


def test_sources_that_are_told_of_once_tell_nothing():
    rows = [row(f"{n}", (f"p{n}", "LIVES_IN", f"town{n}")) for n in range(50)]
    assert read(rows)["LIVES_IN"].targets is Targets.UNKNOWN


def test_two_names_of_one_entity_are_one_target():
    rows = [row(f"{n}{name}", (f"p{n}", "LED_BY", name)) for n in range(8) for name in ("i brandt", "ilse brandt")]
    assert read(rows)["LED_BY"].targets is Targets.MANY
    assert read(rows, {"i brandt": "ilse brandt"})["LED_BY"].targets is Targets.ONE


def test_a_place_within_a_place_is_no_second_target():
    said = [row(f"{n}", (f"p{n}", "BORN_IN", f"town{n}")) for n in range(8)]
    again = [row(f"{n}a", (f"p{n}", "BORN_IN", f"town{n}")) for n in range(8)]
    inherited = [row(f"{n}b", (f"p{n}", "BORN_IN", "ohio"), operation="pattern:born_in+located_in") for n in range(8)]
    assert read([*said, *again, *inherited])["BORN_IN"].targets is Targets.ONE


def test_pairs_joined_both_ways_are_symmetric():
    both = [row(f"{n}{way}", (f"a{n}", "KNOWS", f"b{n}") if way == "x" else (f"b{n}", "KNOWS", f"a{n}"))
            for n in range(5) for way in "xy"]  # fmt: skip
    one = [row(f"{n}", (f"a{n}", "LEADS", f"b{n}")) for n in range(9)]
    seen = read([*both, *one])
    assert (seen["KNOWS"].symmetric, seen["LEADS"].symmetric) == (True, False)


def test_mere_co_occurrence_is_in_no_profile():
    assert read([row("c", ("a", CO_OCCURS, "b"))]) == {}


STATED = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.sampled_from(["KNOWS", "LEADS", "LIVES_IN"]),
        st.sampled_from(["x", "y", "a", "b"]),
        st.sampled_from([P, L, C]),
    ),
    max_size=60,
)


@given(STATED, st.randoms(use_true_random=False))
def test_the_order_of_the_shares_changes_nothing(stated: list[tuple[str, str, str, EntityType]], order: random.Random):
    rows = [row(f"c{n}", (s, k, t), types={t: kind}) for n, (s, k, t, kind) in enumerate(stated)]
    shuffled = order.sample(rows, len(rows))
    assert read(rows) == read(shuffled)


def test_more_sources_than_are_sampled_change_nothing_with_their_order():
    rows = [
        row(f"{n}{a}", (f"p{n}", "LIVES_IN", f"t{n * 7 % 5}{a}")) for n in range(3 * profiles.SAMPLED) for a in "ab"
    ]
    assert read(rows) == read(rows[::-1])


def test_memory_is_bounded_and_what_is_left_out_is_counted():
    profile = Profile()
    for n in range(profiles.MAX_NAMES + 10):
        profile.add(row(f"{n}", ("a", f"T{n}", "b")), {})
    assert (len(profile.observed()), profile.left_out) == (profiles.MAX_NAMES, 10)
    many = Profile()
    for n in range(20_000):
        many.add(row(f"{n}", (f"p{n}", "LIVES_IN", f"t{n}")), {})
    seen = many._seen["LIVES_IN"]
    assert (len(seen.sources.noted), len(seen.pairs.noted)) == (profiles.SAMPLED, profiles.SAMPLED)


def test_a_pass_grows_with_the_relations():
    rows = [row(f"{n}", (f"p{n}", "LIVES_IN", f"t{n % 50}")) for n in range(8000)]
    assert growth(lambda size: read(rows[:size]), 2000) <= LINEAR
