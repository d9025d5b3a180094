"""READ FIRST: the ingest worker's stages: each loads its inputs, calls one pure function, returns its output.

Publishing is `publish.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from mimetypes import guess_type
from typing import Any

import msgspec

from trivium import telemetry
from trivium.domain.chunks import Chunk, ChunkVectors
from trivium.domain.documents import Document, Stage, file_name
from trivium.domain.drift import Store
from trivium.domain.errors import NeverWill, TriviumError
from trivium.domain.parsed import ParsedDocument
from trivium.domain.readers import Reader, Readers
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.artifacts import Origin
from trivium.flow.assets import store_assets
from trivium.flow.erase import require_membership
from trivium.flow.family import Member, accept_children, are_accepted
from trivium.flow.gives_way import GivesWay, gives_way_to
from trivium.flow.originals import Originals
from trivium.flow.parts import Parts
from trivium.flow.stage import Job, Outcome, in_slices, read_all, tried
from trivium.hypernodes.centroids import Centroids
from trivium.llm.address import LlmAddress
from trivium.ports.inference import Embedder, Passage, PassageVectors, Transcriber, VisualEncoder
from trivium.ports.keywords import KeywordRow, Keywords
from trivium.ports.parser import Blob, Hearing, ParseLimits, ParserModels
from trivium.ports.stores import Stores
from trivium.ports.vectors import VectorRow, Vectors
from trivium.watching.store_calls import store_call
from trivium_ingest.chunk.build import ChunkOptions, chunk_document
from trivium_ingest.chunk.build import fingerprint as chunk_fingerprint
from trivium_ingest.describe import Describer
from trivium_ingest.enrich.build import enrich
from trivium_ingest.enrich.build import fingerprint as enrich_fingerprint
from trivium_ingest.hearing import KeptHearing
from trivium_ingest.hypernodes import PlacedPassage, hypernode_ids, within_of
from trivium_ingest.opening import parse_opened
from trivium_ingest.own_date import own_date
from trivium_ingest.own_words import about
from trivium_ingest.visual import visual_vectors, with_names

INDEX_VERSION = 1
EMBED_VERSION = 1
EMBEDDED_AT_ONCE = 64  # passages; less than a second of two cores: between them work is stopped, and progress told
LONG_PASSAGES = 1024  # of a document: some ten seconds of two cores, and more is not done again
_READER_VERSION = 2  # raise it when another one than before reads a file where the reader is not our own
WRITTEN_AT_ONCE = 512  # rows; other writers and a stop wait for no more than one slice


class ParseWork(msgspec.Struct, frozen=True):
    """The original's bytes become typed units, and the files inside become documents of their own.

    With `named_pictures` also a picture without words becomes a passage, which its vector is found by.
    `unstructured` names that library and its model, "" where it has none.
    `parse` runs the parsers within `limits`, and tells the share that is read of what takes long, and what is heard;
    `parsers` names them.
    """

    parse: Callable[[Blob, Callable[[float], None], Reader, Hearing], ParsedDocument]
    parsers: Callable[[], str]
    models: ParserModels
    originals: Originals
    stores: Stores
    limits: ParseLimits
    describer: Describer | None = None
    named_pictures: bool = False
    readers: Readers = Readers()
    unstructured: str = ""
    stage: Stage = Stage.PARSE

    def fingerprint(self) -> str:
        """Parsers and the models that they and the descriptions ask; `TryLater` while a service of theirs is away."""
        ocr, transcriber = self.models.ocr, self.models.transcriber
        models = [ocr.fingerprint if ocr else "", _speech_model(transcriber)]
        if self.describer:
            models.append(self.describer.fingerprint())
        if self.named_pictures:
            models.append("named pictures")
        if self.unstructured:
            models.append(self.unstructured)
        return "|".join((self.parsers(), *models))

    def gives_way(self, job: Job) -> GivesWay | None:
        """While the model that describes pictures is busy, unless the name says that it is a text.

        Before it is read, which else would be done again: so one that turns out to hold no picture has waited too.
        """
        type_by_name, _ = guess_type(file_name(job.document.source))
        if self.describer is None or (type_by_name or "").startswith("text/"):
            return None
        return gives_way_to(self.describer.address, job.document.lane)

    def fingerprint_for(self, document: Document) -> str:
        """Also the reader of the document, where that is not our own."""
        reader = self.readers.of(document)
        return self.fingerprint() if reader is Reader.OWN else f"{self.fingerprint()}|{reader}:{_READER_VERSION}"

    def outputs_present(self, job: Job) -> bool:
        """Whether the files inside are there as documents."""
        key = artifacts.artifact_key(job.entry, self.stage, self.fingerprint_for(job.document))
        return are_accepted(self.stores, job.document, artifacts.load(job.objects, key, ParsedDocument).children)

    def run(self, job: Job) -> Outcome:
        """Read the original and parse it; the uploader's title stands in where the document has none."""
        return self._parsed(job, KeptHearing(job), *self._original(job))

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome | TriviumError]:
        """The originals are fetched some at a time, and parsed one after the other."""
        begun = time.monotonic()
        originals = read_all(self._original, jobs)
        return [
            original
            if isinstance(original, TriviumError)
            else tried(self._parsed, job, KeptHearing(job, begun), *original)
            for job, original in zip(jobs, originals, strict=True)
        ]

    def _original(self, job: Job) -> tuple[Member | None, Origin, Blob]:
        own = require_membership(self.stores, job.document)
        return own, *self.originals.read(job.tenant, job.document.id, job.document.version)

    def _parsed(self, job: Job, hearing: KeptHearing, own: Member | None, origin: Origin, blob: Blob) -> Outcome:
        parsed = parse_opened(
            lambda opened: self.parse(opened, hearing.tell, self.readers.of(job.document), hearing),
            blob,
            self.stores,
            job.document,
            with_password=origin.with_password,
        )
        taken = accept_children(self.stores, job.document, own, parsed.children, self.limits)
        warnings = (*parsed.warnings, *taken.warnings)
        parsed = msgspec.structs.replace(parsed, children=taken.children, warnings=warnings)
        if origin.title:
            parsed = msgspec.structs.replace(parsed, title=origin.title)
        if self.describer:
            parsed = self.describer.describe(parsed, job.document, job.objects)
        if self.named_pictures:
            parsed = with_names(parsed)
        parsed = store_assets(job.objects, job.document.id, job.document.version, parsed)
        return Outcome(
            parsed,
            {
                "title": parsed.title,
                "media_type": parsed.media_type,
                "warnings": list(parsed.warnings),
                "children": len(parsed.children),
                "dated_at": own_date(parsed.metadata),
                "about": msgspec.to_builtins(about(parsed.metadata)),
            },
        )


