"""The graph worker's stages: extract what each chunk says, then link it into the graph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
import structlog

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document, Stage
from trivium.domain.errors import NeverWill, TriviumError
from trivium.domain.extractors import Extractor, Extractors
from trivium.domain.graph import ChunkGraph
from trivium.domain.graph_schema import GraphSchema
from trivium.domain.parsed import ParsedDocument
from trivium.edits.curation import Curation
from trivium.edits.words import keys_of
from trivium.flow.gives_way import GivesWay, gives_way_to
from trivium.flow.graph_rows import graph_rows
from trivium.flow.in_turns import GoesOn
from trivium.flow.stage import Job, Outcome, in_slices, read_all, tried
from trivium.graph_schema.versions import newest
from trivium.llm.address import LlmAddress
from trivium.ports.graph import Graphs
from trivium.watching.store_calls import store_call
from trivium_graph.agent.decisions import decide
from trivium_graph.agent.limits import TURN_S, Limits, Turns
from trivium_graph.agent.read_document import ReadDocument, prompt_label, read_document
from trivium_graph.agent.record import Readings
from trivium_graph.build import extract, fingerprint
from trivium_graph.checks import checked_shares
from trivium_graph.links import with_links
from trivium_graph.llm_extract import operation, refine
from trivium_graph.older_keys import with_older_keys
from trivium_graph.told_schema import NO_SCHEMA

LINK_VERSION = 1
_NO_MODEL = "This worker has no language model: set TRIVIUM_LLM and TRIVIUM_LLM_MODEL."
WRITTEN_AT_ONCE = 512  # shares; other writers and a stop wait for no more than one slice

log = structlog.get_logger()


class ExtractWork(msgspec.Struct, frozen=True):
    """Chunks become names, aliases and relations with their evidence: by rules, a language model, or the agent.

    The agent looks into `graphs`, and what it decides for other documents too goes through `curation`.
    """

    llm: LlmAddress | None
    extractors: Extractors
    graphs: Graphs
    curation: Curation
    limits: Limits
    stage: Stage = Stage.EXTRACT

    def fingerprint(self) -> str:
        """Rules, prompt and model, of a document that has no extractor of its own.

        Not the schema, so that accepting a type reads nothing again.
        """
        return self._fingerprint(self.extractors.default)

    def fingerprint_for(self, document: Document) -> str:
        """Those of the document's extractor."""
        return self._fingerprint(self.extractors.of(document))

    def _fingerprint(self, extractor: Extractor) -> str:
        if self.llm is None or extractor is Extractor.RULES:
            return fingerprint()
        if extractor is Extractor.LLM:
            return f"{fingerprint()}|{operation()}|{self.llm.name}"
        bounds = f"{self.limits.budget_tokens}:{self.limits.rounds}"
        return f"{fingerprint()}|agent:{prompt_label()}|{self.llm.name}|{bounds}"

    def outputs_present(self, job: Job) -> bool:
        """Extraction leaves no rows."""
        return True

    def gives_way(self, job: Job) -> GivesWay | None:
        """While the language model is busy, if it is to be asked now."""
        extractor = self.extractors.of(job.document)
        asks = extractor is Extractor.LLM or (extractor is Extractor.AGENT and job.in_turn)
        return gives_way_to(self.llm, job.document.lane) if self.llm and asks else None

    def run(self, job: Job) -> Outcome:
        """Extract from all chunks of the document at once."""
        return self._extracted(job, *_read(job))

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome | TriviumError]:
        """What the documents say is read some at a time, and extracted one after the other."""
        return [
            read if isinstance(read, TriviumError) else tried(self._extracted, job, *read)
            for job, read in zip(jobs, read_all(_read, jobs), strict=True)
        ]

    def _extracted(self, job: Job, chunks: Sequence[Chunk], links: tuple[str, ...]) -> Outcome:
        def linked(shares: Sequence[ChunkGraph]) -> list[ChunkGraph]:
            return with_links(with_older_keys(shares, decided), links, job.document.id, job.tenant)

        def decided() -> set[str]:
            return {key for edit in self.curation.now(job.tenant).edits for key in keys_of(edit.change)}

        extractor = self.extractors.of(job.document)
        if extractor is Extractor.AGENT and self.llm is not None and not job.in_turn:
            raise GoesOn
        shares = extract(chunks, job.progress.tell)
        if extractor is Extractor.RULES or self.llm is None:
            facts = {} if extractor is Extractor.RULES else _warning(job, len(chunks), len(chunks), _NO_MODEL)
            return Outcome(linked(checked_shares(chunks, shares)), facts)
        schema, warnings = _schema(job)
        if extractor is Extractor.AGENT:
            read = self._read(job, chunks, shares, self.llm, schema)
            facts = _warning(job, read.unread, len(chunks), read.reason, warnings)
            return Outcome(linked(checked_shares(chunks, read.shares)), facts)
        refined = self.llm.run(lambda llm: refine(llm, chunks, shares, schema))
        facts = _warning(job, refined.unread, len(chunks), refined.reason, warnings)
        return Outcome(linked(checked_shares(chunks, refined.shares)), facts)

    def _read(
        self, job: Job, chunks: Sequence[Chunk], shares: list[ChunkGraph], address: LlmAddress, schema: GraphSchema
    ) -> ReadDocument:
        """By the agent. Raises `GoesOn` when the document's turn is over."""
        kept = Readings(job.objects, job.document.id, job.document.version, f"{prompt_label()}|{address.name}")
        graph = self.graphs.reader(job.tenant)
        turns = Turns(job.progress.tell, time.monotonic() + TURN_S)
        read = address.run(lambda llm: read_document(llm, chunks, shares, graph, kept, self.limits, turns, schema))
        by = f"{address.name} {prompt_label()}"
        decided = decide(self.curation, job.tenant, by, chunks, read.readings)
        log.info("agent_read", passages=len(chunks) - read.unread, tokens=read.tokens, edits=decided)
        return read


