"""What a line of a list or table says of the code that it begins with: "P6 - 45 minutes", "lift 3  load 3 t". Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import headings
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.direct.short import fits_wanted
from trivium_query.answer.direct.units import amounts_for
from trivium_query.answer.evidence import analyse
from trivium_query.answer.tables.asked_words import alike
from trivium_query.answer.tables.cues import LIGHT
from trivium_query.words import content_words, is_function_word

MAX_ROWS = 3  # that are shown, where several begin so
_BEGINS = re.compile(
    r"\W*(?P<name>[^\W\d_]{1,20}[ -]?\d+[a-z]?)(?![\w-]|[.,:]\d)(?P<led>\s?[:)=\u2013\u2014|-])?\s+(?=\S)", re.I
)
_IN_TABLE = re.compile(r"\W*[^:;\n]{1,40}: (?P<name>[^\W\d_]{1,20}[ -]?\d+[a-z]?);\s", re.I)
_CELL = re.compile(r"\t|\s{2,}|[,;|]\s|\s[\u2013\u2014-]\s")
_LABEL = re.compile(r"^[^:]{1,40}: ")
_JOINS = re.compile(r"^(?:of|is|by|for)\s")
_CODE = re.compile(r"[A-Z]{1,4}-?\d+[a-z]?")
_SAYS_NOTHING = LIGHT | frozenset(content_words("long take last run cost"))
_WHAT = r"\W*(?:what(?:['\u2019]s|\s(?:is|does))\s(?:the\s)?(?P<kind>\w+\s)?{}(?:\s(?:mean|stand for))?|{})\W*"
_ASKS = re.compile(r"^\W*(?:how (?!do|should|can|to\b)|what|who|which|where|when|\S+\W*$)", re.I)
_NUMBER = re.compile(r"[^\W\d_][ -]?\d")


class _Row(msgspec.Struct, frozen=True):
    """A line, what it begins with, what it says of that, a cell each, and whether a mark stands between."""

    hit: Hit
    text: str
    name: str
    cells: tuple[str, ...]
    led: bool


def answer_by_row(question: str, hits: Sequence[Hit]) -> Answered | None:
    """What the one line says that begins with what the question names; None where none does, or it asks for more.

    Several such lines are shown without saying which is meant.
    """
    if not (_ASKS.match(question) and _NUMBER.search(question)) or denies(question):
        return None
    rows = [row for hit in hits for row in _rows(hit) if _names(question, row.name)]
    said = {" ".join(row.text.split()): row for row in rows}
    if not said:
        return None
    asked = set(content_words(question)) - {word for row in rows for word in content_words(row.name)}
    others = (span.of(hit.chunk.text) for hit in hits for span in hit.chunk.sentences)
    others = (one for one in others if " ".join(one.split()) not in said and _names(one, rows[0].name))
    amounts = amounts_for(question)
    if any((asked and asked <= {*content_words(one)}) or (amounts and amounts.search(one)) for one in others):
        return None  # "P1 takes two hours", "P1 was shortened to two hours"
    what = _asks_what(question, rows[0].name)
    asked -= _SAYS_NOTHING.union(*({*content_words(" ".join(headings([row.hit.chunk])))} for row in rows))
    asked = set() if what else asked
    if not (asked or amounts or what):
        return None
    best = next(iter(said.values()))
    short, sure = _told(asked, amounts, best) if len(said) == 1 else ("", not asked)
    if not (short or sure) or (short and fits_wanted(analyse(question, hits).wants, short) is False):
        return None
    lines, citations = cited([(row.hit, row.text) for row in list(said.values())[:MAX_ROWS]], hits)
    verdict = Verdict.SUPPORTED if short and sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations, short=short), verdict)


def _names(question: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|[.,:]\d)", question, re.I) is not None


def _asks_what(question: str, name: str) -> bool:
    """Whether it asks for all that is told of it: "P6?", "What does error E17 mean?"; not "What comes after E17?"."""
    found = re.fullmatch(_WHAT.format(re.escape(name), re.escape(name)), question, re.I)
    return found is not None and not is_function_word((found["kind"] or "").strip().lower())


def _rows(hit: Hit) -> Iterator[_Row]:
    """Lines that begin so; where the same word is the first of all, other words that all have begin cells too.

    Without a mark behind it none is a sentence, a heading, or the only one.
    """
    lines = [span.of(hit.chunk.text) for span in hit.chunk.sentences]
    begun = [
        (_kind(found["name"]), line, found) for line in lines if (found := _IN_TABLE.match(line) or _BEGINS.match(line))
    ]
    if not begun:  # as in most passages
        return
    kinds = Counter(kind for kind, _, _ in begun)
    titles = headings([hit.chunk])
    begun = [
        (kind, line, found)
        for kind, line, found in begun
        if found.re is _IN_TABLE or found["led"] or (kinds[kind] > 1 and line not in titles and line[-1] not in ".!?")
    ]
    labels = {kind: _labels([line for other, line, _ in begun if other == kind]) for kind in kinds}
    first = {kind: {line[at.end() :].split()[0] for other, line, at in begun if other == kind} for kind in kinds}
    for kind, line, found in begun:
        rest = line[found.end() :]
        for label in labels[kind] if len(first[kind]) == 1 and rest[0].isalpha() else ():
            rest = re.sub(rf"(?<!\d)\s+(?={re.escape(label)}\b)", "  ", rest)
        cells = tuple(cell.strip(" .") for cell in _CELL.split(rest) if cell.strip(" ."))
        if cells and (_CODE.fullmatch(found["name"]) or labels[kind]):
            yield _Row(hit, line, found["name"], cells, found.re is _IN_TABLE or bool(found["led"]))


def _kind(name: str) -> str:
    return re.sub(r"\W?\d.*", "", name).casefold()


def _labels(rows: Sequence[str]) -> list[str]:
    """The words in small letters that all of several rows have, but the first, units and those that only join."""
    words = [set(re.findall(r"(?<!^)(?<!\d)\s\b([a-z]{3,})\b", row)) for row in rows]
    return sorted(word for word in set.intersection(*words) if not is_function_word(word)) if len(rows) > 1 else []


def _told(asked: set[str], amounts: re.Pattern[str] | None, row: _Row) -> tuple[str, bool]:
    """What is asked for, and whether it is that: the amount, the cell that begins with the word asked, or the first."""
    if asked:
        begun = [(cell.partition(" ")[2], content_words(cell)[:1]) for cell in row.cells if not _LABEL.match(cell)]
        found = [
            (_JOINS.sub("", rest), word)
            for rest, first in begun
            for word in asked
            if rest and first and alike(first[0], word)
        ]
        return (found[0][0], len(asked) == 1) if len(found) == 1 else ("", False)
    if len(row.cells) > 1 and _LABEL.match(row.cells[0]):  # any of its columns may be meant
        return "", True
    if amounts is None:
        return (_LABEL.sub("", row.cells[0]), _CODE.fullmatch(row.name) is not None) if row.led else ("", False)
    found_amounts = {match[0] for cell in row.cells for match in amounts.finditer(cell)}
    if len(found_amounts) > 1:
        return "", True
    alone = found_amounts & {_LABEL.sub("", cell) for cell in row.cells}  # not "wait 30 minutes", "radius 12 m"
    return (alone.pop(), True) if alone else ("", bool(found_amounts) and not row.led)
