"""Where a store and the artifacts disagree."""

from __future__ import annotations

import enum

import msgspec


class Store(enum.StrEnum):
    """The stores that are projections of the artifacts."""

    VECTORS = "vectors"
    PICTURES = "pictures"
    HYPERNODES = "hypernodes"
    KEYWORDS = "keywords"
    GRAPH = "graph"


ARTIFACTS = "artifacts"
REGISTRY = "registry"
OBJECTS = "objects"


class Drift(msgspec.Struct, frozen=True):
    """One store's fault with one version of one document, or with what belongs to none (`document_id` "").

    `missing`, `surplus` and `changed` count chunks, or HyperNodes. `orphaned`: no query may see that version. `source`
    is "" for a document that nobody knows. `store` is "artifacts" when the version's rows could not be made again.
    `found` is the fault in words, and `action` what a person must do where no repair can.
    """

    tenant: str
    document_id: str
    version: str
    source: str
    store: str
    missing: int = 0
    surplus: int = 0
    orphaned: bool = False
    repaired: bool = False
    changed: int = 0
    found: str = ""
    action: str = ""
