"""Which columns and which of their values a question names."""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise, repeat

import msgspec

from trivium_query.answer.tables.asked_words import Run, Word, alike, find, is_same, joined, stems_of, words_of
from trivium_query.answer.tables.cues import LIGHT, NUMBER_WORDS, NUMBERED, OCCASIONS, THINGS
from trivium_query.answer.tables.months import days_of_months, is_month, month_column, spans_of_months
from trivium_query.answer.tables.synonyms import applications_of
from trivium_query.answer.tables.table import Column, ColumnKind, Table
from trivium_query.words import is_function_word, stem

_MAX_VALUE_WORDS = 8
_MAX_KIND_WORDS = 5
_MAX_NAME_WORDS = 3
_FOOTNOTE = re.compile(r"\s*(?:\(\d{1,2}\)|[*\u2020\u2021])+\s*$")
OF_ONE = frozenset(map(stem, ("price", "cost", "rate", "value", "weight", "fee")))
"""What a unit has: a "unit price" counts no units."""
UNITS = frozenset(map(stem, ("units", "pieces", "copies")))
"""What is counted, whatever it is."""
_DIMENSIONS = frozenset(map(stem, ("size", "length", "weight", "height", "depth", "width", "volume", "age", "level")))
_ONE_OF = frozenset(map(stem, ("each", "unit", "per", "apiece")))
_RATE = re.compile(r"(?:[$€£¥]|price|cost|rate|fee|charge)\s*(?:/|per\b)\s*[^\W\d_]+", re.I)
_PER = frozenset(("per", "a", "an", "each"))
_OFTEN = {"yearly": "year", "annual": "year", "monthly": "month", "weekly": "week", "daily": "day", "hourly": "hour"}
BY_WHEN = stems_of("by when")
"""When what is "due" is, where a column is called so."""
_COST = frozenset(map(stem, ("price", "cost")))
_SPENT = _COST | frozenset(map(stem, ("priced", "spend", "spent")))
_PAYS = frozenset(map(stem, ("pay", "paid", "cost", "charge")))
TITLES = frozenset(map(stem, ("title", "name", "description", "what")))
"""What a column of what rows are called is called, beside that of their numbers."""
_UN = "un"
_LEADS_NOUNS = frozenset(("which", "what", "many"))
_OWED, _PAID = frozenset(("outstanding", "owing", "owed")), stem("paid")
_SHORT = 2  # a value of so few letters is meant only where it is written in the same way


class ValueMention(msgspec.Struct, frozen=True):
    """A phrase that is a value of a column, or a part that only this value has; `values` are its spellings there."""

    column: int
    values: tuple[str, ...]
    run: Run
    whole: bool = True


class ColumnMention(msgspec.Struct, frozen=True):
    """A phrase that names a column, in whole or by a word that no other column has; `denied` by its "un-"."""

    column: int
    run: Run
    denied: bool = False


Index = Mapping[tuple[str, ...], Mapping[int, Sequence[str]]]


def value_mentions(table: Table, words: Sequence[Word]) -> list[ValueMention]:
    """Values that the question names in full, longest first; then by what several begin with, or a part only one has.

    A phrase that is a value of several columns names none of them, unless one is named before it: "to Hexham".
    """
    months = month_column(table)
    found = [ValueMention(months, values, run) for run, values in spans_of_months(table, words) if months is not None]
    found += [ValueMention(at, values, run) for at, run, values in days_of_months(table, words)]
    dated = any(column.kind is ColumnKind.DATE for column in table.columns)
    named, about = set(_label_stems(table)), set(stems_of(f"{table.about} {table.within}"))
    runs = [*_runs(len(words))]
    values_of, beginnings, parts = _said_in(table, {_stems(words, run) for run in runs})
    tried = [(run, index, whole) for run in runs for index, whole in ((values_of, True), (beginnings, False))]
    for run, index, whole in [*tried, *zip(runs, repeat(parts), repeat(False))]:
        phrase = words[run.first : run.end]
        held = index.get(_stems(words, run), {}).items()
        fitting = {at: tuple(each) for at, each in held if not _is_to_doer(table.columns[at], words, run)}
        holders = _said_of(table, words, run, fitting)
        if len(holders) != 1 or run.indices() & joined(one.run for one in found):
            continue
        column, values = next(iter(holders.items()))
        plain = not whole and (
            (len(phrase) == 1 and ((len(values) > 1 and not _is_kind(phrase[0], values)) or _is_light(phrase[0])))
            or any(word.stem in named for word in phrase)
            or not _is_written(phrase[0], values)
            or _stands_before_name(table, words[run.end :])
            or (len(phrase) == 1 and dated and is_month(words, run.first))  # dates tell it
        )
        plain = plain or _is_of_table(phrase, values, about, whole=whole)
        if not plain and (_is_meant(phrase, values) or (column == months and is_month(words, run.first))):
            found.append(ValueMention(column, values, run, whole))
    return sorted((one for one in found if not _is_told_closer(one, found)), key=lambda one: one.run)


