"""The numbers that Word makes before paragraphs (ECMA-376, part 1, 17.9): they stand nowhere in the text.

A paragraph or its style names a list (`num`) and a level. Lists that share an abstract one count on from each other,
but where one of them states a start of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec
from lxml import etree

from trivium_ingest.parse.numerals import chinese, in_words, ordinal, ordinal_in_words, repeated_letter, roman, whole
from trivium_ingest.parse.office.wordprocessing import Styles, W, Words, by_tag, first_child, is_on, numbering_of, val
from trivium_ingest.parse.text.clean import one_line

LEVELS = 9
MAX_NUMBER_CHARS = 255  # Word's own bound
MAX_STYLES = 20  # one based on the other; Word's own bound is lower
_PLACE = re.compile(r"%([1-9])")
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"


def _in_dashes(number: int) -> str:
    return f"- {number} -"


def _circled(number: int) -> str:
    return chr(0x245F + number) if 0 < number <= 20 else str(number)


_FORMS: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "bullet": lambda _: "",
    "decimalZero": "{:02}".format,
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "lowerLetter": repeated_letter,
    "upperLetter": lambda number: repeated_letter(number).upper(),
    "russianLower": lambda number: repeated_letter(number, _RUSSIAN),
    "russianUpper": lambda number: repeated_letter(number, _RUSSIAN).upper(),
    "numberInDash": _in_dashes,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand"), chinese),
    "japaneseCounting": lambda number: re.sub("一(?=[十百千])|零", "", chinese(number)),
}
# In the language of the document: English here, digits for others.
_ENGLISH: dict[str, Callable[[int], str]] = {
    "ordinal": ordinal,
    "cardinalText": lambda number: in_words(number).capitalize(),
    "ordinalText": lambda number: ordinal_in_words(number).capitalize(),
}
_OTHERS: dict[str, Callable[[int], str]] = {"ordinal": "{}.".format}


class _Level(msgspec.Struct, frozen=True):
    """How a level is numbered. It begins anew behind each level above it, or from level `restart` on (0: never)."""

    start: int
    form: str
    text: str
    legal: bool
    restart: int
    tight: bool
    hidden: bool
    style: str

    @classmethod
    def read(cls, node: etree._Element, depth: int) -> _Level:
        """From a `lvl`; what it leaves out is as Word takes it."""
        found = by_tag(node)
        form = val(found.get(f"{W}numFmt")) or "decimal"
        return cls(
            start=whole(val(found.get(f"{W}start"))) or 0,
            form=form,
            text=val(found.get(f"{W}lvlText"))[:MAX_NUMBER_CHARS],
            legal=is_on(found.get(f"{W}isLgl")),
            restart=depth if (stated := whole(val(found.get(f"{W}lvlRestart")))) is None else stated,
            tight=val(found.get(f"{W}suff")) == "nothing",
            hidden=form == "bullet" or is_on(node.find(f"{W}rPr/{W}vanish")),
            style=val(found.get(f"{W}pStyle")),
        )


class _List(msgspec.Struct, frozen=True):
    """A `num`: the abstract list with which it counts, its levels, and those at which it begins anew."""

    abstract: str
    levels: dict[int, _Level]
    begins: frozenset[int]

    def linked(self, style: str) -> str:
        """The level that is that style's, or ""."""
        return next((str(depth) for depth, level in self.levels.items() if level.style == style), "")


