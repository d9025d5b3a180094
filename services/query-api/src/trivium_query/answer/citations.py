"""Citations: how a hit is named in the text, and how a model's `[2]` becomes that name or disappears."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from trivium.domain.answers import Citation, Kind
from trivium.domain.documents import INSIDE
from trivium.domain.retrieval import Hit

MARKER = re.compile(r"\[Source: [^\[\]\n]{1,400}, chunk \d{1,9}\]")
_CITATION = re.compile(
    rf"[ ]*(?:(?P<marker>{MARKER.pattern})"
    r"|\[\s*(?:source:?\s*)?(?P<numbers>\d{1,3}(?:\s*[,;]\s*(?:source:?\s*)?\d{1,3})*)\s*\])",
    re.I,
)
_LONGEST_MARK = 450  # a bracket open longer than this is no citation
_QUOTE_CHARS = 1_000


class Draft(msgspec.Struct, frozen=True):
    """An answer's text with its markers in place, before anybody judged it. `notes` are for the reader.

    `short` as in `Answer`; `kind` where the draft's making shows what the question asks for.
    """

    text: str
    found: bool
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    short: str = ""
    kind: Kind | None = None


class Shelf:
    """The hits an answer may cite. A file's bare name is used unless two different sources share it."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.hits = tuple(hits)
        bearers: defaultdict[str, set[str]] = defaultdict(set)
        for hit in hits:
            bearers[_file_name(hit.chunk.source)].add(hit.chunk.document_id)
        self._shared = {name for name, documents in bearers.items() if len(documents) > 1}

    def marker(self, hit: Hit) -> str:
        """`[Source: file, chunk N]`."""
        return f"[Source: {self.name(hit)}, chunk {hit.chunk.number}]"

    def name(self, hit: Hit) -> str:
        """What the marker calls the source."""
        name = _file_name(hit.chunk.source)
        return _bracketless(hit.chunk.source if name in self._shared else name)

    def cite(self, hit: Hit, quote: str) -> Citation:
        """The citation that belongs to the marker."""
        chunk = hit.chunk
        return Citation(
            marker=self.marker(hit),
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            source=chunk.source,
            chunk_number=chunk.number,
            quote=quote[:_QUOTE_CHARS],
            positions=chunk.positions_of(quote),
        )

    def numbered(self, number: int) -> Hit | None:
        """The hit a model calls `[number]`, counting from 1."""
        return self.hits[number - 1] if 1 <= number <= len(self.hits) else None


class MarkerWriter:
    """Turns `[1]` or `[1, 2]` in text that comes piece by piece into markers; drops numbers of no source.

    `cited` are the hits named so far, in order of first mention; `invented` counts what was dropped.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.cited: list[Hit] = []
        self.invented = 0
        self._shelf = shelf
        self._by_marker = {shelf.marker(hit): hit for hit in shelf.hits}
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that is ready; an open bracket is held back until it closes."""
        text = self._held + piece
        opened = text.rfind("[")
        open_end = opened >= 0 and "]" not in text[opened:] and len(text) - opened <= _LONGEST_MARK
        # White space before a dropped number goes with it, so it waits for what follows.
        cut = len(text[:opened].rstrip(" ")) if open_end else len(text.rstrip(" "))
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def finish(self) -> str:
        """What was still held back."""
        rest, self._held = self._held.rstrip(), ""
        return self._rewrite(rest)

    def _rewrite(self, text: str) -> str:
        return _CITATION.sub(self._judge, text)

    def _judge(self, match: re.Match[str]) -> str:
        """A marker that the model wrote out stays when it names a source it was given; numbers become markers."""
        if match["marker"]:
            hit = self._by_marker.get(match["marker"])
            self._note(hit)
            return match.group() if hit else ""
        hits = [self._shelf.numbered(int(number)) for number in re.findall(r"\d+", match["numbers"])]
        for hit in hits:
            self._note(hit)
        return "".join(f" {marker}" for marker in dict.fromkeys(self._shelf.marker(hit) for hit in hits if hit))

    def _note(self, hit: Hit | None) -> None:
        if hit is None:
            self.invented += 1
        elif hit not in self.cited:
            self.cited.append(hit)


def _file_name(source: str) -> str:
    """Without the folders; of a file inside another, with that one before it."""
    outer, inside, inner = source.partition(INSIDE)
    name = outer.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}{inside}{inner}" or source


def _bracketless(name: str) -> str:
    """A file name that cannot close the marker or break its line."""
    return " ".join(name.replace("[", "(").replace("]", ")").split())[:300]
