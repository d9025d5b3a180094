# ruff: noqa: SIM905  (word lists read best as words)
"""A question read against one table: which of its words name values, columns, times, or what to compute."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath

import msgspec

from trivium_query.answer.tables.asked_words import Run, Word, alike, is_same, joined, stems_of, words_of
from trivium_query.answer.tables.conditions import Condition, conditions_of, unit_column
from trivium_query.answer.tables.cues import (
    AGE,
    AGES,
    BELONGING,
    DATES,
    DEALS,
    LIGHT,
    NOW,
    NUMBER_WORDS,
    NUMBERED,
    OCCASIONS,
    TELLING,
    THINGS,
    Cue,
    CueFound,
    cues_of,
    is_of_two,
)
from trivium_query.answer.tables.mentions import (
    BY_WHEN,
    TITLES,
    UNITS,
    ColumnMention,
    ValueMention,
    column_mentions,
    hinted,
    is_rate_of,
    value_mentions,
)
from trivium_query.answer.tables.query_plan import Filter, Test
from trivium_query.answer.tables.synonyms import OWES, ends_of, flows_of, sums_of
from trivium_query.answer.tables.table import Column, ColumnKind, Table
from trivium_query.answer.tables.typed_cells import EMPTY, is_naming
from trivium_query.words import is_function_word, stem

# Columns of people, and the words that a question has for them.
PERSONS = frozenset(
    map(
        stem,
        "name person keeper employee member owner author worker contact staff tenant renter landlord student teacher"
        " patient client customer buyer guest player runner rider applicant holder volunteer helper borrower".split(),
    )
)
# Columns of those who did what a row tells, and what they do: beside them stands for whom it was done.
_DOERS = frozenset(
    map(
        stem,
        "mechanic technician driver engineer plumber electrician doctor nurse vet dentist therapist tutor trainer coach"
        " contractor instructor operator carer cook guide inspector surveyor fitter gardener cleaner hairdresser agent"
        " clerk officer editor designer handler teacher worker employee staff tradesman"
        " tradesperson handyman builder".split(),
    )
)
_DEEDS = frozenset(
    map(
        stem,
        "fix repair mend service do make handle treat work drive teach train clean cook guide inspect check fit serve"
        " build design install replace carry perform see".split(),
    )
)
_DEALERS = frozenset(map(stem, ("seller", "vendor", "supplier", "lender", "maker")))
# For whom it was done, and what those do themselves.
_FOR_WHOM = frozenset(
    map(stem, "owner tenant renter patient client customer buyer guest applicant holder borrower contact".split())
)
_OF_CUSTOMERS = frozenset(
    map(stem, "come go arrive leave stay order book hire rent buy borrow pay spend need owe get got ask apply".split())
)
_MOVES_OF_DOERS = frozenset(map(stem, "come go take".split()))
_LEFT, _BACK = "left", "back"
_HELPING = frozenset("has have had is are was were did does do been still now ever not already".split())
_WHICH = frozenset(("that", "which"))
_WHAT, _BEING = "what", frozenset(("s", "is", "was"))
_BY = "by"  # whoever a column is called after: "paid_by"
# Of what was asked for, given or is owed: where an amount of it is meant, and where none is.
_OF_AMOUNTS = frozenset("much money amount sum total most least more less nothing highest lowest".split())
_OPENS_NO_AMOUNT = frozenset("when where why".split())
_ASKS_FOR_THINGS = (["what", "did"], ["what", "does"], ["how", "often"])
_WE = frozenset(("we", "i"))
_ON = "on"  # the day: "found_on"
_WAS = frozenset(("was", "were"))
_ASKS_FOR_DAYS = frozenset("when date day days first last earliest latest most least often".split())
_NONE, _WITHOUT = "no", "without"
_ARTICLES = frozenset(("a", "an", "any"))
_ENTRIES = frozenset(map(stem, ("entry", "value", "figure", "record")))
_OFTEN = frozenset(("often", "times"))
_OF_SOME = frozenset(("used", "offered", "reached"))  # not of all, where nothing else is told: "how many were used"
_DOING = frozenset(("do", "does", "did"))
_PERIODS = frozenset(map(stem, "day week month quarter season year".split()))
_PERIOD_WORDS = 3  # between "over" and the period
_IRREGULAR = {
    "did": "do",
    "done": "do",
    "made": "make",
    "drove": "drive",
    "taught": "teach",
    "saw": "see",
    "built": "build",
}
_PERSON_WORDS = frozenset(map(stem, "people person employee worker member staff somebody anybody work".split()))
# Columns of how many of them were there, and what those do.
_HEADS = frozenset(
    map(
        stem,
        "people person passenger participant visitor guest attendee attended attendance enrolled spectator".split(),
    )
)
ATTENDING = frozenset(map(stem, "come go stay attend visit travel join enrolled arrive turned signed sign".split()))
_STAFF_FIRST = (frozenset(map(stem, ("employee", "worker", "staff"))), frozenset((stem("member"),)))
_ENDS = tuple(map(stem, ("returned", "until", "left", "done", "ended", "finished")))  # when something was over
_ABSENCES = frozenset(map(stem, ("leave", "holiday", "absence", "vacation")))  # "days off"
_PERSONAL = frozenset(("who", "whom", "wer"))
PLACES = frozenset(map(stem, "where place location site town city address station country".split()))
_ASKS_FOR = {"who": PERSONS, "whom": PERSONS, "whose": PERSONS, "wer": PERSONS, "where": PLACES, "wo": PLACES}
_YES = frozenset(["yes", "true", "y", "x", "ja", "oui", "si", "\u2713", "\u2714"])
_NO = frozenset(["no", "false", "n", "nein", "non", "\u2717", "\u2718"])
_NOT_SO = _NO | frozenset(("not yet", "open", "pending", "outstanding", "unpaid", "none"))
_ANYBODY = frozenset(("anybody", "anyone"))
_JOINTS = frozenset("and or nor the und oder".split())
_UN = "un"
_AGENT = re.compile(r"(\w{3,}?)(?:ant|ent|er|or)s?")  # who does it, and what is done
_ACT = re.compile(r"(\w{3,}?)(?:ation|ion|ing)s?")
_DOES = re.compile(r"(?:er|or|ist|ian)$", re.I)
_NAME = re.compile(r"[^\W\d_a-z][\w'.-]*(?: [\w'.-]+)? [^\W\d_a-z][\w'-]+")  # a first name and a last
_IN_BRACKETS = re.compile(r"\(.*?\)")  # "Paid (yes/no)"
_TO_BE, _DID = frozenset(("to", "be")), frozenset(("did", "didn"))
_CHOOSING = frozenset("which what welche welcher welches welchem welchen".split())
# What vehicles and people do in a table of times, where no column tells the one from the other.
_LEAVES, _ARRIVES = stem("leave"), stem("arrive")
_SERVE = stem("serving")
_MOVES = frozenset((_LEAVES, _ARRIVES, stem("depart")))
_CALLED = frozenset(map(stem, "list spreadsheet register catalogue catalog inventory directory".split()))
_TABLES = _CALLED | frozenset(map(stem, "table file sheet log record".split()))  # and what a row may be
_WAITING = "waiting"  # of those on such a list no table tells
_LEADS_TO_TABLE = frozenset("in from of on".split())
_OPENS_TABLE = _LEADS_TO_TABLE | frozenset("the our my this".split())
FEES = frozenset(map(stem, ("price", "fee", "fare", "rate", "charge")))
_COSTS = frozenset(map(stem, ("cost", "spend", "spent", "pay", "paid")))
# What is measured: no rows are of it.
MEASURES = frozenset(
    map(stem, "hour minute second kilometre km metre mile litre kilo kg gram euro pound dollar".split())
)
_NEED = stem("needs")  # "the highest deposit": beside it the word says nothing, elsewhere it may be what is asked
_HOW, _MUCH = "how", frozenset(("much", "many"))
_AMOUNTS = (Cue.HOW_MUCH, Cue.SUM, Cue.MEAN, Cue.MEDIAN, Cue.MOST, Cue.LEAST)
_PAID_IN, _RECEIVED = frozenset("pay pays paid come comes came".split()), stem("received")
_BEHIND_IN = frozenset("in on by from for at during between since before after altogether".split())
_MAX_NAME_WORDS = 4  # of a table
_NEAR = 2  # words between "which" or "how many" and the column that is asked for


class Reading(msgspec.Struct, frozen=True):
    """What was understood."""

    table: Table
    words: tuple[Word, ...]
    values: tuple[ValueMention, ...]
    columns: tuple[ColumnMention, ...]
    conditions: tuple[Condition, ...]
    cues: tuple[CueFound, ...]

    def cue(self, *wanted: Cue) -> CueFound | None:
        """The first of one of these kinds."""
        return next((found for found in self.cues if found.cue in wanted), None)

    def filters(self, leaving: int | None = None) -> tuple[Filter, ...]:
        """One for each column that values of are named, and those of times and bounds; none on the column `leaving`."""
        excluded = self._excluded()
        named = dict.fromkeys((one.column, one in excluded) for one in self.values)
        chosen = [self._chosen(column, excluded, is_not) for column, is_not in named]
        chosen += filter(None, map(self._marked, self._named_marks()))
        stated = [each for one in self.conditions for each in one.filters]
        return tuple(each for each in _together([*chosen, *stated]) if each.column != leaving)

    def filtered(self) -> frozenset[int]:
        """The columns that the question already says something of."""
        filters = self.filters()
        return frozenset(each.column for each in filters) | {each.other for each in filters if each.other is not None}

    def group(self) -> int | None:
        """The column that follows "each" or "per"."""
        for found in self.cues:
            if found.cue is Cue.EACH:
                for one in self.columns:
                    if found.run.end <= one.run.first <= found.run.end + 1:
                        return one.column
        return None

    def asked(self) -> int | None:
        """The column right behind "which" or "how many"."""
        ends = [at + 1 for at, word in enumerate(self.words) if word.folded in _CHOOSING]
        ends += [found.run.end for found in self.cues if found.cue in (Cue.HOW_MANY, Cue.HOW_MUCH)]
        stated = {each.column for one in self.conditions for each in one.filters}
        flows = flows_of(self.table)  # "which stall took most"
        of_kinds = joined(one.run for one in self.values)
        for end in sorted(ends):
            for one in self.columns:
                near = end <= one.run.first <= end + _NEAR and one.column not in stated
                near = near and not self._is_only_done(one.column)
                near = near and self.words[one.run.first].stem not in flows
                led = self.table.names_rows(one.column) and one.run.first - 1 in of_kinds  # "how many adult bakers"
                if near and self._is_bare(end, one.run.first, of_kinds if led else frozenset()):
                    return self._headed(one).column
        return None

    def titled(self, column: int) -> int:
        """The title of what each row has a number of: "which course" is no "course_no"."""
        label = stems_of(self.table.columns[column].label)
        numbered = bool(NUMBERED & set(label[-1:])) and self.table.names_rows(column)
        if not numbered or any(word.stem in NUMBERED for word in self.words):
            return column
        named = [at for at in column_kinds(self.table, ColumnKind.TEXT) if self.table.names_rows(at)]
        titles = [at for at in named if TITLES & set(stems_of(self.table.columns[at].label))]
        return titles[0] if len(titles) == 1 else column

    def _headed(self, mention: ColumnMention) -> ColumnMention:
        """The noun behind a participle that a column is named after too: "which borrowed tool", of loans."""
        behind = next((one for one in self.columns if one.run.first == mention.run.end), mention)
        return behind if self.words[mention.run.first].folded.endswith("ed") else mention

    def targets(self) -> tuple[int, ...]:
        """The columns that are named and that nothing is said of, besides the one asked for."""
        kept = (self.group(),)
        asked, filtered, of_table = self.asked(), self.filtered(), self._of_table()
        return tuple(
            dict.fromkeys(
                one.column
                for one in self.columns
                if one.column not in kept
                and not one.run.indices() <= of_table
                and (one.column == asked or one.column not in filtered)
                and not self._is_only_done(one.column)
            )
        )

    def _is_only_done(self, column: int) -> bool:
        """Whether the column tells by whom, or on which day, and only what was done or is due: "the most sold item"."""
        said = {word.folded for word in self.words}
        if _is_on(self.table.columns[column]) or stems_of(self.table.columns[column].label) == BY_WHEN:
            return not said & _ASKS_FOR_DAYS
        return _is_by(self.table.columns[column]) and not said & {_BY, *_PERSONAL}

    def person_or_place(self) -> int | None:
        """The column of whom "who", or of what "where", asks: no number of workers."""
        wanted = next((_ASKS_FOR[word.folded] for word in self.words if word.folded in _ASKS_FOR), frozenset[str]())
        found = self._called(wanted)
        if wanted is PERSONS and not self._called(_DOERS):
            found = found or _of_names(self.table)
        if wanted is PERSONS:
            found = found or [at for at, column in enumerate(self.table.columns) if _is_by(column)]
        if wanted is PERSONS and (doers := self._called(_DOERS)):
            found = doers if any(map(is_deed, self.words)) else [*dict.fromkeys((*found, *doers))]
        return found[0] if len(found) == 1 and self._is_done_by(found[0]) else None

    def _is_done_by(self, column: int) -> bool:
        """Whether what "who" does is what those in the column do: buyers do not sell, nor do plumbers live there."""
        verb, label = self._verb_of_who(), stems_of(self.table.columns[column].label)
        if verb is None or any(alike(verb.stem, part) for part in label):
            return True
        if _DOERS & set(label) and not PERSONS & set(label):
            return is_deed(verb) or verb.stem in _MOVES_OF_DOERS
        other = _FOR_WHOM & set(label) or _is_by(self.table.columns[column])
        return not other or verb.stem in _OF_CUSTOMERS

    def _verb_of_who(self) -> Word | None:
        """What "who" does, besides being and having, where no value is named by it, nor a column that may be had."""
        rest = (at for at, word in enumerate(self.words) if at and word.folded not in _HELPING)
        at = next(rest, len(self.words)) if self.words[0].folded in _PERSONAL else len(self.words)
        known = self._understood() - (joined(one.run for one in self.columns) if at == 1 else frozenset())
        said = at < len(self.words) and at not in known and not is_function_word(self.words[at].folded)
        return self.words[at] if said else None

    def _called(self, wanted: frozenset[str]) -> list[int]:
        columns = enumerate(self.table.columns)
        return [at for at, column in columns if not column.measured and wanted & set(stems_of(column.label))]

    def names_of_rows(self) -> int | None:
        """The column of what rows are of: "which thing", "what was found", "which costumes", "what did Jo buy"."""
        if len(self.words) < 2 or self.words[0].folded not in _CHOOSING:
            return None
        chosen, filtered = self.words[1], self.filtered()
        named = {one.column for one in self.columns} - filtered
        done = chosen.folded in _WAS and any(self._is_only_done(one.column) for one in self.columns)
        of_rows = self.is_name_of_rows(chosen) or (self._what() is not None and self._is_titled(chosen))
        if done or chosen.stem in THINGS or (of_rows and not named):
            return self._names_each()
        by_whom = chosen.folded == "did" and any(_is_by(self.table.columns[at]) for at in filtered)
        return self._of_things() if by_whom or (self.is_called_after(chosen) and not named) else None

    def names_of_extreme(self) -> int | None:
        """The same where the most or least of things is asked for, or of what the table is called after.

        Or the column that is called after things, though one may come again: items of sales.
        """
        found = self.cue(Cue.MOST, Cue.LEAST)
        rest = (word for word in self.words[found.run.end :] if word.folded != "single") if found else ()
        behind = next(iter(rest), None)
        rest = (word for word in self.words[1:] if not (is_function_word(word.folded) or word.folded == "single"))
        chosen = next(rest, None) if self.words[0].folded in _CHOOSING else None
        told = any(word and (word.stem in THINGS or self.is_called_after(word)) for word in (behind, chosen))
        if not told and not self.ends_in_most():
            return None
        named = self._names_each()
        return self._of_things() if named is None else named

    def ends_in_most(self) -> bool:
        """Whether what has the most is asked for by that alone, behind its column: "what was left over the most"."""
        found, said = self.cue(Cue.MOST, Cue.LEAST), [word.folded for word in self.words]
        if found is None or said[0] != "what" or "did" in said or said[found.run.first] not in ("most", "least"):
            return False
        behind = said[found.run.end : found.run.end + 1]
        named = found.run.first - 2 in joined(one.run for one in self.columns) and said[found.run.first - 1] == "the"
        return named and all(map(is_function_word, behind))

    def first_named(self) -> int | None:
        """The first column of text that is no place or number: of what the row tells an age or amount."""
        texts = column_kinds(self.table, ColumnKind.TEXT)
        return next((at for at in texts if not any(map(str.isdigit, self.table.columns[at].values))), None)

    def person_of_row(self) -> int | None:
        """The same if it is of people, another one in each row: no owners of cats."""
        first = self.first_named()
        return first if first in persons_of(self.table) and self.table.names_rows(first) else None

    def names_of_kind(self) -> int | None:
        """The names of rows where a kind of them is asked for: "which event", "the dearest bread"; of no owners."""
        first, most = self.first_named(), self.cue(Cue.MOST, Cue.LEAST)
        places = {1, most.run.end if most else 1} if self.words[0].folded in _CHOOSING else set[int]()
        kind = next((one for one in self.values if one.run.first in places and one.whole), None)
        if kind is None or first in (None, kind.column) or not self.table.names_rows(first):
            return None
        behind = self.words[kind.run.end : kind.run.end + 1]
        goes_on = kind.run.first > 1 and not all(is_function_word(word.folded) for word in behind)
        others = first in persons_of(self.table) or goes_on or set(behind) & set(self.unexplained())
        return None if others else first

    def asks_which_row(self, measure: int) -> bool:
        """Whether "which" or "what" asks for the most or least of occasions, or of what the table is called after.

        And not for the measure itself: "what was the highest rain".
        """
        found = self.cue(Cue.MOST, Cue.LEAST)
        if found is None or self.words[0].folded not in _CHOOSING or self.asked() == measure:
            return False
        of_measure = joined(one.run for one in self.columns if one.column == measure)
        near = [self.words[at] for at in {1, found.run.end} - of_measure if at < len(self.words)]
        return self.asks_for_occasion(found) or any(map(self.is_called_after, near))

    def _of_things(self) -> int | None:
        """The one column that is called after things: "item"."""
        texts = column_kinds(self.table, ColumnKind.TEXT)
        found = [at for at in texts if THINGS & set(stems_of(self.table.columns[at].label))]
        return found[0] if len(found) == 1 else None

    def _what(self) -> int | None:
        """The one column that is called so: "What", or "What's wrong" of repairs."""
        labels = [(at, stems_of(self.table.columns[at].label)) for at in column_kinds(self.table, ColumnKind.TEXT)]
        found = [at for at, label in labels if label[:1] == (_WHAT,) and {*label[1:2]} <= _BEING]
        return found[0] if len(found) == 1 else None

    def _is_titled(self, word: Word) -> bool:
        """Whether the name of the sheet or section, before that of the file, ends with it."""
        return stems_of(self.table.about.rpartition(" ")[0])[-1:] == (word.stem,)

    def _names_each(self) -> int | None:
        texts = [at for at in column_kinds(self.table, ColumnKind.TEXT) if self.table.names_rows(at)]
        if (what := self._what()) is not None:
            return what if what in texts else None
        return next((at for at in texts if not all(map(str.isdigit, self.table.columns[at].values))), None)

    def unexplained(self) -> tuple[Word, ...]:
        """Words with a meaning of their own that the reading has no use for."""
        known = self._understood() | self._of_a_span()
        about = set(stems_of(f"{self.table.about} {self.table.within}"))
        labels = frozenset(
            part for one in {one.column for one in self.values} for part in stems_of(self.table.columns[one].label)
        )  # those that name the columns of which values are named: "what did Jo buy", of "bought by"
        return tuple(
            word for at, word in enumerate(self.words) if at not in known and not self._is_plain(word, about, labels)
        )

    def counted(self) -> Word | None:
        """The thing that "how many" asks for: the first word with a meaning behind it."""
        found = self.cue(Cue.HOW_MANY)
        stated = self._conditional()  # "12 yard skips" are skips
        rest = range(found.run.end, len(self.words)) if found else ()
        behind = (self.words[at] for at in rest if at not in stated)
        return next((word for word in behind if not is_function_word(word.folded)), None)

    def counts_things(self) -> bool:
        """Whether "how many" asks for "items", or "catalogue items"."""
        found = self.cue(Cue.HOW_MANY)
        return found is not None and any(word.stem in THINGS for word in self._kind_behind(found))

    def counts_occasions(self) -> bool:
        """Whether "how many" asks for what each row is one time of: "skip jobs", "orders"."""
        found = self.cue(Cue.HOW_MANY)
        return found is not None and self.is_of_occasions(found)

    def is_of_kind_of_occasions(self, column: int) -> bool:
        """Whether the column's name only says of what kind they are: "how many seaweed trips"."""
        ends = [one.run.end for one in self.columns if one.column == column]
        return any(end < len(self.words) and self.is_occasion(self.words[end]) for end in ends)

    def _asks_of_occasions(self) -> bool:
        return any(map(self.asks_for_occasion, filter(None, (self.cue(Cue.HOW_MANY), self.cue(Cue.MOST, Cue.LEAST)))))

    def is_of_occasions(self, found: CueFound) -> bool:
        """Whether that stands behind it."""
        return any(map(self.is_occasion, self._kind_behind(found)))

    def is_of_several_occasions(self, found: CueFound) -> bool:
        """The same in the plural: "the most trips", but no "most rainfall" of `rainfall.csv`."""
        return any(self.is_occasion(word) and word.folded.endswith("s") for word in self._kind_behind(found))

    def asks_for_occasion(self, found: CueFound) -> bool:
        """The same, or whether "which" asks for the one that has the most: "which order was the largest"."""
        chosen = self.words[1:2] if self.words[0].folded in _CHOOSING else ()
        return self.is_of_occasions(found) or any(map(self.is_occasion, chosen))

    def is_occasion(self, word: Word) -> bool:
        """Whether a row is one time of it; deals are but in accounts, where some rows are income and some are none."""
        deal = word.folded in DEALS and not flows_of(self.table)
        done = any(map(word.folded.endswith, ("ings", "ments"))) and self._is_deed_of_rows(word)
        return not OCCASIONS.isdisjoint((word.stem, word.folded)) or deal or done or self.is_name_of_rows(word)

    def _is_deed_of_rows(self, word: Word) -> bool:
        """Whether a column tells by whom that was done: "firings" of "Fired by"."""
        deeds = [stems_of(column.label)[0] for column in self.table.columns if _is_by(column)]
        return any(is_same(deed, each) for deed in deeds for each in (word.stem, stem(word.stem)))

    def _kind_behind(self, found: CueFound) -> list[Word]:
        """The first word behind it that says something, and the next one: "skip jobs"."""
        behind = range(found.run.end, len(self.words))
        first = next((at for at in behind if not is_function_word(self.words[at].folded)), len(self.words))
        return [word for word in self.words[first : first + 2] if not is_function_word(word.folded)]

    def names_value(self, word: Word) -> bool:
        """Whether the word is of a value."""
        return self.words.index(word) in joined(one.run for one in self.values)

    def noun_of_rows(self) -> Word | None:
        """What rows are of, as no column or value is called: what is counted, or the first or last of.

        The table is called after it, or knows no name for its rows.
        """
        counted = self.cue(Cue.HOW_MANY)
        dated = next((found for found in self.cues if DATES in found.hints), None)
        end = counted.run.end if counted else dated.run.end if dated else len(self.words)
        passed = self._conditional() if counted else frozenset[int]()
        while counted and end < len(self.words) and (is_function_word(self.words[end].folded) or end in passed):
            end += 1  # "how many of the removals"
        noun = self.words[end] if end < len(self.words) else None
        if noun is None or is_function_word(noun.folded) or end in self._understood():
            return None
        if counted and self._is_how_often(counted) and self.words[end - 1].folded in _DOING:  # "did Raul come"
            return None
        called = self.is_called_after(noun)
        known = (called and counted) or self.is_of_kind(noun) or not has_names_of_rows(self.table)
        return noun if known else None

    def is_of_kind(self, noun: Word) -> bool:
        """Whether a column and a value of it say which kind of it is meant: "loaves of the kind bread"."""
        at = self.words.index(noun) + 1
        label = next((one for one in self.columns if one.run.first in (at + 1, at + 2)), None)
        if label is None or self.words[at].folded != "of" or not self._is_bare(at, label.run.first):
            return False
        return any((one.column, one.run.first) == (label.column, label.run.end) for one in self.values)

    def is_called_after(self, word: Word) -> bool:
        """Whether it is a word of the table's name, or the act of whom a column names: applications of applicants."""
        if any(alike(word.stem, each) for each in stems_of(f"{self.table.about} {self.table.within}")):
            return True
        act = _ACT.fullmatch(word.folded)
        return act is not None and any(
            (one := _AGENT.fullmatch(column.label.casefold())) and one[1] == act[1] for column in self.table.columns
        )

    def is_name_of_rows(self, word: Word) -> bool:
        """Whether the file's name ends with it: of `server_inventory.csv`, but no skips of `skip_hire.csv`.

        And rows cannot have much or many of it each: hours, costs, visitors of halls.
        """
        parts = [part for part in stems_of(PurePath(self.table.about).stem) if part not in _TABLES]
        labels = {part for column in self.table.columns for part in stems_of(column.label)}
        if not self.table.about.startswith(" ") or parts[-1:] != [word.stem]:  # a caption before, or another name
            return False
        told = word.stem in labels | MEASURES | _PERIODS | _COSTS | FEES
        return not told and (word.stem in OCCASIONS or not _may_count(self.table))

    def counts_times(self) -> bool:
        """Whether it is asked how often, or who does something most often."""
        found = self.cue(Cue.HOW_MANY, Cue.MOST, Cue.LEAST)
        return found is not None and self._is_how_often(found)

    def _is_how_often(self, found: CueFound) -> bool:
        return bool(_OFTEN & {word.folded for word in self.words[found.run.first : found.run.end]})

    def spare(self) -> tuple[Word, ...]:
        """Words that say what the table is about, and may also be another name of a column."""
        known = self._understood()
        return tuple(
            word
            for at, word in enumerate(self.words)
            if at not in known and not is_function_word(word.folded) and word.stem not in LIGHT
        )

    def told(self) -> int:
        """How many words name columns, values or times of the table."""
        named = joined([*(one.run for one in self.values), *(one.run for one in self.columns)])
        return len(named | self._conditional())

    def marks(self) -> list[int]:
        """Columns of nothing but yes and no that are named."""
        return [at for at in self._named_marks() if affirmed(self.table.columns[at])]

    def _named_marks(self) -> list[int]:
        """Columns that are named without a value of theirs: "how many passed"."""
        said = {one.column for one in self.values}
        named = dict.fromkeys(one.column for one in self.columns if one.column not in said)
        denied = {one.column for one in self.columns if one.denied}
        return [at for at in named if not affirmed(self.table.columns[at]) or at in denied or self._is_marked(at)]

    def _is_marked(self, column: int) -> bool:
        """Whether the words say what a column of yes and no does: what is paid, not what one pays or is to be paid.

        So its own words, every one; beside "did" the verb; and not where it is asked when.
        """
        runs = [one.run for one in self.columns if one.column == column]
        led = {self.words[run.first - 1].folded for run in runs if run.first}
        did = any(word.folded in _DID for word in self.words)
        told = {form for at in joined(runs) for form in _forms(self.words[at], did=did)}
        label = words_of(_IN_BRACKETS.sub("", self.table.columns[column].label))
        named = all(_forms(part, did=did) & told for part in label if not is_function_word(part.folded))
        return named and not led & _TO_BE and self.words[0].folded != "when"

    def _marked(self, column: int) -> Filter | None:
        """Of a named column of yes and no what says yes, or not that; "not shipped": of days, that there is none."""
        negated = any(one.column == column and self._is_negated(one) for one in self.columns)
        if yes := affirmed(self.table.columns[column]):
            return Filter(column, Test.IS_NOT if negated else Test.IS, yes)
        if negated and (others := _not_denied(self.table.columns[column])):
            return Filter(column, Test.IS_NOT, others)
        dated = self.table.columns[column].kind is ColumnKind.DATE
        none = any(one.column == column and _is_none_of(one, self.words, self.table) for one in self.columns)
        nobody = negated and bool(_ANYBODY & {word.folded for word in self.words})
        return Filter(column, Test.EMPTY) if none or nobody or (negated and dated) else None

    def _is_negated(self, mention: ColumnMention) -> bool:
        """Whether a "not" stands before it, with nothing between but what joins them: "has not been shipped".

        Or it says so itself: "unpaid".
        """
        if mention.denied:
            return True
        ends = (found.run.end for found in self.cues if found.cue is Cue.NOT)
        return any(end <= mention.run.first and self._is_bare(end, mention.run.first) for end in ends)

    def _is_bare(self, first: int, end: int, kinds: frozenset[int] = frozenset()) -> bool:
        """Whether no other thing is named between: "how many people were hired" is no question for days of hiring.

        Words at `kinds` only say of which kind they are: "how many adult bakers".
        """
        between = (self.words[at] for at in range(first, end) if at not in kinds)
        return all(is_function_word(word.folded) or word.stem in LIGHT for word in between)

    def _excluded(self) -> frozenset[ValueMention]:
        """Values that a "not" stands before, and those that are joined to such a one: "except food and travel"."""
        ends = {found.run.end for found in self.cues if found.cue is Cue.NOT}
        excluded: list[ValueMention] = []
        for value in sorted(self.values, key=lambda one: one.run.first):
            first = value.run.first
            led = first in ends or (first - 1 in ends and is_function_word(self.words[first - 1].folded))
            if led or any(self._are_joined(one, value) for one in excluded):
                excluded.append(value)
        return frozenset(excluded)

    def _are_joined(self, one: ValueMention, value: ValueMention) -> bool:
        between = self.words[one.run.end : value.run.first]
        behind = one.column == value.column and one.run.end <= value.run.first
        return behind and all(word.folded in _JOINTS for word in between)

    def _chosen(self, column: int, excluded: frozenset[ValueMention], is_not: bool) -> Filter:
        values = [
            value for one in self.values if one.column == column and (one in excluded) is is_not for value in one.values
        ]
        return Filter(column, Test.IS_NOT if is_not else Test.IS, tuple(dict.fromkeys(values)))

    def _conditional(self) -> frozenset[int]:
        return frozenset[int]().union(*(one.words for one in self.conditions))

    def _understood(self) -> frozenset[int]:
        named = [*(one.run for one in self.values), *(one.run for one in self.columns)]
        known = joined([*named, *(found.run for found in self.cues)]) | self._conditional() | self._of_table()
        return known | self._beside_parts()

    def _beside_parts(self) -> frozenset[int]:
        """The word right before or behind a part of a value that is the value's too: "hearing" of its "aid"."""
        beside = set()
        for one in self.values:
            told = {part for value in one.values for part in stems_of(value)} if not one.whole else set()
            around = (one.run.first - 1, one.run.end)
            beside |= {at for at in around if 0 <= at < len(self.words) and self.words[at].stem in told}
        return frozenset(beside)

    def _of_table(self) -> frozenset[int]:
        """The words of "the tool library list", where the table is called after one of them, or "in" stands before."""
        for last in range(len(self.words) - 1, 0, -1):
            if self.words[last].stem in _TABLES:
                before = range(last - 1, max(-1, last - _MAX_NAME_WORDS - 1), -1)
                start = next((at for at in before if self.words[at].folded in _OPENS_TABLE), last)
                led = {word.folded for word in self.words[max(0, start - 1) : start + 1]} & _LEADS_TO_TABLE
                led = led if self.words[last].stem in _CALLED and self.words[last - 1].folded != _WAITING else set()
                if self._is_of(start, last + 1) or (start < last and led):
                    return frozenset(range(start, last + 1))
        return frozenset()

    def _is_of(self, first: int, end: int) -> bool:
        """Whether the table is called after one of these words."""
        return any(map(self.is_called_after, self.words[first:end]))

    def calls_table_otherwise(self) -> bool:
        """Whether the question is of "the camping list", and nothing says that this table is that."""
        named = sorted(self._of_table())
        return bool(named) and not self._is_of(named[0], named[-1] + 1)

    def _is_plain(self, word: Word, about: set[str], labels: frozenset[str]) -> bool:
        if word.written == "May" and word != self.words[0]:
            return False
        if word.folded == "off" and _ABSENCES & about:
            return True
        if word.folded in NOW and self._has_ended():
            return False
        if word.folded in _OF_SOME and self.cue(Cue.HOW_MANY) and not (self.values or self.conditions):
            return False
        if word.folded in TELLING:
            return word.folded in ("than", "between") and self.cue(Cue.MORE, Cue.FEWER, Cue.DIFFERENCE) is not None
        return (
            is_function_word(word.folded)
            or word.stem in LIGHT | UNITS | THINGS
            or (word.folded == "one" and word == self.words[-1])  # "the cheapest one"
            or self._is_move(word)
            or (bool(self.table.melted) and word.stem in _COSTS and self.cue(Cue.HOW_MUCH) is not None)
            or (word.stem in _COSTS and self._has_fees() and self.cue(Cue.MOST, Cue.LEAST) is not None)
            or (word.stem in _COSTS and any(is_rate_of(self.table.columns[one.column]) for one in self.columns))
            or (self.is_occasion(word) and self._asks_of_occasions())
            or (is_deed(word) and self.words[0].folded in _PERSONAL and bool(self._called(_DOERS)))
            or (word.stem == _NEED and self.cue(Cue.MOST, Cue.LEAST) is not None)
            or (word.folded == "date" and bool(column_kinds(self.table, ColumnKind.DATE)))
            or (is_person(word) and bool(persons_of(self.table)) and not self._is_other_person(word, about))
            or ((is_person(word) or word.stem in _HEADS) and self._is_head(word))
            or any(alike(each, part) for part in labels for each in (word.stem, stem(word.stem)))  # "firings" of Firing
            or any(alike(word.stem, each) for each in about)
            or bool(unit_column(self.table, word))
        )

    def _is_head(self, word: Word) -> bool:
        """Whether it is one of those that a column counts, who are asked for, or that is named too."""
        heads = heads_of(self.table)
        return heads is not None and (word == self.counted() or heads in {one.column for one in self.columns})

    def _has_ended(self) -> bool:
        """Whether a column tells that something is over, and nothing is said of it: what was there may not be still."""
        ends = [at for at in hinted(self.table, _ENDS) if not self.table.columns[at].measured]
        return bool(set(ends) - self.filtered())

    def _is_other_person(self, word: Word, about: set[str]) -> bool:
        """Whether the table is of others, and says so: of members, and not of staff."""
        named = about.union(*(stems_of(column.label) for column in self.table.columns))
        others = next((other for own, other in (_STAFF_FIRST, _STAFF_FIRST[::-1]) if word.stem in own), frozenset())
        return bool(others & named)

    def _has_fees(self) -> bool:
        """Whether a column of numbers tells what one costs."""
        return any(FEES & set(stems_of(self.table.columns[at].label)) for at in self.table.measured)

    def _of_a_span(self) -> frozenset[int]:
        """The words of "over the two weeks" that say how long all went on."""
        found = set()
        for at, each in enumerate(self.words):
            rest = self.words[at : at + 1 + _PERIOD_WORDS] if each.folded == "over" else ()
            end = next((end for end, one in enumerate(rest) if one.stem in _PERIODS), 0)
            spoken = (word.stem in _PERIODS or word.folded in NUMBER_WORDS for word in rest[1 : end + 1])
            found |= {at, *(at + place for place, said in enumerate(spoken, start=1) if said)} if end else set()
        return frozenset(found)

    def behind(self, found: CueFound) -> Word | None:
        """The first word behind it that says something."""
        rest = self.words[found.run.end :]
        return next((word for word in rest if not is_function_word(word.folded)), None)

    def _is_move(self, word: Word) -> bool:
        """Whether it says that something goes or comes, and no column tells when it does the one or the other."""
        labels = [part for column in self.table.columns for part in stems_of(column.label)]
        told = any(alike(verb, part) for verb in (_LEAVES, _ARRIVES) for part in labels)
        return word.stem in _MOVES and not told and any(column.is_clock for column in self.table.columns)


