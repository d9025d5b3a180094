"""Rows of a worksheet in the form in which nearly every program writes them, taken by one regular expression."""

from __future__ import annotations

import re
from collections.abc import Callable

from trivium_ingest.parse.spreadsheets.cells import column_number
from trivium_ingest.parse.xml.windows import plain_text

MAX_COLUMNS = 16_384  # Excel's own bound

Show = Callable[[str], str]
Showing = Callable[[str, str], Show]
Line = tuple[int, tuple[str, ...]]

_BEGIN = r'<row r="([0-9]++)"(?: [\w:]++="[^"<&]*+")*+>'
_INLINE = r'<is><t(?: xml:space="preserve")?+>([^<]*+)</t></is>'
_FORMULA = r"<f[^<>]*+(?:(?<=/)>|>[^<]*+</f>)"
_STORED = r"<v>([^<]*+)</v>|<v ?/>"
# Groups: column, other attributes, text that stands inline, text that is stored, number of the row that begins next.
_CELL = re.compile(
    rf'<c r="([A-Z]{{1,3}}+)[0-9]++"([^<>/]*+)'
    rf"(?:/>|>(?:{_INLINE}|(?:{_FORMULA})?+(?:{_STORED})?+)</c>)"
    rf"(?:</row>{_BEGIN})?+"
)
_UNVALUED_END = re.compile(r"</f>(?:<v ?/>|<v></v>)?</c>")
_UNVALUED = re.compile(rf'<c r="[A-Z]++[0-9]++"(?: s="[0-9]++")?+>{_FORMULA}(?:<v ?/>|<v></v>)?+</c>')
_ROW = re.compile(_BEGIN)
_ATTRIBUTES = re.compile(r'(?: s="([0-9]++)"| t="(\w++)"){0,2}+ ?')


def plain_rows(markup: str, showing: Showing) -> tuple[list[Line], int] | None:
    """The rows, and how many cells hold something; None where anything but whole plain rows stands in `markup`.

    `showing` answers, for a cell's kind and style, what turns its stored text into the words to show.
    """
    parts = _CELL.split(markup)
    between, attributes = parts[::6], parts[2::6]
    begin = _ROW.fullmatch(between[0])
    forms = set(attributes)
    shows = {form: show for form in forms if (show := _show(form, showing))}
    if begin is None or between[-1] != "</row>" or any(between[1:-1]) or len(shows) < len(forms):
        return None
    inside = [inline or stored or "" for inline, stored in zip(parts[3::6], parts[4::6], strict=True)]
    texts = plain_text(inside, markup)
    if texts is None:
        return None
    shown = [text and shows[form](text) for form, text in zip(attributes, texts, strict=True)]
    return _rows(int(begin[1]), parts[1::6], shown, parts[5::6]), len(texts) - texts.count("")


def has_unvalued(markup: str) -> bool:
    """Whether a formula that gives a number has no stored value: many programs write them so."""
    return _UNVALUED_END.search(markup) is not None and _UNVALUED.search(markup) is not None


def _show(attributes: str, showing: Showing) -> Show | None:
    match = _ATTRIBUTES.fullmatch(attributes)
    return showing(match[2] or "n", match[1] or "0") if match else None


def _rows(number: int, columns: list[str], shown: list[str], begun: list[str | None]) -> list[Line]:
    """`begun` has, at the last cell of each row, the number of the row after it."""
    rows: list[Line] = []
    names: list[str] = []
    places: list[int] = []
    start, gapless = 0, False
    for end in [*(end for end, following in enumerate(begun, 1) if following), len(begun)]:
        if columns[start:end] != names:
            names = columns[start:end]
            places = [column_number(name) for name in names]
            gapless = len(places) <= MAX_COLUMNS and places == [*range(1, len(places) + 1)]
        texts = shown[start:end]
        rows.append((number, _without_end(texts) if gapless else _placed(places, texts)))
        number, start = int(begun[end - 1] or 0), end
    return rows


def _without_end(texts: list[str]) -> tuple[str, ...]:
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def _placed(places: list[int], texts: list[str]) -> tuple[str, ...]:
    known = zip(places, texts, strict=True)
    return line_of({place: text for place, text in known if text and place <= MAX_COLUMNS})


def line_of(cells: dict[int, str]) -> tuple[str, ...]:
    """Cells by their columns, from 1, as a line that ends with the last of them."""
    last = max(cells, default=0)
    return tuple(cells.get(place, "") for place in range(1, last + 1))
