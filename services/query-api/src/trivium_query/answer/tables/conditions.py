"""Years, dates and bounds that a question names, as filters on the column that they can only mean."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from trivium_query.answer.tables.asked_words import Word, stems_of, within
from trivium_query.answer.tables.mentions import ColumnMention, is_of_one
from trivium_query.answer.tables.query_plan import Filter, Test
from trivium_query.answer.tables.synonyms import stay_of
from trivium_query.answer.tables.table import Column, Table
from trivium_query.contradictions.values import number_told
from trivium_query.words import stem

_YEAR = r"(?:1[5-9]|20|21)\d\d"
_LEAD = (
    r"(?:(?P<lead>between|from|in|over|for|during|of|after|since|before|until|up to|by|through|von|zwischen|seit|vor"
    r"|nach|bis)\s+)?(?:the years?\s+)?"
)
_RANGE = re.compile(
    rf"{_LEAD}\b(?P<first>{_YEAR})\s*(?P<joint>[-\u2013\u2014]|to|until|till|through|and|or|bis|und|oder)\s*"
    rf"(?P<last>{_YEAR}|\d\d)\b(?![.-]\d)",
    re.I,
)
_ONE_YEAR = re.compile(rf"{_LEAD}(?<![\d.,-])\b(?P<first>{_YEAR})\b(?![.,-]?\d)", re.I)
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "|".join(_MONTHS)
_DAY = re.compile(
    rf"{_LEAD}\b(?:(?P<iso>{_YEAR}-\d\d-\d\d)|(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+)?(?:of\s+)?(?P<month>{_MONTH})"
    rf"(?:\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,)?\s+(?P<year>{_YEAR}))\b",
    re.I,
)
_MONTH_ALONE = re.compile(
    rf"\b(?P<lead>in|for|during|of|since|before|after|until|im|seit|vor|nach|bis)\s+(?P<month>{_MONTH})\b"
    rf"(?!\s+(?:\d|to\b|and\b|or\b))",
    re.I,
)
_MONTHS_BETWEEN = re.compile(
    rf"\b(?:between\s+(?P<first>{_MONTH})\s+and|from\s+(?P<first2>{_MONTH})\s+(?:to|until|till|through))"
    rf"\s+(?P<last>{_MONTH})\b(?:\s+(?P<year>{_YEAR})\b|(?!\s+\d))",
    re.I,
)
_DAY_ALONE = re.compile(
    rf"(?:\b(?P<lead>on|of|for|between|from|since|before|after|until|by)\s+)?(?:the\s+)?"
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?!\s*,?\s*{_YEAR})",
    re.I,
)
# Days or months that are joined: "in March, April and May", "on the 2nd and 16th of March 2024".
_JOINED = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?!\d)(?:st|nd|rd|th|\.)?(?:\s+(?:of\s+)?(?P<month>{_MONTH})\b)?"
    rf"|(?P<month2>{_MONTH})\b(?:\s+(?P<day2>\d{{1,2}})(?!\d)(?:st|nd|rd|th)?)?)(?:,?\s+(?P<year>{_YEAR})\b)?",
    re.I,
)
_BETWEEN_JOINED = re.compile(
    r"\s*(?:,|,?\s+(?:and|or|und|oder)\b)\s*(?:\b(?:in|on|for|during|of)\s+)?(?:the\s+)?", re.I
)
_BEFORE_JOINED = re.compile(r"\b(?:in|on|for|during|of)\s+(?:the\s+)?$", re.I)
_BOUND = re.compile(
    r"\b(?P<words>more than|greater than|higher than|larger than|longer than|deeper than|hotter than|warmer than"
    r"|heavier than|taller than|wider than|dearer than|over|above|exceeding|at least|no less than|less than|fewer than"
    r"|lower than|smaller than|shorter than|colder than|cooler than|lighter than|cheaper than|under|below|at most"
    r"|no more than|up to"
    r"|mehr als|weniger als|mindestens|höchstens|über|unter)\s+(?P<between>(?:[^\W\d_]+\s+){0,3}?)(?P<sign>[$€£]?)\s*"
    r"(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"\s*°?(?P<unit>%|[^\W\d_]+)?",
    re.I,
)
_BETWEEN = re.compile(
    r"\bbetween\s+(?P<sign>[$€£]?)\s*(?P<first>\d+(?:\.\d+)?)\s*[$€£%]?\s+and\s+[$€£]?\s*"
    r"(?P<last>\d+(?:\.\d+)?)(?![\w.:-]*\d)\s*°?(?P<unit>[$€£%]|[^\W\d_]+)?",
    re.I,
)
_GONE = re.compile(r"\b(?:sold out|out of stock|(?:not|no longer) (?:in stock|available)|unavailable)\b", re.I)
_NOTHING = frozenset(("nothing", "none", "no", "zero"))
_PLACES = frozenset(map(stem, ("place", "position", "rank")))  # in a race
_COMING = frozenset(("came", "come", "finished", "finish", "ended"))
_WINNING, _CHOOSING = frozenset(("won", "winner")), frozenset(("who", "which", "what"))
_THE = frozenset(("the", "this"))
_MOST = frozenset(("most", "least", "fewest", "highest", "lowest", "largest", "biggest", "greatest", "smallest"))
_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINALS = {name: str(at) for at, name in enumerate(_NAMES, 1)}
_STOCK = frozenset(map(stem, ("stock", "available", "inventory")))
# Against another column: "below its budget".
_AGAINST = re.compile(
    r"\b(?P<words>more than|over|above|exceeding|less than|under|below)\s+(?:(?:its|their|the|his|her)\s+)?"
    r"(?=[^\W\d_])",
    re.I,
)
# One column against another: "more figures than plates".
_MORE_THAN = re.compile(
    r"(?<!how many )(?<!how much )\b(?P<more>more|fewer|less|higher|lower|larger|smaller|greater)\b.*"
    r"\b(?P<than>than)\b",
    re.I,
)
_TESTS = {
    Test.AT_LEAST: ("at least", "no less than", "mindestens"),
    Test.AT_MOST: ("at most", "no more than", "up to", "höchstens"),
    Test.LESS: (
        "less than",
        "fewer than",
        "lower than",
        "smaller than",
        "shorter than",
        "colder than",
        "cooler than",
        "lighter than",
        "cheaper than",
        "under",
        "below",
        "unter",
        "weniger als",
    ),
}
_LEADS = {
    "after": Test.MORE,
    "nach": Test.MORE,
    "since": Test.AT_LEAST,
    "seit": Test.AT_LEAST,
    "before": Test.LESS,
    "vor": Test.LESS,
    "until": Test.AT_MOST,
    "up to": Test.AT_MOST,
    "by": Test.AT_MOST,
    "through": Test.AT_MOST,
    "bis": Test.AT_MOST,
}
_PERIODS = frozenset(
    map(
        stem, ["year", "date", "time", "day", "month", "period", "season", "quarter", "fiscal", "jahr", "datum", "zeit"]
    )
)
_JOINTS = {"from": ("to", "until", "till", "through"), "between": ("and",)}  # of a span, by what it begins with
_WITHIN = ("in", "during", "on", "im")
# What is done on one of the days of a stay, or before it, or is an amount of all of them.
_NOT_OF_EACH_DAY = frozenset(("made", "paid", "pay", "pays", "sent", "new", "bought", "much", "more", "most", "least"))
_STAYED = frozenset(("stayed", "visited", "lived", "occupied"))
_OPEN_ENDED = ("from", "von", "between", "zwischen", "over")  # one year is that, or since then, or a number
_UNITS = {
    stem(name): unit
    for unit, names in {
        "km": "kilometre kilometer",
        "m": "metre meter",
        "cm": "centimetre centimeter",
        "mm": "millimetre millimeter",
        "eur": "euro",
        "€": "euro",
        "usd": "dollar",
        "$": "dollar",
        "gbp": "pound",
        "£": "pound",
        "%": "percent",
        "kg": "kilogram kilo",
        "t": "tonne",
        "h": "hour",
        "l": "litre liter",
        "c": "degree",
    }.items()
    for name in names.split()
}
_SPELLED = {"eur": "€", "usd": "$", "gbp": "£"}


class Condition(msgspec.Struct, frozen=True):
    """Filters (none where the table is of that time as a whole), and the words that say so."""

    filters: tuple[Filter, ...]
    words: frozenset[int]


class _Moments(msgspec.Struct, frozen=True):
    """A time: `start` up to, and without, `end`, as ISO dates; of whole years, or of several."""

    start: str
    end: str
    years: tuple[int, ...] = ()
    apart: bool = False


def conditions_of(
    table: Table, question: str, words: Sequence[Word], columns: Sequence[ColumnMention], taken: frozenset[int]
) -> list[Condition]:
    """What the question says of times and bounds; what no column can mean is left, and so unexplained."""
    found: list[Condition] = []
    place = _time_column(table, columns, dated=True)
    stay = _stay(table, words, columns) if place is None else None
    year = table.columns[place].year if place is not None else _year_of(table, stay)
    for start, end, begun in _joined(question, year):
        said = within(words, start, end)
        if place is not None and not said & taken:
            found.append(Condition((Filter(place, Test.BEGINS, begun),), said))
    found += _between_months(table, question, words, columns, taken | _words_of(found), year)
    for times in (list(_times(question)), list(_times_of(question, year)) if year else []):
        for start, end, lead, moments in _spans(question, times):
            said = within(words, start, end)
            if not said & (taken | _words_of(found)):
                found.extend(_stays(stay, lead, moments, said) or _timed(table, lead, moments, said, columns))
    found += _in_bounds(table, question, words, columns, taken | _words_of(found))
    found += _numbered(table, words, columns, taken | _words_of(found))
    found += _with_nothing(table, words, columns, taken | _words_of(found))
    found += _placed(table, words, taken)
    found += _measuring(table, words, taken | _words_of(found))
    found += _gone(table, question, words, taken)
    for match in _AGAINST.finditer(question):
        said = within(words, match.start(), match.end())
        if not said & (taken | _words_of(found)):
            found.extend(_against(table, match["words"], said, columns))
    return found or _more_than(table, question, words, columns)


def _in_bounds(
    table: Table, question: str, words: Sequence[Word], columns: Sequence[ColumnMention], taken: frozenset[int]
) -> Iterator[Condition]:
    """Those with more or less than a number, or between two."""
    for bound, filtered in ((_BOUND, _bounded), (_BETWEEN, _between)):
        for match in bound.finditer(question):
            said = within(words, match.start(), match.end())
            found = [] if said & taken else filtered(table, match, words, columns)
            taken |= _words_of(found)
            yield from found


def _numbered(
    table: Table, words: Sequence[Word], columns: Sequence[ColumnMention], taken: frozenset[int]
) -> Iterator[Condition]:
    """Which one of what is numbered: "on line 7"."""
    for one in columns:
        column, at = table.columns[one.column], one.run.end
        number = words[at].written if at < len(words) and at not in taken else ""
        if column.measured and not (column.unit or column.decimals) and number.isdecimal():
            yield Condition((Filter(one.column, Test.IS, (int(number),)),), frozenset((at,)))


def _with_nothing(
    table: Table, words: Sequence[Word], columns: Sequence[ColumnMention], taken: frozenset[int]
) -> Iterator[Condition]:
    """Those of which a number is 0: "had nothing left over", "got nothing"; not where others are not told."""
    for one in columns:
        column, end = table.columns[one.column], one.run.end
        at = end if end < len(words) and words[end].folded == "nothing" else one.run.first - 1
        if at >= 0 and words[at].folded in _NOTHING and at not in taken and column.zero and not column.gaps:
            yield Condition((Filter(one.column, Test.IS, (0,)),), frozenset((at,)))


def _placed(table: Table, words: Sequence[Word], taken: frozenset[int]) -> Iterator[Condition]:
    """Those that came first: "the first five", "came third", where one column has the places from 1 on.

    Not where a value is named: the first five of a club are others.
    """
    if taken:
        return
    labels = [(at, stems_of(column.label)) for at, column in enumerate(table.columns)]
    places = [at for at, label in labels if label[-1:] and label[-1] in _PLACES]
    values = table.columns[places[0]].values if len(places) == 1 else ()
    if places and table.names_rows(places[0]) and (one := _one_place(words, values)):
        yield Condition((Filter(places[0], Test.IS, one[:1]),), one[1])
        return
    for at, (first, number) in enumerate(pairwise(words)):
        told = number_told(number.folded) if first.folded == "first" else None
        best = tuple(str(place) for place in range(1, int(told[0]) + 1)) if told else ()
        period = at + 2 < len(words) and words[at + 2].stem in _PERIODS
        if len(best) > 1 and not period and set(best) <= set(values):
            yield Condition((Filter(places[0], Test.IS, best),), frozenset((at, at + 1)))


def _one_place(words: Sequence[Word], values: Sequence[str]) -> tuple[str, frozenset[int]] | None:
    """The one place that is asked for, and the words that say so: "came third", "in last place", "won"."""
    named = {**_ORDINALS, "last": str(len(values))}
    for at, word in enumerate(words):
        led = at > 0 and words[at - 1].folded in _COMING
        called = at + 1 < len(words) and words[at + 1].stem in _PLACES
        if word.folded == "last" and any(each.folded == "but" for each in words[at + 1 :]):
            return None
        won = word.folded in _WINNING and words[0].folded in _CHOOSING and _is_bare_win(words, at)
        place = "1" if won else named.get(word.folded, "") if led or called else ""
        if place in values:
            return place, frozenset(range(at - led, at + 1 + called))
    return None


def _is_bare_win(words: Sequence[Word], at: int) -> bool:
    """Whether it is not told what was won, as in "won nothing", nor how much: "the" contest may be."""
    behind = [word.folded for word in words[at + 1 : at + 3]]
    return not behind or (behind[0] in _THE and not _MOST.intersection(behind))


def _measuring(table: Table, words: Sequence[Word], taken: frozenset[int]) -> Iterator[Condition]:
    """Those that measure just so much: "12 yard skips", where one column is in yards."""
    for at, (number, unit) in enumerate(pairwise(words)):
        places = unit_column(table, unit) if number.written.isdecimal() and not {at, at + 1} & taken else []
        if len(places) == 1 and len(unit.written) > 1:
            yield Condition((Filter(places[0], Test.IS, (int(number.written),)),), frozenset((at, at + 1)))


def _gone(table: Table, question: str, words: Sequence[Word], taken: frozenset[int]) -> Iterator[Condition]:
    """What is sold out: of which the one column of stock says none."""
    match = _GONE.search(question)
    stock = [at for at in table.measured if _STOCK & set(stems_of(table.columns[at].label))]
    said = within(words, match.start(), match.end()) if match else taken
    if match and len(stock) == 1 and not said & taken:
        yield Condition((Filter(stock[0], Test.IS, (0.0,)),), said)


def is_period(column: Column) -> bool:
    """Whether it says when a row is of; any other column of times says something of its own ("Built")."""
    return bool(_PERIODS & set(stems_of(column.label)))


def unit_column(table: Table, word: Word) -> list[int]:
    """The columns that are measured in the unit that the word is or spells out."""
    return [at for at, column in enumerate(table.columns) if column.unit and _same_unit(word, column.unit)]


def _words_of(found: Sequence[Condition]) -> frozenset[int]:
    return frozenset[int]().union(*(one.words for one in found))


def _times(question: str) -> Iterator[tuple[re.Match[str], _Moments]]:
    for match in _DAY.finditer(question):
        if moments := _day(match):
            yield match, moments
    for match in _RANGE.finditer(question):
        first, last = int(match["first"]), int(match["first"][: 4 - len(match["last"])] + match["last"])
        if first < last:
            yield match, _years(first, last, apart=_are_apart(match))
    for match in _ONE_YEAR.finditer(question):
        if (match["lead"] or "").lower() in _OPEN_ENDED:
            continue
        yield match, _years(int(match["first"]), int(match["first"]))


def _spans(
    question: str, times: Sequence[tuple[re.Match[str], _Moments]]
) -> Iterator[tuple[int, int, str | None, _Moments]]:
    """Where each time begins and ends, the word before it, and which it is; first "from" one "to" another, as one."""
    days = sorted((time for time in times if not time[1].years), key=lambda time: time[0].start())
    for (one, first), (other, last) in pairwise(days):
        lead = (one["lead"] or "").lower()
        joint = f"{question[one.end() : other.start()]}{other['lead'] or ''}".strip().lower()
        if joint in _JOINTS.get(lead, ()) and first.start < last.end:
            yield one.start(), other.end(), None, _Moments(first.start, last.end)
    for match, moments in times:
        if moments.years or (match["lead"] or "").lower() != "between":
            yield match.start(), match.end(), match["lead"], moments


def _times_of(question: str, year: int) -> Iterator[tuple[re.Match[str], _Moments]]:
    """Days and months without a year, in the one that all rows are of."""
    for match in _DAY_ALONE.finditer(question):
        month = _MONTHS[(match["month"] or match["month2"]).lower()]
        if moments := _one_day(year, month, int(match["day"] or match["day2"])):
            yield match, moments
    for match in _MONTH_ALONE.finditer(question):
        yield match, _month(year, _MONTHS[match["month"].lower()])


def _between_months(
    table: Table,
    question: str,
    words: Sequence[Word],
    columns: Sequence[ColumnMention],
    taken: frozenset[int],
    year: int,
) -> Iterator[Condition]:
    """From one month of a year to another: "between April and June 2024"."""
    for match in _MONTHS_BETWEEN.finditer(question):
        said = within(words, match.start(), match.end())
        if not said & taken and (months := _from_month_to_month(match, year)):
            yield from _timed(table, None, months, said, columns)


def _from_month_to_month(match: re.Match[str], year: int) -> _Moments | None:
    """Both months are meant too; `year` is that of all rows, or 0. None where the year of one is not told."""
    year = int(match["year"] or year)
    first, last = (_MONTHS[name.lower()] for name in (match["first"] or match["first2"], match["last"]))
    return _Moments(_month(year, first).start, _month(year, last).end) if year and first < last else None


def _joined(question: str, year: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where several days or months are named, and how each begins as an ISO date; `year` is that of all rows, or 0."""
    rows: list[list[re.Match[str]]] = []
    for match in _JOINED.finditer(question):
        if rows and _BETWEEN_JOINED.fullmatch(question, rows[-1][-1].end(), match.start()):
            rows[-1].append(match)
        else:
            rows.append([match])
    for row in rows:
        lead = _BEFORE_JOINED.search(question[: row[0].start()])
        if len(row) > 1 and lead and (begun := _beginnings(row, year)):
            yield lead.start(), row[-1].end(), begun


