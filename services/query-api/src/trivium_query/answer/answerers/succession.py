"""Who came first, last, or right before or after somebody, where sentences in a row tell of one after the other.

Also where one sentence says it: "Vera Lind took over from Otto Brandt". Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.text.names import fold_name, names_in
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import is_heading
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.life import YEAR
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.tables.asked_words import alike
from trivium_query.words import content_words

MIN_ROW = 3  # sentences that follow each other, to be a row
_CAPITALISED = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_FURTHER = rf"(?:{_CAPITALISED}|[IVX]+\b|[A-Z]\.(?=\s[A-Z]))"  # "George II", "Ada B. Falk"
_NAME = rf"(?<!\w)(?<!\w['\u2019-]){_CAPITALISED}(?:\s+(?:(?:van|von|de|der|del|di|da|la|le)\s+)*{_FURTHER}){{0,3}}"
_FOLLOW = r"(?:succeed|follow|replace|take\sover\sfrom)"
_FOLLOWED = (
    r"(?:succeed(?:ed|s)|follow(?:ed|s)|replace[ds]|c(?:ame|omes)\s(?:right\s)?after"
    r"|t(?:ook|akes)\s(?:(?:the|his|her)\s(?:job|post|office|business|farm|shop)\s)?over\sfrom)"
)
_WHO = re.compile(r"^\W*(?:who|which\s(?:person|man|woman))\b", re.I)
# Of "Who led the club before Otto Brandt?", "Who was Otto Brandt's successor?", and so on: who is asked for, of whom.
_ASKS = tuple(
    (place, re.compile(pattern.replace("NAME", rf"(?P<name>(?-i:{_NAME}))"), re.I))
    for place, pattern in (
        ("before", rf"\bdid\sNAME\s{_FOLLOW}"),
        ("before", r"\b(?:succeeded|followed|replaced)\sby\sNAME"),
        ("before", r"\b(?:before|precede[ds]?|predecessor\s(?:of|to))\sNAME"),
        ("before", r"\bNAME['\u2019]s?\s(?:\w+\s)?predecessor\b"),
        ("after", rf"\b(?:{_FOLLOW}|{_FOLLOWED}|after|successor\s(?:of|to))\s(?:by\s)?NAME"),
        ("after", r"\bNAME['\u2019]s?\s(?:\w+\s)?successor\b"),
    )
)
_END = re.compile(r"\b(?P<place>first|last)\b(?!\s(?:name|year|month|week|time|two|three|four|five))", re.I)
# Of a life, of both sides, or of no place in a row: "named after", "looks after", "before Otto Brandt left".
_ASKS_OTHERWISE = re.compile(
    r"\b(?:born|die[ds]?|first\sand\slast|before\s(?:and|or)\safter|after\s(?:and|or)\sbefore"
    r"|(?:named|called|look\w*|tak(?:es?|ing)|took|r[au]ns?|asks?|asked|goe?s?|went|chase[ds]?)\safter)\b"
    r"|\bbefore\s(?-i:[A-Z]).*\s(?:left|resign|retire|stepp?|quit|was\s(?:remov|oust))",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:if|whether|unless|neither|nor|both|claim\w*|believ\w*|rumou?r\w*|myth|wrong\w*|said\sto|might|could|would|almost)\b",
    re.I,
)
_GOES_ON = re.compile(  # "followed her to Paris", "was followed by her and Jon Ek"
    r"\s(?:(?:to|into|on|onto|out|home|through|from|around|up|down|along)\b|(?:and|or)\s[A-Z])"
)
_OF_SEVERAL = re.compile(r"\b(?:and|or)\s$", re.I)
_OWNER = re.compile(r"['\u2019]s?$")
_AS = re.compile(r"\bas\b", re.I)
_PLACE_WORDS = frozenset(
    content_words(
        "first last before after come came follow follows succeed succeeds replace replaces take takes precede"
        " predecessor successor over person people one right directly immediately next ever be"
        " leave left resign retire step down"
    )
)
_IS_NOW = re.compile(r"\b(?:current|present|now|today|incumbent)\b", re.I)
_LED = r"(?:,?\s(?:who|then|later|soon|has|had|finally|also|in\s\d{4},?))*\s"
_KIN = r"(?:(?:his|her|their)\s\w+\s)?"  # "his aunt Hedda"
_BESIDE = rf"(?P<which>successor|predecessor)(?:,|\s(?:is|was|became|will\sbe))\s(?P<name>{_NAME})"
_OWN = re.compile(rf"(?P<of>{_NAME})['\u2019]s?\s{_BESIDE}")
_HIS = re.compile(rf"\W*(?:His|Her|Their)\s{_BESIDE}")
_PLACES = {"successor": "after", "predecessor": "before"}
_SAYS = (
    re.compile(rf"(?P<new>{_NAME}){_LED}{_FOLLOWED}\s{_KIN}(?P<old>{_NAME})"),
    re.compile(
        rf"(?P<old>{_NAME}){_LED}(?:was|is|been)\s(?:\w+ly\s)?(?:succeeded|followed|replaced)\sby\s(?P<new>{_NAME})"
    ),
    re.compile(rf"(?P<old>{_NAME}){_LED}handed\sover\sto\s(?P<new>{_NAME})"),
)


class _Asked(msgspec.Struct, frozen=True):
    """`place` is "first", "last", "before" or "after"; `name` is folded, "" for the first two; `words` are the rest."""

    place: str
    name: str
    words: frozenset[str]


class _One(msgspec.Struct, frozen=True):
    """Who a sentence tells of; not `sure` at the end of a row that may go on in another passage."""

    hit: Hit
    sentence: str
    name: str
    sure: bool = True


def answer_by_succession(question: str, hits: Sequence[Hit]) -> Answered | None:
    """The one who is asked for; None where the passages tell none, several, or lack a word of the question."""
    asked = _asked(question)
    if asked is None:
        return None
    found = [one for hit in hits if _tells(asked, hit) for one in (*_said(asked, hit), *_in_row(asked, hit))]
    found = [one for one in found if one.sure] or found
    if len({fold_name(one.name) for one in found}) != 1:
        return None
    best = found[0]
    lines, citations = cited([(best.hit, best.sentence)], hits)
    verdict = Verdict.SUPPORTED if best.sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft(lines[0], True, citations, short=best.name), verdict)


def _asked(question: str) -> _Asked | None:
    if _WHO.match(question) is None or _ASKS_OTHERWISE.search(question) or denies(question):
        return None
    for place, form in _ASKS:
        if found := form.search(question):
            rest = f"{question[: found.start('name')]} {question[found.end('name') :]}"
            return _Asked(place, fold_name(found["name"]), frozenset(content_words(rest)) - _PLACE_WORDS)
    end = _END.search(question)
    words = frozenset(content_words(question)) - _PLACE_WORDS
    return _Asked(end["place"].lower(), "", words) if end and words else None


def _tells(asked: _Asked, hit: Hit) -> bool:
    """Whether the passage, with its headings, has each word of the question."""
    return _has_all(asked.words, f"{_headings(hit)} {hit.chunk.text}")


def _headings(hit: Hit) -> str:
    return f"{hit.chunk.source} {hit.chunk.title} {hit.chunk.heading}"


def _has_all(words: Iterable[str], text: str) -> bool:
    told = set(content_words(text))
    return all(any(alike(word, one) for one in told) for word in words)


def _said(asked: _Asked, hit: Hit) -> Iterator[_One]:
    """By a sentence that says of two who followed whom."""
    wanted, other = ("new", "old") if asked.place == "after" else ("old", "new")
    before = ""
    for sentence in _sentences(hit) if asked.name else ():
        if _UNSURE.search(sentence) or _is_of_another_role(asked, sentence):
            continue
        for form in _SAYS:
            told = (one for one in form.finditer(sentence) if _is(one[other], asked) and _follows(one))
            yield from (_One(hit, sentence, one[wanted]) for one in told)
        for form in (_OWN, _HIS):
            beside = form.match(sentence) if form is _HIS else form.search(sentence)
            of = beside["of"] if beside and form is _OWN else before
            if beside and _PLACES[beside["which"]] == asked.place and _is(of, asked):
                yield _One(hit, sentence, beside["name"])
        names = {name.surface for name in names_in(sentence)}
        before = names.pop() if len(names) == 1 else ""


def _is_of_another_role(asked: _Asked, sentence: str) -> bool:
    """Whether it says as what, and nothing of what is asked: "as chair", where the next mayor is asked for."""
    return bool(asked.words and _AS.search(sentence)) and not any(_has_all([word], sentence) for word in asked.words)


def _follows(said: re.Match[str]) -> bool:
    """Whether it is one who follows one, and in the place."""
    owner = _OWNER.search(said["old"]) or _OWNER.search(said["new"])
    return not (owner or _GOES_ON.match(said.string, said.end()) or _OF_SEVERAL.search(said.string[: said.start()]))


def _in_row(asked: _Asked, hit: Hit) -> Iterator[_One]:
    """The neighbour of the one who is named, or the end of the row, sure where the passage goes on beyond it."""
    sentences = _sentences(hit)
    for start, row in _rows(hit, sentences):
        headings = " ".join([_headings(hit), *filter(is_heading, sentences[:start]), *_in_common(row)])
        goes_on = start + len(row) < len(sentences) or _IS_NOW.search(row[-1].sentence) is not None
        found = _place_in(row, asked, begins=start > 0, goes_on=goes_on)
        if found is not None and _has_all(asked.words, f"{headings} {found.sentence}"):
            yield found


def _place_in(row: Sequence[_One], asked: _Asked, *, begins: bool, goes_on: bool) -> _One | None:
    if sum(re.search(rf"\b{asked.place}\b", one.sentence) is not None for one in row) > 1:
        return None  # "won first prize"
    if asked.place == "first":
        return msgspec.structs.replace(row[0], sure=begins)
    if asked.place == "last":
        return msgspec.structs.replace(row[-1], sure=goes_on)
    at = [place for place, one in enumerate(row) if _is(one.name, asked)]
    beside = at[0] + (1 if asked.place == "after" else -1) if len(at) == 1 else -1
    return row[beside] if 0 <= beside < len(row) else None


def _sentences(hit: Hit) -> list[str]:
    return [span.of(hit.chunk.text) for span in hit.chunk.sentences]


def _rows(hit: Hit, sentences: Sequence[str]) -> Iterator[tuple[int, list[_One]]]:
    """Each run of sentences that begin with another's name, with years that rise, a word in common; and its start."""
    start, row, year = 0, list[_One](), 0
    for at, sentence in enumerate((*sentences, "")):
        name, years = _begins_with(sentence), [int(one) for one in YEAR.findall(sentence)]
        goes_on = name and years and min(years) >= year and all(one.name != name for one in row)
        if not goes_on:
            if len(row) >= MIN_ROW and _in_common(row):
                yield start, row
            start, row, year = at, [], 0
        if name and years:
            row, year = [*row, _One(hit, sentence, name)], min(years)
        else:
            start = at + 1


def _begins_with(sentence: str) -> str:
    """The name of several words that a sentence begins with, "" where it begins otherwise."""
    first = next(iter(names_in(sentence)), None)
    begins = first is not None and first.start == 0 and " " in first.surface
    return first.surface if first is not None and begins else ""


def _in_common(row: Sequence[_One]) -> frozenset[str]:
    """The words of all but the first and the last: "Ada Falk founded it", "Jon Ek was elected in 2020".

    Where there is but one between them, those that it has in common with either.
    """
    words = [frozenset(content_words(one.sentence)) for one in row]
    return frozenset.intersection(*words[1:-1], *([words[0] | words[-1]] if len(row) == MIN_ROW else []))


def _is(name: str, asked: _Asked) -> bool:
    """Whether it is the one who is asked of, by all names or the last alone."""
    told = fold_name(name)
    return bool(asked.name) and (
        told == asked.name or told.endswith(f" {asked.name}") or asked.name.endswith(f" {told}")
    )
