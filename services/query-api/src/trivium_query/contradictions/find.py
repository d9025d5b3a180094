"""READ FIRST: one tenant's contradictions, looked for when somebody asks.

statements.py (a document's sentences, with keys) -> kept.py (what is known) -> blocks.py (who may meet) -> match.py,
compare.py, relations.py (who disagrees) -> judge.py (a language model, where one is configured) -> cards.py (what a
person sees) -> dismissals.py

Nothing of it runs during ingest. A look compares the registry with what was kept, reads what is new, drops what is
gone, and compares the new with all; one thread a tenant does it, and rests a third of its time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.citations import Citation
from trivium.domain.contradictions import Contradiction, ContradictionKind, Dismissal
from trivium.domain.documents import Document
from trivium.domain.edits import Actor
from trivium.domain.errors import NeverWill, NotFound
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curation
from trivium.graph_schema.one_target import GivenTargets, given_targets
from trivium.graph_schema.versions import of_all_datasets
from trivium.llm.address import LlmAddress
from trivium.ports.keywords import Keywords
from trivium.ports.objects import Objects, ObjectStore
from trivium.ports.registry import Registry, TenantRegistry, every_document
from trivium.tenants.former_names import former_ids
from trivium_query.contradictions import cards, dismissals, kept
from trivium_query.contradictions.cards import Card
from trivium_query.contradictions.judge import judged
from trivium_query.contradictions.kept import Kept
from trivium_query.contradictions.match import Shelf, matched, pacer
from trivium_query.published_documents import published_chunks

WAIT_S = 20.0  # who lists waits so long for a look; it goes on behind
ANSWER_WAIT_S = 0.25  # and an answer so long
ANSWER_READS = 200  # documents that an answer may have read behind it; more are read when somebody lists
LOOK_AGAIN_S = 5.0  # between two looks for answers
REST_SHARE = 10.0  # and this many times as long as the last one took
AT_ONCE = 50  # documents looked at together
SAVED_EVERY_S = 2.0  # a command's server ends soon; each save writes all
WORK_S, PAUSE_S = 0.02, 0.01


class Asked(msgspec.Struct, frozen=True):
    """Which cards; "" and None do not restrict. `dismissed`: those put aside instead of the others."""

    dataset: str = ""
    document_id: str = ""
    kind: ContradictionKind | None = None
    min_confidence: float = 0.0
    dismissed: bool = False


class CardPage(msgspec.Struct, frozen=True):
    """One page, the surest first. `pending` documents were not looked at yet; `cursor` is "" on the last page."""

    contradictions: tuple[Contradiction, ...]
    cursor: str = ""
    pending: int = 0


class _State:
    """What one process knows of one tenant."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.look: Future[None] | None = None
        self.known: Kept | None = None
        self.cards: Mapping[str, Card] = {}
        self.known_by: Mapping[str, str] = {}  # cards' ids by those of all their pairs, also under another tenant name
        self.pending = 0
        self.rest_until = 0.0
        self.adopted = False  # dismissals of earlier versions


