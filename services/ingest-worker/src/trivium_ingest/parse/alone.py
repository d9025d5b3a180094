"""Parse one file and the files inside it, as `trivium parse` does: same sandbox, same bounds, no store, no server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import entry_points

from trivium.config import Settings
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, ParsedFile
from trivium.ports.inference import Ocr
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.assembly import parse_limits, parsing_sandbox


def parse_alone(settings: Settings, blob: Blob) -> Iterator[ParsedFile]:
    """Read `blob`, then what is inside it, in a child process that ends with the last.

    Raises `NeverWill` where `blob` itself cannot be read.
    """
    limits = parse_limits(settings)
    left = limits.max_family_bytes
    with closing(parsing_sandbox(settings, installed_ocr())) as sandbox:
        waiting: list[tuple[tuple[str, ...], Blob]] = [((), blob)]
        while waiting:
            names, blob = waiting.pop()
            left -= len(blob.content) if names else 0
            read = _read(names, blob, partial(sandbox.parse, reader=settings.readers.default), left)
            yield read
            if read.document is not None:
                waiting += reversed(_inside(names, blob, read.document, limits))


def installed_ocr() -> Callable[[], Ocr] | None:
    """The OCR engine that is installed (entry point group `trivium.ocr`), None when there is none."""
    for entry in entry_points(group="trivium.ocr"):
        factory: Callable[[], Ocr] = entry.load()
        return factory
    return None


def _read(names: tuple[str, ...], blob: Blob, parse: Callable[[Blob], ParsedDocument], left: int) -> ParsedFile:
    if left < 0:
        return ParsedFile(names, failure="It was not read: too much in all (limit: max_family_bytes).")
    try:
        return ParsedFile(names, parse(blob))
    except NeverWill as failure:
        if not names:
            raise
        return ParsedFile(names, failure=f"{failure.message} {failure.action}")


def _inside(
    names: tuple[str, ...], blob: Blob, document: ParsedDocument, limits: ParseLimits
) -> list[tuple[tuple[str, ...], Blob]]:
    if len(names) >= limits.max_nesting:
        return []
    return [
        ((*names, child.name), Blob(child.name, child.content, child.media_type, password=blob.password))
        for child in document.children
    ]
