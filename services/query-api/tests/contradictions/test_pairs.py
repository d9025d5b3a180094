"""Pairs of sentences under two titles: those that contradict are found, those that only seem to are not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.text.sentences import split_sentences
from trivium_query.contradictions import titles
from trivium_query.contradictions.blocks import WINDOW, pairs
from trivium_query.contradictions.compare import MIN_CONFIDENCE, compare
from trivium_query.contradictions.statements import Statement, statements_of
from trivium_query.contradictions.values import disagree, values_in

# Least precision and recall of each file; they may only rise.
FLOORS = {"pairs.jsonl": (0.95, 0.85), "wordings.jsonl": (0.95, 0.6)}


class Case(msgspec.Struct, frozen=True):
    title: tuple[str, str]
    one: str
    other: str
    contradict: bool


def said(title: str, text: str) -> tuple[Statement, ...]:
    chunk = Chunk(title, title, "1", 0, text, Span(0, len(text)), title, split_sentences(text), title=title)
    return statements_of([chunk], []).said


def is_found(case: Case) -> bool:
    """Whether they meet under a key, and disagree surely enough."""
    return any(
        set(one.keys) & set(other.keys)
        and (found := compare(one, other, same_document=False)) is not None
        and found.confidence >= MIN_CONFIDENCE
        for one in said(case.title[0], case.one)
        for other in said(case.title[1], case.other)
    )


@pytest.mark.parametrize("name", FLOORS)
def test_contradictions_are_told_from_near_misses(name: str) -> None:
    lines = (Path(__file__).parent / name).read_bytes().splitlines()
    min_precision, min_recall = FLOORS[name]
    cases = [msgspec.json.decode(line, type=Case) for line in lines]
    found = [case for case in cases if is_found(case)]
    right = sum(case.contradict for case in found)
    assert right / len(found) >= min_precision
    assert right / sum(case.contradict for case in cases) >= min_recall


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        (
            "The motor of the Alba fan is heated and very quiet.",
            "The motor of the Alba fan is heated and very loud.",
            True,
        ),
        (
            "The Alba fan counts wet and dry hours of each day.",
            "The Alba fan counts wet and dry hours of each day, or the dry ones alone.",
            False,
        ),
        ("The Alba fan is shipped with a power cable.", "The Alba fan is shipped without a power cable.", True),
    ],
)
def test_opposites_contradict_where_each_sentence_has_one_of_them(one: str, other: str, contradict: bool) -> None:
    assert is_found(Case(("Alba fan", "Alba fan, tested"), one, other, contradict)) == contradict


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("31 metres", "102 ft", False),
        ("31 metres", "24 m", True),
        ("24 months", "2 years", False),
        ("€4.50", "4.50 euros", False),
        ("about 400 people", "412 people", False),
        ("at least 30 m", "34 m", False),
        ("at least 30 m", "24 m", True),
        ("no more than 30 m", "34 m", True),
        ("at least 50 cm", "no more than 30 cm", True),
        ("3 May 2021", "2021", False),
        ("3 May 2021", "4 May 2021", True),
        ("7:30 pm", "19:30", False),
        ("8.5 million euros", "€8,512,000", False),
        ("1.4 kg", "1,400 g", False),
    ],
)
def test_values_are_compared_in_one_unit_and_as_exactly_as_they_are_told(one: str, other: str, differ: bool) -> None:
    (here,), (there,) = values_in(f"It is {one}."), values_in(f"It is {other}.")
    assert disagree(here, there) is differ


def test_pairs_grow_as_the_statements_do_however_many_share_a_key() -> None:
    many = 20_000
    found = sum(1 for _ in pairs(np.zeros(many, np.uint64), np.arange(many, dtype=np.int64)))
    assert found <= many * WINDOW
    added = list(pairs(np.zeros(many, np.uint64), np.arange(many, dtype=np.int64), many - 1))
    assert {other for _, other in added} == {many - 1}
    assert list(pairs(np.zeros(0, np.uint64), np.zeros(0, np.int64))) == []


@pytest.mark.parametrize(
    "text", ["", "9" * 4_000, "one " * 400, "((((" * 1_000, "\x00\x01 12 \u202e kg", "1e999 m 1.1.1.1 kg"]
)
def test_hostile_sentences_are_read_like_others(text: str) -> None:
    values_in(text[:400])
    said("Title", text)


@pytest.mark.parametrize(
    "told",
    [
        "0 times a day",
        "every 0 weeks",
        f"1{'0' * 320} kg",
        f"{'9' * 320} metres",
        f"{'9' * 320} times a year",
        f"1{'0' * 307} billion euros",
        f"0.{'0' * 350}1 times a week",
        "1/0 litres",
    ],
)
def test_a_number_that_nothing_can_be_reckoned_with_is_no_value(told: str) -> None:
    text = f"The pump of Mallow Bridge is checked {told}."
    assert all(value.low <= value.high for value in values_in(text))
    said("Mallow Bridge", text)


@pytest.mark.parametrize(
    ("told", "plain"),
    [
        ("is checked \u017fix times a day", "is checked six times a day"),
        ("is checked da\u0131ly", "is checked daily"),
        ("is checked every \u017fecond fortn\u0131ght", "is checked every second fortnight"),
        ("opens at \u017feven o'clock", "opens at seven o'clock"),
        ("costs twenty-\u017feven pounds", "costs twenty-seven pounds"),
        ("is wh\u0131te", "is white"),
        ("opened on 3 \u017feptember", "opened on 3 September"),
    ],
)
def test_letters_of_old_prints_and_of_misread_ones_are_read_as_those_of_today(told: str, plain: str) -> None:
    def read(text: str) -> list[tuple[str, float, float]]:
        return [(value.kind, value.low, value.high) for value in values_in(f"The pump of Mallow Bridge {text}.")]

    assert read(told) == read(plain) != []


def test_entries_of_one_list_tell_of_different_things() -> None:
    orders = ("supplier: Penhallow Nursery; goods: 640 cuttings", "supplier: Dunmore Ropes; goods: 80 metres of rope")
    one, other = (statement for order in orders for statement in said("Penhallow Nursery", order))
    assert compare(one, other, same_document=True) is None


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("Deering, North Dakota", "Belcourt, North Dakota", False),
        ("United States presidential election, 1964", "United States presidential election, 1996", False),
        ("New Delhi", "Delhi", False),
        ("Days and Hours", "These Days (Jackson Browne song)", False),
        ("The Sea Wolf", "The Sea Wolf", True),
        ("Visiting Skerry Point Lighthouse", "Skerry Point Lighthouse", True),
        ("Marlow bridge inspection", "Asset register: Marlow bridge", True),
        ("Judgment in Haskins v Orme", "Witness statement, Haskins v Orme", True),
        ("Minutes of 6 March", "", False),
        ("", "", True),
    ],
)
def test_titles_of_documents_about_one_thing_agree(one: str, other: str, agree: bool) -> None:
    assert titles.agree(one, other) is titles.agree(other, one) is agree
