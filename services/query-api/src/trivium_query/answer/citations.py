"""Citations: how a hit is named in the text, and how a model's `[2]` or `(a.pdf)` becomes that name or disappears."""

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
    rf"(?:(?<! ) +)?(?:(?P<marker>{MARKER.pattern})"
    r"|(?P<opening>[\[({\u3010])(?P<inside>[^\[\](){}\u3010\u3011\n]{1,430})[\])}\u3011])",
    re.I,
)
_OPEN = re.compile(r"[\[({\u3010][^\])}\u3011\n]*$")
_LABEL = r"(?:sources?|refs?|quellen?|fuentes?)\s*(?::\s*|(?=#?\d))"
_LABELLED = re.compile(rf"\s*{_LABEL}", re.I)
_NUMBERS = re.compile(rf"\s*\^?(?:{_LABEL})?#?\d{{1,3}}(?:\s*[,;]\s*(?:{_LABEL})?#?\d{{1,3}})*\s*(?:\u2020.*)?", re.I)
_FILE = re.compile(
    r"[^\W_][\w.-]*\.(?:pdf|docx?|xls[xmb]?|pptx?|od[tsp]|md|txt|html?|[ct]sv|jsonl?|xml|epub|eml|msg|ipynb|rtf|rst|adoc"
    r"|org|tex|mp[34]|wav|vtt|srt|png|jpe?g|zip)\b",
    re.I,
)
_CHUNK = re.compile(r"\bchunk\s+(\d{1,9})\b", re.I)
_MAX_WORDS_BESIDE = 4  # a bracket that says more beside a name is no citation: "page 3", "chunk 2", "see"
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
    """The hits an answer may cite. A file's bare name is used unless two different sources share it.

    `among` are all that a reader is shown, by which sources are named; the hits themselves where nothing is said.
    """

    def __init__(self, hits: Sequence[Hit], among: Sequence[Hit] | None = None) -> None:
        self.hits = tuple(hits)
        self.among = self.hits if among is None else tuple(among)
        bearers: defaultdict[str, set[str]] = defaultdict(set)
        for hit in self.among:
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
    """Turns `[1]`, `[1, 2]`, `(Source: file.pdf)` and the like, in text that comes piece by piece, into markers.

    What names no source that was given is dropped, unless a source says it itself. `cited` are the hits named so far,
    in order of first mention; `invented` counts what was dropped.
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
        opened = _OPEN.search(text, max(0, len(text) - _LONGEST_MARK))
        # White space before a dropped number goes with it, so it waits for what follows.
        cut = len(text[: opened.start() if opened else len(text)].rstrip(" "))
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def finish(self) -> str:
        """What was still held back."""
        rest, self._held = self._held.rstrip(), ""
        return self._rewrite(rest)

    def _rewrite(self, text: str) -> str:
        return _CITATION.sub(self._judge, text)

    def _judge(self, match: re.Match[str]) -> str:
        """A marker that the model wrote out stays when it names a source it was given."""
        if match["marker"]:
            hit = self._by_marker.get(match["marker"])
            self._note(hit)
            return match.group() if hit else ""
        hits = self._meant(match["opening"], match["inside"])
        if hits is None:
            return match.group()
        for hit in hits:
            self._note(hit)
        return "".join(f" {marker}" for marker in dict.fromkeys(self._shelf.marker(hit) for hit in hits if hit))

    def _meant(self, opening: str, inside: str) -> list[Hit | None] | None:
        """The hits that a bracket cites, None for each that does not exist; None where it is no citation at all."""
        labelled = _LABELLED.match(inside) is not None
        if _NUMBERS.fullmatch(inside) and (labelled or opening in "[\u3010"):
            numbers = re.findall(r"\d+", inside.partition("\u2020")[0])
            return [self._shelf.numbered(int(number)) for number in numbers]
        named = self._named(inside)
        if named is not None or not (labelled or _is_file(inside)):
            return [named] if named is not None else None
        said = any(inside.strip().casefold() in hit.chunk.text.casefold() for hit in self._shelf.hits)
        return None if said else [None]

    def _named(self, inside: str) -> Hit | None:
        """The hit whose name stands in it, and little else; of several chunks of that source the one it numbers."""
        number = _CHUNK.search(inside)
        found = [hit for hit in self._shelf.hits if _stands_in(self._shelf.name(hit), inside)]
        numbered = [hit for hit in found if number is not None and hit.chunk.number == int(number[1])]
        return next(iter(numbered or found), None)

    def _note(self, hit: Hit | None) -> None:
        if hit is None:
            self.invented += 1
        elif hit not in self.cited:
            self.cited.append(hit)


def _stands_in(name: str, inside: str) -> bool:
    before, found, after = inside.casefold().partition(name.casefold())
    return bool(found) and len(f"{before} {after}".split()) <= _MAX_WORDS_BESIDE


def _is_file(inside: str) -> bool:
    """Whether it is the name of a file, and little else."""
    name = _FILE.search(inside)
    return name is not None and _stands_in(name.group(), inside)


def _file_name(source: str) -> str:
    """Without the folders; of a file inside another, with that one before it."""
    outer, inside, inner = source.partition(INSIDE)
    name = outer.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}{inside}{inner}" or source


def _bracketless(name: str) -> str:
    """A file name that cannot close the marker or break its line."""
    return " ".join(name.replace("[", "(").replace("]", ")").split())[:300]
