"""Artifacts: a stage's output under a key made of its inputs and its own fingerprint (rule 1 of the design).

Layout in the object store: `originals/<document>/<version>` is the upload (`.meta` beside it says how it came, or where
it stays, and `.password` what opens it: `passwords.py`), `artifacts/<document>/<version>/<stage>-<hash>` is a stage's
output, and those of the stages that were done right behind it: a reference to one of these is that key, `#`, and its
own name. A damaged artifact counts as absent.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from trivium.domain.documents import Document, Stage
from trivium.domain.errors import NotFound
from trivium.domain.ids import digest
from trivium.domain.scope import Scope
from trivium.flow.chain import Entry
from trivium.flow.pipeline import PIPELINE
from trivium.ports.objects import ObjectStore
from trivium.ports.web import Validators

T = TypeVar("T")

_CRC_BYTES = 4
_ARRAY_32 = b"\xdd"  # MessagePack's mark of a list, whose length follows in four bytes
_ENCODER = msgspec.msgpack.Encoder()


class Damaged(NotFound):
    """An artifact is not whole, or not of the shape that was asked for: it counts as absent."""

    def __init__(self, message: str) -> None:
        super().__init__("artifact_damaged", message, "It is made again by itself.")


class ObjectRef(msgspec.Struct, frozen=True):
    """An object in a bucket that is not Trivium's, at one of its values."""

    bucket: str
    key: str
    etag: str


class Origin(msgspec.Struct, frozen=True):
    """How an upload came: what the caller called it and said of it, and where it stays if it was not copied.

    `fetched`: where on the web it was found, and what the server said of that copy.
    `with_password`: its uploader gave a password with it, whether it needs one or not.
    """

    name: str
    declared_type: str = ""
    title: str = ""
    place: ObjectRef | None = None
    fetched: Validators | None = None
    with_password: bool = False


class Made(msgspec.Struct, frozen=True, array_like=True):
    """A stage's output: its key, what the stage learnt for the registry record, and the value as MessagePack."""

    key: str
    facts: dict[str, Any]
    value: msgspec.Raw


class Output(msgspec.Struct, frozen=True):
    """Where a stage's output lies, and what the stage learnt."""

    reference: str
    facts: dict[str, Any]


class _Body(msgspec.Struct, frozen=True, array_like=True):
    """What an object holds behind its CRC-32: the output that it is called after, and those made right behind it."""

    facts: dict[str, Any]
    value: msgspec.Raw
    more: tuple[Made, ...] = ()


class Published(msgspec.Struct, frozen=True):
    """The artifact of publishing: which artifact of each stage the published rows were made from, and when.

    And what the rows say of their document, as its record did then; without `dataset` it was written before that.
    """

    artifacts: dict[str, str]
    at: float
    dataset: str = ""
    run: str = ""
    uploaded_at: float = 0.0
    dated_at: int | None = None

    @classmethod
    def now(cls, document: Document, made_from: dict[str, str]) -> Published:
        """Of a document that is published in this moment."""
        told = (document.dataset, document.run, document.uploaded_at, document.dated_at)
        return cls(made_from, time.time(), *told)

    def as_published(self, document: Document) -> Document:
        """The record as its rows know it: a newer version may have another dataset, run and times."""
        if not self.dataset:
            return document
        return msgspec.structs.replace(
            document, dataset=self.dataset, run=self.run, uploaded_at=self.uploaded_at, dated_at=self.dated_at
        )


def original_key(document_id: str, version: str) -> str:
    """Where the upload's bytes lie."""
    return f"originals/{document_id}/{version}"


def origin_key(document_id: str, version: str) -> str:
    """Where the upload's `Origin` lies."""
    return f"originals/{document_id}/{version}.meta"


def password_key(document_id: str, version: str) -> str:
    """Where the password lies that was given for a version."""
    return f"originals/{document_id}/{version}.password"


def version_of(key: str) -> str:
    """The version of its document that a key belongs to, whether of an artifact, an original or what lies beside it."""
    return key.split("/")[2].removesuffix(".meta").removesuffix(".password")


def read_origin(objects: ObjectStore, document_id: str, version: str) -> Origin:
    """How a version came. Raises `NotFound`."""
    return msgspec.msgpack.decode(objects.get(origin_key(document_id, version)), type=Origin)


def artifact_prefix(document_id: str, version: str = "") -> str:
    """Every artifact of a document, or of one version of it."""
    return f"artifacts/{document_id}/{version}/" if version else f"artifacts/{document_id}/"


