# ruff: noqa: SIM905  (word lists read best as words)
"""What must be known before the rest can be asked: "the director of X" of "the wife of the director of X".

By the form of English noun phrases about a name: "R of X", "X's R", "the R that ... X", "the R where X ...".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium_query.answer.direct.things import Thing

MAX_NOUNS = 4
_WORD = re.compile(r"[\w-]+(?:['\u2019](?!s\b)\w+)*")
_DETERMINERS = frozenset({"the", "a", "an", "this", "that", "whose", "their", "his", "her", "its"})
_PREPOSITIONS = frozenset("""of by for in from behind at to on""".split())
_RELATIVES = frozenset({"that", "which", "who", "whom", "where", "whose", "when"})
_AUXILIARIES = frozenset("""is are was were has had have does did do be been will would can could""".split())
_ADJECTIVES = frozenset(
    """first last elder eldest older oldest younger youngest former late only second third main""".split()
)
# What happened to a thing leads to no other thing: "the place of birth of X" is one step.
_EVENTS = frozenset(
    """birth death burial origin residence citizenship release publication foundation marriage""".split()
)
_QUESTION_WORDS = frozenset("what how why and or than with as".split())
_STOPS = _AUXILIARIES | _PREPOSITIONS | _RELATIVES | _QUESTION_WORDS
# Who is reached through another: the first is asked of the thing, the second of who that is.
_KIN = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
}
_KIN_NAME = "|".join(_KIN)
_KIN_OF = re.compile(rf"\b(?:the\s+)?({_KIN_NAME})\s+of\s+$", re.I)
_KIN_AFTER = re.compile(rf"['\u2019]s?\s+({_KIN_NAME})\b", re.I)
_OPENING = re.compile(
    r"^\W*(?:(?:who|what|which|where|when)\W+(?:is|are|was|were)\W*|(?:name|tell me|give me|find)\W*)?(?:the\W*)?$",
    re.I,
)
_CLOSING = re.compile(r"^\W*$")


class Nested(msgspec.Struct, frozen=True):
    """`question` asks for what stands at `start` to `end` of the whole question; `before` is put before its answer."""

    question: str
    start: int
    end: int
    before: str = ""


def nested_in(question: str, thing: Thing) -> list[Nested]:
    """What can be asked of the thing first, the likeliest phrase first; none where it is all that is asked."""
    found = [*_kin(question, thing), *_possessive(question, thing)] or [
        *_of(question, thing),
        *_clause(question, thing),
    ]
    return [one for one in dict.fromkeys(found) if not _is_whole(question, one)]


def put(question: str, nested: Nested, name: str) -> str:
    """The question with the name in the phrase's place."""
    return f"{question[: nested.start]}{nested.before}{name}{question[nested.end :]}"


def _is_whole(question: str, one: Nested) -> bool:
    if one.before:
        return False
    return _OPENING.match(question[: one.start]) is not None and _CLOSING.match(question[one.end :]) is not None


def _kin(question: str, thing: Thing) -> Iterator[Nested]:
    before, after = _KIN_OF.search(question, 0, thing.start), _KIN_AFTER.match(question, thing.end)
    found = before or after
    if found is None:
        return
    first, second = _KIN[found[1].lower()]
    start = before.start() if before else thing.start
    yield Nested(f"{first} of {thing.text}", start, after.end() if after and not before else thing.end, f"{second} of ")


def _possessive(question: str, thing: Thing) -> Iterator[Nested]:
    match = re.match(r"(?:['\u2019]s?)\s+", question[thing.end :])
    if not match:
        return
    nouns: list[str] = []
    at = thing.end + match.end()
    for word in _WORD.finditer(question, at):
        if word[0].lower() in _STOPS or question[at : word.start()].strip() or len(nouns) == MAX_NOUNS:
            break
        nouns.append(word[0])
        at = word.end()
        if word[0].lower() in _ADJECTIVES:
            continue
        yield Nested(f"{' '.join(nouns)} of {thing.text}", _before_article(question, thing.start), at)


def _of(question: str, thing: Thing) -> Iterator[Nested]:
    """Back over "the director of the film"; what it reaches first is asked first."""
    words = list(_WORD.finditer(question, 0, thing.start))
    if not words or question[words[-1].end() : thing.start].strip(" \"'“\u2018«"):
        return
    at = len(words)
    while at and words[at - 1][0].lower() not in _STOPS and len(words) - at < 3:
        at -= 1  # what kind of thing it is: "the film"
    if not at or words[at - 1][0].lower() not in _PREPOSITIONS:
        return
    start = _noun_phrase_before(words, at - 1)
    if start is not None and words[at - 2][0].lower() not in _EVENTS:
        text = question[words[start].start() : thing.end]
        yield Nested(_without_article(text), words[start].start(), thing.end)


def _noun_phrase_before(words: Sequence[re.Match[str]], preposition: int) -> int | None:
    """The first word of the nouns before a preposition, with their article."""
    start = preposition
    while start and preposition - start < MAX_NOUNS:
        word = words[start - 1][0].lower()
        if word in _DETERMINERS:
            return start - 1 if preposition - start else None
        if word in _STOPS:
            break
        start -= 1
    return start if start < preposition else None


def _clause(question: str, thing: Thing) -> Iterator[Nested]:
    """As "the city where X died", "the company that made X"."""
    words = list(_WORD.finditer(question, 0, thing.start))
    relative = next((at for at in range(len(words) - 1, 0, -1) if words[at][0].lower() in _RELATIVES), None)
    if relative is None or len(words) - relative > 6:
        return
    first = relative - 1 if words[relative - 1][0].lower() in _PREPOSITIONS else relative
    start = _noun_phrase_before(words, first)
    if start is None:
        return
    for end in _ends(question, thing, is_object=len(words) - relative > 1):
        text = question[words[start].start() : end]
        yield Nested(_without_article(text), words[start].start(), end)


def _ends(question: str, thing: Thing, *, is_object: bool) -> Iterator[int]:
    """Where the clause may end: at the thing that is its object, else after its verb."""
    if is_object:
        yield thing.end
    after = list(_WORD.finditer(question, thing.end))
    if after and not question[thing.end : after[0].start()].strip():
        count = 2 if after[0][0].lower() in _AUXILIARIES else 1
        ends = after[:count]
        follows = after[count : count + 1]
        if follows and follows[0][0].lower() in _PREPOSITIONS:
            ends = after[: count + 1]
        yield ends[-1].end()


def _before_article(question: str, start: int) -> int:
    match = re.search(r"\b(?:the|a|an)\s+$", question[:start], re.I)
    return match.start() if match else start


def _without_article(text: str) -> str:
    return re.sub(r"^(?:the|a|an)\s+", "", text, flags=re.I)
