# ruff: noqa: E501, SIM905  (word lists read best as words)
"""Whether two names are of one thing, and which of a document's names its sentences are about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from trivium.text.names import NameSpan, fold_name, is_name_edge, names_in
from trivium_query.contradictions.units import UNIT

# What may be left out of a name: "Skerry Point" is "Skerry Point Lighthouse", "Tidewater" is "Tidewater Ltd".
_KINDS = frozenset(
    """lighthouse light ltd limited inc incorporated corp corporation co company gmbh ag plc llc group holding holdings
    programme program project""".split()
)
_HONORIFICS = frozenset(
    """mr mrs ms miss dr prof professor sir dame lord lady captain capt judge mayor president nurse councillor
    alderman colonel col major general admiral lieutenant sergeant inspector reverend rev father bishop canon baron count countess earl duke""".split()
)
# Capitalised in a title or at a sentence's beginning, and no name by themselves.
COMMON = frozenset(
    """guide manual notes note minutes report annual visitor visitors history sheet product data timetable news about
    biography profile letter review summary overview handbook leaflet brochure press release service services user quick start
    board council committee meeting patient ward clinic hospital case discharge company town village city district harbour
    museum ferry tower bridge garden gardens library school theatre station hotel keeper tickets admission opening hours
    trains buses boats staff members price prices specification specifications warranty battery dear sir madam chair
    chairman attendance present apologies agenda item catalogue facts figures follow up follow-up case press kit safety release making fishing map on city island pilot book the a an quick using buy keeper keepers technician technicians items action actions table figure section chapter appendix introduction
    background conclusion conclusions results methods discussion today yesterday tomorrow height weight length width built opened
    mondays tuesdays wednesdays thursdays fridays saturdays sundays
    founded mr mrs ms dr sources passengers guests residents trustees directors shareholders customers visitors engineers""".split()
)


def bare(key: str) -> str:
    """A folded name without titles before it."""
    tokens = key.split()
    while len(tokens) > 1 and tokens[0] in _HONORIFICS:
        tokens = tokens[1:]
    return " ".join(tokens)


def without_kind(name: str) -> str:
    """A name without what says what kind of thing has it."""
    tokens = name.split()
    while len(tokens) > 1 and tokens[-1] in _KINDS:
        tokens = tokens[:-1]
    return " ".join(tokens)


def last_of(name: str) -> str:
    """The word that names of the same thing share: the last but its kind."""
    return without_kind(name).rpartition(" ")[2]


def is_same(one: str, other: str) -> bool:
    """Of two bare names: alike, or a surname or initials for the whole name."""
    one, other = without_kind(one), without_kind(other)
    if one == other:
        return True
    short, long = sorted((one.split(), other.split()), key=len)
    if short[-1] != long[-1] or short[-1].isdigit():
        return False
    if len(short) == 1:
        return 1 < len(long) <= 3 and short[0] not in COMMON
    if len(short) != len(long):
        return False
    initials = (len(short[0]) == 1 and long[0].startswith(short[0])) or (
        len(long[0]) == 1 and short[0].startswith(long[0])
    )
    return initials and short[1:] == long[1:]


def of_other_titles(one: str, other: str) -> bool:
    """Whether two titles name different things of like names: "The Sea Wolf (1926 film)" and "The Sea Wolf (1930 film)"."""
    here, there = _QUALIFIED.findall(one), _QUALIFIED.findall(other)
    if here and there:
        return here != there
    return any(char.isdigit() for told in (*here, *there) for char in told)


def shared(one: Iterable[str], other: Sequence[str]) -> list[str]:
    """Those of the first that are also among the second."""
    return [name for name in one if any(is_same(name, each) for each in other)]


# Before "of" these tell what of the thing is meant, and begin no name.
TELLING = frozenset(
    """construction building head birth death release opening closing length width height weight price plans founder executive architect
    director tower light beam warranty capacity minutes lease report record records history story letter review portrait life
    biography keeper gallery visitors members owner surgeon date volume range cost budget revenue sales staff workforce population
    headquarters passengers residents chair treasurer curator leaflet notes summary fire masons pressure residents""".split()
)


_BEFORE_NAMES = frozenset(
    "today yesterday tomorrow passengers guests residents visitors members staff tickets dear buy using".split()
)
# At a sentence's beginning they tell what to do with what is named behind them.
_IMPERATIVES = frozenset(
    """store keep clean check replace press open close turn use fill empty remove insert switch charge connect disconnect install
    read wash dry lift place put hold push pull release set start stop plug unplug tighten loosen oil grease drain rinse boil bake
    cook fry roast stir mix add serve visit see meet ask call join follow leave take bring avoid never always do please apply book
    contact write send return pay ride drive run walk wear mount attach fit update download test inspect service warm heat cool shake""".split()
)
_MONTHS = frozenset("january february march april may june july august september october november december".split())
_IN_A_MONTH = re.compile(r"(?:\b(?:in|by|since|from|until|till|of|during|and)|\d) $", re.I)
_QUOTES = ('"', "\u201c", "\u201e", "\u00ab")
_THE = re.compile(r" the (?=[^\W\d_a-z])")
_JOINED = re.compile(r",|\b(?:and|in|on|at|to|for|with|from|by)\b")
_MEASURE = re.compile(rf" ?(?:{UNIT})\b")
_CAPITALISED = re.compile(r"\b[^\W\d_a-z]\w*")
_ARTICLE = re.compile(r"(?<!\w)an? $", re.I)
_QUALIFIED = re.compile(r"\(([^()]*)\)")
_OF = re.compile(r"^(?P<head>[\w'\u2019-]+(?: [\w'\u2019-]+)?) of (?:the )?(?=[^\W\d_a-z])")


def named_in(text: str, known: frozenset[str] = frozenset()) -> list[NameSpan]:
    """The longest names of a sentence; a lone capitalised word at its beginning is one only if `known` as a name."""
    spans: list[NameSpan] = []
    for whole in (name for name in known if " " in name):
        if (match := _spelt(whole).search(text)) is not None:
            spans.append(NameSpan(whole, match.start(), match.end(), match[0], 0))
    for span in names_in(text):
        within = [each for each in spans if span.start < each.end and each.start < span.end]
        if _JOINED.search(span.surface) or (name := _name_in(text, span, known)) is None:
            continue
        if not within or all(name.start <= each.start and each.end < name.end for each in within):
            spans = [*(each for each in spans if each not in within), name]
    return sorted(spans, key=lambda span: span.start)


def _name_in(text: str, span: NameSpan, known: frozenset[str]) -> NameSpan | None:
    """What of a capitalised run is a name; None where nothing is."""
    if text[: span.start].endswith(_QUOTES):
        return span
    span = _undated(text, span)
    first = not text[: span.start].strip(" \"'\u201c(")
    if _ARTICLE.search(text, 0, span.start) and text[span.end : span.end + 2].strip().islower():
        return None  # "a 1984 French film"
    bared = _bared(span, known) if first else span
    if bared.key[-1:].isdigit() and " " in bared.surface and _MEASURE.match(text, bared.end):
        surface = bared.surface.rpartition(" ")[0]  # "Aspirin 150 mg"
        bared = bared._replace(key=fold_name(surface), end=bared.start + len(surface), surface=surface)
    lone = " " not in bared.key
    if lone and (bared.key in COMMON or (first and bared.start == span.start and bared.key not in known)):
        return None
    return None if all(token in COMMON or token.isdigit() for token in bared.key.split()) else bared


def _undated(text: str, span: NameSpan) -> NameSpan:
    """Without a month before it: "In April Dray Foundry recorded"."""
    head, _, rest = span.surface.partition(" ")
    dated = rest and head.lower() in _MONTHS and _IN_A_MONTH.search(text, 0, span.start)
    return _behind(span, len(head) + 1) if dated else span


def _bared(span: NameSpan, known: frozenset[str]) -> NameSpan:
    """Of a name at a sentence's beginning, without the word before it that tells what of it is meant."""
    if (cut := _THE.search(span.surface)) and fold_name(span.surface[cut.end() :]) in known:
        return _behind(span, cut.end())
    if (cut := _OF.match(span.surface)) and cut["head"].lower().split()[-1] in TELLING:
        return _behind(span, cut.end())
    if " " in span.key and span.key.split()[0] in _IMPERATIVES and span.key not in known:
        head, _, rest = span.surface.partition(" ")
        the = len("the ") if rest.startswith("the ") else 0
        if the or " " in rest:
            return _behind(span, len(head) + 1 + the)
    if " " in span.key and span.key.split()[0] in _BEFORE_NAMES:
        return _behind(span, span.surface.find(" ") + 1)
    return span