def _is_told_closer(one: ValueMention, found: Sequence[ValueMention]) -> bool:
    """Whether it is a kind, and one of that is named too: "the hall in March" is not each "Hall hire"."""
    several = not one.whole and len(one.values) > 1
    return several and any(
        other is not one and other.column == one.column and set(other.values) & set(one.values) for other in found
    )


def _is_of_table(phrase: Sequence[Word], values: Sequence[str], about: set[str], *, whole: bool) -> bool:
    """Whether the word says what the table is of, and is no value as it is written: "on the tour" is not in Tours."""
    if len(phrase) > 1 or phrase[0].stem not in about or phrase[0].written[0].isupper():
        return False
    return not whole or phrase[0].folded not in {value.casefold() for value in values}


def _is_kind(word: Word, values: Sequence[str]) -> bool:
    """Whether all values that have the word begin with it, and go on as no name or remark: "detergent powder".

    Or with a month: "Cleaner April".
    """
    parts = [words_of(value) for value in values]
    begun = all(each[0].stem == word.stem and 1 < len(each) <= _MAX_KIND_WORDS for each in parts)
    named = any(each[1].written[0].isupper() and not is_month(each, 1) for each in parts) if begun else True
    return not named and word.written.islower()


def _is_light(word: Word) -> bool:
    """Whether it is a number's word, a "thing", a "trip" or a verb that any text has: of a remark it names nothing."""
    return word.stem in LIGHT | THINGS | OCCASIONS or word.folded in NUMBER_WORDS | OCCASIONS


def _stands_before_name(table: Table, rest: Sequence[Word]) -> bool:
    """Whether the table's own name comes next: "the animal shelter"."""
    return bool(rest) and _is_written(rest[0], (f"{table.about} {table.within}",))


def _is_to_doer(column: Column, words: Sequence[Word], run: Run) -> bool:
    """Whether "to" stands before one by whom it was done: "paid to Nora" is not paid by her."""
    return run.first > 0 and words[run.first - 1].folded == "to" and stems_of(column.label)[-1:] == ("by",)


def _said_of(
    table: Table, words: Sequence[Word], run: Run, holders: Mapping[int, tuple[str, ...]]
) -> Mapping[int, tuple[str, ...]]:
    """Of several columns with this value, the one that is named right before it, or has it as it is written.

    Or has it in a name, where the others have remarks.
    """
    if len(holders) < 2:
        return holders
    before = words[run.first - 1].stem if run.first else ""
    phrase = tuple(word.folded for word in words[run.first : run.end])
    named = {at: each for at, each in holders.items() if stems_of(table.columns[at].label) == (before,)}
    written = {  # a roof, where another has "Roofing"
        at: same
        for at, each in holders.items()
        if (same := tuple(value for value in each if phrase == tuple(word.folded for word in words_of(value))))
    }
    names = {at: each for at, each in holders.items() if all(len(words_of(value)) <= _MAX_NAME_WORDS for value in each)}
    return next((one for one in (named, written, names) if len(one) == 1), holders)


