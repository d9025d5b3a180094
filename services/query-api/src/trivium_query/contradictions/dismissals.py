"""Cards that somebody put aside: edits in the log, with who, when and why, that rest on both passages.

Earlier versions kept an object for each (`contradictions/dismissed/<card>`); those become edits once, and go.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from trivium.domain.contradictions import Dismissal
from trivium.domain.edits import Actor, ActorKind, Dismiss, Draft, Evidence
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.edits.curation import Curated, Curation
from trivium.ports.objects import ObjectStore

OLD = "contradictions/dismissed/"
OLD_ACTOR = Actor(ActorKind.PERSON, "of an earlier version")
AT_ONCE = 500  # old objects in one record


class _Old(msgspec.Struct, frozen=True):
    why: str
    at: float


def dismiss(
    curation: Curation, tenant: Tenant, card_id: str, why: str, actor: Actor, evidence: Sequence[Evidence]
) -> Dismissal:
    """Put a card aside; where it is already, what was said first stays."""

    def decide(curated: Curated) -> Sequence[Draft]:
        known = card_id in curated.folded.dismissed
        return [] if known else [Draft(Dismiss(card_id), actor, why, tuple(evidence))]

    curation.append(tenant, decide)
    return dismissals(curation, tenant)[card_id]


def dismissals(curation: Curation, tenant: Tenant) -> dict[str, Dismissal]:
    """What is settled and why, by subject; other subjects than cards are among them."""
    settled = curation.now(tenant).folded.dismissed
    return {subject: Dismissal(edit.why, edit.at, str(edit.actor), edit.id) for subject, edit in settled.items()}


def adopt_old(
    curation: Curation, tenant: Tenant, objects: ObjectStore, evidence: Mapping[str, Sequence[Evidence]]
) -> None:
    """Make edits of the objects of an earlier version. One that was an edit before, undone or not, is not one again."""
    keys = list(objects.keys(OLD))
    for start in range(0, len(keys), AT_ONCE):
        found: dict[str, _Old] = {}
        for key in keys[start : start + AT_ONCE]:
            with suppress(NotFound, msgspec.DecodeError):
                found[key.removeprefix(OLD)] = msgspec.json.decode(objects.get(key), type=_Old)

        def decide(curated: Curated, found: Mapping[str, _Old] = found) -> Sequence[Draft]:
            known = {edit.change.subject for edit in curated.edits if isinstance(edit.change, Dismiss)}
            return [
                Draft(Dismiss(card), OLD_ACTOR, _dated(old), tuple(evidence.get(card, ())))
                for card, old in sorted(found.items())
                if card not in known
            ]

        curation.append(tenant, decide)
        for key in keys[start : start + AT_ONCE]:
            objects.delete(key)


def _dated(old: _Old) -> str:
    return f"{old.why} (put aside on {time.strftime('%Y-%m-%d', time.gmtime(old.at))})"
