"""The graph: names, where they stand, and what relates them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from trivium.domain.edits import Decisions
from trivium.domain.graph import ChunkGraph, Edge, Entity, Mention, Mentioning, MentionRole, Relation, Step
from trivium.domain.retrieval import EVERYWHERE, Places, RowFilter, Scored
from trivium.domain.scope import Scope, Tenant
from trivium.domain.verdicts import Verdict, VerdictPage

BATCH_CHUNKS = 200
NAMES_AT_ONCE = 200  # are settled in one transaction, where nobody waits


class EntityPage(msgspec.Struct, frozen=True):
    """One page of a listing; `cursor` is "" on the last page."""

    entities: tuple[Entity, ...]
    cursor: str = ""


class GraphRow(msgspec.Struct, frozen=True):
    """What is stored of a chunk: its share, and the fields a filter may name; `kinds` as `Chunk.held_kinds`.

    `within` are the HyperNodes whose evidence it is (HAS_EVIDENCE), the widest first.
    """

    share: ChunkGraph
    document_id: str
    version: str
    scope: Scope
    kinds: tuple[str, ...] = ("text",)
    within: tuple[str, ...] = ()


class GraphWriter(Protocol):
    """Writes one tenant's graph, a chunk's share at a time; a batch may hold the shares of many documents.

    Missing: deleting what is not there does nothing.
    Duplicate: a chunk's share replaces the one stored before.
    Empty: a chunk may add nothing, and still counts in `ids`.
    Order: shares may come in any order; the resulting graph is the same.
    Half-done: a batch of up to `BATCH_CHUNKS` is visible as a whole or not at all, a larger one may be seen in parts;
    a repeated batch converges.
    Entities and edges are never written by themselves: they are the union of the shares, and what edits decide about
    it, so deleting a document leaves exactly what the other documents and the edits say.
    """

    def upsert(self, rows: Sequence[GraphRow]) -> None: ...
    def relabel(self, rows: Sequence[GraphRow]) -> None:
        """Write the fields of the shares that are there; the shares and what they add up to stay as they are."""
        ...

    def delete(self, document_id: str) -> None: ...
    def delete_others(self, kept: Mapping[str, str]) -> None:
        """Remove the shares of these documents, except those of the version that each keeps (id to version).

        One that keeps "" is removed whole. Many documents cost hardly more than one.
        """
        ...

    def decide(self, decisions: Decisions, since: Decisions | None = None) -> None:
        """Have exactly these decisions hold, instead of those decided on before.

        `since`: what the caller brought the store to before. Where the store has it still, which it knows by its
        `state`, it is told what differs from it; else it is compared as a whole.

        Order: shares may come before and after; the resulting graph is the same. Half-done: seen as a whole or not at
        all. `delete` does not touch decisions, nor do `ids` and `versions` count them.
        """
        ...

    def resolve(self, most: int = NAMES_AT_ONCE) -> int:
        """Decide anew about at most so many of the names that shares or edits changed: which of them are one thing.

        Returns how many names it looked at; 0: nothing is left to decide. Until then names that are one thing may
        stand for two, and one whose reasons went with a document may still be another's. What it decides depends on
        what shares and edits say, not on the order in which they came, and counts after what they claim.
        Half-done: what one call decides is seen as a whole. Two at once wait for each other.
        """
        ...

    def undecided(self, decisions: Decisions) -> int:
        """How many of the store's decisions differ from these, either way; for the audit."""
        ...

    def ids(self, versions: Mapping[str, str]) -> dict[str, set[str]]:
        """The chunks that have a share, for one version of each document (document id to version).

        Every document asked for is in the answer. Embedded stores promise that it is there after a power cut.
        """
        ...

    def versions(self) -> Iterator[tuple[str, str]]:
        """Every (document id, version) that has rows, in any order, each at least once; for the audit."""
        ...

    def unlike(self, rows: Sequence[GraphRow]) -> set[str]:
        """Of these shares, the ids of the chunks that are not stored exactly so, or not at all; for the audit.

        It sees every write before it, and reads what it compares: give it some hundred at a time.
        """
        ...


