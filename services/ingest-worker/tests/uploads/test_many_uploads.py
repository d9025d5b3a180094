"""A round over a bucket of very many uploads holds a page of them, and a number for each."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence

from uploads_peer import UploadsPeer

from trivium.domain.documents import Document, DocumentState
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.intake import StoreIntake, upload_version
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.follow import Bucket, Follower
from trivium_ingest.uploads.reconcile import reconcile

FEW, MANY = 3000, 15_000
BYTES_EACH = 64  # an eight-byte number in an array, and for a moment Python's own of it in a list


class Numbered(UploadsPeer):
    """Uploads that are nowhere but in the listing."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]:
        return (Upload(f"{number:06}.txt", "the same", 1, 1.0) for number in range(self._count))


class AllKnown:
    """A registry in which each of them is a document that is ready."""

    def __init__(self) -> None:
        self.version = upload_version(Upload("", "the same", 1, 1.0))

    def tenants(self) -> Sequence[Tenant]:
        return []

    def for_tenant(self, tenant: Tenant) -> AllKnown:
        return self

    def get_many(self, ids: Sequence[str]) -> dict[str, Document]:
        return {
            identifier: Document(identifier, DEFAULT_TENANT.name, "any", self.version, DocumentState.READY)
            for identifier in ids
        }


class OnlyRegistry:
    registry = AllKnown()


def no_url(url: str) -> None:
    raise AssertionError(url)


def peak_of_a_round(count: int) -> int:
    """The most bytes that Python holds meanwhile."""
    intake = StoreIntake(OnlyRegistry(), lambda: None, no_url, 1)
    tracemalloc.start()
    try:
        found = reconcile(Follower(Bucket("drop", Numbered(count), "default"), intake))
        assert (found.uploads, found.missed) == (count, 0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_round_over_very_many_uploads_takes_little_memory() -> None:
    peak_of_a_round(1)  # what is imported and compiled at the first use stays
    assert peak_of_a_round(MANY) - peak_of_a_round(FEW) < BYTES_EACH * (MANY - FEW)
