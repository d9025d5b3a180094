"""The connections of every tenant, in the object store that holds the tenant's other truths.

`connections/defined/<id>` is written once. `connections/states/<id>` and `connections/cursors/<id>` are written by
whoever has the connection in hand (`ports.schedule`), and by nobody else. `connections/removing/<id>` takes it back:
who has it in hand next removes all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import msgspec
import structlog

from trivium.concurrent_calls import map_concurrent
from trivium.domain.connections import CONNECTION_ID, RESERVED_IDS, Connected, Connection, ConnectionState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.objects import Objects, ObjectStore
from trivium.ports.schedule import Slot
from trivium.tenants.being_erased import is_being_erased, refuse_while_erased

CONNECTIONS = "connections/"
DEFINED, STATES = "connections/defined/", "connections/states/"
CURSORS, REMOVING = "connections/cursors/", "connections/removing/"
MAX_CONNECTIONS = 200
"""Of one tenant: a listing reads them all."""
_WITH_DOCUMENTS = b"documents"

log = structlog.get_logger()

_encode = msgspec.json.Encoder().encode
_connection = msgspec.json.Decoder(Connection).decode
_state = msgspec.json.Decoder(ConnectionState).decode


class StoredConnections:
    """All tenants' connections.

    Missing: `find` and `remove` raise `NotFound`; the cursor of a place that was never looked at is "".
    Duplicate: a second `add` of an id is `Refused` (`connection_exists`), also while the first is being removed.
    Empty: a tenant without connections lists none.
    Order: `listed` by id.
    Half-done: a connection is there once `add` returns, and until `forget` has removed its definition.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def add(self, tenant: Tenant, connection: Connection) -> None:
        """Keep it. Raises `Refused` (`bad_connection_id`, `connection_exists`, `too_many_connections`)."""
        objects = self._objects.for_tenant(tenant)
        refuse_while_erased(objects)
        if not re.fullmatch(CONNECTION_ID, connection.id) or connection.id in RESERVED_IDS:
            raise Refused(
                "bad_connection_id",
                f"{connection.id[:80]!r} cannot name a connection.",
                f"Use up to 63 lower-case letters, digits, '-' or '_', and none of {', '.join(sorted(RESERVED_IDS))}.",
            )
        if sum(1 for _ in objects.keys(DEFINED)) >= MAX_CONNECTIONS:
            raise Refused(
                "too_many_connections",
                f"A tenant has at most {MAX_CONNECTIONS} connections.",
                "Remove those nobody needs.",
            )
        if not objects.exists(DEFINED + connection.id):
            objects.delete(REMOVING + connection.id)  # of one of that name whose removal was cut off at its very end
        if not objects.put_if_absent(DEFINED + connection.id, _encode(connection)):
            raise Refused(
                "connection_exists",
                f"There is a connection {connection.id!r} already.",
                "Remove it first, or choose another name.",
            )

    def find(self, tenant: Tenant, connection_id: str) -> Connected:
        """One with its state. Raises `NotFound`."""
        found = _told(self._objects.for_tenant(tenant), connection_id)
        if found is None:
            raise NotFound(
                "no_such_connection",
                f"There is no connection {connection_id[:80]!r}.",
                "`trivium connect list` shows those there are.",
            )
        return found

    def listed(self, tenant: Tenant) -> list[Connected]:
        """Every connection of the tenant."""
        objects = self._objects.for_tenant(tenant)
        ids = [key.removeprefix(DEFINED) for key in objects.keys(DEFINED)]
        return [found for found in map_concurrent(partial(_told, objects), ids) if found]

    def everyones(self) -> Iterator[tuple[Slot, Connected]]:
        """Those of all tenants but one that is being erased."""
        for tenant in sorted(self._objects.tenants(), key=str):
            if not is_being_erased(self._objects.for_tenant(tenant)):
                for found in self.listed(tenant):
                    yield Slot(tenant, found.connection.id), found

    def remove(self, tenant: Tenant, connection_id: str, *, documents: bool) -> Connected:
        """Take it back, its documents too if asked for. Raises `NotFound`."""
        found = self.find(tenant, connection_id)
        self._objects.for_tenant(tenant).put(REMOVING + connection_id, _WITH_DOCUMENTS if documents else b"")
        return msgspec.structs.replace(found, removing=True)

    def takes_documents_along(self, tenant: Tenant, connection_id: str) -> bool:
        """Whether its documents go with a connection that is being removed."""
        return _content(self._objects.for_tenant(tenant), REMOVING + connection_id) == _WITH_DOCUMENTS

    def save(self, tenant: Tenant, connection_id: str, state: ConnectionState, cursor: str | None = None) -> None:
        """Keep how far it has come; without a cursor, that of before stays.

        Raises `Refused` (`tenant_being_erased`).
        """
        objects = self._objects.for_tenant(tenant)
        refuse_while_erased(objects)
        if cursor is not None:
            objects.put(CURSORS + connection_id, cursor.encode())
        objects.put(STATES + connection_id, _encode(state))

    def cursor(self, tenant: Tenant, connection_id: str) -> str:
        """Where the next look begins; "": at the beginning."""
        return (_content(self._objects.for_tenant(tenant), CURSORS + connection_id) or b"").decode()

    def forget(self, tenant: Tenant, connection_id: str) -> None:
        """Remove all that is known of it. What marks it as removed goes last: cut off before, it is done again."""
        objects = self._objects.for_tenant(tenant)
        for prefix in (CURSORS, STATES, DEFINED, REMOVING):
            objects.delete(prefix + connection_id)


def _told(objects: ObjectStore, connection_id: str) -> Connected | None:
    content = _content(objects, DEFINED + connection_id) if re.fullmatch(CONNECTION_ID, connection_id) else None
    if content is None:
        return None
    state = _content(objects, STATES + connection_id)
    removing = objects.exists(REMOVING + connection_id)
    try:
        return Connected(_connection(content), _state(state) if state else ConnectionState(), removing)
    except msgspec.DecodeError as error:  # of a newer version of Trivium, or of a forged archive
        log.warning("connection_unreadable", connection=connection_id, error=str(error))
        return None


def _content(objects: ObjectStore, key: str) -> bytes | None:
    try:
        return objects.get(key)
    except NotFound:
        return None
