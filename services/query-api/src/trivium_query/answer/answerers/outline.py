"""The numbered parts of a document, as their numbers in its text nest: articles, clauses, steps, appendices. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile

import msgspec

from trivium.domain.chunks import Chunk
from trivium_query.answer.answerers.blocks import ENDS, MAX_HEADING_WORDS

APPENDIX = "appendix"
_KINDS = {
    "": r"(?:sub-?)?(?:clause|section|paragraph|article)|art|para|rule|regulation|provision|point|item|by-?law|§§?"
    r"|abschnitt|artikel|paragra(?:f|ph)|absatz|ziffer|klausel|punkt|regel|sección|artículo|cláusula|apartado|párrafo",
    "step": r"step|schritt|étape|paso",
    "chapter": r"chapter|kapitel|chapitre|capítulo",
    APPENDIX: r"appendix|annex(?:e|ure)?|schedule|exhibit|anhang|anlage|anexo|apéndice",
    "part": r"part|teil|partie|parte",
}
KIND = "|".join(_KINDS.values())
NUMBER = r"\d{1,3}(?:\.\d{1,3})*[a-z]?"
LETTER = r"(?-i:[A-Z]|[IVXL]{1,6})"
INNER = r"\((?:\d{1,3}|[a-z]{1,4})\)"
_HEAD = re.compile(
    rf"^[ \t]*(?:(?P<word>(?:{KIND})\b\.?|§§?)[ \t]*(?P<named>{NUMBER}|[A-Z](?:\.\d+)*|[IVXL]{{1,6}})"
    rf"|(?P<number>{NUMBER})|(?P<inner>{INNER}|(?:[a-z]|[ivx]{{2,5}})\)))(?P<inners>(?:[ \t]?{INNER})*)"
    r"(?P<mark>[.):]|[ \t]*[\u2013\u2014:-](?=[ \t]))?(?=[ \t]+\S|[ \t]*$)",
    re.M | re.I,
)
_BLANK = re.compile(r"\n[ \t]*\n")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


class Part(msgspec.Struct, frozen=True):
    """From its number to where it ends in `Document.text`; `within` are the parts that it is of, the outermost first.

    `word` is what the text calls it, in small letters; "" where by no word.
    `heads`: its number stands in a heading of its own.
    """

    key: str
    word: str
    heads: bool
    start: int
    end: int
    line: str
    within: tuple[Part, ...] = ()


class _Open(msgspec.Struct):
    style: str
    ordinal: int
    head: _Head


class _Head(msgspec.Struct, frozen=True):
    """A number at the beginning of a line; `dotted` is all of it where it tells its own place, as 4.2 does."""

    key: str
    word: str
    start: int
    line: str
    style: str
    heads: bool
    dotted: tuple[int, ...] = ()
    indent: int = 0


class Document(msgspec.Struct, frozen=True):
    """Passages that follow each other, their text, and where each begins in it."""

    chunks: tuple[Chunk, ...]
    text: str
    starts: tuple[int, ...]


def document_of(chunks: Sequence[Chunk]) -> Document:
    """Of one document's passages, in order."""
    starts, text = [], ""
    for chunk in chunks:
        starts.append(len(text))
        text += f"{chunk.text}\n\n"
    return Document(tuple(chunks), text, tuple(starts))


def kind_of_word(word: str) -> str:
    """The word that stands for all that mean the same: "annex" is an appendix, "clause", "rule" and "§" are ""."""
    bare = word.rstrip(".s") if len(word) > 1 else word
    return next((kind for kind, words in _KINDS.items() if re.fullmatch(words, bare, re.I)), "")


def key_of(number: str, *, named: bool = True) -> str:
    """In small letters without brackets; Roman numerals behind a word as digits."""
    bare = number.strip("().").lower()
    return str(_roman(bare)) if named and re.fullmatch(r"[IVXL]+", number) else bare


def parts_in(text: str) -> list[Part]:
    """In order. A number that begins anew is of the part before; one that goes on is of the same level."""
    heads = sorted([*_heads(text)], key=lambda one: one.start)
    opened: list[_Open] = []
    paths: list[tuple[_Head, ...]] = []
    for head in heads:
        at, ordinal, style = _place(opened, head)
        opened = [*opened[:at], _Open(style, ordinal, head)]
        paths.append(tuple(one.head for one in opened))
    titles = [*_titles(text)]
    found: dict[int, Part] = {}
    for path, after in zip(paths, _followers([len(path) for path in paths]), strict=True):
        head = path[-1]
        following = paths[after] if after < len(paths) else None
        last = paths[after - 1][-1].start
        end = following[-1].start if following else len(text)
        if not head.heads:
            end = min([end, *titles[bisect_right(titles, head.start) :][:1]])
            sibling = following is not None and len(following) == len(path)
            end = end if sibling else min(end, _unnumbered(text, last))
        within = tuple(found[id(one)] for one in path[:-1])
        found[id(head)] = Part(head.key, head.word, head.heads, head.start, end, head.line, within)
    return list(found.values())


def _followers(depths: Sequence[int]) -> list[int]:
    """For each the place of the first one behind it that is no deeper, or of the end."""
    found, waiting = [len(depths)] * len(depths), list[int]()
    for at, depth in enumerate(depths):
        while waiting and depth <= depths[waiting[-1]]:
            found[waiting.pop()] = at
        waiting.append(at)
    return found


