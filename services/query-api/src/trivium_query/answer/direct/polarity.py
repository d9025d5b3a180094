"""Whether a sentence says or denies what is asked, by that part of it which tells; else by none. Pure.

"The pullover was found, the umbrella was not" says one thing of the pullover and another of the umbrella; "all classes
but 1a ran" of 1a what it denies of the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from trivium.text.names import names_in
from trivium_query.answer.direct.opposites import WEEKDAYS
from trivium_query.words import content_words

_AUXILIARY = "is|are|am|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|should|will|would|need|needs"
_DENYING = (
    r"\b(?:forbidden|prohibited|banned)\b"
    r"|\b(?:been|is|are|was|were|be) (?:dropped|cancell?ed|called off|scrapped|abandoned)\b"
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|no longer)\b|n['\u2019]t\b|" + _DENYING, re.I
)
_DENIES_BY_VERB = re.compile(_DENYING, re.I)
_EXCEPT = (
    r"(?:except(?:ing)?(?: for| that)?|save(?: for)?|apart from|aside from|other than|but for|excluding|unless"
    r"|with the exception of|(?<=all )but|(?<=every day )but|(?<=any day )but)"
)
_EXCEPTION = re.compile(rf"\b{_EXCEPT}\s", re.I)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of)\s", re.I)
_SPLIT = re.compile(
    rf"[;:](?=\s)|,(?=\s)(?!\s(?:and |but )?{_EXCEPT}\s)(?!\s(?:instead of|rather than)\s)"
    r"|\s(?=and (?:no|not)\s)|\s(?=(?:but|although|though|while|whereas|because|since|so|as)\s)|\s[\u2013\u2014-]\s",
    re.I,
)
_AND = re.compile(r"\sand\s(?=(?:\S+\s+){2}\S)", re.I)  # of clauses, not of two words
_LEAD = re.compile(r"^(?:and|but|although|though|while|whereas|because|since|so|as|yet|however)\s+", re.I)
_TURNS = re.compile(r"^(?:but|although|though|yet|however|whereas|while)\s", re.I)
_PRONOUN = re.compile(r"\b(?:it|this|that|them|they|so|both|either)\b", re.I)
_TO_DO = re.compile(r"\bto \w+ (?:\w+ )?(?:it|them|this|that)\b", re.I)  # "signs ask not to wade in it"
_OF_IT = re.compile(r"(?:it|they|he|she|which|who)\s", re.I)
_SHORT = re.compile(
    rf"^(?P<what>.+?)\s(?:(?:I|we|you|he|she|it|they)\s)?(?:{_AUXILIARY})(?P<not>\s?(?:not|n['\u2019]t))?"
    r"(?:\s(?:so|too|any more|any longer|yet|either))?$",
    re.I,
)
_NOT_OF = re.compile(r"^(?:and |but )?(?:not|never|none|no)\s(?P<what>.+)$", re.I)
# What was wanted, or is no more, and what holds for some alone: only who reads the sentence can tell.
_UNSETTLED = re.compile(
    r"\b(?:only|instead|(?:was|were) to|planned|wanted|hoped|promised|asked for|requested?|proposal|idea|plans?"
    r"|meant to|refused|rejected|declined|turned down|withdrawn|given up|gave up|put off|postponed|sent back|returned"
    r"|moved|left out|taken out|gone|missing|lost|lacks?|dried up|worn (?:out|down)|out of|used to|too \w+ to|beyond"
    r"|hardly|barely|otherwise|if|provided|as long as|once|when(?!ever)|(?:no|nothing|nobody|none) (?:\w+ )?but)\b",
    re.I,
)
_LIMITED = re.compile(
    r"\b(?:at (?:least|most)|up to|under|over|above|below|(?:more|less|fewer) than|between|before|after"
    rf"|(?:from|until|till)(?! (?:{'|'.join(WEEKDAYS)})))\b",
    re.I,
)
_LATER = re.compile(rf"^(?:{_AUXILIARY}|cannot)\b", re.I)  # "The market, proposed by many, was refused"
_WITHOUT = re.compile(r"\b(?:without|lacking|(?:with|has|have|had) no)\s(?P<what>[^,;]+?)(?=\sand\s|$)", re.I)
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the", "any"})
MAX_SHORT = 8  # words of "the umbrella was not"


class Part(NamedTuple):
    """A clause, without the word that leads in, and whether that word turns ("but"); `words` are its `own`, and more.

    What begins with "it" or "which" has the words of the part before, too.
    """

    text: str
    own: frozenset[str]
    words: frozenset[str]
    turns: bool


def denies(text: str) -> bool:
    """Whether it says that something is not so, or may not be."""
    return _NOT.search(text) is not None


def beside_conditions(question: str, sentence: str) -> tuple[str, str]:
    """Both without what they say to be lacking where that is the same: it is a condition, and denies nothing."""
    asked, told = _WITHOUT.search(question), _WITHOUT.search(sentence)
    if asked is None or told is None or not _words_of(asked["what"]) & _words_of(told["what"]):
        return question, sentence
    return _WITHOUT.sub("", question), _WITHOUT.sub("", sentence)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _ARTICLES


def is_said(asked: Set[str], sentence: str) -> bool | None:
    """Whether the sentence says so of the asked words (stems); None where words alone do not tell."""
    parts = _parts(sentence)
    told = asked & frozenset(word for part in parts for word in part.words)
    if not told:
        return None
    short = _left_short(told, parts)
    if short is not None:
        return short
    outright = [part for part in parts if told <= part.own]  # "which opened in 2016" only adds to what is said before
    holders = outright or [part for part in parts if told <= part.words]
    if len(holders) != 1:
        return None
    later = parts[parts.index(holders[0]) + 1 :]
    if any((part.turns and _PRONOUN.search(_TO_DO.sub("", part.text))) or _LATER.match(part.text) for part in later):
        return None
    return _of_part(told, holders[0].text)


def denies_of_another(named: Set[str], sentence: str) -> bool:
    """Whether all that the sentence denies is said of somebody else than the named (stems): "hers was, his was not"."""
    parts = _parts(sentence)
    denied = [part for part in parts if denies(part.text)]
    others = [part for part in denied if not named & part.words and names_in(part.text)]
    return bool(denied) and others == denied and any(named & part.words for part in parts)


def names_exceptions(text: str) -> bool:
    """Whether something is excepted: "on every day but Sunday", "except in May"."""
    return _EXCEPTION.search(text) is not None


def is_settled(text: str) -> bool:
    """Whether nothing in it is a limit, a plan or an exception."""
    return not names_exceptions(text) and not _UNSETTLED.search(text) and not _LIMITED.search(text)


def _of_part(told: Set[str], text: str) -> bool | None:
    for pattern in (_EXCEPTION, _INSTEAD):
        found = pattern.search(text)
        if found is not None:
            rest, but = text[: found.start()], text[found.end() :]
            left_out = told & frozenset(content_words(but)) - frozenset(content_words(rest))
            if left_out == told:
                return None
            if pattern is _INSTEAD:
                return False if left_out and not denies(text) else None
            said = _plainly(told - left_out, rest)
            return said if said is None or not left_out else not said
    return _plainly(told, text)


def _plainly(told: Set[str], text: str) -> bool | None:
    if any(told & frozenset(content_words(without["what"])) for without in _WITHOUT.finditer(text)):
        return False
    text = _WITHOUT.sub("", text)
    denials = len(_NOT.findall(text))
    if denials > 1 or _UNSETTLED.search(text) or _LIMITED.search(text):
        return None
    sides = _AND.split(text)
    own = [side for side in sides if told <= frozenset(content_words(side))] if len(sides) > 1 else sides
    return not denies(own[0]) if len(own) == 1 else None


def _left_short(told: Set[str], parts: Sequence[Part]) -> bool | None:
    """Of "hens are welcome, geese are not" and "on Sunday, not on Monday": what the short part says of its own."""
    for at, part in enumerate(parts):
        found = (_SHORT.match(part.text) or _NOT_OF.match(part.text)) if len(part.text.split()) <= MAX_SHORT else None
        if found is None:
            continue
        own = told & frozenset(content_words(found["what"]))
        before = next((one for one in parts[:at] if own - one.words and told - own <= one.words), None)
        if before is not None:
            main = _plainly(told - own, before.text)
            if main is None:
                return None
            return not main if found.re is _NOT_OF else bool(found["not"]) == bool(_DENIES_BY_VERB.search(before.text))
    return None


def _parts(sentence: str) -> list[Part]:
    texts = [text.strip(" .,;:!?") for text in _SPLIT.split(" ".join(sentence.split()))]
    parts: list[Part] = []
    for text in filter(None, texts):
        said, own = _LEAD.sub("", text), frozenset(content_words(text))
        before = parts[-1].words if parts and _OF_IT.match(said) else frozenset[str]()
        parts.append(Part(said, own, own | before, _TURNS.match(text) is not None))
    return parts
