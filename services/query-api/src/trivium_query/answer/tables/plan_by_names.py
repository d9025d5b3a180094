# ruff: noqa: SIM905  (word lists read best as words)
"""A plan from names alone: sure only where every word of the question is a value, a column, a time or a known cue.

A word that is left over could change the sum, and no answer is better than a wrong one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec

from trivium_query.answer.tables.asked_words import Word, joined, stems_of, words_of
from trivium_query.answer.tables.certainty import counting, is_certain, uses_all
from trivium_query.answer.tables.conditions import is_period, unit_column
from trivium_query.answer.tables.cues import (
    AGE,
    AGGREGATES,
    DATES,
    NOW,
    NUMBER_WORDS,
    SIZED,
    SIZES,
    TELLING,
    THINGS,
    Cue,
    CueFound,
    cues_of,
)
from trivium_query.answer.tables.mentions import hinted, is_of_one, is_rate
from trivium_query.answer.tables.query_plan import SINCE, UP_TO, Aggregate, Filter, Plan, Sign, Test
from trivium_query.answer.tables.reading import (
    ATTENDING,
    FEES,
    MEASURES,
    Reading,
    affirmed,
    column_kinds,
    has_names_of_rows,
    heads_of,
    is_doer,
    is_person,
    persons_of,
    read,
)
from trivium_query.answer.tables.synonyms import CURRENCIES, flows_of, sums_of
from trivium_query.answer.tables.table import Column, ColumnKind, Table
from trivium_query.answer.tables.typed_cells import is_naming
from trivium_query.words import is_function_word, stem

_T = TypeVar("_T")
_ARITHMETIC = (Cue.SUM, Cue.MEAN, Cue.MEDIAN)
_DIFFERENCES = (Cue.DIFFERENCE, Cue.MORE, Cue.FEWER, Cue.GROWTH, Cue.CHANGE)
_COMPUTED = (*_ARITHMETIC, *_DIFFERENCES, Cue.MOST, Cue.LEAST, Cue.SHARE, Cue.HOW_MANY)
# What adding up says nothing of.
_NOT_ADDED = frozenset(
    map(
        stem,
        "level price temperature mean average rate share percent height depth speed age days most maximum max"
        " limit".split(),
    )
)
_PRICE = frozenset((stem("price"),))
_PRICES = tuple(map(stem, ("price", "cost", "fee", "charge")))
_PAID = frozenset(
    map(stem, "cost spend spent pay paid owe owed owing outstanding money charge charged expense".split())
)
_MONEY = stem("money")
_DEALT = frozenset("sold bought paid".split())
_DOES = frozenset("do does did".split())
_IS = frozenset("is are was were".split())
_WHO_IS = _IS | {"who", "the"}
# What a superlative means the sum of, where several rows have it: "the highest revenue" of a shop.
_SUMMED = frozenset(map(stem, "revenue sales turnover income profit earnings expenses units quantity umsatz".split()))
_NO_COSTS = frozenset(
    map(stem, "deposit discount donation refund budget salary wage grant prize balance fund saving in received".split())
)
_BOUNDS = (*SINCE, *UP_TO)
_SPANS = frozenset(map(stem, "month week day quarter".split()))  # come again in each year
_AMOUNT = frozenset((stem("amount"),))
_SPENT = frozenset(map(stem, ("spend", "spent")))
_SPENDERS = frozenset("we i was were been have".split())  # stand right before it
_DAY, _WHEN = stem("day"), stem("when")
_ISO_DAY = len("2024-12-31")
_PERSONAL = frozenset("who whose wer".split())
_COUNTING = frozenset("most least fewest more less fewer".split())
_CHOOSE_OF = frozenset("which what in on at".split())
_CHOOSE = frozenset("which who where welche welcher welches wer wo".split())
_QUESTIONS = frozenset("what which who whom whose where when how was welche wer wo wann wie".split())
_OPENS_CLOSED = frozenset("is are was were do does did has have had can could will would should why".split())


_EVER = frozenset("ever any anybody anyone somebody someone".split())
_WAS_DONE = frozenset("did was were has have".split())
_BOTH = 2  # columns of which something is said
_OF_EACH = frozenset("and und all both only never".split())  # more than one row of it, or no other
_DEEDS = frozenset(map(stem, "pay paid live lie offer see saw seen belong buy get work plan help want need".split()))
_MAY_COME = frozenset("can could may might must shall should would do does".split())
_LEFT = frozenset("left remaining remain remains unspent".split())
_RESTS = tuple(map(stem, ("left", "remaining", "balance", "rest", "available", "stock")))
_BUDGET = frozenset(map(stem, "budget budgeted allowance allotted allocated allocation entitlement".split()))
_TAKEN = frozenset(map(stem, "spent spend taken used".split()))
_TOTAL = frozenset((stem("total"),))
_OF_SEVERAL = (Cue.SHARE, *_DIFFERENCES, Cue.MOST, Cue.LEAST, Cue.MEAN, Cue.MEDIAN, Cue.EACH)
_NOW = frozenset("now currently presently moment right".split())
_DIFFERENT = frozenset(("different", "distinct"))
_HAVING = frozenset("have has had".split())
_NEAR = 2  # words before the name of what is asked for
MAX_LEFT = 3  # words that a plan which is told with a doubt has no use for


class Planned(msgspec.Struct, frozen=True):
    """What the question's words allow; None where that is nothing, or several things.

    `told` counts the words that name something of the table, `unexplained` are those it has no use for, and `spare`
    those that may be other names of columns. `whole`: the plan uses all that is named. `certain`: every column and
    value is called by its own name; `certain_of_none`: enough of them are, where no row is of what is asked.
    `loose`: the few words that are left over name and bound nothing. `affirmed`: what the cell says where the answer
    is yes.
    """

    plan: Plan | None
    told: int
    whole: bool = False
    unexplained: tuple[Word, ...] = ()
    certain: bool = True
    certain_of_none: bool = True
    spare: tuple[Word, ...] = ()
    loose: bool = False
    affirmed: tuple[str, ...] = ()

    @property
    def likely(self) -> Plan | None:
        """The plan of what is computed, also where a few words are left over: told with a doubt."""
        return self.plan if self.whole and self.loose else None

    @property
    def sure(self) -> Plan | None:
        """The plan, if no word is left over, and nothing that is named."""
        return self.plan if self.whole and not self.unexplained else None


def plan_by_names(question: str, table: Table, synonyms: Mapping[str, int]) -> Planned:
    """The only plan that the question's words allow; `synonyms` are columns by the stem of a word that means them."""
    reading = read(question, table, synonyms)
    plan = next(filter(None, (decide(reading) for decide in _kind_of(reading))), None)
    bounded = _bounded_of_several(plan, reading) if plan else []
    plan = msgspec.structs.replace(plan, agreeing=tuple(bounded)) if plan else None
    whole = plan is not None and uses_all(plan, reading) and not (bounded and _is_of_all(plan, bounded, reading))
    noun = None if _sums_what_is_unknown(plan, reading) else reading.noun_of_rows()
    of_rest = _words_of_rest(reading) if plan is not None and plan.minus is not None else ()
    left = tuple(word for word in reading.unexplained() if word != noun and word not in of_rest)
    called = plan is not None and not synonyms and is_certain(plan, reading)
    none = called and (not noun or reading.is_called_after(noun))
    one_a_row = not noun or (reading.is_name_of_rows(noun) and not counting(table))
    loose = plan is not None and _is_loose(plan, reading, left)
    return Planned(plan, reading.told(), whole, left, called and one_a_row, none, reading.spare(), loose)