def has_names_of_rows(table: Table) -> bool:
    """Whether a column has a name for each row."""
    return any(map(table.names_rows, column_kinds(table, ColumnKind.TEXT)))


def affirmed(column: Column) -> tuple[str, ...]:
    """The values that say yes, of a column of nothing but yes and no."""
    folded = {value.casefold() for value in column.values}
    return (
        tuple(value for value in column.values if value.casefold() in _YES) if folded and folded <= _YES | _NO else ()
    )


def _forms(word: Word, *, did: bool) -> set[str]:
    """The word in the singular, with and without its "un-"; beside "did" its stem, as it may be the verb's past."""
    one = f"{word.folded.removesuffix('ies')}y" if word.folded.endswith("ies") else word.folded.removesuffix("s")
    return {one, one.removeprefix(_UN), word.stem if did else one}


def _not_denied(column: Column) -> tuple[str, ...]:
    """Of a column with a value like "not yet", the other ones; none where it has no such value."""
    denied = any(value.casefold() in _NOT_SO for value in column.values)
    others = tuple(value for value in column.values if value.casefold() not in _NOT_SO | EMPTY)
    return others if column.kind is ColumnKind.TEXT and denied else ()


def is_person(word: Word) -> bool:
    """Whether the word stands for whoever a table is of: "employees", "people"."""
    return word.stem in _PERSON_WORDS


