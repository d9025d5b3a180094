"""The graph worker's stages: extract what each chunk says, then link it into the graph."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.errors import NeverWill, TriviumError
from trivium.domain.graph import ChunkGraph
from trivium.domain.parsed import ParsedDocument
from trivium.flow.graph_rows import graph_rows
from trivium.flow.stage import Job, Outcome, in_slices, read_all, tried
from trivium.graph_schema.versions import newest
from trivium.llm.address import LlmAddress
from trivium.ports.graph import Graphs
from trivium_graph.build import extract, fingerprint
from trivium_graph.links import with_links
from trivium_graph.llm_extract import operation, refine
from trivium_graph.told_schema import NO_SCHEMA

LINK_VERSION = 1
WRITTEN_AT_ONCE = 512  # shares; other writers and a stop wait for no more than one slice


class ExtractWork(msgspec.Struct, frozen=True):
    """Chunks become names, aliases and relations with their evidence."""

    llm: LlmAddress | None
    stage: Stage = Stage.EXTRACT

    def fingerprint(self) -> str:
        """Rules, prompt and model; not the schema, so that accepting a type reads nothing again."""
        return f"{fingerprint()}|{operation()}|{self.llm.name}" if self.llm else fingerprint()

    def outputs_present(self, job: Job) -> bool:
        """Extraction leaves no rows."""
        return True

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
            return with_links(shares, links, job.document.id, job.tenant)

        shares = extract(chunks, job.progress.tell)
        if self.llm is None:
            return Outcome(linked(shares))
        schema, warnings = NO_SCHEMA, []
        try:
            schema = newest(job.objects, job.document.dataset)
        except NeverWill as error:  # a damaged one stops no document
            warnings.append(f"Names were read without the dataset's schema. {error.message}")
        refined = self.llm.run(lambda llm: refine(llm, chunks, shares, schema))
        if refined.unread:
            warnings.append(
                f"The language model did not read {refined.unread} of {len(chunks)} passages for the graph; their names"
                f" were found by rules instead. {refined.reason}"
            )
        facts = {"warnings": [*job.document.warnings, *warnings]} if warnings else {}
        return Outcome(linked(refined.shares), facts)


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
            self.graphs.writer(jobs[0].tenant).upsert(some)
        return self.planned(jobs)

    def planned(self, jobs: Sequence[Job]) -> list[Outcome]:
        """How many shares a document has."""
        return [Outcome(len(job.load(Stage.EXTRACT, list[msgspec.Raw]))) for job in jobs]
