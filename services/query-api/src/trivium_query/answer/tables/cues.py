# ruff: noqa: SIM905  (word lists read best as words)
"""Words that say what to compute, in English and German; everything else that a question says names rows or columns."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import msgspec

from trivium_query.answer.tables.asked_words import Run, Word
from trivium_query.answer.tables.query_plan import Aggregate
from trivium_query.words import stem


class Cue(enum.Enum):
    """What a phrase asks for."""

    SUM = enum.auto()
    MEAN = enum.auto()
    MEDIAN = enum.auto()
    MOST = enum.auto()
    LEAST = enum.auto()
    DIFFERENCE = enum.auto()  # either way round
    MORE = enum.auto()  # the first less the second
    FEWER = enum.auto()  # the second less the first
    GROWTH = enum.auto()  # the later less the earlier
    CHANGE = enum.auto()  # the same, and may be less than nothing
    SHARE = enum.auto()  # of a whole that nobody names: no plan has it
    HOW_MANY = enum.auto()
    HOW_MUCH = enum.auto()
    EACH = enum.auto()
    NOT = enum.auto()


class CueFound(msgspec.Struct, frozen=True):
    """A cue, its words, and stems of labels that it hints at (`longest`: length).

    `rank`: 2 for "the second highest"; with `top` all up to that: "the two highest". `is_bare`: "the top two" of what?
    """

    cue: Cue
    run: Run
    hints: tuple[str, ...] = ()
    rank: int = 1
    top: bool = False
    is_bare: bool = False


AGGREGATES = {
    Cue.SUM: Aggregate.SUM,
    Cue.MEAN: Aggregate.MEAN,
    Cue.MEDIAN: Aggregate.MEDIAN,
    Cue.MOST: Aggregate.MOST,
    Cue.LEAST: Aggregate.LEAST,
}
DATES = "date"  # a hint at the column of dates or years
_PHRASES: dict[Cue, str] = {
    Cue.SUM: "total|sum|altogether|combined|together|overall|in all|in total|in sum|aggregate|add up to"
    "|adds up to|added up|adding up|between them|amount to|amounts to|come to|comes to|all in all|all told|all together"
    "|insgesamt|gesamt|summe",
    Cue.MEAN: "mean|average|averaged|avg|on average|durchschnitt|durchschnittlich|durchschnittliche|mittelwert",
    Cue.MEDIAN: "median",
    Cue.MOST: "most|highest|largest|greatest|maximum|max|biggest|peak|most often|most frequently|hochste|meisten"
    "|largest number of|highest number of|greatest number of",
    Cue.LEAST: "least|lowest|smallest|fewest|minimum|min|least often|niedrigste|wenigsten|kleinste"
    "|smallest number of|lowest number of",
    Cue.DIFFERENCE: "difference|differ|gap|unterschied|differenz",
    Cue.MORE: "how many more|how much more|how much higher|how much larger|how much greater|how much longer|exceed"
    "|exceeded|by how much did|by how much does",
    Cue.FEWER: "how many fewer|how many less|how much less|how much lower|how much smaller|how much shorter",
    Cue.GROWTH: "grow|grew|grown|growth|increase|increased|rise|rose|gain|gained",
    Cue.CHANGE: "change|net change|changed",
    Cue.SHARE: "percentage|percent of|share|proportion|ratio|anteil",
    Cue.HOW_MANY: "how many|number of|count of|how often|how many times|wie viele|anzahl",
    Cue.HOW_MUCH: "how much|wie viel|what amount|what sum",
    Cue.EACH: "each|per|every|by|pro|je|jede|jeder|jedes|jedem",
    Cue.NOT: "except|excluding|except for|other than|not|without|besides|ausser|ohne"
    "|everything but|all but|everyone but|everybody but"
    "|cannot|can t|haven t|hasn t|hadn t|don t|doesn t|didn t|isn t|aren t|wasn t|weren t|won t",
}
_ALSO_NAMES = frozenset(("max", "min", "peak"))  # of people, written with a capital
_BEGINNINGS = "built born birth founded established opened constructed"  # what an age is counted from
BELONGING = tuple(map(stem, ("joined", "hired", "started", "since", "appointed", "enrolled")))
"""What "the longest" is counted from, where somebody belongs to something."""
# Superlatives and "how long": the label's words that they hint at.
_HINTS: dict[str, tuple[Cue, str]] = {
    "longest": (Cue.MOST, "length long distance duration hours minutes km kilometres kilometers miles"),
    "shortest": (Cue.LEAST, "length long distance duration hours minutes km kilometres kilometers miles"),
    "furthest": (Cue.MOST, "distance length km kilometres kilometers miles"),
    "farthest": (Cue.MOST, "distance length km kilometres kilometers miles"),
    "deepest": (Cue.MOST, "depth deep"),
    "shallowest": (Cue.LEAST, "depth deep"),
    "tallest": (Cue.MOST, "height high tall"),
    "heaviest": (Cue.MOST, "weight mass"),
    "lightest": (Cue.LEAST, "weight mass"),
    "widest": (Cue.MOST, "width wide"),
    "narrowest": (Cue.LEAST, "width wide"),
    "cheapest": (Cue.LEAST, "price cost fee charge"),
    "dearest": (Cue.MOST, "price cost fee charge"),
    "costliest": (Cue.MOST, "price cost fee charge"),
    "priciest": (Cue.MOST, "price cost fee charge"),
    "most expensive": (Cue.MOST, "price cost fee charge"),
    "least expensive": (Cue.LEAST, "price cost fee charge"),
    "warmest": (Cue.MOST, "temperature"),
    "hottest": (Cue.MOST, "temperature"),
    "coldest": (Cue.LEAST, "temperature"),
    "wettest": (Cue.MOST, "rain rainfall precipitation moisture humidity"),
    "driest": (Cue.LEAST, "rain rainfall precipitation moisture humidity"),
    "fastest": (Cue.MOST, "speed"),
    "slowest": (Cue.LEAST, "speed"),
    "oldest": (Cue.LEAST, _BEGINNINGS),
    "earliest": (Cue.LEAST, DATES),
    "first": (Cue.LEAST, DATES),
    "first of all": (Cue.LEAST, DATES),
    "longest ago": (Cue.LEAST, DATES),
    "newest": (Cue.MOST, _BEGINNINGS),
    "youngest": (Cue.MOST, _BEGINNINGS),
    "latest": (Cue.MOST, DATES),
    "last": (Cue.MOST, DATES),
    "most recent": (Cue.MOST, DATES),
    "most recently": (Cue.MOST, DATES),
    "did we charge": (Cue.HOW_MUCH, "price cost fee amount"),
    "do we charge": (Cue.HOW_MUCH, "price cost fee amount"),
    "do you charge": (Cue.HOW_MUCH, "price cost fee amount"),
    "bring in": (Cue.SUM, "price revenue income"),
    "brought in": (Cue.SUM, "price revenue income"),
    "how old": (Cue.HOW_MUCH, "age"),
    "how far": (Cue.HOW_MUCH, "distance km kilometres kilometers miles"),
    "how long": (Cue.HOW_MUCH, "length long"),
    "how deep": (Cue.HOW_MUCH, "depth deep"),
    "how high": (Cue.HOW_MUCH, "height high"),
    "how tall": (Cue.HOW_MUCH, "height tall"),
    "how wide": (Cue.HOW_MUCH, "width wide"),
    "how heavy": (Cue.HOW_MUCH, "weight mass"),
}
AGES = {"oldest": Cue.MOST, "older": Cue.MOST, "youngest": Cue.LEAST, "younger": Cue.LEAST}
"""Where an age is told, and no birth."""
AGE = (stem("age"),)
SIZED = frozenset({"largest", "biggest", "smallest"})  # by area, where nothing else is named and there is one
SIZES = tuple(map(stem, ("area", "size", "surface")))
THINGS = frozenset(map(stem, ("thing", "item", "article", "product", "piece", "entry", "object")))
"""What any table's rows may be of."""
NUMBERED = frozenset(("no", "nr", "id", "code", stem("number")))
"""What the number of a row is called."""
OCCASIONS = frozenset(map(stem, "entry row record turn slot bookings visit session trip event job".split()))
"""What a row is one time of; "booking" by itself, for its stem is that of books."""
DEALS = frozenset("order orders purchase purchases sale sales delivery deliveries".split())
"""The same, as nouns: what was "ordered" may be counted in pieces."""
NOW = frozenset("still now currently".split())
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
NUMBER_WORDS = frozenset(_NUMBERS)
_RANKS = {
    **{word: at for at, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), 2)},
    **{f"{at}{'nd' if at == 2 else 'rd' if at == 3 else 'th'}": at for at in range(2, 11)},
}
_TOP = {**{word: at for at, word in enumerate(_NUMBERS[1:], 2)}, **{str(at): at for at in range(2, 21)}}
# What they ask for is told by other words.
LIGHT = frozenset(
    stem(word)
    for word in """be get got make made record recorded list listed measure measured report reported register
    registered note noted different distinct see seen observe observed happen figure number data table row
    column sheet file entry record document overall given according respectively all exactly there please go
    went run place placed stay take taken bring brought come came have has had would could us long far many much lie
    took stand belong pay laut plan planned schedule scheduled live yet already still now currently
    club society association money down work worked back
    everything anything single whole moment sort include included use used offer reach reached ever""".split()
)
# A question that keeps one of these unread says more than the plan would.
TELLING = frozenset(
    """more most less least than not no nor without except other only same both each every per over under above below
    between before after until since during same such few further once outstanding unpaid owing owed due overdue off
    never nobody left remaining unspent""".split()
) | frozenset(_RANKS)
_MAX_CUE_WORDS = 4


