"""YAML as `path: value` lines, scalars as they are written: nothing is constructed, aliases are not expanded.

Comments are said too: those above an entry as a paragraph before it, those behind one on its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

import msgspec
import yaml  # type: ignore[import-untyped]

from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.data.yaml_comments import Comment, Comments, Said
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
    """One entry at the top of a document, or comments there: the lines, and their (start, end) in the text."""

    lines: list[str]
    offset: tuple[int, int]


def said_as_yaml(text: str, limits: ParseLimits, *, comments: bool = True) -> Iterator[Record]:
    """The entries of every document in `text`, with its comments or without.

    Raises `YamlError`, `TooDeep`, and `NeverWill` (`limit_exceeded`).
    """
    if _may_be_deep(text):
        raise TooDeep
    speaker, remarks = _Speaker(limits), Comments(text if comments else "")
    for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
        speaker.begin_document()
        if document is not None:
            remarks.look_through(document, text.find("\n", document.end_mark.index) % (len(text) + 1))
        for name, first, value in _entries(document):
            start = first.start_mark.index
            end = value.end_mark.index
            if end <= start:  # an alias, whose own marks are its anchor's
                end = text.find("\n", first.end_mark.index) % (len(text) + 1)
            yield from map(_as_record, remarks.before(start))
            said = list(speaker.said(value, name, start))
            end = start + len(text[start:end].rstrip())
            within, end = remarks.within(max(said[-1].start, said[-1].last) if said else start, end)
            yield Record(remarks.put_to(said, within), (start, start + len(text[start:end].rstrip())))
    remarks.look_through(None, len(text))
    yield from map(_as_record, remarks.before(len(text)))


def _entries(document: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """The name, the node that it begins with and its value of each entry at the top."""
    if isinstance(document, yaml.MappingNode):
        yield from ((_name(key), key, value) for key, value in document.value)
        return
    values = document.value if isinstance(document, yaml.SequenceNode) else filter(None, [document])
    yield from (("", value, value) for value in values)


def _as_record(comments: Sequence[Comment]) -> Record:
    return Record([comment.words for comment in comments], (comments[0].start, comments[-1].end))


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

    def said(self, top: yaml.Node, name: str, place: int) -> Iterator[Said]:
        """Each node, with a value for each scalar and list of scalars; `place` is where the top one's entry begins.

        A path of `MAX_DEPTH` steps is a line, and goes on as "…".
        """
        waiting = [(top, name, place, 1)]
        while waiting:
            node, path, place, depth = waiting.pop()
            self._take(1)
            if isinstance(node, yaml.ScalarNode):
                yield Said(place, path, node.value)
                continue
            if id(node) in self._said:
                yield Said(place, path, f"(as {self._said[id(node)]})")
                continue
            self._said[id(node)] = path or "above"
            if depth == MAX_DEPTH:
                if path:
                    yield Said(place, "", path)
                path, depth = "…" if path else "", 0
            if isinstance(node, yaml.MappingNode):
                yield Said(place, path, None)
                inside = [
                    (value, f"{path}.{_name(key)}" if path else _name(key), key.start_mark.index)
                    for key, value in node.value
                ]
                waiting += [(value, below, at, depth + 1) for value, below, at in reversed(inside)]
            elif all(isinstance(value, yaml.ScalarNode) for value in node.value):
                self._take(len(node.value))
                last = node.value[-1].start_mark.index if node.value else place
                yield Said(place, path, ", ".join(value.value for value in node.value), last)
            else:
                yield Said(place, path, None)
                waiting += [(value, path, value.start_mark.index, depth + 1) for value in reversed(node.value)]

    def _take(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise too_large("max_cells", f"more than {self._limit:,} values")


def _name(key: yaml.Node) -> str:
    return one_line(str(key.value)) if isinstance(key, yaml.ScalarNode) else "?"
