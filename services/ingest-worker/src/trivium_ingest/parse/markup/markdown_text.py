"""CommonMark with tables as blocks in order, each with its range in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from trivium.domain.chunks import Span
from trivium.domain.parsed import Position, UnitKind
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.table import Table
from trivium_ingest.parse.web.html_text import RAISED, add_fragment, text_of_fragment

MAX_NESTING = 100  # lists, their items and quotes around a line; what lies deeper is one paragraph
_MARKERS = re.compile(r"^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+", re.MULTILINE)
_BREAK = re.compile(r"</?br\b[^>]*>", re.IGNORECASE)
_SUP = re.compile(r"<sup\b[^>]*>", re.IGNORECASE)
_RAISE = "\0"  # in no text
_POWER = re.compile(rf"(?<=\d){_RAISE}(?={RAISED})")  # 10 to the power of 6 is not 106
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_DISPLAYED = re.compile(r"\s*(?:\$\$(.+?)\$\$|\\\\?\[(.+?)\\\\?\])\s*", re.DOTALL)


class MarkdownReader:
    """Walks the tokens of `text` from `begin`; `placed` is False where offsets in it mean nothing to a reader."""

    def __init__(self, text: str, begin: int, out: Collector, *, placed: bool = True) -> None:
        self._text = text
        self._placed = placed
        self._out = out
        body = text[begin:]
        self._starts = [begin, *(begin + match.end() for match in re.finditer(r"\r\n|\n|\r", body))]
        markdown = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING + 1}).enable(["table", "strikethrough"])
        markdown.block.ruler.before("table", "flattened", _flattened)
        self._tokens = markdown.parse(body.replace("\0", ""))

    def read(self) -> None:
        """Put every block into the collector."""
        index = 0
        while index < len(self._tokens):
            index = self._block(index)

    def _block(self, index: int) -> int:
        token = self._tokens[index]
        kind = token.type
        if kind == "heading_open":
            self._out.heading(self._inline(self._tokens[index + 1]), int(token.tag[1]), self._position(token))
            return index + 3
        if kind in ("bullet_list_open", "ordered_list_open"):
            return self._list(index)
        if kind == "table_open":
            return self._table(index)
        if kind in ("fence", "code_block"):
            self._out.add(UnitKind.CODE, token.content, self._position(token), verbatim=True)
        elif kind == "html_block":
            self._html(token)
        elif kind == "inline":
            equation = _DISPLAYED.fullmatch(token.content)
            if equation:
                self._out.add(UnitKind.EQUATION, equation.group(1) or equation.group(2), self._position(token))
            else:
                self._out.add(UnitKind.TEXT, self._inline(token), self._position(token))
        return index + 1

    def _html(self, token: Token) -> None:
        """Of HTML with tables every block, else its text."""
        begun = len(self._out.units)
        if not (_TABLE.search(token.content) and add_fragment(token.content, self._out)):
            self._out.add(UnitKind.TEXT, text_of_fragment(token.content, self._out), self._position(token))
            return
        place = self._position(token).offset
        self._out.units[begun:] = [
            msgspec.structs.replace(unit, position=msgspec.structs.replace(unit.position, offset=place))
            for unit in self._out.units[begun:]
        ]

    def _list(self, index: int) -> int:
        """A whole list, nested ones included, as one unit; code and tables in it keep their text."""
        end = self._closing(index)
        lines: list[str] = []
        counters: list[int | None] = []
        marker = ""
        for token in self._tokens[index : end + 1]:
            if token.type in ("bullet_list_open", "ordered_list_open"):
                counters.append(int(token.attrs.get("start", 1)) if token.type[0] == "o" else None)
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                counters.pop()
            elif token.type == "list_item_open":
                count = counters[-1]
                marker = "- " if count is None else f"{count}. "
                counters[-1] = None if count is None else count + 1
            elif token.type in ("inline", "fence", "code_block", "html_block"):
                content = self._inline(token) if token.type == "inline" else token.content.rstrip()
                if token.type == "html_block":
                    content = text_of_fragment(content, self._out)
                lines.append("  " * (len(counters) - 1) + marker + content)
                marker = ""
        self._out.add(UnitKind.LIST, "\n".join(lines), self._position(self._tokens[index]), verbatim=True)
        return end + 1

    def _table(self, index: int) -> int:
        end = self._closing(index)
        rows: list[list[str]] = []
        header_rows = 0
        for token in self._tokens[index:end]:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self._inline(token))
            elif token.type == "thead_close":
                header_rows = len(rows)
        table = Table(tuple(tuple(row) for row in rows), header_rows)
        self._out.table(table, self._position(self._tokens[index]))
        return end + 1

    def _closing(self, index: int) -> int:
        level, wanted = self._tokens[index].level, self._tokens[index].type.replace("_open", "_close")
        for place in range(index + 1, len(self._tokens)):
            if self._tokens[place].level == level and self._tokens[place].type == wanted:
                return place
        return len(self._tokens) - 1

    def _inline(self, token: Token) -> str:
        return self._plain(token.children or ())

    def _plain(self, children: Sequence[Token]) -> str:
        parts: list[str] = []
        for child in children:
            if child.type in ("text", "code_inline"):
                parts.append(child.content)
            elif child.type == "softbreak":
                parts.append(" ")
            elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAK.fullmatch(child.content)):
                parts.append("\n")
            elif child.type == "html_inline" and _SUP.fullmatch(child.content):
                parts.append(_RAISE)
            elif child.type == "image":
                parts.append(self._plain(child.children or ()))
            elif child.type == "link_open":
                self._out.link(str(child.attrGet("href") or ""))
        return _POWER.sub("^", "".join(parts)).replace(_RAISE, "")

    def _position(self, token: Token) -> Position:
        if token.map is None or not self._placed:
            return Position()
        first, last = token.map
        start = self._starts[min(first, len(self._starts) - 1)]
        end = self._starts[last] if last < len(self._starts) else len(self._text)
        block = Span(start, end).trimmed(self._text)
        return Position(offset=(block.start, block.end))


def _flattened(state: StateBlock, first: int, end: int, _silent: bool) -> bool:
    """A rule of markdown-it: deeper than `MAX_NESTING`, where it would drop them, lines are a paragraph."""
    if state.level < MAX_NESTING:
        return False
    content = _MARKERS.sub("", state.getLines(first, end, state.blkIndent, False))
    state.line = end
    state.push("paragraph_open", "p", 1).map = [first, end]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content.strip(), [first, end], []
    state.push("paragraph_close", "p", -1)
    return True