def column_mentions(table: Table, words: Sequence[Word], taken: frozenset[int]) -> list[ColumnMention]:
    """Columns by their whole names first, then by a word of theirs; a word names one column only."""
    taken |= _applications(table, words)
    found = _rates(table, words, taken)
    before = {one.run.first - 1 for one in found}
    taken |= {at for at in before if words[at].stem in _PAYS}  # "pay a year" names no "paid"
    labels = [stems_of(column.label) for column in table.columns]
    order = sorted(range(len(labels)), key=lambda at: -len(labels[at]))
    for column in order:
        if any(one.column == column for one in found):
            continue
        same = is_same if table.columns[column].measured else alike  # "work" counts no workers
        used = taken | joined(one.run for one in found)
        if table.columns[column].measured and all(map(is_function_word, labels[column])):
            used |= frozenset(range(len(words) - 1))  # "in total" is no "In", but "what came in" is
        run = find(words, labels[column], used, same) if labels[column] else None
        if run and labels.count(labels[column]) == 1:
            found.append(ColumnMention(column, run))
    used = taken | joined(one.run for one in found)
    for at, word in enumerate(words):
        if at not in used and not is_function_word(word.folded):
            holders = [
                place
                for place, label in enumerate(labels)
                if _names(word, label, measured=table.columns[place].measured) or _is_spent(word, table, place)
            ]
            if not holders and word.folded == "due":
                holders = [place for place, label in enumerate(labels) if label == BY_WHEN]
            if len(holders) > 1:
                holders = _all_told(words, labels, holders) or holders
            denied = [place for place, label in enumerate(labels) if _denies(word, label)]
            if len(holders or denied) == 1:
                found.append(ColumnMention((holders or denied)[0], Run(at, at + 1), denied=not holders))
    days = [one for one in found if _is_weekday_of(table, words[one.run.first])]
    others = any(table.columns[one.column].measured for one in found if one not in days)
    return sorted((one for one in found if not (others and one in days)), key=lambda one: one.run)


def _applications(table: Table, words: Sequence[Word]) -> frozenset[int]:
    """The rows of applications, by their noun: "which claims", beside the amounts Claimed and Approved."""
    sums = applications_of(table)
    asked = stems_of(table.columns[sums[0]].label) if sums else ()
    led = [at for at in range(1, len(words)) if words[at - 1].folded in _LEADS_NOUNS]
    return frozenset(at for at in led if words[at].folded.endswith("s") and words[at].stem in asked)


def _rates(table: Table, words: Sequence[Word], taken: frozenset[int]) -> list[ColumnMention]:
    """The one column of what each costs, by "per night" or "a night" of "£ / night"; not where rows are of nights.

    Or by "per year" of "yearly fee".
    """
    others = {stems_of(column.label) for column in table.columns if not column.measured}
    for at, (per, noun) in enumerate(pairwise(words)):
        rates = [place for place in table.measured if is_rate_of(table.columns[place], noun.stem)]
        if per.folded in _PER and len(rates) == 1 and (noun.stem,) not in others and not {at, at + 1} & taken:
            return [ColumnMention(rates[0], Run(at, at + 2))]
    return []


def _is_weekday_of(table: Table, word: Word) -> bool:
    """Whether all that the table tells is of that day: "left on Saturday" is not what was "made on Saturday"."""
    return word.folded.capitalize() in calendar.day_name and word.stem in stems_of(table.about)


def _all_told(words: Sequence[Word], labels: Sequence[Sequence[str]], holders: Sequence[int]) -> list[int]:
    """The one whose name's words all stand in the question: "how many days has she taken"; none where several are."""
    told = [at for at in holders if all(any(alike(word.stem, part) for word in words) for part in labels[at])]
    return told if len(told) == 1 else []


def _names(word: Word, label: Sequence[str], *, measured: bool) -> bool:
    """Units are no "unit price": that a price is of one does not count them; items no "item no", which names each.

    Nor does "sold" name the number of a sale, or "skips" their "skip size".
    """
    if measured and len(label) > 1 and label[-1] in _DIMENSIONS and word.stem != label[-1]:
        return False
    if (word.stem in UNITS and OF_ONE & set(label)) or (word.stem in THINGS and NUMBERED & set(label)):
        return False
    if NUMBERED & set(label):
        return word.stem in label
    same = is_same if measured else alike
    return any(same(word.stem, each) for each in label)


def _is_spent(word: Word, table: Table, place: int) -> bool:
    """Whether the price is what was spent: no price of each, nor one of several."""
    label, unit = set(stems_of(table.columns[place].label)), table.columns[place].unit
    if word.stem not in _SPENT or not _COST & label:
        return False
    alone = not unit or [table.columns[at].unit for at in table.measured].count(unit) == 1
    return word.stem in _COST or (alone and not is_of_one(table.columns[place]))


