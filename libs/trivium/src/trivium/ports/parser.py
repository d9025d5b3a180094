"""Parsers: one file per format, found by content."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trivium.domain.password import Password
from trivium.ports.inference import Ocr, Transcriber, Transcript


class Blob(msgspec.Struct, frozen=True):
    """The original as it came. `name` is what the uploader called it; content decides, not the name.

    `url` is where it was fetched from, which its relative links start from; "" for an upload.
    `password` opens it where it is encrypted.
    """

    name: str
    content: bytes
    declared_type: str = ""
    url: str = ""
    password: Password | None = None


class ParseLimits(msgspec.Struct, frozen=True):
    """Bounds on one document; passing one raises `NeverWill` and names the bound.

    `max_nesting`, `max_family_bytes` and `max_family_documents` bound the files inside a file, those inside them, and
    so on: how deep they may lie, their bytes and their number together. What lies beyond is left out with a warning.
    """

    max_bytes: int = 256 * 1024 * 1024
    max_unpacked_bytes: int = 200 * 1024 * 1024
    max_ratio: int = 200
    max_members: int = 10_000
    max_pages: int = 5_000
    max_pixels: int = 60_000_000
    max_cells: int = 5_000_000
    max_text_chars: int = 50_000_000
    max_ocr_pages: int = 200
    max_assets: int = 500
    max_asset_bytes: int = 64 * 1024 * 1024
    max_media_s: float = 4 * 3600.0
    max_nesting: int = 5
    max_family_bytes: int = 4 * 1024 * 1024 * 1024
    max_family_documents: int = 10_000


def untold(_share: float) -> None:
    """Progress that nobody asks for."""


class Hearing:
    """What was heard of the recordings of a file, by names that say how and of which sound; this one keeps nothing."""

    def before(self, recording: str) -> Transcript | None:
        """All that was heard of it, if anything was."""
        return None

    def keep(self, recording: str, heard: Transcript) -> None:
        """All that is heard of it so far. What this raises ends the work."""


class ParserModels(msgspec.Struct, frozen=True):
    """The models that a parser may ask; None where none is configured, which a parser tells as a warning.

    `progress` is told the share of the file that is read, 0 to 1, by a parser that takes long: where it rises, the work
    goes on, and no bound on time ends it.
    """

    ocr: Ocr | None = None
    transcriber: Transcriber | None = None
    progress: Callable[[float], None] = untold
