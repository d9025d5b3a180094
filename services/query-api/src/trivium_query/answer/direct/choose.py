"""Which of the spans that were read is the answer, and how likely it is right: a logistic regression over few signals.

Its weights stand in `weights.json`; `bench/train_answers.py` fits them on the sets in DATA, one left out at a time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec

from trivium.domain.parsed import UnitKind
from trivium.text.names import names_in
from trivium_query.answer.direct.agents import agents_in
from trivium_query.answer.direct.changes import as_it_holds, tells_change
from trivium_query.answer.direct.clauses import counts_what_is_asked, in_clauses_asked_about, is_clear
from trivium_query.answer.direct.conditions import is_barred
from trivium_query.answer.direct.contacts import contacts_in
from trivium_query.answer.direct.corrections import corrected, is_quoted, only_says_whose
from trivium_query.answer.direct.focus import is_elsewhere
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.labels import (
    aged_in,
    has_another_role,
    is_part_of_ratio,
    labelled_in,
    named_as_in,
    numbered_in,
    ratio_in,
)
from trivium_query.answer.direct.life import BIRTH, DEATH, MONTHS, YEAR, life_in
from trivium_query.answer.direct.opposites import WEEKDAYS, is_of_other_particle
from trivium_query.answer.direct.short import ANY_DAY, CLOCK, NAME_CHARS, TIME, fits_wanted, trimmed, with_partners
from trivium_query.answer.direct.units import COUNTED, amounts_for, is_measured
from trivium_query.answer.evidence import Asked, Candidate, asks
from trivium_query.words import content_words

WEIGHTS = "weights.json"
MAX_SHORT_WORDS = 20
_WORD = re.compile(r"\w+")
_DIE = re.compile(r"\bdies?\b", re.I)  # "die" alone is an article, in German
_WHEN = re.compile(r"\b(?:when|date|day|year)\b", re.I)
_PLACE = re.compile(r"\b(?:where|place|city|town|country|birthplace)\b", re.I)
_WHICH_NOUN = re.compile(r"\b(?:which|what)\s([a-z]{4,})\b", re.I)
_HOW_MANY = re.compile(
    r"\bhow many\b(?:\sof\s(?:the|these|those)\b|\smore\b|\sother\b)*(?:\s(?P<noun>[^\W\d_]+))?", re.I
)
_OF_A_LIFE = re.compile(r"\b(?:born|died)\b[^.;]*$")  # before a date
_OF_KIN = re.compile(
    r"\W*who (?:is|was|are|were)\b.*\b(?:wife|husband|spouse|widow|son|daughter|brother|sister|father|mother)\b", re.I
)
_WHO = re.compile(r"^\W*who\b", re.I)
_ONE = re.compile(r"^(?:one|an?|the|this|that)\s", re.I)  # before what the question has, it tells nothing more
_IN = re.compile(r"\b(?:in|at|near|on)\s(?:the\s)?$", re.I)
_FOR = re.compile(r"\s(?:for|per)\s(?:(?:the|each|every|an?)\s)?([\w-]+)", re.I)
_NUMBER_FOR = re.compile(r"(?<![\w.,])(\d[\d.,]*)\s(?:for|per)\s(?:(?:the|each|every|an?)\s)?([\w-]+)", re.I)
MAX_AMOUNT_WORDS = 6
_BARE = re.compile(r"(?<![\w.,:/-])(\d[\d.,]*\d|\d)(?=[,;.)](?:\s|$)|\sand\b|\W*$)")  # in the unit that was told before
_CALLED = re.compile(r"\b(?:number|no\.|nr\.?|page|room|chapter|section|step)\s$", re.I)
_OF_A_DAY = re.compile(
    rf"\bwhat time\b|\bhow (?:late|early)\b|\bwhen\b.*\b(?:{'|'.join(WEEKDAYS)})s?\b", re.I
)  # wants a time of the day
_OF_A_DATE = re.compile(rf"(?:\s?(?:to|and|or|until|[-\u2013])\s?\d{{1,2}})?\.?\s(?:{MONTHS})", re.I)
_CODE = re.compile(r"(?<![\w-])[A-Z]{1,3}-?\d+(?![\w-])")  # "P3", "E-17": of one of many
_IN_YEAR = re.compile(r"\b(?:in|since|until|till|by|of|from|to|before|after)\s(?=(?:1\d{3}|20\d{2})$)", re.I)
_WHICH = frozenset({"next", "previous", "latest"})  # "first" and "last" only spoil more than they mend
OTHER_SHARE = 0.5  # of its probability: what gives way to what suits the question's words better
OTHER_CLAUSE_SHARE = 0.8  # of what another clause of its sentence suits better: people ask in other words
QUOTED_SHARE = 0.75  # of what a mail quotes of an older one, where its own words have another answer
TYPED_SENTENCES = 3
TYPED_ODDS = -4.0  # at most, of what is of the right kind: what was read in its passage may be less likely
UNREAD_ODDS = -8.0
TOLD_ODDS = 12.0  # of what a passage states in a form that is read by rule


class Chosen(msgspec.Struct, frozen=True):
    """The answer in a few words of a hit's text, and the probability that it is right.

    `likely` is that probability, less where another suits the question's words better.
    """

    found: Found
    probability: float
    signals: dict[str, float]
    likely: float = 0.0

    @property
    def short(self) -> str:
        """The words themselves."""
        return self.found.text


class Weights(msgspec.Struct, frozen=True):
    """Of the regressions, by the name of the signal; `trained_on` counts questions by set.

    `before` has those of `answerable` and `right` before people's questions: what these are fitted on from.
    """

    answer: dict[str, float]
    close: dict[str, float] = {}
    yes_no: dict[str, float] = {}
    answerable: dict[str, float] = {}
    right: dict[str, float] = {}
    before: dict[str, dict[str, float]] = {}
    trained_on: dict[str, int] = {}


@cache
def shipped() -> Weights:
    """Those in the package."""
    content = resources.files(__package__).joinpath(WEIGHTS).read_bytes()
    return msgspec.json.decode(content, type=Weights)


def choose(
    asked: Asked,
    question: str,
    found: Sequence[Found],
    sentences: Mapping[str, Sequence[Candidate]],
    focus: Mapping[str, float],
    weights: Weights,
) -> list[Chosen]:
    """Every span that may be the answer, the likeliest first; `focus` tells of which document the question is."""
    found = [_with_its_noun(question, one) for one in found]
    lives = _lives(question, found)
    told = (
        *(one for one in found if not any(_holds(one, each) for each in lives)),
        *lives,
        *_labelled(asked, question, found),
        *_typed(asked, question, found, sentences),
    )
    rows = [as_it_holds(question, one.between(*trimmed(one, asked.wants))) for one in told]
    rows = [one for one in rows if one.text and not _is_given(one.text, question)]
    how_many = _HOW_MANY.search(question)
    noun = how_many["noun"] if how_many else None
    if counts := _counted(question):
        rows = [one for one in rows if not (counts.search(one.text) and _is_called_so(one))]
    rows = list(_single(asked, question, [one for one in rows if _is_in_a_cell(one) and not _is_asked_there(one)]))
    rows = [one for one in rows if not is_barred(question, one) and not has_another_role(question, one.hit, one.end)]
    rows = [one for one in _of_its_code(question, rows) if not is_part_of_ratio(question, one.hit, one.start, one.end)]
    for_whom = _for_whom(question, rows)
    rows = [one for one in rows if not _is_for_others(one, for_whom)]
    kin = [one for one in rows if one.odds == TOLD_ODDS] if _OF_KIN.match(question) else []
    rows = [one for one in rows if not (_is_beside(one, kin) or is_of_other_particle(question, _sentence_of(one)))]
    chosen = []
    for one in rows:
        signals = signals_of(asked, one, rows, sentences.get(one.hit.chunk.id, ()))
        chosen.append(Chosen(one, probability(signals, weights.answer), signals))
    beside = [one.found for one in chosen if one.signals["life"]] if asked.wants != "date" else []
    measured = [one for one in rows if is_measured(question, one.text) or _has_its_unit_before(question, one)]
    own = in_clauses_asked_about(asked, rows, counted=counts is not None)
    counting = [one for one in rows if noun and counts_what_is_asked(asked, one, noun)]
    beyond = [one for one in rows if not _is_of_a_life(question, one)] if asked.wants == "date" else []
    persons = [one for one in rows if not _is_where(one)] if _WHO.match(question) else []
    there = [one for one in rows if one.steps or not is_elsewhere(one.hit, focus)]
    clocks = [one for one in rows if CLOCK.search(one.text)] if _OF_A_DAY.search(question) else []
    years = set(YEAR.findall(question))
    then = [one for one in rows if years & set(YEAR.findall(_sentence_of(one)))] if years else []
    denied = corrected(question, rows)
    held = [one for one in rows if one not in denied] if denied else []
    newer = {one.hit.chunk.document_id for one in rows if not is_quoted(one)}
    words = [one for one in rows if not only_says_whose(question, one)]
    better = (beside, measured, counting, beyond, persons, there, clocks, then, for_whom, held, words)

    def likely(one: Chosen) -> float:
        in_clause = 1.0 if one.found in own else OTHER_CLAUSE_SHARE
        of_before = QUOTED_SHARE if is_quoted(one.found) and one.found.hit.chunk.document_id in newer else 1.0
        return one.probability * in_clause * of_before * _preference(one, *better)

    weighed = [msgspec.structs.replace(one, likely=likely(one)) for one in chosen]
    ordered = sorted(weighed, key=lambda one: one.likely, reverse=True)
    return [_with_partners(question, one) for one in ordered] if asked.wants == "name" else ordered


def _with_partners(question: str, one: Chosen) -> Chosen:
    """Judged by one name alone, told with those that are joined to it."""
    return msgspec.structs.replace(one, found=one.found.between(*with_partners(question, one.found)))


def _of_its_code(question: str, rows: Sequence[Found]) -> list[Found]:
    """Where some are told of the question's "P3", without those that are told of "P1" alone, and are no code."""
    codes = set(_CODE.findall(question))
    series = {one.rstrip("0123456789") for one in codes}
    told = [set(_CODE.findall(_sentence_of(one))) for one in rows]
    if not any(codes & each for each in told):
        return list(rows)
    others = [{one for one in each if one.rstrip("0123456789") in series} - codes for each in told]
    return [
        one
        for one, each, other in zip(rows, told, others, strict=True)
        if one.steps or codes & each or not other - set(_CODE.findall(one.text))
    ]


