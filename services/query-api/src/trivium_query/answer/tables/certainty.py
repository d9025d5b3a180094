# ruff: noqa: SIM905  (word lists read best as words)
"""Whether a plan uses all that the question says, and whether the question calls everything by its own name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trivium_query.answer.tables.asked_words import Run, Word, alike, stems_of, words_of
from trivium_query.answer.tables.conditions import is_period, unit_column
from trivium_query.answer.tables.cues import Cue, is_of_comparison
from trivium_query.answer.tables.mentions import OF_ONE
from trivium_query.answer.tables.months import is_month
from trivium_query.answer.tables.query_plan import SINCE, UP_TO, Aggregate, Filter, Plan, Test
from trivium_query.answer.tables.reading import Reading, affirmed, column_kinds, is_how, is_person
from trivium_query.answer.tables.table import ColumnKind, Table
from trivium_query.answer.tables.typed_cells import is_naming
from trivium_query.words import is_function_word, stem

# What counting fills a column with.
_COUNTED = frozenset(map(stem, "count number quantity amount pieces units copies anzahl menge".split()))
_OR = frozenset(("or", "oder"))
_JOINTS = _OR | frozenset(("and", "nor", "und", "a", "an", "the"))
_DENIED = (Test.IS_NOT, Test.EMPTY)
_ARITHMETIC = (Cue.SUM, Cue.MEAN, Cue.MEDIAN)


def counting(table: Table) -> list[int]:
    """The one column of how many there are."""
    labels = {at: set(stems_of(table.columns[at].label)) for at in table.measured}
    found = [
        at for at, label in labels.items() if _COUNTED & label and not OF_ONE & label and not table.columns[at].unit
    ]
    return found if len(found) == 1 else []


def uses_all(plan: Plan, reading: Reading) -> bool:
    """Whether no number, date, exclusion or "each" that the question names is left aside."""
    used = {plan.column, plan.minus, plan.group, *(one.column for one in (*plan.filters, *plan.less))}
    used |= {one.other for one in plan.filters}
    if plan.aggregate is Aggregate.COUNT:  # "how many months", where rows are of months; "were counted"
        used |= {reading.asked(), *counting(reading.table)}
    if plan.aggregate is Aggregate.COUNT and reading.counts_times():  # "how often is she down for a shift"
        used |= {at for at in reading.targets() if reading.table.columns[at].kind is ColumnKind.TEXT}
    if plan.extreme and (most := reading.cue(Cue.MOST, Cue.LEAST)):  # "the longest shift"
        used |= {one.column for one in reading.columns if one.run.first == most.run.end}
    values = [at for at in reading.targets() if not _names_rows(reading.table, at)]
    excluded = sum(one.test in _DENIED for one in plan.filters)
    arithmetic = {found.cue for found in reading.cues if found.cue in _ARITHMETIC}
    asked = sum(found.cue in (Cue.HOW_MANY, Cue.HOW_MUCH) for found in reading.cues)
    return (
        used.issuperset(values)
        and _says_once(plan.filters)
        and _are_joined(reading)
        and (plan.group is None or not _is_measure(reading.table, plan.group))
        and (plan.column is None or not affirmed(reading.table.columns[plan.column]))
        and excluded == sum(found.cue is Cue.NOT for found in reading.cues) + sum(one.denied for one in reading.columns)
        and (reading.cue(Cue.EACH) is None or plan.group is not None)
        and reading.group() in (None, plan.group)  # "which cottage has the most nights per guest"
        and len(arithmetic) <= 1
        and asked <= 1
        and not (plan.column is not None and asked and is_how(reading.table.columns[plan.column]))
        and not (asked and arithmetic - {Cue.SUM} and reading.cue(Cue.EACH))  # a mean of rows, or of what each has
        and not (reading.table.melted and plan.column is None)
        and not (_asks_of_each(plan) and any(one.test is Test.BEGINS for one in plan.filters))
        and not _compares(plan, reading)
        and not any(
            one.column == plan.column for one in plan.filters if plan.aggregate is Aggregate.VALUE and one.values
        )
    )


def _asks_of_each(plan: Plan) -> bool:
    """Whether values are told or counted: who was there "in March and April" was so in each, or in one."""
    told = plan.aggregate is Aggregate.COUNT or (plan.aggregate is Aggregate.VALUE and plan.group is None)
    return told and plan.column is not None


def _compares(plan: Plan, reading: Reading) -> bool:
    """Whether it is asked which of two that are joined has more, and not what that has: "more, in May or in June"."""
    found = reading.cue(Cue.MOST, Cue.LEAST)
    several = any(len(one.values) > 1 and one.test in (Test.IS, Test.BEGINS) for one in plan.filters)
    return several and found is not None and not plan.extreme and is_of_comparison(found, reading.words)


def _says_once(filters: Sequence[Filter]) -> bool:
    """Whether no column has to be two things at once, or begin or end twice, as on two days, nor be empty and more."""
    stated = [one.column for one in filters]
    if any(one.test in (Test.EMPTY, Test.BEGINS) and stated.count(one.column) > 1 for one in filters):
        return False
    kinds = [(one.column, (one.test in SINCE, one.test in UP_TO)) for one in filters if one.other is None]
    return len(kinds) == len(set(kinds))


def _are_joined(reading: Reading) -> bool:
    """Whether the question joins what all has to hold: "or" stands between values of one column only.

    And no "not" may go on to what is joined to it: "without a balcony and a bath".
    """
    filters = reading.filters()
    stated, denied = [one.column for one in filters], {one.column for one in filters if one.test in _DENIED}
    places = _places(reading, stated)
    for (run, one), (behind, other) in pairwise(places):
        between = {word.folded for word in reading.words[run.end : behind.first]}
        same = one == other and stated.count(one) == 1
        goes_on = one in denied and other not in denied and between and between <= _JOINTS
        if (between & _OR and not same) or goes_on:
            return False
    return True


def _places(reading: Reading, columns: Sequence[int]) -> list[tuple[Run, int]]:
    """Where the question says something of these columns, in order."""
    named = [(one.run, one.column) for one in reading.values] + [(one.run, one.column) for one in reading.columns]
    stated = [
        (Run(min(one.words), max(one.words) + 1), one.filters[0].column) for one in reading.conditions if one.filters
    ]
    return sorted(each for each in (*named, *stated) if each[1] in columns)


def _is_measure(table: Table, column: int) -> bool:
    return table.columns[column].measured and not is_naming(table.columns[column])


def _names_rows(table: Table, column: int) -> bool:
    """Whether a column's name only says what the rows are of: "all items", or "tools" of a file of loans of tools."""
    label = set(stems_of(table.columns[column].label))
    texts = column_kinds(table, ColumnKind.TEXT)
    called = bool(label) and label <= set(stems_of(table.about))
    return column in texts[:1] or (column in texts and (called or table.names_rows(column)))


