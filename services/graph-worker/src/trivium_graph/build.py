"""READ FIRST: how the chunks of one document become their shares of the graph, without an LLM.

chunk → names → gate → types → aliases → relations → ChunkGraph. Each step has a file of its own:
`spans` (names, split by `division` and gated by `gate`), `about` (what a chunk is about), `aliases`, `typing_pass`
(types, by `types`), `relations` (by `patterns`), `steps` (how chunks lie beside each
other), `shares` (the domain's values).
With a language model, `llm_extract.refine` then replaces entities and relations by the model's, as far as the text
bears it out; it is told the dataset's schema (`told_schema`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trivium.domain.chunks import Chunk
from trivium.domain.graph import ChunkGraph
from trivium.ports.parser import untold
from trivium_graph.about import topics_of
from trivium_graph.aliases import claims_in, short_names
from trivium_graph.shares import Reading, share_of
from trivium_graph.spans import names_of
from trivium_graph.steps import steps_of
from trivium_graph.typing_pass import types_of

RULES_VERSION = 9  # grows with every change to what extraction finds; it is part of the artifact's key


def extract(chunks: Sequence[Chunk], progress: Callable[[float], None] = untold) -> list[ChunkGraph]:
    """The graph shares of `chunks`, in their order; `progress` is told the share that is done, 0 to 1.

    `chunks` are all the chunks of one version of one document: short names ("Rivera" after "Dr Ana Rivera")
    and types are decided over the whole of it. The result depends on nothing else.
    """
    readings = []
    for done, chunk in enumerate(chunks):
        progress(done / len(chunks))
        names = names_of(chunk)
        readings.append(Reading(chunk, names, topics_of(chunk), claims_in(chunk, names)))
    types = types_of(readings)
    meant = short_names(types, (claim for reading in readings for claim in reading.claims))
    steps = steps_of(chunks)
    return [share_of(reading, types, meant, steps[reading.chunk.id]) for reading in readings]


def fingerprint() -> str:
    """Names this engine and its rules; a change re-runs extraction."""
    return f"extractive@{RULES_VERSION}"
