"""Which of the spans that were read is the answer, and how likely it is right: a logistic regression over few signals.

Its weights stand in `weights.json`; `bench/train_answers.py` fits them on the sets in DATA, one left out at a time.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec

from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.names import names_in
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.labels import labelled_in, named_as_in, numbered_in
from trivium_query.answer.direct.life import DATE, DAY, life_in
from trivium_query.answer.direct.units import UNIT, amounts_for, is_measured
from trivium_query.answer.evidence import Asked, Candidate, asks
from trivium_query.words import content_words, is_stop_word

WEIGHTS = "weights.json"
MAX_SHORT_WORDS = 20
YEAR_DIGITS = 4  # of a year that stands alone
DATE_CHARS = 20  # of a date's other parts beside the one that was read
_DATE = re.compile(DATE, re.I)
_DAY = re.compile(f"{DATE}|{DAY}", re.I)
_EDGE = " \t\n,.;:!?\"'“”«»\u2013\u2014-["
_TITLES = frozenset({"dr", "prof", "mr", "mrs", "ms", "st", "sir", "dame", "lord", "lady"})
_LEADING = re.compile(r"(?:(?:in|at|on|by|from|of|to|with|and|the|a|an)\s+)+", re.I)
_WORD = re.compile(r"\w+")
_BIRTH = re.compile(r"\b(?:born|birth|birthplace|birthdate)\b", re.I)
_DEATH = re.compile(r"\b(?:die[ds]?|death)\b", re.I)
_DIE = re.compile(r"\bdies?\b", re.I)  # "die" alone is an article, in German
_WHEN = re.compile(r"\b(?:when|date|day|year)\b", re.I)
_PLACE = re.compile(r"\b(?:where|place|city|town|country|birthplace)\b", re.I)
_MONTH_DAY = re.compile(rf"(?=.*[a-z]){DATE}", re.I)
NUMBER_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|thousand|dozen|several)"
)
_NUMBER = re.compile(rf"\d|\b{NUMBER_WORDS}\b", re.I)
_TIME = re.compile(
    r"\b\d{1,2}(?:[.:]\d{2})?\s?(?:[ap]\.?m\b|uhr\b|o['\u2019]clock\b)|\b\d{1,2}:\d{2}\b|\b(?:noon|midnight)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.I,
)
_PART_OF = re.compile(r"\b(\d[\d,.]*)\s+(?:out\s+)?of\s+(?:(?:the|all|its)\s+)?$")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CAPITALISED = re.compile(r"(?<![\w.])([A-Z\u00c0-\u00de][\w'\u2019-]+)\s$")
_WHICH_NOUN = re.compile(r"\b(?:which|what)\s([a-z]{4,})\b", re.I)
_HOW_MANY = re.compile(r"\bhow many\b", re.I)
COUNTED = re.compile(rf"(?<![\w.,:/-])(?:\d[\d,.]*\d|\d|{NUMBER_WORDS})(?![\w:/-])", re.I)
_HOW_MANY_NUMBERS = 2
MAX_AMOUNT_WORDS = 6
MAX_PLACE_WORDS = 6
_LIES = re.compile(r"\b(?:near|in|at|on|under|behind|between|along|beside|above|below|around|inside|outside)\s")
_AGENT = re.compile(r"\sby\s")
_CUT = re.compile(r"[,;:](?=\s)|\s(?:but|while|whereas|and(?=\s[a-z\d]))\s")
NAME_CHARS = 60
_WHICH = frozenset({"next", "previous", "latest"})  # "first" and "last" only spoil more than they mend
OTHER_SHARE = 0.5  # of its probability: what gives way to what suits the question's words better
TYPED_SENTENCES = 3
TYPED_ODDS = -4.0  # at most, of what is of the right kind: what was read in its passage may be less likely
UNREAD_ODDS = -8.0
TOLD_ODDS = 12.0  # of what a passage states in a form that is read by rule


class Chosen(msgspec.Struct, frozen=True):
    """The answer in a few words of a hit's text, where it was read, and the probability that it is right."""

    short: str
    found: Found
    start: int
    end: int
    probability: float
    signals: dict[str, float]