def _heads(text: str) -> Iterator[_Head]:
    for match in _HEAD.finditer(text):
        line = text[match.start() : _end_of_line(text, match.start())].strip()
        rest = text[match.end() : _end_of_line(text, match.start())].strip()
        number = match["named"] or match["number"] or match["inner"]
        alone = _is_alone(text, match.start(), line)
        if not _is_head(match, rest, alone=alone):
            continue
        inner = match["inner"]
        word = (match["word"] or "").lower().rstrip(". \t")
        style = re.sub(r"\d+|\w+", _shape, number) if inner else word or f"{(match['mark'] or '').strip()}{alone}"
        key = key_of(number, named=bool(match["word"]))
        dotted = tuple(map(int, key.split("."))) if re.fullmatch(r"\d+(?:\.\d+)+", key) else ()
        indent = len(match[0]) - len(match[0].lstrip(" \t"))
        yield _Head(key, word, match.start(), line, style, alone, dotted, indent)
        for one in re.findall(INNER, match["inners"]):
            yield _Head(key_of(one, named=False), "", match.start(), line, re.sub(r"\d+|\w+", _shape, one), False)


def _is_head(match: re.Match[str], rest: str, *, alone: bool) -> bool:
    """Not a number that a sentence has at the beginning of a line: "12 people came", "section 5 applies"."""
    large = not rest or not rest[0].islower()
    if match["inner"]:
        return True
    if match["word"]:
        return bool(match["mark"]) or large
    if match["mark"] or "." in match["number"]:
        return large or bool(match["mark"] and match["mark"] in ".)")
    return alone and large and bool(rest)


def _shape(match: re.Match[str]) -> str:
    return "1" if match[0].isdigit() else "a"


def _is_alone(text: str, start: int, line: str) -> bool:
    """Whether the line is a block of few words that end without a mark."""
    end = _end_of_line(text, start)
    apart = (start == 0 or text[start - 2 : start] == "\n\n") and text[end : end + 2] in ("", "\n", "\n\n")
    return apart and len(line.split()) <= MAX_HEADING_WORDS and not line.endswith(ENDS[:-1])


def _titles(text: str) -> Iterator[int]:
    """Where headings without a number begin."""
    start = 0
    for blank in (*_BLANK.finditer(text), None):
        end = blank.start() if blank else len(text)
        block = text[start:end].strip()
        short = block and "\n" not in block and len(block.split()) <= MAX_HEADING_WORDS
        if short and not block.endswith(ENDS) and not _HEAD.match(block):
            yield start
        start = blank.end() if blank else end


def _unnumbered(text: str, start: int) -> int:
    """Where the block ends that begins there; one that ends with a colon goes on."""
    end = start
    while blank := _BLANK.search(text, end):
        if not text[start : blank.start()].rstrip().endswith(":"):
            return blank.start()
        end = blank.end()
    return len(text)


def _place(opened: Sequence[_Open], head: _Head) -> tuple[int, int, str]:
    """On which level it stands, its place there, and its style, which for (i) may be that of letters."""
    if head.dotted:
        within = [*takewhile(lambda one: _holds(one, head.dotted), opened)]
        return len(within), head.dotted[-1], head.style
    if (going_on := _going_on(opened, _readings(head))) is not None:
        return going_on
    style, ordinal = _readings(head)[0]
    if head.word and any(one.style == style for one in opened):  # articles count anew in each chapter
        at = next(at for at, one in enumerate(opened) if one.style == style)
        return at, ordinal, style
    if opened and opened[-1].style == style and not _leads_to(opened[-1].head, head):
        return len(opened) - 1, ordinal, style  # another list
    if head.heads:  # no heading is of a clause without one, no article of a number
        outer = takewhile(lambda one: one.head.heads and bool(one.head.word or not head.word), opened)
        return len([*outer]), ordinal, style
    return len(opened), ordinal, style


def _going_on(opened: Sequence[_Open], readings: Sequence[tuple[str, int]]) -> tuple[int, int, str] | None:
    """Behind the number right before it, else behind a smaller one."""
    for style, ordinal in readings:
        for at in reversed(range(len(opened))):
            if opened[at].style == style and opened[at].ordinal + 1 == ordinal:
                return at, ordinal, style
    style, ordinal = readings[0]
    for at in reversed(range(len(opened))):
        if opened[at].style == style and opened[at].ordinal < ordinal:
            return at, ordinal, style
    return None


def _leads_to(outer: _Head, head: _Head) -> bool:
    """Whether a list of the same style may be of it."""
    return bool(outer.dotted) or outer.line.endswith(":") or head.indent > outer.indent


def _holds(one: _Open, dotted: tuple[int, ...]) -> bool:
    own = one.head.dotted or ((int(one.head.key),) if one.head.key.isdigit() else ())
    outer = kind_of_word(one.head.word) != "" and own != dotted[:1]  # the clauses of Part 1 may be 4.1 and 4.2
    return outer or (0 < len(own) < len(dotted) and own == dotted[: len(own)])


def _readings(head: _Head) -> list[tuple[str, int]]:
    """Of i, v and x two; a Roman one first, unless letters go on."""
    key = head.key
    if digits := re.match(r"\d+", key):
        return [(head.style, int(digits[0]))]
    letter = (head.style, ord(key[-1]) - 96)
    if re.fullmatch(r"[ivxl]+", key):
        roman = (head.style.replace("a", "i") if not head.word else head.style, _roman(key))
        return [letter, roman] if key != "i" and len(key) == 1 else [roman, letter]
    return [letter]


def _roman(letters: str) -> int:
    values = [_ROMAN[letter] for letter in letters.lower()]
    return sum(-one if one < max(values[at:]) else one for at, one in enumerate(values))


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)