def is_deed(word: Word) -> bool:
    """Whether it is what one does for another: "fixed"; "did" alone helps another verb."""
    return word.folded != "did" and (word.stem in _DEEDS or stem(_IRREGULAR.get(word.folded, "")) in _DEEDS)


def is_doer(column: Column) -> bool:
    """Whether it is called after what those in it do: "seller"."""
    return bool((PERSONS | _DOERS | _DEALERS) & set(stems_of(column.label)))


def persons_of(table: Table) -> list[int]:
    """The columns of people."""
    return [at for at, column in enumerate(table.columns) if PERSONS & set(stems_of(column.label))]


def _of_names(table: Table) -> list[int]:
    """The columns of whoever does what they are called after, by their names: "Skipper" of "Hedda Quist"."""
    doers = [at for at in column_kinds(table, ColumnKind.TEXT) if _DOES.search(table.columns[at].label)]
    return [at for at in doers if all(map(_NAME.fullmatch, table.columns[at].values))]


def heads_of(table: Table) -> int | None:
    """The one column of how many people were there, as "Passengers"."""
    found = [at for at in table.measured if _HEADS & {*stems_of(table.columns[at].label)}]
    plain = [at for at in found if len(stems_of(table.columns[at].label)) == 1 and not table.columns[at].unit]
    return plain[0] if len(plain) == 1 else None


