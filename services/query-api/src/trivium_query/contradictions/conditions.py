# ruff: noqa: E501, SIM905  (word lists read best as words)
"""What else a sentence says about when, where, which and how surely: two that differ in it need not contradict. Pure."""

from __future__ import annotations

import re

import msgspec

_YEAR = re.compile(r"(?<![\w.,/-])(1[5-9]\d\d|20\d\d)(?:[/\u2013-](\d\d|\d{4}))?(?![\w%]|[.,]\d)")
_QUARTER = re.compile(r"\b(?:Q[1-4]|H[12]|first|second|third|fourth) (?:quarter|half)\b|\bQ[1-4]\b|\bH[12]\b", re.I)
_MONTH = re.compile(r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\b")
_WEEKDAY = re.compile(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")
_DAYS = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")
_DAY_RANGE = re.compile(rf"\b({'|'.join(_DAYS)})days? ?(?:to|till|until|through|-|\u2013) ?({'|'.join(_DAYS)})days?\b")
_DAYS_NAMED = (
    (re.compile(r"\bweekdays?\b|\bworking days?\b", re.I), _DAYS[:5]),
    (re.compile(r"\bweekends?\b", re.I), _DAYS[5:]),
)
_EVERY_DAY = re.compile(r"\b(?:every day|daily|(?:seven|7) days a week|all week)\b", re.I)
_VERSION = re.compile(
    r"\b(?i:version|release|model|mark|mk|type|series|edition|revision|rev|generation|class|unit|track|line|route|room|bed"
    r"|building|platform|gate|pier|berth|lot|batch|phase|volume|chapter|section|grade|level|floor|tank|pump|boiler|no\.?)"
    r" (?:no\.? ?)?((?:[IVX]+|\d[\w.]*|[A-Z]\d*)\b)|\b[vV](\d[\w.]*)|\b([A-Z]{1,4}-?\d[\w-]*)\b"
)
# One of a group in one sentence and another, or none, in the other: not the same thing is told of.
_GROUPS = tuple(
    tuple(words.split())
    for words in (
        "north|northern south|southern east|eastern west|western northeast|north-east southwest|south-west",
        "upper lower", "inner outer", "inside outside|outdoor|outdoors", "left right", "front rear|back",
        "old|older|former|original|previous new|newer|rebuilt|current|present|replacement",
        "first second third fourth fifth sixth last", "ground basement attic|loft",
        "gross net", "minimum|lowest|least maximum|highest|most|peak average|mean|median typical|normal|usual",
        "adult|adults|grown-ups child|children|kids|junior|juniors student|students|pupils senior|seniors|pensioners group",
        "men|male|boys women|female|girls", "single|one-way return|round-trip|round-way",
        "holiday|holidays term|term-time",
        "summer winter|wintertime spring autumn", "morning|mornings afternoon|afternoons evening|evenings night|nights|overnight",
        "daily weekly monthly yearly|annual|annually hourly", "before after",
        "total|altogether|combined|whole|entire|together half quarter third|two-thirds part|partly",
        "northbound southbound eastbound westbound outward|outbound inward|inbound|homeward", "main secondary|side",
        "loaded|laden empty|unladen", "wet dry", "hot cold|chilled frozen", "full-time part-time", "public private",
        "domestic foreign|overseas|abroad|international", "online counter|door|desk", "advance",
        "systolic diastolic", "resting exercise", "deck hull engine keel mast", "standard deluxe premium basic", "long short",
        "raw cooked|roasted", "planned actual", "paperback hardback|hardcover", "standing seated",
    )
)  # fmt: skip
_SIDES: dict[str, tuple[int, str]] = {
    word: (at, side) for at, group in enumerate(_GROUPS) for side in group for word in side.split("|")
}
# Telling of a part where the other tells of the whole: the odd one out need not contradict.
_ONE_SIDED = frozenset(
    at
    for at, group in enumerate(_GROUPS)
    if group[0].partition("|")[0] in "north upper inner left front first ground gross minimum adult men single summer"
    " total northbound main loaded raw paperback standing systolic resting deck standard half online planned old"
    .split()
)  # fmt: skip
_PLANNED = re.compile(
    r"\b(?:will|shall|would|plan(?:s|ned|ning)?|expect(?:s|ed|ing|ation)?|forecasts?|forecasted|projected|projections?"
    r"|estimat(?:e|ed|es)|target(?:s|ed)?|aim(?:s|ed)?|hop(?:es?|ed|ing)|propos(?:es|ed|al)|intend(?:s|ed)?|scheduled|due to"
    r"|budgeted|should|might|could|anticipat(?:es|ed)|predict(?:s|ed|ion)|goal|meant to|supposed to|draft|outlook|ask(?:s|ed) for|request(?:s|ed)|appl(?:y|ies|ied) for|want(?:s|ed)|wish(?:es|ed)?)\b"
)
_UPDATE = re.compile(
    r"\b(?:since(?! its| then)|as of|as from|with effect from|formerly|previously|until (?:then|recently|1\d{3}|20\d\d|the end|last|this)"
    r"|used to|no longer|any more|anymore|now(?!here)|nowadays|today|currently|at present|recently|up from|down from|has (?:since|now)"
    r"|have (?:since|now)|ha[sd] (?:risen|grown|fallen|been (?:raised|increased|cut|reduced|extended|moved|replaced|changed|lowered|shortened))"
    r"|(?:was|were|is|are) (?:raised|increased|cut|reduced|lowered|extended|lengthened|shortened|replaced|changed|corrected|revised|brought forward|put back|postponed|moved)"
    r"|(?:rose|risen|grew|grown|fell|fallen|dropped|climbed|shrank|declined) (?:up|down|to|by|from|back)|(?:went|gone|came) (?:up|down)\b|instead of|rather than|originally|at first|at the time|in those days"
    r"|from (?:\w+ )?(?:onwards?|on\b)|correction|corrected|erratum|amended|supersed\w+|then stood|once had|had once|(?:days?|weeks?|months?|years?) later|later on)\b",
    re.I,
)
_PARTIAL = re.compile(
    r"\b(?:of which|of these|of them|among them|including|of whom|alone|apiece|(?:for|by) each [a-z]+|each|(?-i:[Pp]er (?!cent)[a-z]\w*)|a (?:head|day|week|month|year|night|person|piece)"
    r"|half of|part of it|some of|most of|excluding|without the|not counting|except|only the)\b",
    re.I,
)
# Told as what somebody says or believes: another may say otherwise, and both sentences be right.
_CLAIMED = re.compile(
    r"\b(?:argue[sd]?|claim(?:s|ed) (?:that|to|there)|claimed|alleg(?:es|ed|edly)|asserts?|asserted|contend(?:s|ed)|maintained that|insist(?:s|ed)"
    r"|reportedly|supposedly|rumou?r(?:s|ed)?|legend|myth|(?:is|are|was|were) (?:said|thought|believed|reputed|rumoured|suspected|assumed)"
    r"|testified|suspects?|guess(?:es|ed)?|doubt(?:s|ed)?|believe[sd]?)\b",
    re.I,
)
_ACCORDING = re.compile(r"\b(?:according to|in the (?:words|view|opinion) of|by the account of) ([^,.;]{2,60})", re.I)
_BOUND = re.compile(r"\b(?:at (?:the )?(?:least|most)|no (?:less|more|fewer) than|not more than)\b", re.I)
_ALL_PARTS = re.compile(r"\b(?:in )?(?:every part|all parts) of\b", re.I)
_IS_THERE = re.compile(r"\b(is|are|was|were|be|been|being) present\b", re.I)
_ASKS = re.compile(r"\?\W*$")
_SUPPOSED = re.compile(
    r"^\W*(?:if|unless|suppose|imagine|for example|e\.g\.|let)\b|\b(?:for instance|for example|e\.g\.)", re.I
)
_RATES = tuple(
    (re.compile(rf"\b(?:once )?(?:an?|each|every|per) {period}\b|\b(?:once )?{rate}\b", re.I), rate)
    for period, rate in (("day", "daily"), ("week", "weekly"), ("month", "monthly"), ("(?:year|annum)", "yearly"))
)
_WORD = re.compile(r"[a-z][a-z-]*", re.I)


class Conditions(msgspec.Struct, frozen=True):
    """`sides` holds, of each group of opposites, those that the sentence has."""

    years: frozenset[int] = frozenset()
    months: frozenset[str] = frozenset()
    quarters: frozenset[str] = frozenset()
    every_day: bool = False
    weekdays: frozenset[str] = frozenset()
    days: frozenset[int] = frozenset()
    versions: frozenset[str] = frozenset()
    sides: frozenset[tuple[int, str]] = frozenset()
    planned: bool = False
    updates: bool = False
    claimed: bool = False
    according: frozenset[str] = frozenset()
    partial: frozenset[str] = frozenset()
    idle: bool = False  # asks or supposes, and so tells nothing


def conditions_of(text: str, days: frozenset[int] = frozenset()) -> Conditions:
    """Those of one sentence, or of a heading; `days` are the dates in it."""
    text = _ALL_PARTS.sub("", _IS_THERE.sub(r"\1", _BOUND.sub("", text)))
    every_day = ("day" in text or "daily" in text or "week" in text) and _EVERY_DAY.search(text) is not None
    for pattern, rate in _RATES:
        text = pattern.sub(rate, text)
    years = set[int]()
    for match in _YEAR.finditer(text):
        first = int(match[1])
        last = int(match[1][: 4 - len(match[2])] + match[2]) if match[2] else first
        years.update((first, last))
    return Conditions(
        years=frozenset(years),
        months=frozenset(_MONTH.findall(text)),
        days=days,
        weekdays=_weekdays(text),
        every_day=every_day,
        quarters=frozenset(each.lower() for each in _QUARTER.findall(text)),
        versions=frozenset(next(filter(None, m.groups())).lower().strip(".") for m in _VERSION.finditer(text)),
        sides=frozenset(_SIDES[word] for word in (w.lower() for w in _WORD.findall(text)) if word in _SIDES),
        planned=_PLANNED.search(text) is not None,
        updates=_UPDATE.search(text) is not None,
        claimed=_CLAIMED.search(text) is not None,
        according=frozenset(who.lower() for who in _ACCORDING.findall(text)),
        partial=frozenset(each.lower() for each in _PARTIAL.findall(text)),
        idle=bool(_ASKS.search(text) or _SUPPOSED.search(text)),
    )


def _weekdays(text: str) -> frozenset[str]:
    """The days named, those within "Tuesday to Friday" and "weekdays" too."""
    if "day" not in text and "week" not in text:
        return frozenset()
    found = set(_WEEKDAY.findall(text))
    for match in _DAY_RANGE.finditer(text):
        first, last = _DAYS.index(match[1]), _DAYS.index(match[2])
        found.update(_DAYS[first : last + 1] if first <= last else (*_DAYS[first:], *_DAYS[: last + 1]))
    return frozenset(found.union(*(days for pattern, days in _DAYS_NAMED if pattern.search(text))))


LIMITS = next(at for at, group in enumerate(_GROUPS) if group[0].startswith("minimum"))


def without_limits(conditions: Conditions) -> Conditions:
    """Without its being the most or the least, for what is compared as such."""
    return msgspec.structs.replace(conditions, sides=frozenset(s for s in conditions.sides if s[0] != LIMITS))


def differ(one: Conditions, other: Conditions, *, lasting: bool, dated: bool) -> bool:
    """Whether the two need not be of the same thing at the same time.

    A `lasting` attribute has one value for good, so its years do not matter; `dated`: the values themselves are days.
    """
    if one.idle or other.idle or one.planned != other.planned or one.updates or other.updates:
        return True
    if one.claimed or other.claimed or _apart(one.according, other.according, one_sided=False):
        return True
    if one.partial != other.partial or _apart(one.versions, other.versions, one_sided=True):
        return True
    if not lasting and not dated and _times_differ(one, other):
        return True
    return _sides_differ(one.sides, other.sides)


def _times_differ(one: Conditions, other: Conditions) -> bool:
    """In both, and none in common; or in one alone: who says "in 2019" knows that it was otherwise before or after."""
    return any(
        _apart(a, b, one_sided=True)
        for a, b in (
            (one.years, other.years),
            (one.months, other.months),
            (one.quarters, other.quarters),
            (one.days, other.days),
            (one.weekdays, other.weekdays),
        )
    )


def _apart(
    one: frozenset[object] | frozenset[int] | frozenset[str],
    other: frozenset[object] | frozenset[int] | frozenset[str],
    *,
    one_sided: bool,
) -> bool:
    if one and other:
        return not one & other
    return one_sided and bool(one or other)


def _sides_differ(one: frozenset[tuple[int, str]], other: frozenset[tuple[int, str]]) -> bool:
    for at in {at for at, _ in one ^ other}:
        here, there = {s for a, s in one if a == at}, {s for a, s in other if a == at}
        if (here and there and not here & there) or (at in _ONE_SIDED and not (here and there)):
            return True
    return False
