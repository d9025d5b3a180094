"""What the artifacts say against what the stores hold, and putting it right.

For every version that queries see, the rows that its artifacts make (in the store of pictures, of those chunks that
have one) are compared with the rows in each store, first their ids, then their contents; then every store is asked
which versions it holds, and those that the registry does not know as active are orphans. What the graph adds up from
its rows is compared with a graph made anew (`graph_sums.py`). Last come what belongs to nobody, tenants, documents and
files that the registry does not know (`strays.py`), and kept topics (`topics.py`).
Documents that are being ingested are left alone: publishing reads back and clears up by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice

import msgspec

from trivium.batches import batches
from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import Document
from trivium.domain.drift import ARTIFACTS, REGISTRY, Drift, Store
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.flow.erase import requeuing_overtaken
from trivium.flow.graph_rows import graph_rows
from trivium.flow.stage import Job
from trivium.ports.graph import Graphs
from trivium.ports.stores import Stores
from trivium_ingest.upkeep.edits import edits_of
from trivium_ingest.upkeep.graph_sums import graph_sums, write_graph_anew
from trivium_ingest.upkeep.published import PAGE, Expected, job_and_expected, pages_of_published, versions
from trivium_ingest.upkeep.retried import retried
from trivium_ingest.upkeep.rows import ROWS_COMPARED, unlike, write_rows, writer_of
from trivium_ingest.upkeep.strays import strays, strays_of
from trivium_ingest.upkeep.topics import topics_of

Scratch = Callable[[], AbstractContextManager[Graphs]]
"""A graph that is empty, and gone at the end of the block."""


def audit(stores: Stores, *, repair: bool = False, scratch: Scratch | None = None) -> Iterator[Drift]:
    """Every drift of every tenant; with `repair`, put right as far as the artifacts allow.

    Without `scratch` only ids are compared, which reads no rows and one artifact a document; with it, everything.
    Surplus rows of a version are removed with all its rows, which are then written again: for that moment queries
    do not see the document. Raises `TryLater` when a store stays away.
    """
    known = stores.registry.tenants()
    for tenant in known:
        of_rows = _of_rows(stores, tenant, repair=repair, contents=scratch is not None)
        yield from of_rows if scratch is None else _with_sums(stores, tenant, of_rows, scratch, repair=repair)
        yield from retried(partial(strays_of, stores, tenant, repair=repair))
        yield from retried(partial(topics_of, stores, tenant, repair=repair))
    for tenant in sorted(stores.objects.tenants() - set(known), key=str):
        yield from retried(partial(edits_of, stores, tenant, repair=repair))
    yield from retried(partial(strays, stores, known, repair=repair))


def _of_rows(stores: Stores, tenant: Tenant, *, repair: bool, contents: bool) -> Iterator[Drift]:
    for documents in pages_of_published(stores, tenant):
        yield from retried(partial(_drift, stores, tenant, documents, repair=repair, contents=contents))
    for store in Store:
        yield from retried(partial(_orphans, stores, store, tenant, repair=repair))
    yield from retried(partial(edits_of, stores, tenant, repair=repair))


def _with_sums(
    stores: Stores, tenant: Tenant, of_rows: Iterator[Drift], scratch: Scratch, *, repair: bool
) -> Iterator[Drift]:
    """And what the graph's rows add up to, which differs rightly where the rows do and are not put right."""
    changed, amiss = False, False
    for drift in of_rows:
        anew = repair and drift.store == Store.GRAPH and drift.changed > 0 and not drift.repaired
        changed |= anew
        amiss |= drift.store == Store.GRAPH and not (drift.repaired or anew)
        yield msgspec.structs.replace(drift, repaired=drift.repaired or anew)
    if changed:
        write_graph_anew(stores, tenant)
    if not amiss:
        with scratch() as made:
            yield from retried(partial(graph_sums, stores, made, tenant, repair=repair))