def _beginnings(row: Sequence[re.Match[str]], year: int) -> tuple[str, ...]:
    """A month or year behind the last goes for those before it: "2 and 16 March 2024"; none where one is not told.

    Nor where another year may be meant: "December and January 2024".
    """
    found: list[str] = []
    named, last = "", row[-1]["year"]
    if not last and any(int(match["year"] or year) != year for match in row):
        return ()
    for match in reversed(row):
        day, month = match["day"] or match["day2"], match["month"] or match["month2"] or named
        named, year = month if day and month else "", int(match["year"] or year)
        if not month or not year or (day and not _one_day(year, _MONTHS[month.lower()], int(day))):
            return ()
        begun = f"{year}-{_MONTHS[month.lower()]:02}" + (f"-{int(day):02}" if day else "")
        if found and last and not match["year"] and begun > found[-1]:
            return ()
        found.append(begun)
    return tuple(reversed(found))


def _are_apart(match: re.Match[str]) -> bool:
    """Two years with "in" before them, or "or", are two; with "between" or "from" those between are meant too."""
    joint, lead = match["joint"].lower(), (match["lead"] or "").lower()
    return joint in ("or", "oder") or (joint in ("and", "und") and lead not in ("between", "zwischen", "from"))


def _years(first: int, last: int, *, apart: bool = False) -> _Moments:
    return _Moments(f"{first}-01-01", f"{last + 1}-01-01", (first, last) if first != last else (first,), apart)


