# ruff: noqa: E501  (a rule is one row of a table)
"""What a value is told of: the attribute that the words beside it name, whatever words these are. Pure.

An attribute has one value at a time. A *lasting* one has one for good: when somebody was born, how high a tower is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from trivium_query.contradictions.values import Value

_LENGTH, _TIME, _MASS, _AREA, _VOLUME = "[length]", "[time]", "[mass]", "[length] ** 2", "[length] ** 3"


class Attribute(msgspec.Struct, frozen=True):
    """`kinds` are those of its values, or dimensions of its quantities; `words` name it."""

    name: str
    kinds: frozenset[str]
    words: re.Pattern[str]
    lasting: bool = False
    vague: bool = False


_VAGUE = frozenset(
    {"held", "lasts", "interval", "distance", "built for", "range", "load"}
)  # others of the sentence go before


def _attribute(name: str, kinds: str, words: str, *, lasting: bool = False) -> Attribute:
    return Attribute(name, frozenset(kinds.split("|")), re.compile(rf"\b(?:{words})\b", re.I), lasting, name in _VAGUE)


ATTRIBUTES = (
    _attribute("born", "date", r"born|birth(?:day|date)?|came into the world|saw the light of day", lasting=True),
    _attribute("died", "date", r"died|dies|death|passed away|deceased|killed", lasting=True),
    _attribute("married", "date", r"married|wed(?:ding)?|marriage", lasting=True),
    _attribute(
        "founded",
        "date",
        r"found(?:ed|ation|ing)|establish(?:ed|ment)|set up|incorporated|formed|came into being|dates? (?:back )?(?:to|from)"
        r"|goes back to|since its beginnings|started (?:out|business|trading|life)|began (?:trading|life|business)|launched",
        lasting=True,
    ),
    _attribute(
        "built",
        "date",
        r"built|construct(?:ed|ion)|erected|complet(?:ed|ion)|finished|put up|laid down|dates from",
        lasting=True,
    ),
    _attribute("opened", "date", r"opened|inaugurat(?:ed|ion)|opening|unveiled|first lit|entered service|went into service"),
    _attribute("closed", "date", r"closed|shut(?: down)?|closure|decommissioned|withdrawn"),
    _attribute("released", "date", r"releas(?:ed|e)|published|came out|premi[eè]red?|first shown|appeared", lasting=True),
    _attribute("signed", "date", r"sign(?:ed|ing)|ratified|came into force|takes effect|took effect", lasting=True),
    _attribute("automated", "date", r"automat(?:ed|ion)|electrified|converted", lasting=True),
    _attribute("joined", "date", r"join(?:ed|ing)|appoint(?:ed|ment)|took (?:over|office|up)|hired|elected|was made"),
    _attribute("left", "date", r"left|retired?|retirement|resigned|stepped down"),
    _attribute("admitted", "date", r"admitted|admission|brought in|presented"),
    _attribute("discharged", "date", r"discharged?|sent home|went home"),
    _attribute("operated", "date", r"operat(?:ed|ion)|surgery|procedure", lasting=True),
    _attribute("held", "date", r"(?:was |were |is |be )?held|takes? place|took place|met|meets?|scheduled|due|deadline"),
    _attribute("begins on", "date", r"starts?|begins?|commences?|beginning|opens?"),
    _attribute("ends on", "date", r"ends?|ends? on|closes?|closing|runs? out|expires?|expiry|deadline|no later than|(?:be in|received|submitted|apply|returned|handed in|register) by"),
    _attribute("opens", "time", r"opens?|opening|open from|doors|unlocked"),
    _attribute("closes", "time", r"closes?|closing|shuts?|until|till|last (?:entry|orders)"),
    _attribute("departs", "time", r"leaves?|departs?|departures?|depart(?:s|ing)|sails?|sets? off|goes|pulls out|casts off"),
    _attribute("arrives", "time", r"arriv(?:es?|al|ing)|reach(?:es)?|gets? in|docks?|is in"),
    _attribute("begins", "time", r"starts?|begins?|beginning|gets going|commences?|kicks? off|called to order"),
    _attribute("ends", "time", r"ends?|finish(?:es)?|adjourned|over by|is over"),
    _attribute("height", _LENGTH, r"high|heights?|tall|rises?|rising|elevation|altitude|stands|above sea level", lasting=True),
    _attribute("length", _LENGTH, r"long|lengths?|stretch(?:es)?|spans?|from end to end|from bow to stern", lasting=True),
    _attribute("width", _LENGTH, r"wide|widths?|across|broad|breadth|diameter|beam", lasting=True),
    _attribute("depth", _LENGTH, r"deep|depths?|draught|draws", lasting=True),
    _attribute("range", _LENGTH, r"ranges?|visible|seen|reach(?:es)?|carries|sighted|made out"),
    _attribute("distance", _LENGTH, r"away|distance|from|journey|route|walk", lasting=True),
    _attribute("weight", _MASS, r"weigh(?:s|ed|ing)?|weights?|heavy|mass|tips the scales|displaces|displacement", lasting=True),
    _attribute("dose", _MASS, r"doses?|dosage|daily|twice|once|a day|mg|tablets?|takes?|prescribed|given|started on"),
    _attribute("load", _MASS, r"loads?|carr(?:y|ies)|payload|lifts?|bears?|limit"),
    _attribute("area", _AREA, r"areas?|covers?|surface|spreads?|occup(?:y|ies)|floor|measures", lasting=True),
    _attribute("volume", _VOLUME, r"holds?|capacity|volume|tank|takes|fill(?:s|ed)?|contains", lasting=True),
    _attribute("battery", _TIME, r"battery|charge|runs? (?:for|on)|cordless"),
    _attribute("warranty", _TIME, r"warrant(?:y|ed)|guaranteed?|covered for"),
    _attribute("notice", _TIME, r"notice|cancel(?:led|lation)?"),
    _attribute("lasts", _TIME, r"lasts?|duration|takes?|took|crossing|ride|runtime|running time|long|runs"),
    _attribute("interval", _TIME, r"every|interval|each"),
    _attribute("age", _TIME, r"old|aged?|year-old", lasting=False),
    _attribute("pressure", "[mass] / [length] / [time] ** 2", r"pressure|inflate[ds]?|pump(?:ed)?|bar|exceed"),
    _attribute("temperature", "[temperature]", r"temperature|heat(?:ed)?|oven|store[ds]?|keep|kept|fever|warm|water|bake|boil"),
    _attribute("speed", "[length] / [time]", r"speeds?|fast|knots|limit|does|runs?|cruises?|tops? out"),
    _attribute("power", "[mass] * [length] ** 2 / [time] ** 3", r"power|engine|motor|lamp|rated|draws|consum(?:es|ption)|output"),
    _attribute("energy", "[mass] * [length] ** 2 / [time] ** 2", r"uses?|consum(?:es|ption)|energy|generat(?:es|ed)"),
    _attribute("price", "money", r"costs?|price[ds]?|fees?|fares?|charge[sd]?|tickets?|fetch(?:ed|es)|sold for|worth|valued|admission|entrance|sells? (?:for|at)|pays?|rents?|retails?|entry|buy|list"),
    _attribute("salary", "money", r"salary|salaries|earns?|wages?"),
    _attribute("revenue", "money", r"revenues?|turnover|sales|takings|turned over|income|brought in"),
    _attribute("profit", "money", r"profits?|earnings|surplus|loss(?:es)?"),
    _attribute("budget", "money", r"budgets?|allot(?:ted|ment)|approved|set aside|granted?|funding|grant|earmarked|awarded"),
    _attribute("raised", "money", r"raised|donations?|collected"),
    _attribute("built for", "money", r"build|construction|repairs?|works|contract|bid"),
    _attribute("staff", "count", r"employs?|employees|staff|workers|workforce|headcount|payroll|on the books|work(?:s|ing)? (?:there|for|at)|team of"),
    _attribute("population", "count", r"population|inhabitants|residents|people live|home to|villagers|souls"),
    _attribute("seats", "count", r"seats?|seating|holds?|capacity|accommodates?|room for|places|passengers|carr(?:y|ies)"),
    _attribute("deaths", "count", r"killed|died|dead|deaths?|lost their lives|lives|victims|perished|drowned"),
    _attribute("injured", "count", r"injur(?:ed|ies)|hurt|wounded"),
    _attribute("members", "count", r"members(?:hip)?|subscribers"),
    _attribute("attendance", "count", r"attend(?:ed|ance|ees)|visitors|guests|came|turned up|present|turnout"),
    _attribute("share", "percent", r"shares?|owns?|holds?|stake|interest|rate|turnout|of the vote|discount"),
)  # fmt: skip
_OPENS, _CLOSES, _PRICE = (
    next(each for each in ATTRIBUTES if each.name == name) for name in ("opens", "closes", "price")
)
_BY_KIND: dict[str, tuple[Attribute, ...]] = {}
_CLAUSE = re.compile(r"[;:(),](?=\s|$)|\s(?:and|but|while|whereas|though|which|who)\s|\s[\u2013\u2014-]\s")
FAR_CHARS, NEAR_CHARS = 60, 16


def attribute_of(text: str, value: Value, others: Sequence[Value]) -> Attribute | None:
    """What the value is told of, by the nearest words of its own clause; of the whole sentence where no other value stands."""
    if value.kind == "time" and (told := _of_a_range(text, value, others)):
        return told
    if value.kind == "money" and not value.dimension:
        return _PRICE
    if value.kind == "number":
        return _nearest(_of_kind("count"), text, value, max(0, value.start - NEAR_CHARS), value.start, inside=False)
    kind = value.dimension if value.kind == "quantity" else value.kind
    known = _of_kind(kind)
    own = _nearest(known, text, value, *clause_of(text, value.start, value.end), inside=value.kind == "count")
    if own is not None or any(other is not value and other.kind == value.kind for other in others):
        return own
    return _nearest(known, text, value, 0, len(text), inside=value.kind == "count")


_TO = re.compile(r"\s*(?:to|until|till|\u2013|\u2014|-)\s*")


def _of_a_range(text: str, value: Value, others: Sequence[Value]) -> Attribute | None:
    """Of "10 am to noon" the first is when something opens, the second when it closes."""
    for other in others:
        if other.kind == "time" and _TO.fullmatch(text, value.end, max(value.end, other.start)):
            return _OPENS
        if other.kind == "time" and _TO.fullmatch(text, other.end, max(other.end, value.start)):
            return _CLOSES
    return None


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The range between the commas and "and"s around it."""
    first = max((cut.end() for cut in _CLAUSE.finditer(text, 0, start)), default=0)
    last = next((cut.start() for cut in _CLAUSE.finditer(text, end)), len(text))
    return first, last


def _of_kind(kind: str) -> tuple[Attribute, ...]:
    if kind not in _BY_KIND:
        _BY_KIND[kind] = tuple(each for each in ATTRIBUTES if kind in each.kinds)
    return _BY_KIND[kind]


def _nearest(
    known: Sequence[Attribute], text: str, value: Value, first: int, last: int, *, inside: bool
) -> Attribute | None:
    best: tuple[bool, int, int] | None = None
    found = None
    last = max(last, value.end)
    for rank, attribute in enumerate(known):
        for match in attribute.words.finditer(text, first, last):
            if not inside and match.start() < value.end and value.start < match.end():
                continue
            gap = match.start() - value.end if match.start() >= value.end else value.start - match.end()
            if gap <= FAR_CHARS and (best is None or (attribute.vague, gap, rank) < best):
                best, found = (attribute.vague, gap, rank), attribute
    return found