def _for_whom(question: str, rows: Sequence[Found]) -> list[Found]:
    """What stands before "for" and a word of the question: "90 euros for juniors"."""
    asked = set(content_words(question))
    behind = [(one, _FOR.match(one.hit.chunk.text, one.end)) for one in rows]
    return [one for one, told in behind if told and asked & set(content_words(told[1]))]


def _is_for_others(one: Found, for_whom: Sequence[Found]) -> bool:
    """Whether its sentence tells it for somebody else than for whom is asked: 36 of "64 for a full, 36 for a half"."""
    told = one.sentence is not None and _FOR.match(one.hit.chunk.text, one.end) is not None
    return told and _is_beside(one, for_whom)


def _is_beside(one: Found, others: Sequence[Found]) -> bool:
    """Whether it stands in the sentence of one of these, and is none of them: "Anders Vold and his wife Tove"."""
    place = (one.hit.chunk.id, one.sentence)
    return one not in others and any(place == (each.hit.chunk.id, each.sentence) for each in others)


def _sentence_of(one: Found) -> str:
    return one.sentence.of(one.hit.chunk.text) if one.sentence else ""


def _is_where(one: Found) -> bool:
    """Whether it stands behind "in" or "at", as no person does."""
    return _IN.search(one.hit.chunk.text[: one.start]) is not None