def _bounded_of_several(plan: Plan, reading: Reading) -> list[int]:
    """Columns whose bound may be on what several rows add up to: "who took more than 5 days", of several times."""
    table = reading.table
    if plan.aggregate not in (Aggregate.COUNT, Aggregate.VALUE) or plan.column is None or plan.group is not None:
        return []
    column = table.columns[plan.column]
    if (column.measured and not is_naming(column)) or table.names_rows(plan.column) or _opens_with_when(reading):
        return []
    bounded = [one.column for one in plan.filters if (one.test in _BOUNDS or one.values == (0,)) and one.other is None]
    added = [at for at in bounded if table.columns[at].measured and _is_added(reading, at)]
    return [at for at in added if not FEES & set(stems_of(table.columns[at].label))]


def _is_of_all(plan: Plan, bounded: Sequence[int], reading: Reading) -> bool:
    """Whether it is not said of what each one is: "routes that are over 10 km" are so each time. No day is asked so."""
    if plan.column in reading.table.dated:
        return False
    first = {min(one.words) for one in reading.conditions for each in one.filters if each.column in bounded}
    said = all(at and reading.words[at - 1].folded in _IS for at in first)
    return not said or plan.column is None or is_doer(reading.table.columns[plan.column])


def _sums_what_is_unknown(plan: Plan | None, reading: Reading) -> bool:
    """Whether numbers are added up, of what the table is not called after: otters in a table of fish."""
    counted = reading.counted()
    known = counted is None or reading.is_called_after(counted) or reading.is_of_kind(counted)
    return bool(plan and plan.aggregate is Aggregate.SUM and not known)


def _is_loose(plan: Plan, reading: Reading, left: Sequence[Word]) -> bool:
    """Whether the words left over are few, none a name or a bound, nor what is counted or has the most."""
    telling = TELLING | NOW | (NUMBER_WORDS if reading.cue(Cue.MOST, Cue.LEAST) else frozenset())
    names = [word for word in left if word.folded in telling or word.written[0].isdigit() or _is_name(reading, word)]
    of_values = plan.column is not None and any(word.folded in _DIFFERENT for word in reading.words)
    counted = plan.aggregate is Aggregate.COUNT and not reading.counts_times() and not of_values
    if names or plan.rank > 1 or not reading.told() or len(left) > MAX_LEFT or _tell_kind(reading, left):
        return False
    heads = heads_of(reading.table)
    if left and heads is not None and heads == plan.column and not any(one.column == heads for one in reading.columns):
        return False  # "how many people were hurt" are no visitors
    if plan.aggregate is Aggregate.VALUE or counted:
        return _is_verb(reading, left) and (counted or _looks_up_one(plan, reading))
    called = any(one.column == plan.column for one in reading.columns)
    extremes = [reading.behind(found) for found in reading.cues if found.cue in (Cue.MOST, Cue.LEAST)]
    by_verb = flows_of(reading.table).keys() & {reading.words[one.run.first].stem for one in reading.columns}
    if by_verb and extremes:  # "which fundraisers raised most": of which rows is not known
        return False
    return reading.counted() not in left and (called or not any(thing in left for thing in extremes))


def _tell_kind(reading: Reading, left: Sequence[Word]) -> bool:
    """Whether several values begin with one of them ("detergent"), or one names a kind of rows: "soul records"."""
    return bool(left) and (
        _begins_several(reading.table, left) or any(_stands_before_rows(reading, word) for word in left)
    )


def _begins_several(table: Table, left: Sequence[Word]) -> bool:
    columns = (table.columns[at] for at in column_kinds(table, ColumnKind.TEXT))
    first = (Counter(stems_of(value)[:1] for value in column.values) for column in columns)
    return any(times[(word.stem,)] > 1 for times in first for word in left)


def _stands_before_rows(reading: Reading, word: Word) -> bool:
    behind = reading.words.index(word) + 1
    named = [one.column for one in reading.columns if one.run.first == behind]
    return any(map(reading.table.names_rows, named))


def _is_verb(reading: Reading, left: Sequence[Word]) -> bool:
    """Whether one word is left over that ends the question or stands before "on" or "in": "hang on rail E"."""
    if len(left) != 1:
        return False
    at = reading.words.index(left[0])
    ends = at + 1 == len(reading.words) or is_function_word(reading.words[at + 1].folded)
    before = reading.words[at - 1]
    is_noun = before.folded not in _OPENS_CLOSED and is_function_word(before.folded)  # "of the oak", "with legs"
    return ends and at > 1 and not is_noun and before.folded not in _IS and left[0] != reading.counted()


