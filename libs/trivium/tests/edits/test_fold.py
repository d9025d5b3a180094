from __future__ import annotations

from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.edits import (
    Actor,
    Change,
    CreateEntity,
    CreateRelation,
    Dismiss,
    Edit,
    Evidence,
    Invalidate,
    Merge,
    RelationKey,
    Remove,
    Rename,
    Review,
    Split,
    Undo,
    UpdateRelation,
)
from trivium.domain.graph import EntityType
from trivium.edits.checkpoints import Checkpoints
from trivium.edits.fold import Folded, Standing, fold

ANNA = Actor(name="anna")


def log_of(*changes: Change, documents: dict[int, tuple[str, ...]] | None = None) -> list[Edit]:
    rests = documents or {}
    return [
        Edit(n, 0, change, ANNA, 0.0, evidence=tuple(Evidence(d, f"chunk of {d}") for d in rests.get(n, ())))
        for n, change in enumerate(changes, start=1)
    ]


def test_an_undone_edit_counts_again_when_its_undo_is_undone() -> None:
    log = log_of(Merge("a", "b", "A"), Undo("1.0"), Undo("2.0"))
    assert [fold(log[:length]).entity_of("a") for length in (1, 2, 3)] == ["b", "a", "b"]
    assert fold(log).standing(log[1]) is Standing.UNDONE


def test_an_edit_counts_until_all_documents_that_it_rests_on_are_gone() -> None:
    log = log_of(Merge("a", "b", "A"), Merge("c", "b", "C"), documents={1: ("d1", "d2")})
    assert fold(log, {"d1"}).entity_of("a") == "b"
    folded = fold(log, {"d1", "d2"})
    assert (folded.entity_of("a"), folded.entity_of("c")) == ("a", "b")
    assert folded.standing(log[0]) is Standing.WITHOUT_EVIDENCE


def test_merges_in_a_circle_stop_at_the_first_that_would_close_it() -> None:
    log = log_of(Merge("a", "b", "A"), Merge("b", "c", "B"), Merge("c", "a", "C"), Merge("d", "d", "D"))
    folded = fold(log)
    assert [folded.entity_of(key) for key in "abcd"] == ["c", "c", "c", "d"]
    assert [folded.standing(edit) for edit in log[2:]] == [Standing.CIRCLE, Standing.CIRCLE]


def test_a_later_edit_about_the_same_thing_counts_over_an_earlier_one() -> None:
    folded = fold(log_of(Rename("a", "First"), Rename("a", "Second"), Merge("x", "a", "X"), Split("x", "X")))
    assert folded.decisions.names == {"a": "Second"}
    assert folded.entity_of("x") == "x"
    assert folded.entity_of("first") == "a"  # it goes on being found by it


def test_a_relation_that_is_stated_again_after_it_was_declared_invalid_holds_as_far_as_that() -> None:
    relation = RelationKey("a", "b", "KNOWS")
    log = log_of(CreateRelation(relation), Invalidate(relation), CreateRelation(relation))
    folded = fold(log)
    assert folded.decisions.hidden == {relation: log[1].mark}
    assert log[0].mark < log[1].mark < log[2].mark


def test_a_review_is_open_until_it_is_dismissed() -> None:
    log = log_of(Review("a", "Is it so?"), Dismiss("1.0"), Undo("2.0"))
    assert [list(fold(log[:length]).reviews) for length in (1, 2, 3)] == [["1.0"], [], ["1.0"]]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(1, 12)), max_size=12))
def test_any_log_folds_and_every_name_leads_somewhere(parts: list[tuple[str, str, int]]) -> None:
    log = log_of(*(Undo(f"{n}.0") if n % 4 == 0 else Merge(a, b, a) for a, b, n in parts))
    folded = fold(log)
    ends = {folded.entity_of(key) for key in "abcd"}
    assert all(folded.entity_of(end) == end for end in ends)


def test_folding_grows_no_faster_than_the_log() -> None:
    changes = [Merge(f"name {n}", f"name {n % 97}.", "N") for n in range(8_000)]
    log = log_of(*changes)
    assert growth(lambda size: fold(log[:size]), 2_000) < LINEAR


def told(folded: Folded) -> tuple[object, ...]:
    """All that it says."""
    return tuple(getattr(folded, field) for field in Folded.__struct_fields__)


CHANGES = st.one_of(
    st.builds(Merge, st.sampled_from("abcd"), st.sampled_from("abcd"), st.just("A")),
    st.builds(Split, st.sampled_from("abcd"), st.just("S")),
    st.builds(Rename, st.sampled_from("abcd"), st.sampled_from(["a", "B b", "c"])),
    st.builds(CreateEntity, st.sampled_from("abcd"), st.just("N"), st.just(EntityType.PERSON), st.just(("a", "B b"))),
    st.builds(CreateRelation, st.just(RelationKey("a", "b", "KNOWS"))),
    st.builds(UpdateRelation, st.just((RelationKey("a", "b", "KNOWS"),)), st.just(RelationKey("a", "b", "MET"))),
    st.builds(Remove, st.sampled_from("abcd")),
    st.builds(lambda n: Undo(f"{n}.0"), st.integers(1, 14)),
    st.builds(Review, st.sampled_from("abcd"), st.just("Is it so?")),
    st.builds(lambda n: Dismiss(f"{n}.0"), st.integers(1, 14)),
)


@given(
    st.lists(CHANGES, max_size=14),
    st.lists(st.tuples(st.integers(0, 14), st.sampled_from([frozenset(), frozenset({"d1"})])), max_size=8),
    st.integers(1, 4),
)
def test_a_log_that_is_gone_on_with_from_anywhere_folds_as_from_the_start(
    changes: list[Change], looks: list[tuple[int, frozenset[str]]], apart: int
) -> None:
    log = log_of(*changes, documents={n: ("d1",) for n in range(2, 15, 3)})
    checkpoints = Checkpoints(apart)
    for length, gone in (*looks, (len(log), frozenset())):
        assert told(checkpoints.folded(log[:length], gone)) == told(fold(log[:length], gone))


def test_one_more_edit_costs_no_more_behind_a_long_log_but_for_copies() -> None:
    log = log_of(*(Merge(f"name {n}", f"name {n % 97}.", "N") for n in range(8_000)), Undo("8000.0"))
    checkpoints = Checkpoints()
    checkpoints.folded(log[:-2])
    shares = {share.chunk_id: share for share in checkpoints.folded(log[:-1]).decisions.shares}
    again = checkpoints.folded(log).decisions.shares
    assert [share for share in again if shares.get(share.chunk_id) is not share] == []