def _is_by(column: Column) -> bool:
    """Whether it tells by whom: "paid_by"."""
    return column.kind is ColumnKind.TEXT and stems_of(column.label)[-1:] == (_BY,)


def _is_on(column: Column) -> bool:
    """Whether it tells on which day: "found_on"."""
    return column.kind is ColumnKind.DATE and stems_of(column.label)[-1:] == (_ON,)


def _together(filters: Sequence[Filter]) -> list[Filter]:
    """Values that are named apart are any of them: "in 2021 than in 2020"."""
    found: list[Filter] = []
    for one in filters:
        place = next((at for at, each in enumerate(found) if _same_test(each, one)), None)
        if place is None:
            found.append(one)
        else:
            found[place] = msgspec.structs.replace(one, values=(*found[place].values, *one.values))
    return found


def _same_test(one: Filter, other: Filter) -> bool:
    return one.column == other.column and one.test is other.test is Test.IS


def read(question: str, table: Table, synonyms: Mapping[str, int]) -> Reading:
    """Values first, then whole names of columns, times and bounds, what to compute, and parts of names.

    `synonyms` are columns by the stem of a word that means them.
    """
    words, synonyms = words_of(question), {**flows_of(table), **synonyms}
    values = value_mentions(table, words)
    taken = joined(one.run for one in values)
    guessed = column_mentions(table, words, taken)
    ends = _ends_named(words, table, guessed, taken)
    guessed += ends
    conditions = conditions_of(table, question, words, guessed, taken)
    taken |= frozenset[int]().union(*(one.words for one in conditions))
    whole = [one for one in guessed if _is_whole(table, one) and not one.run.indices() & taken]
    told = cues_of(words, taken | joined(one.run for one in whole), of_two=is_of_two(words))
    flows = flows_of(table)  # "brought in" is a column's name there
    told = [found for found in told if not (found.cue is Cue.SUM and found.hints and flows)]
    told = [found for found in told if found.hints != AGE or _ages(table)]
    cues = [_of_age(_of_belonging(found, words, table), words, table) for found in told]
    amount = any(found.cue in _AMOUNTS for found in cues) and not _asks_how(words)
    taken |= joined(one.run for one in cues)
    come = {at for at in range(len(words) - 1) if flows and _comes_in(words[at:])}
    columns = [
        one
        for one in column_mentions(table, words, taken)
        if _is_whole(table, one) or not (one.run.first in come or (amount and _is_only_how(table.columns[one.column])))
    ]
    used = taken | joined(one.run for one in columns)
    meant = [
        ColumnMention(flows[_RECEIVED] if at in come else synonyms[word.stem], Run(at, at + 1))
        for at, word in enumerate(words)
        if at not in used and (word.stem in synonyms or at in come)
    ]
    meant += [one for one in ends if not one.run.indices() & used]
    both = tuple(sorted([*_with_kinds(columns, words, table), *meant], key=lambda one: one.run))
    begun = {one.run.first for one in both}
    ranked = any(found.top for found in cues)
    numbers = {one.run.first for one in both if table.columns[one.column].measured}
    kept = [found for found in cues if not _is_other_by(found, words, begun - numbers if ranked else begun)]
    kept += [
        CueFound(Cue.NOT, Run(one.run.first - 1, one.run.first))
        for one in both
        if words[one.run.first - 1].folded == _NONE and _is_none_of(one, words, table)
    ]
    return Reading(table, words, tuple(values), both, tuple(conditions), tuple(sorted(kept, key=lambda one: one.run)))