@lru_cache(maxsize=1024)
def _spelt(name: str) -> re.Pattern[str]:
    return re.compile(r"\b" + r"\W+".join(map(re.escape, name.split())) + r"\b", re.I)


def topics(title: str, first: Sequence[NameSpan], known: frozenset[str], named: frozenset[str]) -> tuple[str, ...]:
    """What a document is about: the names in its title, else the one that its first sentence begins with, else the title.

    `named` are the names of its sentences: the longest that stands in the title goes before all. Behind a comma stands
    what is said of the name before it.
    """
    if whole := next(
        (name for part in (title, *title.split(": ")) if " " in (name := fold_name(part)) and name in known), ""
    ):
        return (whole,)
    tokens = f" {fold_name(title.partition(',')[0] + ' .')} "
    within = max((name for name in named if f" {name} " in tokens), key=len, default="")
    told = [name for part in title.split(": ") for name in _first_named(part, known)]
    found = [name for name in (within, *told) if " " in name or (name and _is_alone(name, title))]
    if not found:
        found = [
            *(bare(span.key) for span in first[:1] if " " in span.key or not title),
            fold_name(title.partition(":")[0]),
        ]
    return tuple(dict.fromkeys(name for name in found if name))


def _first_named(part: str, known: frozenset[str]) -> list[str]:
    """The first name of a title's part; of what stands between commas the first that has one."""
    spans = (span for piece in part.split(", ") for span in named_in(piece, known)[:1])
    return next((_variants(span) for span in spans), [])


