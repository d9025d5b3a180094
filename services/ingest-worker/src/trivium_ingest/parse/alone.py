"""Parse one file and nothing else, as `trivium parse` does: same sandbox, same bounds, no store, no server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points

from trivium.config import Settings
from trivium.domain.parsed import ParsedDocument
from trivium.ports.inference import Ocr
from trivium.ports.parser import Blob
from trivium_ingest.assembly import parsing_sandbox


def parse_alone(settings: Settings, blob: Blob) -> ParsedDocument:
    """Read `blob` in a child process that ends with the call. Raises `NeverWill` as the ingest would."""
    with closing(parsing_sandbox(settings, installed_ocr())) as sandbox:
        return sandbox.parse(blob)


def installed_ocr() -> Callable[[], Ocr] | None:
    """The OCR engine that is installed (entry point group `trivium.ocr`), None when there is none."""
    for entry in entry_points(group="trivium.ocr"):
        factory: Callable[[], Ocr] = entry.load()
        return factory
    return None