def _ends_named(
    words: Sequence[Word], table: Table, columns: Sequence[ColumnMention], taken: frozenset[int]
) -> list[ColumnMention]:
    """The day from which, or to which, by what is done on it: "arrives"; what is "left" may be over.

    Not on which somebody comes "back". So too the amount that was asked for, given or is owed.
    """
    ends, known = {**ends_of(table), **_sums_named(words, table)}, taken | joined(one.run for one in columns)
    spoken = {word.folded for word in words}
    said = [
        (at, word.stem)
        for at, word in enumerate(words)
        if at not in known and word.folded != _LEFT and _BACK not in spoken and not (at and _is_led(words[at - 1]))
    ]
    named = {one.column for one in columns}
    return [ColumnMention(ends[one], Run(at, at + 1)) for at, one in said if one in ends and ends[one] not in named]


def _sums_named(words: Sequence[Word], table: Table) -> Mapping[str, int]:
    """What others than "we" did, where an amount is asked for; "owes" only of persons for whom something was done."""
    opening, spoken = {word.folded for word in words[:1]}, {word.folded for word in words}
    no_amount = opening & _OPENS_NO_AMOUNT or [word.folded for word in words[:2]] in _ASKS_FOR_THINGS
    if no_amount or not spoken & _OF_AMOUNTS or spoken & _WE:
        return {}
    sums = sums_of(table)
    persons = bool(persons_of(table)) and not any(_DEALERS & {*stems_of(one.label)} for one in table.columns)
    return {said: at for said, at in sums.items() if persons or said not in OWES}