def artifact_key(entry: Entry, stage: Stage, fingerprint: str, scope: Scope | None = None) -> str:
    """The key of a stage's output: same inputs and same code, options and model, same key.

    `scope` is an input of a stage that writes rows, and of no other.
    """
    inputs = [own_key(entry.artifacts[needed.value]) for needed in PIPELINE[stage].inputs]
    if scope is not None and PIPELINE[stage].writes_rows:
        inputs += [scope.dataset, scope.run, str(scope.uploaded), str(scope.dated)]
    return f"{artifact_prefix(entry.document_id, entry.version)}{stage.value}-{digest(fingerprint, *inputs)}"


def reference(holder: str, key: str) -> str:
    """The reference to the output `key` that lies in the object `holder`."""
    return key if key == holder else f"{holder}#{key.rpartition('/')[2]}"


def own_key(reference: str) -> str:
    """The output's own key, wherever it lies."""
    holder, _, name = reference.partition("#")
    return f"{holder.rpartition('/')[0]}/{name}" if name else holder


def holder_of(reference: str) -> str:
    """The key of the object that the output lies in."""
    return reference.partition("#")[0]


def made(key: str, value: Any, facts: dict[str, Any]) -> Made:
    """An output that is to be stored; `value` may be what `encoded_rows` made of a long list."""
    return Made(key, facts, value if isinstance(value, msgspec.Raw) else msgspec.Raw(_ENCODER.encode(value)))


def encoded_rows(rows: Iterable[Any]) -> msgspec.Raw:
    """A list of values as it is stored, each encoded as it comes: they are never in memory beside it."""
    content, count = bytearray(_ARRAY_32 + bytes(4)), 0
    for row in rows:
        content += _ENCODER.encode(row)
        count += 1
    content[1:5] = count.to_bytes(4, "big")
    return msgspec.Raw(content)


def save(objects: ObjectStore, key: str, value: Any, facts: dict[str, Any] | None = None) -> None:
    """Store an artifact by itself; see `save_all`."""
    save_all(objects, [made(key, value, facts or {})])


def save_all(objects: ObjectStore, outputs: Sequence[Made]) -> None:
    """Store the outputs of stages that follow one another, under the key of the first.

    They can be made again, so they are not fsynced.
    """
    first, *more = outputs
    content = bytearray(_CRC_BYTES)
    _ENCODER.encode_into(_Body(first.facts, first.value, tuple(more)), content, _CRC_BYTES)
    content[:_CRC_BYTES] = _crc(content)
    objects.put(first.key, content, durable=False)


def load(objects: ObjectStore, reference: str, kind: type[T]) -> T:
    """Read an output's value; raises `NotFound` when its object is absent, `Damaged` when it is not in that, whole."""
    holder, wanted = holder_of(reference), own_key(reference)
    body = _read(objects, holder)
    if wanted == holder:
        return value_of(body.value, kind, reference)
    for output in body.more:
        if output.key == wanted:
            return value_of(output.value, kind, reference)
    raise Damaged(f"The artifact {reference} is not there.")


def value_of(value: msgspec.Raw, kind: type[T], reference: str) -> T:
    """Decode an output's value; raises `Damaged` when it is of another shape."""
    try:
        return msgspec.msgpack.decode(value, type=kind)
    except msgspec.ValidationError as error:
        raise Damaged(f"The artifact {reference} is not a {kind.__name__}.") from error


def outputs(objects: ObjectStore, key: str) -> dict[str, Output]:
    """What the object `key` holds, by each output's own key; raises as `load`."""
    body = _read(objects, key)
    more = {output.key: Output(reference(key, output.key), output.facts) for output in body.more}
    return {key: Output(key, body.facts), **more}


def published(objects: ObjectStore, document_id: str, version: str) -> Published | None:
    """What a version was last published from; None when that is not known."""
    found = []
    for key in objects.keys(f"{artifact_prefix(document_id, version)}{Stage.PUBLISH.value}-"):
        with suppress(NotFound):  # damaged
            found.append(load(objects, key, Published))
    return max(found, key=lambda publication: publication.at, default=None)


def _read(objects: ObjectStore, key: str) -> _Body:
    content = objects.get(key)
    if _crc(content) != content[:_CRC_BYTES]:
        raise Damaged(f"The artifact {key} is damaged.")
    try:
        return msgspec.msgpack.decode(memoryview(content)[_CRC_BYTES:], type=_Body)
    except msgspec.ValidationError as error:
        raise Damaged(f"The artifact {key} is no artifact.") from error


def _crc(content: bytes | bytearray) -> bytes:
    """Of what stands behind it; read in place, for content may be hundreds of megabytes."""
    return zlib.crc32(memoryview(content)[_CRC_BYTES:]).to_bytes(_CRC_BYTES, "big")