class Weights(msgspec.Struct, frozen=True):
    """Of the regression, by the name of the signal; `trained_on` counts questions by set."""

    answer: dict[str, float]
    answerable: dict[str, float] = {}
    right: dict[str, float] = {}
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
    weights: Weights,
) -> list[Chosen]:
    """Every span that may be the answer, the likeliest first."""
    found = [_with_its_noun(question, one) for one in found]
    told = (*found, *_lives(question, found), *_labelled(question, found), *_typed(asked, question, found, sentences))
    rows = [(one, *trimmed(one, asked.wants)) for one in told]
    rows = [row for row in rows if row[1] < row[2] and not _is_given(row[0].hit.chunk.text[row[1] : row[2]], question)]
    rows = [row for row in rows if _is_in_a_cell(row[0].hit, row[1], row[2])]
    rows = [row for row in rows if not _is_asked_there(row[0].hit, row[1])]
    rows = list(_single(asked, question, rows))
    chosen = []
    for one, start, end in rows:
        text = one.hit.chunk.text[start:end]
        signals = signals_of(asked, one, (start, end), rows, sentences.get(one.hit.chunk.id, ()))
        chosen.append(Chosen(text, one, start, end, probability(signals, weights.answer), signals))
    beside = [one for one in chosen if one.signals["life"]] if asked.wants != "date" else []
    measured = [one for one in chosen if is_measured(question, one.short)]
    elsewhere = [*told_elsewhere(asked, chosen), *(_counting_others(asked, chosen) if _counted(question) else ())]
    own = [one for one in chosen if not any(one is other for other in elsewhere)]
    return sorted(chosen, key=lambda one: -one.probability * _preference(one, beside, measured, own))


def _preference(one: Chosen, *better: Sequence[Chosen]) -> float:
    """Less for a sentence without the question's "next", and where others are `better`: of names, or in what unit."""
    behind = sum(bool(some) and one not in some for some in better) + (not one.signals["which"])
    return float(OTHER_SHARE**behind)