def _is_led(word: Word) -> bool:
    """Whether a noun comes next: "which claims"."""
    return word.folded in _CHOOSING or word.folded in _MUCH


def _with_kinds(columns: Sequence[ColumnMention], words: Sequence[Word], table: Table) -> list[ColumnMention]:
    """What only tells of which kind the next column's are goes to that: a "training course" names no trainer.

    And the noun of a part to that: "cracked pieces", or "pieces that cracked", are no Pieces, beside Cracked.
    """
    found: list[ColumnMention] = []
    for one in columns:
        before = found[-1] if found and found[-1].run.end == one.run.first else None
        if before is not None and _is_part(words[before.run.first], table, before.column, one.column):
            found[-1] = msgspec.structs.replace(before, run=Run(before.run.first, one.run.end))
        elif found and _is_done_to(found[-1], one, words, table):
            found[-1] = msgspec.structs.replace(one, run=Run(found[-1].run.first, one.run.end))
        elif before is not None and _is_kind(words[before.run.first], table.columns[before.column]):
            found[-1] = msgspec.structs.replace(one, run=Run(before.run.first, one.run.end))
        else:
            found.append(one)
    return found


def _is_kind(word: Word, column: Column) -> bool:
    return word.folded.endswith("ing") and word.stem not in stems_of(column.label)


