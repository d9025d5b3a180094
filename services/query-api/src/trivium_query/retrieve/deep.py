"""Navigation over HyperNodes: from the sections and documents nearest to the question down to their passages.

A HyperNode's vector is the middle of its passages (`trivium.hypernodes`): it is near a question about all of them that
no passage alone is near. Each passage within a near HyperNode gains as much as that stands out from the others that
were found; which of them comes first, its own words decide. From there it goes on over names (`path`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.retrieval import Scored
from trivium_query.retrieve.fuse import standardised_mean

NODES = 50  # HyperNodes that are asked for; also the population of the standard scores
DESCENDED = 8  # of these, how many are gone down from
MEMBERS = 48  # passages looked at within each, beside those that were found anyway
STRENGTH = 0.5  # of the best base score, for the passages within the nearest HyperNode


class Descent(msgspec.Struct, frozen=True):
    """HyperNodes best first, what each passage within them gains, and through which of them."""

    nodes: Sequence[Scored]
    gains: Mapping[str, float]
    through: Mapping[str, str]


NOWHERE = Descent((), {}, {})


def descent(
    nodes: Sequence[Scored], members: Mapping[str, Sequence[str]], within: Mapping[str, Sequence[str]]
) -> Descent:
    """`members` are some passages of each HyperNode, `within` the HyperNodes of passages that were found anyway."""
    if not nodes:
        return NOWHERE
    standing = standardised_mean([(1.0, {row.chunk_id: row.score for row in nodes})], NODES)
    gone_down = [row.chunk_id for row in nodes[:DESCENDED] if standing[row.chunk_id] > 0]
    gains: dict[str, float] = {}
    through: dict[str, str] = {}
    held: dict[str, list[str]] = {node: list(members.get(node, ())) for node in gone_down}
    for chunk, of_one in within.items():
        for node in of_one:
            if node in held:
                held[node].append(chunk)
    for node in gone_down:  # nearest first: a passage's first is its best
        for chunk in held[node]:
            gains.setdefault(chunk, STRENGTH * standing[node])
            through.setdefault(chunk, node)
    return Descent(nodes, gains, through)


def lacking(nearest: Sequence[str], within: Mapping[str, Sequence[str]], nodes: Sequence[Scored]) -> str:
    """What is said where the nearest passages are in documents that have no HyperNodes yet, else nothing."""
    without = sum(chunk not in within for chunk in nearest)
    if not without and nodes:
        return ""
    found = f"{without:,} of the {len(nearest):,} nearest passages are" if without and nodes else "These documents are"
    return f"{found} without HyperNodes. `trivium rebuild --store hypernodes` makes them."
