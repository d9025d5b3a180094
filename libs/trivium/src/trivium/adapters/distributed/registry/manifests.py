"""The registry's durable side: one manifest per document and one marker per unfinished piece of work, in S3.

Layout in the bucket, beside the tenants' own space: `registry/<tenant>/<document>` is the manifest,
`pending/<lane>/<created>~<tenant>~<fence>~<document>` is an empty object that says "look whether this is done".
A marker is written before the manifest it announces and removed after the last one, so that finding unfinished work
never needs a look at every document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium.adapters.distributed.s3.bucket import PAGE_KEYS, Bucket, Listed
from trivium.domain.documents import Document, Lane
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant
from trivium.ports.objects import is_key

_MARKERS = "pending/"
_MARKER = re.compile(
    rf"{_MARKERS}(?P<lane>{'|'.join(Lane)})/(?P<microseconds>[0-9]{{20}})~(?P<tenant>[^~]+)~(?P<fence>[0-9]{{1,18}})~"
    "(?P<document>.+)"
)


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document and the manifest behind it.

    `seq` counts the manifest's writes and `etag` names its newest known value ("" inside the manifest itself).
    `accepted` is the fence of the accept or delete that began the work in hand: with it, each has a marker of its own.
    """

    document: Document
    seq: int
    accepted: int
    etag: str = ""


class Marker(msgspec.Struct, frozen=True):
    """A piece of work that may be unfinished. `written_at` is in Unix seconds, as the store's clock had it."""

    lane: Lane
    created_at: float
    document_id: str
    tenant: str
    fence: int
    key: str
    written_at: float = 0.0


class MarkerPage(msgspec.Struct, frozen=True):
    """Markers in the order of their keys, the keys among them that are none, and where to go on ("": the end)."""

    markers: list[Marker]
    foreign: list[str]
    next: str


class Manifests:
    """All tenants' manifests and markers. Raises as `Bucket` does."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def load(self, tenant: Tenant, document_id: str) -> Record | None:
        """The manifest as it is now."""
        found = self._bucket.get(_key(tenant, document_id))
        if found is None:
            return None
        return msgspec.structs.replace(msgspec.json.decode(found.content, type=Record), etag=found.etag)

    def write(self, record: Record, replacing: Record | None) -> Record | None:
        """Store the manifest in the place of `replacing`; None when something else stands there by now."""
        key = _key(Tenant(record.document.tenant), record.document.id)
        content = msgspec.json.encode(msgspec.structs.replace(record, etag=""))
        etag = self._bucket.put(key, content, if_match=replacing.etag if replacing else "", if_absent=not replacing)
        return msgspec.structs.replace(record, etag=etag) if etag else None

    def ids(self, tenant: Tenant, start_after: str = "") -> list[str]:
        """The next thousand documents of a tenant, by id."""
        space = _key(tenant, "")
        found = self._bucket.page(space, space + start_after if start_after else "")
        return [entry.key[len(space) :] for entry in found]

    def tenants(self) -> Iterator[Tenant]:
        """Every tenant that ever had a document, by name."""
        return (Tenant(name) for name in self._bucket.folders("registry/"))

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's manifests and markers, with their old values."""
        self._bucket.erase(_key(tenant, ""))
        self._bucket.erase(_MARKERS, where=lambda key: _is_marker_of(tenant, key))

    def mark(self, record: Record) -> None:
        """Announce the work that `record` begins."""
        self._bucket.put(marker_key(record), b"")

    def unmark(self, keys: Sequence[str]) -> None:
        """Remove markers."""
        self._bucket.delete_many(keys)

    def markers(self, lane: Lane, start_after: str = "") -> MarkerPage:
        """The next thousand keys of a lane after a key, the oldest document's marker first."""
        found = self._bucket.page(f"{_MARKERS}{lane}/", start_after)
        markers = [(entry.key, _marker(entry)) for entry in found]
        return MarkerPage(
            [marker for _, marker in markers if marker],
            [key for key, marker in markers if not marker],
            found[-1].key if len(found) == PAGE_KEYS else "",
        )


def marker_key(record: Record) -> str:
    """The key of the marker of the work in hand."""
    document = record.document
    microseconds = round(document.created_at * 1_000_000)
    return f"{_MARKERS}{document.lane}/{microseconds:020d}~{document.tenant}~{record.accepted}~{document.id}"


def without_lease(record: Record) -> Record:
    """A record that Redis lost.

    Leases are its business, and gone with it: the work is taken up at once. A holder that is still at it keeps the
    document by its next save, or is refused by the fence.
    """
    return msgspec.structs.replace(record, document=msgspec.structs.replace(record.document, lease_until=0.0))


def is_document_id(document_id: str) -> bool:
    """Whether a document can have this id: anything may be asked for."""
    return "/" not in document_id and is_key(document_id)


def _key(tenant: Tenant, document_id: str) -> str:
    return f"registry/{tenant.name}/{document_id}"


def _is_marker_of(tenant: Tenant, key: str) -> bool:
    named = _MARKER.fullmatch(key)
    return named is not None and named["tenant"] == tenant.name


def _marker(found: Listed) -> Marker | None:
    """None for a key that somebody else put there."""
    named = _MARKER.fullmatch(found.key)
    if named is None or not is_document_id(named["document"]):
        return None
    try:
        tenant = Tenant(named["tenant"])
    except Refused:
        return None
    return Marker(
        Lane(named["lane"]),
        int(named["microseconds"]) / 1_000_000,
        named["document"],
        tenant.name,
        int(named["fence"]),
        found.key,
        found.modified,
    )
