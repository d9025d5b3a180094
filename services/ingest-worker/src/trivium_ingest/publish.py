"""Publishing: every store is read back, then the new version is what queries see, and the old one goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import structlog

from trivium.concurrent_calls import map_concurrent
from trivium.domain.chunks import Chunk, ChunkVectors
from trivium.domain.documents import DocumentState, Stage
from trivium.domain.drift import Store
from trivium.domain.errors import TriviumError, TryLater
from trivium.edits.curation import curation_of
from trivium.flow import artifacts
from trivium.flow.erase import erase_children, erase_objects, requeuing_overtaken, require_membership
from trivium.flow.stage import Job, Outcome, read_all, tried
from trivium.ports.stores import Stores
from trivium.telemetry import DRIFT
from trivium.watching.store_calls import store_call
from trivium_ingest.hypernodes import hypernode_ids
from trivium_ingest.stages import forget_parts
from trivium_ingest.upkeep.rows import write_rows, writer_of

log = structlog.get_logger()


class PublishWork(msgspec.Struct, frozen=True):
    """The new version becomes the one that queries see, and the old one goes.

    `pictures` tells that chunks may have vectors in the store of pictures.
    """

    stores: Stores
    pictures: bool = False
    stage: Stage = Stage.PUBLISH

    def fingerprint(self) -> str:
        """Publishing has no options."""
        return "publish:1"

    def outputs_present(self, job: Job) -> bool:
        """Publishing always looks again."""
        return False

    def run(self, job: Job) -> Outcome:
        """Publish one document; raises what `run_all` answers for it."""
        (outcome,) = self.run_all([job])
        if isinstance(outcome, TriviumError):
            raise outcome
        return outcome

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome | TriviumError]:
        """Read back every store, flip the versions in one conditional write each, remove what they replaced.

        `TryLater` (`incomplete_write`) where a store does not hold exactly a version's chunks; what is missing was
        written again then. Reading back comes before the flip for another reason too: an embedded store forces to the
        disk what it answers, and a record that says "published" may get there at any time.
        """
        expected = self._expected(jobs)
        found = map_concurrent(lambda store: self._stored(store, jobs, expected[store]), list(expected))
        stored = dict(zip(expected, found, strict=True))
        faults = _faults(lambda job: self._show(job, expected, stored), jobs)
        replacing = [job for job in jobs if job.document.id not in faults and not job.untouched]
        faults |= self._remove_others(replacing)
        return [faults.get(job.document.id) or self._published(job, expected[Store.KEYWORDS]) for job in jobs]

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        """What the rows were made from."""
        return [Outcome(artifacts.Published.now(job.document, job.entry.artifacts)) for job in jobs]

    def _expected(self, jobs: Sequence[Job]) -> dict[Store, dict[str, set[str]]]:
        """What each store is to hold, by document: chunk ids, those with a picture's vector, and HyperNodes."""
        made = read_all(lambda job: job.load(Stage.ENRICH, list[Chunk]), jobs)
        chunks = _chunks(jobs, made)
        ids = {document: {chunk.id for chunk in of_one} for document, of_one in chunks.items()}
        nodes = {job.document.id: hypernode_ids(job, chunks[job.document.id]) for job in jobs}
        expected = {Store.HYPERNODES: nodes, Store.KEYWORDS: ids, Store.GRAPH: ids, Store.VECTORS: ids}
        if not self.pictures:
            return expected
        pictures = {job.document.id: {row.chunk_id for row in _vectors(job) if row.visual} for job in jobs}
        return {Store.PICTURES: pictures, **expected} if any(pictures.values()) else expected

    def _stored(self, store: Store, jobs: Sequence[Job], expected: Mapping[str, set[str]]) -> dict[str, set[str]]:
        """What it holds, by document."""
        with store_call(store.value, "ids"):
            if store in (Store.VECTORS, Store.HYPERNODES):
                return _seen(writer_of(self.stores, store, jobs[0].tenant), jobs, expected)
            held = writer_of(self.stores, store, jobs[0].tenant).ids(_versions(jobs))
        if store is Store.PICTURES:  # chunks that have none any more may be there still
            return {document: ids & expected[document] for document, ids in held.items()}
        return held

    def _show(
        self,
        job: Job,
        expected: Mapping[Store, Mapping[str, set[str]]],
        stored: Mapping[Store, Mapping[str, set[str]]],
    ) -> None:
        """Queries see the new version from here on. Raises where a store holds something else."""
        document = job.document
        for store, ids in expected.items():
            if stored[store][document.id] != ids[document.id]:
                raise self._incomplete(job, store, ids[document.id], stored[store][document.id])
        require_membership(self.stores, document)
        forget_parts(job, artifacts.own_key(job.entry.artifacts[Stage.EMBED.value]))
        if not job.untouched:
            published = msgspec.structs.replace(document, active_version=document.version, updated_at=time.time())
            job.progress.seal(published)
            self.stores.registry.for_tenant(job.tenant).save(published)

    def _published(self, job: Job, expected: Mapping[str, set[str]]) -> Outcome:
        document = job.document
        state = DocumentState.READY if expected[document.id] else DocumentState.EMPTY
        facts = {"state": state.value, "active_version": document.version, "failure": None, "lease_until": 0.0}
        return msgspec.structs.replace(self.planned([job])[0], facts=facts)

    def _incomplete(self, job: Job, store: Store, expected: set[str], found: set[str]) -> TryLater:
        """Write the document's rows into the store again; they are read back at the next try.

        Those of an earlier reading of the same bytes, which were cut otherwise, go first. It is counted and logged,
        for an alert to be built on.
        """
        DRIFT.labels(store.value, "publish").inc()
        message = f"The store of {store.value} holds {len(found)} of {len(expected)} chunks."
        log.warning("incomplete_write", document=job.document.id, message=message)
        try:
            if found - expected:
                with requeuing_overtaken(self.stores, job.tenant, _versions([job])):
                    writer_of(self.stores, store, job.tenant).delete(job.document.id)
            if found != expected:
                write_rows(self.stores, [store], job.tenant, [job])
        except TryLater as error:
            return error
        return TryLater("incomplete_write", message)

    def _remove_others(self, jobs: Sequence[Job]) -> dict[str, TriviumError]:
        """Remove what earlier versions and earlier tries left. Returns where that failed, by document."""

        def remove(store: Store) -> None:
            with store_call(store.value, "delete"):
                writer_of(self.stores, store, jobs[0].tenant).delete_others(_versions(jobs))

        def erase(job: Job) -> None:
            document = job.document
            erase_objects(self.stores, job.tenant, document.id, keep_version=document.version)
            erase_children(self.stores, job.tenant, document.id, keep_version=document.version)
            curation_of(self.stores).document_changed(job.tenant, document.id)  # it may have been deleted before

        if not jobs:
            return {}
        try:
            with requeuing_overtaken(self.stores, jobs[0].tenant, _versions(jobs)):
                map_concurrent(remove, list(Store))
        except TriviumError as error:
            return {job.document.id: error for job in jobs}
        return _faults(erase, jobs)


