"""YAML as `path: value` lines, scalars as they are written: nothing is constructed, aliases are not expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec
import yaml  # type: ignore[import-untyped]

from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.clean import one_line
from trivium_ingest.parse.failures import too_large

YamlError: TypeAlias = yaml.YAMLError
MAX_DEPTH = 64


class Record(msgspec.Struct, frozen=True):
    """One entry at the top of a document: its lines and its (start, end) in the text."""

    lines: list[str]
    offset: tuple[int, int]


def said_as_yaml(text: str, limits: ParseLimits) -> Iterator[Record]:
    """The entries of every document in `text`. Raises `YamlError`, and `NeverWill` (`limit_exceeded`)."""
    speaker = _Speaker(limits)
    for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
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
            yield Record(list(speaker.said(value, name, 1)), (start, start + len(text[start:end].rstrip())))


class _Speaker:
    """Says nodes, each collection once: a bomb of aliases says where it stands, and is as short as its file."""

    def __init__(self, limits: ParseLimits) -> None:
        self._left = self._limit = limits.max_cells
        self._said: dict[int, str] = {}

    def said(self, node: yaml.Node, path: str, depth: int) -> Iterator[str]:
        """One line for each scalar below `node`, and for each list of scalars."""
        self._left -= 1
        if self._left < 0:
            raise too_large("max_cells", f"more than {self._limit:,} values")
        if isinstance(node, yaml.ScalarNode):
            yield _line(path, node.value)
        elif id(node) in self._said or depth > MAX_DEPTH:
            yield _line(path, f"(as {self._said[id(node)]})" if id(node) in self._said else "…")
        else:
            self._said[id(node)] = path or "above"
            yield from self._inside(node, path, depth)

    def _inside(self, node: yaml.Node, path: str, depth: int) -> Iterator[str]:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                yield from self.said(value, f"{path}.{_name(key)}" if path else _name(key), depth + 1)
        elif all(isinstance(value, yaml.ScalarNode) for value in node.value):
            self._left -= len(node.value)
            yield _line(path, ", ".join(value.value for value in node.value))
        else:
            for value in node.value:
                yield from self.said(value, path, depth + 1)


def _name(key: yaml.Node) -> str:
    return one_line(str(key.value)) if isinstance(key, yaml.ScalarNode) else "?"


def _line(path: str, value: str) -> str:
    return f"{path}: {value}" if path else value
