"""What stands beside the word that a question asks for: "Skipper: Petra Lund", "his wife Ida", "George Tan (chair)"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.life import Told
from trivium_query.answer.direct.short import CLOCK
from trivium_query.answer.direct.units import NUMBER_WORDS
from trivium_query.words import content_words

MAX_LABEL_WORDS = 4
MIN_REST_SHARE = 0.5  # of the question's other words, that the passage must hold
_LINE = re.compile(r"^[ \t]*([^\W\d_][^:;\n]{1,40}):[ \t]+([^\s:;][^:;\n]{0,80})[ \t]*$", re.M)
_CLAUSE = re.compile(r"\b(?:I|you|he|she|we|they|is|are|was|were|have|has|had|will)\b", re.I)  # it is no label
_ROLE = re.compile(
    r"^who(?:se)?\s+(?:is|was|are|were)\s+(?:(?:the|his|her|its|their)\s+)?(?:.*['\u2019]s\s+)?(?:[a-z-]+\s+){0,2}?"
    r"(?P<role>[a-z]{3,})(?=\s+(?:of|at|in|for|on|to|when|during)\b|\s*\??$)",
    re.I,
)
_CALLED = re.compile(
    r"^what\s+(?:is|was)\s+(?:(?:the|our|his|her|its|their)\s+)?(?P<role>[a-z]{3,})"
    r"(?:\s+(?:called|named)|['\u2019]s\s+name)\b",
    re.I,
)
_IS_CALLED = re.compile(r"\b(?:called|named)\b|['\u2019]s\s+name\b", re.I)
_WHICH = re.compile(
    r"^(?:(?:at|by|from|in|on|to|with)\s+)?(?:which|what)\s+(?:[\w-]+\s+){0,2}?(?P<thing>[a-z]{3,})\s+"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|must|should|will)\b",
    re.I,
)
_WHICH_GOES = re.compile(r"^(?:which|what)\s+(?P<thing>[a-z]{3,})\s+(?!(?:of|in|at|with|and|or)\b)[a-z]{2,}s\b", re.I)
_BRACKETED = re.compile(r"\s*\((?:the )?(?P<role>[a-z]{3,})\)")
_CAPITALISED = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_HOW_OLD = re.compile(
    rf"\b[Hh]ow old (?P<verb>is|was)\s+(?P<name>{_CAPITALISED}(?:\s+{_CAPITALISED})*)(?:\s(?:now|today))?\W*$"
)
_AGED = r"(?:\s+(?:has|had))?(?:\s+just)?\s+(?:turn(?:s|ed)|reached|is now|is|(?P<was>was))\s+(?:the age of\s+)?"
_NO_AGE = (
    r"(?![\w:.,/-]*\d)"
    r"(?!\s?(?:%|[$\u20ac\u00a3]|(?!years?\b|(?:in|on|at)\b(?!\sthe\b)|and\b|last\b|this\b|when\b)[^\W\d_]))"
)
_OF_PARTS = re.compile(r"\bratio\b|\bin (?:what|which) proportions?\b", re.I)  # not "what proportion of the guests"
_IN_PARTS = re.compile(r"\b(?:ratio|proportions?|parts?|mix\w*)\b", re.I)
_PARTS = frozenset(content_words("ratio proportion proportions part parts mix mixed"))
_NEAR = 60  # characters of a ratio around a number of it
_COUNT = rf"(?:\d+(?:[.,]\d+)?|an?|{NUMBER_WORDS})"
_SHARE = r"(?:\s(?:parts?|measures?|shares?)(?:\s(?:of\s)?(?!to\b)[^\W\d_]+)?)?"
_RATIO = re.compile(rf"\b{_COUNT}{_SHARE}(?:\s(?:to|for)\s(?:every\s|each\s)?|\s?:\s?){_COUNT}{_SHARE}(?![\w:])", re.I)
_NAME = rf"{_CAPITALISED}(?:\s+(?:(?:van|von|de|der|del|di|da|la|le)\s+)*{_CAPITALISED}){{0,3}}"


def named_as_in(question: str, hit: Hit) -> Iterator[Told]:
    """Names right beside the role that "who" asks for, in a passage of all words asked.

    Where several names are, those in sentences of most of these words.
    """
    role = _role_in(question)
    if role is None:
        return
    word = rf"(?i:{re.escape(role['role'])})"
    beside = re.compile(
        rf"\b{word}(?:\s+(?P<after>{_NAME})|,\s+(?P<apposed>{_NAME})(?=\s*[,.;)]))"
        rf"|(?P<before>{_NAME})(?:\s*\(|,\s+)[\"\u201c\u201e]?(?:the\s+|an?\s+)?{word}[\"\u201c\u201d]?\s*[),.]"
        rf"|(?P<subject>{_NAME})\s+(?:is|was)\s+(?:(?:the|an?|our|its)\s+)?(?:[a-z-]+\s+)?{word}\b"
    )
    asked = frozenset(content_words(_IS_CALLED.sub("", question)))
    if not asked <= frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.title} {hit.chunk.text}")):
        return
    found = [
        (2 * len(asked & frozenset(content_words(span.of(hit.chunk.text)))) > len(asked), _told(name, span.start))
        for span in hit.chunk.sentences
        for name in beside.finditer(span.of(hit.chunk.text))
    ]
    yield from (told for close, told in found if close or len(found) == 1)


def _role_in(question: str) -> re.Match[str] | None:
    return _ROLE.search(question.strip()) or _CALLED.search(question.strip())


def has_another_role(question: str, hit: Hit, end: int) -> bool:
    """Whether the words that end there have a role in brackets, and not the one asked for: "Amara Bello (tenant)"."""
    role = _role_in(question)
    told = _BRACKETED.match(hit.chunk.text, end)
    return role is not None and told is not None and role["role"].lower() != told["role"].lower()


def aged_in(question: str, hit: Hit) -> Iterator[Told]:
    """How old somebody is, right behind the name: "Walter Pym turned 100"."""
    asked = _HOW_OLD.search(question)
    if asked is None:
        return
    name = r"\s+".join(map(re.escape, asked["name"].split()))
    for told in re.finditer(
        rf"\b{name}(?:\s[A-Z][\w'-]+)?(?:,[^.,;]{{1,60}},)?{_AGED}(?P<after>\d+){_NO_AGE}", hit.chunk.text
    ):
        if not told["was"] or asked["verb"] == "was":  # "was 12 in 1950" tells no age of today
            yield _told(told, 0)


def ratio_in(question: str, hit: Hit) -> Iterator[Told]:
    """The parts, in the one sentence that tells a ratio and has the most words asked, and most of them."""
    asked = frozenset(content_words(question)) - _PARTS
    if not _OF_PARTS.search(question) or not asked:
        return
    found = [
        (span, ratio)
        for span in hit.chunk.sentences
        for ratio in _RATIO.finditer(hit.chunk.text, span.start, span.end)
        if not CLOCK.fullmatch(ratio[0]) and (":" in ratio[0] or _IN_PARTS.search(span.of(hit.chunk.text)))
    ]
    shares = [len(asked & frozenset(content_words(span.of(hit.chunk.text)))) for span, _ in found]
    if shares and shares.count(max(shares)) == 1 and 2 * max(shares) >= len(asked):
        yield Told(*found[shares.index(max(shares))][1].span())


def is_part_of_ratio(question: str, hit: Hit, start: int, end: int) -> bool:
    """Whether it is one number of a ratio that is asked for: the 18 of "18 to 1"."""
    if not _OF_PARTS.search(question):
        return False
    whole = (ratio.span() for ratio in _RATIO.finditer(hit.chunk.text, max(0, start - _NEAR), end + _NEAR))
    return any(first <= start and end <= last and (first, last) != (start, end) for first, last in whole)


def numbered_in(question: str, hit: Hit) -> Iterator[Told]:
    """What "which line" asks for: the 14 of "line 14", in sentences of most words asked."""
    thing = _WHICH.search(question.strip()) or _WHICH_GOES.search(question.strip())
    if thing is None:
        return
    word = rf"\b(?i:{re.escape(thing['thing'])})\s+(?:(?i:no|nr|number)\.?\s+)?"
    numbered = re.compile(rf"{word}(?P<after>[A-Z]{{0,3}}\d[\w/-]*)")
    asked = frozenset(content_words(question))
    for span in hit.chunk.sentences:
        sentence = span.of(hit.chunk.text)
        if 2 * len(asked & frozenset(content_words(f"{hit.chunk.heading} {sentence}"))) > len(asked):
            yield from (_told(found, span.start) for found in numbered.finditer(sentence))


def _told(name: re.Match[str], offset: int) -> Told:
    """By the one group that matched."""
    group = name.lastgroup or "after"
    return Told(offset + name.start(group), offset + name.end(group))


def labelled_in(question: str, hit: Hit, names: Sequence[str]) -> Iterator[Told]:
    """The values whose label the question names, in a passage that holds most of its other words.

    What is called by one of the question's `names` alone is a title: "Marlow Rowing Club: Annual Report".
    """
    asked = frozenset(content_words(question))
    named_so = frozenset(word for name in names for word in content_words(name))
    held = frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.title} {hit.chunk.text}"))
    for line in _LINE.finditer(hit.chunk.text):
        label = content_words(line[1])
        rest = asked - frozenset(label)
        named = 0 < len(label) <= MAX_LABEL_WORDS and asked.issuperset(label) and not named_so.issuperset(label)
        if named and not _CLAUSE.search(line[1]) and len(rest & held) >= MIN_REST_SHARE * len(rest):
            yield Told(*line.span(2))
