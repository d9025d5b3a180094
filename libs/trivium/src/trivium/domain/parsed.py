"""What a parser saw: typed units in reading order, each with its place in the original."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec
from msgspec import Meta

UNIT_SEPARATOR = "\n\n"


class UnitKind(enum.StrEnum):
    """Modality of a unit (MAHA M1). Values are stored; never rename one."""

    TEXT = "text"
    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    IMAGE = "image"
    EQUATION = "equation"
    CHART = "chart"
    CODE = "code"
    NOTE = "note"


class Box(msgspec.Struct, frozen=True):
    """Points (1/72 inch) on a page or pixels of an image, origin top left."""

    left: float
    top: float
    right: float
    bottom: float


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a passage stands in the original. Pages, slides and rows count from 1."""

    page: int | None = None
    box: Box | None = None
    slide: int | None = None
    sheet: str | None = None
    rows: Annotated[
        tuple[int, int] | None,
        Meta(description="First and last row, inclusive, as the spreadsheet shows them: its header is counted."),
    ] = None
    section: tuple[str, ...] = ()
    offset: Annotated[
        tuple[int, int] | None, Meta(description="Half-open range of characters of the original text.")
    ] = None
    seconds: Annotated[
        tuple[float, float] | None,
        Meta(description="Start and end in a recording, in seconds from its beginning."),
    ] = None

    def part(self, text: str, start: int, end: int) -> Position:
        """Where `text[start:end]` stands, of a `text` that stands here: rows and offset exactly where they can be told.

        They can where the text has a line for each row, or as many characters as the original has there.
        """
        rows, offset = self.rows, self.offset
        if rows and rows[1] - rows[0] == text.count("\n"):
            first = rows[0] + text.count("\n", 0, start)
            rows = (first, first + text.count("\n", start, end))
        if offset and offset[1] - offset[0] == len(text):
            offset = (offset[0] + start, offset[0] + end)
        return msgspec.structs.replace(self, rows=rows, offset=offset)


def clock(seconds: float) -> str:
    """A place in a recording as players show it: 1:05, 1:02:03."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


class Unit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece of a document. `text` is searchable; `html` keeps a table's own structure.

    `level` is a heading's depth (1 is the highest). `ocr` tells that the text was recognised in pixels, `hidden` that
    whoever looks at the original does not see it (white on white, off the page, of no size, zero-width characters).
    `asset` names the document's asset that shows the unit as it looks ("" for none); a picture that nobody has
    described, and without words in it, has no text.
    """

    kind: UnitKind
    text: str
    position: Position = Position()
    html: str = ""
    level: int = 0
    ocr: bool = False
    hidden: bool = False
    asset: str = ""


class Asset(msgspec.Struct, frozen=True):
    """The original of a unit that is not text: a picture, a figure cut out of a page, a video's frame.

    `name` is unique in its document and made of letters, digits, `.`, `-` and `_`.
    """

    name: str
    media_type: str
    content: bytes


class Child(msgspec.Struct, frozen=True):
    """A file inside a file (an attachment, an archive's member): it becomes a document that knows its parent.

    `name` is what the parent calls it, a path with `/` in an archive; it is a name only and never opened as a path.
    """

    name: str
    content: bytes
    media_type: str = ""


class ParsedDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parser's whole output. No units means "opened, no text": a visible state, not an error.

    `title` is the document's own title, or "" when it has none; a file name is never a title.
    `warnings` name what could not be read ("page 3: no text layer and OCR found nothing").
    `links` are the outgoing references found; none is ever followed while parsing.
    `locked`: a part of it was left out for want of the right password.
    `assets` and `children` leave the document with the parse stage, which stores them on their own.
    """

    media_type: str
    units: tuple[Unit, ...]
    title: str = ""
    language: str = ""
    pages: int = 0
    metadata: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    assets: tuple[Asset, ...] = ()
    children: tuple[Child, ...] = ()
    locked: bool = False

    @property
    def text(self) -> str:
        """The canonical text: units that have one, joined by a blank line. Chunk offsets count in it."""
        return UNIT_SEPARATOR.join(unit.text for unit in self.units if unit.text)


class ParsedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file, or one inside it: `names` lead to it from the outermost file, which has none.

    Exactly one of `document` and `failure` is there.
    """

    names: tuple[str, ...]
    document: ParsedDocument | None = None
    failure: str = ""