def _schema(job: Job) -> tuple[GraphSchema, list[str]]:
    """The dataset's schema, and what there is to say of it: a damaged one stops no document."""
    try:
        return newest(job.objects, job.document.dataset), []
    except NeverWill as error:
        return NO_SCHEMA, [f"Names were read without the dataset's schema. {error.message}"]


def _warning(job: Job, unread: int, passages: int, reason: str, more: Sequence[str] = ()) -> dict[str, Any]:
    warnings = list(more)
    if unread:
        warnings.append(
            f"The language model did not read {unread} of {passages} passages for the graph; their names"
            f" were found by rules instead. {reason}"
        )
    return {"warnings": [*job.document.warnings, *warnings]} if warnings else {}


def _read(job: Job) -> tuple[list[Chunk], tuple[str, ...]]:
    return job.load(Stage.CHUNK, list[Chunk]), job.load(Stage.PARSE, ParsedDocument).links


class LinkWork(msgspec.Struct, frozen=True):
    """Each chunk's share enters the graph under the shared, folded names."""

    graphs: Graphs
    stage: Stage = Stage.LINK

    def fingerprint(self) -> str:
        """The shape of the rows."""
        return f"link:{LINK_VERSION}"

    def outputs_present(self, job: Job) -> bool:
        """Whether the graph holds exactly this version's chunks."""
        expected = {share.chunk_id for share in job.load(Stage.EXTRACT, list[ChunkGraph])}
        document = job.document
        return self.graphs.writer(job.tenant).ids({document.id: document.version})[document.id] == expected

    def run(self, job: Job) -> Outcome:
        """Write the shares; queries see them once the version is published."""
        return self.run_all([job])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The shares of all jobs together, in slices."""
        rows = [row for job in jobs for row in graph_rows(job)]
        for some in in_slices(rows, WRITTEN_AT_ONCE, jobs):
            with store_call("graph", "write"):
                self.graphs.writer(jobs[0].tenant).upsert(some)
        return self.planned(jobs)

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        """How many shares a document has."""
        return [Outcome(len(job.load(Stage.EXTRACT, list[msgspec.Raw]))) for job in jobs]