def _speech_model(transcriber: Transcriber | None) -> str:
    try:
        return transcriber.fingerprint if transcriber else ""
    except NeverWill:  # the service serves none
        return ""


class ChunkWork(msgspec.Struct, frozen=True):
    """Units become passages. `embedder` serves the semantic and token chunkers."""

    options: ChunkOptions
    embedder: Embedder
    stage: Stage = Stage.CHUNK

    def fingerprint(self) -> str:
        """Chunker and its options."""
        return chunk_fingerprint(self.options, self.embedder)

    def outputs_present(self, job: Job) -> bool:
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

    def outputs_present(self, job: Job) -> bool:
        """Enrichment leaves no rows."""
        return True

    def gives_way(self, job: Job) -> GivesWay | None:
        """While the language model is busy."""
        return gives_way_to(self.llm, job.document.lane) if self.llm else None

    def run(self, job: Job) -> Outcome:
        """Situate every chunk in its document."""
        chunks, warnings = enrich(job.load(Stage.CHUNK, list[Chunk]), job.load(Stage.PARSE, ParsedDocument), self.llm)
        known = job.document.warnings
        new = [warning for warning in warnings if warning not in known]
        facts: dict[str, Any] = {"warnings": [*known, *new]} if new else {}
        return Outcome(chunks, facts)


