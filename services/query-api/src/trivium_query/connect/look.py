"""READ FIRST: one look at one connection.

    state: running -> connector's changes from the cursor on -> fetch -> intake, or delete -> cursor -> state: ended

Each file is by itself: one that fails is told and looked at again next time, and the others go on. The cursor is saved
behind what was stored and never before it, so a look that breaks off costs what it had in hand.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

import msgspec
import structlog

from trivium.connections.stored_connections import StoredConnections
from trivium.domain.access import Caller, Role
from trivium.domain.connections import Connected, Connection, ConnectionState, source_of
from trivium.domain.documents import Document, DocumentState, Failure, Lane
from trivium.domain.errors import NotFound, TriviumError, TryLater
from trivium.domain.ids import document_id
from trivium.domain.limits import Resource, TooMany
from trivium.domain.runs import new_run
from trivium.domain.scope import Tenant
from trivium.ports.connector import Change, Connector, Gone, Unchanged
from trivium.ports.intake import Destination, Intake, NewSource, TenantIntake
from trivium.ports.parser import Blob
from trivium.ports.registry import Registry, every_document
from trivium.telemetry import CONNECTION_DOCUMENTS, CONNECTION_LOOK_SECONDS, CONNECTION_LOOKED, CONNECTION_LOOKS, timed
from trivium_query.access.limiter import Limiter
from trivium_query.connect.oauth import Hides
from trivium_query.connect.place import Pause, Stopped

SAVE_S = 5.0
"""How much is done again at most of a look that was cut off, and how long one goes on at a connection taken back."""
MAX_SILENCES = 5
"""Files in a row that another time may help, and none between that was answered for: the place has had enough."""

log = structlog.get_logger()


class Desk(msgspec.Struct, frozen=True):
    """What looks need of a deployment. `open` gives a connection's connector, and what hides its secret."""

    stored: StoredConnections
    intake: Intake
    registry: Registry
    limiter: Limiter
    open: Callable[[Tenant, Connection, str, Pause], tuple[Connector, Hides | None]]


def look(desk: Desk, tenant: Tenant, connection_id: str, pause: Pause) -> Connected | None:
    """Look at one connection, or clear it away where it was taken back; None when it is not there any more.

    Never raises for what the place does; raises `Stopped` as `pause` does, and as the stores do.
    """
    try:
        found = desk.stored.find(tenant, connection_id)
    except NotFound:
        return None
    if found.removing:
        _clear_away(desk, tenant, connection_id, pause)
        return None
    state = _Look(desk, tenant, found, pause).whole()
    return msgspec.structs.replace(found, state=state)