def _day(match: re.Match[str]) -> _Moments | None:
    if match["iso"]:
        return _Moments(match["iso"], match["iso"] + "~")
    year, month, day = int(match["year"]), _MONTHS[match["month"].lower()], match["day"] or match["day2"]
    if not day:
        return _month(year, month)
    return _one_day(year, month, int(day))


def _one_day(year: int, month: int, day: int) -> _Moments | None:
    whole = f"{year}-{month:02}-{day:02}"
    return _Moments(whole, whole + "~") if 1 <= day <= calendar.monthrange(year, month)[1] else None


def _month(year: int, month: int) -> _Moments:
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    return _Moments(f"{year}-{month:02}-01", f"{after[0]}-{after[1]:02}-01")


def _timed(
    table: Table, lead: str | None, moments: _Moments, said: frozenset[int], columns: Sequence[ColumnMention]
) -> list[Condition]:
    place = _time_column(table, columns, dated=not moments.years)
    before = (lead or "").lower()
    if place is None:
        stated = all(str(year) in table.about for year in moments.years or (moments.start,))
        return [Condition((), said)] if stated and before not in _LEADS else []
    own = before in stems_of(table.columns[place].label)  # "Licensed until" is a column of days
    test = None if own else _LEADS.get(before)
    if table.columns[place].years:
        return [Condition((_of_years(place, test, moments),), said)]
    if moments.apart and moments.years[-1] - moments.years[0] > 1:  # "in 2021 and 2023" is not in 2022
        return [Condition((Filter(place, Test.BEGINS, tuple(map(str, moments.years))),), said)]
    return [Condition(_of_days(place, test, moments), said)]


