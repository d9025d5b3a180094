# ruff: noqa: RUF001  (typographic marks are in the texts)
"""Two names for one thing, as a document itself says it: acronyms, "also known as", surnames.

Acronyms and other names become `Alias` rows, which the graph resolves for every document. A surname alone
("Rivera" after "Dr Ana Rivera") means that person in this document only, so it changes the mention's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import EntityType
from trivium.text import gate
from trivium.text.names import fold_name
from trivium_graph import lexicon
from trivium_graph.division import untitled
from trivium_graph.spans import Name

MAX_SHORT_CHARS = 10  # Schwartz and Hearst 2003: an abbreviation has 2 to 10 characters
MAX_GIVEN_ING = 5  # letters of a given name in -ing: Xing, Jing, Liang Ying
MAX_EXTRA_WORDS = 5  # the same: the long form has at most min(|A| + 5, 2 |A|) words

_SHORT_IN_PARENTHESES = re.compile(r"\(([A-Z][\w&.-]{1,9}?)s?(?:[;,] [^()]{1,60})?\)")
_LONG_IN_PARENTHESES = re.compile(r"\b([A-Z][\w&-]{1,9}) \(([^()\d][^()]{4,60})\)")
_ALSO = re.compile(
    r"(?: \(| ?, | )(?:(?:who|which) (?:is|was) )?(?:is |was |and )?"
    r"(?:(?:also|better|commonly|formerly|previously|originally|often|sometimes|usually|professionally|widely|simply)"
    r" ?)*(?:known|called|named|referred to)(?: (?:professionally|simply|mononymously|locally))? as "
    r"(?:the |an? )?[\"“']?"
    r"|(?: \(| ?, )(?:also |then |formerly |originally |now )?(?:called|named|formerly|n[ée]e|alias|aka|a\.k\.a\.|"
    r"nicknamed|abbreviated(?: as| to)?|short for)(?: the)? [\"“']?"
)
_MAYBE_VERB = re.compile(
    r" ?, (?:(?P<when>then|(?:also|formerly|originally|now)(?! called))|called|named|nicknamed)\b(?!.* as )"
)
_END = r"[\"”'’]?(?:\s*(?:[][,;:.()!?—–\n]|$)| -| (?:by|until|since{})\b)"
_AFTER_A_VERB = re.compile(_END.format(""))
_AFTER_AS = re.compile(
    _END.format(
        "|in|to|for|from|at|on|among|between|during|with|under|and|or|but|because|who|which|when|while|after|before"
        "|is|was|are|were|has|had"
    )
)
_NOT_GIVEN = lexicon.ROYAL_TITLES | lexicon.COURTESY_TITLES | lexicon.OFFICE_TITLES
_SPACES = re.compile(r"\s+")


class Claim(NamedTuple):
    """`key` names the same thing as `canonical_key`. `long` is where the long form stands in the text."""

    key: str
    canonical_key: str
    surface: str
    long: Span
    sentence: int


def claims_in(chunk: Chunk, names: Iterable[Name]) -> list[Claim]:
    """What one chunk says about other names, each pair once."""
    claims: dict[tuple[str, str], Claim] = {}
    for claim in (*_acronyms(chunk), *_other_names(chunk, names)):
        if claim.key and claim.canonical_key and claim.key != claim.canonical_key:
            claims.setdefault((claim.key, claim.canonical_key), claim)
    return list(claims.values())


def _acronyms(chunk: Chunk) -> Iterator[Claim]:
    text = chunk.text
    if "(" not in text:
        return
    for match in _SHORT_IN_PARENTHESES.finditer(text):
        short = match.group(1)
        floor = max((s.start for s in chunk.sentences if s.start <= match.start()), default=0)
        start = long_form_start(short, text, floor, match.start())
        if start is not None:
            yield from _claim(chunk, short, Span(start, len(text[: match.start()].rstrip())))
    for match in _LONG_IN_PARENTHESES.finditer(text):
        short, (start, end) = match.group(1), match.span(2)
        if long_form_start(short, text, start, end) == start:
            yield from _claim(chunk, short, Span(start, end))


def _claim(chunk: Chunk, short: str, long: Span) -> Iterator[Claim]:
    surface = _SPACES.sub(" ", long.of(chunk.text))
    if gate.rejected(surface) or gate.rejected(short):
        return
    sentence = next((i for i, s in enumerate(chunk.sentences) if s.start <= long.start < s.end), 0)
    yield Claim(fold_name(short), fold_name(surface), short, long, sentence)


def long_form_start(short: str, text: str, floor: int, end: int) -> int | None:
    """Where the long form of `short` begins in text[floor:end], which it ends (Schwartz and Hearst 2003), or None.

    Every letter of the abbreviation is matched from right to left; the first must begin a word.
    """
    letters = [char.casefold() for char in short if char.isalnum()]
    if not 2 <= len(letters) <= MAX_SHORT_CHARS or sum(char.isupper() for char in short) < 2:
        return None
    at = end
    for index in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= floor and (
            text[at].casefold() != letters[index] or (index == 0 and at > floor and text[at - 1].isalnum())
        ):
            at -= 1
        if at < floor:
            return None
    words = len(text[at:end].split())
    if words < 2 or words > min(len(letters) + MAX_EXTRA_WORDS, 2 * len(letters)):
        return None
    return at


def _other_names(chunk: Chunk, names: Iterable[Name]) -> Iterator[Claim]:
    """As in "Port Ellery, formerly known as Camp Ash"."""
    atoms = [name for name in names if name.atom]
    for left, right in pairwise(atoms):
        if left.sentence == right.sentence and _is_other_name(chunk, left, right):
            yield Claim(right.key, left.key, right.surface, Span(left.start, left.end), left.sentence)


def _is_other_name(chunk: Chunk, left: Name, right: Name) -> bool:
    """Whether the text says so, and neither names somebody ("Orvin, based in Oslo, named Lund chief") nor goes on.

    As in "known as Norway's best painter".
    """
    text = chunk.text
    if not _ALSO.fullmatch(text, left.end, right.start):
        return False
    verb = _MAYBE_VERB.match(text, left.end, right.start)
    if verb is None:
        return bool(_AFTER_AS.match(text, right.end))
    opens = chunk.sentences[left.sentence].start if left.sentence < len(chunk.sentences) else 0
    return bool(_AFTER_A_VERB.match(text, right.end) and (verb["when"] or "," not in text[opens : left.start]))


def full_name_of_title(title: str, term: str) -> bool:
    """Whether a document's first defined term is its title spelt out ("Robert James Hale" under "Bob Hale")."""
    short, full = fold_name(title).split(), fold_name(term).split()
    if short == full or len(short) < 2 or len(full) < 2 or short[-1] != full[-1]:
        return False
    return set(short) <= set(full) or (len(full) > len(short) and short[0][:2] == full[0][:2])


