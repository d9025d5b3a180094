from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import (
    MAX_TYPES,
    Compliance,
    GraphSchema,
    Proposal,
    ProposalKind,
    Rejected,
    RelationType,
    Targets,
)
from trivium.graph_schema.differences import between
from trivium.graph_schema.evolve import Author, accepted, proposed, rejected
from trivium.graph_schema.evolve import given as written
from trivium.graph_schema.names import is_name, said_by
from trivium.graph_schema.one_target import GivenTargets, given_targets
from trivium.graph_schema.profile import Observed
from trivium.graph_schema.validate import candidates
from trivium.graph_schema.vocabulary import Meaning

P, O, L, C = EntityType.PERSON, EntityType.ORGANIZATION, EntityType.LOCATION, EntityType.CONCEPT  # noqa: E741
AUTHOR = Author("person ana", 1.0, "to try")
RULES = Author("rule r", 1.0)


NONE: Mapping[str, Any] = {}


def seen(name: str, ends: dict[tuple[EntityType, EntityType], int], several: int = 0, repeated: int = 0) -> Observed:
    return Observed(name, sum(ends.values()), 0.9, ends, repeated, several, 0, 0, ())


def propose(
    schema: GraphSchema, *found: Observed, same_as: Mapping[str, str] = NONE, learnt: Mapping[str, Meaning] = NONE
):
    ordered = sorted(found, key=lambda one: (-one.relations, one.name))
    return proposed(
        schema, candidates(ordered, learnt, same_as), "d", RULES, keep=lambda one: one.by.startswith("person")
    )


EMPTY = GraphSchema("default")
WORKS = seen("WORKS_FOR", {(P, O): 20})
IN_FORCE = accepted(propose(EMPTY, WORKS), (), AUTHOR)


def active(schema: GraphSchema) -> GraphSchema:
    """As `versions` would store it."""
    return GraphSchema(schema.dataset, 1, 1, schema.domain, schema.types, schema.proposed, schema.rejected)


def test_nothing_is_in_force_before_it_is_accepted():
    found = propose(EMPTY, WORKS)
    assert (found.types, [one.name for one in found.proposed]) == ((), ["WORKS_FOR"])
    assert [kind.name for kind in IN_FORCE.types] == ["WORKS_FOR"]
    assert (IN_FORCE.types[0].domain, IN_FORCE.types[0].range) == ((P,), (O,))


def test_tenses_of_one_type_become_one_with_an_alias():
    [one] = propose(EMPTY, WORKS, seen("WORKED_FOR", {(P, O): 3})).proposed
    assert (one.name, one.type.aliases, one.type.relations) == ("WORKS_FOR", ("WORKED_FOR",), 23)


def test_a_tense_of_a_type_in_force_is_proposed_as_its_alias():
    found = propose(IN_FORCE, WORKS, seen("WORKED_FOR", {(P, O): 3}))
    [one] = found.proposed
    assert (one.kind, one.name, one.of) == (ProposalKind.ALIAS, "WORKED_FOR", "WORKS_FOR")
    assert accepted(found, ["WORKED_FOR"], AUTHOR).types[0].aliases == ("WORKED_FOR",)


def test_a_rare_misspelling_is_held_with_its_problem():
    found = propose(EMPTY, WORKS, seen("WORKS_FRO", {(P, O): 3}))
    assert found.proposal_named("WORKS_FRO").problems == ("spelt nearly as WORKS_FOR",)  # type: ignore[union-attr]
    assert [kind.name for kind in accepted(found, (), AUTHOR).types] == ["WORKS_FOR"]


def test_new_ends_of_a_type_in_force_are_proposed():
    found = propose(IN_FORCE, seen("WORKS_FOR", {(P, O): 20, (P, L): 6, (C, O): 1}))
    [one] = found.proposed
    assert (one.kind, one.type.domain, one.type.range) == (ProposalKind.CHANGED, (), (L,))
    assert active(found).compliance("WORKS_FOR", P, L) is Compliance.PROPOSED
    assert active(accepted(found, (), AUTHOR)).compliance("WORKS_FOR", P, L) is Compliance.ACTIVE


def test_what_was_rejected_is_not_proposed_again():
    wide = seen("WORKS_FOR", {(P, O): 20, (P, L): 6})
    other = seen("LEADS", {(P, O): 9})
    refused = rejected(propose(IN_FORCE, wide, other), ["WORKS_FOR", "LEADS"], AUTHOR)
    assert propose(refused, wide, other).proposed == ()
    assert active(refused).compliance("LEADS", P, O) is Compliance.REJECTED
    assert active(refused).compliance("WORKS_FOR", P, O) is Compliance.ACTIVE


