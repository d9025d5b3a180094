"""From the log to the graph: what it adds up to now, and the graph store brought to it.

Whoever appends brings the graph along before it answers. Where the graph's store fails then, the edit counts all the
same: the graph is behind, which is logged and counted, and tried again until it is not. A process that dies in between
leaves a graph that is behind the log; the next append mends it, so does a process that starts to serve, and so does the
audit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import TypeVar

import msgspec
import structlog

from trivium.access.trail import touched
from trivium.batches import batches
from trivium.domain.documents import DocumentState
from trivium.domain.edits import Decisions, Draft, Edit, Undo
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.scope import Tenant
from trivium.edits.checkpoints import Checkpoints
from trivium.edits.fold import Folded
from trivium.edits.log import AnotherLog, EditLog, has_evidence_in
from trivium.ports.graph import Graphs
from trivium.ports.objects import Objects, ObjectStore
from trivium.ports.registry import Registry
from trivium.ports.stores import Stores
from trivium.telemetry import DRIFT

DOCUMENTS_AT_ONCE = 1000
RETRIED_AFTER_S = (0.2, 1.0, 5.0, 30.0)

log = structlog.get_logger()

T = TypeVar("T")

Decide = Callable[["Curated"], Sequence[Draft]]
"""From the log as it is, what shall be appended; raises `Refused`. It may be asked again, with a longer log."""


class Curated(msgspec.Struct, frozen=True):
    """The log, and what it adds up to."""

    edits: Sequence[Edit]
    gone: frozenset[str]
    """Documents that edits rest on and that are deleted."""
    folded: Folded


class _Known:
    """One log, and what is known of it and of nothing else: another log in its place has its own."""

    def __init__(self, objects: ObjectStore) -> None:
        self.log = EditLog(objects)
        self.checkpoints = Checkpoints()
        self.curated: Curated | None = None
        self.resting: tuple[int, frozenset[str]] = (0, frozenset())  # length of the log, documents that it rests on
        self.projected: Decisions | None = None


class Curation:
    """All tenants' edits. One object a process: it keeps the logs that it has read. Safe among threads.

    What it keeps of a tenant that was erased goes when it is next asked about the tenant's name.
    """

    def __init__(self, objects: Objects, registry: Registry, graphs: Graphs) -> None:
        self._objects = objects
        self._registry = registry
        self._graphs = graphs
        self._lock = threading.Lock()
        self._known: dict[Tenant, _Known] = {}
        self._behind: set[Tenant] = set()

    def now(self, tenant: Tenant) -> Curated:
        """The log as it is now."""
        return self._of_log(tenant, lambda known: self._read(tenant, known))

    def shown(self, tenant: Tenant) -> Curated:
        """The log as it is now, all of which the graph shows: what others appended a moment ago as well."""
        curated, projected = self._of_log(tenant, lambda known: (self._read(tenant, known), known.projected))
        if curated.edits and (projected is None or projected.state != curated.folded.decisions.state):
            return self.project(tenant)
        return curated

    def append(self, tenant: Tenant, decide: Decide) -> tuple[Edit, ...]:
        """Append what `decide` makes of the log, as a whole, and bring the graph along.

        Raises what `decide` raises, `Refused` (`too_many_edits`), and `TryLater` (`log_busy`).
        """
        appended = self._of_log(
            tenant, lambda known: known.log.append(lambda edits: decide(self._curated(tenant, known, edits)))
        )
        for edit in appended:
            touched(edit.id, *([edit.change.edit] if isinstance(edit.change, Undo) else ()))
        if appended:
            try:
                self.project(tenant)
            except TriviumError as error:
                self._is_behind(tenant, error)
        return appended

    def project(self, tenant: Tenant) -> Curated:
        """Bring the graph to the log.

        The log is looked at again after each write: where two processes write, the last one sees what both know.
        """
        return self._of_log(tenant, lambda known: self._project(tenant, known))

    def document_changed(self, tenant: Tenant, document_id: str) -> None:
        """A document was deleted or came back: what rested on it alone counts no more, or again."""
        if has_evidence_in(self._objects.for_tenant(tenant), document_id):
            self.project(tenant)

    def project_all(self) -> None:
        """Mend what a process left behind that died between an edit and its graph."""
        for tenant in self._objects.tenants():
            if self.now(tenant).edits:
                self.project(tenant)

    def unreadable(self, tenant: Tenant) -> tuple[int, ...]:
        """The sequence numbers of records that count for nothing, because they cannot be read."""
        return self._of_log(tenant, lambda known: known.log.unreadable)

    def _is_behind(self, tenant: Tenant, error: TriviumError) -> None:
        DRIFT.labels("graph", "edits").inc()
        log.warning("graph_behind_edits", tenant=tenant.name, error=str(error))
        with self._lock:
            if tenant in self._behind:
                return
            self._behind.add(tenant)
        threading.Thread(target=self._catch_up, args=(tenant,), name="edits-behind", daemon=True).start()

    def _catch_up(self, tenant: Tenant) -> None:
        """Until the graph is with the log again; what is no matter of time is left to the audit."""
        waits = chain(RETRIED_AFTER_S, repeat(RETRIED_AFTER_S[-1]))
        while True:
            time.sleep(next(waits))
            try:
                self.project(tenant)
            except TryLater:
                continue
            except Exception as error:  # noqa: BLE001 - the store was closed, or is damaged
                log.error("graph_stays_behind_edits", tenant=tenant.name, error=str(error))
            break
        with self._lock:
            self._behind.discard(tenant)

    def _of_log(self, tenant: Tenant, work: Callable[[_Known], T]) -> T:
        """What `work` answers; asked again, with nothing known, where the log that was known is not the tenant's."""
        while True:
            with self._lock:
                known = self._known.get(tenant)
                if known is None:
                    known = self._known[tenant] = _Known(self._objects.for_tenant(tenant))
            try:
                return work(known)
            except AnotherLog:
                with self._lock:
                    if self._known.get(tenant) is known:
                        del self._known[tenant]

    def _read(self, tenant: Tenant, known: _Known) -> Curated:
        return self._curated(tenant, known, known.log.read())

    def _project(self, tenant: Tenant, known: _Known) -> Curated:
        curated = self._read(tenant, known)
        while True:
            decisions = curated.folded.decisions
            self._graphs.writer(tenant).decide(decisions, known.projected)
            known.projected = decisions
            again = self._read(tenant, known)
            if (len(again.edits), again.gone) == (len(curated.edits), curated.gone):
                return again
            curated = again

    def _curated(self, tenant: Tenant, known: _Known, edits: Sequence[Edit]) -> Curated:
        gone, curated = self._gone(tenant, known, edits), known.curated
        if curated is None or (len(curated.edits), curated.gone) != (len(edits), gone):
            curated = known.curated = Curated(edits, gone, known.checkpoints.folded(edits, gone))
        return curated

    def _gone(self, tenant: Tenant, known: _Known, edits: Sequence[Edit]) -> frozenset[str]:
        registry = self._registry.for_tenant(tenant)
        documents = sorted(_documents(known, edits))
        living: set[str] = set()
        for some in batches(documents, DOCUMENTS_AT_ONCE):
            found = registry.get_many(some)
            living |= {id_ for id_, document in found.items() if document.state is not DocumentState.DELETED}
        return frozenset(documents) - living


def _documents(known: _Known, edits: Sequence[Edit]) -> frozenset[str]:
    """Those that edits rest on."""
    seen, found = known.resting
    if seen > len(edits):
        seen, found = 0, frozenset()
    new = {one.document_id for edit in edits[seen:] for one in edit.evidence}
    known.resting = (len(edits), found | new if new else found)
    return known.resting[1]


def curation_of(stores: Stores) -> Curation:
    """That of a deployment's stores."""
    return Curation(stores.objects, stores.registry, stores.graphs)