def _stay(table: Table, words: Sequence[Word], columns: Sequence[ColumnMention]) -> tuple[int, int] | None:
    """The columns of the days of a stay, where the question is of these; all of them are told.

    Not where it may be of another day, on which it was booked or paid, nor of a number that all its days together have.
    """
    stay = stay_of(table)
    if stay is None or any(table.columns[at].years or table.columns[at].gaps for at in stay):
        return None
    if any(_is_of_a_deed(word) for word in words) or any(table.columns[one.column].measured for one in columns):
        return None
    return stay


def _is_of_a_deed(word: Word) -> bool:
    return word.folded in _NOT_OF_EACH_DAY or (word.folded.endswith("ed") and word.folded not in _STAYED)


def _year_of(table: Table, stay: tuple[int, int] | None) -> int:
    """The one year of both days; 0 for several."""
    years = {table.columns[at].year for at in stay or ()}
    return years.pop() if len(years) == 1 else 0


def _stays(stay: tuple[int, int] | None, lead: str | None, moments: _Moments, said: frozenset[int]) -> list[Condition]:
    """Those who come before it ends and go when it has begun: "in April"; in several years it is not known."""
    if stay is None or moments.apart or (lead or "").lower() not in _WITHIN:
        return []
    first, last = Filter(stay[0], Test.LESS, (moments.end,)), Filter(stay[1], Test.AT_LEAST, (moments.start,))
    return [Condition((first, last), said)]