def _looks_up_one(plan: Plan, reading: Reading) -> bool:
    """Whether the column is named, and the one row; "where was it stolen" may ask for no place that is told."""
    if len(reading.words) > 1 and reading.words[0].folded not in _CHOOSE_OF and reading.words[1].folded in _IS:
        return False
    return plan.column in {one.column for one in reading.columns} and _names_one_row(reading)


def _is_name(reading: Reading, word: Word) -> bool:
    return word.written[0].isupper() and word != reading.words[0]


def plans_of_cells(question: str, table: Table) -> list[Planned]:
    """For yes or no: what stands in a cell of the rows that are named; nothing is computed.

    Of a column of these, "has Wanda Kowal paid her fee", or one that a value is named of: "was the course online".
    """
    reading = read(question, table, {})
    if reading.cues or any(one.denied for one in reading.columns):
        return []
    mark = _only(reading.marks())
    if mark is not None:
        return [_of_cell(reading, mark, affirmed(table.columns[mark]))]
    values = {one.column: one.values for one in reading.values}
    return [_of_cell(reading, column, said) for column, said in values.items() if len(values) > 1 and len(said) == 1]


def _of_cell(reading: Reading, column: int, said: tuple[str, ...]) -> Planned:
    plan = Plan(Aggregate.VALUE, column, reading.filters(leaving=column))
    dated = reading.table.dated
    named = all((one.test is Test.IS and len(one.values) == 1) or one.column in dated for one in plan.filters)
    beside = [at for at in reading.targets() if at != column and not reading.table.columns[at].measured]
    whole = bool(named and plan.filters and not beside and not _is_of_deed(reading, column))
    left = tuple(word for word in reading.unexplained() if word.folded not in _NOW)
    return Planned(plan, reading.told(), whole, left, affirmed=said)


def _is_of_deed(reading: Reading, column: int) -> bool:
    """Whether a day is that of what the column tells, not of the row: "paid in March"."""
    ends = {one.run.end for one in reading.columns if one.column == column}
    days = [one for one in reading.conditions if {each.column for each in one.filters} & {*reading.table.dated}]
    return any({end, end + 1} & one.words for one in days for end in ends)


def plan_of_existence(question: str, table: Table) -> Planned | None:
    """For yes or no: how many rows are of all that is named; None where it is asked for something else.

    Of what is "ever" so, or was done in a log of days; "is it with breakfast" is asked of each row, as what "all" did
    and what "both" did. No number of things is that of a row: "10 pieces".
    """
    reading = read(question, table, {})
    filters = reading.filters()
    named = {one.column for one in filters}
    ever = any(word.folded in _EVER for word in reading.words)
    done = bool(table.dated) and reading.words[0].folded in _WAS_DONE
    marked = any(affirmed(table.columns[column]) for column in named)
    if reading.cues or len(named) < _BOTH or not (ever or (done and not marked)) or _is_more_than_a_row(reading):
        return None
    plan = Plan(Aggregate.COUNT, None, filters)
    left = tuple(word for word in reading.unexplained() if word.folded not in _EVER)
    certain = is_certain(plan, reading)
    return Planned(plan, reading.told(), uses_all(plan, reading), left, certain, certain)


def _is_more_than_a_row(reading: Reading) -> bool:
    """Whether no row says it by itself: of what each did, or did to another, or what the table is not about."""
    things, said = {one.run.first for one in reading.columns}, {word.folded for word in reading.words}
    number = any(one.run.end in things and reading.words[one.run.end - 1].folded.isdigit() for one in reading.values)
    several = len({one.column for one in reading.values}) < len(reading.values) and "or" not in said
    known = joined(one.run for one in reading.columns)
    other = any(word.stem in _DEEDS for at, word in enumerate(reading.words) if at not in known)
    days = any(_is_of_deed(reading, at) for at in reading.filtered() if affirmed(reading.table.columns[at]))
    return number or several or other or days or not _OF_EACH.isdisjoint(said)


def _kind_of(reading: Reading) -> Sequence[Callable[[Reading], Plan | None]]:
    """What the cues ask for; only the first kind that fits, for a question that is nearly one is none of the others."""
    if reading.cue(*_DIFFERENCES) and reading.cue(Cue.MOST, Cue.LEAST):
        return (_spread,)
    if reading.cue(Cue.HOW_MUCH, Cue.HOW_MANY) and _allotted(reading) and not reading.cue(*_OF_SEVERAL):
        return (_remainder,)
    kinds: tuple[tuple[tuple[Cue, ...], Sequence[Callable[[Reading], Plan | None]]], ...] = (
        ((Cue.SHARE,), ()),
        (_DIFFERENCES, (_difference_of_values, _difference_of_years, _difference_of_columns)),
        ((Cue.MOST, Cue.LEAST), (_extreme,)),
        ((Cue.MEAN, Cue.MEDIAN), (_aggregate,)),
        ((Cue.HOW_MANY,), (_how_many,)),
        ((Cue.SUM,), (_aggregate,)),
        ((Cue.EACH,), (_each,)),
    )
    return next((kind for cues, kind in kinds if reading.cue(*cues)), (_look_up,))


def _remaining(reading: Reading) -> tuple[Word, ...]:
    """The words that ask for what is left, and no column has: "left", "left over"."""
    spare = reading.unexplained()
    over = [two for one, two in pairwise(reading.words) if (one.folded, two.folded) == ("left", "over")]
    return tuple(word for word in spare if word.folded in _LEFT or word in over)


def _words_of_rest(reading: Reading) -> tuple[Word, ...]:
    """The same, and what both columns are called: "days left" of days in total and days taken."""
    labels = [set(stems_of(reading.table.columns[at].label)) for at in _allotted(reading) or ()]
    if not labels:
        return ()
    return (*_remaining(reading), *(word for word in reading.words if word.stem in labels[0] & labels[1]))


def _allotted(reading: Reading) -> tuple[int, int] | None:
    """The one column of what there is to spend or take, and that of what was, where it is asked what is left.

    A "total" is that only of the same: "days total" beside "days taken".
    """
    table = reading.table
    labels = {at: set(stems_of(table.columns[at].label)) for at in table.measured}
    pairs = [
        (first, second)
        for first, one in labels.items()
        for second, other in labels.items()
        if other & _TAKEN and (one & _BUDGET or one - _TOTAL == other - _TAKEN != one)
    ]
    found = _only(pairs) if _remaining(reading) else None
    same = found is not None and table.columns[found[0]].unit == table.columns[found[1]].unit
    return found if same and not hinted(table, _RESTS) else None


