"""A tenant's edits under another name. They name documents and passages by ids that the tenant's name is part of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from trivium.domain.edits import Edit, Evidence
from trivium.domain.errors import Refused
from trivium.domain.ids import child_id, chunk_id, document_id
from trivium.domain.scope import Tenant
from trivium.edits.log import PACKS, RECORDS, WITH_EVIDENCE
from trivium.tenants.archive import ArchivedDocument, NamedDocument

MAX_PASSAGES = 200_000
"""Of a document's newest version, among which a passage is looked for."""
MAX_DEPTH = 100
"""Of documents inside others; what is deeper is a forgery."""
Names = tuple[Tenant, Tenant]
"""What the tenant was called, and what it is called now."""


def renamed_edits(
    names: Names,
    documents: Iterable[ArchivedDocument],
    others: Iterable[NamedDocument],
    objects: Mapping[str, bytes],
) -> dict[str, bytes]:
    """The objects of `NAMING_IDS`, by key, as the tenant has them under its new name; packs are made again.

    `others` are the documents that edits rest on beside those handed over. A contradiction that was put aside keeps its
    id: it is known again by the former names (`former_names`).

    Raises `Refused` (`edits_of_another_name`) for an edit that names what its archive does not tell by name.
    """
    told, versions = {}, {}
    for document in documents:
        old, new = (document_id(name, document.origin.name) for name in names)
        told[old], versions[old] = new, document.version
    _tell(names, {each.id: each for each in others}, told, versions)
    logged = {key: _edits(names, body) for key, body in objects.items() if key.startswith(RECORDS)}
    rested: dict[str, set[str]] = defaultdict(set)
    for edit in (edit for edits in logged.values() for edit in edits):
        for one in edit.evidence:
            if one.document_id not in told:
                raise _refused(names, "rest on documents that it does not name")
            rested[one.document_id].add(one.chunk_id)
    for old, passages in rested.items():
        told |= _passages(old, told[old], versions[old], passages)

    def renamed(evidence: Evidence) -> Evidence:
        """A passage of an older version keeps its id, which points at nothing here as it did there."""
        passage = told.get(evidence.chunk_id, evidence.chunk_id)
        return msgspec.structs.replace(evidence, document_id=told[evidence.document_id], chunk_id=passage)

    found = {key: body for key, body in objects.items() if not key.startswith((RECORDS, PACKS, WITH_EVIDENCE))}
    found |= {WITH_EVIDENCE + told[old]: b"" for old in rested}
    for key, edits in logged.items():
        found[key] = msgspec.json.encode(
            [msgspec.structs.replace(edit, evidence=tuple(map(renamed, edit.evidence))) for edit in edits]
        )
    return found


def _tell(names: Names, others: Mapping[str, NamedDocument], told: dict[str, str], versions: dict[str, str]) -> None:
    """Add the new ids and the versions of `others`, as far as their names lead to the ids that they have."""

    def tell(old: str, depth: int = 0) -> None:
        other = others.get(old)
        if old in told or other is None or depth > MAX_DEPTH:
            return
        if not other.parent:
            made, new = (document_id(name, other.name) for name in names)
        else:
            tell(other.parent, depth + 1)
            if other.parent not in told:
                return
            made, new = (child_id(parent, other.name) for parent in (other.parent, told[other.parent]))
        if made == old:
            told[old], versions[old] = new, other.version

    for old in others:
        tell(old)


def _edits(names: Names, content: bytes) -> tuple[Edit, ...]:
    try:
        return msgspec.json.decode(content, type=tuple[Edit, ...])
    except msgspec.DecodeError as error:
        raise _refused(names, "cannot be read") from error


def _passages(old: str, new: str, version: str, wanted: set[str]) -> dict[str, str]:
    """The new ids of the wanted passages, as far as they are of that version."""
    found: dict[str, str] = {}
    for ordinal in range(MAX_PASSAGES):
        if len(found) == len(wanted):
            break
        if (passage := chunk_id(old, version, ordinal)) in wanted:
            found[passage] = chunk_id(new, version, ordinal)
    return found


def _refused(names: Names, why: str) -> Refused:
    old, new = names
    return Refused(
        "edits_of_another_name",
        f"The archive of {old.name} holds edits of the graph that {why}. What these name has ids that are made from the"
        f" tenant's name, so under the name {new.name} they would point at nothing.",
        f"Import it as {old.name}, or have its documents uploaded to {new.name} anew.",
    )
