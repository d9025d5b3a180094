"""Parse one file and nothing else, as `trivium parse` does: same sandbox, same bounds, no store, no server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points

from trivium.config import Settings
from trivium.domain.parsed import ParsedDocument
from trivium.ports.inference import Ocr
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.sandbox import Bounds, Sandbox


def parse_alone(settings: Settings, blob: Blob) -> ParsedDocument:
    """Read `blob` in a child process that ends with the call. Raises `NeverWill` as the ingest would."""
    bounds = Bounds(wall_s=settings.parse_timeout_s, memory_bytes=settings.parse_memory_bytes)
    limits = ParseLimits(max_bytes=settings.max_upload_bytes)
    with closing(Sandbox(_ocr_factory(), limits, bounds)) as sandbox:
        return sandbox.parse(blob)


def _ocr_factory() -> Callable[[], Ocr] | None:
    """The OCR engine that is installed (entry point group `trivium.ocr`), None when there is none."""
    for entry in entry_points(group="trivium.ocr"):
        factory: Callable[[], Ocr] = entry.load()
        return factory
    return None
