"""READ FIRST: how what a dataset's graph says becomes the proposals of its schema (RAGA, 3.3.7).

shares -> profile (one pass) -> domain -> types, better with a language model -> validation -> proposals beside what is
in force. Each step is a pure file of `trivium.graph_schema`: `profile`, `detect`, `vocabulary`, `validate`, `evolve`;
the model's part is `by_llm` here. Activation is somebody's decision (`evolve.accepted`); `versions` keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.graph_schema import GraphSchema, Proposal
from trivium.graph_schema.detect import detect
from trivium.graph_schema.evolve import Author, proposed
from trivium.graph_schema.profile import Profile, names_in
from trivium.graph_schema.validate import Candidate, candidates
from trivium.graph_schema.vocabulary import meanings_in
from trivium.ports.graph import BATCH_CHUNKS, GraphReader
from trivium.ports.keywords import KeywordReader
from trivium.ports.llm import Llm
from trivium_query.graph_schema.by_llm import NOTHING_SAID, PROMPT, definitions

RULES = "rule frequent-predicates@1"
MODEL = "model"
PERSON = "person"


class Discovery(msgspec.Struct, frozen=True):
    """What was found, by what, and what there is to say about that."""

    candidates: tuple[Candidate, ...]
    domain: str
    by: str
    notes: tuple[str, ...] = ()

    def proposed_beside(self, known: GraphSchema, at: float, why: str) -> GraphSchema:
        """The schema with what is new to it; what persons proposed stays, and a model where none answered now."""

        def stays(one: Proposal) -> bool:
            author = one.by.partition(" ")[0]
            return author == PERSON or (author == MODEL and self.by == RULES)

        return proposed(known, self.candidates, self.domain, Author(self.by, at, why), keep=stays)


async def discover(
    graph: GraphReader,
    passages: KeywordReader,
    known: GraphSchema,
    others: Sequence[GraphSchema],
    llm: Llm | None,
) -> Discovery:
    """What the graph of `known.dataset` says; `others` are the schemas of the tenant's other datasets."""
    profile = await profiled(graph, known.dataset)
    observed = profile.observed()
    domain = detect(observed, others)
    said = NOTHING_SAID
    notes: list[str] = []
    if llm is not None and observed:
        texts = [chunk.text for chunk in (await passages.chunks(profile.telling_passages())).values()]
        try:
            said = await definitions(llm, observed, texts)
        except (TryLater, NeverWill) as error:
            notes.append(f"Proposed without the language model. {error.message}")
    learnt = {**(meanings_in(domain.like.types) if domain.like else {}), **said.meanings, **meanings_in(known.types)}
    if profile.left_out:
        notes.append(f"{profile.left_out} relations of further types were not looked at.")
    by = f"{MODEL} {llm.name} {PROMPT.label}" if llm is not None and said is not NOTHING_SAID else RULES
    added = (Candidate(kind, ("stated nowhere yet",), {}) for kind in said.added)  # accepted by name alone
    found = (*candidates(observed, learnt, said.same_as), *added)
    return Discovery(found, said.domain or domain.label, by, tuple(notes))


async def profiled(graph: GraphReader, dataset: str) -> Profile:
    """One pass over the dataset's shares, a page in memory at a time."""
    profile, after = Profile(), ""
    while True:
        rows = await graph.shares(after, BATCH_CHUNKS, dataset)
        names = names_in(rows)
        roots = {name: entity.key for name, entity in (await graph.named(names)).items()} if names else {}
        for row in rows:
            profile.add(row, roots)
        if len(rows) < BATCH_CHUNKS:
            return profile
        after = rows[-1].share.chunk_id