def _remainder(reading: Reading) -> Plan | None:
    """What is allotted less what was spent of it; less than nothing where that was more."""
    found = _allotted(reading)
    if found is None or not {*_measures(reading)} <= {*found} or reading.filtered() & {*found}:
        return None
    return Plan(Aggregate.SUM, found[0], reading.filters(), minus=found[1], sign=Sign.KEPT)


def _spread(reading: Reading) -> Plan | None:
    """The greatest less the least."""
    measure = _measure(reading)
    both = reading.cue(Cue.MOST) and reading.cue(Cue.LEAST) and reading.cue(Cue.DIFFERENCE)
    if measure is None or not both or _is_ranked(reading):
        return None
    return Plan(Aggregate.SPREAD, measure, reading.filters(), reading.group())


def _difference_of_values(reading: Reading) -> Plan | None:
    """Of two values of one column: "more sea trout than salmon"."""
    measure = _measure(reading)
    pairs = [
        one for one in reading.filters() if one.test is Test.IS and len(one.values) == 2 and _is_text(reading, one)
    ]
    if measure is None or len(pairs) != 1:
        return None
    first, second = ((Filter(pairs[0].column, Test.IS, (value,)),) for value in _in_order(reading, pairs[0]))
    return _subtracted(reading, measure, pairs[0].column, first, second)


def _in_order(reading: Reading, pair: Filter) -> Sequence[str | float]:
    """What stands behind "than" comes last."""
    than = next((at for at, word in enumerate(reading.words) if word.folded == "than"), None)
    named = [one.run.first for one in reading.values if one.column == pair.column]
    turned = than is not None and len(named) == 2 and than < named[0]
    return pair.values[::-1] if turned else pair.values


def _difference_of_years(reading: Reading) -> Plan | None:
    """Of two years: the first named less the second; of a growth the later less the earlier."""
    measure = _measure(reading)
    named = [one for one in reading.filters() if reading.table.columns[one.column].years]
    years = named[0].values if len(named) == 1 and named[0].test in (Test.IS, Test.BETWEEN) else ()
    if measure is None or len(years) != 2:
        return None
    ordered = sorted(years, reverse=True) if reading.cue(Cue.GROWTH, Cue.CHANGE) else years
    first, second = ((Filter(named[0].column, Test.IS, (year,)),) for year in ordered)
    return _subtracted(reading, measure, named[0].column, first, second)


def _subtracted(
    reading: Reading, measure: int, column: int, first: tuple[Filter, ...], second: tuple[Filter, ...]
) -> Plan:
    others = reading.filters(leaving=column)
    if reading.cue(Cue.FEWER):
        first, second = second, first
    return Plan(_chosen(reading, Aggregate.SUM), measure, others + first, less=others + second, sign=_sign(reading))


def _sign(reading: Reading) -> Sign:
    if reading.cue(Cue.CHANGE):
        return Sign.KEPT
    return Sign.ABSOLUTE if reading.cue(Cue.DIFFERENCE) else Sign.POSITIVE


def _difference_of_columns(reading: Reading) -> Plan | None:
    """Of two columns of measures: the first named less the second."""
    measures = _measures(reading)
    if len(measures) != 2:
        return None
    first, second = reversed(measures) if reading.cue(Cue.FEWER) else measures
    return Plan(_chosen(reading, Aggregate.SUM), first, reading.filters(), minus=second, sign=_sign(reading))


def _extreme(reading: Reading) -> Plan | None:
    """The greatest or least, or which one has it: of sums where "most" counts together what stands in several rows."""
    found = reading.cue(Cue.MOST, Cue.LEAST)
    plan = (_most_rows(reading, found) or _most_of(reading, found)) if found else None
    if found is None or plan is None or not _is_ranked(reading):
        return plan
    others = reading.cue(Cue.HOW_MANY) or sum(each.cue in (Cue.MOST, Cue.LEAST) for each in reading.cues) > 1
    unlisted = found.top and not _lists(reading, found)
    bare = found.is_bare and not _measures(reading)
    if others or unlisted or bare or (plan.group is not None and not plan.extreme):
        return None
    return msgspec.structs.replace(plan, rank=found.rank, top=found.top)


def _is_ranked(reading: Reading) -> bool:
    return any(found.rank > 1 for found in reading.cues)


def _lists(reading: Reading, found: CueFound) -> bool:
    """Whether the most of all that pass are asked for: "which are the two highest".

    And not what they come to, nor which of them is something: "which of the three cheapest is a city bike".
    """
    opening, *rest = (word.folded for word in reading.words)
    added = reading.cue(*_ARITHMETIC)
    if added:
        return (opening in _CHOOSE or rest[:1] == ["are"]) and found.run < added.run
    return rest[:1] != ["of"] or not reading.filters()


def _most_of(reading: Reading, found: CueFound) -> Plan | None:
    """The same of a column of numbers or dates."""
    measure = _measure(reading)
    if measure is None or (reading.cue(Cue.MOST) and reading.cue(Cue.LEAST)) or _is_of_others(reading):
        return None
    extreme = AGGREGATES[found.cue]
    day = _only(_dates(reading, ()))
    asks_when = _opens_with_when(reading) and reading.table.columns[measure].measured
    subject = day if asks_when else _subject(reading, measure)
    if subject is None and day not in (None, measure) and reading.asks_which_row(measure):
        return Plan(extreme, measure, reading.filters(), day, extreme)  # a row without a name is called by its day
    if subject is None:
        return Plan(extreme, measure, reading.filters(), reading.group()) if _is_whole(reading, measure) else None
    subject = reading.titled(subject)
    if measure in _costs_of(reading, found.hints) and not reading.table.names_rows(subject):
        return None  # of one of these, or of all
    counted = any(word.folded in _COUNTING for word in reading.words[found.run.first : found.run.end])
    counted = counted and not found.hints and not _costs(reading, measure)
    counted = counted or (_is_summed(reading, measure) and not reading.asks_for_occasion(found))
    added = _is_added(reading, measure) and not any(word.folded == "single" for word in reading.words)
    if counted and not added and not reading.table.names_rows(subject):
        return None  # of one row, of one day or of all
    inner = Aggregate.SUM if counted and added else extreme
    return Plan(_chosen(reading, inner), measure, reading.filters(), subject, extreme)


