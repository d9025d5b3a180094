"""What is kept of one tenant: statements a document version, and of all together their keys and what was found.

`artifacts/<document>/<version>/statements-<hash>` are a version's statements, erased with it. `contradictions/kept` is
the rest: no words of a document stand in it, only hashes, places and figures, so a deleted document leaves no text.
Both can be made again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import structlog

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document, Stage
from trivium.domain.errors import NotFound, TriviumError
from trivium.domain.graph import ChunkGraph
from trivium.domain.ids import digest
from trivium.flow import artifacts
from trivium.graph_schema.one_target import GivenTargets
from trivium.ports.objects import ObjectStore
from trivium_query.contradictions.blocks import Keys, Owners
from trivium_query.contradictions.relations import Stated
from trivium_query.contradictions.statements import VERSION, Statement, Statements, Told, hashed, statements_of

KEPT = "contradictions/kept"
_SHAPE = VERSION  # what was found by other rules is not kept
_ORDINALS = 1 << 13  # of one document: its sentences, then its relations
_TOLD_FROM = _ORDINALS // 2 + 1_000
MAX_TOLD = _ORDINALS - _TOLD_FROM
_UNREAD = ""  # the reference of a source that could not be read
log = structlog.get_logger()


class Source(msgspec.Struct, frozen=True, array_like=True):
    """A document version that was read. `since` is when it was published, `uploaded` when it came, in Unix seconds.

    A version that is deleted and comes again is the same one, and what was kept of it is gone.
    """

    document_id: str
    version: str
    dataset: str
    reference: str
    since: float
    passages: int
    uploaded: float


class Pair(msgspec.Struct, frozen=True, array_like=True):
    """Two statements that were found to disagree, or may: document ids and ordinals."""

    one: tuple[str, int]
    other: tuple[str, int]
    confidence: float
    operation: str = ""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """`keys` and `owners` as `blocks.pairs` takes them, owners being number of the source and ordinal (`owner_of`).

    `one_target` are the types of which a thing has one wherever no schema says otherwise, `given` what schemas say.
    """

    shape: int = _SHAPE
    sources: tuple[Source, ...] = ()
    keys: bytes = b""
    owners: bytes = b""
    stated: tuple[Stated, ...] = ()
    one_target: tuple[str, ...] = ()
    found: tuple[Pair, ...] = ()
    doubtful: tuple[Pair, ...] = ()
    given: tuple[GivenTargets, ...] = ()


class Read(msgspec.Struct, frozen=True):
    """A source with what it says."""

    source: Source
    statements: Statements


def load(objects: ObjectStore) -> Kept:
    """What was kept last, without sources that could not be read, so that each process tries them once.

    Nothing where that is of another shape, damaged or not there.
    """
    try:
        kept = msgspec.msgpack.decode(objects.get(KEPT), type=Kept)
    except (NotFound, msgspec.DecodeError):
        return Kept()
    if kept.shape != _SHAPE:
        return Kept()
    return without(kept, {source.document_id for source in kept.sources if source.reference == _UNREAD})


def save(objects: ObjectStore, kept: Kept) -> None:
    """For the next process, and this one's next look."""
    objects.put(KEPT, msgspec.msgpack.encode(kept), durable=False)


def read_document(objects: ObjectStore, document: Document) -> Read | None:
    """Its statements, from what was kept or its passages; None when its artifacts are damaged or gone.

    One that cannot be read for a fault of ours says nothing, and stops no other. Raises `TryLater`.
    """
    try:
        return _read(objects, document)
    except TriviumError:
        raise
    except Exception:
        log.exception("contradictions_document_not_read", document=document.id)
        version, dataset = document.active_version, document.dataset
        source = Source(document.id, version, dataset, _UNREAD, 0.0, document.chunks, document.uploaded)
        return Read(source, Statements())