class _Counter:
    """Where each list stands in one run of text."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def next(self, name: str, numbered: _List, depth: int) -> dict[int, int]:
        """The numbers at this level and above for one more paragraph; a level that was left out counts as told."""
        counts = self._counts.setdefault(numbered.abstract, {})
        begins = depth in numbered.begins and (name, depth) not in self._begun
        self._begun.add((name, depth))
        for above in range(depth):
            if above in numbered.levels:
                counts.setdefault(above, numbered.levels[above].start)
        counts[depth] = numbered.levels[depth].start if begins or depth not in counts else counts[depth] + 1
        for below in range(depth + 1, LEVELS):
            if below not in numbered.levels or depth < numbered.levels[below].restart:
                counts.pop(below, None)
        return counts


class Numbering:
    """Numbers the paragraphs of a document by its numbering part and its styles."""

    def __init__(self, root: etree._Element, styles: Styles) -> None:
        self._styles = styles
        self._nums = {node.get(f"{W}numId", ""): node for node in root.iter(f"{W}num")}
        self._abstracts = {node.get(f"{W}abstractNumId", ""): node for node in root.iter(f"{W}abstractNum")}
        self._of_link = {
            val(link): name for name, node in self._abstracts.items() for link in node.iter(f"{W}styleLink")
        }
        self._lists: dict[str, _List | None] = {}
        self._forms = _FORMS | (_ENGLISH if styles.language.lower().startswith("en") else _OTHERS)

    def numbers(self, root: etree._Element, words: Words) -> dict[etree._Element, str]:
        """What stands before paragraphs, with the blank behind it where there is one.

        Deleted and hidden paragraphs do not count. Each text box counts by itself.
        """
        box = f"{W}txbxContent"
        boxed = next(root.iter(box), None) is not None
        counters: dict[etree._Element | None, _Counter] = {}
        found = {}
        for paragraph in root.iter(f"{W}p"):
            properties = first_child(paragraph, f"{W}pPr")
            if properties is None:
                continue
            place = self._place(properties)
            if place is None or _is_gone(properties, paragraph, words):
                continue
            name, numbered, depth = place
            around = next(paragraph.iterancestors(box), None) if boxed else None
            counts = counters.setdefault(around, _Counter()).next(name, numbered, depth)
            if number := self._shown(numbered, depth, counts):
                found[paragraph] = number
        return found

    def _place(self, properties: etree._Element) -> tuple[str, _List, int] | None:
        """The list and level of a paragraph: its own, or by its style and those on which that is based."""
        own, style = first_child(properties, f"{W}numPr"), val(first_child(properties, f"{W}pStyle"))
        if own is None and not self._styles.numbers:
            return None
        stated = [] if own is None else [("", numbering_of(own))]
        stated += [(name, self._styles.numbers.get(name, ("", ""))) for name in self._lineage(style)]
        name = next((name for _, (name, _) in stated if name), "0")
        numbered = self._list(name) if name != "0" else None
        if numbered is None:
            return None
        depths = ((by and numbered.linked(by)) or depth for by, (_, depth) in stated)
        depth = min(whole(next(filter(None, depths), "")) or 0, LEVELS - 1)
        return (name, numbered, depth) if depth in numbered.levels else None

    def _lineage(self, style: str) -> Iterator[str]:
        for _ in range(MAX_STYLES):
            if not style:
                return
            yield style
            style = self._styles.parents.get(style, "")

    def _list(self, name: str) -> _List | None:
        if name not in self._lists:
            self._lists[name] = self._read(name)
        return self._lists[name]

    def _read(self, name: str) -> _List | None:
        num = self._nums.get(name)
        if num is None:
            return None
        abstract = val(first_child(num, f"{W}abstractNumId"))
        node = self._abstracts.get(abstract)
        if node is not None and (link := first_child(node, f"{W}numStyleLink")) is not None:
            abstract = self._of_link.get(val(link), "")
            node = self._abstracts.get(abstract)
        if node is None:
            return None
        levels = dict(_levels(node))
        begins = set()
        for override in num.iterchildren(f"{W}lvlOverride"):
            levels |= dict(_levels(override))
            depth = whole(override.get(f"{W}ilvl", ""))
            start = whole(val(first_child(override, f"{W}startOverride")))
            if depth in levels and start is not None:
                levels[depth] = msgspec.structs.replace(levels[depth], start=start)
                begins.add(depth)
        return _List(abstract, levels, frozenset(begins))

    def _shown(self, numbered: _List, depth: int, counts: dict[int, int]) -> str:
        level = numbered.levels[depth]
        if level.hidden:
            return ""

        def told(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            if place not in counts or place not in numbered.levels:
                return ""
            form = numbered.levels[place].form
            say = self._forms.get(form) if not level.legal or form in ("none", "bullet") else None
            return say(counts[place]) if say else str(counts[place])

        text = _PLACE.sub(told, level.text)[:MAX_NUMBER_CHARS]
        number = one_line(text)
        if not any(map(str.isalnum, number)):  # a bullet of another name
            return ""
        return number if level.tight and not text[-1:].isspace() else f"{number} "


def _levels(node: etree._Element) -> Iterator[tuple[int, _Level]]:
    for level in node.iterchildren(f"{W}lvl"):
        depth = whole(level.get(f"{W}ilvl", ""))
        if depth is not None and depth < LEVELS:
            yield depth, _Level.read(level, depth)


def _is_gone(properties: etree._Element, paragraph: etree._Element, words: Words) -> bool:
    """Whether a paragraph's mark was deleted or moved away, or is hidden with all its text."""
    mark = first_child(properties, f"{W}rPr")
    if mark is None:
        return False
    if first_child(mark, f"{W}del") is not None or first_child(mark, f"{W}moveFrom") is not None:
        return True
    return is_on(first_child(mark, f"{W}vanish")) and not words.of(paragraph)