def _is_part(word: Word, table: Table, part: int, whole: int) -> bool:
    """Whether the one counts those of the other with which that was done."""
    first, second = table.columns[part], table.columns[whole]
    return word.folded.endswith("ed") and first.measured and second.measured and first.unit == second.unit


def _is_done_to(noun: ColumnMention, one: ColumnMention, words: Sequence[Word], table: Table) -> bool:
    """The same behind the noun: "pieces were cracked"."""
    between = words[noun.run.end : one.run.first]
    joined_to = all(word.folded in _HELPING | _WHICH for word in between)
    return joined_to and _is_part(words[one.run.first], table, one.column, noun.column)


def _is_none_of(one: ColumnMention, words: Sequence[Word], table: Table) -> bool:
    """Whether a "no" or "without" stands before it, and its cell may be empty: "no receipt", "without a price".

    Where a column of numbers has a 0, only no entry of it is that.
    """
    at, column = one.run.first - 1, table.columns[one.column]
    at -= at > 0 and words[at].folded in _ARTICLES
    behind = words[one.run.end].stem if one.run.end < len(words) else ""
    filled = column.measured and column.zero and behind not in _ENTRIES
    return at >= 0 and words[at].folded in (_NONE, _WITHOUT) and not filled


def _of_belonging(found: CueFound, words: Sequence[Word], table: Table) -> CueFound:
    """Being there "the longest" counts from when somebody joined, where a column tells it.

    So where no column is a length, or it is said of no thing: at the end, or "longest serving".
    """
    if words[found.run.first].folded != "longest" or not set(hinted(table, BELONGING)) & set(table.dated):
        return found
    behind = words[found.run.end].stem if found.run.end < len(words) else ""
    return (
        found
        if behind not in ("", _SERVE) and hinted(table, found.hints)
        else CueFound(Cue.LEAST, found.run, BELONGING)
    )