class GraphReader(Protocol):
    """Reads one tenant's graph. Keys are folded names (`trivium.text.names.fold_name`).

    Missing: unknown keys and ids are absent from a mapping; `entity` raises `NotFound`.
    Duplicate: aliases are resolved: an alias's key answers with its canonical entity.
    Empty: empty input answers an empty mapping.
    Order: lists are by weight (confidence, evidence), then key; chunk ids ascending.
    Removed: what an edit removed is nowhere, and what it declared invalid no edge; `evidence` still tells it.
    Filter: `where` holds within the graph, totals included.
    """

    async def about(self, keys: Sequence[str], where: RowFilter = EVERYWHERE) -> dict[str, list[Scored]]:
        """Chunks whose title, heading or defined term is the name (role TITLE), with that mention's confidence."""
        ...

    async def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[Mention]]:
        """Every mention of each chunk, titles included, in text order."""
        ...

    async def said(self, chunk_ids: Sequence[str]) -> dict[str, ChunkGraph]:
        """What each chunk says, as it was written, whatever edits make of it."""
        ...

    async def beside(self, chunk_ids: Sequence[str]) -> dict[str, list[Step]]:
        """The HAS_* steps of each chunk, in either direction, to chunks that have a share; by type, then chunk id."""
        ...

    async def evidence_of(
        self, hypernodes: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> dict[str, list[str]]:
        """The first `limit` chunks within each HyperNode (HAS_EVIDENCE); one without any is absent."""
        ...

    async def hypernodes_of(self, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The HyperNodes of each chunk, the widest first; a chunk that is within none is absent."""
        ...

    async def mentioned_by(
        self,
        keys: Sequence[str],
        limit: int,
        role: MentionRole = MentionRole.MENTION,
        where: RowFilter = EVERYWHERE,
    ) -> dict[str, Mentioning]:
        """Where each name occurs in one role: the total of chunks, and at most `limit` places, one per chunk."""
        ...

    async def places(
        self, titles: Sequence[str], names: Sequence[str], limit: int, where: RowFilter = EVERYWHERE
    ) -> Places:
        """All that one step over names asks at once: of `titles` what `about` tells and `mentioned_by` of headings,
        of `names` what `mentioned_by` tells of the text. Names that lead nowhere are absent; of those in more than
        `limit` chunks the total alone is told.
        """
        ...

    async def match(self, names: Sequence[str], limit: int = 10) -> dict[str, list[tuple[Entity, float]]]:
        """Entities whose name or alias is like each name, with a similarity of 0 to 1 (1.0 is equal keys)."""
        ...

    async def edges(self, keys: Sequence[str], limit: int = 50, after: Edge | None = None) -> dict[str, list[Edge]]:
        """At most `limit` edges in either direction per entity, strongest first; with `after` those behind that one.

        The order is by confidence, evidence, then keys and type; it is kept, so that a page of a hub costs no
        more than one of any other entity. `after` need not be there any more. Pages, each behind the last edge of the
        one before, together are exactly the whole. Of what is written between two of them: an edge that stays as it was
        is told once, in its place; one that came, went or changed is told as it is when the page is read where it then
        stands, so one whose confidence or evidence changed may be told twice or not at all.
        """
        ...

    async def entity(self, entity_id: str) -> Entity: ...
    async def entities(self, prefix: str = "", kind: str = "", limit: int = 50, cursor: str = "") -> EntityPage:
        """By number of mentions, most first; `prefix` is folded and matches names and aliases."""
        ...

    async def evidence(self, key: str, limit: int = 20) -> tuple[list[Mention], list[Relation]]:
        """Where the entity is named, and the relations it takes part in, with their snippets."""
        ...

    async def stated_between(self, key: str, other: str, types: Sequence[str], limit: int = 20) -> list[Relation]:
        """Of what `evidence` tells, the relations of these types between two entities, whichever way they point.

        At most `limit`, the surest first; they are not looked for among all that an entity takes part in.
        """
        ...

    async def verdicts(self, keys: Sequence[str]) -> dict[str, list[Verdict]]:
        """What rules decided about each of these names and others, by the other's key; of the name alone, not of the
        others of its entity.
        """
        ...

    async def asked(self, limit: int = 50, cursor: str = "") -> VerdictPage:
        """What a person is to decide, the likeliest first, then by keys. Raises `Refused` (`bad_cursor`)."""
        ...

    async def named(self, keys: Sequence[str]) -> dict[str, Entity]:
        """The entity that each name stands for."""
        ...

    async def shares(self, after: str = "", limit: int = BATCH_CHUNKS, dataset: str = "") -> list[GraphRow]:
        """All of the graph or of a dataset, a page at a time: at most `limit` shares, by chunk id, behind `after`.

        Fewer than `limit`: it was the last page. What is written meanwhile may be in a later page or not.
        """
        ...

    async def stamp(self) -> str:
        """Changes with every write that changed the graph; equal stamps, equal graph. Ask before reading, not after."""
        ...


class Graphs(Protocol):
    """All tenants' graphs."""

    def writer(self, tenant: Tenant) -> GraphWriter: ...
    def reader(self, tenant: Tenant) -> GraphReader: ...
    def drop(self, tenant: Tenant) -> None: ...
    def tenants(self) -> set[Tenant]:
        """Whoever has rows that reads see, known to the registry or not; for the audit."""
        ...

    def unresolved(self) -> set[Tenant]:
        """Whoever has names that `GraphWriter.resolve` has something to decide about."""
        ...