def _time_column(table: Table, columns: Sequence[ColumnMention], *, dated: bool) -> int | None:
    """The one that is named, else the one column of dates, or of the years that rows are of; days are of dates only.

    Of several the one that is called a date: "Date out" beside "Due" and "Returned".
    """
    times = [at for at in table.dated if not (dated and table.columns[at].years) and not table.columns[at].is_clock]
    named = {one.column for one in columns} & set(times)
    wanted = sorted(named) or [at for at in times if not table.columns[at].years or is_period(table.columns[at])]
    called = [at for at in wanted if is_period(table.columns[at])] if len(wanted) > 1 and not named else wanted
    return called[0] if len(called) == 1 else None


def _of_years(place: int, test: Test | None, moments: _Moments) -> Filter:
    first, last = moments.years[0], moments.years[-1]
    if test is not None and first == last:
        return Filter(place, test, (first,))
    if first != last and not moments.apart:
        return Filter(place, Test.BETWEEN, (first, last))
    return Filter(place, Test.IS, tuple(dict.fromkeys((first, last))))


def _of_days(place: int, test: Test | None, moments: _Moments) -> tuple[Filter, ...]:
    """What is after 2000 begins when 2000 ends. ISO dates are in order as text."""
    if test is Test.MORE:
        return (Filter(place, Test.AT_LEAST, (moments.end,)),)
    if test is Test.LESS:
        return (Filter(place, Test.LESS, (moments.start,)),)
    if test is Test.AT_MOST:
        return (Filter(place, Test.LESS, (moments.end,)),)
    since = Filter(place, Test.AT_LEAST, (moments.start,))
    return (since,) if test is Test.AT_LEAST else (since, Filter(place, Test.LESS, (moments.end,)))


