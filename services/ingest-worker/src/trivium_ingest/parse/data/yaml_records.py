"""YAML as `path: value` lines, scalars as they are written: nothing is constructed, aliases are not expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import TypeAlias

import msgspec
import yaml  # type: ignore[import-untyped]

from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.text.clean import one_line

YamlError: TypeAlias = yaml.YAMLError
MAX_DEPTH = 64
MAX_NESTING = 1_000
_LINE_BEGIN = re.compile(r"^[ \t?:-]+", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]{}]")


class TooDeep(Exception):
    """Collections in collections in collections, beyond `MAX_NESTING`."""


class Record(msgspec.Struct, frozen=True):
    """One entry at the top of a document: its lines and its (start, end) in the text."""

    lines: list[str]
    offset: tuple[int, int]


def said_as_yaml(text: str, limits: ParseLimits) -> Iterator[Record]:
    """The entries of every document in `text`. Raises `YamlError`, `TooDeep`, and `NeverWill` (`limit_exceeded`)."""
    if _may_be_deep(text):
        raise TooDeep
    speaker = _Speaker(limits)
    for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
        speaker.begin_document()
        if isinstance(document, yaml.MappingNode):
            entries = [(_name(key), key, value) for key, value in document.value]
        else:
            values = document.value if isinstance(document, yaml.SequenceNode) else filter(None, [document])
            entries = [("", value, value) for value in values]
        for name, first, value in entries:
            start = first.start_mark.index
            end = value.end_mark.index
            if end <= start:  # an alias, whose own marks are its anchor's
                end = text.find("\n", first.end_mark.index) % (len(text) + 1)
            yield Record(list(speaker.said(value, name)), (start, start + len(text[start:end].rstrip())))


def is_mapping(text: str) -> bool:
    """Whether `text` is one document of names and values. Raises `YamlError` and `TooDeep`."""
    if _may_be_deep(text):
        raise TooDeep
    return isinstance(yaml.compose(text, Loader=yaml.CSafeLoader), yaml.MappingNode)


def _may_be_deep(text: str) -> bool:
    """Whether collections may lie deeper in one another than the library, which recurses in C, can follow."""
    if any(len(begin) > MAX_NESTING for begin in _LINE_BEGIN.findall(text)):
        return True
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return False
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    return max(accumulate(steps), default=0) > MAX_NESTING


class _Speaker:
    """Says nodes, each collection once: a bomb of aliases says where it stands, and is as short as its file."""

    def __init__(self, limits: ParseLimits) -> None:
        self._left = self._limit = limits.max_cells
        self._said: dict[int, str] = {}

    def begin_document(self) -> None:
        """Forget the collections of the document before: no alias leads there, and their ids are given to others."""
        self._said.clear()

    def said(self, top: yaml.Node, name: str) -> Iterator[str]:
        """One line for each scalar and list of scalars. A path of `MAX_DEPTH` steps is a line, and goes on as "…"."""
        waiting = [(top, name, 1)]
        while waiting:
            node, path, depth = waiting.pop()
            self._take(1)
            if isinstance(node, yaml.ScalarNode):
                yield _line(path, node.value)
                continue
            if id(node) in self._said:
                yield _line(path, f"(as {self._said[id(node)]})")
                continue
            self._said[id(node)] = path or "above"
            if depth == MAX_DEPTH:
                if path:
                    yield path
                path, depth = "…" if path else "", 0
            if isinstance(node, yaml.MappingNode):
                inside = [(value, f"{path}.{_name(key)}" if path else _name(key)) for key, value in node.value]
                waiting += [(value, below, depth + 1) for value, below in reversed(inside)]
            elif all(isinstance(value, yaml.ScalarNode) for value in node.value):
                self._take(len(node.value))
                yield _line(path, ", ".join(value.value for value in node.value))
            else:
                waiting += [(value, path, depth + 1) for value in reversed(node.value)]

    def _take(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise too_large("max_cells", f"more than {self._limit:,} values")


def _name(key: yaml.Node) -> str:
    return one_line(str(key.value)) if isinstance(key, yaml.ScalarNode) else "?"


def _line(path: str, value: str) -> str:
    return f"{path}: {value}" if path else value