def titled_names(title: str, opening: str) -> frozenset[str]:
    """The title, where the document's `opening` calls its subject so; else a lone word of it that is a name."""
    said = f" {fold_name(f'{opening} .')} "
    for part in (title, *title.split(": ")):
        written = {fold_name(word) for word in _CAPITALISED.findall(_QUALIFIED.sub("", part))} - COMMON - TELLING
        if len(written) > 1 and f" {fold_name(part)} " in said:
            return frozenset({fold_name(part)})
    words = {fold_name(word) for word in _CAPITALISED.findall(title)} - COMMON - TELLING
    return frozenset(words) if len(words) == 1 else frozenset()


def _is_alone(name: str, title: str) -> bool:
    """Whether no other capitalised word of the title could be a part of the name."""
    words = {fold_name(word) for word in _CAPITALISED.findall(title)}
    return not words - {name} - COMMON - TELLING


def _variants(span: NameSpan) -> list[str]:
    """A name of a title, and without the word before it: "Remembering Ilse Brandt", "Buy the Kite 11"."""
    rest = span.key.partition(" ")[2]
    whole = " " in rest and not is_name_edge(rest.partition(" ")[0])
    return [bare(fold_name(name)) for name in (rest if whole else "", span.key) if name]


def _behind(span: NameSpan, cut: int) -> NameSpan:
    """The part of a name from `cut` on."""
    surface = span.surface[cut:]
    return span._replace(key=fold_name(surface), start=span.start + cut, surface=surface)


def known_names(sentences: Iterable[str]) -> frozenset[str]:
    """Single words that stand capitalised within sentences."""
    return frozenset(
        span.key
        for text in sentences
        for span in names_in(text)
        if text[: span.start].strip(" \"'\u201c(") and " " not in span.key
    )
