"""XML without its document type: what it declares as plain text is written out, and nothing else is expanded.

No parser ever sees a declaration, so none can fetch or multiply anything. A reference to what lies outside, to markup
or to other entities stays as it is written.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from html.entities import html5
from xml.sax.saxutils import escape

from trivium_ingest.parse.failures import corrupt

MAX_ENTITY_CHARS = 1_000
MAX_WRITTEN_OUT_CHARS = 1_000_000
MAX_NAMED = 10  # entities in a warning
_APART = r"<!--(?s:.*?)(?:-->|\Z)|<\?(?s:.*?)(?:\?>|\Z)"
_QUOTED = r""""[^"]*+"|'[^']*+'"""
_DOCTYPE = re.compile(
    rf"(?P<before>\ufeff?(?:\s++|{_APART})*+)<!DOCTYPE(?:{_QUOTED}|[^\[\]\"'<>])*+"
    rf"(?:\[(?P<subset>(?:{_APART}|{_QUOTED}|<(?!!--|\?)|[^\]\"'<])*+)\]\s*+)?>"
)
_BEGIN = re.compile(rf"(?:\xef\xbb\xbf)?(?:\s++|{_APART})*+<!DOCTYPE".encode("latin-1"))
_ENTITY = re.compile(rf"{_APART}|<!ENTITY\s+(?P<name>[^\s%\"'<>&;]+)\s+(?P<value>{_QUOTED})\s*>")
_REFERENCE = re.compile(rf"<!\[CDATA\[(?s:.*?)(?:\]\]>|\Z)|{_APART}|&(?P<name>[^\s&;#<>\"']{{1,100}});")
_PREDEFINED = frozenset(["amp", "lt", "gt", "quot", "apos"])
_QUOTES = {'"': "&quot;", "'": "&apos;"}


def has_doctype(content: bytes) -> bool:
    """True when UTF-8 declares a document type before its root element."""
    return _BEGIN.match(content) is not None


def without_doctype(content: bytes, what: str, tell: Callable[[str], None]) -> bytes:
    """The document with its simple entities written out. Raises `NeverWill` (`corrupt_file`) for what declares none."""
    text = content.decode("utf-8", "replace")
    found = _DOCTYPE.match(text)
    if found is None:
        raise corrupt(what, "its document type declaration has no end")
    written = _Written(_simple(found["subset"] or ""))
    body = (found["before"] + _REFERENCE.sub(written.out, text[found.end() :])).encode()
    if has_doctype(body):
        raise corrupt(what, "it declares its document type twice")
    if written.kept:
        names = ", ".join(f"&{name};" for name in list(written.kept)[:MAX_NAMED])
        tell(f"Entities that are declared elsewhere, or as more than plain text, stand as they are written: {names}.")
    return body


def _simple(subset: str) -> Mapping[str, str]:
    """The entities of a subset that are short plain text, each as its first declaration says (XML 1.0, 4.2)."""
    values: dict[str, str] = {}
    for found in _ENTITY.finditer(subset):
        if found["name"]:
            values.setdefault(found["name"], found["value"][1:-1])
    return {name: html.unescape(value) for name, value in values.items() if _is_plain(value)}


def _is_plain(value: str) -> bool:
    named = {name for name in re.findall(r"&([^#;][^;]*)", value)}
    return len(value) <= MAX_ENTITY_CHARS and "<" not in value and "%" not in value and named <= _PREDEFINED


class _Written:
    """Writes references out, within a bound on the whole; `kept` names those that stay."""

    def __init__(self, simple: Mapping[str, str]) -> None:
        self._simple = simple
        self._left = MAX_WRITTEN_OUT_CHARS
        self.kept: dict[str, None] = {}

    def out(self, reference: re.Match[str]) -> str:
        name = reference["name"]
        if name is None or name in _PREDEFINED:
            return reference.group()
        value = self._simple.get(name) or html5.get(f"{name};")
        if value is None or len(value) > self._left:
            self.kept[name] = None
            return f"&amp;{name};"
        self._left -= len(value)
        return escape(value, _QUOTES)