def test_a_type_in_force_can_be_taken_out_and_written_down_again():
    out = rejected(IN_FORCE, ["WORKS_FOR"], AUTHOR)
    assert out.types == ()
    back = accepted(written(out, [RelationType("WORKS_FOR", (P,), (O,))], AUTHOR), ["WORKS_FOR"], AUTHOR)
    assert [kind.name for kind in back.types] == ["WORKS_FOR"]
    assert back.rejected == ()


def test_an_alias_is_rejected_without_its_type():
    both = accepted(propose(EMPTY, WORKS, seen("WORKED_FOR", {(P, O): 3})), (), AUTHOR)
    left = rejected(both, ["WORKED_FOR"], AUTHOR)
    assert [(kind.name, kind.aliases) for kind in left.types] == [("WORKS_FOR", ())]


@pytest.mark.parametrize(
    ("names", "left"),
    [
        (["WORKED_FOR", "HAS_WORKED_FOR"], [("WORKS_FOR", ())]),
        (["WORKED_FOR", "WORKS_FOR"], []),
        (["WORKS_FOR", "WORKED_FOR"], []),
    ],
)
def test_several_names_of_one_type_are_rejected_at_once(names: list[str], left: list[tuple[str, tuple[str, ...]]]):
    others = (seen("WORKED_FOR", {(P, O): 3}), seen("HAS_WORKED_FOR", {(P, O): 3}))
    both = accepted(propose(EMPTY, WORKS, *others), (), AUTHOR)
    assert set(both.types[0].aliases) == {"WORKED_FOR", "HAS_WORKED_FOR"}
    without = rejected(both, names, AUTHOR)
    assert [(kind.name, kind.aliases) for kind in without.types] == left
    assert active(without).compliance("WORKED_FOR", P, O) is Compliance.REJECTED


def test_a_number_of_targets_that_was_rejected_is_not_proposed_again():
    wide = seen("WORKS_FOR", {(P, O): 20}, several=0, repeated=9)
    found = propose(accepted(written(EMPTY, [RelationType("WORKS_FOR", (P,), (O,))], AUTHOR), (), AUTHOR), wide)
    [one] = found.proposed
    assert (one.kind, one.type.domain, one.type.range, one.type.targets) == (
        ProposalKind.CHANGED, (), (), Targets.ONE,
    )  # fmt: skip
    refused = rejected(found, ["WORKS_FOR"], AUTHOR)
    assert refused.rejected == (Rejected("WORKS_FOR", targets=Targets.ONE),)
    assert propose(refused, wide).proposed == ()
    ends = propose(refused, seen("WORKS_FOR", {(P, O): 20, (P, L): 6}, several=0, repeated=9)).proposed
    assert [(one.type.range, one.type.targets) for one in ends] == [((L,), Targets.UNKNOWN)]
    out = GraphSchema("default", 2, 2, rejected=refused.rejected)  # the type itself was never rejected
    assert out.compliance("WORKS_FOR", P, O) is Compliance.PROPOSED
    assert [one.kind for one in propose(out, wide).proposed] == [ProposalKind.NEW]


def test_a_description_that_was_rejected_keeps_no_name_out():
    said = written(IN_FORCE, [RelationType("WORKS_FOR", (P,), (O,), description="staff")], AUTHOR)
    refused = rejected(said, ["WORKS_FOR"], AUTHOR)
    assert (refused.proposed, refused.rejected, refused.types) == ((), (), IN_FORCE.types)


def test_a_rejection_that_was_stored_without_targets_is_read():
    assert msgspec.json.decode(b'{"name": "LEADS"}', type=Rejected) == Rejected("LEADS")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (RelationType("works for", (P,), (O,)), "bad_relation_type"),
        (RelationType("CO_OCCURS_WITH", (P,), (O,)), "bad_relation_type"),
        (RelationType("LEADS", (), (O,)), "bad_ends"),
    ],
)
def test_what_a_person_writes_down_is_checked(kind: RelationType, code: str):
    with pytest.raises(Refused) as refused:
        written(EMPTY, [kind], AUTHOR)
    assert refused.value.code == code


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(NotFound, match="Perhaps WORKS_FOR"):
        accepted(propose(EMPTY, WORKS), ["WORKS_FRO"], AUTHOR)
    with pytest.raises(NotFound, match="in force already"):
        accepted(IN_FORCE, ["WORKS_FOR"], AUTHOR)


def test_two_proposals_that_say_the_same_are_not_both_accepted():
    one = Proposal(ProposalKind.NEW, RelationType("WORKS_FOR", (P,), (O,)))
    other = Proposal(ProposalKind.NEW, RelationType("WORKED_FOR", (P,), (O,)))
    both = GraphSchema("default", proposed=(one, other))
    with pytest.raises(Refused) as refused:
        accepted(both, ["WORKS_FOR", "WORKED_FOR"], AUTHOR)
    assert refused.value.code == "duplicate_type"