class EmbedWork(msgspec.Struct, frozen=True):
    """Passages and their sentences become vectors, in one forward pass; pictures, with an encoder for them."""

    embedder: Embedder
    visual: VisualEncoder | None = None
    stage: Stage = Stage.EMBED

    def fingerprint(self) -> str:
        """Models, revisions and precisions."""
        own = f"embed:{EMBED_VERSION}:{self.embedder.fingerprint}"
        return f"{own}:{self.visual.fingerprint}" if self.visual else own

    def outputs_present(self, job: Job) -> bool:
        """Embedding leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Embed every chunk with its heading and context before it."""
        return self.run_all([job])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The passages of all jobs together, in slices: the embedder sorts each by length."""
        chunks = [job.load(Stage.ENRICH, list[Chunk]) for job in jobs]
        parts = self._parts(jobs[0]) if len(jobs) == 1 and len(chunks[0]) > LONG_PASSAGES else None
        vectors = self._embedded(list(chain.from_iterable(chunks)), jobs, parts)
        return [
            Outcome(artifacts.encoded_rows(self._with_pictures(job, of_one, islice(vectors, len(of_one)))))
            for job, of_one in zip(jobs, chunks, strict=True)
        ]

    def _parts(self, job: Job) -> Parts:
        return _parts_of(job, artifacts.artifact_key(job.entry, self.stage, self.fingerprint()))

    def _embedded(self, chunks: Sequence[Chunk], jobs: Sequence[Job], parts: Parts | None) -> Iterator[ChunkVectors]:
        for some in in_slices(chunks, EMBEDDED_AT_ONCE, jobs):
            make = partial(self._slice, some)
            name = f"{some[0].id}-{len(some)}"
            yield from parts.made_once(name, list[ChunkVectors], make) if parts else make()

    def _slice(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]:
        vectors = self.embedder.embed_passages([passage_of(chunk) for chunk in chunks])
        return [vectors_of(*pair) for pair in zip(chunks, vectors, strict=True)]

    def _with_pictures(
        self, job: Job, chunks: Sequence[Chunk], vectors: Iterable[ChunkVectors]
    ) -> Iterable[ChunkVectors]:
        if self.visual is None:
            return vectors
        seen = visual_vectors(self.visual, job.objects, job.document, chunks)
        return (msgspec.structs.replace(row, visual=seen.get(row.chunk_id, b"")) for row in vectors)


def _parts_of(job: Job, key: str) -> Parts:
    """What is kept of a long document's vectors, slice by slice, until they are stored as `key`."""
    return Parts(job.objects, f"{key}.parts")


def forget_parts(job: Job, key: str) -> None:
    """Remove the parts of the vectors `key`, which are stored."""
    if job.document.chunks > LONG_PASSAGES:
        _parts_of(job, key).forget()


def passage_of(chunk: Chunk) -> Passage:
    """What the model reads of a chunk."""
    return Passage(chunk.text, "\n".join(filter(None, (chunk.heading, chunk.context))), chunk.sentences)


def vectors_of(chunk: Chunk, vectors: PassageVectors) -> ChunkVectors:
    """What is stored of a chunk's vectors."""
    return ChunkVectors(chunk.id, vectors.passage.tobytes(), vectors.sentences.tobytes())