def _bounded(
    table: Table, match: re.Match[str], words: Sequence[Word], columns: Sequence[ColumnMention]
) -> list[Condition]:
    said = within(words, match.start(), match.end("number"))
    place, unit = _bounded_column(table, match, words, columns, said)
    between = within(words, match.start("between"), match.end("between"))
    named = frozenset(at for one in columns if one.column == place for at in one.run.indices())
    if place is None or not between <= named:
        return []
    filters = (Filter(place, _test(match["words"]), (_number(match["number"]),)),)
    return [Condition(filters, said - named | unit)]


def _between(
    table: Table, match: re.Match[str], words: Sequence[Word], columns: Sequence[ColumnMention]
) -> list[Condition]:
    """Both ends included, of the column of the unit that is told, else of the one that is named nearest."""
    said = within(words, match.start(), match.end("last"))
    place, unit = _bounded_column(table, match, words, columns, said)
    first, last = (_number(match[name]) for name in ("first", "last"))
    if place is None or first > last or (not unit and any(column.is_clock for column in table.columns)):
        return []
    return [Condition((Filter(place, Test.BETWEEN, (first, last)),), said | unit)]


def _bounded_column(
    table: Table, match: re.Match[str], words: Sequence[Word], columns: Sequence[ColumnMention], said: frozenset[int]
) -> tuple[int | None, frozenset[int]]:
    """The column that a bound is of, and the words of its unit."""
    signs = [name for name in ("sign", "unit") if match[name]]
    unit = frozenset[int]().union(*(within(words, match.start(name), match.end(name)) for name in signs))
    of_unit = [at for place in unit for at in unit_column(table, words[place]) if not is_of_one(table.columns[at])]
    place = of_unit[0] if len({*of_unit}) == 1 else _measured(table, columns, said)
    return (None if of_unit and place not in of_unit else place), unit if of_unit else frozenset()