def probability(signals: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """1 / (1 + exp(-x)), x the sum of weight times signal."""
    return 1.0 / (1.0 + math.exp(-sum(weights.get(name, 0.0) * value for name, value in signals.items())))


def signals_of(
    asked: Asked,
    one: Found,
    span: tuple[int, int],
    rows: Sequence[tuple[Found, int, int]],
    sentences: Sequence[Candidate],
) -> dict[str, float]:
    """Those of one span, each about 0 to 1."""
    text = one.hit.chunk.text[span[0] : span[1]]
    words = _WORD.findall(text.lower())
    inside = next((each for each in sentences if each.span.start <= span[0] < each.span.end), None)
    covered = (
        asked.coverage(inside.covered | (frozenset(content_words(one.hit.chunk.heading)) & asked.weights.keys()))
        if inside
        else 0.0
    )
    others = [row for row in rows if row[0].question != one.question or row[0].hit.chunk.id != one.hit.chunk.id]
    agreeing = any(_WORD.findall(row[0].hit.chunk.text[row[1] : row[2]].lower()) == words for row in others)
    odds = max(-2.0, min(2.0, one.odds / 10.0))
    hop = float(bool(one.steps))
    fits = fits_wanted(asked.wants, text)
    return {
        "one": 1.0,
        "odds": odds,
        "hop": hop,
        "hop odds": odds * hop,
        "step odds": max(-1.0, min(2.0, min(step.odds for step in one.steps) / 10.0)) if one.steps else 0.0,
        "rank": 1.0 / one.hit.rank,
        "about": float(one.about),
        "hop about": float(one.about) * hop,
        "unstepped": float(not hop and any(row[0].steps for row in rows)),
        "fits": float(fits is True),
        "misfits": float(fits is False),
        "words": math.log1p(len(words)),
        "long": float(len(words) > 6),
        "agreeing": float(agreeing),
        "cosine": inside.cosine if inside else 0.0,
        "coverage": covered,
        "predicate": predicate_share(one.question, asked.names, inside),
        "life": float(one.odds == TOLD_ODDS),
        "named": float(text[:1].isupper() or text[:1].isdigit()),
        "which": float(_says_which(asked, one, inside)),
        "clear": float(_is_clear(asked, one.hit.chunk.text, inside, span)),
    }


def _says_which(asked: Asked, one: Found, sentence: Candidate | None) -> bool:
    """Whether its sentence or heading has the "next" or "previous" of the question, names apart; a step has its own."""
    said_last = _WORD.findall(one.question.lower())
    words = _WHICH & set(said_last) - {word for name in asked.names for word in name.split()}
    words |= {"before"} & set(said_last[-1:])
    said = f"{sentence.text if sentence else ''} {one.hit.chunk.heading}".lower()
    return bool(one.steps) or words <= set(_WORD.findall(said))


def _is_clear(asked: Asked, text: str, sentence: Candidate | None, span: tuple[int, int]) -> bool:
    """Whether no other clause of its sentence is the one that is asked about, and no other number stands beside it."""
    if sentence is None:
        return True
    whole = (sentence.span.start, sentence.span.end)
    own = _clause(text, whole, span)
    if asked.wants == "number" and len(COUNTED.findall(own)) >= _HOW_MANY_NUMBERS:
        return _counts_what_is_asked(asked, text, *span)
    held = asked.words_in(own) & asked.weights.keys()
    return bool(held) or not asked.words_in(sentence.text) & asked.weights.keys()


def _counts_what_is_asked(asked: Asked, text: str, start: int, end: int) -> bool:
    """Whether the word behind its number is the question's: 41 of "41 votes to 17"."""
    number = COUNTED.search(text, start, end)
    behind = _WORD.search(text, number.end() if number else end)
    return behind is not None and bool(asked.words_in(behind[0]) & asked.weights.keys())


def predicate_share(question: str, names: Sequence[str], sentence: Candidate | None) -> float:
    """The share of the question's words, names apart, that the sentence holds; 1 where it has no others."""
    named = {word for name in names for word in content_words(name)}
    words = set(content_words(_DIE.sub("died", question))) - named
    return len(words & sentence.words) / len(words) if words and sentence else float(not words)


def fits_wanted(wants: str, text: str) -> bool | None:
    """Whether the words are of the kind that is asked for; None where no kind is."""
    if wants == "date":
        day = _DAY.search(text) is not None and not (text.isdigit() and len(text) < YEAR_DIGITS)
        return day or _TIME.search(text) is not None
    if wants == "number":
        return _NUMBER.search(text) is not None and _MONTH_DAY.fullmatch(text) is None
    if wants in ("name", "place"):
        named = text[:1].isupper() and not text.isdigit() and _DATE.fullmatch(text) is None
        return named or (None if wants == "place" and text[:1].isalpha() else False)  # "near the old ramp" is a place
    return None


def trimmed(one: Found, wants: str) -> tuple[int, int]:
    """The span without what is not the answer: articles, brackets begun in it; a part of a date made whole."""
    text = one.hit.chunk.text
    start = max([one.start, *(each.start for each in one.hit.chunk.sentences if one.start < each.start < one.end)])
    end = one.end
    if wants == "place":
        start, end = _place(text, start, end)
    start, end = _whole_numbers(text, start, end)  # where two sentences are joined, the first led up to the second
    if wants == "date" and (date := _date_at(text, start, end)):
        return date
    if wants == "number" and (part := _PART_OF.search(text, max(0, start - DATE_CHARS), start)):
        start, end = part.span(1)  # "9 of the 24 doors": of those that are asked for there are nine
    elif wants == "number" and (unit := UNIT.match(text, end)):
        end = unit.end()
    return _bare(text, start, _before_open_bracket(text, start, end), wants)


def _place(text: str, start: int, end: int) -> tuple[int, int]:
    """Without who did it there: "Lyon by Rhodia"; of half a sentence, where it was: "which grows near the ramp"."""
    if agent := _AGENT.search(text, start, end):
        end = agent.start()
    lies = [match.start() for match in _LIES.finditer(text, start, end)]
    return lies[-1] if lies and len(text[start:end].split()) > MAX_PLACE_WORDS else start, end


def _whole_numbers(text: str, start: int, end: int) -> tuple[int, int]:
    """Not "140" of "1,140"."""
    around = next((each for each in _DIGITS.finditer(text, max(0, start - DATE_CHARS)) if each.end() > start), None)
    if around is not None and around.start() < start:
        start = around.start()
    around = next((each for each in _DIGITS.finditer(text, start) if each.end() >= end), None)
    return start, around.end() if around is not None and around.start() < end else end


def _date_at(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The whole date of which the span holds a part."""
    near = _DAY.finditer(text, max(0, start - DATE_CHARS), end + DATE_CHARS)
    return next((match.span() for match in near if match.start() < end and start < match.end()), None)


def _before_open_bracket(text: str, start: int, end: int) -> int:
    for opening, closing in (("(", ")"), ("[", "]")):
        at = text.rfind(opening, start, end)
        if at >= 0 and closing not in text[at:end]:
            end = at
    return end


def _bare(text: str, start: int, end: int, wants: str) -> tuple[int, int]:
    """Without what only joins it to its sentence; of a person, the name alone."""
    if wants == "name" and (names := names_in(text[start:end])):
        last = next((at for at, name in enumerate(names) if name.key not in _TITLES), len(names) - 1)
        start, end = _name_from(text, start + names[0].start, start + names[last].end), start + names[last].end
    if (lead := _LEADING.match(text, start, end)) and lead.end() < end:
        start = lead.end()
    said = text[start:end]
    edge = _EDGE if said.count(")") <= said.count("(") else f"{_EDGE})"
    left = len(said) - len(said.lstrip(_EDGE))
    return start + left, start + left + len(said.strip(edge))


def _name_from(text: str, start: int, end: int) -> int:
    """Where the name begins whose last word this is: not "Marlow" of "Ines Marlow"."""
    before = _CAPITALISED.search(text, max(0, start - NAME_CHARS), start)
    alone = before is None or " " in text[start:end] or is_stop_word(before[1])
    return start if before is None or alone else before.start()


def _is_given(text: str, question: str) -> bool:
    """Whether the question says it already, or it says nothing."""
    words = content_words(text)
    return not words or len(text.split()) > MAX_SHORT_WORDS or set(words) <= set(content_words(question))


def _is_asked_there(hit: Hit, at: int) -> bool:
    """Whether the sentence asks itself: whoever asks tells nothing."""
    said = next((span.of(hit.chunk.text) for span in hit.chunk.sentences if span.start <= at < span.end), "")
    return asks(said)


def _is_in_a_cell(hit: Hit, start: int, end: int) -> bool:
    """Whether a table's span is within one value, neither a label nor of several."""
    text = hit.chunk.text
    labelled = text.startswith(": ", end) or "; " in text[start:end] or ": " in text[start:end]
    return hit.chunk.kind is not UnitKind.TABLE or not labelled


def _single(asked: Asked, question: str, rows: Sequence[tuple[Found, int, int]]) -> Iterator[tuple[Found, int, int]]:
    """Of half a sentence the one amount or number in it, where one is asked for; nothing where it has several."""
    pattern = amounts_for(question) or (COUNTED if asked.wants == "number" else None)
    for one, start, end in rows:
        told = list(pattern.finditer(one.hit.chunk.text, start, end)) if pattern else []
        if len(told) == 1 and len(one.hit.chunk.text[start:end].split()) > MAX_AMOUNT_WORDS:
            yield one, *told[0].span()
        elif len(told) <= 1 or (pattern is COUNTED and len(one.hit.chunk.text[start:end].split()) <= MAX_AMOUNT_WORDS):
            yield one, start, end


def _typed(
    asked: Asked, question: str, found: Sequence[Found], sentences: Mapping[str, Sequence[Candidate]]
) -> Iterator[Found]:
    """Days, times, amounts and names in the sentences that bear most on the question, whether they were read or not."""
    wanted = (_DAY, _TIME) if asked.wants == "date" else (amounts_for(question) or _counted(question),)
    best = sorted((one for some in sentences.values() for one in some), key=lambda one: -one.score)[:TYPED_SENTENCES]
    about = {one.hit.chunk.id for one in found if one.about}
    read = {one.hit.chunk.id: one.odds for one in sorted(found, key=lambda one: one.odds)}  # the best stays
    for one in best:
        told = [match.span() for pattern in wanted if pattern for match in pattern.finditer(one.text)]
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


def told_elsewhere(asked: Asked, chosen: Sequence[Chosen]) -> list[Chosen]:
    """Of several spans in one sentence, those whose clause has fewer of the question's words than another's.

    What stands before the first of them is said of all: "The fee is 240 euros for members, 90 euros for juniors".
    """
    by_sentence = _by_sentence(chosen)
    return [one for (_, start), some in by_sentence.items() for one in _in_other_clauses(asked, start, some)]


def _counting_others(asked: Asked, chosen: Sequence[Chosen]) -> list[Chosen]:
    """Of several numbers in one sentence, those that count something else, where one counts what is asked for."""
    others = []
    for some in _by_sentence(chosen).values():
        own = [one for one in some if _counts_what_is_asked(asked, one.found.hit.chunk.text, one.start, one.end)]
        others += [one for one in some if own and not any(one is each for each in own)]
    return others


def _by_sentence(chosen: Sequence[Chosen]) -> Mapping[tuple[str, int], list[Chosen]]:
    """By the chunk's id, and where in it the sentence begins."""
    found: defaultdict[tuple[str, int], list[Chosen]] = defaultdict(list)
    for one in chosen:
        chunk = one.found.hit.chunk
        start = next((span.start for span in chunk.sentences if span.start <= one.start < span.end), None)
        if start is not None:
            found[chunk.id, start].append(one)
    return found


def _in_other_clauses(asked: Asked, start: int, some: Sequence[Chosen]) -> list[Chosen]:
    text = some[0].found.hit.chunk.text
    end = next(span.end for span in some[0].found.hit.chunk.sentences if span.start == start)
    shared = asked.words_in(text[start : min(one.start for one in some)])
    words = [asked.words_in(_clause(text, (start, end), (one.start, one.end))) for one in some]
    shares = [asked.coverage(held - shared) for held in words]
    if not any(shares):
        shares = [asked.coverage(held) for held in words]
    return [one for one, share in zip(some, shares, strict=True) if share < max(shares)]


def _clause(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> str:
    """What stands between the commas around the span, or the "and"s."""
    before = max((cut.end() for cut in _CUT.finditer(text, sentence[0], span[0])), default=sentence[0])
    after = next((cut.start() for cut in _CUT.finditer(text, span[1], sentence[1])), sentence[1])
    return text[before:after]


def _with_its_noun(question: str, one: Found) -> Found:
    """For "which court": "county court in Alnwick" where Alnwick was read."""
    noun = _WHICH_NOUN.search(question)
    if noun is None:
        return one
    before = re.compile(rf"(?:[\w-]+\s)?{re.escape(noun[1])}\s(?:in|of|at)\s(?:the\s)?$", re.I)
    led = before.search(one.hit.chunk.text, max(0, one.start - NAME_CHARS), one.start)
    return msgspec.structs.replace(one, start=led.start()) if led else one


def _lives(question: str, found: Sequence[Found]) -> list[Found]:
    """Days and places of birth and death as a passage's opening gives them, where the question is about these."""
    more = []
    for one in {one.hit.chunk.id: one for one in reversed(found) if one.about}.values():
        birth, death = _BIRTH.search(one.question or question), _DEATH.search(one.question or question)
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


def _labelled(question: str, found: Sequence[Found]) -> list[Found]:
    """Values on lines whose label the question asks for."""
    return [
        msgspec.structs.replace(one, start=told.start, end=told.end, odds=TOLD_ODDS, steps=())
        for one in {one.hit.chunk.id: one for one in reversed(found)}.values()
        for told in (*labelled_in(question, one.hit), *named_as_in(question, one.hit), *numbered_in(question, one.hit))
    ]
