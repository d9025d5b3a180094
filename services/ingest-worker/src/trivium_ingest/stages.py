"""The ingest worker's stages: each loads its inputs, calls one pure function, returns its output."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from trivium import telemetry
from trivium.domain.chunks import Chunk, ChunkVectors
from trivium.domain.documents import DocumentState, Stage
from trivium.domain.errors import TryLater
from trivium.domain.parsed import ParsedDocument
from trivium.flow import artifacts
from trivium.flow.originals import Originals
from trivium.flow.stage import Job, Outcome
from trivium.llm.address import LlmAddress
from trivium.ports.graph import Graphs
from trivium.ports.inference import Embedder, Passage
from trivium.ports.keywords import Keywords
from trivium.ports.parser import Blob
from trivium.ports.registry import Registry
from trivium.ports.vectors import VectorRow, Vectors
from trivium_ingest.chunk.build import ChunkOptions, chunk_document
from trivium_ingest.chunk.build import fingerprint as chunk_fingerprint
from trivium_ingest.enrich.build import enrich
from trivium_ingest.enrich.build import fingerprint as enrich_fingerprint
from trivium_ingest.parse.build import fingerprint as parse_fingerprint

INDEX_VERSION = 1
EMBED_VERSION = 1
FIRST_CLAIM = 2  # the fence of a document that was accepted once and claimed once


class ParseWork(msgspec.Struct, frozen=True):
    """The original's bytes become typed units. `parse` runs the parsers within their limits."""

    parse: Callable[[Blob], ParsedDocument]
    ocr_fingerprint: str
    originals: Originals
    stage: Stage = Stage.PARSE

    def fingerprint(self) -> str:
        """Parsers and OCR model."""
        return f"{parse_fingerprint()}|{self.ocr_fingerprint}"

    def settled(self, job: Job) -> bool:
        """Parsing leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Read the original and parse it; the uploader's title stands in where the document has none."""
        origin, blob = self.originals.read(job.tenant, job.document.id, job.document.version)
        parsed = self.parse(blob)
        if origin.title:
            parsed = msgspec.structs.replace(parsed, title=origin.title)
        return Outcome(
            parsed,
            {"title": parsed.title, "media_type": parsed.media_type, "warnings": list(parsed.warnings)},
        )


class ChunkWork(msgspec.Struct, frozen=True):
    """Units become passages. `embedder` serves the semantic and token chunkers."""

    options: ChunkOptions
    embedder: Embedder
    stage: Stage = Stage.CHUNK

    def fingerprint(self) -> str:
        """Chunker and its options."""
        return chunk_fingerprint(self.options, self.embedder)

    def settled(self, job: Job) -> bool:
        """Chunking leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Cut the parsed document."""
        document = job.document
        parsed = job.load(Stage.PARSE, ParsedDocument)
        return Outcome(
            chunk_document(parsed, document.id, document.version, document.source, self.options, self.embedder)
        )


class EnrichWork(msgspec.Struct, frozen=True):
    """Passages get their context, by the LLM or extracted."""

    llm: LlmAddress | None
    stage: Stage = Stage.ENRICH

    def fingerprint(self) -> str:
        """Method, prompt and model."""
        return enrich_fingerprint(self.llm)

    def settled(self, job: Job) -> bool:
        """Enrichment leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Situate every chunk in its document."""
        chunks, warnings = enrich(job.load(Stage.CHUNK, list[Chunk]), job.load(Stage.PARSE, ParsedDocument), self.llm)
        known = job.document.warnings
        new = [warning for warning in warnings if warning not in known]
        facts: dict[str, Any] = {"warnings": [*known, *new]} if new else {}
        return Outcome(chunks, facts)


class EmbedWork(msgspec.Struct, frozen=True):
    """Passages and their sentences become vectors, in one forward pass."""

    embedder: Embedder
    stage: Stage = Stage.EMBED

    def fingerprint(self) -> str:
        """Model, revision and precision."""
        return f"embed:{EMBED_VERSION}:{self.embedder.fingerprint}"

    def settled(self, job: Job) -> bool:
        """Embedding leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Embed every chunk with its heading and context before it."""
        chunks = job.load(Stage.ENRICH, list[Chunk])
        vectors = self.embedder.embed_passages([passage_of(chunk) for chunk in chunks])
        return Outcome(
            [
                ChunkVectors(chunk.id, vector.passage.tobytes(), vector.sentences.tobytes())
                for chunk, vector in zip(chunks, vectors, strict=True)
            ]
        )