def _is_of_a_life(question: str, one: Found) -> bool:
    """Whether it is when somebody was born or died, of which the question is not."""
    if BIRTH.search(question) or DEATH.search(question) or one.sentence is None:
        return False
    return _OF_A_LIFE.search(one.hit.chunk.text[one.sentence.start : one.start]) is not None


def _has_its_unit_before(question: str, one: Found) -> bool:
    """Whether it is a bare number behind an amount of what is asked for: 60 of "40 kroner, e-bikes cost 60"."""
    sentence, pattern = one.sentence, amounts_for(question)
    bare = _BARE.fullmatch(one.text) is not None and sentence is not None
    return bool(bare and pattern and pattern.search(one.hit.chunk.text, sentence.start if sentence else 0, one.start))


def _is_called_so(one: Found) -> bool:
    """Whether the number only names one of many, or a day: "oak number 204", "in 1988", "24 to 27 May"."""
    text = one.hit.chunk.text
    if one.text.isdigit() and _OF_A_DATE.match(text, one.end):
        return True
    return bool(_CALLED.search(text[: one.start]) or _IN_YEAR.search(text[: one.end], max(0, one.start - NAME_CHARS)))


def _preference(one: Chosen, *better: Sequence[Found]) -> float:
    """Less for a sentence without the question's "next", and where others are `better`: of names, or in what unit."""
    behind = sum(bool(some) and one.found not in some for some in better) + (not one.signals["which"])
    return float(OTHER_SHARE**behind)


