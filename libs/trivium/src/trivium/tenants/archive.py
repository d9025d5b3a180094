"""A tenant as one ZIP archive: what people gave it, from which all else is made again. No keys, passwords or trail.

`tenant.json` first; `documents/<number>.json` with `documents/<number>` its original; `conversations/<number>.json`;
`objects/<key>` as the object store has it: edits, schemas, and connections, whose credentials are names;
`named.json` the documents that edits rest on and that are not among those handed over.
`left-out.json` comes last: an archive without it is not whole.
"""

from __future__ import annotations

import msgspec

from trivium.connections.stored_connections import CONNECTIONS
from trivium.flow.artifacts import Origin

FORMAT = 1
TENANT, NAMED, LEFT_OUT = "tenant.json", "named.json", "left-out.json"
DOCUMENTS, CONVERSATIONS, OBJECTS = "documents/", "conversations/", "objects/"
NAMING_IDS = ("edits/", "edits-packed/", "edits-evidence/", "contradictions/dismissed/")
"""Objects that name passages, cards and each other by ids, which begin with the tenant's name."""
CARRIED = ("schemas/", CONNECTIONS, *NAMING_IDS)
"""Objects that are carried as they are."""


class Head(msgspec.Struct, frozen=True):
    """Whose archive it is, since when, in Unix seconds, and what else the tenant was called, the oldest name first."""

    format: int
    tenant: str
    made_at: float
    former_names: tuple[str, ...] = ()


class ArchivedDocument(msgspec.Struct, frozen=True):
    """A document's newest version as it was handed over; what was found inside it is found again."""

    origin: Origin
    version: str
    size_bytes: int
    dataset: str
    run: str
    extractor: str
    created_at: float
    uploaded_at: float


class NamedDocument(msgspec.Struct, frozen=True):
    """A document that edits rest on, of which the archive has nothing else: a deleted one, or one inside another.

    `name` is its source, or where it has a `parent` what it is called in there.
    """

    id: str
    version: str
    name: str
    parent: str = ""