class _Look:
    def __init__(self, desk: Desk, tenant: Tenant, found: Connected, pause: Pause) -> None:
        self._desk, self._tenant, self._connection, self._driver_pause = desk, tenant, found.connection, pause
        self._intake = desk.intake.for_tenant(tenant)
        now = time.time()
        failing_since = found.state.failing_since
        self._state = ConnectionState(new_run(), running_since=now, started_at=now, failing_since=failing_since)
        self._to = Destination(self._connection.dataset, self._state.run, move=True)
        self._cursor: Callable[[], str] = partial(desk.stored.cursor, tenant, self._connection.id)
        self._secret: Hides | None = None
        self._saved_at = self._asked_at = time.monotonic()
        self._silences = 0

    def whole(self) -> ConnectionState:
        """Every change, and the state at the end."""
        log.info("connection_look_begun", tenant=self._tenant.name, connection=self._connection.id)
        self._desk.stored.save(self._tenant, self._connection.id, self._state)
        kind, outcome = self._connection.kind, "failed"
        try:
            with timed(CONNECTION_LOOK_SECONDS, kind):
                self._go_through()
            outcome = "done"
            CONNECTION_LOOKED.labels(kind).set_to_current_time()
        except TriviumError as error:
            self._change(error=self._failure(error))
        except Stopped:
            outcome = "abandoned"
            self._save()
            raise
        except Exception as error:  # a fault of ours, or of a library that a stranger's data led astray
            log.exception("connection_failed", tenant=self._tenant.name, connection=self._connection.id)
            why = f"The connector failed ({type(error).__name__})."
            self._change(error=Failure("connector_failed", why, "The server's log tells more."))
        finally:
            CONNECTION_LOOKS.labels(kind, outcome).inc()
            for change, count in self._counts().items():
                CONNECTION_DOCUMENTS.labels(kind, change).inc(count)
        now = time.time()
        failing_since = None if outcome == "done" else self._state.failing_since or now
        self._change(running_since=None, ended_at=now, failing_since=failing_since)
        self._save()
        log.info("connection_looked_at", tenant=self._tenant.name, connection=self._connection.id, **self._counts())
        return self._state

    def _counts(self) -> dict[str, int]:
        return {name: getattr(self._state, name) for name in ("stored", "deleted", "failed")}

    def _go_through(self) -> None:
        connector, self._secret = self._desk.open(self._tenant, self._connection, self._cursor(), self._pause)
        self._cursor = connector.cursor
        for change in connector.changes():
            self._pause(0.0)
            try:
                if not isinstance(change, Unchanged) and self._follow(change):
                    connector.stored(change)
                self._silences = 0
            except TooMany:
                raise
            except TriviumError as error:
                self._missed(change.name, error)
            if time.monotonic() - self._saved_at > SAVE_S:
                self._save()

    def _pause(self, seconds: float) -> None:
        """As the driver's. Ends a look at a connection that was taken back meanwhile, though it brings nothing."""
        self._driver_pause(seconds)
        if time.monotonic() - self._asked_at > SAVE_S:
            self._asked_at = time.monotonic()
            if self._desk.stored.find(self._tenant, self._connection.id).removing:
                raise Stopped

    def _follow(self, change: Change) -> bool:
        """Have Trivium hold what the place does; False: not now. Raises as the intake and the connector do."""
        name = source_of(self._connection.id, change.name)
        if isinstance(change, Gone):
            deleted = _delete(self._intake, document_id(self._tenant, name), self._pause)
            self._change(deleted=self._state.deleted + deleted)
            return True
        item = change.fetch()
        if item is None:
            return False
        self._count(len(item.content))
        blob = Blob(name, item.content, item.declared_type)
        self._intake.accept(NewSource(blob, item.title, self._to, Lane.BACKFILL))
        self._change(stored=self._state.stored + 1)
        return True

    def _count(self, size_bytes: int) -> None:
        """A file, against the tenant's limits: no request and no upload. Raises `TooMany`."""
        caller = Caller(self._tenant, Role.WRITER, f"connection-{self._connection.id}")
        meter = self._desk.limiter.meter(caller)
        if meter is not None:
            asyncio.run(meter.take({Resource.DOCUMENTS: 1, Resource.BYTES: size_bytes}))

    def _missed(self, name: str, error: TriviumError) -> None:
        """Raises `error` where the place, not the file, is at fault."""
        failed = self._state.failed + 1
        told = self._failure(error, name)
        self._change(failed=failed, error=self._state.error or told)
        self._silences = self._silences + 1 if isinstance(error, TryLater) else 0
        if self._silences >= MAX_SILENCES or error.code == "tenant_being_erased":
            raise error

    def _failure(self, error: TriviumError, name: str = "") -> Failure:
        message = f"{name[:200]}: {error.message}" if name else error.message
        if self._secret is not None:
            message = self._secret.hidden_in(message)
        return Failure(error.code, message, error.action)

    def _change(self, **fields: object) -> None:
        self._state = msgspec.structs.replace(self._state, **fields)

    def _save(self) -> None:
        self._desk.stored.save(self._tenant, self._connection.id, self._state, self._cursor())
        self._saved_at = time.monotonic()


def _delete(intake: TenantIntake, identifier: str, pause: Pause) -> bool:
    """Whether there was something; what takes long is asked for until it is done."""
    while True:
        pause(0.0)
        try:
            intake.delete(identifier)
        except NotFound:
            return False
        except TryLater as error:
            if error.code != "deletion_goes_on":
                raise
        else:
            return True


def _clear_away(desk: Desk, tenant: Tenant, connection_id: str, pause: Pause) -> None:
    """Remove a connection that was taken back, its documents first where they go with it."""
    if desk.stored.takes_documents_along(tenant, connection_id):
        intake = desk.intake.for_tenant(tenant)
        for document in every_document(desk.registry.for_tenant(tenant)):
            if _came_by(document, connection_id):
                _delete(intake, document.id, pause)
    desk.stored.forget(tenant, connection_id)
    log.info("connection_removed", tenant=tenant.name, connection=connection_id)


def _came_by(document: Document, connection_id: str) -> bool:
    own = document.source.startswith(source_of(connection_id, ""))
    return own and not document.parent and document.state is not DocumentState.DELETED
