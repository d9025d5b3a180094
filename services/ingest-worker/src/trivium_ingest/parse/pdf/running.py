"""Running headers, footers and page numbers: what the edges of pages repeat.

A number is masked only where it goes with the pages: on each as far from the page's place in the file. Numbered
questions and invoices of a page each do so too. So a number must also show that it counts pages: nothing else stands
there, or it is called a page, or stands apart from the other words or behind the document's own name, or its line is
on left or on right pages alone. What is in doubt stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from trivium_ingest.parse.pdf.blocks import MAX_EDGE_LINES, Block, Style
from trivium_ingest.parse.text.clean import one_line

_EDGE_SHARE = 0.12  # of the page's height, where running headers and footers stand
MIN_REPEATS = 3
_MAX_MARK_CHARS = 20
_DIGITS = re.compile(r"\d+")
_CALLED = r"(?:page|seite|página|pagina|pág\.|pag\.|pg\.|strona|strana|sayfa|страница|стр\.|第)"
_NUMBER = r"(?P<number>\d{1,4}|[ivxl]{1,6})"
_OF = r"(?:/|of|von|de|di|van|z|из|共)"
_AROUND = r"[^\w$€£¥¢₹%‰°§#№+=±<>≤≥]*"  # a sign of money or measure tells of something else than pages
_MARK = re.compile(
    rf"{_AROUND}(?:(?P<called>{_CALLED})\s*|(?:p\.|(?P<part>[a-z]{{1,2}})-)\s*)?{_NUMBER}\s*[页頁]?"
    rf"(?:\s*{_OF}\s*\d{{1,4}}\s*[页頁]?)?{_AROUND}"
)
_NAMED = re.compile(rf"(?<!\w)(?:{_CALLED}|p\.)\s*{_NUMBER}(?![^\W页頁])")
_OUTER = re.compile(r"\A\d{1,4}(?=\s+\D)|(?<=\s)\d{1,4}\Z")
_BETWEEN = re.compile(r"\s*\|\s*|\s+[·•\u2013\u2014-]\s+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_LABEL = re.compile(r"(?:[:#№]|\bn[or]\.?)\s*\Z")  # what stands after it is its value
_ROMAN = re.compile(r"(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}


class _Key(msgspec.Struct, frozen=True):
    """A line, one number in it as its distance from the page; `alone` when there is little else.

    Only lines with the same key repeat each other. `doubtful` when nothing but its distance tells that it counts pages,
    unless `name`, the words before it, is the document's.
    """

    text: str
    alone: bool = False
    doubtful: bool = False
    name: str = ""


class Running(msgspec.Struct, frozen=True):
    """What comes again at the edges of a document's pages."""

    keys: frozenset[_Key]

    def has(self, block: Block) -> bool:
        """True for a line that other pages have too, but for the page's number."""
        return not self.keys.isdisjoint(_keys(block))

    def leaves_out(self, block: Block, height: float) -> bool:
        """True for what a reader of the text misses nothing without: it runs over the pages, or numbers its page."""
        return _at_edge(block, height) and (self.has(block) or _numbers_its_page(block))


def running_texts(pages: Sequence[Sequence[Block]], heights: Sequence[float], style: Style, title: str = "") -> Running:
    """What stands at the top and bottom edges of several pages (page numbers aside). `title` is the file's own."""
    found: defaultdict[_Key, set[int]] = defaultdict(set)
    headings: set[_Key] = set()
    alike: defaultdict[str, set[int]] = defaultdict(set)  # the lines of chapters, which differ in the chapter's number
    for page, height in zip(pages, heights, strict=True):
        for block in page:
            for key in _keys(block) if _at_edge(block, height) else ():
                found[key].add(block.page)
                headings.update([key] if style.level(block) else ())
                alike[_DIGITS.sub("#", key.text)].add(block.page)
    names = _names([title, *(block.text for page in pages[:1] for block in page)])
    needed = max(MIN_REPEATS, 0.3 * len(pages)) if len(pages) < 20 else max(MIN_REPEATS, 0.1 * len(pages))
    return Running(
        frozenset(
            key
            for key, on in found.items()
            if len(on) >= MIN_REPEATS
            and (key.alone or len(alike[_DIGITS.sub("#", key.text)]) >= needed)
            and not (key.doubtful and any(page + 1 in on for page in on) and (key in headings or key.name not in names))
        )
    )


def _names(texts: Sequence[str]) -> set[str]:
    """What the document may be called, also without its year: more than a word, since chapters are counted by one."""
    told = [one_line(text).lower() for text in texts]
    names = {*told, *(one_line(_YEAR.sub("", text)) for text in told)}
    return {name for name in names if " " in name and not _LABEL.search(name)}


def _at_edge(block: Block, height: float) -> bool:
    """True for short text at the top or bottom of the page."""
    if block.table is not None or block.hidden or block.lines > MAX_EDGE_LINES or len(block.text) > 200:
        return False
    return block.bottom < _EDGE_SHARE * height or block.top > (1 - _EDGE_SHARE) * height


def _numbers_its_page(block: Block) -> bool:
    """True for text that says nothing but a page's number, and calls it so or has the right one."""
    mark = _mark(block.text.lower())
    if mark is None or mark["part"]:
        return False
    distance = _distance(mark["number"], block)
    return distance == 0 or (distance is not None and mark["called"] is not None)


def _keys(block: Block) -> Iterator[_Key]:
    """The line as it is, and with each number that may be its page's."""
    text = block.text.lower()
    yield _Key(text)
    parts = [part for piece in block.parts or (text,) for part in _BETWEEN.split(piece.lower()) if part]
    for place, part in enumerate(parts):
        mark = _mark(part)
        if mark and (distance := _distance(mark["number"], block)) is not None:
            masked = "|".join([*parts[:place], _masked(part, mark.span("number"), distance), *parts[place + 1 :]])
            named = place > 0 and bool(_LABEL.search(parts[place - 1]))
            # More than the page's place in the file: the page of an excerpt, or what is counted elsewhere (invoices).
            yield _Key(masked, alone=len(parts) == 1, doubtful=len(parts) > 1 and (distance > 0 or named))
    for match in _NAMED.finditer(text):
        if (distance := _distance(match["number"], block)) is not None:
            yield _Key(_masked(text, match.span("number"), distance))
    for match in _OUTER.finditer(text):
        distance = int(match[0]) - block.page
        name = text[: match.start()].strip() if distance <= 0 else ""
        yield _Key(_masked(text, match.span(), distance), doubtful=True, name=name)


def _mark(text: str) -> re.Match[str] | None:
    return _MARK.fullmatch(text) if len(text) < _MAX_MARK_CHARS else None


def _masked(text: str, number: tuple[int, int], distance: int) -> str:
    return f"{text[: number[0]]}#{distance:+}{text[number[1] :]}"


def _distance(number: str, block: Block) -> int | None:
    """Of a number from its page's place in the file; None when it is a word of the letters of Roman numbers."""
    if number.isdigit():
        return int(number) - block.page
    if not _ROMAN.fullmatch(number):
        return None
    values = [_ROMAN_VALUES[letter] for letter in number]
    value = sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
    return value - block.page
