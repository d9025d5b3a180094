"""Office Math (ECMA-376, part 1, chapter 22.1) as LaTeX, as far as its structures have one."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MAX_DEPTH = 60
_OPERATORS = {
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "∬": r"\iint",
    "∮": r"\oint",
    "\u22c3": r"\bigcup",
    "\u22c2": r"\bigcap",
}
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u20d7": "vec"}
_FUNCTIONS = frozenset(["sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "sup", "inf", "det"])


def latex(node: etree._Element, depth: int = 0) -> str:
    """What stands in `node`; below `MAX_DEPTH` only its characters."""
    if depth > MAX_DEPTH:
        return "".join(text.text or "" for text in node.iter(f"{M}t"))
    parts = []
    for child in node:
        if child.tag == f"{M}t":
            parts.append(child.text or "")
        elif isinstance(child.tag, str) and (write := _WRITERS.get(child.tag.removeprefix(M))):
            parts.append(write(child, depth + 1))
        else:
            parts.append(latex(child, depth + 1))
    return "".join(parts)


def _part(node: etree._Element, name: str, depth: int) -> str:
    found = node.find(f"{M}{name}")
    return latex(found, depth) if found is not None else ""


def _base(node: etree._Element, depth: int) -> str:
    """What a script stands at: braced when it is more than a letter."""
    base = _part(node, "e", depth)
    return base if len(base) <= 1 else f"{{{base}}}"


def _stated(node: etree._Element, name: str, default: str) -> str:
    """A character that the structure's properties name."""
    found = node.find(f"{M}{node.tag.removeprefix(M)}Pr/{M}{name}")
    return str(found.get(f"{M}val", "")) if found is not None else default


def _script(mark: str, text: str) -> str:
    return "" if not text else f"{mark}{text}" if len(text) == 1 else f"{mark}{{{text}}}"


def _fraction(node: etree._Element, depth: int) -> str:
    above, below = _part(node, "num", depth), _part(node, "den", depth)
    if _stated(node, "type", "bar") == "noBar":  # a binomial coefficient, for one
        return rf"{{{above} \atop {below}}}"
    return rf"\frac{{{above}}}{{{below}}}"


def _scripts(node: etree._Element, depth: int) -> str:
    scripts = _script("_", _part(node, "sub", depth)) + _script("^", _part(node, "sup", depth))
    return f"{{}}{scripts}{_base(node, depth)}" if node.tag == f"{M}sPre" else _base(node, depth) + scripts


def _root(node: etree._Element, depth: int) -> str:
    degree = _part(node, "deg", depth)
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(node, 'e', depth)}}}"


def _nary(node: etree._Element, depth: int) -> str:
    sign = _stated(node, "chr", "∫")
    scripts = _script("_", _part(node, "sub", depth)) + _script("^", _part(node, "sup", depth))
    return f"{_OPERATORS.get(sign, sign)}{scripts} {_part(node, 'e', depth)}"


def _delimited(node: etree._Element, depth: int) -> str:
    inside = _stated(node, "sepChr", "|").join(latex(child, depth) for child in node.iterfind(f"{M}e"))
    return f"{_stated(node, 'begChr', '(')}{inside}{_stated(node, 'endChr', ')')}"


def _function(node: etree._Element, depth: int) -> str:
    name = _part(node, "fName", depth).strip()
    return f"{chr(92) if name in _FUNCTIONS else ''}{name} {_part(node, 'e', depth)}"


def _accent(node: etree._Element, depth: int) -> str:
    return rf"\{_ACCENTS.get(_stated(node, 'chr', chr(0x302)), 'hat')}{{{_part(node, 'e', depth)}}}"


def _limit(node: etree._Element, depth: int) -> str:
    mark = "_" if node.tag == f"{M}limLow" else "^"
    base = _part(node, "e", depth)
    return (rf"\{base}" if base in _FUNCTIONS else base) + _script(mark, _part(node, "lim", depth))


def _matrix(node: etree._Element, depth: int) -> str:
    rows = (" & ".join(latex(cell, depth) for cell in row.iterfind(f"{M}e")) for row in node.iterfind(f"{M}mr"))
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


def _equations(node: etree._Element, depth: int) -> str:
    lines = (latex(line, depth) for line in node.iterfind(f"{M}e"))
    return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}"


_WRITERS: dict[str, Callable[[etree._Element, int], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _scripts,
    "rad": _root,
    "nary": _nary,
    "d": _delimited,
    "func": _function,
    "acc": _accent,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
    "eqArr": _equations,
}