def short_names(types: Mapping[str, EntityType], claims: Iterable[Claim]) -> dict[str, str]:
    """Which keys mean another key throughout one document.

    A surname means the one person who bears it here; two bearers, or a place of that name, leave it alone. Nobody bears
    the name of what a sentence begins to do with it: "Keeping Helm up to date".
    The plural of an acronym that the document explains ("CNNs") means the acronym.
    """
    bearers: dict[str, set[str]] = {}
    for key, kind in types.items():
        words = key.split()
        doing = len(words[0]) > MAX_GIVEN_ING and words[0].endswith("ing") and words[0] not in lexicon.GIVEN_NAMES
        if kind is EntityType.PERSON and 1 < len(words) <= 4 and words[0] not in _NOT_GIVEN and not doing:
            bearers.setdefault(words[-1], set()).add(key)
    meant = {
        surname: next(iter(keys))
        for surname, keys in bearers.items()
        if len(keys) == 1 and len(surname) > 1 and surname not in lexicon.PLACES
    }
    meant.update({f"{claim.key}s": claim.key for claim in claims if " " not in claim.key})
    return meant


def meant_key(name: Name, meant: Mapping[str, str]) -> str:
    """The key of an occurrence, given the document's short names."""
    found = meant.get(name.key)
    if found is not None:
        return found
    bare = untitled(name.surface) if " " in name.key else ""
    return meant.get(bare, name.key) if bare else name.key
