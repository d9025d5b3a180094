# ruff: noqa: RUF001, SIM905  (typographic apostrophes are in the texts; word lists read best as words)
"""The seven entity types (CORTEX C4), by the form of a name and by the words around it.

Two sources of evidence: `by_form` judges the name alone, and `by_context` the characters before and
after one occurrence. `decide` adds up the votes of a document's occurrences; concept is the default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from trivium.domain.graph import EntityType
from trivium.text.names import fold_name
from trivium_graph import lexicon as lex

Vote = tuple[EntityType, float]

CERTAIN = 3.0  # a suffix or a title: outweighs any two cues from context
LIKELY = 1.0
WEAK = 0.4  # decides only when nothing else speaks
MIN_VOTE = 0.4

_PERSON, _ORGANIZATION = EntityType.PERSON, EntityType.ORGANIZATION
_LOCATION, _EVENT = EntityType.LOCATION, EntityType.EVENT
_TECHNOLOGY, _METRIC = EntityType.TECHNOLOGY, EntityType.METRIC

CONTEXT_CHARS = 32  # as far as a cue may stand from the name

_INITIALS_NAME = re.compile(r"(?:[^\W\d_]\. ?)+[^\W\d_]{2,}|[^\W\d_]\w+ (?:[A-Z]\. ?)+[^\W\d_]\w+")
_PARTICLE = re.compile(r" (?:van|von|bin|ibn|bint|ben|der|af|av|ter|zu) ", re.IGNORECASE)
_CAMEL_OR_VERSION = re.compile(r"[A-Z]?[a-z]+[A-Z]\w*|[A-Z]+[a-z]+[A-Z]+\w*|[A-Za-z]+-?\d+(?:\.\d+)*[A-Za-z]*")
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}s?")
_SCOTS = re.compile(r"(?:Mc|Mac|De|Di|La|Le|Van|Du|Fitz|O')[A-Z][a-z]+")
_SURNAME = re.compile(  # endings that surnames have and other names seldom: Slavic, Spanish, Greek, German, Georgian
    r"^[A-Z][a-z]+(?:ov|ev|eva|ova|sky|ski|skiy|vic|vich|wicz|enko|shvili|escu|poulos|akis|guez|ndez|nchez|sson|mann|stein|"
    r"witz|oglu)$"
)
_YEAR_EVENT = re.compile(r"(?:1[0-9]|20)\d\d ")
_METRIC_AT = re.compile(r"(?:p|r|precision|recall|ndcg|hits|map|mrr)@\d+")
_WORDS_ONLY = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?: [^\W\d_]+(?:['’-][^\W\d_]+)*)*")

_PERSON_AFTER = re.compile(
    r"\s?(?:\((?:born|b\.|née|d\.|died|\s?\d{{3,4}}\s?[-–—]|[^()]{{0,18}} \d{{4}}\s?[-–—])"
    r"|,? (?:(?:was|were|is|being|been) (?:born|shot|assassinated|married|arrested|convicted|sentenced|murdered|buried|"
    r"educated|re-?elected|sworn|hanged|stabbed|inaugurated)\b|who |whose |said\b|says\b|told |died\b|married\b|"
    r"testified|resigned|wrote\b|believes|thinks|recalled\b|joked\b|pleaded\b|smiled|acted\b|argued\b|opened fire|"
    r"confessed|graduated\b|starred\b)"
    r"|, (?:\d\d ?,|(?:an?|the|his|her|former|chief|then) (?:[\w'-]+ ){{0,4}}(?:{jobs})\b|(?:{jobs})\b)"
    r"|(?:'s|’s) (?:\w+ )?(?:wife|husband|son|daughter|father|mother|brother|sister|death|life|lawyer|parents|career|"
    r"widow|assassin|assassination|murder|killer|motorcade|funeral|boyhood|childhood|hometown|biographer|friends?)\b)".format(
        jobs=f"{lex.OCCUPATIONS}|{lex.CALLINGS}|{lex.KIN}"
    )
)
_PERSON_WORDS = frozenset(
    f"{lex.OCCUPATIONS}|{lex.CALLINGS}|{lex.KIN}|named|nephew|uncle|cousin|said|says|told".split("|")
)
_PERSON_VERBS = frozenset(
    {"by", "met", "married", "killed", "shot", "assassinated", "murdered", "killing", "murdering"}
)
_PERSON_BEFORE = re.compile(
    r"\b(?:assassination|assassin|murder|killing|slaying|execution|death|wife|widow|husband|son|daughter|brother|sister|"
    r"father|mother|friend|portrait|biography|trial|election|works|life|assassinating|murdering)s? of $"
)
_CALLING = re.compile(r"[a-z]{3,}(?:ist|ian|eer|woman|man|person|keeper|maker|writer|worker|fighter)")
_ABBREVIATED = frozenset(
    f"{title}." for title in "dr mr mrs ms prof sen gov gen rep col capt lt sgt rev adm maj".split()
)
_CUE_ENDINGS = frozenset(
    """of for at with by from joined acquired in near throughout to into off across outside inside northern southern
    eastern western visited""".split()
)
_IN = frozenset({"in", "from", "across", "outside", "inside", "into", "off"})
_LOCATION_BEFORE = re.compile(
    r"\b(?:(?:born|died|lives?|lived|living|located|situated|based|city|town|village|capital|state|province|"
    r"county|district|suburb|region|north|south|east|west|northern|southern|eastern|western|central) (?:in|of|near)"
    r"|near|throughout|northern|southern|eastern|western|traveled to|moved to|visited|arrived in|returned to)"
    r"(?: the)? $"
)
_ORGANIZATION_BEFORE = re.compile(
    rf"\b(?:(?:{lex.OCCUPATIONS}|subsidiary|division|unit|acquisition|shares|employees?|board) (?:of|for|at|with)"
    r"|works? (?:for|at)|worked (?:for|at)|working (?:for|at)|joined|acquired|merged with|employed by"
    r"|owned by|published by|graduated from|studied at)(?: the)? $"
)
_ORGANIZATION_AFTER = re.compile(
    r"(?:,? (?:Inc|Corp|Ltd|LLC|Co|PLC|AG|GmbH)\b| \((?:NYSE|NASDAQ|AMEX)|"
    r" (?:spokes(?:man|woman|person)|executives?|officials?|employees|shares|subsidiar(?:y|ies)|announced|acquired|"
    r"reported|chairman|president|analysts?|said it|Chairman|President|Secretary|Director|Commissioner|Administrator|"
    r"Chief|Commander)\b|'s (?:chairman|chief|board|headquarters|shares|products|administrator|spokes(?:wo)?man))"
)


@lru_cache(maxsize=8192)
def by_form(surface: str) -> Vote | None:
    """What the name alone tells, or None."""
    words = surface.replace(".", "").casefold().split()
    if not words:
        return None
    key = fold_name(surface)
    return (
        _listed(key, surface.casefold())
        or _titled(words)
        or _by_word(words, surface)
        or _person_form(words, surface)
        or _technical_form(words, surface)
    )


def _listed(key: str, lowered: str) -> Vote | None:
    if key in lex.PLACES:
        return _LOCATION, 2 * LIKELY
    if key in lex.METRIC_NAMES or lowered in lex.METRIC_NAMES or _METRIC_AT.fullmatch(lowered):
        return _METRIC, CERTAIN
    if key in lex.TECHNOLOGY_NAMES or lowered in lex.TECHNOLOGY_NAMES:
        return _TECHNOLOGY, CERTAIN
    if key in lex.INSTITUTIONS:
        return _ORGANIZATION, 2 * LIKELY
    if is_of_a_people(key):
        return EntityType.CONCEPT, 2 * LIKELY
    return None


def is_of_a_people(key: str) -> bool:
    """Whether a folded name says of which people or language something is, and no more ("1968 French")."""
    return all(word in lex.DEMONYMS or word.removesuffix("s") in lex.DEMONYMS or word.isdigit() for word in key.split())


def _titled(words: list[str]) -> Vote | None:
    """By title: "Dr Osei", "Prime Minister Lindqvist", "Queen Mathilde"; but not "General Motors"."""
    if words[-1] in lex.ORGANIZATION_ENDINGS or words[-1] in lex.LOCATION_ENDINGS:
        return None
    if len(words) > 1 and (words[0] in lex.COURTESY_TITLES or words[-1] in lex.PERSON_SUFFIXES):
        return _PERSON, CERTAIN
    if len(words) > 1 and title_words(words) and words[title_words(words) :][:1] not in (["of"], ["for"]):
        return _PERSON, CERTAIN
    if len(words) > 1 and words[0] in lex.ROYAL_TITLES and (words[1] != "of" or words[-1] in lex.PLACES):
        return _PERSON, 2 * LIKELY
    return None


def title_words(words: list[str]) -> int:
    """How many words of an office or courtesy title a name (case-folded, without full stops) begins with."""
    for length in (2, 1):
        if len(words) > length and " ".join(words[:length]) in lex.OFFICE_TITLES:
            return length
    return 1 if len(words) > 1 and words[0] in lex.COURTESY_TITLES else 0


def _by_word(words: list[str], surface: str) -> Vote | None:
    """By the last word, the first one, or the one before "of"."""
    last, first = words[-1], words[0]
    head = words[words.index("of") - 1] if "of" in words[1:] else last
    telling = {head, last, words[-2]} if last in {"i", "ii"} and len(words) > 1 else {head, last}
    if telling & lex.EVENT_WORDS or (_YEAR_EVENT.match(surface) and len(words) > 1):
        return _EVENT, CERTAIN
    if len(words) == 1:
        return None
    for endings, vote in _ENDINGS:
        if telling & endings:
            return vote
    return next((vote for openings, vote in _OPENINGS if first in openings), None)


_ENDINGS: tuple[tuple[frozenset[str], Vote], ...] = (
    (lex.ORGANIZATION_ENDINGS, (_ORGANIZATION, CERTAIN)),
    (lex.LOCATION_ENDINGS, (_LOCATION, CERTAIN)),
    (lex.TECHNOLOGY_WORDS, (_TECHNOLOGY, 2 * LIKELY)),
)
_OPENINGS: tuple[tuple[frozenset[str], Vote], ...] = (
    (lex.ORGANIZATION_OPENINGS, (_ORGANIZATION, 2 * LIKELY)),
    (lex.LOCATION_OPENINGS, (_LOCATION, LIKELY)),
)


def _person_form(words: list[str], surface: str) -> Vote | None:
    if _INITIALS_NAME.fullmatch(surface):
        return _PERSON, 2 * LIKELY
    if not 1 < len(words) <= 5:
        return None
    if words[0] in lex.GIVEN_NAMES and "of" not in words:
        return _PERSON, 2 * LIKELY
    return (_PERSON, LIKELY) if _PARTICLE.search(surface) or words[-1] in lex.SURNAMES else None


def _technical_form(words: list[str], surface: str) -> Vote | None:
    if len(words) == 1 and _CAMEL_OR_VERSION.fullmatch(surface) and not _SCOTS.match(surface):
        return _TECHNOLOGY, 2 * LIKELY
    if len(words) == 1 and (words[0] in lex.GIVEN_NAMES or words[0] in lex.SURNAMES or _SURNAME.search(surface)):
        return _PERSON, WEAK
    if len(words) > 1 and words[-1] in lex.PLACES_OR_SURNAMES:
        return _LOCATION, LIKELY
    if len(words) in (2, 3) and _WORDS_ONLY.fullmatch(surface) and surface.istitle():
        # Two or three plain capitalised words are a person's name most often, but "Texas Instruments" is not.
        of_a_place = words[0] in lex.DEMONYMS or words[0] in lex.PLACES - lex.PLACES_OR_GIVEN
        return (_ORGANIZATION if of_a_place else _PERSON), WEAK
    return None


def is_acronym(surface: str) -> bool:
    """Whether the name is written in capitals alone ("LLM", "LLMs", "R.A.G.")."""
    return bool(_ACRONYM.fullmatch(surface))


def by_context(text: str, start: int, end: int, sentence_start: int) -> Vote | None:
    """What the words around one occurrence tell, or None."""
    if text.startswith(_OPENS_IS_A, end):
        said = _IS_A.match(text, end, end + 4 * CONTEXT_CHARS)
        kind = _KINDS.get(said[1]) if said else None
        if kind is not None:
            return kind, 2 * LIKELY
    if text[end : end + 1] in _CUE_MARKS:
        if _ORGANIZATION_AFTER.match(text, end, end + 2 * CONTEXT_CHARS):
            return _ORGANIZATION, LIKELY
        if _PERSON_AFTER.match(text, end, end + 2 * CONTEXT_CHARS):
            return _PERSON, LIKELY
        noun = _NOUN_AFTER.match(text, end) if text[end] == " " else None
        if noun is not None and noun[1] in _NOUNS:
            return _NOUNS[noun[1]], LIKELY
    elif text[end : end + 1] == ")" and _DATELINE_AFTER.match(text, end):
        return _ORGANIZATION, 2 * LIKELY
    before = text[max(sentence_start, start - CONTEXT_CHARS) : start]
    return _before(before) if before else None


_IS_A = re.compile(  # the last noun of what a name is said to be: "is a 1968 French film directed by"
    r" (?:\([^()]{1,60}\) )?(?:is|was|are|were) (?:an?|the) (?:[\w'-]+ ){0,6}?([a-z]+)"
    r"(?: (?:of|in|by|from|for|at|on|who|that|which|and|directed|written|based|starring|located|situated|set|produced|"
    r"published|founded|formed|released|known|with|about|to|whose|near|where)\b|[.,;(]|$)"
)
_KINDS = {
    **dict.fromkeys(lex.WORK_NOUNS, EntityType.CONCEPT),
    **dict.fromkeys(lex.LOCATION_NOUNS - {"area"}, _LOCATION),
    **dict.fromkeys(lex.ORGANIZATION_NOUNS | lex.BODY_NOUNS, _ORGANIZATION),
    **dict.fromkeys(f"{lex.OCCUPATIONS}|{lex.CALLINGS}|{lex.KIN}".split("|"), _PERSON),
}
_DATELINE_AFTER = re.compile(r"\) ?(?:--|—|–|_) ?\w")  # "SOFIA, Feb 15 (BTA) -- Today"
_NOUN_AFTER = re.compile(r" ([a-z]+)\b")  # "Anzio beachhead", "NHK network"
_NOUNS = {noun: _LOCATION for noun in lex.LOCATION_NOUNS} | {noun: _ORGANIZATION for noun in lex.ORGANIZATION_NOUNS}
_OPENS_IS_A = (" is ", " was ", " are ", " were ", " (")
_CUE_MARKS = frozenset({" ", ",", "(", "'", "’"})


def _before(before: str) -> Vote | None:
    words = before.rsplit(None, 2)
    last = words[-1].casefold() if words else ""
    if last == "the" and len(words) > 1:
        last = words[-2]
    if last in _ABBREVIATED:
        return _PERSON, CERTAIN
    if last in _PERSON_WORDS or _CALLING.fullmatch(last):
        return _PERSON, LIKELY
    if last in _CUE_ENDINGS:
        return _before_place_or_body(before, last)
    return (_PERSON, WEAK) if last in _PERSON_VERBS else None


def _before_place_or_body(before: str, last: str) -> Vote | None:
    if _ORGANIZATION_BEFORE.search(before):
        return _ORGANIZATION, LIKELY
    if _LOCATION_BEFORE.search(before):
        return _LOCATION, LIKELY
    if last == "of" and _PERSON_BEFORE.search(before):
        return _PERSON, LIKELY
    if last in _PERSON_VERBS:
        return _PERSON, WEAK
    return (_LOCATION, WEAK + 0.1) if last in _IN else None


def decide(votes: Mapping[EntityType, float]) -> EntityType:
    """The type with the most votes; concept when none reaches `MIN_VOTE`. Ties go to the first in name order."""
    if not votes:
        return EntityType.CONCEPT
    kind, weight = min(votes.items(), key=lambda item: (-item[1], item[0]))
    return kind if weight >= MIN_VOTE else EntityType.CONCEPT
