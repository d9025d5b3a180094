"""Publishing: every store is read back, then the new version is what queries see, and the old one goes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import msgspec
import structlog

from trivium.domain.chunks import Chunk, ChunkVectors
from trivium.domain.documents import DocumentState, Stage
from trivium.domain.drift import Store
from trivium.domain.errors import TriviumError, TryLater
from trivium.edits.curation import curation_of
from trivium.flow import artifacts
from trivium.flow.erase import erase_children, erase_objects, require_membership
from trivium.flow.stage import Job, Outcome, read_all
from trivium.ports.stores import Stores
from trivium.ports.vectors import Vectors
from trivium.telemetry import DRIFT
from trivium.watching.store_calls import store_call
from trivium_ingest.hypernodes import hypernode_ids
from trivium_ingest.upkeep.rows import write_rows

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
        written again then.
        """
        tenant, versions = jobs[0].tenant, _versions(jobs)
        made = read_all(lambda job: job.load(Stage.ENRICH, list[Chunk]), jobs)
        stored = {}
        with store_call(Store.KEYWORDS.value, "ids"):
            stored[Store.KEYWORDS] = self.stores.keywords.writer(tenant).ids(versions)
        with store_call(Store.GRAPH.value, "ids"):
            stored[Store.GRAPH] = self.stores.graphs.writer(tenant).ids(versions)
        chunks = _chunks(jobs, made)
        expected = {document: {chunk.id for chunk in of_one} for document, of_one in chunks.items()}
        nodes = {job.document.id: hypernode_ids(job, chunks[job.document.id]) for job in jobs}
        stored[Store.VECTORS] = _seen(self.stores.vectors, jobs, expected)
        unseen = self._without_pictures(jobs) | self._without_hypernodes(jobs, nodes)
        return [
            unseen.get(job.document.id)
            or self._publish(
                job, expected[job.document.id], {store: ids[job.document.id] for store, ids in stored.items()}
            )
            for job in jobs
        ]

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        """What the rows were made from."""
        return [Outcome(artifacts.Published.now(job.document, job.entry.artifacts)) for job in jobs]

    def _without_pictures(self, jobs: Sequence[Job]) -> dict[str, TryLater]:
        """The documents whose pictures are not all in their store, and what is said of each."""
        if not self.pictures:
            return {}
        expected = {
            job.document.id: {row.chunk_id for row in job.load(Stage.EMBED, list[ChunkVectors]) if row.visual}
            for job in jobs
        }
        if not any(expected.values()):
            return {}
        stored = self.stores.visuals.writer(jobs[0].tenant).ids(_versions(jobs))
        return {
            job.document.id: self._incomplete(job, Store.PICTURES, ids, found & ids)
            for job in jobs
            if not (ids := expected[job.document.id]) <= (found := stored[job.document.id])
        }

    def _without_hypernodes(self, jobs: Sequence[Job], expected: dict[str, set[str]]) -> dict[str, TryLater]:
        """The documents whose HyperNodes are not exactly those in their store, and what is said of each."""
        stored = _seen(self.stores.hypernodes, jobs, expected)
        return {
            job.document.id: self._incomplete(job, Store.HYPERNODES, ids, found)
            for job in jobs
            if (ids := expected[job.document.id]) != (found := stored[job.document.id])
        }

    def _publish(self, job: Job, expected: set[str], stored: dict[Store, set[str]]) -> Outcome | TriviumError:
        document = job.document
        for store, found in stored.items():
            if found != expected:
                return self._incomplete(job, store, expected, found)
        try:
            require_membership(self.stores, document)
            if not job.untouched:
                self._replace(job)
        except TriviumError as error:
            return error
        state = DocumentState.READY if expected else DocumentState.EMPTY
        facts = {"state": state.value, "active_version": document.version, "failure": None, "lease_until": 0.0}
        return msgspec.structs.replace(self.planned([job])[0], facts=facts)

    def _incomplete(self, job: Job, store: Store, expected: set[str], found: set[str]) -> TryLater:
        """Write the document's rows into the store again; they are read back at the next try.

        It is counted and logged, for an alert to be built on.
        """
        DRIFT.labels(store.value, "publish").inc()
        message = f"The store of {store.value} holds {len(found)} of {len(expected)} chunks."
        log.warning("incomplete_write", document=job.document.id, message=message)
        try:
            if expected - found:
                write_rows(self.stores, [store], job.tenant, [job])
        except TryLater as error:
            return error
        return TryLater("incomplete_write", message)

    def _replace(self, job: Job) -> None:
        """Show queries the new version, then remove what earlier versions and earlier tries left."""
        document = job.document
        job.progress.seal()
        published = msgspec.structs.replace(document, active_version=document.version, updated_at=time.time())
        self.stores.registry.for_tenant(job.tenant).save(published)
        for name, store in (
            (Store.VECTORS, self.stores.vectors),
            (Store.PICTURES, self.stores.visuals),
            (Store.HYPERNODES, self.stores.hypernodes),
            (Store.KEYWORDS, self.stores.keywords),
            (Store.GRAPH, self.stores.graphs),
        ):
            with store_call(name.value, "delete"):
                store.writer(job.tenant).delete(document.id, keep_version=document.version)
        erase_objects(job.objects, document.id, keep_version=document.version)
        erase_children(self.stores, job.tenant, document.id, keep_version=document.version)
        curation_of(self.stores).document_changed(job.tenant, document.id)  # it may have been deleted before


def _chunks(jobs: Sequence[Job], made: Iterable[list[Chunk] | TriviumError]) -> dict[str, list[Chunk]]:
    """The chunks that each document has by its artifact; raises what reading one of them raised."""
    chunks = {}
    for job, found in zip(jobs, made, strict=True):
        if isinstance(found, TriviumError):
            raise found
        chunks[job.document.id] = found
    return chunks


def _seen(vectors: Vectors, jobs: Sequence[Job], expected: dict[str, set[str]]) -> dict[str, set[str]]:
    """Where no other try can have written rows of the same names, what is seen already need not be waited for."""
    writer = vectors.writer(jobs[0].tenant)
    found = writer.seen_ids(_versions([job for job in jobs if job.untouched]))
    unseen = [job for job in jobs if found.get(job.document.id) != expected[job.document.id]]
    return found | writer.ids(_versions(unseen)) if unseen else found


def _versions(jobs: Sequence[Job]) -> dict[str, str]:
    return {job.document.id: job.document.version for job in jobs}
