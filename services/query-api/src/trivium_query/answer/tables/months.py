"""Several months that a question names by their ends or number, where a table has a column of months."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trivium_query.answer.tables.asked_words import Run, Word
from trivium_query.answer.tables.from_units import MONTH_LABEL
from trivium_query.answer.tables.table import ColumnKind, Table
from trivium_query.contradictions.values import number_told

_JOINS = frozenset(("to", "till", "until", "through"))
_SINCE, _UNTIL = frozenset(("since", "from")), frozenset(("until", "till", "to"))
_LEADS = frozenset(("between", "from"))
_BEFORE_MONTHS = frozenset(
    ("in", "and", "or", "for", "of", "during", "than", "since", "between", "before", "after", *_JOINS, *_SINCE)
)
_DASH_CHARS = 3  # between "January" and "June", with nothing but a dash and spaces
_SPANS = {"month": 1, "months": 1, "quarter": 3, "half": 6}
_IN = frozenset(("in", "during"))
_MONTHS = "|".join(calendar.month_name[1:])
_DAY = re.compile(rf"\d{{1,2}}\.?\s+(?:{_MONTHS})|(?:{_MONTHS})\s+\d{{1,2}}")
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3}


def month_column(table: Table) -> int | None:
    """Its place in a table that had a column for each month."""
    places = [at for at, column in enumerate(table.columns) if column.label == MONTH_LABEL]
    return places[-1] if table.melted and places else None


def is_month(words: Sequence[Word], at: int) -> bool:
    """Whether the word is a month's name: "may" is one behind "in" or "and"."""
    word = words[at]
    if word.folded == "may" and word.written.islower():
        return at > 0 and words[at - 1].folded in _BEFORE_MONTHS
    return word.folded.capitalize() in calendar.month_name


def spans_of_months(table: Table, words: Sequence[Word]) -> Iterator[tuple[Run, tuple[str, ...]]]:
    """The words and the table's months of "from January to June", "since May", "the first three months", a half."""
    column = month_column(table)
    if column is None:
        return
    months = table.columns[column].values
    named = [at for at in range(len(words)) if is_month(words, at) and words[at].folded.capitalize() in months]
    places = {at: months.index(words[at].folded.capitalize()) for at in named}
    used: set[int] = set()
    for one, other in pairwise(named):
        if _are_ends(words, one, other) and places[one] <= places[other]:
            used |= {one, other}
            led = one > 0 and words[one - 1].folded in _LEADS
            yield Run(one - led, other + 1), months[places[one] : places[other] + 1]
    for at in named:
        lead = words[at - 1].folded if at else ""
        if at not in used and lead in _SINCE | _UNTIL:
            yield Run(at - 1, at + 1), months[places[at] :] if lead in _SINCE else months[: places[at] + 1]
    yield from _counted(words, months)


def days_of_months(table: Table, words: Sequence[Word]) -> Iterator[tuple[int, Run, tuple[str, ...]]]:
    """Of the one column of days without a year, those of a month: "in May" of "20 May"."""
    columns = {at: column.values for at, column in enumerate(table.columns) if column.kind is ColumnKind.TEXT}
    days = [at for at, values in columns.items() if values and all(map(_DAY.fullmatch, values))]
    others = any(column.unit.capitalize() in calendar.month_name[1:] for column in table.columns)  # "2 June" in each
    if table.melted or table.dated or others or len(days) != 1:
        return
    for at, (lead, word) in enumerate(pairwise(words)):
        of_month = (value for value in columns[days[0]] if word.folded in value.casefold().split())
        if lead.folded in _IN and is_month(words, at + 1) and (values := tuple(of_month)):
            yield days[0], Run(at, at + 2), values


def _are_ends(words: Sequence[Word], one: int, other: int) -> bool:
    between = [word.folded for word in words[one + 1 : other]]
    lead = words[one - 1].folded if one else ""
    if not between:
        return words[other].start - words[one].end <= _DASH_CHARS and words[other].start - words[one].end > 1
    return len(between) == 1 and (between[0] in _JOINS or (between[0] == "and" and lead == "between"))


def _counted(words: Sequence[Word], months: Sequence[str]) -> Iterator[tuple[Run, tuple[str, ...]]]:
    for at, word in enumerate(words):
        size = _SPANS.get(word.folded)
        if size is None:
            continue
        told = number_told(words[at - 1].folded) if at else None
        number = int(told[0]) if told else 0
        lead = words[at - (2 if number else 1)].folded if at >= (2 if number else 1) else ""
        chosen: Sequence[str] = ()
        if number and lead in ("first", "last") and size == 1:
            chosen = months[:number] if lead == "first" else months[-number:]
        elif not number and lead in _ORDINALS and size > 1:
            chosen = months[_ORDINALS[lead] * size : (_ORDINALS[lead] + 1) * size]
        if len(chosen) == (number or size):
            yield Run(at - (2 if number else 1), at + 1), tuple(chosen)
