"""The comments of YAML, which no loader keeps: where they stand, and their words put to the lines that are said."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec
import yaml  # type: ignore[import-untyped]

_COMMENT = re.compile(r"(?<!\S)#+[ \t]?([^\n\r]*)")


class Comment(msgspec.Struct, frozen=True):
    """From its mark to the end of its line; `behind` something on that line, else on lines of its own."""

    start: int
    end: int
    words: str
    behind: bool


class Said(msgspec.Struct, frozen=True):
    """What is said of the node that begins at `start` under `path`; of a collection `value` is None.

    Of a list of scalars, `last` is where the last one begins.
    """

    start: int
    path: str
    value: str | None
    last: int = 0

    @property
    def line(self) -> str:
        """`path: value`, or what there is of it."""
        return f"{self.path}: {self.value}" if self.path and self.value is not None else self.value or self.path


class Comments:
    """The comments of a text, in order, taken as its nodes are said."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)] if "#" in text else []
        self._known = 0  # up to here the text has been looked through
        self._left: deque[Comment] = deque()

    def look_through(self, root: yaml.Node | None, end: int) -> None:
        """Up to `end`; a mark within a scalar below `root` begins none."""
        if self._text.find("#", self._known, end) >= 0:
            self._left.extend(self._found(end, sorted(_scalars(root)) if root is not None else []))
        self._known = max(self._known, end)

    def _found(self, end: int, scalars: Sequence[tuple[int, int]]) -> Iterator[Comment]:
        place = self._known
        while match := _COMMENT.search(self._text, place, end):
            at = bisect_right(scalars, (match.start(), len(self._text))) - 1
            if at >= 0 and match.start() < scalars[at][1]:
                place = scalars[at][1]
                continue
            place = match.end()
            before = self._text[self._line_of(match.start()) : match.start()]
            yield Comment(match.start(), match.end(), match[1].rstrip(), behind=bool(before.strip()))

    def before(self, place: int) -> Iterator[list[Comment]]:
        """Takes those before `place`: runs of lines that follow each other."""
        run: list[Comment] = []
        while self._left and self._left[0].start < place:
            comment = self._left.popleft()
            if run and self._text.count("\n", run[-1].end, comment.start) > 1:
                yield run
                run = []
            run.append(comment)
        if run:
            yield run

    def within(self, last: int, end: int) -> tuple[list[Comment], int]:
        """Takes those of an entry that ends at `end`, its last node at `last`; says where it ends with them.

        What follows on its last line is of it, and what stands on later lines is of the next one.
        """
        taken: list[Comment] = []
        while self._left and (self._left[0].start < end or self._is_behind(self._left[0], end)):
            taken.append(self._left.popleft())
            end = max(end, taken[-1].end)
        while taken and not taken[-1].behind and taken[-1].start > last:
            self._left.appendleft(taken.pop())
            end = self._left[0].start
        return taken, end

    def _is_behind(self, comment: Comment, end: int) -> bool:
        return comment.behind and self._text.find("\n", end, comment.start) < 0

    def put_to(self, said: Sequence[Said], comments: Sequence[Comment]) -> list[str]:
        """The lines, with a comment's words behind the first node of its line, or before the node that they are above.

        What stands above a node is a paragraph of its own.
        """
        lines: list[tuple[bool, str]] = []  # whether it stands above one
        waiting = deque(comments)
        at_line: dict[int, tuple[Said, int]] = {}  # by a line's begin: its first node, and where that is said
        for one in said:
            while waiting and waiting[0].start < one.start:
                self._put(waiting.popleft(), lines, at_line)
            at_line.setdefault(self._line_of(one.start), (one, len(lines)))
            if one.value is not None:
                lines.append((False, one.line))
        for comment in waiting:
            self._put(comment, lines, at_line)
        runs = [[text for _, text in run] for _, run in groupby(lines, key=itemgetter(0))]
        return [line for run in runs for line in ("", *run)][1:]

    def _put(self, comment: Comment, lines: list[tuple[bool, str]], at_line: dict[int, tuple[Said, int]]) -> None:
        node, place = at_line.get(self._line_of(comment.start), (None, 0))
        if node is None or not comment.behind:
            lines.append((True, comment.words))
        elif node.value is not None:
            lines[place] = (False, f"{lines[place][1]} # {comment.words}")
        else:
            lines.append((False, f"{node.path}: # {comment.words}" if node.path else comment.words))

    def _line_of(self, place: int) -> int:
        """Where the line before `place` ends, which tells its line from all others."""
        at = bisect_left(self._breaks, place)
        return self._breaks[at - 1] if at else 0


def _scalars(root: yaml.Node) -> Iterator[tuple[int, int]]:
    """Where the scalars stand, each once: an alias leads to what was seen."""
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.ScalarNode):
            yield node.start_mark.index, node.end_mark.index
            continue
        inside = [one for pair in node.value for one in pair] if isinstance(node, yaml.MappingNode) else node.value
        waiting += [one for one in inside if id(one) not in seen]
        seen.update(map(id, inside))
