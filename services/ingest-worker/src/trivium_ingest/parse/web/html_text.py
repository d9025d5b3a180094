"""What a reader of a web page sees: blocks in order, without scripts, navigation and hidden text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import compress, islice
from urllib.parse import urljoin

from lxml import etree

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import flowing, one_line
from trivium_ingest.parse.web.visibility import hidden_selectors, is_chrome, is_gutter, is_hidden

MAX_DEPTH = 150  # from here on a page is one paragraph
MAX_LIST_DEPTH = 100  # from here on a list's item is one line
MAX_INDENTED = 8
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "caption",
    ]
)
_SPACES = re.compile(r"\s+")
_EDGE = "\f"  # of a block in preformatted text, where one line end is enough
_PERMALINKS = frozenset("¶§#🔗")  # what generators of manuals put beside a heading, a link to itself
_EDGES = re.compile(rf"\n?{_EDGE}+")
_NUMBER = re.compile(r"\s*[+-]?\d{1,9}(?!\d)")
RAISED = r"(?:[+\-\u2212]?\d|[knx](?!\w))"  # what begins like this is a power, or a note's sign
_POWER = re.compile(rf"\s*{RAISED}")
_TEX = ("application/x-tex", "tex", "latex")  # as encodings of annotations (MathML 3, 5.1)
_LISTS = ("ul", "ol", "dl")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def parse_html(markup: str, out: Collector | None = None) -> etree._Element | None:
    """The element tree, or None when there is none. Fetches nothing; entities of a DTD do not exist here.

    libxml2 drops what is nested deeper than it allows; `out` is told.
    """
    # lxml's own parser, not lxml.html's, whose elements cost a call of Python each
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return None
    if root is None:
        return None
    if out is not None and any("depth" in entry.message for entry in parser.error_log):
        out.warn("The page is nested too deeply; its innermost parts were left out.")
    return root


def make_links_absolute(root: etree._Element, address: str) -> None:
    """Give every link its whole address, from <base> or from where the page came; one that makes none is taken away."""
    base = next(filter(None, (element.get("href", "") for element in root.iter("base"))), "")
    start = _joined(address, base)
    if not start:
        return
    for element in root.iter("a", "link"):
        if "href" in element.attrib:
            element.set("href", _joined(start, element.get("href", "")))


def _joined(start: str, reference: str) -> str:
    try:
        return urljoin(start, reference.strip())
    except ValueError:
        return ""


def text_of_fragment(markup: str, out: Collector) -> str:
    """The visible text of a piece of HTML (in Markdown, for one)."""
    if "<" not in markup:
        return flowing(markup)
    root = parse_html(markup, out)
    return "" if root is None else inline_text(root, hidden_selectors(root))


def _collapse(text: str) -> str:
    """Without the markup's own line breaks; runs of blanks within a line become one where the text is collected."""
    lines = text.splitlines()
    if len(lines) == 1 and len(lines[0]) == len(text) and "\x1f" not in text:
        return text
    return _SPACES.sub(" ", text)


def inline_text(node: etree._Element, selectors: frozenset[str]) -> str:
    """All visible text below `node` as flowing text."""
    if not len(node):
        return flowing(node.text or "")
    return flowing("".join(_pieces(node, selectors)))


def preformatted_text(node: etree._Element, selectors: frozenset[str]) -> str:
    """All visible text below `node` with its own blanks and lines; each block has lines of its own."""
    return _EDGES.sub("\n", "".join(_pieces(node, selectors, in_code=True)))


def _pieces(top: etree._Element, selectors: frozenset[str], *, in_code: bool = False) -> Iterator[str]:
    """Visible text in order, however deep a stranger's page nests: what is still to come waits in a list.

    Of code, whose blanks stay and whose blocks have an `_EDGE`, pictures are no part: they number its lines.
    """
    written: Callable[[str], str] = str if in_code else _collapse
    edge = _EDGE if in_code else "\n"
    waiting: list[etree._Element | str] = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        if node.text:
            yield written(node.text)
        for child in reversed(node):
            if child.tail:
                waiting.append(written(child.tail))
            if child.tag == "br":
                waiting.append("\n")
            elif child.tag == "img":
                waiting.append("" if in_code else _collapse(child.get("alt", "")))
            elif not is_hidden(child, selectors, in_code=in_code):
                waiting += (edge, child, edge) if child.tag in _BLOCKS else (_formula(child) or child, _caret(child))


def _formula(node: etree._Element) -> str:
    """What MathML says of itself in TeX; "" for anything else: its presentation alone glues what stands above."""
    if node.tag != "math":
        return ""
    told = (note.text or "" for note in node.iter("annotation") if note.get("encoding", "").lower() in _TEX)
    return _collapse(next(told, "") or node.get("alttext", "")).strip()


