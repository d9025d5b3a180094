"""The numbers of headings and list items (ISO/IEC 26300, 5.3 and 19.880): they stand nowhere in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from lxml import etree

from trivium_ingest.parse.numerals import chinese, letters, repeated_letter, roman, whole
from trivium_ingest.parse.open_document.content import OFFICE, STYLE, TEXT

MAX_LEVEL = 10
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_ITEM = f"{TEXT}list-item"
# What is in them counts by itself, or not at all.
_APART = frozenset([f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation"])
_FORMS: dict[str, Callable[[int], str]] = {
    "i": roman,
    "I": lambda number: roman(number).upper(),
    "a": letters,
    "A": lambda number: letters(number).upper(),
    "一, 二, 三, ...": chinese,
}


class _Level(msgspec.Struct, frozen=True):
    form: str
    before: str
    after: str
    shown: int
    start: int
    repeats: bool

    def say(self, number: int) -> str:
        if self.repeats and self.form in ("a", "A"):
            said = repeated_letter(number)
            return said if self.form == "a" else said.upper()
        return _FORMS.get(self.form, str)(number) if self.form else ""


_Levels = dict[int, _Level]
_Counts = dict[int, int]


class _Lists:
    """Numbers one text, paragraph by paragraph."""

    def __init__(self, styles: dict[str, _Levels], outline: _Levels, apart: frozenset[str]) -> None:
        self._styles = styles
        self._outline = outline
        self._apart = apart
        self._headings: _Counts = {}
        self._of_style: dict[str, _Counts] = {}
        self._of_list: dict[str, _Counts] = {}
        self._open: list[str] = []  # the styles of the lists around
        self._counts: _Counts = {}

    def begin(self, node: etree._Element) -> None:
        """A list, in the item of another or by itself."""
        style = node.get(f"{TEXT}style-name", "") or (self._open[-1] if self._open else "")
        if not self._open:
            goes_on = node.get(f"{TEXT}continue-numbering") == "true"
            before = self._of_style.get(style, {}) if goes_on else {}
            linked = node.get(f"{TEXT}continue-list")
            self._counts = self._of_list.get(linked, before) if linked else before
            self._of_style[style] = self._counts
            self._of_list[node.get(_ID, "")] = self._counts
        self._open.append(style)

    def end(self) -> None:
        """The innermost list ends."""
        self._open.pop()

    def number(self, node: etree._Element) -> str:
        """What stands before a paragraph."""
        item = node.getparent()
        if self._open and item is not None and item.tag == _ITEM:
            if next(item.iterchildren(*_PARAGRAPHS)) is not node:
                return ""
            levels = self._styles.get(self._open[-1], {})
            return _next(levels, self._counts, len(self._open), whole(item.get(f"{TEXT}start-value", "")))
        if node.tag != f"{TEXT}h" or self._open or node.get(f"{TEXT}is-list-header") == "true":
            return ""
        if node.get(f"{TEXT}style-name", "") in self._apart:
            return ""
        start = whole(node.get(f"{TEXT}start-value", "")) if node.get(f"{TEXT}restart-numbering") == "true" else None
        return _next(self._outline, self._headings, whole(node.get(f"{TEXT}outline-level", "")) or 1, start)


def numbers(body: etree._Element, named: etree._Element | None) -> dict[etree._Element, str]:
    """What stands before the paragraphs of a text, by its own styles and the `named` ones of its package."""
    roots = [body.getroottree().getroot(), *([] if named is None else [named])]
    styles = {
        node.get(f"{STYLE}name", ""): _levels(node)
        for root in reversed(roots)
        for node in root.iter(f"{TEXT}list-style")
    }
    outline = next((_levels(node) for root in roots for node in root.iter(f"{TEXT}outline-style")), {})
    attribute = f"{STYLE}list-style-name"
    apart = (
        node.get(f"{STYLE}name", "")
        for root in roots
        for node in root.iter(f"{STYLE}style")
        if node.get(attribute) == ""
    )
    lists = _Lists(styles, outline, frozenset(apart))
    found = {}
    walk = etree.iterwalk(body, events=("start", "end"))
    for event, node in walk:
        if node.tag == f"{TEXT}list":
            lists.begin(node) if event == "start" else lists.end()
        elif event == "start" and node.tag in _APART:
            walk.skip_subtree()
        elif event == "start" and node.tag in _PARAGRAPHS:
            number = lists.number(node)
            if number and node.find(f"{TEXT}number") is None:  # which says it already
                found[node] = number
    return found


def _next(levels: _Levels, counts: _Counts, depth: int, start: int | None) -> str:
    """Count one more at this level, where it is numbered; what shows it. The levels below begin anew."""
    for below in [place for place in counts if place > depth]:
        del counts[below]
    level = levels.get(depth)
    if level is None:
        return ""
    for above in range(1, depth):
        counts.setdefault(above, levels[above].start if above in levels else 1)
    otherwise = counts[depth] + 1 if depth in counts else level.start
    counts[depth] = otherwise if start is None else start
    if not level.form:
        return ""
    places = range(max(1, depth - level.shown + 1), depth + 1)
    parts = (levels[place].say(counts[place]) for place in places if place in levels)
    return (level.before + ".".join(filter(None, parts)) + level.after).strip()


def _levels(node: etree._Element) -> _Levels:
    return dict(_numbered_levels(node))


def _numbered_levels(node: etree._Element) -> Iterator[tuple[int, _Level]]:
    for level in node.iterchildren(f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"):
        depth, start = whole(level.get(f"{TEXT}level", "")), whole(level.get(f"{TEXT}start-value", ""))
        if depth is not None and 0 < depth <= MAX_LEVEL:
            yield (
                depth,
                _Level(
                    form=level.get(f"{STYLE}num-format", ""),
                    before=level.get(f"{STYLE}num-prefix", ""),
                    after=level.get(f"{STYLE}num-suffix", ""),
                    shown=whole(level.get(f"{TEXT}display-levels", "")) or 1,
                    start=1 if start is None else start,
                    repeats=level.get(f"{STYLE}num-letter-sync") == "true",
                ),
            )
