"""Intake: how a source enters and leaves Trivium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from trivium.domain.documents import DEFAULT_DATASET, Document, Lane
from trivium.domain.password import Password
from trivium.domain.scope import Tenant
from trivium.ports.parser import Blob
from trivium.ports.registry import DocumentPage


class Destination(msgspec.Struct, frozen=True):
    """Where what is handed over goes, and in which run.

    `move`: a document that is in another dataset moves to this one, with what is inside it; nothing is read anew.
    `extractor`, an `Extractor` by name, reads it for the graph; "" where the dataset or the settings decide.
    """

    dataset: str = DEFAULT_DATASET
    run: str = ""
    move: bool = False
    extractor: str = ""


ANYWHERE = Destination()

Count = Callable[[int], None]
"""So many bytes were fetched and are about to be kept. Raises `TooMany`, and has counted nothing then."""


def uncounted(size_bytes: int) -> None:
    """Nothing is limited."""


class NewSource(msgspec.Struct, frozen=True):
    """What a caller hands over. `name` identifies the source within its tenant: the same name with
    other bytes is a new version of the same document, with the same bytes it is a no-op.

    `title` is the caller's word for it, "" when unknown; a document's own title wins over none.
    """

    blob: Blob
    title: str = ""
    to: Destination = ANYWHERE
    lane: Lane = Lane.INTERACTIVE


class TenantIntake(Protocol):
    """One tenant's intake. Calls are synchronous and quick: the work itself happens in the workers.

    Missing: `delete` and `original` raise `NotFound`.
    Dataset: a document stays in the one it came into; another is `Refused` (`other_dataset`), with nothing stored,
    unless the destination says `move`. Moving again finishes what broke off.
    Duplicate: accepting known bytes under a known name returns the document as it is; with a password, what failed
    inside it for want of one is worked on again; with another extractor than before, it is read again by that one.
    Empty: zero bytes are accepted and end as FAILED `empty_file`, as every other bad file does.
    Order: the newest accepted version of a name wins, whatever finishes last.
    Half-done: a source is durably accepted (bytes and pending record) before `accept` returns.
    """

    def accept(self, source: NewSource) -> Document: ...
    def accept_url(
        self, url: str, to: Destination = ANYWHERE, password: Password | None = None, count: Count = uncounted
    ) -> Document:
        """Fetch within the egress limits, then accept; what has changed is counted in between.

        Raises `Refused` (`bad_url`, `forbidden_address`), `NeverWill` (`fetch_failed`, `too_large`), `TryLater`, and
        as `count`.
        """
        ...

    def unlock(self, document_id: str, password: Password) -> Document:
        """Work again on a document that FAILED for want of its password, and on such ones inside it.

        Raises `NotFound`, and `Refused` (`no_password_needed`) when there is none.
        """
        ...

    def delete(self, document_id: str) -> Document:
        """Remove the document from every store; queries stop seeing it before this returns.

        Raises `TryLater` (`deletion_goes_on`) when much is inside it, and some of that is left: again, it goes on.
        """
        ...

    def children(self, document_id: str, limit: int, cursor: str = "") -> DocumentPage:
        """The documents found inside one, some at a time. Raises `NotFound`."""
        ...

    def original(self, document_id: str) -> Blob:
        """The bytes as they came, for `active_version`, else the newest version; with the password that was given."""
        ...

    def asset(self, document_id: str, name: str) -> Blob:
        """A picture of the version that queries see, as `Chunk.assets` name it; raises `NotFound`."""
        ...


class Intake(Protocol):
    """All tenants' intakes."""

    def for_tenant(self, tenant: Tenant) -> TenantIntake: ...
