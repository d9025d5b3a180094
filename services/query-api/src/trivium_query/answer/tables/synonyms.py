# ruff: noqa: SIM905  (word lists read best as words)
"""Words that mean a column by another name: "price" where it is called Cost, "spent" where it is Money out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trivium.ports.inference import Vector
from trivium_query.answer.tables.asked_words import Word, stems_of
from trivium_query.answer.tables.cues import NUMBERED
from trivium_query.answer.tables.table import Table
from trivium_query.words import stem

# Cosines of single words, all-MiniLM-L6-v2: rainfall and rain 0.80, cost and price 0.74, wage and salary 0.72,
# supervisor and manager 0.67; but also buyer and seller 0.83, profit and revenue 0.73. So what rests on one is never
# called sure.
LEAST_COSINE = 0.65
LEAST_LEAD = 0.08  # over the next column
# Accounts: what their two columns are called, and what is done with the money of each.
_COME = frozenset(map(stem, "in income receipts received credit".split()))
_GONE = frozenset(map(stem, "out expense expenses expenditure spending spent debit payments".split()))
_MONEY = frozenset(map(stem, "money account cash bank ledger budget treasurer finance".split()))
CURRENCIES = frozenset("EUR GBP USD CHF JPY € £ $ euro euros pounds dollars francs".split())
_RECEIVE = tuple(map(stem, "take took taken bring brought earn raise receive collect get got income".split()))
_SPEND = tuple(map(stem, "spend spent pay paid cost costs expense expenses".split()))
# The days of a stay, and what is done on them.
_FROM = frozenset(map(stems_of, ("from", "start", "start date", "arrival", "begin", "check in")))
_TO = frozenset(map(stems_of, ("to", "until", "till", "end", "end date", "departure", "check out")))
# Applications for money: what their two columns are called, and what an applicant does.
_ASKED = frozenset(map(stem, "requested asked applied sought claimed claim".split()))
_GIVEN = frozenset(map(stem, "granted awarded approved allocated given".split()))
_ASK = tuple(map(stem, "ask asked request requested seek sought claim claimed".split()))
_GET = tuple(map(stem, "get got given awarded granted receive received".split()))
# What is still to be paid, and by whom.
_BALANCE = stem("balance")
_DUE = frozenset(map(stem, "due owed owing outstanding unpaid".split()))
OWES = tuple(map(stem, "owe owes owed owing outstanding".split()))
_ARRIVE = tuple(map(stem, "arrive come begin began start".split()))
_LEAVE = tuple(map(stem, "leave depart end ends ended".split()))


def synonyms_of(words: Sequence[Word], vectors: Vector, labels: Vector) -> Mapping[str, int]:
    """Columns by the words' stems: rows of `vectors` are those of the words, rows of `labels` the columns'."""
    if not len(words) or not len(labels):
        return {}
    cosines = _unit(vectors) @ _unit(labels).T
    return {word.stem: place for word, row in zip(words, cosines, strict=True) if (place := _clear(row)) is not None}


def flows_of(table: Table) -> Mapping[str, int]:
    """Of accounts with a column of what came in and one of what went out: these, by what is done with money."""
    labels = {at: set(stems_of(table.columns[at].label)) for at in table.measured}
    come = [at for at, label in labels.items() if _COME & label and not _GONE & label]
    gone = [at for at, label in labels.items() if _GONE & label and not _COME & label]
    if len(come) != 1 or len(gone) != 1 or not all(_is_of_money(table, at) for at in (*come, *gone)):
        return {}
    return dict.fromkeys(_RECEIVE, come[0]) | dict.fromkeys(_SPEND, gone[0])


def ends_of(table: Table) -> Mapping[str, int]:
    """Of a table with a column of days from which and one to which: these, by what is done on them."""
    stay = stay_of(table)
    return dict.fromkeys(_ARRIVE, stay[0]) | dict.fromkeys(_LEAVE, stay[1]) if stay else {}


def stay_of(table: Table) -> tuple[int, int] | None:
    """The column of days from which and that of those to which, where these are all days that the table has."""
    columns = {at: table.columns[at] for at in table.dated}
    days = {at: stems_of(column.label) for at, column in columns.items() if not column.is_clock}
    first = [at for at, label in days.items() if label in _FROM]
    last = [at for at, label in days.items() if label in _TO]
    both = len(first) == 1 and len(last) == 1 and len(days) == len((*first, *last))
    return (first[0], last[0]) if both else None


def sums_of(table: Table) -> Mapping[str, int]:
    """The columns of what was asked for, given or is owed, by what those do of whom a row is.

    What is due after each day, as a balance, is no part of a sum.
    """
    sums, running = applications_of(table), bool(table.dated) and stay_of(table) is None
    labels = _labels_of_amounts(table)
    due = [at for at, label in labels.items() if _DUE & label and not (running and _BALANCE in label)]
    found = dict.fromkeys(_ASK, sums[0]) | dict.fromkeys(_GET, sums[1]) if sums else {}
    return found | (dict.fromkeys(OWES, due[0]) if len(due) == 1 else {})


def applications_of(table: Table) -> tuple[int, int] | None:
    """The column of what was asked for and that of what was given."""
    labels = _labels_of_amounts(table)
    asked = [at for at, label in labels.items() if _ASKED & label and not _GIVEN & label]
    given = [at for at, label in labels.items() if _GIVEN & label and not _ASKED & label]
    return (asked[0], given[0]) if len(asked) == 1 and len(given) == 1 else None


def _labels_of_amounts(table: Table) -> Mapping[int, frozenset[str]]:
    labels = {at: frozenset(stems_of(table.columns[at].label)) for at in table.measured}
    return {at: label for at, label in labels.items() if not NUMBERED & label}


def _is_of_money(table: Table, place: int) -> bool:
    """Whether what goes "in" or "out" is money, as it says itself or the table does: it may be flour."""
    bare = stems_of(table.columns[place].label) in (("in",), ("out",))
    return not bare or table.columns[place].unit in CURRENCIES or bool(_MONEY & set(stems_of(table.about)))


def _clear(row: Vector) -> int | None:
    """The one column that is near and nearer than all others."""
    order = np.argsort(-row)
    best = float(row[order[0]])
    lead = best - float(row[order[1]]) if len(order) > 1 else best
    return int(order[0]) if best >= LEAST_COSINE and lead >= LEAST_LEAD else None


def _unit(rows: Vector) -> Vector:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)