def _number(written: str) -> float:
    value = float(written.replace(",", ""))
    return int(value) if value.is_integer() else value


def _against(table: Table, words: str, said: frozenset[int], columns: Sequence[ColumnMention]) -> list[Condition]:
    """The only other column of the same unit, or of as many decimals too, is compared with the one that follows."""
    other = next((one.column for one in columns if one.run.first == max(said) + 1), None)
    if other is None or not table.columns[other].measured:
        return []
    limit = table.columns[other]
    places = [at for at, one in enumerate(table.columns) if at != other and one.measured and one.unit == limit.unit]
    alike = [at for at in places if table.columns[at].decimals == limit.decimals]
    places = alike if len(places) > 1 else places
    return [Condition((Filter(places[0], _test(words), (), other),), said)] if len(places) == 1 else []


def _more_than(table: Table, question: str, words: Sequence[Word], columns: Sequence[ColumnMention]) -> list[Condition]:
    """Of two columns one against the other: "more figures than plates"; "how many more" asks for a difference."""
    match = _MORE_THAN.search(question)
    if match is None:
        return []
    more = min(within(words, match.start("more"), match.end("more")))
    than = min(within(words, match.start("than"), match.end("than")))
    named = [one for one in columns if table.columns[one.column].measured]
    before = [one for one in named if one.run.first == more + 1 and one.run.end == than]
    behind = [one for one in named if one.run.first == than + 1]
    if len(before) != 1 or len(behind) != 1:
        return []
    test = Test.LESS if match["more"].lower() in ("fewer", "less", "lower", "smaller") else Test.MORE
    return [Condition((Filter(before[0].column, test, (), behind[0].column),), frozenset((more, than)))]


def _test(words: str) -> Test:
    return next((test for test, phrases in _TESTS.items() if words.lower() in phrases), Test.MORE)


def _measured(table: Table, columns: Sequence[ColumnMention], at: frozenset[int]) -> int | None:
    """The named column of measures that stands nearest to the bound; "under 18" alone may be of no column."""
    named = [one for one in columns if table.columns[one.column].measured]
    return min(named, key=lambda one: min(abs(place - one.run.first) for place in at)).column if named else None


def _same_unit(word: Word, unit: str) -> bool:
    folded = unit.casefold().removeprefix("°")
    told = _UNITS.get(word.stem)
    return word.folded == folded or (told is not None and told in (folded, _SPELLED.get(folded, folded)))
