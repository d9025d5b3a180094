# ruff: noqa: SIM905  (word lists read best as words)
"""A follow-up without its conversation: the question before it, with what is new put in the place of what it replaces.

"And in 2022?" after "How many salmon were counted in 2021?" asks how many salmon were counted in 2022; "By whom?" after
"When was the mill built?" by whom the mill was built. What cannot be replaced stands behind the question before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.text.names import names_in

_CONNECTIVE = re.compile(r"(?:and|but|or|und|aber|oder|et|mais|ou|y|pero|o|e|ma)\s+", re.IGNORECASE)
_ABOUT = re.compile(r"(?:what|how) about\s+|(?:was ist|wie ist es) mit\s+|et pour\s+|qu'en est-il de\s+", re.IGNORECASE)
_SAME = re.compile(
    r"(?:(?:please\s+)?(?:do\s+)?(?:the\s+)?same(?:\s+(?:thing|question|again))?|likewise|now|again|dasselbe"
    r"|das gleiche|la même chose|lo mismo),?\s+(?:but\s+|now\s+)?",
    re.IGNORECASE,
)
_THE_ONE = re.compile(r"\b(?:the|that)\s+ones?\b", re.IGNORECASE)
_HEAD = re.compile(r"\b(?:the|an?|which|what)\s+([a-z][\w-]*)")
_ASKING = (
    "who|whom|whose|what|which|when|where|why|how|wer|wen|wem|wessen|was|welche[rsmn]?|wann|wo|woher|wohin|warum|wieso|wie"
    "|qui|que|quoi|quand|où|comment|pourquoi|quel(?:le)?s?|combien|quién|qué|cuándo|dónde|cómo|cuál|cuánto|chi|che|cosa"
    "|dove|quando|come|perché|quem|onde|quanto"
)
_OPENS_QUESTION = re.compile(
    rf"(?:{_ASKING}|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must|ist|sind|war|waren|hat"
    r"|haben|wird|wurde|kann|est|sont|a|ont|list|name|tell|give|show|explain|describe|compare|summari[sz]e)\b",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(rf"(?:{_ASKING})\s+", re.IGNORECASE)
_PREPOSITION = (
    "at|in|on|of|for|by|from|to|with|during|since|until|under|over|after|before|im|am|an|bei|von|für|mit|seit|nach|vor|aus"
    "|à|au|en|de|du|pour|par|avec|dans|sur|con|por|para|desde|di|da|per|nel"
)
_LED = re.compile(rf"(?P<word>{_PREPOSITION})\s+(?P<rest>\S.*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[-./:]\d+)*")
_CODE = re.compile(r"(?<![\w-])[A-Z]{1,4}-?\d[\w-]*", re.IGNORECASE)  # "P3", "E-17"
_OWNS = re.compile(r"['\u2019]s\b|(?<=s)['\u2019](?!\w)")
_REMARKS = frozenset(
    """thank thanks you very much ok okay yes no good great fine nice hello hi hey bye goodbye cheers please danke schon
    merci gracias grazie obrigado""".split()
)


def is_remark(question: str) -> bool:
    """Whether nothing is asked: "Thanks", "ok"."""
    return set(re.findall(r"\w+", question.casefold())) <= _REMARKS


def continued(question: str) -> str:
    """The question without the word that ties it to the one before ("And who is the botanist?"), or ""."""
    found = _CONNECTIVE.match(question)
    return question[found.end() :] if found else ""


def stands_for_more(question: str) -> bool:
    """Whether "the same" or "the one" in it stands for words of the question before."""
    return bool(_SAME.match(continued(question) or question) or _THE_ONE.search(question))


def completed(question: str, before: str) -> str:
    """The follow-up with what it leaves out taken from the question before it; "" where it leaves nothing out."""
    bare = (continued(question) or question).strip(" ?!.")
    if _asks_only(bare):
        return f"{capital(bare)} {_without_question_word(continued(before) or before)}"
    fragment = _fragment(question)
    if fragment:
        behind = "" if _is_alone(question) else f"{before} {fragment}"
        return next((made for made in _replacements(fragment, before) if made), behind)
    head = _HEAD.search(before)
    return _THE_ONE.sub(f"the {head[1]}", question) if head and names_in(question) and _THE_ONE.search(question) else ""


def _fragment(question: str) -> str:
    """What a question of a single thing names ("Corrin Gorge" in "What about Corrin Gorge?"), or ""."""
    tied = continued(question)
    about = _ABOUT.match(tied or question)
    rest = (tied or question)[about.end() if about else 0 :].strip(" ?!.")
    same = _SAME.match(rest)
    if same and _LED.fullmatch(rest[same.end() :]):
        return rest[same.end() :]
    one = _THE_ONE.match(rest)
    if one and (about or tied) and _LED.fullmatch(rest[one.end() :].strip()):
        return rest[one.end() :].strip()
    return rest if about or _is_alone(question) or (tied and not _asks(rest)) else ""


def _is_alone(question: str) -> bool:
    """Whether a code or name is all of it: "P3?", "Grace Hopper?"."""
    bare = question.strip(" ?!.")
    named = _CODE.fullmatch(bare) or any(span.end - span.start == len(bare) for span in names_in(bare))
    return bool(named) and question.endswith("?")


def _asks(text: str) -> bool:
    """Whether it is a question of its own: also "since when does ..."."""
    led = _LED.fullmatch(text)
    return bool(_OPENS_QUESTION.match(text) or (led and _QUESTION_WORD.match(led["rest"])))


def _replacements(fragment: str, before: str) -> Iterator[str]:
    """The question before with the fragment in it, the surest place first; "" for a place that is not there."""
    yield _behind_its_preposition(fragment, before)
    led = _LED.fullmatch(fragment)
    fragment = led["rest"] if led else fragment
    for written in (_NUMBER, _CODE):
        if written.fullmatch(fragment):
            places = list(written.finditer(before))
            alike = [found for found in places if _letters(found[0]) == _letters(fragment)]
            yield _last_replaced(fragment, [found.span() for found in alike or places], before)
    if names_in(fragment):
        yield _last_replaced(fragment, [(name.start, name.end) for name in names_in(before)], before)
    yield _of_the_same_head(fragment, before)


def _letters(code: str) -> str:
    """Those before its number: "p" of "P3"."""
    return re.split(r"\W*\d", code, maxsplit=1)[0].casefold()


def _behind_its_preposition(fragment: str, before: str) -> str:
    """As "at Corrin Gorge" in the place of "at Lower Ford": to the next preposition or the end."""
    led = _LED.fullmatch(fragment)
    if not led:
        return ""
    phrase = re.compile(
        rf"\b{re.escape(led['word'])}\s+(?:(?!\b(?:{_PREPOSITION})\b)[^?!])+?(?=\s+(?:{_PREPOSITION})\b|[?!.]*$)",
        re.IGNORECASE,
    )
    return _last_replaced(fragment, [found.span() for found in phrase.finditer(before)], before)


def _of_the_same_head(fragment: str, before: str) -> str:
    """As "the boiling point" in the place of "the melting point": the same last word."""
    article, _, rest = fragment.partition(" ")
    head = rest.rpartition(" ")[2]
    found = re.search(rf"\b{re.escape(article)}\s+(?:\w+\s+){{0,3}}{re.escape(head)}\b", before) if head else None
    return _last_replaced(fragment, [found.span()], before) if found else ""


def _last_replaced(fragment: str, places: list[tuple[int, int]], before: str) -> str:
    if not places:
        return ""
    start, end = places[-1]
    owns = _OWNS.match(before, end)  # "Ada's desk", and then "Grace's?"
    return before[:start] + (_OWNS.sub("", fragment) if owns else fragment) + before[end:]


def _asks_only(bare: str) -> bool:
    """Whether it is a question word with at most a preposition: "Where", "By whom", "Since when"."""
    words = bare.split()
    asking = [word for word in words if is_question_word(word)]
    return bool(asking) and all(is_question_word(word) or _LED.fullmatch(f"{word} x") for word in words)


def is_question_word(word: str) -> bool:
    """Whether the word asks ("who"), in the languages most asked in."""
    return bool(re.fullmatch(_ASKING, word, re.IGNORECASE))


def _without_question_word(question: str) -> str:
    found = _QUESTION_WORD.match(question)
    rest = question[found.end() if found else 0 :]
    return rest if found else rest[:1].lower() + rest[1:]


def capital(text: str) -> str:
    """With a capital first letter."""
    return text[:1].upper() + text[1:]