def _costs(reading: Reading, measure: int) -> bool:
    """Whether it is what one costs: "which costume costs the most to hire", of a fee in each row."""
    said = any(word.folded in ("costs", "cost") for word in reading.words)
    return said and bool(FEES & set(stems_of(reading.table.columns[measure].label)))


def _most_rows(reading: Reading, found: CueFound) -> Plan | None:
    """Where most persons are, of a table with a row for each: "which town do most members come from"."""
    table = reading.table
    counted = reading.words[found.run.end] if found.run.end < len(reading.words) else None
    if reading.counts_times():
        named = [at for at in reading.targets() if table.columns[at].kind is ColumnKind.TEXT]
        groups = (reading.asked(), reading.person_or_place(), _only(named))
        return _rows_by(reading, found, next((at for at in groups if at is not None), None))
    often = any(word.folded in _COUNTING | {"number"} for word in reading.words[found.run.first : found.run.end])
    if often and not found.hints and reading.is_of_several_occasions(found) and not _measures(reading):
        group = reading.asked()  # every one has one row where it names them
        return _rows_by(reading, found, None if group is None or table.names_rows(group) else group)
    if (group := _group_of_rows(reading, found)) is not None:
        return _rows_by(reading, found, group)
    persons = _people(table)  # no column of how many they are
    if counted is None or not is_person(counted) or persons is None or found.hints:
        return None
    group = reading.asked()
    return _rows_by(reading, found, reading.person_or_place() if group is None else group)


def _rows_by(reading: Reading, found: CueFound, group: int | None) -> Plan | None:
    return None if group is None else Plan(Aggregate.COUNT, None, reading.filters(), group, AGGREGATES[found.cue])


def _group_of_rows(reading: Reading, found: CueFound) -> int | None:
    """The column that is asked for by the most of what rows are called: "which club had the most bakers"."""
    table, group = reading.table, reading.asked()
    counted = [one.column for one in reading.columns if one.run.first == found.run.end and table.names_rows(one.column)]
    others = {*reading.targets()} - {*counted, group}
    said = reading.words[found.run.first].folded in _COUNTING and not (found.hints or others or counting(table))
    return group if said and counted and group is not None and not table.names_rows(group) else None


def _aggregate(reading: Reading) -> Plan | None:
    measure = _measure(reading)
    aggregate = _chosen(reading, Aggregate.SUM)
    if measure is None or _is_open(reading) or reading.table.columns[measure].again:
        return None
    if aggregate is Aggregate.SUM and not _is_added(reading, measure):
        return None
    return Plan(aggregate, measure, reading.filters(), reading.group())


def _how_many(reading: Reading) -> Plan | None:
    """Different values, what a column of numbers counts, or rows."""
    asked, group, counted = reading.asked(), reading.group(), reading.counted()
    if asked is None or reading.is_of_kind_of_occasions(asked):
        return _how_many_days(reading, counted, group) or _how_many_rows(reading, counted, group)
    if counted is not None and is_person(counted) and asked not in persons_of(reading.table):
        return None  # members are no memberships
    if not reading.table.columns[asked].measured or is_naming(reading.table.columns[asked]):
        return _how_many_values(reading, asked, group)
    if asked in reading.filtered() or reading.table.columns[asked].unit in CURRENCIES:
        return None  # how many there are of such a number, or their sum
    if _names_one_row(reading):
        return Plan(Aggregate.VALUE, asked, reading.filters(), group)
    return Plan(Aggregate.SUM, asked, reading.filters(), group) if _is_added(reading, asked) else None


def _how_many_days(reading: Reading, counted: Word | None, group: int | None) -> Plan | None:
    """Different dates of the rows that are named: "on how many days did it rain"."""
    days = _only(column_kinds(reading.table, ColumnKind.DATE))
    counts = counted is not None and counted.stem == _DAY and days is not None and bool(reading.filters())
    return Plan(Aggregate.COUNT, days, reading.filters(), group) if counts else None


def _how_many_rows(reading: Reading, counted: Word | None, group: int | None) -> Plan | None:
    """Of what no column is called, or what the one column that counts adds up to."""
    table, rows = reading.table, Plan(Aggregate.COUNT, None, reading.filters(), group)
    if counted is not None and is_person(counted) and (heads_of(table) is not None or _people(table) is not None):
        return _how_many_people(reading, counted, group)
    if (often := reading.counts_times()) or reading.counts_occasions():
        return rows if reading.filters() or (group is not None and (often or not counting(table))) else None
    of_unit = unit_column(reading.table, counted) if counted else []
    measures = [*_measures(reading)] or of_unit or counting(reading.table)
    if reading.filtered().intersection(measures):
        return None
    if len(measures) == 1 and _is_added(reading, measures[0]):
        return Plan(Aggregate.SUM, measures[0], reading.filters(), group)
    measured = counted is not None and counted.stem in MEASURES
    return rows if not measures and not measured and _counts_rows(reading) else None


def _are_counted(reading: Reading, people: Word) -> bool:
    """Whether they came or were taken: those who "fired the kiln" are none of its visitors, nor who "can come"."""
    at = reading.words.index(people) + 1
    known = joined([one.run for one in reading.columns] + [one.run for one in reading.values]) | {at - 1}
    others = any(is_person(word) for place, word in enumerate(reading.words) if place not in known)
    if others or any(word.folded in _MAY_COME for word in reading.words):
        return False
    behind = reading.words[at] if at < len(reading.words) else None
    if behind is None or behind.stem in ATTENDING:
        return True
    return is_function_word(behind.folded) and behind.folded not in _HAVING