class IndexWork(msgspec.Struct, frozen=True):
    """Passages become findable: rows in the stores of vectors and keywords, pictures and HyperNodes in their own."""

    vectors: Vectors
    keywords: Keywords
    visuals: Vectors
    hypernodes: Vectors
    stage: Stage = Stage.INDEX

    def fingerprint(self) -> str:
        """The shape of the rows."""
        return f"index:{INDEX_VERSION}"

    def outputs_present(self, job: Job) -> bool:
        """Whether the stores hold exactly this version's chunks."""
        vectors = job.load(Stage.EMBED, list[ChunkVectors])
        expected = {row.chunk_id for row in vectors}
        pictured = {row.chunk_id for row in vectors if row.visual}
        wanted: list[tuple[Vectors | Keywords, set[str]]] = [
            (self.vectors, expected),
            (self.keywords, expected),
            (self.hypernodes, hypernode_ids(job, job.load(Stage.ENRICH, list[PlacedPassage]))),
            *([(self.visuals, pictured)] if pictured else []),
        ]
        return all(
            store.writer(job.tenant).ids({job.document.id: job.document.version})[job.document.id] == ids
            for store, ids in wanted
        )

    def run(self, job: Job) -> Outcome:
        """Write the rows; queries see them once the version is published."""
        return self.run_all([job])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The rows of all jobs together, in slices; one call to each store."""
        rows = [row for job in jobs for row in _rows_of(job)]
        nodes = within_of(rows)
        centroids = Centroids()
        for some in in_slices(rows, WRITTEN_AT_ONCE, jobs):
            made = [(chunk, vector_row(job, chunk, vectors)) for job, chunk, vectors in some]
            self._write(made, jobs[0].tenant)
            for chunk, row in made:
                centroids.add(nodes[chunk.id], row, len(chunk.text))
        for few in in_slices(centroids.rows(), WRITTEN_AT_ONCE, ()):
            with store_call(Store.HYPERNODES.value, "write"):
                self.hypernodes.writer(jobs[0].tenant).upsert(few)
        telemetry.CHUNKS.inc(len(rows))
        return self.planned(jobs)

    def _write(self, rows: Sequence[tuple[Chunk, VectorRow]], tenant: Tenant) -> None:
        with store_call(Store.KEYWORDS.value, "write"):
            self.keywords.writer(tenant).upsert([KeywordRow(chunk, row.scope) for chunk, row in rows])
        vectors = [row for _, row in rows]
        with store_call(Store.VECTORS.value, "write"):
            self.vectors.writer(tenant).upsert(vectors)
        if pictures := visual_rows(vectors):
            with store_call(Store.PICTURES.value, "write"):
                self.visuals.writer(tenant).upsert(pictures)

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        """How many rows a document has."""
        counts = [len(job.load(Stage.ENRICH, list[msgspec.Raw])) for job in jobs]
        return [Outcome(count, {"chunks": count}) for count in counts]


def _rows_of(job: Job) -> Iterator[tuple[Job, Chunk, msgspec.Raw]]:
    """With the vectors as they are stored: a table's are larger than all else that is known of it."""
    chunks = job.load(Stage.ENRICH, list[Chunk])
    return ((job, *row) for row in zip(chunks, job.load(Stage.EMBED, list[msgspec.Raw]), strict=True))


def vector_row(job: Job, chunk: Chunk, vectors: msgspec.Raw) -> VectorRow:
    """What the vector store holds of a chunk; `vectors` are its `ChunkVectors` as they are stored."""
    read = artifacts.value_of(vectors, ChunkVectors, job.entry.artifacts[Stage.EMBED.value])
    return VectorRow(read, job.document.id, job.document.version, job.scope, chunk.held_kinds)


def vector_rows(job: Job, chunks: Sequence[Chunk]) -> list[VectorRow]:
    """What the vector store holds of a document's chunks."""
    stored = job.load(Stage.EMBED, list[msgspec.Raw])
    return [vector_row(job, chunk, vectors) for chunk, vectors in zip(chunks, stored, strict=True)]


def visual_rows(rows: Iterable[VectorRow]) -> list[VectorRow]:
    """What the store of pictures holds of these chunks: those that have one, under the same ids."""
    return [
        msgspec.structs.replace(row, vectors=ChunkVectors(row.vectors.chunk_id, row.vectors.visual))
        for row in rows
        if row.vectors.visual
    ]
