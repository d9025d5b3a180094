"""The desk that tools work at: whose graph it is, who asks, and the edits drafted so far.

What has been drafted is seen by what is drafted after it, so that one call may create an entity and relate it. All of
it is appended as one record, or none of it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from trivium.api import Edited, EditSeen, Quote
from trivium.api import Entity as EntitySeen
from trivium.domain.chunks import Chunk, Span
from trivium.domain.edits import (
    Actor,
    ActorKind,
    Change,
    CreateEntity,
    CreateRelation,
    Draft,
    Edit,
    Evidence,
    Invalidate,
    Merge,
    Rename,
    Split,
    Undo,
    UpdateRelation,
)
from trivium.domain.errors import NotFound, Refused, TryLater
from trivium.domain.graph import MIN_RELATION_CONFIDENCE, Edge, Entity, EntityType
from trivium.domain.ids import entity_id, is_id
from trivium.domain.retrieval import Mode, SearchResult
from trivium.domain.scope import Scope
from trivium.edits.fold import Folded, Standing
from trivium.edits.words import in_words, keys_of
from trivium.graph_tools.same_facts import Bearer
from trivium.graph_tools.values import MAX_TYPE_CHARS, Passage
from trivium.ports.graph import GraphReader
from trivium.ports.keywords import KeywordReader
from trivium.ports.registry import TenantRegistry
from trivium.text import gate
from trivium.text.names import fold_name, key_without_marks

if TYPE_CHECKING:  # it logs; a client, which logs nothing, reads lists by what stands here
    from trivium.edits.curation import Curated, Curation

NEAREST = 3
MAX_TRIES = 100  # each that is lost is another's edit in the log
_NO_WORD = re.compile(r"[^A-Z0-9]+")

REASONS = {
    "too_long": f"it has more than {gate.MAX_NAME_CHARS} characters",
    "unprintable": "it has nothing to read, or too much that cannot be printed",
    "sentence_fragment": "it is a piece of a sentence",
    "code_keyword": "it is a word or a shape of a programming language",
    "formula": "it is a formula",
    "punctuation_flood": "nearly a third of it is punctuation",
    "pdf_garbage": "it looks like what a broken text layer leaves",
    "generic_heading": "it is a heading that every document has",
}

T = TypeVar("T")

# What two persons' facts, or what a name or a relation is, decides about.
_FROM_THE_GRAPH = (Merge, Split, UpdateRelation, Invalidate)

Search = Callable[[str, Mode, int], Awaitable[SearchResult]]
"""Question, mode, number of hits."""


class Sources(msgspec.Struct, frozen=True):
    """What tools read, of one tenant."""

    graph: GraphReader
    keywords: KeywordReader
    registry: TenantRegistry
    search: Search


class Found(msgspec.Struct, frozen=True):
    """An entity as a tool refers to it."""

    key: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()


class _Overtaken(Exception):
    """Somebody edited the graph since this call looked at it."""


class Desk:
    """One call's work. It is not shared among calls."""

    def __init__(self, scope: Scope, actor: Actor, sources: Sources, curation: Curation) -> None:
        self.scope = scope
        self.actor = actor
        self.sources = sources
        self._curation = curation
        self._begin(None)

    def _begin(self, log_length: int | None) -> None:
        """With nothing drafted. `log_length`: the edits that the graph shows what they make of it."""
        self._log_length = log_length
        self._drafts: list[Draft] = []
        self._made: dict[str, Found] = {}
        self._merged: dict[str, str] = {}

    # Reading

    async def curated(self) -> Curated:
        """The log as it is now."""
        return await asyncio.to_thread(self._curation.now, self.scope.tenant)

    async def entity(self, reference: str) -> Found:
        """The entity of a name or an id. Raises `NotFound` (`unknown_entity`, `removed_entity`)."""
        key = self._end(fold_name(reference))
        if made := self._made.get(key):
            return made
        found = await self._read(reference if is_id(reference) else entity_id(self.scope.tenant, key))
        if found is not None and (end := self._end(found.key)) != found.key:
            if made := self._made.get(end):
                return made
            found = await self._read_key(end)
        found = found or await self._by_older_key(reference, key)
        if found is None:
            raise await self._unknown(reference, key)
        return Found(found.key, found.name, found.type, found.aliases)

    async def _by_older_key(self, name: str, key: str) -> Entity | None:
        """The entity of documents that were read before marks were part of keys, if it is spelt alike."""
        older = key_without_marks(name)
        found = await self._read_key(self._end(older)) if older != key else None
        spelt = {fold_name(each) for each in (found.name, *found.aliases)} if found else ()
        return found if fold_name(name) in spelt else None

    async def known(self, name: str) -> Found | None:
        """The entity that is called so by now, if there is one."""
        try:
            return await self.entity(name)
        except NotFound as error:
            if error.code == "removed_entity":
                raise
            return None

    async def evidence(self, passages: Sequence[Passage]) -> tuple[Evidence, ...]:
        """Where the snippets stand. Raises `NotFound` (`no_such_passage`), `Refused` (`not_in_passage`)."""
        chunks = await self.sources.keywords.chunks([passage.chunk_id for passage in passages]) if passages else {}
        return tuple(_placed(passage, chunks.get(passage.chunk_id)) for passage in passages)

    # Drafting

    def draft(
        self, change: Change, why: str = "", evidence: tuple[Evidence, ...] = (), confidence: float = 1.0
    ) -> None:
        """One more edit of this call."""
        self._drafts.append(Draft(change, self.actor, why, evidence, confidence))
        match change:
            case CreateEntity(key, name, kind, aliases):
                self._made[key] = Found(key, name, kind, aliases)
                for alias in aliases:
                    self._merged.setdefault(fold_name(alias), key)
            case Merge(key, into):
                self._merged[key] = into
            case Split(key, name):
                self._made[key] = Found(key, name, EntityType.CONCEPT)
                self._merged.pop(key, None)
            case Rename(key, name):
                self._merged.setdefault(fold_name(name), key)

    def bearer(self, found: Found) -> Bearer:
        """It with what this call merged into it."""
        keys = [found.key, *(key for key in self._merged if self._end(key) == found.key)]
        return Bearer(found.name, found.type, tuple(dict.fromkeys(keys)))

    def stated(self) -> list[Edge]:
        """The relations that this call creates or changes, as it leaves them."""
        made = []
        for draft in self._drafts:
            match draft.change:
                case CreateRelation(relation) | UpdateRelation(_, relation):
                    made.append(relation)
        return [Edge(key.source_key, key.target_key, key.type, 1.0) for key in made]

    def require_evidence(self, passages: Sequence[Passage]) -> None:
        """A model may not decide without a passage that says so."""
        if self.actor.kind is ActorKind.MODEL and not passages:
            raise Refused(
                "evidence_needed",
                "A model's edit needs the passage that it rests on.",
                "Give the chunk's id, and the words that say so as the snippet.",
            )

    async def undisturbed(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` answers, which looks at the graph, drafts and appends; done anew where another was quicker.

        So a draft that rests on how the graph was found is made of the graph that it is appended to. Raises what
        `work` raises, and `TryLater` (`log_busy`).
        """
        for _ in range(MAX_TRIES):
            seen = await asyncio.to_thread(self._curation.shown, self.scope.tenant)
            self._begin(len(seen.edits))
            try:
                return await work()
            except _Overtaken:
                continue
        raise TryLater("log_busy", "Others edit the graph all the time.", "Try again.")

    async def append(self) -> Edited:
        """Append what was drafted, and bring the graph along."""
        drafts = tuple(self._drafts)
        rests_on_the_graph = any(isinstance(draft.change, _FROM_THE_GRAPH) for draft in drafts)

        def decide(curated: Curated) -> Sequence[Draft]:
            if rests_on_the_graph and self._log_length not in (None, len(curated.edits)):
                raise _Overtaken
            check(drafts, curated.folded)
            return drafts

        edits = await asyncio.to_thread(self._curation.append, self.scope.tenant, decide)
        curated = await self.curated()
        return Edited(seen_edits(edits, curated), await self._touched(edits, curated))

    async def _touched(self, edits: Sequence[Edit], curated: Curated) -> tuple[EntitySeen, ...]:
        keys = dict.fromkeys(curated.folded.entity_of(key) for edit in edits for key in keys_of(edit.change))
        try:
            found = await asyncio.gather(*(self._read_key(key) for key in list(keys)[:20]))
        except TryLater:  # the edits count all the same
            return ()
        distinct = {entity.id: entity for entity in found if entity is not None}
        return tuple(msgspec.convert(entity, EntitySeen, from_attributes=True) for entity in distinct.values())

    async def _read_key(self, key: str) -> Entity | None:
        return await self._read(entity_id(self.scope.tenant, key))

    async def _read(self, identifier: str) -> Entity | None:
        try:
            return await self.sources.graph.entity(identifier)
        except NotFound:
            return None

    async def _unknown(self, reference: str, key: str) -> NotFound:
        folded = (await self.curated()).folded
        if edit := folded.removed.get(key) or folded.removed.get(folded.entity_of(key)):
            return _removed(reference, edit)
        nearest = await self.sources.graph.match([reference], NEAREST)
        return unknown_entity(reference, [entity.name for entity, _ in nearest.get(reference, [])])

    def _end(self, key: str) -> str:
        seen = set()
        while key in self._merged and key not in seen:
            seen.add(key)
            key = self._merged[key]
        return key


def unknown_entity(reference: str, nearest: Sequence[str]) -> NotFound:
    """No entity is called so; the nearest names are told."""
    action = "Create it, or look for it with: trivium graph list BEGINNING"
    if nearest:
        action = "Perhaps: " + ", ".join(nearest) + "."
    return NotFound("unknown_entity", f"There is no entity called {reference[:80]!r}.", action)


def checked_name(name: str) -> str:
    """The name without blanks around it. Raises `Refused` (`name_refused`) when it cannot be an entity's."""
    name = " ".join(name.split())
    reason = gate.rejected(name) if fold_name(name) else "unprintable"
    if reason:
        raise Refused(
            "name_refused",
            f"{name[:80]!r} cannot be the name of an entity: {REASONS[reason]}.",
            "Use the name by which the thing is called in a sentence.",
        )
    return name


def checked_type(kind: str) -> str:
    """The type in upper snake case. Raises `Refused` (`bad_relation_type`)."""
    spelt = _NO_WORD.sub("_", kind.upper()).strip("_")
    if not spelt or not spelt[0].isalpha() or len(spelt) > MAX_TYPE_CHARS:
        raise Refused("bad_relation_type", f"{kind[:80]!r} is no type of relation.", "Write it like WORKS_FOR.")
    return spelt


def checked_confidence(confidence: float) -> float:
    """The confidence. Raises `Refused` (`low_confidence`) below what a relation needs."""
    if confidence < MIN_RELATION_CONFIDENCE:
        raise Refused(
            "low_confidence",
            f"A relation with confidence {confidence:.2f} is not kept; {MIN_RELATION_CONFIDENCE} is the least.",
            "Find a passage that says it, or leave it out.",
        )
    return confidence


def check(drafts: Sequence[Draft], folded: Folded) -> None:
    """Raises `Refused` where the log as it is does not let the edits be made."""
    merges = any(isinstance(draft.change, Merge) for draft in drafts)
    pins = {key: pin.into for key, pin in folded.pins.items()} if merges else {}
    for draft in drafts:
        for key in keys_of(draft.change):
            if (edit := folded.removed.get(key)) is not None:
                raise _removed(key, edit)
        match draft.change:
            case Merge(key, into, name):
                if _leads(into, key, pins):
                    raise Refused(
                        "merge_circle",
                        f"{name!r} and {into!r} are one entity already.",
                        "Look with: trivium graph why NAME. To part them, undo the edit that merged them.",
                    )
                pins[key] = into
            case Undo(undone) if folded.standings.get(undone) is Standing.UNDONE:
                raise Refused(
                    "already_undone", f"Edit {undone} is undone already.", "To have it again, undo what undid it."
                )


def _leads(key: str, end: str, pins: dict[str, str]) -> bool:
    while key != end:
        following = pins.get(key, key)
        if following == key:
            return False
        key = following
    return True


def _removed(name: str, edit: Edit) -> NotFound:
    return NotFound(
        "removed_entity",
        f"{name[:80]!r} was removed by {edit.actor}{f': {edit.why[:200]}' if edit.why else ''}.",
        f"To have it again: trivium graph undo {edit.id}",
    )


def _placed(passage: Passage, chunk: Chunk | None) -> Evidence:
    if chunk is None:
        raise NotFound(
            "no_such_passage", f"There is no passage {passage.chunk_id[:64]!r}.", "Take the id from a search."
        )
    start = chunk.text.find(passage.snippet)
    if start < 0:
        raise Refused(
            "not_in_passage",
            f"The passage does not say {passage.snippet[:80]!r}.",
            "Copy the words exactly as they stand there.",
        )
    return Evidence(chunk.document_id, chunk.id, Span(start, start + len(passage.snippet)), passage.snippet)


def seen_edits(edits: Sequence[Edit], curated: Curated) -> tuple[EditSeen, ...]:
    """Edits as callers see them."""
    undone_by = _undoing(curated.edits, {edit.id for edit in edits})
    return tuple(seen_edit(edit, curated.folded.standing(edit), undone_by.get(edit.id, "")) for edit in edits)


def seen_edit(edit: Edit, standing: Standing, undone_by: str = "") -> EditSeen:
    """One edit as callers see it."""
    return EditSeen(
        edit.id,
        edit.kind,
        in_words(edit.change),
        standing.value,
        str(edit.actor),
        edit.at,
        edit.why,
        edit.confidence,
        tuple(Quote(one.document_id, one.chunk_id, one.span.start, one.span.end, one.snippet) for one in edit.evidence),
        undone_by if standing is Standing.UNDONE else "",
    )


def _undoing(edits: Sequence[Edit], wanted: set[str]) -> dict[str, str]:
    """The last edit that undoes each."""
    return {edit.change.edit: edit.id for edit in edits if isinstance(edit.change, Undo) and edit.change.edit in wanted}