def _how_many_people(reading: Reading, counted: Word, group: int | None) -> Plan | None:
    """What a column of how many they are adds up to, else rows where each is of another person, else different ones.

    Not where a column may say how many they are.
    """
    heads = heads_of(reading.table)
    if heads is not None:
        told = _are_counted(reading, counted) and heads not in reading.filtered()
        return Plan(Aggregate.SUM, heads, reading.filters(), group) if told else None
    each = _is_of_persons(reading.table)
    if not reading.filters() or (not each and counting(reading.table)):
        return None
    return Plan(Aggregate.COUNT, None if each else _people(reading.table), reading.filters(), group)


def _how_many_values(reading: Reading, asked: int, group: int | None) -> Plan | None:
    """Different values; months that come again in each year count once for each row, of one of everything else.

    Where a value of the column itself is named, rows are counted: "payments by card".
    """
    table = reading.table
    if asked in reading.filtered():
        return Plan(Aggregate.COUNT, None, reading.filters(), group)
    if affirmed(table.columns[asked]):  # "how many dogs", of dogs allowed
        return None
    if _is_of_things(reading, asked):
        return Plan(Aggregate.COUNT, None, reading.filters(), group)
    again = _SPANS & set(stems_of(table.columns[asked].label)) and any(column.years for column in table.columns)
    if not again:
        return Plan(Aggregate.COUNT, asked, reading.filters(), group)
    others = {at for at in column_kinds(table, ColumnKind.TEXT) if at != asked}
    return Plan(Aggregate.COUNT, None, reading.filters(), group) if others <= reading.filtered() | {group} else None


def _is_of_things(reading: Reading, asked: int) -> bool:
    """Whether each row is an item, though several are called alike: of a list without days, and not how many kinds."""
    things = bool(THINGS & set(stems_of(reading.table.columns[asked].label)))
    told = any(word.folded in _DIFFERENT for word in reading.words)
    return things and not (told or reading.table.dated or reading.table.melted) and bool(reading.filters())


def _counts_rows(reading: Reading) -> bool:
    """Whether each row is one of what "how many" asks for: of a value's, or a person where rows are of persons.

    Or what no column names, where none names the rows. Not so where a column of whole numbers without a unit may say
    how many each row stands for, unless it is asked how often.
    """
    if not (reading.filters() or reading.cue(Cue.EACH)):
        return False
    counted, columns = reading.counted(), reading.table.columns
    is_called_after = counted is not None and counted == reading.noun_of_rows() and reading.is_called_after(counted)
    is_of_named = reading.counts_things() and has_names_of_rows(reading.table)
    is_of_persons = (counted is None or reading.names_value(counted)) and _is_of_persons(reading.table)
    if reading.counts_times() or is_called_after or is_of_named or is_of_persons:
        return True
    if counted is None or any(column.measured and not column.unit and not column.decimals for column in columns):
        return False
    return not is_person(counted) and (reading.names_value(counted) or counted == reading.noun_of_rows())


def _people(table: Table) -> int | None:
    """The one column of people, who may come again; not one that says how many they are."""
    people = _only(persons_of(table))
    return None if people is None or table.columns[people].measured else people


def _is_of_persons(table: Table) -> bool:
    """Whether each row is of another person."""
    persons = persons_of(table)
    return len(persons) == 1 and table.names_rows(persons[0])


def _names_one_row(reading: Reading) -> bool:
    """Whether the one value of a column that has another in each row is named."""
    named = [one for one in reading.filters() if one.test is Test.IS and len(one.values) == 1]
    return any(reading.table.names_rows(one.column) for one in named)


def _each(reading: Reading) -> Plan | None:
    """What stands there for each: computed only where it is one row for each."""
    group, targets = reading.group(), reading.targets()
    if group is None or len(targets) != 1:
        return None
    return Plan(Aggregate.VALUE, targets[0], reading.filters(), group)


def _look_up(reading: Reading) -> Plan | None:
    """One column of the rows that the question names: what they add up to, where that is what such a column is for.

    Of a column of means without rows, their mean.
    """
    target, filters = reading.names_of_rows(), reading.filters()
    target = _target(reading) if target is None else target
    target = None if target is None else reading.titled(target)
    if target is not None and filters and _is_spent_over_time(reading) and _is_added(reading, target):
        return Plan(Aggregate.SUM, target, filters)
    if target is not None and filters and reading.table.columns[target].measured and _is_sum(reading, target):
        return Plan(Aggregate.SUM, target, filters, _apart(reading, target))
    if target is None or (not filters and not _is_mean(reading.table, target)):
        return None
    return Plan(Aggregate.VALUE if filters else Aggregate.MEAN, target, filters, _apart(reading, target))


def _apart(reading: Reading, target: int) -> int | None:
    """The column of which several values or years are named, for a number of each: "in 2022 and 2023"."""
    filters = [one for one in reading.filters() if one.test is not Test.BEGINS or _are_days(one)]
    several = [one.column for one in filters if one.test is Test.BETWEEN or len(one.values) > 1]
    if not several and reading.cue(Cue.HOW_MUCH):  # "how much are the events in the hall"
        several = [at for at in reading.targets() if at != target and reading.table.names_rows(at)]
    return _only(several) if reading.table.columns[target].measured else None


def _are_days(one: Filter) -> bool:
    return all(len(str(value)) == _ISO_DAY for value in one.values)


def _target(reading: Reading) -> int | None:
    much = reading.cue(Cue.HOW_MUCH)
    targets = tuple(at for at in reading.targets() if not much or _tells_number(reading.table.columns[at]))
    asked = reading.asked() if not much or reading.asked() in targets else None  # not "how much are the events"
    person = reading.person_or_place() if reading.words[0].folded in _PERSONAL else _names_of_chosen(reading)
    if asked is not None and (person is None or not _is_numbered(reading.table.columns[asked])):
        return asked
    person = reading.names_of_kind() if person is None else person
    if person is not None:
        return person
    if reading.words[0].folded in _PERSONAL:
        targets = tuple(at for at in targets if not reading.table.columns[at].measured)  # nobody is a number
    if reading.words[0].folded == "what" and reading.words[1:] and reading.words[1].folded in _DOES:
        targets = tuple(at for at in targets if not is_doer(reading.table.columns[at]))  # "what did Jo sell"
    if _asks_when(reading):
        targets = tuple(_dates(reading, targets) or _written_when(reading, targets))
    elif reading.words[0].folded in ("what", "who", "where", "was", "wer", "wo"):
        targets = tuple(at for at in targets if reading.table.columns[at].kind is not ColumnKind.DATE)
    told = reading.person_or_place()
    of_names = reading.words[0].folded == "where" and all(map(reading.table.names_rows, targets))
    if told is not None and (not targets or of_names):  # "where does the runner in third place come from"
        return told
    if not targets and much:
        return _how_much(reading, much)
    if not targets and reading.table.melted and reading.values and _names_a_year(reading):
        return len(reading.table.columns) - 1  # what stands below the year
    return _only(targets or (counting(reading.table) if reading.words[0].folded not in _QUESTIONS else ()))


