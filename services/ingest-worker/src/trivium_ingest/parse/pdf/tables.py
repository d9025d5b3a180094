"""Tables on a page: those drawn with lines, and those that only line up."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from statistics import median

from trivium_ingest.parse.pdf.lines import Piece
from trivium_ingest.parse.pdf.words import Word
from trivium_ingest.parse.table import MAX_HEADER_ROWS, Table, guess_header_rows, looks_numeric

Rect = tuple[float, float, float, float]
THICKEST_RULE = 3.0
SHORTEST_RULE = 8.0
_NEAR = 3.0
MAX_RULES = 2_000
MIN_FILLED = 0.5  # of its cells: underlined words make something like a table, too
MIN_ALIGNED_ROWS = 3
MAX_CELL_CHARS = 40
_DASHES = "-\u2013\u2014 "  # one stands for nothing in each of several columns
_MAX_ROW_GAP = 2.6  # in line heights


def ruled_tables(rects: Sequence[Rect], words: Sequence[Word]) -> tuple[list[Piece], list[Word]]:
    """Tables whose cells are drawn, as pieces, and the words outside of them."""
    tables: list[Piece] = []
    rest = list(words)
    for grid in _grids(rects):
        xs, ys = _steps(grid[1], 0), _steps(grid[0], 1)
        if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > 20_000:
            continue
        inside = [w for w in rest if xs[0] <= _x(w) <= xs[-1] and ys[0] <= _y(w) <= ys[-1]]
        rows = _cells(inside, xs, ys, grid)
        filled = sum(bool(cell) for row in rows for cell in row)
        if len(rows) < 2 or filled < 4 or max(len(row) for row in rows) < 2:
            continue
        taken = {word.index for word in inside}
        rest = [word for word in rest if word.index not in taken]
        table = Table(tuple(rows), guess_header_rows(rows))
        index = min(taken)
        tables.append(Piece("", xs[0], ys[0], xs[-1], ys[-1], index, table=table))
    return tables, rest


def frames(rects: Sequence[Rect]) -> list[Rect]:
    """What drawn lines enclose, from the outermost to the outermost."""
    grids = [(_steps(vertical, 0), _steps(horizontal, 1)) for horizontal, vertical in _grids(rects)]
    return [(xs[0], ys[0], xs[-1], ys[-1]) for xs, ys in grids if len(xs) > 1 and len(ys) > 1]


def aligned_table(rows: Sequence[Sequence[Piece]]) -> tuple[int, Table] | None:
    """When `rows` begins with a table without lines: how many rows it takes, and the table."""
    end, last_wide = 0, 0
    for number, row in enumerate(rows):
        if row[0].table is not None or (number and _gap(rows[number - 1], row) > _MAX_ROW_GAP * _tall(row)):
            break
        if len(row) > 1:
            last_wide = number + 1
        elif number - last_wide >= 1 or number == 0:
            break
        end = number + 1
    run = rows[: min(end, last_wide)]
    if sum(len(row) > 1 for row in run) < MIN_ALIGNED_ROWS:
        return None
    edges = _column_edges(run)
    if len(edges) < 1:
        return None
    cells = _aligned_cells(run, edges)
    return (len(run), Table(cells, guess_header_rows(cells))) if _tabular(cells) else None


def _aligned_cells(run: Sequence[Sequence[Piece]], edges: list[float]) -> tuple[tuple[str, ...], ...]:
    grid = []
    for row in run:
        cells = [""] * (len(edges) + 1)
        for piece in row:
            column = bisect_right(edges, (piece.left + min(piece.right, piece.left + 10)) / 2)
            cells[column] = f"{cells[column]} {piece.text}".strip()
        grid.append(tuple(cells))
    return tuple(grid)


def _column_edges(run: Sequence[Sequence[Piece]]) -> list[float]:
    """Middles of the white strips that (nearly) no piece of the wide rows crosses."""
    spans = sorted((p.left, p.right) for row in run if len(row) > 1 for p in row if p.text.strip(_DASHES))
    if not spans:
        return []
    allowed = len(run) // 12
    events = sorted([(left, 1) for left, _ in spans] + [(right, -1) for _, right in spans])
    edges, covering, opened = [], 0, None
    for x, step in events:
        covering += step
        if covering <= allowed and opened is None:
            opened = x
        elif covering > allowed and opened is not None:
            if x - opened > 2.0 and spans[0][0] < opened:
                edges.append((opened + x) / 2)
            opened = None
    return edges


def _tabular(cells: tuple[tuple[str, ...], ...]) -> bool:
    """Short cells, most rows with several of them, and numbers or at least three columns."""
    wide = [row for row in cells if sum(bool(cell) for cell in row) > 1]
    if len(wide) < MIN_ALIGNED_ROWS or len(wide) < 0.6 * len(cells):
        return False
    values = [cell for row in wide for cell in row[1:] if cell]
    numeric = sum(map(looks_numeric, values)) / max(1, len(values))
    lengths = sorted(len(cell) for row in cells for cell in row if cell)
    typical = median(lengths)
    if typical > MAX_CELL_CHARS or lengths[int(0.85 * len(lengths))] > 1.5 * MAX_CELL_CHARS:
        return False
    return numeric >= 0.4 or (len(cells[0]) >= 3 and typical <= 0.6 * MAX_CELL_CHARS)


def _gap(above: Sequence[Piece], below: Sequence[Piece]) -> float:
    return min(p.top for p in below) - max(p.bottom for p in above)


def _tall(row: Sequence[Piece]) -> float:
    return max(4.0, median(p.bottom - p.top for p in row))


def _grids(rects: Sequence[Rect]) -> list[tuple[list[Rect], list[Rect]]]:
    """Groups of horizontal and vertical rules that touch each other."""
    horizontal, vertical = _rules(rects)
    if len(horizontal) < 2 or len(vertical) < 2 or len(horizontal) + len(vertical) > MAX_RULES:
        return []
    rules = horizontal + vertical
    parent = list(range(len(rules)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    order = sorted(range(len(horizontal)), key=lambda i: rules[i][1])
    tops = [rules[i][1] for i in order]
    for v in range(len(horizontal), len(rules)):
        left, top, right, bottom = rules[v]
        for i in order[bisect_right(tops, top - 2 * _NEAR) : bisect_right(tops, bottom + _NEAR)]:
            other = rules[i]
            if other[0] - _NEAR <= right and other[2] + _NEAR >= left:
                parent[root(i)] = root(v)
    groups: dict[int, tuple[list[Rect], list[Rect]]] = {}
    for number, rule in enumerate(rules):
        groups.setdefault(root(number), ([], []))[0 if number < len(horizontal) else 1].append(rule)
    return [group for group in groups.values() if len(group[0]) > 1 and len(group[1]) > 1]


def _rules(rects: Sequence[Rect]) -> tuple[list[Rect], list[Rect]]:
    horizontal, vertical = [], []
    for left, top, right, bottom in rects:
        width, height = right - left, bottom - top
        if height <= THICKEST_RULE and width >= SHORTEST_RULE:
            horizontal.append((left, top, right, bottom))
        elif width <= THICKEST_RULE and height >= SHORTEST_RULE:
            vertical.append((left, top, right, bottom))
        elif width >= SHORTEST_RULE and height >= SHORTEST_RULE:
            horizontal.extend([(left, top, right, top), (left, bottom, right, bottom)])
            vertical.extend([(left, top, left, bottom), (right, top, right, bottom)])
    return horizontal, vertical


def _steps(rules: list[Rect], axis: int) -> list[float]:
    """The distinct places of the rules along one axis."""
    places: list[float] = []
    for place in sorted((rule[axis] + rule[axis + 2]) / 2 for rule in rules):
        if not places or place - places[-1] > _NEAR:
            places.append(place)
    return places


def _cells(
    words: list[Word], xs: list[float], ys: list[float], rules: tuple[list[Rect], list[Rect]]
) -> list[tuple[str, ...]]:
    """The words of each cell; where no line divides two cells side by side, the left one holds the text of both.

    What stands in a cell that is drawn over several rows is repeated in each, and a group's name in its columns.
    """
    grid: list[list[list[str]]] = [[[] for _ in xs[1:]] for _ in ys[1:]]
    horizontal, vertical = rules
    near = [_spans_near(vertical, x, 0) for x in xs]
    divided = [
        [any(above <= (top + bottom) / 2 <= below for above, below in spans) for spans in near]
        for top, bottom in itertools.pairwise(ys)
    ]
    for word in words:
        row = min(len(ys) - 2, max(0, bisect_right(ys, _y(word)) - 1))
        column = min(len(xs) - 2, max(0, bisect_right(xs, _x(word)) - 1))
        while column > 0 and not divided[row][column]:
            column -= 1
        grid[row][column].append(word.text)
    rows = [[" ".join(cell) for cell in row] for row in grid]
    used = [column for column in range(len(xs) - 1) if any(row[column] for row in rows)]
    kept = [number for number, row in enumerate(rows) if any(row)]
    above = [_spans_near(horizontal, y, 1) for y in ys]
    filled = sum(bool(cell) for row in rows for cell in row)
    if filled < MIN_FILLED * len(kept) * len(used):
        return [tuple(rows[number][column] for column in used) for number in kept]
    for number in range(min(MAX_HEADER_ROWS, len(rows)) - 1):
        if sum(map(bool, rows[number])) > 1:
            _fill_across(rows[number : number + 2], used, divided[number : number + 2])
    for column in used:
        x = (xs[column] + xs[column + 1]) / 2
        ruled = {number for number, spans in enumerate(above) if any(left <= x <= right for left, right in spans)}
        for run in itertools.starmap(range, itertools.pairwise(sorted({*ruled, 0, len(rows)}))):
            if {run.start, run.stop} <= ruled or any(divided[number][column] for number in run):
                _fill(rows, column, run)
    return [tuple(rows[number][column] for column in used) for number in kept]


def _fill_across(rows: list[list[str]], used: list[int], divided: list[list[bool]]) -> None:
    """Repeat a group's name over each of its columns, which the row below names."""
    upper, lower = rows
    spans: list[list[int]] = []
    for column in used:
        if spans and lower[column] and not upper[column] and divided[1][column] and not divided[0][column]:
            spans[-1].append(column)
        else:
            spans.append([column])
    wide = [span for span in spans if len(span) > 1 and upper[span[0]]]
    if wide == spans[1:2] and upper[used[0]] and lower[used[0]]:
        return  # a row of a form or of data: its name, and one long value
    for first, *others in wide:
        for column in others:
            upper[column] = upper[first]


def _fill(rows: list[list[str]], column: int, run: range) -> None:
    """Repeat what stands in one row of a cell that is merged over several, in all of them."""
    texts = [rows[number][column] for number in run if rows[number][column]]
    for number in run if len(texts) == 1 else ():
        rows[number][column] = texts[0]


def _spans_near(rules: list[Rect], place: float, axis: int) -> list[tuple[float, float]]:
    """From where to where the rules at a place on one axis divide what is before them from what is behind."""
    other = 1 - axis
    return [
        (r[other] - _NEAR, r[other + 2] + _NEAR) for r in rules if abs((r[axis] + r[axis + 2]) / 2 - place) <= _NEAR
    ]


def _x(word: Word) -> float:
    return (word.left + word.right) / 2


def _y(word: Word) -> float:
    return (word.top + word.bottom) / 2
