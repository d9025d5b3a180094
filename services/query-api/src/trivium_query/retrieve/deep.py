"""Navigation over HyperNodes: from the sections and documents nearest to the question down to their passages.

A HyperNode's vector is the middle of its passages (`trivium.hypernodes`): it is near a question about all of them that
no passage alone is near. Each passage within a near HyperNode gains as much as that stands out from the others that
were found; which of them comes first, its own words decide. From there it goes on over names (`path`). A document of
one passage is that passage: there is nothing to go down to, and it gains nothing.

Measured in bench/RESULTS.md ("Whole sections"); a gain without what the passage's own nearness says did worse there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.retrieval import Scored

NODES = 50  # HyperNodes that are asked for, and whose mean the nearest stand out from
DESCENDED = 4  # of these, how many are gone down from
MEMBERS = 32  # passages looked at within each, beside those that were found anyway
STRENGTH = 1.0  # of the best base score, for the passages within the nearest HyperNode
_EPSILON = 1e-9


class Descent(msgspec.Struct, frozen=True):
    """What each passage within a near HyperNode gains, and the nearest one that it is within."""

    gains: Mapping[str, float]
    through: Mapping[str, str]


NOWHERE = Descent({}, {})


def descent(
    nodes: Sequence[Scored], members: Mapping[str, Sequence[str]], within: Mapping[str, Sequence[str]]
) -> Descent:
    """`nodes` come nearest first. `members` are some passages of each.

    `within` has the HyperNodes of passages that were found anyway, the widest first.
    """
    if not nodes:
        return NOWHERE
    middle = math.fsum(row.score for row in nodes) / len(nodes)
    best = max(nodes[0].score - middle, _EPSILON)
    held = {row.chunk_id: dict.fromkeys(members.get(row.chunk_id, ())) for row in nodes}
    for chunk, of_one in within.items():
        for node in of_one:
            if node in held:
                held[node][chunk] = None
    several = [row for row in nodes if not _is_one_passage(held[row.chunk_id], within)]
    gains: dict[str, float] = {}
    through: dict[str, str] = {}
    for row in several[:DESCENDED]:
        for chunk in held[row.chunk_id] if row.score > middle else ():
            gains.setdefault(chunk, STRENGTH * (row.score - middle) / best)
            through.setdefault(chunk, row.chunk_id)
    return Descent(gains, through)


def _is_one_passage(chunks: Mapping[str, None], within: Mapping[str, Sequence[str]]) -> bool:
    """Whether a HyperNode stands for a document of one passage, or for nothing that was found."""
    return not chunks or (len(chunks) == 1 and len(within.get(next(iter(chunks)), ())) == 1)


def lacking(nearest: Sequence[str], within: Mapping[str, Sequence[str]], nodes: Sequence[Scored]) -> str:
    """What is said where the nearest passages are in documents that have no HyperNodes yet, else nothing."""
    without = sum(chunk not in within for chunk in nearest)
    if not without and nodes:
        return ""
    found = f"{without:,} of the {len(nearest):,} nearest passages are" if without and nodes else "These documents are"
    return f"{found} without HyperNodes. `trivium rebuild --store hypernodes` makes them."