def _tells_number(column: Column) -> bool:
    return column.measured or any(map(str.isdigit, "".join(column.values)))


def _how_much(reading: Reading, much: CueFound) -> int | None:
    """The column of numbers that the words hint at, the only one, or that of a price."""
    measured = reading.table.measured
    if much.hints == AGE and reading.filtered() != {reading.first_named()}:
        return None  # of a cat's owner nothing is told
    if much.hints:
        return _only([at for at in hinted(reading.table, much.hints) if at in measured])
    if len(measured) == 1:
        return measured[0]
    price = _price(reading)
    return _only(_of_money(reading)) if price is None else price


def _of_money(reading: Reading) -> list[int]:
    """The columns of amounts of money, where the question is of what is paid."""
    table = reading.table
    paid = any(word.stem in _PAID for word in reading.words) or any(
        (one.folded, two.folded) == ("went", "on") for one, two in pairwise(reading.words)
    )
    amounts = [at for at in table.measured if not is_of_one(table.columns[at])]
    return [at for at in amounts if table.columns[at].unit in CURRENCIES] if paid else []


def _price(reading: Reading) -> int | None:
    """Of "how much is the Koga"."""
    costs = any(two.folded in _IS for one, two in pairwise(reading.words) if one.folded == "much")
    return _only([at for at in hinted(reading.table, _PRICES) if reading.table.columns[at].measured]) if costs else None


def _names_of_chosen(reading: Reading) -> int | None:
    """The one column of persons, where "which" stands before them or a kind of them: "which juniors"."""
    if reading.words[0].folded != "which" or len(reading.words) == 1:
        return None
    chosen = reading.words[1]
    return _only(persons_of(reading.table)) if is_person(chosen) or reading.names_value(chosen) else None


def _is_numbered(column: Column) -> bool:
    """Whether what stands there is numbers, as of orders: "who ordered" wants none of them."""
    return column.measured or all(value.isdigit() for value in column.values)


def _names_a_year(reading: Reading) -> bool:
    return any(reading.table.columns[one.column].years for one in reading.filters())


def _asks_when(reading: Reading) -> bool:
    return any(word.folded in ("when", "wann", "date", "day", "datum") for word in reading.words)


def _subject(reading: Reading, measure: int) -> int | None:
    """Of which column one value is wanted: the one asked for, the only one named, that of persons or places."""
    asked, aged = reading.asked(), _aged(reading)
    if asked is not None and not reading.ends_in_most():
        return asked if asked != measure else None
    if aged is not None and {word.folded for word in reading.words[: aged.run.first]} <= _WHO_IS:
        return reading.person_of_row()  # "who is the oldest"
    if reading.words[0].folded in _PERSONAL and (person := reading.person_or_place()) is not None:
        return person
    named = [at for at in reading.targets() if at != measure and reading.table.columns[at].kind is ColumnKind.TEXT]
    if len(named) == 1 and any(one.column == named[0] and one.run.first <= _NEAR for one in reading.columns):
        return named[0]  # "which school instrument"
    if (rows := reading.names_of_extreme()) is not None:
        return rows
    subjects = (_only(named), reading.person_or_place(), reading.names_of_kind())
    return next((at for at in subjects if at is not None), None)


def _aged(reading: Reading) -> CueFound | None:
    """The oldest or youngest, where a column tells the age."""
    found = reading.cue(Cue.MOST, Cue.LEAST)
    return found if found and found.hints == AGE else None


def _is_of_others(reading: Reading) -> bool:
    """Whether the oldest are wanted of those whose age is not told: "oldest owner", of cats."""
    aged = _aged(reading)
    if aged is None:
        return False
    behind = {one.column for one in reading.columns if one.run.first == aged.run.end}
    behind |= {
        one.column for one in reading.columns if {word.folded for word in reading.words[one.run.end :][:1]} & _IS
    }
    return any(not reading.table.columns[at].measured for at in behind - {reading.first_named()})


def _measure(reading: Reading) -> int | None:
    """The column of numbers (or dates, for "first") that is named, hinted at, or the only one there is."""
    found = reading.cue(Cue.MOST, Cue.LEAST) or reading.cue(Cue.HOW_MUCH, Cue.SUM)  # "how long was the shortest"
    hints = found.hints if found else ()
    if hints == (DATES,):
        return _only(_dates(reading, reading.targets()))
    told = hinted(reading.table, hints) or _costs_of(reading, hints)
    named = _of_size_of_subject(reading) or [*_measures(reading)] or told
    if any(word.stem == _MONEY for word in reading.words):
        named = [at for at in named if reading.table.columns[at].unit in {"", *CURRENCIES}]
    if hints and not set(named) <= set(told):  # "the level of the oldest" is no least level
        return None
    if named or (hints and not (reading.table.melted and hints == _PRICES)):
        return _only(named)
    if any(word.stem in _PAID for word in reading.words):
        return _only(_of_money(reading) or _amounts(reading.table))
    behind = reading.behind(found) if found else None
    of_unit = unit_column(reading.table, behind) if behind else []
    return _only(
        of_unit or _of_size(reading) or counting(reading.table) or _of_money(reading) or reading.table.measured
    )


def _costs_of(reading: Reading, hints: tuple[str, ...]) -> list[int]:
    """Where no column is called a price, those of a currency that may tell what a thing costs: "Parts (€)".

    No revenue or deposit does, nor what several cost together.
    """
    table = reading.table
    if hints != _PRICES or hinted(table, hints) or counting(table):
        return []
    amounts = [at for at in table.measured if table.columns[at].unit in CURRENCIES]
    return [at for at in amounts if not (_SUMMED | _NO_COSTS) & set(stems_of(table.columns[at].label))]


