"""Artifacts: a stage's output under a key made of its inputs and its own fingerprint (rule 1 of the design).

Layout in the object store: `originals/<document>/<version>` is the upload (`.meta` beside it says how it came, or where
it stays), `artifacts/<document>/<version>/<stage>-<hash>` is a stage's output. A damaged artifact counts as absent.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from trivium.domain.documents import Stage
from trivium.domain.errors import NotFound
from trivium.domain.ids import digest
from trivium.flow.chain import Entry
from trivium.ports.objects import ObjectStore
from trivium.ports.web import Validators

T = TypeVar("T")

INPUTS: dict[Stage, tuple[Stage, ...]] = {
    Stage.PARSE: (),
    Stage.CHUNK: (Stage.PARSE,),
    Stage.ENRICH: (Stage.CHUNK,),
    Stage.EMBED: (Stage.ENRICH,),
    Stage.INDEX: (Stage.ENRICH, Stage.EMBED),
    Stage.EXTRACT: (Stage.CHUNK,),
    Stage.LINK: (Stage.EXTRACT,),
    Stage.PUBLISH: (Stage.INDEX, Stage.LINK),
}


class Place(msgspec.Struct, frozen=True):
    """An object in a bucket that is not Trivium's, at one of its values."""

    bucket: str
    key: str
    etag: str


class Origin(msgspec.Struct, frozen=True):
    """How an upload came: what the caller called it and said of it, and where it stays if it was not copied.

    `fetched`: where on the web it was found, and what the server said of that copy.
    """

    name: str
    declared_type: str = ""
    title: str = ""
    place: Place | None = None
    fetched: Validators | None = None


class Published(msgspec.Struct, frozen=True):
    """The artifact of publishing: which artifact of each stage the published rows were made from, and when."""

    artifacts: dict[str, str]
    at: float


def original_key(document_id: str, version: str) -> str:
    """Where the upload's bytes lie."""
    return f"originals/{document_id}/{version}"


def origin_key(document_id: str, version: str) -> str:
    """Where the upload's `Origin` lies."""
    return f"originals/{document_id}/{version}.meta"


def read_origin(objects: ObjectStore, document_id: str, version: str) -> Origin:
    """How a version came. Raises `NotFound`."""
    return msgspec.msgpack.decode(objects.get(origin_key(document_id, version)), type=Origin)


def artifact_prefix(document_id: str, version: str = "") -> str:
    """Every artifact of a document, or of one version of it."""
    return f"artifacts/{document_id}/{version}/" if version else f"artifacts/{document_id}/"


def artifact_key(entry: Entry, stage: Stage, fingerprint: str) -> str:
    """The key of a stage's output: same inputs and same code, options and model, same key."""
    inputs = [entry.artifacts[needed.value] for needed in INPUTS[stage]]
    return f"{artifact_prefix(entry.document_id, entry.version)}{stage.value}-{digest(fingerprint, *inputs)}"


def save(objects: ObjectStore, key: str, value: Any, facts: dict[str, Any] | None = None) -> None:
    """Store an artifact as MessagePack `[facts, value]` behind its CRC-32.

    It can be made again, so it is not fsynced. `facts` are what the stage learnt for the registry record.
    """
    body = msgspec.msgpack.encode((facts or {}, value))
    objects.put(key, zlib.crc32(body).to_bytes(4, "big") + body, durable=False)


def load(objects: ObjectStore, key: str, kind: type[T]) -> T:
    """Read an artifact's value; raises `NotFound` when it is absent, damaged or of another shape."""
    return _decode(objects, key, kind)[1]


def load_facts(objects: ObjectStore, key: str) -> dict[str, Any]:
    """Read an artifact's facts alone; raises as `load`."""
    return _decode(objects, key, msgspec.Raw)[0]


def published(objects: ObjectStore, document_id: str, version: str) -> Published | None:
    """What a version was last published from; None when that is not known."""
    found = []
    for key in objects.keys(f"{artifact_prefix(document_id, version)}{Stage.PUBLISH.value}-"):
        with suppress(NotFound):  # damaged
            found.append(load(objects, key, Published))
    return max(found, key=lambda publication: publication.at, default=None)


def _decode(objects: ObjectStore, key: str, kind: type[T]) -> tuple[dict[str, Any], T]:
    raw = objects.get(key)
    if zlib.crc32(raw[4:]).to_bytes(4, "big") != raw[:4]:
        raise NotFound("artifact_damaged", f"The artifact {key} is damaged.", "It is made again by itself.")
    try:
        return msgspec.msgpack.decode(raw[4:], type=tuple[dict[str, Any], kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise NotFound("artifact_damaged", f"The artifact {key} is not a {kind.__name__}.") from error
