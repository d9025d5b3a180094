"""What an agent decided that its passages alone do not say: merges across documents, and questions for people.

They become edits of the model, with the passage as their evidence, once a document is read. The log may have them
already, from a try that was killed, or undone by a person since: then they are not made again.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.domain.chunks import Chunk, Span
from trivium.domain.edits import Actor, ActorKind, Change, Draft, Evidence, Merge, Review
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curated, Curation
from trivium.graph_tools.desk import check
from trivium.text.names import fold_name
from trivium_graph.agent.record import Reading
from trivium_graph.llm_extract import places_of


def decide(curation: Curation, tenant: Tenant, model: str, chunks: Sequence[Chunk], readings: Sequence[Reading]) -> int:
    """Append what is not in the log; answers how many. Raises `TryLater` (`log_busy`)."""
    actor = Actor(ActorKind.MODEL, model)
    drafts = [draft for each in zip(chunks, readings, strict=True) for draft in _drafts(*each, actor)]
    if not drafts:
        return 0

    def wanted(curated: Curated) -> list[Draft]:
        known = {(edit.change, one.chunk_id) for edit in curated.edits for one in edit.evidence}
        new = [draft for draft in drafts if (draft.change, draft.evidence[0].chunk_id) not in known]
        return _possible(new, curated)

    return len(curation.append(tenant, wanted))


def _possible(drafts: Sequence[Draft], curated: Curated) -> list[Draft]:
    """Without those that the log forbids, as merges that people undid or of what they removed."""
    kept: list[Draft] = []
    for draft in drafts:
        try:
            check([*kept, draft], curated.folded)
        except (Refused, NotFound):
            continue
        kept.append(draft)
    return kept


def _drafts(chunk: Chunk, reading: Reading, actor: Actor) -> list[Draft]:
    made = [
        _draft(Merge(fold_name(one.name), one.into_key, one.name), actor, one.why, chunk, one.snippet)
        for one in reading.draft.names
        if not one.within
    ]
    for one in reading.draft.questions:
        start, end = next(iter(places_of(chunk.text, one.subject)), (0, 0))
        change = Review(fold_name(one.subject), one.question)
        made.append(_draft(change, actor, "", chunk, chunk.text[start:end]))
    return made


def _draft(change: Change, actor: Actor, why: str, chunk: Chunk, snippet: str) -> Draft:
    start = max(0, chunk.text.find(snippet))
    evidence = Evidence(chunk.document_id, chunk.id, Span(start, start + len(snippet)), snippet)
    return Draft(change, actor, why, (evidence,))
