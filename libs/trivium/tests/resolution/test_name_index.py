"""Which names are one thing depends on the names alone, not on how they came."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from name_index import NameIndex

from trivium.domain.graph import EntityType
from trivium.domain.verdicts import Verdict
from trivium.resolution import blocking, resolve, settle
from trivium.resolution.likeness import Kind, likeness
from trivium.resolution.record import Record
from trivium.resolution.score import REVIEW, are_two, judge

FIRST = ("ilse", "i", "carl", "carla", "john", "jon", "j f", "bob", "robert")
LAST = ("brandt", "brant", "smith", "lund", "smith jr")
OTHERS = (
    "", "acme", "acme inc", "acme bank", "ab", "apollo 11", "apollo 12", "acme bank corp", "u s", "united states",
    "junior senior", "jr jr",
)  # fmt: skip
NEIGHBOURS = ("harrow weir", "oslo", "savern")


def records() -> st.SearchStrategy[Record]:
    people = st.builds(
        lambda first, last: f"{first} {last}".strip(), st.sampled_from(("", *FIRST)), st.sampled_from(LAST)
    )
    return st.builds(
        lambda key, kind, near: Record(key, kind, frozenset(near)),
        st.one_of(people, st.sampled_from(OTHERS[1:])),
        st.sampled_from((EntityType.PERSON, EntityType.ORGANIZATION, EntityType.CONCEPT)),
        st.sets(st.sampled_from(NEIGHBOURS)),
    )


def one_at_once(final: list[Record]) -> dict[str, tuple[Verdict, ...]]:
    fresh = NameIndex()
    fresh.update(final)
    return fresh.verdicts


@pytest.fixture(params=[3, 16])
def largest_block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(blocking, "MAX_BLOCK", request.param)
    monkeypatch.setattr(settle, "MAX_BLOCK", request.param)
    return int(request.param)


def test_names_that_come_and_go_in_any_order_stand_for_the_same(largest_block: int) -> None:
    @given(st.lists(records(), max_size=14, unique_by=lambda r: r.key), st.lists(records(), max_size=6), st.randoms())
    def holds(final: list[Record], passing: list[Record], chance: random.Random) -> None:
        kept = {record.key for record in final}
        names = NameIndex()
        for record in passing:
            names.update([record])
        for record in chance.sample(final, len(final)):
            names.update([record])
        names.update(dropped=[record.key for record in passing if record.key not in kept])
        assert names.verdicts == one_at_once(final)

    holds()


def test_names_settled_between_any_changes_stand_for_the_same(largest_block: int) -> None:
    """A name of which something was known for a while, and was told to whoever was settled then, too."""
    changes = st.lists(st.tuples(records(), st.booleans(), st.integers(0, 3)), max_size=30)

    @given(changes, st.randoms())
    def holds(changes: list[tuple[Record, bool, int]], chance: random.Random) -> None:
        names, final = NameIndex(), dict[str, Record]()
        for record, is_dropped, settled in changes:
            if is_dropped:
                names.put(dropped=[record.key])
                final.pop(record.key, None)
            else:
                names.put([record])
                final[record.key] = record
            names.settle(chance.sample(names.unsettled, min(settled, len(names.unsettled))))
        names.update()
        assert names.verdicts == one_at_once(list(final.values()))

    holds()


def person(key: str, *neighbours: str) -> Record:
    return Record(key, EntityType.PERSON, frozenset(neighbours))


def test_a_last_name_is_the_one_person_who_bears_it_and_is_near() -> None:
    names = NameIndex()
    names.update([person("ilse brandt", "harrow weir"), person("brandt", "harrow weir")])
    assert names.targets == {"brandt": "ilse brandt"}
    names.update([person("carl brandt", "harrow weir")])
    assert names.targets == {}
    names.update(dropped=["carl brandt"])
    assert names.targets == {"brandt": "ilse brandt"}


class Telling(NameIndex):
    """Tells which names were decided last."""

    def decide(self, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        self.decided = sorted(verdicts)
        super().decide(verdicts)


def test_only_names_whose_decision_a_change_can_reach_are_decided_anew() -> None:
    names = Telling()
    names.update(person(key, "oslo") for key in ("ilse brandt", "i brandt", "brandt", "carl brandt", "c brandt"))
    names.update([person("ilse brandt", "harrow weir")])
    assert names.decided == ["brandt", "i brandt"]
    names.update([person("c brandt", "harrow weir")])
    assert names.decided == ["brandt", "c brandt"]


def test_a_neighbour_decides_nothing_where_no_candidate_has_it() -> None:
    names = Telling()
    names.update([person("ilse brandt", "oslo"), person("brandt", "oslo"), person("carl lund", "oslo")])
    names.update([person("ilse brandt", "oslo", "savern")])
    assert names.decided == []
    names.update([person("brandt", "oslo", "savern")])
    assert names.decided == ["brandt"]
    names.update([person("ilse brandt", "oslo")])
    assert names.decided == ["brandt"]
    names.update([person("brandt", "oslo", "harrow weir"), person("ilse brandt", "oslo", "leeds")])
    assert names.decided == []
    assert names.targets == {"brandt": "ilse brandt"}


def test_a_neighbour_that_comes_and_goes_before_its_name_is_settled_leaves_nothing() -> None:
    names = NameIndex()
    names.update([person("ilse brandt", "oslo"), person("brandt", "leeds")])
    names.put([person("ilse brandt", "oslo", "savern"), person("brandt", "leeds", "savern")])
    names.settle(["brandt"])
    assert names.targets == {"brandt": "ilse brandt"}
    names.put([person("ilse brandt", "oslo")])
    names.settle(["ilse brandt"])
    assert names.targets == {}


def test_between_the_thresholds_a_person_is_asked_and_told_why() -> None:
    names = NameIndex()
    names.update([person("john a smith", "leeds"), person("john smith", "leeds", "york")])
    assert names.targets == {"john smith": "john a smith"}
    names.update([person("john a smith"), person("john smith")])
    [card] = names.cards
    assert (card.key, card.other) == ("john smith", "john a smith")
    assert card.reasons == ("+0.60 the same first and last name; one has a middle name more",)


def test_names_that_a_person_keeps_apart_are_not_merged_and_others_are() -> None:
    names = NameIndex()
    apart = Record("brandt", EntityType.PERSON, frozenset({"oslo"}), {}, frozenset({"ilse brandt"}))
    names.update([person("ilse brandt", "oslo"), apart])
    assert names.targets == {}
    [card] = names.cards
    assert (card.score, card.reasons[-1]) == (0.6, "+0.00 a person said that they are two")


ALIKE = (
    ("neural networks", "neural network"), ("acme inc", "acme"), ("brandt ilse", "ilse brandt"), ("ab", "acme bank"),
    ("post gres", "postgres"), ("smith jr", "smith"), ("mount brandt", "brandt"), ("lund", "lunt"), ("acme", "acme"),
)  # fmt: skip


@pytest.mark.parametrize(("left", "right"), ALIKE)
@pytest.mark.parametrize("kind", [EntityType.PERSON, EntityType.ORGANIZATION])
@pytest.mark.parametrize("near", ["", "oslo", "savern"])
def test_names_told_apart_unasked_would_be_judged_two_things(
    left: str, right: str, kind: EntityType, near: str
) -> None:
    one, other = Record(left, kind, frozenset({"oslo"})), Record(right, kind, frozenset({near} - {""}))
    assert not (are_two(one, other) and judge(one, other).score >= REVIEW)


def test_names_with_nothing_in_common_are_told_apart_unasked() -> None:
    assert are_two(person("i brandt", "oslo"), person("ilse brandt", "savern"))
    assert not are_two(person("i brandt", "oslo"), person("ilse brandt", "oslo"))
    born = Record("i brandt", EntityType.PERSON, frozenset({"oslo"}), {"BORN_IN": frozenset({"oslo"})})
    alike = Record("ilse brandt", EntityType.PERSON, frozenset({"savern"}), {"BORN_IN": frozenset({"oslo"})})
    assert not are_two(born, alike)


@pytest.mark.parametrize("name", ["junior senior", "jr jr"])
def test_a_name_of_generations_alone_is_a_name_beside_others(name: str) -> None:
    names = NameIndex()
    names.update(person(key, "oslo") for key in (name, "junior", "ilse brandt", "brandt"))
    assert names.targets == {"brandt": "ilse brandt"}
    assert likeness(name, "smith jr", person=True).kind is Kind.NONE


def test_following_targets_ends() -> None:
    names = NameIndex()
    names.update(
        [Record(key, EntityType.ORGANIZATION) for key in ("acme", "acme inc", "acme corp", "acme company ltd")]
    )
    assert set(names.targets) == {"acme", "acme inc", "acme corp"}
    assert all(resolve.rank(target) > resolve.rank(key) for key, target in names.targets.items())


@pytest.mark.parametrize("name", ["a " * 5000, "x" * 10_000, "ab " * 3000 + "z"])
def test_an_endless_name_has_few_blocks_and_is_like_itself_alone(name: str) -> None:
    other = name.strip() + "y"
    assert len(blocking.blocks_of(name.strip())) < 40
    assert likeness(name.strip(), other, person=False).kind is Kind.NONE


def test_what_is_remembered_of_names_does_not_grow_with_them() -> None:
    def take_apart(first: int, last: int) -> None:
        for number in range(first, last):
            for block in blocking.blocks_of(f"professor ilse the {number}th of harrow weir"):
                blocking.block_id(block)

    take_apart(0, 10_000)
    tracemalloc.start()
    try:
        take_apart(10_000, 30_000)
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # What is remembered now was made since, in the place of what was remembered before: 2 kB a name, a few thousand.
    assert grown < 16_000_000