def _faults(step: Callable[[Job], None], jobs: Sequence[Job]) -> dict[str, TriviumError]:
    """What the step raises of ours, by document."""
    told = {job.document.id: tried(step, job) for job in jobs}
    return {document: fault for document, fault in told.items() if isinstance(fault, TriviumError)}


def _vectors(job: Job) -> list[ChunkVectors]:
    return job.load(Stage.EMBED, list[ChunkVectors])


def _chunks(jobs: Sequence[Job], made: Iterable[list[Chunk] | TriviumError]) -> dict[str, list[Chunk]]:
    """The chunks that each document has by its artifact; raises what reading one of them raised."""
    chunks = {}
    for job, found in zip(jobs, made, strict=True):
        if isinstance(found, TriviumError):
            raise found
        chunks[job.document.id] = found
    return chunks


def _seen(writer: Any, jobs: Sequence[Job], expected: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Where no other try can have written rows of the same names, what is seen already need not be waited for."""
    found: dict[str, set[str]] = writer.seen_ids(_versions([job for job in jobs if job.untouched]))
    unseen = [job for job in jobs if found.get(job.document.id) != expected[job.document.id]]
    return found | writer.ids(_versions(unseen)) if unseen else found


def _versions(jobs: Sequence[Job]) -> dict[str, str]:
    return {job.document.id: job.document.version for job in jobs}