class Contradictions:
    """All tenants'. Lists raise `TryLater` when a store is away; answers never do."""

    def __init__(
        self,
        objects: Objects,
        registry: Registry,
        keywords: Keywords,
        curation: Curation,
        llm: LlmAddress | None = None,
        judgements: int = 0,
    ) -> None:
        self._objects = objects
        self._registry = registry
        self._keywords = keywords
        self._curation = curation
        self._llm = llm if judgements > 0 else None
        self._judgements = judgements
        self._states: dict[Tenant, _State] = {}
        self._guard = threading.Lock()

    async def page(self, tenant: Tenant, asked: Asked, limit: int, cursor: str) -> CardPage:
        """Looks first, for `WAIT_S` at most. Raises `Refused` (`bad_cursor`)."""
        state = await self._looked(tenant, WAIT_S)
        put_aside = await self._put_aside(tenant, state)
        start = cards.read_cursor(cursor)
        some = [
            card
            for card in state.cards.values()
            if _is_asked(card, asked) and (card.id in put_aside) == asked.dismissed
        ]
        shown = await self._shown(tenant, some[start : start + limit], put_aside)
        more = str(start + limit) if start + limit < len(some) else ""
        return CardPage(shown, more, state.pending)

    async def dismiss(self, tenant: Tenant, card_id: str, why: str, actor: Actor) -> Contradiction:
        """Put a card aside, as an edit that rests on its passages. Raises `NotFound`."""
        state = await self._looked(tenant, WAIT_S)
        card = state.cards.get(state.known_by.get(card_id, card_id))
        seen = await self._published(tenant, [card] if card else [])
        if card is None or any(side.chunk_id not in seen for side in card.sides):
            raise unknown_card()
        given = (await self._put_aside(tenant, state)).get(card.id)
        if given is None:
            evidence = cards.evidence(card, seen)
            given = await asyncio.to_thread(dismissals.dismiss, self._curation, tenant, card.id, why, actor, evidence)
        shown = cards.shown(card, seen, given)
        if shown is None:
            raise unknown_card()
        return shown

    async def touching(
        self, tenant: Tenant, citations: Sequence[Citation], dataset: str = ""
    ) -> tuple[Contradiction, ...]:
        """The open cards that the cited sentences take part in, the surest first; "" is every dataset.

        Of what is known, and of at most `ANSWER_READS` documents more: no answer starts the reading of a whole corpus.
        """
        state = self._state(tenant)
        if time.monotonic() >= state.rest_until:
            await self._looked(tenant, ANSWER_WAIT_S, ANSWER_READS)
        quotes = {(c.chunk_id, " ".join(c.quote.split())) for c in citations}
        touched = [card for card in state.cards.values() if card.touches(quotes) and dataset in ("", card.dataset)]
        if not touched:
            return ()
        put_aside = await self._put_aside(tenant, state)
        return await self._shown(
            tenant, [card for card in touched if card.id not in put_aside][: cards.MAX_TOLD], put_aside
        )

    async def _shown(
        self, tenant: Tenant, some: Sequence[Card], put_aside: Mapping[str, Dismissal]
    ) -> tuple[Contradiction, ...]:
        """With their passages; what is not published any more is left out."""
        seen = await self._published(tenant, some)
        shown = (cards.shown(card, seen, put_aside.get(card.id)) for card in some)
        return tuple(each for each in shown if each is not None)

    async def _published(self, tenant: Tenant, some: Sequence[Card]) -> dict[str, Chunk]:
        """The passages of these cards that are published now."""
        chunk_ids = sorted({side.chunk_id for card in some for side in card.sides})
        return await published_chunks(self._keywords.reader(tenant), self._registry.for_tenant(tenant), chunk_ids)

    async def _put_aside(self, tenant: Tenant, state: _State) -> dict[str, Dismissal]:
        """What was settled, by card; dismissals of an earlier version are made edits the first time."""
        if not state.adopted:
            objects = self._objects.for_tenant(tenant)
            rests_on = {card.id: cards.documents_of(card) for card in state.cards.values()}
            rests_on |= {before: rests_on[now] for before, now in state.known_by.items() if now in rests_on}
            await asyncio.to_thread(dismissals.adopt_old, self._curation, tenant, objects, rests_on)
            state.adopted = True
        settled = await asyncio.to_thread(dismissals.dismissals, self._curation, tenant)
        return {state.known_by.get(subject, subject): given for subject, given in settled.items()}

    async def _looked(self, tenant: Tenant, wait_s: float, most: int | None = None) -> _State:
        """The tenant's state after a look, or while it goes on where it takes longer; `most` documents are read."""
        state = self._state(tenant)
        with state.lock:
            if state.look is None or state.look.done():
                state.look = Future()
                threading.Thread(
                    target=self._run, args=(tenant, state, state.look, most), name="contradictions", daemon=True
                ).start()
            look = asyncio.wrap_future(state.look)
        try:
            async with asyncio.timeout(wait_s):
                await asyncio.shield(look)
        except TimeoutError:
            look.add_done_callback(lambda done: done.exception())  # nobody waits for it any more
        return state

    def _state(self, tenant: Tenant) -> _State:
        with self._guard:
            return self._states.setdefault(tenant, _State())

    def _run(self, tenant: Tenant, state: _State, look: Future[None], most: int | None) -> None:
        began = time.monotonic()
        try:
            self._look(tenant, state, most)
        except BaseException as fault:  # noqa: BLE001  whoever waits hears of it
            look.set_exception(fault)
        else:
            look.set_result(None)
        finally:
            state.rest_until = time.monotonic() + max(LOOK_AGAIN_S, REST_SHARE * (time.monotonic() - began))

    def _look(self, tenant: Tenant, state: _State, most: int | None) -> None:
        objects, registry = self._objects.for_tenant(tenant), self._registry.for_tenant(tenant)
        known = state.known or kept.load(objects)
        current = {document.id: document for document in every_document(registry) if document.active_version}
        read = {source.document_id: source for source in known.sources}
        gone = {key for key, source in read.items() if key not in current or not _is_read(source, current[key])}
        new = [document for key, document in current.items() if key not in read or key in gone]
        state.pending = len(new)
        given = _given(objects)
        changed = bool(gone) or given != known.given
        known = kept.without(known, gone)
        breathe = pacer(WORK_S, PAUSE_S)
        if changed and not new:
            known = matched(known, len(known.sources), Shelf(objects), breathe, given)
            kept.save(objects, known)
        if changed or state.known is None:
            self._tell(objects, registry, state, known)
        if most is not None and len(new) > most:
            return
        saved = time.monotonic()
        for start in range(0, len(new), AT_ONCE):
            reads = []
            for document in new[start : start + AT_ONCE]:
                breathe()
                reads.append(kept.read_document(objects, document))
            found = list(filter(None, reads))
            if found or given != known.given:
                first, shelf = len(known.sources), Shelf(objects, found)
                known = matched(kept.joined(known, found), first, shelf, breathe, given)
            state.pending -= len(reads)
            if not state.pending or time.monotonic() > saved + SAVED_EVERY_S:
                kept.save(objects, known)
                self._tell(objects, registry, state, known)
                saved = time.monotonic()
        if self._llm is not None:
            known, asked = judged(known, Shelf(objects), objects, self._llm, self._judgements)
            if asked:
                kept.save(objects, known)
                self._tell(objects, registry, state, known)

    def _tell(self, objects: ObjectStore, registry: TenantRegistry, state: _State, known: Kept) -> None:
        """Let requests see what is known by now."""
        state.known = known
        found = cards.cards_of(known, Shelf(objects))
        quoted = {document for card in found for pair in card.quoted for document in pair}
        former = former_ids(objects, registry, quoted)
        state.known_by = {each: card.id for card in found for each in card.known_by(former)}
        state.cards = {card.id: card for card in found}


def _given(objects: ObjectStore) -> tuple[GivenTargets, ...]:
    """What the datasets' schemas in force say; a damaged one says nothing, and stops nobody."""
    try:
        found = [given_targets(schema) for schema in of_all_datasets(objects)]
    except NeverWill:
        found = []
    return tuple(each for each in found if each.one or each.many)


def _is_read(source: kept.Source, document: Document) -> bool:
    known = (source.version, source.dataset, source.uploaded)
    return known == (document.active_version, document.dataset, document.uploaded)


def _is_asked(card: Card, asked: Asked) -> bool:
    return (
        asked.dataset in ("", card.dataset)
        and asked.kind in (None, card.kind)
        and card.confidence >= asked.min_confidence
        and (not asked.document_id or card.is_of(asked.document_id))
    )


def unknown_card() -> NotFound:
    """No card of this tenant has that id, or not any more."""
    return NotFound(
        "no_such_contradiction", "There is no such contradiction.", "List them with: trivium graph contradictions"
    )
