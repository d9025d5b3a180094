"""Collects a document's units in reading order, keeps the section path and the bound on text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec

from trivium.domain.parsed import Asset, ParsedDocument, Position, Unit, UnitKind
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.table import Table
from trivium_ingest.parse.text.clean import flowing, one_line, visible

MAX_HEADING_CHARS = 300
MAX_LINKS = 2_000
MAX_WARNINGS = 50
NOWHERE = Position()


class Collector:
    """Where a parser puts what it sees. Text is cleaned here; empty text makes no unit."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits
        self._chars = 0
        self._section: list[tuple[int, str]] = []
        self._links: dict[str, None] = {}
        self._warnings: dict[str, None] = {}
        self._assets: dict[str, Asset] = {}
        self._asset_bytes = 0
        self._here = NOWHERE  # of what has no other place than its section
        self.within: tuple[str, ...] = ()  # a place below all headings: the cell of a notebook
        self.units: list[Unit] = []

    def heading(self, text: str, level: int, position: Position = NOWHERE) -> None:
        """Open a section; an over-long heading is prose set large."""
        text = one_line(text)
        if len(text) > MAX_HEADING_CHARS:
            self.add(UnitKind.TEXT, text, position)
            return
        if not text:
            return
        self.begin_section(text, level)
        self._append(Unit(UnitKind.HEADING, text, self._placed(position), level=level))

    def begin_section(self, title: str, level: int) -> None:
        """Open a section that no heading in the text names."""
        while self._section and self._section[-1][0] >= level:
            self._section.pop()
        self._section.append((level, one_line(title)[:MAX_HEADING_CHARS]))

    def leave_sections(self) -> None:
        """What follows stands under no heading (a new slide, a new sheet)."""
        self._section.clear()

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """What comes meanwhile stands under no heading of the text around it, which goes on afterwards."""
        around, self._section = self._section, []
        yield
        self._section = around

    def add(
        self,
        kind: UnitKind,
        text: str,
        position: Position = NOWHERE,
        *,
        ocr: bool = False,
        verbatim: bool = False,
        hidden: bool = False,
        asset: str = "",
    ) -> None:
        """Add a unit of text; `verbatim` keeps its blanks (code), `hidden` is not seen, `asset` names what shows it."""
        text = visible(text).strip("\n").rstrip() if verbatim else flowing(text)
        if text.strip() or asset:
            self._append(Unit(kind, text, self._placed(position), ocr=ocr, hidden=hidden, asset=asset))

    def add_running(self, texts: Iterable[str]) -> None:
        """Each different header or footer once, as a note: they come again on every page."""
        for text in dict.fromkeys(texts):
            if any(character.isalpha() for character in text):
                self.add(UnitKind.NOTE, text)

    def asset(self, asset: Asset) -> str:
        """Keep what shows a unit as it looks; answers its name, "" where the document has had its share of them."""
        if asset.name not in self._assets:
            size = self._asset_bytes + len(asset.content)
            if len(self._assets) >= self._limits.max_assets or size > self._limits.max_asset_bytes:
                self.warn("Not every picture is kept to be shown (limits: max_assets, max_asset_bytes).")
                return ""
            self._asset_bytes = size
            self._assets[asset.name] = asset
        return asset.name

    def table(self, table: Table, position: Position = NOWHERE, *, hidden: bool = False) -> None:
        """Add a table as rows of text and as HTML."""
        text = table.text()
        if text:
            self._append(Unit(UnitKind.TABLE, text, self._placed(position), html=table.html(), hidden=hidden))

    def warn(self, warning: str) -> None:
        """Say what could not be read; repeated warnings count once."""
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[one_line(warning)] = None

    def link(self, target: str) -> None:
        """Remember an outgoing reference; it is never followed."""
        target = one_line(target)
        if len(self._links) < MAX_LINKS and target.startswith(("http://", "https://", "mailto:")):
            self._links[target] = None

    def first_heading(self, level: int | None = None) -> str:
        """The text of the first heading, or of the first of that level; "" where there is none."""
        headings = (unit for unit in self.units if unit.kind == UnitKind.HEADING)
        return next((unit.text for unit in headings if level in (None, unit.level)), "")

    def document(
        self, media_type: str, *, title: str = "", pages: int = 0, metadata: dict[str, str] | None = None
    ) -> ParsedDocument:
        """What was collected. A document without units gets a warning that says so."""
        if not any(unit.text for unit in self.units) and not self._warnings:
            self.warn("The file was opened and holds no text.")
        return ParsedDocument(
            media_type=media_type,
            units=tuple(self.units),
            title=one_line(title)[:MAX_HEADING_CHARS],
            pages=pages,
            metadata={key: one_line(value)[:1000] for key, value in (metadata or {}).items() if value},
            warnings=tuple(self._warnings),
            links=tuple(self._links),
            assets=tuple(self._assets.values()),
        )

    def _placed(self, position: Position) -> Position:
        if position.section:
            return position
        section = (*[text for _, text in self._section], *self.within)
        if position is not NOWHERE:
            return msgspec.structs.replace(position, section=section) if section else position
        if self._here.section != section:
            self._here = Position(section=section)
        return self._here

    def _append(self, unit: Unit) -> None:
        self._chars += len(unit.text)
        if self._chars > self._limits.max_text_chars:
            raise too_large("max_text_chars", f"more than {self._limits.max_text_chars:,} characters of text")
        self.units.append(unit)