def _amounts(table: Table) -> list[int]:
    """The columns that may be of money: no pieces, kilometres, prices of each, or the nights beside "£ / night"."""
    none = counting(table)
    units = CURRENCIES if any(map(is_rate, table.columns)) else {"", *CURRENCIES}
    amounts = [at for at in table.measured if at not in none and not is_of_one(table.columns[at])]
    return [at for at in amounts if table.columns[at].unit in units]


def _of_size_of_subject(reading: Reading) -> list[int]:
    """The same, where "largest" stands before what each row is of: "who rents the largest plot"."""
    table = reading.table
    of_rows = {part for column in table.columns if not column.measured for part in stems_of(column.label)}
    stands = any(one.folded in SIZED and two.stem in of_rows for one, two in pairwise(reading.words))
    return _of_size(reading) if stands else []


def _of_size(reading: Reading) -> list[int]:
    """The columns of sizes, where "largest" is all that tells of what."""
    sized = any(word.folded in SIZED for word in reading.words)
    return [at for at in hinted(reading.table, SIZES) if reading.table.columns[at].measured] if sized else []


def _only(found: Sequence[_T]) -> _T | None:
    return found[0] if len(found) == 1 else None


def _measures(reading: Reading) -> tuple[int, ...]:
    return tuple(at for at in reading.targets() if reading.table.columns[at].measured)


def _dates(reading: Reading, targets: Sequence[int]) -> list[int]:
    """Columns of dates or years: those named, else all of when rows are of, as no year of birth is."""
    columns = reading.table.columns
    return [at for at in targets if at in reading.table.dated] or [
        at for at in reading.table.dated if not columns[at].years or is_period(columns[at])
    ]


def _written_when(reading: Reading, targets: Sequence[int]) -> list[int]:
    """Columns that are called "By when", of days without a year."""
    return [at for at in targets if stems_of(reading.table.columns[at].label)[-1:] == (_WHEN,)]


def _chosen(reading: Reading, default: Aggregate) -> Aggregate:
    found = reading.cue(*_ARITHMETIC)
    return AGGREGATES[found.cue] if found else default


def _is_whole(reading: Reading, measure: int) -> bool:
    """Whether the greatest value itself is wanted, not what has it, nor something else of that time."""
    dated = not reading.table.columns[measure].measured
    if reading.words[0].folded in _CHOOSE or reading.cue(*_ARITHMETIC, Cue.HOW_MANY):
        return False
    if _aged(reading) and not (reading.cue(Cue.HOW_MUCH) or _measures(reading)):
        return False  # "the oldest person" is no age
    return _opens_with_when(reading) == dated


def _opens_with_when(reading: Reading) -> bool:
    return reading.words[0].folded in ("when", "wann")


def _is_open(reading: Reading) -> bool:
    """Whether "each" stands there, and what for was not understood."""
    return reading.cue(Cue.EACH) is not None and reading.group() is None


def _is_text(reading: Reading, one: Filter) -> bool:
    return reading.table.columns[one.column].kind is ColumnKind.TEXT


def _is_added(reading: Reading, measure: int) -> bool:
    """Whether its values may be added up: prices where "in all" is asked of what is named, sold, or each of its day.

    And days where they are called by their whole name.
    """
    table, column = reading.table, reading.table.columns[measure]
    if is_of_one(column) or is_naming(column):
        return False
    held = _NOT_ADDED & set(stems_of(column.label))
    named = [one for one in reading.filters() if one.test is Test.IS]
    dealt = any(_DEALT.intersection(map(str, one.values)) for one in named)
    chosen = any(len(one.values) > 1 and _names_things(table, one.column) for one in named)
    dated = bool(table.dated) and table.measured == [measure]
    summed = reading.cue(Cue.SUM)
    in_all = summed is not None and bool(dealt or chosen or dated or summed.hints)
    label = len(stems_of(column.label))
    called = any(one.column == measure and one.run.end - one.run.first == label for one in reading.columns)
    held -= (_PRICE if in_all else frozenset()) | ({_DAY} if called else frozenset())
    return column.unit != "%" and not column.again and not held


def _names_things(table: Table, column: int) -> bool:
    return table.names_rows(column) or bool(THINGS & set(stems_of(table.columns[column].label)))


def _is_spent_over_time(reading: Reading) -> bool:
    """Of what was spent "in the first three months", or "in March", together."""
    dated = reading.filtered() & set(reading.table.dated)
    paid = any(word.stem in _PAID for word in reading.words)
    return paid and reading.cue(Cue.HOW_MUCH) is not None and bool(reading.table.melted or dated)


def _is_sum(reading: Reading, measure: int) -> bool:
    """Whether of several rows their sum is meant: "how much went on gear", of amounts, or "did we spend at Moss"."""
    amount = bool(_AMOUNT & set(stems_of(reading.table.columns[measure].label)))
    paid = any(one.folded in _SPENDERS and other.stem in _SPENT for one, other in pairwise(reading.words))
    spent = reading.cue(Cue.HOW_MUCH) is not None and (amount or paid)
    return _is_summed(reading, measure) or (spent and _is_added(reading, measure))


def _is_summed(reading: Reading, measure: int) -> bool:
    of_accounts = measure in flows_of(reading.table).values() or (
        measure in sums_of(reading.table).values() and reading.words[0].folded not in ("which", "what")
    )
    said = of_accounts or _SUMMED & set(stems_of(reading.table.columns[measure].label))
    return bool(said) and _is_added(reading, measure)


def _is_mean(table: Table, column: int) -> bool:
    return table.columns[column].measured and bool({"mean", "average"} & set(stems_of(table.columns[column].label)))


def is_open(question: str) -> bool:
    """Whether more than yes, no or a reason is wanted."""
    words = words_of(question)
    return bool(words) and words[0].folded not in _OPENS_CLOSED


def asks_for_computing(question: str) -> bool:
    """Whether it asks for what stands in no cell: a sum, a mean, an extreme, a difference, a number of things."""
    return any(found.cue in _COMPUTED for found in cues_of(words_of(question), frozenset()))
