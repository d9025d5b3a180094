"""What an agent decided that its passages alone do not say: merges across documents, and questions for people.

They become edits of the model, with the passage as their evidence, once a document is read. The log may have them
already, from a try that was killed or an earlier version of the document: then they are not made again. Neither is, of
any document, what somebody undid or dismissed since.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.domain.chunks import Chunk, Span
from trivium.domain.edits import Actor, ActorKind, Change, Draft, Edit, Evidence, KeepApart, Merge, Review
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curated, Curation
from trivium.edits.fold import Folded, Standing
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
        known = {(edit.change, one.document_id) for edit in curated.edits for one in edit.evidence}
        denied = {edit.change for edit in curated.edits if _is_denied(edit, curated.folded)}
        new = [draft for draft in drafts if (draft.change, draft.evidence[0].document_id) not in known]
        return _possible([draft for draft in new if draft.change not in denied], curated)

    return len(curation.append(tenant, wanted))


def _is_denied(edit: Edit, folded: Folded) -> bool:
    """A merge or question that was undone, or dismissed."""
    undone = folded.standing(edit) is Standing.UNDONE
    return isinstance(edit.change, Merge | Review) and (undone or edit.id in folded.dismissed)


def _possible(drafts: Sequence[Draft], curated: Curated) -> list[Draft]:
    """Without those that the log forbids, as merges of what people keep apart or removed."""
    kept: list[Draft] = []
    for draft in drafts:
        change = draft.change
        if isinstance(change, Merge) and KeepApart(change.key, change.into).relation in curated.folded.hidden:
            continue
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