def _caret(node: etree._Element) -> str:
    """What parts a raised number from what it stands behind: 10 to the power of 6 is not 106, nor is a note's sign."""
    if node.tag != "sup" or not _POWER.match("".join(map(str, islice(node.itertext(), 3)))):
        return ""
    before, around = node.getprevious(), node.getparent()
    said = (before.tail if before is not None else around.text if around is not None else "") or ""
    noted = said[-1:].isalpha() and next(node.iter("a"), None) is not None
    return "^" if said[-1:].isdigit() or noted else ""


class Walker:
    """Puts a page's blocks into a collector."""

    def __init__(self, out: Collector, selectors: frozenset[str], *, keep_chrome: bool = False) -> None:
        self._out = out
        self._selectors = selectors
        self._keep_chrome = keep_chrome

    def walk(self, node: etree._Element, depth: int = 0) -> None:
        """Add everything below `node`: runs of inline content become paragraphs."""
        if depth > MAX_DEPTH:
            self._out.add(UnitKind.TEXT, inline_text(node, self._selectors))
            return
        run: list[str] = [_collapse(node.text or "")]
        for child in node:
            if self._skipped(child):
                pass
            elif child.tag in _BLOCKS or self._holds_block(child):
                self._flush(run)
                self._block(child, depth + 1)
            elif child.tag == "br":
                run.append("\n")
            elif child.tag == "img":
                run.append(_collapse(child.get("alt", "")))
            else:
                self._links(child)
                run.append(_caret(child))
                run.extend([formula] if (formula := _formula(child)) else _pieces(child, self._selectors))
            if child.tail:
                run.append(_collapse(child.tail))
        self._flush(run)

    def _title(self, node: etree._Element) -> str:
        """The heading's text without the sign that links to it."""
        title = inline_text(node, self._selectors)
        for link in node.iter("a"):
            sign = inline_text(link, self._selectors)
            if sign in _PERMALINKS and "#" in (link.get("href") or ""):
                title = title.removeprefix(sign).removesuffix(sign).strip()
        return title

    def _block(self, node: etree._Element, depth: int) -> None:
        tag = node.tag
        if tag in _HEADINGS:
            self._out.heading(self._title(node), _HEADINGS[tag])
        elif tag in _LISTS:
            self._list(node)
        elif tag == "table":
            self._table(node, depth)
        elif tag == "pre":
            self._out.add(UnitKind.CODE, preformatted_text(node, self._selectors), verbatim=True)
        else:
            self.walk(node, depth)

    def _list(self, node: etree._Element) -> None:
        self._links(node)
        self._out.add(UnitKind.LIST, "\n".join(self._items(node, 0)), verbatim=True)

    def _items(self, node: etree._Element, level: int) -> Iterator[str]:
        step = -1 if "reversed" in node.attrib else 1
        number = _number(node, "start", len(node.findall("li")) if step < 0 else 1) - step
        nests = next(islice(node.iter(*_LISTS), 1, None), None) is not None
        for child in node:
            number = _number(child, "value", number + step) if child.tag == "li" else number
            if self._skipped(child):
                continue
            deeper = nests and level < MAX_LIST_DEPTH
            if deeper and child.tag in _LISTS:
                yield from self._items(child, level + 1)
                continue
            indent = "  " * min(level, MAX_INDENTED)
            mark = _mark(node, child, number)
            for part in _parts_of_item(child, self._selectors, deeper=deeper):
                if isinstance(part, str):
                    yield indent + mark + part
                    mark = ""
                else:
                    yield from self._items(part, level + 1)

    def _table(self, node: etree._Element, depth: int) -> None:
        holds_tables = next(islice(node.iter("table"), 1, None), None) is not None
        rows = [
            row
            for row in node.iter("tr")
            if (not holds_tables or next(row.iterancestors("table")) is node) and not is_hidden(row, self._selectors)
        ]
        caption = node.find("caption")
        words = inline_text(caption, self._selectors) if caption is not None else ""
        if _is_layout(node, rows, holds_tables):
            self._out.add(UnitKind.TEXT, words)
            for row in rows:
                for cell in row:
                    if not self._skipped(cell) and not is_gutter(cell):
                        self.walk(cell, depth + 1)
            return
        self._links(node)
        grid, headings = _grid(rows, self._selectors)
        filled = [any(cell.strip() for cell in row) for row in grid]
        cells = tuple(map(tuple, compress(grid, filled)))
        unnamed = headings or (node.find("thead") is None and _are_pairs(rows))
        guessed = 0 if unnamed else guess_header_rows(cells)
        self._out.table(Table(cells, sum(filled[:headings]) or guessed, words))

    def _links(self, node: etree._Element) -> None:
        for anchor in node.iter("a"):
            self._out.link(anchor.get("href", ""))

    def _flush(self, run: list[str]) -> None:
        if text := "".join(run).strip():
            self._out.add(UnitKind.TEXT, text)
        run.clear()

    def _holds_block(self, node: etree._Element) -> bool:
        return len(node) > 0 and any(inner.tag in _BLOCKS for inner in node.iterdescendants())

    def _skipped(self, node: etree._Element) -> bool:
        return is_hidden(node, self._selectors) or (not self._keep_chrome and is_chrome(node))


