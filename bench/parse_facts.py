"""How much of a folder of documents the parsers find: good files by their facts.

FOLDER holds manifest.jsonl: one object a line with `file`, `format`, and `facts` (strings that a reader of the
document sees) or `hostile`. Everything goes through the sandbox, as in production, with OCR when it is installed.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from rich.table import Table

from trivium.domain.errors import TriviumError
from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob
from trivium_ingest.parse.registry import known_formats
from trivium_ingest.parse.sandbox import Sandbox

SPEECH = frozenset({"wav", "mp3", "m4a", "ogg", "flac"})  # there is no speech model here
LIKE = 90.0  # of 100, for what was recognised in pixels: the manifest allows a small edit distance there
MAX_NESTING = 3


@dataclass(frozen=True)
class Outcome:
    """What came of one file: text with that of the files inside it, or the code of a typed failure.

    `seconds` are with the files inside, `alone_s` without: those are documents, and bounded, on their own.
    """

    text: str
    seconds: float
    alone_s: float
    code: str = ""
    documents: tuple[ParsedDocument, ...] = ()
    reason: str = ""

    @property
    def recognised(self) -> bool:
        return any(unit.ocr for document in self.documents for unit in document.units)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(warning for document in self.documents for warning in document.warnings)


def entries(folder: Path) -> list[dict[str, Any]]:
    """The manifest. Ends with what to do when the folder is not there."""
    manifest = folder / "manifest.jsonl"
    if not manifest.exists():
        raise SystemExit(f"No {manifest}: name a folder with `make eval-parse DATA=FOLDER`.")
    return [json.loads(line) for line in manifest.read_text().splitlines()]


def read(sandbox: Sandbox, path: Path, name: str = "") -> Outcome:
    """One file through the sandbox, and the files inside it."""
    began = time.perf_counter()
    try:
        document = sandbox.parse(Blob(name or path.name, path.read_bytes()))
    except TriviumError as failure:
        spent = time.perf_counter() - began
        return Outcome("", spent, spent, failure.code, reason=str(failure))
    alone = time.perf_counter() - began
    documents = (document, *_inside(sandbox, document, MAX_NESTING))
    text = "\n".join(f"{part.title}\n{part.text}" for part in documents)
    names = (child.name for part in documents for child in part.children)
    return Outcome("\n".join([text, *names]), time.perf_counter() - began, alone, documents=documents)


def _inside(sandbox: Sandbox, parent: ParsedDocument, depth: int) -> Iterable[ParsedDocument]:
    for child in parent.children if depth else ():
        try:
            document = sandbox.parse(Blob(child.name, child.content, child.media_type))
        except TriviumError:
            continue  # a document of its own, which fails alone
        yield document
        yield from _inside(sandbox, document, depth - 1)


def missing(facts: Sequence[str], text: str, recognised: bool) -> list[str]:
    """Facts that do not stand in the text, after NFKC, case and white-space folding."""
    flat = folded(text)
    return [fact for fact in facts if not _stands(folded(fact), flat, recognised)]


def _stands(fact: str, text: str, recognised: bool) -> bool:
    return fact in text or (recognised and fuzz.partial_ratio(fact, text) >= LIKE)


def folded(text: str) -> str:
    """NFKC, case and white space folded away; the bars that text tables have between cells count as white space."""
    return re.sub(r"[\s|]+", "", unicodedata.normalize("NFKC", text).casefold())


@dataclass
class Tally:
    """Facts found and looked for, by format."""

    found: dict[str, Counter[bool]]

    @property
    def total(self) -> Counter[bool]:
        return sum(self.found.values(), Counter())


def good(sandbox: Sandbox, folder: Path, wanted: Sequence[dict[str, Any]]) -> tuple[Tally, list[str]]:
    """Facts found in the good files, and lines about what is missing. Speech is left out."""
    supported = {extension for entry in known_formats() for extension in entry.extensions}
    tally = Tally(defaultdict(Counter))
    lines = []
    for entry in wanted:
        if entry["format"] in SPEECH:
            continue
        path = folder / entry["file"]
        outcome = read(sandbox, path)
        lost = missing(entry["facts"], outcome.text, outcome.recognised)
        tally.found[entry["format"]].update(fact not in lost for fact in entry["facts"])
        if lost:
            known = "" if entry["format"] in supported else " (no parser reads this format)"
            lines.append(f"{entry['file']}{known}: {outcome.code or 'read'}, missing {lost}")
    return tally, lines


def by_format(tally: Tally) -> Table:
    """One row a format."""
    table = Table("format", "facts found", "of", title="Good files: facts found, speech left out")
    for name, counts in sorted(tally.found.items()):
        table.add_row(name, str(counts[True]), str(counts.total()))
    total = tally.total
    share = 100 * total[True] / max(1, total.total())
    table.add_row("all", f"{total[True]} ({share:.1f} %)", str(total.total()))
    return table
