"""Pictures as vectors, in the space that a visual encoder shares between pictures and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import structlog

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.errors import NeverWill, NotFound
from trivium.domain.parsed import ParsedDocument
from trivium.flow.assets import read_asset
from trivium.logs.context import about
from trivium.ports.inference import Vector, VisualEncoder
from trivium.ports.objects import ObjectStore

_WORDLESS: Final = "(picture)"
MAX_PICTURES: Final = 4  # of one passage; more would blur into each other

log = structlog.get_logger()


def with_names(parsed: ParsedDocument) -> ParsedDocument:
    """The document with something to be said of each picture that has no words."""
    units = tuple(
        msgspec.structs.replace(unit, text=_WORDLESS) if unit.asset and not unit.text else unit for unit in parsed.units
    )
    return msgspec.structs.replace(parsed, units=units)


def visual_vectors(
    encoder: VisualEncoder, objects: ObjectStore, document: Document, chunks: Sequence[Chunk]
) -> dict[str, bytes]:
    """By chunk id, the mean of its pictures' vectors, float32, L2-normalised; chunks without a picture are absent.

    A picture that cannot be encoded is left out: its words are found all the same.
    """
    names = list(dict.fromkeys(name for chunk in chunks for name in chunk.assets[:MAX_PICTURES]))
    known = _encoded(encoder, objects, document, names)
    found = {}
    for chunk in chunks:
        rows = [known[name] for name in chunk.assets[:MAX_PICTURES] if name in known]
        if rows:
            mean = np.mean(rows, axis=0)
            found[chunk.id] = (mean / (np.linalg.norm(mean) or 1.0)).astype(np.float32).tobytes()
    return found


def _encoded(
    encoder: VisualEncoder, objects: ObjectStore, document: Document, names: Sequence[str]
) -> dict[str, Vector]:
    pictures = {}
    for name in names:
        try:
            pictures[name] = read_asset(objects, document.id, document.version, name)
        except NotFound:
            log.warning("asset_missing", **about(document), name=name)
    if not pictures:
        return {}
    try:
        return dict(zip(pictures, encoder.embed_images(list(pictures.values())), strict=True))
    except NeverWill:  # one of them is at fault: each by itself
        return {name: row for name, picture in pictures.items() if (row := _alone(encoder, picture)) is not None}


def _alone(encoder: VisualEncoder, picture: bytes) -> Vector | None:
    try:
        row: Vector = encoder.embed_images([picture])[0]
        return row
    except NeverWill as failure:
        log.warning("picture_not_encoded", reason=failure.message)
        return None
