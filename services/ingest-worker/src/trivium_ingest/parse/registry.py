"""The formats there are. A new one is a new module in `formats/` that defines `FORMAT`; nothing else changes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

import msgspec

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse import formats
from trivium_ingest.parse.sample import Sample


class Format(msgspec.Struct, frozen=True):
    """One format: how to know it and how to read it.

    `recognise` answers how sure the content makes it, from 0 (no) to 1 (a signature that nothing else has).
    `extensions` (without a dot) and `media_types` break ties between formats that content cannot tell apart.
    Raise `version` whenever the same bytes would give another result: it is part of the artifact key.
    `cites` says where a citation points, `needs` what is not always installed; both for docs/formats.md.
    """

    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    version: int
    recognise: Callable[[Sample], float]
    read: Callable[[Blob, ParseLimits, ParserModels], ParsedDocument]
    cites: str = ""
    needs: str = ""

    def parse(self, blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
        """Read `blob` as this format: nothing is fetched, nothing written.

        A document without units when the file opened and held no text. Raises `NeverWill` with a reason a person can
        act on.
        """
        return self.read(blob, limits, models)


@cache
def known_formats() -> tuple[Format, ...]:
    """Every format in `formats/`, in the order of their modules' names."""
    names = sorted(module.name for module in pkgutil.iter_modules(formats.__path__))
    return tuple(importlib.import_module(f"{formats.__name__}.{name}").FORMAT for name in names)