def is_of_one(column: Column) -> bool:
    """Whether it is what one of several costs: "price each"."""
    label = set(stems_of(column.label))
    return is_rate(column) or bool(_ONE_OF & label and OF_ONE & label)


def is_rate(column: Column) -> bool:
    """Whether its name alone says what each of something costs: "£ / night"."""
    return bool(_RATE.fullmatch(column.label))


def is_rate_of(column: Column, noun: str = "") -> bool:
    """Whether it is what each of these costs, or of each such period: "£ / night", "yearly fee"; without one of any."""
    label = stems_of(column.label)
    told = [label[-1]] if is_rate(column) else [stem(_OFTEN[part]) for part in label if part in _OFTEN]
    return noun in told if noun else bool(told)


def _denies(word: Word, label: Sequence[str]) -> bool:
    """Whether it is a word of the label with "un-" before it: "unpaid", or "outstanding"."""
    if word.folded in _OWED:
        return _PAID in label
    return word.folded.startswith(_UN) and any(alike(stem(word.folded.removeprefix(_UN)), each) for each in label)


def _runs(count: int) -> Iterator[Run]:
    for size in range(min(count, _MAX_VALUE_WORDS), 0, -1):
        yield from (Run(first, first + size) for first in range(count - size + 1))


def _stems(words: Sequence[Word], run: Run) -> tuple[str, ...]:
    return tuple(word.stem for word in words[run.first : run.end])


def _said_in(table: Table, asked: Set[tuple[str, ...]]) -> tuple[Index, Index, Index]:
    """Of the phrases that are asked, those that are values, two words and more that several begin with, and parts.

    Parts are single words, but those that only join others; "sheet music" is what "Sheet music: carols" begins with.
    """
    whole, beginnings, parts = _new_index(), _new_index(), _new_index()
    for at, value in _texts(table):
        stems = stems_of(value)
        bare = _FOOTNOTE.sub("", value)
        if (own := stems if bare == value else stems_of(bare)) in asked:
            whole[own][at].append(value)
        for size in range(2, min(len(stems), _MAX_VALUE_WORDS)):
            if stems[:size] in asked and not is_function_word(stems[size - 1]):
                beginnings[stems[:size]][at].append(value)
        for part in set(stems):
            if (part,) in asked and len(part) > _SHORT and not is_function_word(part):
                parts[(part,)][at].append(value)
    several = {stems: held for stems, held in beginnings.items() if all(len(values) > 1 for values in held.values())}
    return whole, several, parts


def _new_index() -> defaultdict[tuple[str, ...], defaultdict[int, list[str]]]:
    return defaultdict(lambda: defaultdict(list))


def _texts(table: Table) -> Iterator[tuple[int, str]]:
    for at, column in enumerate(table.columns):
        if column.kind is ColumnKind.TEXT:
            yield from ((at, value) for value in column.values)


def _label_stems(table: Table) -> Iterator[str]:
    for column in table.columns:
        yield from stems_of(column.label)


def _is_meant(phrase: Sequence[Word], values: Sequence[str]) -> bool:
    """A value that is a function word or a letter or two must be written as it stands in the table."""
    if len(phrase) > 1 or (len(phrase[0].folded) > _SHORT and not is_function_word(phrase[0].folded)):
        return True
    return phrase[0].written in values and not phrase[0].written.islower()


def _is_written(word: Word, values: Sequence[str]) -> bool:
    """Whether a value has the word itself or its plural: "camping" is no "Camp lantern"."""
    forms = {word.folded, f"{word.folded}s", word.folded.removesuffix("s"), word.folded.removesuffix("es")}
    return any(forms & {part.folded for part in words_of(value)} for value in values)


def hinted(table: Table, hints: Sequence[str]) -> list[int]:
    """The columns that have one of these stems in their names."""
    return [at for at, column in enumerate(table.columns) if _has(column, hints)]


def _has(column: Column, hints: Sequence[str]) -> bool:
    named = any(alike(part, hint) for part in stems_of(column.label) for hint in hints)
    return named or (is_rate(column) and not _COST.isdisjoint(hints))