def _drift(
    stores: Stores, tenant: Tenant, documents: Sequence[Document], *, repair: bool, contents: bool
) -> Iterator[Drift]:
    stored = {store: writer_of(stores, store, tenant).ids(versions(documents)) for store in Store}
    audited: list[tuple[Document, Job, Expected]] = []
    for document, known in zip(documents, map_concurrent(partial(job_and_expected, stores), documents), strict=True):
        if known is not None:
            audited.append((document, *known))
        elif _is_current(stores, document):
            yield _drift_of(document, ARTIFACTS, missing=document.chunks)
    for some in batches(audited, ROWS_COMPARED, lambda one: len(one[2][Store.KEYWORDS])):
        jobs = [job for _, job, _ in some]
        compared = {store: unlike(stores, store, jobs) if contents else (set(), set()) for store in Store}
        for document, job, expected in some:
            for store in Store:
                fault = _fault(store, document, (expected[store], stored[store][document.id]), *compared[store])
                if fault is not None and _is_current(stores, document):
                    yield _repaired(stores, store, job, fault) if repair else fault
            yield from _counted(stores, document, len(expected[Store.KEYWORDS]), repair=repair)


def _fault(
    store: Store, document: Document, ids: tuple[set[str], set[str]], changed: set[str], gone: set[str]
) -> Drift | None:
    """What is amiss with one document's rows; see `unlike` for `changed` and `gone`."""
    expected, found = ids
    if document.id in gone:
        return _drift_of(document, ARTIFACTS, missing=len(expected))
    otherwise = len(changed & expected & found)
    if found == expected and not otherwise:
        return None
    return _drift_of(document, store, missing=len(expected - found), surplus=len(found - expected), changed=otherwise)


def _repaired(stores: Stores, store: Store, job: Job, fault: Drift) -> Drift:
    if fault.store == ARTIFACTS:
        return fault
    if store is Store.GRAPH and fault.changed:
        return msgspec.structs.replace(fault, repaired=_relabelled(stores, job))
    if fault.surplus:
        with requeuing_overtaken(stores, job.tenant, versions([job.document])):
            writer_of(stores, store, job.tenant).delete(job.document.id)
    try:
        write_rows(stores, [store], job.tenant, [job])
    except NotFound:
        return msgspec.structs.replace(fault, store=ARTIFACTS)
    return msgspec.structs.replace(fault, repaired=True)


def _relabelled(stores: Stores, job: Job) -> bool:
    """Whether only what stands beside the shares was another, and is right now.

    Where a share was, what it added up to is not known any more: all of the graph is written anew.
    """
    rows = graph_rows(job)
    stores.graphs.writer(job.tenant).relabel(rows)
    return not unlike(stores, Store.GRAPH, [job])[0]


def _counted(stores: Stores, document: Document, passages: int, *, repair: bool) -> Iterator[Drift]:
    """A record that counts other passages than there are."""
    if document.chunks == passages or document.version != document.active_version or not document.state.terminal:
        return
    if repair:
        counted = msgspec.structs.replace(document, chunks=passages)
        repair = not stores.registry.for_tenant(Tenant(document.tenant)).save_many([counted])
    found = f"its record counts {document.chunks} passages, its artifacts hold {passages}"
    yield msgspec.structs.replace(_drift_of(document, REGISTRY), found=found, repaired=repair)


def _is_current(stores: Stores, document: Document) -> bool:
    """Whether nothing happened to the document since it was listed."""
    now = stores.registry.for_tenant(Tenant(document.tenant)).get_many([document.id]).get(document.id)
    return now is not None and (now.active_version, now.fence) == (document.active_version, document.fence)


def _orphans(stores: Stores, store: Store, tenant: Tenant, *, repair: bool) -> Iterator[Drift]:
    writer = writer_of(stores, store, tenant)
    held = writer.versions()
    told: set[tuple[str, str]] = set()
    while some := list(islice(held, PAGE)):
        known = stores.registry.for_tenant(tenant).get_many([document_id for document_id, _ in some])
        for document_id, version in some:
            document = known.get(document_id)
            if (document_id, version) in told or not _is_orphan(document, version):
                continue
            told.add((document_id, version))
            if repair:
                kept = {document_id: document.active_version if document else ""}
                with requeuing_overtaken(stores, tenant, kept):
                    writer.delete_others(kept)
            source = document.source if document else ""
            yield Drift(tenant.name, document_id, version, source, store, orphaned=True, repaired=repair)


def _is_orphan(document: Document | None, version: str) -> bool:
    return document is None or (document.state.terminal and version != document.active_version)


def _drift_of(document: Document, store: str, missing: int = 0, surplus: int = 0, changed: int = 0) -> Drift:
    address = (document.tenant, document.id, document.active_version, document.source, store)
    return Drift(*address, missing=missing, surplus=surplus, changed=changed)
