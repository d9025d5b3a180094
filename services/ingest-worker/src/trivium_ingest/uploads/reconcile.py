"""Finds what no event told, by comparing the bucket's listing with the registry, in both directions."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Callable

import msgspec
import structlog

from trivium.domain.documents import DocumentState, Lane
from trivium.ports.registry import every_document
from trivium.ports.uploads import Upload
from trivium_ingest.uploads.compare import compared
from trivium_ingest.uploads.follow import Follower

FRESH_S = 600.0  # somebody may wait for what was put there so lately, and its event may only be late

log = structlog.get_logger()


class Reconciled(msgspec.Struct, frozen=True):
    """What one round found: uploads in the bucket, and documents that no event had brought up to date."""

    uploads: int
    missed: int


def reconcile(follower: Follower, stopped: Callable[[], bool] = lambda: False) -> Reconciled:
    """One round over the whole bucket and all its documents; eight bytes of memory an upload. Raises `TryLater`.

    Nobody waits any more for what lies there long, so that goes through the slower lane.
    """
    started = time.time()
    listed, missed = array("Q"), 0
    registry, bucket = follower.intake.stores.registry, follower.bucket
    for page in compared(bucket, registry, bucket.uploads.listing()):
        if stopped():
            return Reconciled(len(listed), missed)
        for each in page:
            listed.append(_short(each.document_id))
            if each.has_changed:
                missed += follower.follow(each.upload.key, _lane(each.upload, started))
    missed += _follow_vanished(follower, array("Q", sorted(listed)), started, stopped)
    if missed:
        log.info("reconciled", uploads=len(listed), missed=missed)
    return Reconciled(len(listed), missed)


def _lane(upload: Upload, now: float) -> Lane:
    return Lane.INTERACTIVE if now - upload.modified < FRESH_S else Lane.BACKFILL


def _follow_vanished(follower: Follower, listed: array[int], started: float, stopped: Callable[[], bool]) -> int:
    """Follow the documents whose upload the listing did not show; what was found inside one follows that."""
    missed = 0
    for tenant in follower.intake.stores.registry.tenants():
        for document in every_document(follower.intake.stores.registry.for_tenant(tenant)):
            if stopped():
                return missed
            key = None if document.parent else follower.bucket.key_of(document.source)
            if (
                key is not None
                and document.state is not DocumentState.DELETED
                and document.updated_at < started
                and not _holds(listed, _short(document.id))
            ):
                missed += follower.follow(key)
    return missed


def _short(identifier: str) -> int:
    """64 of the id's 128 bits: two uploads that share them would only delay a deletion."""
    return int(identifier[:16], 16)


def _holds(ordered: array[int], value: int) -> bool:
    place = bisect_left(ordered, value)
    return place < len(ordered) and ordered[place] == value