def _asks_how(words: Sequence[Word]) -> bool:
    """Whether "how" stands there by itself: "how much was paid" asks for no "How paid"."""
    behind = [two.folded for one, two in pairwise(words) if one.folded == _HOW]
    return any(is_function_word(word) and word not in _MUCH for word in behind)


def is_how(column: Column) -> bool:
    """Whether it tells in which way: "How paid"."""
    return stems_of(column.label)[:1] == (_HOW,)


def _is_only_how(column: Column) -> bool:
    """The same, and not also whether: "not yet"."""
    return is_how(column) and not _not_denied(column)


def _comes_in(words: Sequence[Word]) -> bool:
    """Whether money comes in: "was paid in by", but not "paid in cash"."""
    verb, into, *rest = (word.folded for word in words)
    return verb in _PAID_IN and (into == "into" or (into == "in" and (not rest or rest[0] in _BEHIND_IN)))


def _ages(table: Table) -> list[int]:
    """The columns of how old what the rows are of is: no "minimum age"."""
    return [at for at in table.measured if stems_of(table.columns[at].label)[:1] == AGE]


def _of_age(found: CueFound, words: Sequence[Word], table: Table) -> CueFound:
    """The oldest has the most years where a column tells the age, and none when somebody was born."""
    said = words[found.run.end - 1].folded
    if said not in AGES or hinted(table, found.hints) or not _ages(table):
        return found
    return msgspec.structs.replace(found, cue=AGES[said], hints=AGE)


def _is_other_by(found: CueFound, words: Sequence[Word], begun: set[int]) -> bool:
    """Whether a "by" means who did it: it means each only before a column's name: "kept by Hanna" has another."""
    return words[found.run.first].folded == "by" and found.cue is Cue.EACH and found.run.end not in begun


def _is_whole(table: Table, mention: ColumnMention) -> bool:
    column, size = table.columns[mention.column], mention.run.end - mention.run.first
    return size == len(stems_of(column.label)) or (size == len(("per", "night")) and is_rate_of(column))


def _may_count(table: Table) -> bool:
    """Whether its numbers may say how many a row is of: half of them or more have no unit."""
    numbers = [column for column in table.columns if _has_numbers(column) and not is_naming(column)]
    plain = [column for column in numbers if not (column.unit or column.decimals)]
    return bool(plain) and 2 * len(plain) >= len(numbers)


def _has_numbers(column: Column) -> bool:
    """Also where other cells are words: "closed"."""
    return column.measured or len({value.isdigit() for value in column.values}) > 1


def column_kinds(table: Table, *kinds: ColumnKind) -> list[int]:
    """The columns of these kinds."""
    return [at for at, column in enumerate(table.columns) if column.kind in kinds]