# Of two things that the question names, the longer one is the longest.
_OF_TWO = {
    "more": "most", "less": "least", "fewer": "fewest", "higher": "highest", "lower": "lowest", "larger": "largest",
    "greater": "greatest", "bigger": "biggest", "smaller": "smallest", "longer": "longest", "shorter": "shortest",
    "deeper": "deepest", "shallower": "shallowest", "taller": "tallest", "heavier": "heaviest", "lighter": "lightest",
    "wider": "widest", "narrower": "narrowest", "cheaper": "cheapest", "dearer": "dearest", "warmer": "warmest",
    "hotter": "hottest", "colder": "coldest", "wetter": "wettest", "drier": "driest", "faster": "fastest",
    "slower": "slowest", "older": "oldest", "newer": "newest", "younger": "youngest", "earlier": "earliest",
    "later": "latest", "more expensive": "most expensive", "less expensive": "least expensive",
}  # fmt: skip


def is_of_two(words: Sequence[Word]) -> bool:
    """Whether the question chooses between things: "which is longer, Mill Loop or Fern Gorge"."""
    said = [word.folded for word in words]
    return said[:1] in (["which"], ["what"], ["who"]) and "or" in said and "than" not in said


def is_of_comparison(found: CueFound, words: Sequence[Word]) -> bool:
    """Whether a superlative was said as a comparative: "longer"."""
    return any(" ".join(word.folded for word in words[at : found.run.end]) in _OF_TWO for at in found.run.indices())