def probability(signals: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """1 / (1 + exp(-x)), x the sum of weight times signal."""
    return 1.0 / (1.0 + math.exp(-sum(weights.get(name, 0.0) * value for name, value in signals.items())))


def signals_of(
    asked: Asked,
    one: Found,
    rows: Sequence[Found],
    sentences: Sequence[Candidate],
) -> dict[str, float]:
    """Those of one span, each about 0 to 1."""
    words = _WORD.findall(one.text.lower())
    inside = next((each for each in sentences if each.span.start <= one.start < each.span.end), None)
    covered = (
        asked.coverage(inside.covered | (frozenset(content_words(one.hit.chunk.heading)) & asked.weights.keys()))
        if inside
        else 0.0
    )
    others = [row for row in rows if row.question != one.question or row.hit.chunk.id != one.hit.chunk.id]
    agreeing = any(_WORD.findall(row.text.lower()) == words for row in others)
    odds = max(-2.0, min(2.0, one.odds / 10.0))
    hop = float(bool(one.steps))
    fits = fits_wanted(asked.wants, one.text)
    if fits is False and asked.wants == "name" and one.odds == TOLD_ODDS and one.text[:1].isalpha():
        fits = None  # whoever does it may have no name: "the landlord"
    return {
        "one": 1.0,
        "odds": odds,
        "hop": hop,
        "hop odds": odds * hop,
        "step odds": max(-1.0, min(2.0, min(step.odds for step in one.steps) / 10.0)) if one.steps else 0.0,
        "rank": 1.0 / one.hit.rank,
        "about": float(one.about),
        "hop about": float(one.about) * hop,
        "unstepped": float(not hop and any(row.steps for row in rows)),
        "fits": float(fits is True),
        "misfits": float(fits is False),
        "words": math.log1p(len(words)),
        "long": float(len(words) > 6),
        "agreeing": float(agreeing),
        "cosine": inside.cosine if inside else 0.0,
        "coverage": covered,
        "predicate": predicate_share(one.question, asked.names, inside),
        "life": float(one.odds == TOLD_ODDS),
        "named": float(one.text[:1].isupper() or one.text[:1].isdigit()),
        "which": float(_says_which(asked, one, inside)),
        "clear": float(is_clear(asked, one, inside)),
    }


def _says_which(asked: Asked, one: Found, sentence: Candidate | None) -> bool:
    """Whether its sentence or heading has the "next" or "previous" of the question, names apart; a step has its own."""
    said_last = _WORD.findall(one.question.lower())
    words = _WHICH & set(said_last) - {word for name in asked.names for word in name.split()}
    if not (sentence and tells_change(sentence.text)):
        words |= {"before"} & set(said_last[-1:])
    said = f"{sentence.text if sentence else ''} {one.hit.chunk.heading}".lower()
    return bool(one.steps) or words <= set(_WORD.findall(said))


def predicate_share(question: str, names: Sequence[str], sentence: Candidate | None) -> float:
    """The share of the question's words, names apart, that the sentence holds; 1 where it has no others."""
    named = {word for name in names for word in content_words(name)}
    words = set(content_words(_DIE.sub("died", question))) - named
    return len(words & sentence.words) / len(words) if words and sentence else float(not words)


def _is_given(text: str, question: str) -> bool:
    """Whether the question says it already, or it says nothing."""
    words = content_words(_ONE.sub("", text))
    return not words or len(text.split()) > MAX_SHORT_WORDS or set(words) <= set(content_words(question))


def _is_asked_there(one: Found) -> bool:
    """Whether the sentence asks itself: whoever asks tells nothing."""
    return asks(_sentence_of(one))


def _is_in_a_cell(one: Found) -> bool:
    """Whether a table's span is within one value, neither a label nor of several."""
    labelled = one.hit.chunk.text.startswith(": ", one.end) or "; " in one.text or ": " in one.text
    return one.hit.chunk.kind is not UnitKind.TABLE or not labelled


def _single(asked: Asked, question: str, rows: Sequence[Found]) -> Iterator[Found]:
    """Of half a sentence the one amount or number in it, where one is asked for; nothing where it has several."""
    pattern = amounts_for(question) or (COUNTED if asked.wants == "number" else None)
    for one in rows:
        told = list(pattern.finditer(one.hit.chunk.text, one.start, one.end)) if pattern else []
        is_long = len(one.text.split()) > MAX_AMOUNT_WORDS
        if len(told) == 1 and is_long:
            yield one.between(*told[0].span())
        elif len(told) <= 1:
            yield one
        elif pattern is COUNTED and not is_long:  # "41 votes to 17": of what is counted
            counting = [part for number in told if counts_what_is_asked(asked, part := one.between(*number.span()))]
            yield counting[0] if len(counting) == 1 else one


def _typed(
    asked: Asked, question: str, found: Sequence[Found], sentences: Mapping[str, Sequence[Candidate]]
) -> Iterator[Found]:
    """Days, times, amounts and names in the sentences that bear most on the question, whether they were read or not."""
    wanted = (ANY_DAY, TIME) if asked.wants == "date" else (amounts_for(question) or _counted(question),)
    best = sorted((one for some in sentences.values() for one in some), key=lambda one: -one.score)[:TYPED_SENTENCES]
    about = {one.hit.chunk.id for one in found if one.about}
    read = {one.hit.chunk.id: one.odds for one in sorted(found, key=lambda one: one.odds)}  # the best stays
    for one in best:
        told = [match.span() for pattern in wanted if pattern for match in pattern.finditer(one.text)]
        if amounts_for(question):  # "1,850 euros for a new one, or 640 for a repair"
            for_what = [
                match for match in _NUMBER_FOR.finditer(one.text) if asked.words_in(match[2]) & asked.weights.keys()
            ]
            told += [match.span(1) for match in for_what]
            told += [match.span(1) for match in _BARE.finditer(one.text, told[0][1])] if told else []
        if asked.wants == "name" and any(_is_in(other, one) for other in found):  # in another clause, perhaps
            told += [(name.start, name.end) for name in names_in(one.text) if name.key not in asked.names]
        for start, end in told:
            odds = min(TYPED_ODDS, read.get(one.hit.chunk.id, UNREAD_ODDS))
            first = one.span.start
            yield Found(one.hit, first + start, first + end, odds, question, about=one.hit.chunk.id in about)


def _is_in(one: Found, sentence: Candidate) -> bool:
    same = one.hit.chunk.id == sentence.hit.chunk.id
    return same and sentence.span.start <= one.start < sentence.span.end


def _counted(question: str) -> re.Pattern[str] | None:
    return COUNTED if _HOW_MANY.search(question) else None


def _with_its_noun(question: str, one: Found) -> Found:
    """For "which court": "county court in Alnwick" where Alnwick was read."""
    noun = _WHICH_NOUN.search(question)
    if noun is None:
        return one
    before = re.compile(rf"(?:[\w-]+\s)?{re.escape(noun[1])}\s(?:in|of|at)\s(?:the\s)?$", re.I)
    led = before.search(one.hit.chunk.text, max(0, one.start - NAME_CHARS), one.start)
    return one.between(led.start(), one.end) if led else one


def _lives(question: str, found: Sequence[Found]) -> list[Found]:
    """Days and places of birth and death as a passage's opening gives them, where the question is about these."""
    more = []
    for one in {one.hit.chunk.id: one for one in reversed(found) if one.about}.values():
        birth, death = BIRTH.search(one.question or question), DEATH.search(one.question or question)
        if bool(birth) == bool(death):
            continue
        life = life_in(one.hit)
        place = _PLACE.search(one.question or question) is not None
        if not place and not _WHEN.search(one.question or question):
            continue
        told = (life.birthplace if place else life.born) if birth else (life.deathplace if place else life.died)
        if told is not None:
            more.append(msgspec.structs.replace(one, start=told.start, end=told.end, odds=TOLD_ODDS))
    return more


def _holds(one: Found, told: Found) -> bool:
    """Whether it is more than what the opening tells: "Lund - 9 May 1952, Visby"."""
    inside = one.hit.chunk.id == told.hit.chunk.id and one.start <= told.start and told.end <= one.end
    return inside and one.text != told.text


def _labelled(asked: Asked, question: str, found: Sequence[Found]) -> list[Found]:
    """Values on lines whose label the question asks for."""
    return [
        msgspec.structs.replace(one, start=told.start, end=told.end, odds=TOLD_ODDS, steps=())
        for one in {one.hit.chunk.id: one for one in reversed(found)}.values()
        for told in (
            *labelled_in(question, one.hit, asked.names),
            *contacts_in(question, one.hit),
            *named_as_in(question, one.hit),
            *numbered_in(question, one.hit),
            *aged_in(question, one.hit),
            *ratio_in(question, one.hit),
            *agents_in(question, one.hit),
        )
    ]
