"""Erasing what was made of a document: on its deletion, and again after a worker that had not heard of it.

A document's children go with it, those of its old versions with those versions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import groupby

import msgspec

from trivium.batches import batches
from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import STAGES, Document, DocumentState, Stage
from trivium.domain.errors import Conflict, NotFound, TryLater
from trivium.domain.scope import Tenant
from trivium.edits.curation import curation_of
from trivium.flow import artifacts, family_count
from trivium.flow.chain import Entry
from trivium.flow.family import Member, MemberRef, dismiss, forget, kept_by_parent, member_refs
from trivium.flow.originals import kept_versions
from trivium.flow.stage import FIRST_CLAIM
from trivium.flow.topic_keys import forget_topics
from trivium.ports.objects import ObjectStore
from trivium.ports.stores import Stores

ERASED_AT_ONCE = 64  # children; a deletion looks at the clock between two of these


def delete_everywhere(stores: Stores, tenant: Tenant, document_id: str, within_s: float = math.inf) -> Document:
    """See `TenantIntake.delete`; a child that is deleted alone stays away until a new version of its parent has it.

    Raises `TryLater` (`deletion_goes_on`) when some of what is inside it is left after `within_s`.
    """
    known = stores.registry.for_tenant(tenant).get(document_id)
    if known.parent:
        dismiss(stores.objects.for_tenant(tenant), known)
    return _delete(stores, tenant, document_id, time.monotonic() + within_s)


def _delete(stores: Stores, tenant: Tenant, document_id: str, until: float = math.inf) -> Document:
    """Children go first, so that a deletion which breaks off leaves a document that can be deleted again.

    They go once more when the record says that it is gone: a parser at work may have found some meanwhile.
    """
    _erase_inside(stores, tenant, document_id, set, until)
    document = stores.registry.for_tenant(tenant).delete(document_id)
    if _taken_back(stores, document):
        return document
    erase(stores, tenant, {document_id: ""})
    erase_children(stores, tenant, document_id)
    forget_topics(stores.objects.for_tenant(tenant))
    return document


def erase(stores: Stores, tenant: Tenant, kept: Mapping[str, str]) -> None:
    """Remove rows, then artifacts and originals, except those of each document's kept version, "" for none.

    And what edits rested on a document alone of which none is kept. Rows of a version that was handed over meanwhile
    may go too: its publishing reads them back and writes them again (`requeuing_overtaken`).
    """
    _erase_rows(stores, tenant, kept)

    def forget_files(document_id: str) -> None:
        erase_objects(stores, tenant, document_id, kept[document_id])
        if not kept[document_id]:
            curation_of(stores).document_changed(tenant, document_id)

    map_concurrent(forget_files, list(kept))


def _erase_rows(stores: Stores, tenant: Tenant, kept: Mapping[str, str]) -> None:
    deletes: list[Callable[[Mapping[str, str]], None]] = [
        store.writer(tenant).delete_others
        for store in (stores.vectors, stores.visuals, stores.hypernodes, stores.keywords, stores.graphs)
    ]
    with requeuing_overtaken(stores, tenant, kept):
        map_concurrent(lambda delete: delete(kept), deletes)


@contextmanager
def requeuing_overtaken(stores: Stores, tenant: Tenant, kept: Mapping[str, str]) -> Iterator[None]:
    """Around a removal of rows: what is published meanwhile in another version than the kept one comes again.

    Its rows may have gone with the others, also where the removal breaks off: one store may have done its part.
    Publishing that has yet to begin reads them back by itself.
    """
    try:
        yield
    finally:
        registry = stores.registry.for_tenant(tenant)
        for document in registry.get_many(list(kept)).values():
            publishing = document.state is DocumentState.RUNNING and document.stage == Stage.PUBLISH
            if document.version != kept[document.id] and (publishing or document.state is DocumentState.READY):
                with suppress(NotFound):  # its tenant was erased
                    registry.requeue(document.id)


def erase_objects(stores: Stores, tenant: Tenant, document_id: str, keep_version: str = "") -> None:
    """Remove artifacts, originals and what was counted, except those of `keep_version` and of the `kept_versions`.

    These are asked for right before a version's files go: it may have been handed over since the caller looked. What
    that leaves open stands in `originals.py`. A deletion that breaks off leaves no `.meta` without its original.
    """
    objects = stores.objects.for_tenant(tenant)
    for prefix in (
        artifacts.artifact_prefix(document_id),
        f"originals/{document_id}/",
        f"{family_count.PREFIX}{document_id}/",
    ):
        backwards = sorted(objects.keys(prefix), reverse=True)  # what lies beside an original goes before it
        for version, keys in groupby(backwards, artifacts.version_of):
            if version != keep_version and version not in kept_versions(stores, tenant, document_id):
                for key in keys:
                    objects.delete(key)


def erase_children(stores: Stores, tenant: Tenant, document_id: str, keep_version: str = "") -> None:
    """Delete what was found inside a document, and inside that, except what `keep_version` of the document holds.

    And except what its `kept_versions` hold, which may be read meanwhile.
    """

    def kept() -> set[str]:
        return {keep_version} - {""} | kept_versions(stores, tenant, document_id)

    _erase_inside(stores, tenant, document_id, kept)


def _erase_inside(
    stores: Stores, tenant: Tenant, document_id: str, kept: Callable[[], set[str]], until: float = math.inf
) -> None:
    """Delete what is inside a document, except what those of its versions hold that `kept` says, asked again and again.

    Raises `TryLater` (`deletion_goes_on`) when `time.monotonic()` is past `until` and some are left.
    """
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)

    def is_removed(ref: MemberRef) -> bool:
        with suppress(NotFound):  # a record that is still to come will not be found in the index
            child = registry.delete(ref.child)
            return not (ref.parent == document_id and kept() and _taken_back(stores, child))
        return True

    def unheld(refs: list[MemberRef]) -> list[MemberRef]:
        held = {ref.child for version in kept() for ref in member_refs(objects, document_id, version)}
        return [ref for ref in refs if ref.child not in held]

    listed = list(member_refs(objects, document_id))
    versions = kept()  # asked behind the listing: a version that has members by then is recorded
    old = [ref for ref in listed if ref.version not in versions]
    for some in batches(old, ERASED_AT_ONCE):
        for level in reversed(_levels(objects, unheld(some))):
            for each in batches(level, ERASED_AT_ONCE):
                if time.monotonic() > until:
                    raise _goes_on(objects, document_id)
                removed = [ref for ref, gone in zip(each, map_concurrent(is_removed, each), strict=True) if gone]
                if removed:
                    erase(stores, tenant, {ref.child: "" for ref in removed})
                    map_concurrent(partial(forget, objects), removed)
    versions = kept()
    for ref in old:
        if ref.version not in versions:
            forget(objects, ref)


def _taken_back(stores: Stores, child: Document) -> bool:
    """Accept a document again that its parent holds though its record was just deleted; tells whether it does.

    A version of the parent was read meanwhile: it writes a child into its index before it accepts it. What was inside
    the child is gone by now, and comes back as it is read.
    """
    member = kept_by_parent(stores, child) if child.parent else None
    if member is not None:
        _accept_as(stores, child, member)
    return member is not None


def _accept_as(stores: Stores, child: Document, member: Member) -> None:
    newer = msgspec.structs.replace(child, version=member.version, size_bytes=member.size_bytes)
    stores.registry.for_tenant(Tenant(child.tenant)).accept(newer)


def _levels(objects: ObjectStore, held: list[MemberRef]) -> list[list[MemberRef]]:
    """These members, what is inside them, and so on; the last one is empty."""
    levels = [held]
    while levels[-1]:
        levels.append([below for ref in levels[-1] for below in member_refs(objects, ref.child)])
    return levels


def _goes_on(objects: ObjectStore, document_id: str) -> TryLater:
    left = sum(map(len, _levels(objects, list(member_refs(objects, document_id)))))
    return TryLater(
        "deletion_goes_on",
        f"{left:,} of the documents inside this one are not deleted yet.",
        "Delete it again: that goes on from here.",
    )


def require_membership(stores: Stores, document: Document) -> Member | None:
    """What a child's parent holds under its id, None for a document that is no child.

    Where the parent holds another version, that one is ingested instead; where it holds none, the child is deleted:
    whoever accepted it was late. Both raise `Conflict`.
    """
    if not document.parent:
        return None
    member, tenant = kept_by_parent(stores, document), Tenant(document.tenant)
    if member is None:
        _delete(stores, tenant, document.id)
        raise Conflict("parent_gone", f"What {document.source[:200]!r} was found in does not hold it any more.")
    if member.version != document.version:
        _accept_as(stores, document, member)
        raise Conflict("superseded", f"What {document.source[:200]!r} was found in holds another version by now.")
    return member


def clear_up(stores: Stores, document: Document, late: Entry) -> None:
    """Remove what the holder of an older claim wrote after its document was deleted, or published in another version.

    Deleting and publishing change the record first and remove rows then, so whoever writes rows and finds the record
    as it was has written in time for them to be removed. A version that is not published yet clears up when it is.
    Of one that failed the rows go, which every search would pass over; what was made of it stays for another try.
    """
    tenant = Tenant(document.tenant)
    if document.state is DocumentState.DELETED:
        erase(stores, tenant, {document.id: ""})
        erase_children(stores, tenant, document.id)
    elif document.active_version == document.version != late.version:
        erase(stores, tenant, {document.id: document.active_version})
        erase_children(stores, tenant, document.id, keep_version=document.active_version)
    elif document.state is DocumentState.FAILED and not _never_indexed(document):
        _erase_rows(stores, tenant, {document.id: document.active_version})


def _never_indexed(document: Document) -> bool:
    """Whether a failed document ended at its first try, before it had rows."""
    failed_at = document.failure.stage if document.failure else Stage.PUBLISH
    return document.fence == FIRST_CLAIM and STAGES.index(Stage(failed_at)) < STAGES.index(Stage.INDEX)
