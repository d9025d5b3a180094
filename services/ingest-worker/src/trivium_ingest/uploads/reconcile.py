"""Finds what no event told, by comparing the bucket's listing with the registry, in both directions."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice

import msgspec
import structlog

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant
from trivium.ports.registry import TenantRegistry
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.follow import Bucket, Follower, is_news

PAGE = 500

log = structlog.get_logger()


class Reconciled(msgspec.Struct, frozen=True):
    """What one round found: uploads in the bucket, and documents that no event had brought up to date."""

    uploads: int
    missed: int


def reconcile(follower: Follower, stopped: Callable[[], bool] = lambda: False) -> Reconciled:
    """One round over the whole bucket and all its documents; eight bytes of memory an upload. Raises `TryLater`.

    Nobody is known to wait for what it finds, so that goes through the slower lane.
    """
    started = time.time()
    listed, missed = array("Q"), 0
    for page in _pages(follower.bucket.uploads.listing()):
        if stopped():
            return Reconciled(len(listed), missed)
        known = _known(follower, page)
        for upload, identifier in _with_ids(follower.bucket, page):
            listed.append(_short(identifier))
            if is_news(upload, known.get(identifier)):
                missed += follower.follow(upload.key, Lane.BACKFILL)
    missed += _follow_vanished(follower, array("Q", sorted(listed)), started, stopped)
    if missed:
        log.info("reconciled", uploads=len(listed), missed=missed)
    return Reconciled(len(listed), missed)


def _follow_vanished(follower: Follower, listed: array[int], started: float, stopped: Callable[[], bool]) -> int:
    """Follow the documents whose upload the listing did not show."""
    missed = 0
    for tenant in follower.intake.stores.registry.tenants():
        for document in _documents(follower.intake.stores.registry.for_tenant(tenant)):
            if stopped():
                return missed
            key = follower.bucket.key_of(document.source)
            if (
                key is not None
                and document.state is not DocumentState.DELETED
                and document.updated_at < started
                and not _holds(listed, _short(document.id))
            ):
                missed += follower.follow(key)
    return missed


def _known(follower: Follower, page: list[Upload]) -> dict[str, Document]:
    by_tenant: dict[Tenant, list[str]] = defaultdict(list)
    for upload, identifier in _with_ids(follower.bucket, page):
        by_tenant[follower.bucket.tenant_of(upload.key)].append(identifier)
    registry = follower.intake.stores.registry
    return {
        identifier: document
        for tenant, identifiers in by_tenant.items()
        for identifier, document in registry.for_tenant(tenant).get_many(identifiers).items()
    }


def _with_ids(bucket: Bucket, page: list[Upload]) -> Iterator[tuple[Upload, str]]:
    """The uploads that belong to a tenant, each with its document's id."""
    for upload in page:
        try:
            yield upload, bucket.document_id(upload.key)
        except Refused as error:
            log.warning("upload_refused", key=upload.key, code=error.code, reason=error.message)


def _pages(uploads: Iterator[Upload]) -> Iterator[list[Upload]]:
    while page := list(islice(uploads, PAGE)):
        yield page


def _documents(registry: TenantRegistry) -> Iterator[Document]:
    cursor = ""
    while True:
        page = registry.list(limit=PAGE, cursor=cursor)
        yield from page.documents
        cursor = page.cursor
        if not cursor:
            return


def _short(identifier: str) -> int:
    """64 of the id's 128 bits: two uploads that share them would only delay a deletion."""
    return int(identifier[:16], 16)


def _holds(ordered: array[int], value: int) -> bool:
    place = bisect_left(ordered, value)
    return place < len(ordered) and ordered[place] == value
