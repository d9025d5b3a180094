# ruff: noqa: E501  (a case is one row of a table)
"""What is told in other shapes: offices, how often, the most and the least, what is free, hours, days, permissions."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.text.sentences import split_sentences
from trivium_query.contradictions.compare import MIN_CONFIDENCE, compare
from trivium_query.contradictions.statements import Statement, statements_of

NAME, ANOTHER = "Thistle Hall Museum", "Thistle Hall Museum: a visit"


def said(title: str, text: str) -> tuple[Statement, ...]:
    chunk = Chunk(title, title, "1", 0, text, Span(0, len(text)), title, split_sentences(text), title=title)
    return statements_of([chunk], []).said


def contradict(one: str, other: str, titles: tuple[str, str] = (NAME, ANOTHER)) -> bool:
    """Whether two of their sentences meet under a key, and disagree surely enough."""
    return any(
        set(here.keys) & set(there.keys)
        and (found := compare(here, there, same_document=False)) is not None
        and found.confidence >= MIN_CONFIDENCE
        for here in said(titles[0], one)
        for there in said(titles[1], other)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada Brook is caretaker of Thistle Hall Museum.", "The caretaker at Thistle Hall Museum is Per Lund."),
        ("Thistle Hall Museum is managed by Ada Brook.", "Per Lund is manager of Thistle Hall Museum."),
        ("Colonel Ada Brook commanded Thistle Hall Museum.", "Thistle Hall Museum was commanded by Sir Per Lund."),
    ],
)  # fmt: skip
def test_two_holders_of_one_office_contradict(one: str, other: str) -> None:
    assert contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The treasurer of Thistle Hall Museum is Ada Brook.", "The caretaker of Thistle Hall Museum is Per Lund."),
        ("Ada Brook is deputy director of Thistle Hall Museum.", "The director of Thistle Hall Museum is Per Lund."),
        ("Ada Brook is artistic director of Thistle Hall Museum.", "Per Lund is managing director of Thistle Hall Museum."),
        ("In 1998 Ada Brook was director of Thistle Hall Museum.", "In 2010 Per Lund was director of Thistle Hall Museum."),
        ("Ada Brook is a member of Thistle Hall Museum.", "Per Lund is a member of Thistle Hall Museum."),
        ("Thistle Hall Museum is run by the farmer Ada Brook.", "Thistle Hall Museum is run by the farmer A. Brook."),
    ],
)  # fmt: skip
def test_holders_of_other_offices_do_not(one: str, other: str) -> None:
    assert not contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The windows of Thistle Hall Museum are cleaned every three months.", "The windows of Thistle Hall Museum are cleaned once a year.", True),
        ("The windows of Thistle Hall Museum are cleaned twice a week.", "The windows of Thistle Hall Museum are cleaned weekly.", True),
        ("The windows of Thistle Hall Museum are cleaned twice a week.", "The windows of Thistle Hall Museum are cleaned 0 times a week.", False),
        ("The windows of Thistle Hall Museum are cleaned every week.", "The windows of Thistle Hall Museum are cleaned weekly.", False),
        ("A weekly ticket for Thistle Hall Museum costs 14 pounds.", "A monthly ticket for Thistle Hall Museum costs 40 pounds.", False),
        ("The trains to Thistle Hall Museum leave every 20 minutes.", "The windows of Thistle Hall Museum are cleaned daily.", False),
    ],
)  # fmt: skip
def test_how_often_is_a_value(one: str, other: str, expected: bool) -> None:
    assert contradict(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Admission to Thistle Hall Museum is free.", "Tickets for Thistle Hall Museum cost 6 pounds.", True),
        ("Thistle Hall Museum charges no entrance fee.", "The entrance fee of Thistle Hall Museum is 4 euros.", True),
        ("Admission to Thistle Hall Museum is free for members.", "Tickets for Thistle Hall Museum cost 6 pounds.", False),
        ("Children enter Thistle Hall Museum free.", "Tickets for Thistle Hall Museum cost 6 pounds.", False),
        ("Bread at Thistle Hall Museum is free of gluten.", "Bread at Thistle Hall Museum costs 3 pounds.", False),
    ],
)  # fmt: skip
def test_what_is_free_has_a_price(one: str, other: str, expected: bool) -> None:
    assert contradict(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The speed limit at Thistle Hall Museum is 20 km/h.", "The maximum speed at Thistle Hall Museum is 10 km/h.", True),
        ("The lift of Thistle Hall Museum carries up to 8 people.", "The lift of Thistle Hall Museum carries up to 12 people.", True),
        ("Thistle Hall Museum needs at least 4 guards.", "Thistle Hall Museum needs a minimum of 6 guards.", True),
        ("The lift of Thistle Hall Museum carries up to 8 people.", "The lift of Thistle Hall Museum carried 5 people.", False),
        ("Thistle Hall Museum has more than 2,000 tools.", "Thistle Hall Museum has at least 1,500 tools.", False),
        ("Thistle Hall Museum pays up to 600 euros for lost coats.", "Thistle Hall Museum pays up to 250 euros for late coats.", False),
        ("The shaft of Thistle Hall Museum turns at 3,200 rpm.", "The shaft of Thistle Hall Museum turns at 900 revolutions per minute.", True),
    ],
)  # fmt: skip
def test_two_bounds_of_one_kind_are_compared(one: str, other: str, expected: bool) -> None:
    assert contradict(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Thistle Hall Museum is open from 9 am to 5 pm.", "Thistle Hall Museum is open from 10 am to 5 pm.", True),
        ("Thistle Hall Museum opens at 9 am.", "Opening hours of Thistle Hall Museum: 10 am to 5 pm.", True),
        ("Thistle Hall Museum is open from 9 am to 5 pm.", "On Sundays Thistle Hall Museum is open from 10 am to 5 pm.", False),
        ("On weekdays Thistle Hall Museum opens at 9 am.", "Thistle Hall Museum opens at 10 am from Monday to Friday.", True),
        ("On weekdays Thistle Hall Museum opens at 9 am.", "Thistle Hall Museum opens at 10 am at weekends.", False),
        ("Thistle Hall Museum is open every day.", "Thistle Hall Museum is closed on Mondays.", True),
        ("Thistle Hall Museum is closed on Tuesdays.", "Thistle Hall Museum is open on Mondays.", False),
    ],
)  # fmt: skip
def test_hours_are_of_their_days(one: str, other: str, expected: bool) -> None:
    assert contradict(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Dogs may be brought into Thistle Hall Museum.", "No dogs are allowed in Thistle Hall Museum.", True),
        ("The lift of Thistle Hall Museum is out of order.", "The lift of Thistle Hall Museum is working.", True),
        ("Dogs may be brought into Thistle Hall Museum.", "No cats are allowed in Thistle Hall Museum.", False),
        ("The lift of Thistle Hall Museum is out of order.", "The door of Thistle Hall Museum is working.", False),
    ],
)  # fmt: skip
def test_what_is_allowed_or_in_order_in_other_words(one: str, other: str, expected: bool) -> None:
    assert contradict(one, other) == expected


def test_two_repairs_do_not_contradict_and_two_last_ones_do() -> None:
    assert not contradict("Thistle Hall Museum was repainted in 1974.", "In 2011 Thistle Hall Museum was repainted.")
    assert contradict(
        "Thistle Hall Museum was last repainted in 1974.", "Thistle Hall Museum was last repainted in 1981."
    )
