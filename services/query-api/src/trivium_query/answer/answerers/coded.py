"""What a manual says of a code, and of a value that a setting is given: "exit code 2", "port 0". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.entry import Entry, each_once, entries_in, shown
from trivium_query.answer.citations import Draft
from trivium_query.words import content_words

MAX_SENTENCES = 3  # that are shown of a code
MIN_CODES = 2  # of a list of them
_ASKS_CODE = re.compile(
    r"^\W*what(?:['\u2019]s|\s(?:is|does))\s(?:the\s|an?\s)?(?P<name>(?:\w+\s){0,2}?(?:code|status|error))\s(?P<code>\d{1,3})"
    r"(?P<before>(?:\s\w+){0,4}?)(?:\s(?:mean|stand\sfor)(?P<behind>(?:\s\w+){0,3}))?\W*$",
    re.I,
)
# "2 - Out of paper", "22 Page not found".
_CODED = re.compile(r"(?P<term>\d{1,3})(?::|\s[\u2013\u2014-])?\s+[^\W\d_].*")
_ASKS_IF = re.compile(
    r"^\W*what\s(?:happens|will\shappen)\s(?:if|when)\s(?P<name>.+?)\s(?:is|to|=|is\sset\sto)\s(?P<value>\d+|zero)\W*$",
    re.I,
)
# "Setting this to zero disables it", "If set to 0, it is not opened"; neither a range nor another thing's value.
_SET_TO = (
    r"(?:\bset(?:ting)?\s(?:\S{{1,40}}\s){{0,2}}?(?P<set>\S{{1,40}})\sto|(?P<is>\S{{1,40}})\s(?:is|equals)(?:\sset)?(?:\s(?:equal\s)?to)?"
    r"|\b(?:(?:if|when)(?:\sset\sto)?|(?:a|the)\svalue\sof|specify(?:ing)?))\s(?:{})"
    r"(?![\w%]|[.,:]\d|\s?[-\u2013]\s?\d|\sto\b)"
)
_IT = frozenset("it this that which value option setting parameter argument".split())  # noqa: SIM905
_NOT_SO = re.compile(r"\b(?:defaults?|unless|except)\b", re.I)
_CODES = frozenset(content_words("code status error"))
_LIGHT = frozenset(content_words("exit return code status error set option setting value"))
_PART = re.compile(r"[\w.-]+")


def answer_by_code(question: str, hits: Sequence[Hit]) -> Answered | None:
    """What the only list of codes says of it that has the words asked beside it, or is in a document called so.

    Not sure where nothing is said of whose code it is.
    """
    asked = _ASKS_CODE.match(question)
    if asked is None:
        return None
    beside = {*content_words(f"{asked['name']} {asked['before']} {asked['behind'] or ''}")} - _LIGHT
    around = [(hit, words_of_name(hit.chunk) | {*content_words(hit.chunk.text)}) for hit in hits]
    lists = [[*_coded(hit)] for hit, words in around if beside <= words and _is_of_codes(hit)]
    found = each_once(one for some in lists if len(some) >= MIN_CODES for one in some if asked["code"] in one.names)
    if len(found) != 1:
        return None
    verdict = Verdict.SUPPORTED if beside else Verdict.PARTIALLY_SUPPORTED
    return _told([(found[0].hit, text) for text in shown(found[0], MAX_SENTENCES)], hits, verdict)


def answer_by_value(question: str, hits: Sequence[Hit]) -> Answered | None:
    """What the only entry that the question names tells of the value, in one sentence; None where there is no such."""
    asked = _ASKS_IF.match(question)
    if asked is None:
        return None
    words, beside = {*_PART.findall(asked["name"].casefold())}, {*content_words(asked["name"])} - _LIGHT
    entries = (one for hit in hits for one in entries_in(hit) if {name.lstrip("-") for name in one.names} & words)
    found = each_once(one for one in entries if beside <= words_of_name(one.hit.chunk) | {*content_words(one.told)})
    value = "0|zero" if asked["value"].lower() in ("0", "zero") else asked["value"]
    set_to = re.compile(_SET_TO.format(value), re.I)
    told = [(one.hit, text) for one in found for text in shown(one, len(one.told)) if _says(text, set_to, one, words)]
    return _told(told, hits, Verdict.SUPPORTED) if len(told) == len(found) == 1 else None


def _says(text: str, set_to: re.Pattern[str], one: Entry, words: set[str]) -> bool:
    """Whether the sentence tells what the value does, of what the entry is of."""
    found = set_to.search(text)
    if found is None or _NOT_SO.search(text):
        return False
    what = (found["set"] or found["is"] or "it").casefold()
    return not {*_PART.findall(what)}.isdisjoint(_IT | words | {*_PART.findall(one.term.casefold())})


def _is_of_codes(hit: Hit) -> bool:
    """Whether a heading, a name or a line beside the numbered ones calls them so."""
    beside = (line for line in hit.chunk.text.split("\n") if not _CODED.fullmatch(line))
    return bool(_CODES & (words_of_name(hit.chunk) | {*content_words("\n".join(beside))}))


def _coded(hit: Hit) -> Iterator[Entry]:
    """Lines that begin with a number, with those that they go on in."""
    lines = hit.chunk.text.split("\n")
    for at, line in enumerate(lines):
        if found := _CODED.fullmatch(line):
            behind = takewhile(lambda one: one.strip() and not _CODED.fullmatch(one), lines[at + 1 :])
            yield Entry(hit, frozenset({found["term"]}), found["term"], "\n".join([line, *behind]))


def _told(said: Sequence[tuple[Hit, str]], hits: Sequence[Hit], verdict: Verdict) -> Answered:
    lines, citations = cited(said, hits)
    return Answered(Draft("\n".join(lines), True, citations), verdict)