def add_fragment(markup: str, out: Collector) -> bool:
    """Add every block of a piece of HTML; False where it is none."""
    root = parse_html(markup, out)
    if root is not None:
        Walker(out, hidden_selectors(root), keep_chrome=True).walk(root)
    return root is not None


def _mark(around: etree._Element, item: etree._Element, number: int) -> str:
    """What stands before a list's item; a numbered list numbers its `li` alone."""
    if around.tag == "ol":
        return f"{number}. " if item.tag == "li" else ""
    return "" if around.tag == "dl" else "- "


def _number(node: etree._Element, name: str, otherwise: int) -> int:
    found = _NUMBER.match(node.get(name, ""))
    return int(found[0]) if found else otherwise


def _parts_of_item(item: etree._Element, selectors: frozenset[str], *, deeper: bool) -> Iterator[str | etree._Element]:
    """In order: its words, those between other parts on one line, code in its own lines, and `deeper` lists in it."""
    words: list[str] = []
    waiting: list[etree._Element | str] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            words.append(node)
            continue
        if node is not item and (node.tag == "pre" or (deeper and node.tag in _LISTS)):
            yield from _one_lines(words)
            if node.tag != "pre":
                yield node
            elif code := preformatted_text(node, selectors).strip("\n"):
                yield code
            continue
        words.append(node.text or "")
        for child in reversed(node):
            waiting.append(child.tail or "")
            if child.tag == "img":
                waiting.append(child.get("alt", ""))
            elif not is_hidden(child, selectors):
                shown = _formula(child) or child
                waiting += (" ", shown, " ") if child.tag in _BLOCKS or child.tag == "br" else (shown, _caret(child))
    yield from _one_lines(words)


def _one_lines(words: list[str]) -> Iterator[str]:
    """What was collected, as one line if it is any; the collection is empty then."""
    if line := one_line("".join(words)):
        yield line
    words.clear()


def _is_layout(node: etree._Element, rows: list[etree._Element], holds_tables: bool) -> bool:
    """Tables that only place things on the page: presentation role, one cell, numbered code, or tables inside."""
    if node.get("role") in ("presentation", "none") or any(map(is_gutter, rows[0] if len(rows) == 1 else ())):
        return True
    cells = max((sum(child.tag in ("td", "th") for child in row) for row in rows), default=0)
    if cells <= 1 and len(rows) <= 2:
        return True
    return holds_tables or next(node.iter("h1"), None) is not None


def _are_pairs(rows: list[etree._Element]) -> bool:
    """Whether the page says of each row that it is a name and its value, as info boxes are made."""
    tags = {tuple(cell.tag for cell in row if cell.tag in ("td", "th")) for row in rows}
    return ("th", "td") in tags and all(len(of_row) <= 1 or of_row == ("th", "td") for of_row in tags)


def _grid(rows: list[etree._Element], selectors: frozenset[str]) -> tuple[list[list[str]], int]:
    """Cells in a grid; a cell that spans repeats its text, so that every row stands by itself."""
    grid: list[list[str]] = []
    carried: dict[int, tuple[int, str]] = {}
    header_rows, in_header = 0, True
    fills = False  # whether the row is one cell, its own or one from above
    for row in rows:
        cells = [cell for cell in row if cell.tag in ("td", "th") and not is_hidden(cell, selectors)]
        if in_header and cells and all(cell.tag == "th" for cell in cells) and len(grid) < 4:
            header_rows += 1
        else:
            in_header = False
        line: list[str] = []
        for cell in cells:
            if carried:
                _take_carried(line, carried)
            text = one_line(inline_text(cell, selectors) if len(cell) else cell.text or "")
            if not cell.keys():
                line.append(text)
                continue
            for _ in range(_span(cell, "colspan")):
                if (depth := _span(cell, "rowspan")) > 1:
                    carried[len(line)] = (depth - 1, text)
                line.append(text)
        _take_carried(line, carried)
        last = max(carried, default=-1)
        while len(line) <= last:  # what comes from above stands behind cells that are missing
            line.append("")
            _take_carried(line, carried)
        fills = len(line) == _span(cells[0], "colspan") if len(cells) == 1 else fills and not cells
        grid.append(line[:1] if fills else line)  # a heading inside the table: say it once
    return grid, header_rows if header_rows < len(grid) else 0


def _take_carried(line: list[str], carried: dict[int, tuple[int, str]]) -> None:
    while len(line) in carried:
        left, text = carried.pop(len(line))
        if left > 1:
            carried[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: etree._Element, name: str) -> int:
    value = cell.get(name, "").strip()
    if not value:
        return 1
    return min(int(value), 100) if value.isdigit() and value.isascii() and int(value) > 0 else 1