def test_a_persons_definition_survives_the_next_discovery():
    said = written(EMPTY, [RelationType("WORKS_FOR", (P,), (O,), Targets.ONE, description="staff")], AUTHOR)
    [one] = propose(said, WORKS).proposed
    assert (one.type.targets, one.type.description, one.type.relations, one.by) == (
        Targets.ONE, "staff", 20, "person ana",
    )  # fmt: skip


def test_a_model_cannot_join_types_whose_ends_differ():
    places = seen("LIVES_IN", {(P, L): 5})
    found = propose(EMPTY, WORKS, places, same_as={"LIVES_IN": "WORKS_FOR"})
    assert {one.name for one in found.proposed} == {"WORKS_FOR", "LIVES_IN"}


def test_ends_that_a_model_says_count_where_the_graph_bears_them_out():
    mixed = {(P, O): 9, (C, O): 1}
    agreed = propose(EMPTY, seen("WORKS_FOR", mixed), learnt={"work_for": Meaning(domain=(P,), range=(O,))})
    assert (agreed.proposed[0].type.domain, agreed.proposed[0].problems) == ((P,), ())
    denied = propose(EMPTY, seen("WORKS_FOR", mixed), learnt={"work_for": Meaning(domain=(L,), range=(L,))})
    assert denied.proposed[0].type.domain == (P, C)
    assert "does not bear out" in denied.proposed[0].problems[0]


def test_which_types_have_one_target_is_what_somebody_accepted():
    proposed = propose(EMPTY, seen("LED_BY", {(O, P): 20}, several=0, repeated=9))
    assert given_targets(proposed) == GivenTargets(EMPTY.dataset)
    learnt = accepted(proposed, (), AUTHOR)
    assert given_targets(learnt).one == ("LED_BY",)
    alias = accepted(propose(learnt, seen("IS_LED_BY", {(O, P): 3})), ["IS_LED_BY"], AUTHOR)
    assert given_targets(alias).one == ("IS_LED_BY", "LED_BY")
    many = accepted(written(EMPTY, [RelationType("BORN_IN", (P,), (L,), Targets.MANY)], AUTHOR), ["BORN_IN"], AUTHOR)
    assert given_targets(many).of(frozenset({"BORN_IN", "DIED_IN"})) == {"DIED_IN"}


def test_a_difference_names_what_came_and_went():
    wide = accepted(
        propose(IN_FORCE, seen("WORKS_FOR", {(P, O): 20, (P, L): 6}), seen("LEADS", {(P, O): 9})), (), AUTHOR
    )
    found = between(IN_FORCE, wide)
    assert [kind.name for kind in found.added] == ["LEADS"]
    assert [(each.before.range, each.after.range) for each in found.changed] == [((O,), (O, L))]
    back = between(wide, IN_FORCE)
    assert [kind.name for kind in back.removed] == ["LEADS"]


NAMES = st.sampled_from(
    [
        "WORKS_FOR",
        "WORKED_FOR",
        "HAS_WORKED_FOR",
        "WORKS_FRO",
        "LEADS",
        "LED",
        "LED_BY",
        "BORN_IN",
        "works in",
        "???",
        "USES",
    ]
)
ENDS = st.dictionaries(
    st.tuples(st.sampled_from(list(EntityType)), st.sampled_from(list(EntityType))),
    st.integers(1, 40),
    min_size=1,
    max_size=6,
)
FOUND = st.dictionaries(NAMES, ENDS, max_size=8)
STEPS = st.lists(
    st.tuples(st.sampled_from(["propose", "accept", "all", "reject"]), FOUND, st.integers(0, 9)), max_size=12
)


@given(STEPS)
def test_whatever_is_done_a_schema_stays_sound(
    steps: list[tuple[str, dict[str, dict[tuple[EntityType, EntityType], int]], int]],
):
    schema = EMPTY
    for what, found, which in steps:
        before = schema
        names = [one.name for one in schema.proposed] + [kind.name for kind in schema.types]
        chosen = [names[which % len(names)]] if names else ["LEADS"]
        try:
            if what == "propose":
                schema = propose(schema, *(seen(name, ends) for name, ends in found.items()))
                assert schema.types == before.types
                again = propose(schema, *(seen(name, ends) for name, ends in found.items()))
                assert again == schema
            elif what == "reject":
                schema = rejected(schema, chosen, AUTHOR)
                assert not {kind.name for kind in schema.types} - {kind.name for kind in before.types}
            else:
                schema = accepted(schema, chosen if what == "accept" else (), AUTHOR)
                assert {kind.name for kind in schema.types} >= {kind.name for kind in before.types}
        except Refused:
            assert schema is before
        kinds = [name for kind in schema.types for name in (kind.name, *kind.aliases)]
        assert len(kinds) == len(set(kinds))
        assert len({said_by(kind.name) for kind in schema.types}) == len(schema.types) <= MAX_TYPES
        assert all(is_name(kind.name) and kind.domain and kind.range for kind in schema.types)
        assert len({one.name for one in schema.proposed}) == len(schema.proposed)