def passage_of(chunk: Chunk) -> Passage:
    """What the model reads of a chunk."""
    return Passage(chunk.text, "\n".join(filter(None, (chunk.heading, chunk.context))), chunk.sentences)


class IndexWork(msgspec.Struct, frozen=True):
    """Passages become findable: rows in the vector store and the keyword store."""

    vectors: Vectors
    keywords: Keywords
    stage: Stage = Stage.INDEX

    def fingerprint(self) -> str:
        """The shape of the rows."""
        return f"index:{INDEX_VERSION}"

    def settled(self, job: Job) -> bool:
        """Whether both stores hold exactly this version's chunks."""
        expected = {chunk.id for chunk in job.load(Stage.ENRICH, list[Chunk])}
        return all(
            store.writer(job.tenant).ids({job.document.id: job.document.version})[job.document.id] == expected
            for store in (self.vectors, self.keywords)
        )

    def run(self, job: Job) -> Outcome:
        """Write the rows; queries see them once the version is published."""
        document = job.document
        chunks = job.load(Stage.ENRICH, list[Chunk])
        vectors = job.load(Stage.EMBED, list[ChunkVectors])
        self.keywords.writer(job.tenant).upsert(chunks, job.scope)
        self.vectors.writer(job.tenant).upsert(
            [
                VectorRow(vector, document.id, document.version, job.scope, chunk.kind.value)
                for chunk, vector in zip(chunks, vectors, strict=True)
            ]
        )
        telemetry.CHUNKS.inc(len(chunks))
        return Outcome(len(chunks), {"chunks": len(chunks)})


class PublishWork(msgspec.Struct, frozen=True):
    """The new version becomes the one that queries see, and the old one goes."""

    registry: Registry
    vectors: Vectors
    keywords: Keywords
    graphs: Graphs
    stage: Stage = Stage.PUBLISH

    def fingerprint(self) -> str:
        """Publishing has no options."""
        return "publish:1"

    def settled(self, job: Job) -> bool:
        """Publishing always looks again."""
        return False

    def run(self, job: Job) -> Outcome:
        """Read back every store, flip the version in one conditional write, remove what it replaced.

        Raises `TryLater` (`incomplete_write`) when a store does not hold exactly the version's chunks.
        """
        document = job.document
        expected = {chunk.id for chunk in job.load(Stage.ENRICH, list[Chunk])}
        stores = (("vector", self.vectors), ("keyword", self.keywords), ("graph", self.graphs))
        for name, store in stores:
            found = store.writer(job.tenant).ids({document.id: document.version})[document.id]
            if found != expected:
                raise TryLater("incomplete_write", f"The {name} store holds {len(found)} of {len(expected)} chunks.")
        published = msgspec.structs.replace(document, active_version=document.version, updated_at=time.time())
        self.registry.for_tenant(job.tenant).save(published)
        if document.fence > FIRST_CLAIM:  # an earlier version, or an earlier try, may have left something
            for _, store in stores:
                store.writer(job.tenant).delete(document.id, keep_version=document.version)
            self._drop_old_objects(job)
        state = DocumentState.READY if expected else DocumentState.EMPTY
        return Outcome(
            len(expected),
            {"state": state.value, "active_version": document.version, "failure": None, "lease_until": 0.0},
        )

    def _drop_old_objects(self, job: Job) -> None:
        document = job.document
        keep = (
            artifacts.artifact_prefix(document.id, document.version),
            artifacts.original_key(document.id, document.version),
        )
        for prefix in (artifacts.artifact_prefix(document.id), f"originals/{document.id}/"):
            for key in list(job.objects.keys(prefix)):
                if not key.startswith(keep):
                    job.objects.delete(key)
