"""The graph worker's stages: extract what each chunk says, then link it into the graph."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.documents import Stage
from trivium.domain.graph import ChunkGraph
from trivium.domain.parsed import ParsedDocument
from trivium.flow.stage import Job, Outcome
from trivium.llm.address import LlmAddress
from trivium.ports.graph import GraphRow, Graphs
from trivium_graph.build import extract, fingerprint
from trivium_graph.links import with_links
from trivium_graph.llm_extract import operation, refine

LINK_VERSION = 1


class ExtractWork(msgspec.Struct, frozen=True):
    """Chunks become names, aliases and relations with their evidence."""

    llm: LlmAddress | None
    stage: Stage = Stage.EXTRACT

    def fingerprint(self) -> str:
        """Rules, prompt and model."""
        return f"{fingerprint()}|{operation()}|{self.llm.name}" if self.llm else fingerprint()

    def settled(self, job: Job) -> bool:
        """Extraction leaves no rows."""
        return True

    def run(self, job: Job) -> Outcome:
        """Extract from all chunks of the document at once."""
        chunks = job.load(Stage.CHUNK, list[Chunk])
        shares = extract(chunks)
        if self.llm is None:
            return Outcome(_linked(job, shares))
        refined = self.llm.run(lambda llm: refine(llm, chunks, shares))
        if not refined.unread:
            return Outcome(_linked(job, refined.shares))
        warning = (
            f"The language model did not read {refined.unread} of {len(chunks)} passages for the graph; their names"
            f" were found by rules instead. {refined.reason}"
        )
        return Outcome(_linked(job, refined.shares), {"warnings": [*job.document.warnings, warning]})


def _linked(job: Job, shares: Sequence[ChunkGraph]) -> list[ChunkGraph]:
    return with_links(shares, job.load(Stage.PARSE, ParsedDocument).links, job.document.id, job.tenant)


class LinkWork(msgspec.Struct, frozen=True):
    """Each chunk's share enters the graph under the shared, folded names."""

    graphs: Graphs
    stage: Stage = Stage.LINK

    def fingerprint(self) -> str:
        """The shape of the rows."""
        return f"link:{LINK_VERSION}"

    def settled(self, job: Job) -> bool:
        """Whether the graph holds exactly this version's chunks."""
        expected = {share.chunk_id for share in job.load(Stage.EXTRACT, list[ChunkGraph])}
        document = job.document
        return self.graphs.writer(job.tenant).ids({document.id: document.version})[document.id] == expected

    def run(self, job: Job) -> Outcome:
        """Write the shares; queries see them once the version is published."""
        return self.run_all([job])[0]

    def run_all(self, jobs: Sequence[Job]) -> list[Outcome]:
        """One call for the shares of all jobs."""
        shares = [job.load(Stage.EXTRACT, list[ChunkGraph]) for job in jobs]
        rows = [
            GraphRow(share, job.document.id, job.document.version, job.scope)
            for job, of_one in zip(jobs, shares, strict=True)
            for share in of_one
        ]
        self.graphs.writer(jobs[0].tenant).upsert(rows)
        return [Outcome(len(of_one)) for of_one in shares]