def _read(objects: ObjectStore, document: Document) -> Read | None:
    version = document.active_version
    published = artifacts.published(objects, document.id, version)
    if published is None:
        return None
    passages, shares = published.artifacts[Stage.ENRICH.value], published.artifacts[Stage.EXTRACT.value]
    reference = f"{artifacts.artifact_prefix(document.id, version)}statements-{digest(str(VERSION), passages, shares)}"
    try:
        found = artifacts.load(objects, reference, Statements)
    except NotFound:
        try:
            chunks = artifacts.load(objects, passages, list[Chunk])
            found = statements_of(chunks, artifacts.load(objects, shares, list[ChunkGraph]))
        except NotFound:
            return None
        artifacts.save(objects, reference, found)
    source = Source(document.id, version, document.dataset, reference, published.at, document.chunks, document.uploaded)
    return Read(source, found)


def owner_of(number: int, ordinal: int) -> int:
    """One number for a source's number and a statement's ordinal in it."""
    return number * _ORDINALS + ordinal


def place_of(owner: int) -> tuple[int, int]:
    """The two numbers again."""
    return divmod(owner, _ORDINALS)


def statement_at(statements: Statements, ordinal: int) -> Statement | Told:
    """That of an ordinal."""
    return statements.told[ordinal - _TOLD_FROM] if ordinal >= _TOLD_FROM else statements.said[ordinal]


def arrays(kept: Kept) -> tuple[Keys, Owners]:
    """Of all sources."""
    return np.frombuffer(kept.keys, np.uint64), np.frombuffer(kept.owners, np.int64)


def keys_of(read: Read, number: int) -> tuple[Keys, Owners]:
    """Of one source; those of different datasets never meet."""
    salt = np.uint64(hashed("dataset", read.source.dataset))
    rows = [(key, owner_of(number, at)) for at, each in enumerate(read.statements.said) for key in each.keys]
    keys = np.array([key for key, _ in rows], np.uint64) ^ salt
    return keys, np.array([owner for _, owner in rows], np.int64)


def stated_of(read: Read, number: int) -> list[Stated]:
    """The relations of one source, without their words."""
    return [
        Stated(
            each.type, hashed(read.source.dataset, each.source), hashed(each.target), owner_of(number, _TOLD_FROM + at)
        )
        for at, each in enumerate(read.statements.told[:MAX_TOLD])
    ]


def without(kept: Kept, gone: set[str]) -> Kept:
    """What is left of it when these documents are gone; sources are numbered anew."""
    if not gone:
        return kept
    stays = [source.document_id not in gone for source in kept.sources]
    numbers = np.cumsum(stays) - 1
    keys, owners = arrays(kept)
    at = owners // _ORDINALS
    mask = np.array(stays, bool)[at] if len(at) else np.zeros(0, bool)
    moved = numbers[at[mask]] * _ORDINALS + owners[mask] % _ORDINALS if mask.any() else np.zeros(0, np.int64)

    def renumbered(each: Stated) -> Stated:
        number, ordinal = place_of(each.owner)
        return msgspec.structs.replace(each, owner=owner_of(int(numbers[number]), ordinal))

    def is_left(pair: Pair) -> bool:
        return pair.one[0] not in gone and pair.other[0] not in gone

    return Kept(
        sources=tuple(s for s, stay in zip(kept.sources, stays, strict=True) if stay),
        keys=keys[mask].tobytes(),
        owners=moved.astype(np.int64).tobytes(),
        stated=tuple(renumbered(each) for each in kept.stated if stays[place_of(each.owner)[0]]),
        one_target=kept.one_target,
        found=tuple(filter(is_left, kept.found)),
        doubtful=tuple(filter(is_left, kept.doubtful)),
        given=kept.given,
    )


def joined(kept: Kept, reads: Sequence[Read]) -> Kept:
    """With further sources behind those it has."""
    first = len(kept.sources)
    keys, owners = arrays(kept)
    rows = [keys_of(read, first + at) for at, read in enumerate(reads)]
    stated = [each for at, read in enumerate(reads) for each in stated_of(read, first + at)]
    return msgspec.structs.replace(
        kept,
        sources=(*kept.sources, *(read.source for read in reads)),
        keys=np.concatenate([keys, *(row[0] for row in rows)]).tobytes(),
        owners=np.concatenate([owners, *(row[1] for row in rows)]).tobytes(),
        stated=(*kept.stated, *stated),
    )
