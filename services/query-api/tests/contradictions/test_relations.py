"""Relations of which a thing has one: given by a schema, learnt from the graph, or known by the name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.contradictions import ContradictionKind
from trivium.domain.scope import DEFAULT_TENANT
from trivium.graph_schema.one_target import GivenTargets
from trivium.ports.objects import ObjectStore
from trivium_query.contradictions import kept
from trivium_query.contradictions.kept import Kept, Pair, Read, Source
from trivium_query.contradictions.match import Shelf, matched
from trivium_query.contradictions.relations import (
    MAX_OF_ONE,
    MIN_SOURCES,
    ONE_TARGET,
    Stated,
    compare_told,
    learnt,
    rivals,
)
from trivium_query.contradictions.statements import Statements, Told


def statements(kind: str, targets: Iterable[Sequence[int]]) -> list[Stated]:
    """Of each source, which targets passages give it."""
    return [Stated(kind, source, target, 0) for source, some in enumerate(targets) for target in some]


def test_a_type_is_learnt_where_several_passages_give_nearly_every_source_the_same_one() -> None:
    enough = MIN_SOURCES * 2
    assert learnt(statements("LED_BY", [(1, 1)] * enough)) == {"LED_BY"}
    assert learnt(statements("LED_BY", [*[(1, 1)] * enough, (1, 2)])) == {"LED_BY"}  # one in 41 disagrees
    assert learnt(statements("LED_BY", [*[(1, 1)] * enough, *[(1, 2)] * 4])) == set()
    assert learnt(statements("LED_BY", [(1, 1)] * (MIN_SOURCES - 1))) == set()
    assert learnt(statements("LED_BY", [(1,)] * enough)) == set()  # each by one passage alone
    assert learnt(statements("USES", [(1, 1)] * enough)) == set()  # by its meaning


def test_rivals_give_one_source_two_targets_and_are_bounded() -> None:
    def told(kind: str, source: int, target: int, owner: int) -> Stated:
        return Stated(kind, source, target, owner)

    few = [told("A", 1, 1, 9), told("A", 1, 2, 3), told("A", 1, 2, 4), told("B", 1, 3, 5), told("A", 2, 1, 6)]
    assert sorted(rivals(few)) == [(3, 9), (4, 9)]
    many = [told("A", 1, number, number) for number in range(MAX_OF_ONE * 3)]
    assert len(list(rivals(many))) == MAX_OF_ONE * (MAX_OF_ONE - 1) // 2


def told(target: str, text: str, heading: str = "Ilse Brandt", source: str = "ilse brandt") -> Told:
    return Told(source, "LIVES_IN", target, 0.9, f"c-{target}", 1, text, heading)


KELMORE = told("kelmore", "Ilse Brandt lives in Kelmore.")


@pytest.mark.parametrize(
    ("other", "contradict"),
    [
        (told("tarn hollow", "Ilse Brandt lives in Tarn Hollow."), True),
        (told("tarn hollow", "Ilse Brandt lives in Tarn Hollow.", "Guests of the inn"), True),
        (told("kelmore", "Brandt lives in Kelmore."), False),
        (told("upper kelmore", "Ilse Brandt lives in Upper Kelmore."), False),  # one holds the other
        (told("fennmark", "Ilse Brandt lives in Kelmore, Fennmark."), False),  # names the other too
    ],
)
def test_two_targets_contradict_unless_both_can_hold(other: Told, contradict: bool) -> None:
    for one, another in ((KELMORE, other), (other, KELMORE)):
        found = compare_told(one, another)
        assert (found is not None) is contradict
        if found is not None:
            assert (found.kind, found.attribute) == (ContradictionKind.RELATION, "LIVES_IN")
            assert set(found.values) == {one.target, another.target}


def test_one_word_is_no_name_that_two_documents_share() -> None:
    assert (
        compare_told(told("kelmore", "Brandt is in Kelmore.", source="brandt"), told("x", "", source="brandt")) is None
    )


def reads(objects: ObjectStore, *said: tuple[str, Told]) -> list[Read]:
    """A document each, of these datasets; their statements stay where the shelf reads them."""
    found = []
    for number, (dataset, each) in enumerate(said):
        source = Source(f"d{number}", "1", dataset, f"statements-{number}", 0.0, 1, 0.0)
        found.append(Read(source, Statements(told=(each,))))
    return found


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return LocalObjects(tmp_path).for_tenant(DEFAULT_TENANT)


TWO = (
    ("river", KELMORE),
    ("river", told("tarn hollow", "Ilse Brandt lives in Tarn Hollow.")),
    ("other", KELMORE),
    ("other", told("tarn hollow", "Ilse Brandt lives in Tarn Hollow.")),
)


def looked(objects: ObjectStore, known: Kept, new: list[Read], *given: GivenTargets, shelf: list[Read]) -> Kept:
    joined = kept.joined(known, new) if new else known
    return matched(joined, len(known.sources), Shelf(objects, shelf), lambda: None, given)


def documents(known: Kept) -> list[tuple[str, str]]:
    return [(pair.one[0], pair.other[0]) for pair in known.found]


def test_a_schema_that_is_accepted_later_has_relations_looked_at_again_in_its_dataset_alone(
    objects: ObjectStore,
) -> None:
    both = reads(objects, *TWO)
    one = GivenTargets("river", one=("LIVES_IN",))
    before = looked(objects, Kept(), both, shelf=both)
    assert documents(before) == []
    after = looked(objects, before, [], one, shelf=both)
    assert documents(after) == [("d0", "d1")]
    assert documents(looked(objects, after, [], one, shelf=[])) == [("d0", "d1")]  # nothing is read again
    assert documents(looked(objects, after, [], shelf=both)) == []  # in force no longer


def test_a_type_of_many_targets_by_the_schema_is_none_of_one_whatever_its_name_says(objects: ObjectStore) -> None:
    assert "BORN_IN" in ONE_TARGET
    born = [
        Told("ilse brandt", "BORN_IN", place, 0.9, place, 1, f"Ilse Brandt was born in {place}.", "")
        for place in ("kelmore", "tarn hollow")
    ]
    both = reads(objects, *(("river", each) for each in born))
    known = looked(objects, Kept(), both, shelf=both)
    assert documents(known) == [("d0", "d1")]
    many = looked(objects, known, [], GivenTargets("river", many=("BORN_IN",)), shelf=both)
    assert documents(many) == []
    assert documents(looked(objects, many, [], GivenTargets("other", many=("BORN_IN",)), shelf=both)) == [("d0", "d1")]


def test_what_an_older_version_kept_is_read_and_goes_with_its_documents(objects: ObjectStore) -> None:
    pair = Pair(("d0", 0), ("d1", 0), 0.9, "rule:date")
    known = Kept(found=(pair,), given=(GivenTargets("river", one=("LIVES_IN",)),))
    kept.save(objects, known)
    assert kept.load(objects) == known
    older = msgspec.msgpack.decode(objects.get(kept.KEPT))[:-1]  # before schemas were told
    objects.put(kept.KEPT, msgspec.msgpack.encode(older))
    assert kept.load(objects) == msgspec.structs.replace(known, given=())
    assert kept.without(known, {"d0"}).given == known.given