def is_certain(plan: Plan, reading: Reading) -> bool:
    """Whether every column is called by its whole name, and every value; else the answer is told with a doubt."""
    columns = [at for at in (plan.column, plan.minus) if at is not None]
    stated = {plan.group, *(one.column for one in plan.filters)}
    timed = [at for at in reading.table.dated if at in stated]
    beyond = set(stems_of(reading.table.about))
    known = (word for word in reading.spare() if not (is_person(word) or reading.is_occasion(word)))
    around = [word for word in known if word.stem not in beyond]
    return (
        not reading.calls_table_otherwise()
        and not _may_be_joined(plan, reading)
        and all(one.whole for one in reading.values)
        and all(_is_called(at, reading) for at in columns)
        and all(_is_called(at, reading) or is_period(reading.table.columns[at]) for at in timed)
        and (plan.aggregate is Aggregate.VALUE or not any(unit_column(reading.table, word) == [] for word in around))
    )


def _may_be_joined(plan: Plan, reading: Reading) -> bool:
    """Whether some of what has the most differ by a month alone, and no single entry is asked for.

    "Cleaner April" and "Cleaner May" may be meant as one.
    """
    most = reading.cue(Cue.MOST, Cue.LEAST)
    if plan.group is None or plan.extreme is None or most is None:
        return False
    if reading.asks_for_occasion(most) or any(word.folded == "single" for word in reading.words):
        return False
    values = [words_of(value) for value in reading.table.columns[plan.group].values]
    named = [tuple(one.stem for at, one in enumerate(words) if not is_month(words, at)) for words in values]
    return any(0 < len(one) < len(words) and named.count(one) > 1 for one, words in zip(named, values, strict=True))


def _may_be_others(asked: Word, reading: Reading) -> bool:
    """Whether the table is called after it, and its rows are not: customers, of items in `customer_orders.csv`."""
    return reading.is_called_after(asked) and not reading.is_name_of_rows(asked)


def _is_called(place: int, reading: Reading) -> bool:
    """Every word of the label is in the question, or the column is what is counted where nothing else could be."""
    column = reading.table.columns[place]
    parts = [part for part in stems_of(column.label) if not is_function_word(part)]
    said = [word.stem for word in reading.words]
    hints = [hint for found in reading.cues for hint in found.hints]
    of_things = bool(reading.values) or reading.cue(Cue.HOW_MANY) is not None
    asked = reading.asked()
    implied = place == reading.person_or_place()
    implied = implied or (asked is not None and asked != place == reading.titled(asked))
    implied = implied or (place == reading.names_of_rows() and not _may_be_others(reading.words[1], reading))
    implied = implied or (of_things and counting(reading.table) == [place])
    implied = implied or (bool(reading.table.melted) and place == len(reading.table.columns) - 1)
    return implied or all(any(alike(part, each) for each in (*said, *hints)) for part in parts)