def cues_of(words: Sequence[Word], taken: frozenset[int], *, of_two: bool = False) -> list[CueFound]:
    """The longest cue at each place, in order; none uses a word that is taken.

    With `of_two`, whatever is longer is the longest.
    """
    found: list[CueFound] = []
    at = 0
    while at < len(words):
        runs = (Run(at, at + size) for size in range(_MAX_CUE_WORDS, 0, -1))
        tried = (_cue(words, run, taken, of_two=of_two) for run in runs)
        cue = next(filter(None, tried), None)
        if cue:
            found.append(_ranked(words, cue, taken))
        at = cue.run.end if cue else at + 1
    if not any(one.cue in (Cue.MOST, Cue.LEAST) for one in found):
        found += (one for at in range(len(words) - 1) if (one := _of_top(words, Run(at, at + 2), taken)))
    return found


def _of_top(words: Sequence[Word], run: Run, taken: frozenset[int]) -> CueFound | None:
    """What "the top three" asks for by itself: of a number that is named."""
    top, number = words[run.first].folded, words[run.first + 1].folded
    told = top == "top" and number in _TOP and not run.indices() & taken
    return CueFound(Cue.MOST, run, rank=_TOP[number], top=True, is_bare=True) if told else None


def _ranked(words: Sequence[Word], found: CueFound, taken: frozenset[int]) -> CueFound:
    """The same with the rank or the number that stands before it: "the second highest", "the top three cheapest"."""
    before = found.run.first - 1
    if found.cue not in (Cue.MOST, Cue.LEAST) or before < 0 or before in taken:
        return found
    said = words[before].folded
    rank, top = (_TOP[said], True) if said in _TOP else (_RANKS.get(said, 1), False)
    first = before - 1 if top and before and words[before - 1].folded == "top" else before
    return found if rank == 1 else CueFound(found.cue, Run(first, found.run.end), found.hints, rank, top)


def _cue(words: Sequence[Word], run: Run, taken: frozenset[int], *, of_two: bool) -> CueFound | None:
    if run.end > len(words) or run.indices() & taken:
        return None
    if words[run.first].folded in _ALSO_NAMES and words[run.first].written[0].isupper() and run.first > 0:
        return None
    phrase = " ".join(word.folded for word in words[run.first : run.end])
    phrase = _OF_TWO.get(phrase, phrase) if of_two else phrase
    if phrase in _HINTS:
        cue, hints = _HINTS[phrase]
        return CueFound(cue, run, (DATES,) if hints == DATES else tuple(map(stem, hints.split())))
    return CueFound(_BY_PHRASE[phrase], run) if phrase in _BY_PHRASE else None


_BY_PHRASE = {phrase: cue for cue, phrases in _PHRASES.items() for phrase in phrases.split("|")}
CUE_WORDS = frozenset(" ".join([*_OF_TWO.values(), *_HINTS, *(hints for _, hints in _HINTS.values())]).split())
"""English words that ask for what no passage says: "expensive"."""
