"""The formats there are, found by the names of their modules; nothing lists them.

A folder beside this file holds a family of formats. Each is a module whose name ends in `_format` and that defines
`FORMAT`; a new one is one new file. The family's other modules are what its formats read with: they are never asked for
`FORMAT`, and loaded only by who imports them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

import msgspec

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest import parse
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.sample import Sample


class Format(msgspec.Struct, frozen=True):
    """One format: how to know it and how to read it.

    `recognise` answers how sure the content makes it. `read` fetches and writes nothing; it gives a document without
    units when the file opened and held no text, and raises `NeverWill` with a reason a person can act on.
    `extensions` (without a dot) and `media_types` break ties between formats that content cannot tell apart.
    Raise `version` whenever the same bytes would give another result: it is part of the artifact key.
    `cites` says where a citation points, `needs` what is not always installed; both for docs/formats.md.
    """

    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...]
    version: int
    recognise: Callable[[Sample], Evidence]
    read: Callable[[Blob, ParseLimits, ParserModels], ParsedDocument]
    cites: str = ""
    needs: str = ""


_ENDING = "_format"


@cache
def known_formats() -> tuple[Format, ...]:
    """Every format, in the order of their modules' names, whatever folder they lie in.

    Of formats that are equally sure of a file the first reads it, and the order is part of every parse artifact's key.
    """
    found = (module.name for module in pkgutil.walk_packages(parse.__path__, f"{parse.__name__}."))
    names = sorted((name for name in found if name.endswith(_ENDING)), key=_own_name)
    return tuple(importlib.import_module(name).FORMAT for name in names)


def family_of(entry: Format) -> str:
    """The name of the folder that the format's module lies in."""
    return entry.read.__module__.rsplit(".", 2)[-2]


def _own_name(module: str) -> str:
    return module.rpartition(".")[2].removesuffix(_ENDING)
