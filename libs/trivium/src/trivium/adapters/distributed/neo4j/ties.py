"""What joins two entities, over all their names: relations `TIE`, kept in the order in which edges are told.

A tie says what the statements between two entities and of one type add up to. `ahead` and `behind` are its places among
those of its source and of its target, as text that sorts so: an index on them reads a page of a hub as quickly as one
of any other name.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from trivium.adapters.distributed.neo4j import tie_statements as cypher
from trivium.adapters.distributed.neo4j.changes import Changes
from trivium.adapters.distributed.neo4j.names import Names
from trivium.adapters.distributed.neo4j.schema import START_CHARS
from trivium.domain.graph import Edge

Tie = tuple[str, str, str]  # the keys of two entities, and a type
Moves = Mapping[str, tuple[str, str]]
"""Name -> the root of its entity before and after a transaction; names that stayed are absent."""
Run = Callable[..., list[list[Any]]]

_MOST_EVIDENCE = 2**48


def place(confidence: float, evidence: int, key: str = "") -> str:
    """Sorts as (-confidence, -evidence, key) does, up to the first characters of the key.

    The bits of a double that is not negative sort as it does (IEEE 754).
    """
    (bits,) = struct.unpack(">Q", struct.pack(">d", confidence))
    return f"{2**64 - 1 - bits:016x}{_MOST_EVIDENCE - evidence:012x}{key[:START_CHARS]}"


def places_behind(after: Edge | None) -> dict[str, str]:
    """Where the ties behind an edge begin, in the indexes of an entity's ties: `behind` in the one by target.

    In the one by source at `ahead` for the source of the edge, at `as_strong` for entities whose key comes after that
    source's, at `weaker` for those whose key comes before.
    """
    if after is None:
        return dict.fromkeys(("ahead", "as_strong", "weaker", "behind"), "")
    return {
        "ahead": place(after.confidence, after.evidence, after.target_key),
        "as_strong": place(after.confidence, after.evidence),
        "weaker": place(after.confidence, after.evidence - 1),
        "behind": place(after.confidence, after.evidence, after.source_key),
    }


class Ties:
    """The ties of one transaction; `run` runs a statement unless the list that it walks is empty."""

    def __init__(self, run: Run, id_of: Callable[[str], str]) -> None:
        self._run = run
        self._id = id_of

    def settle(
        self, changes: Changes, names: Names, moves: Moves, walked: Iterable[str], hidden: Set[tuple[str, str, str]]
    ) -> None:
        """Bring the ties up to date. Relations and names are already as they shall be.

        `walked` are names whose relations may be hidden otherwise than before, `hidden` (source, target, type) that
        may be so.
        """
        anew = self._touching(sorted(map(self._id, {*moves, *walked})), moves)
        for source, target, kind in changes.weakened | hidden:
            roots = names[source].root, names[target].root
            anew |= {(*roots, kind), (_before(source, roots[0], moves), _before(target, roots[1], moves), kind)}
        more: dict[Tie, list[float]] = {}
        for (source, target, kind), confidences in changes.strengthened.items():
            more.setdefault((names[source].root, names[target].root, kind), []).extend(confidences)
        self._strengthen({tie: more[tie] for tie in _between(more.keys() - anew)})
        self._recount(anew)

    def recount_of(self, ids: Sequence[str]) -> None:
        """Count all ties of some names anew."""
        self._recount(self._touching(ids, {}))

    def _touching(self, ids: Sequence[str], moves: Moves) -> set[Tie]:
        """The ties that the relations of some names belong to now, and belonged to."""
        found: set[Tie] = set()
        rows = self._run(cypher.EDGES_OF, ids=ids)
        for source, source_root, target, target_root, kind in rows:
            found.add((source_root, target_root, kind))
            found.add((_before(source, source_root, moves), _before(target, target_root, moves), kind))
        return found

    def _strengthen(self, more: Mapping[Tie, Sequence[float]]) -> None:
        ties = sorted(more)
        known = {n: told for n, *told in self._run(cypher.KNOWN, rows=self._rows(ties))}
        added = []
        for n, tie in enumerate(ties):
            confidence, evidence = known.get(n, (0.0, 0))
            added.append((tie, max(confidence, *more[tie]), evidence + len(more[tie])))
        self._put(added)

    def _recount(self, ties: Iterable[Tie]) -> None:
        asked = sorted(_between(ties))
        rows = self._run(cypher.RECOUNTED, rows=self._rows(asked))
        self._run(cypher.DROP, rows=self._rows([asked[n] for n, _, evidence in rows if not evidence]))
        self._put([(asked[n], confidence, evidence) for n, confidence, evidence in rows if evidence])

    def _put(self, ties: Iterable[tuple[Tie, float, int]]) -> None:
        rows = []
        for tie, confidence, evidence in ties:
            [row] = self._rows([tie])
            row |= {"confidence": confidence, "evidence": evidence}
            row |= {"ahead": place(confidence, evidence, tie[1]), "behind": place(confidence, evidence, tie[0])}
            rows.append(row)
        self._run(cypher.PUT, rows=sorted(rows, key=lambda row: (row["source"], row["target"])))

    def _rows(self, ties: Iterable[Tie]) -> list[dict[str, Any]]:
        return [
            {"n": n, "source": self._id(source), "target": self._id(target), "type": kind}
            for n, (source, target, kind) in enumerate(ties)
        ]


def _before(name: str, root: str, moves: Moves) -> str:
    """The root before the transaction of a name that has this one now."""
    return moves[name][0] if name in moves else root


def _between(ties: Iterable[Tie]) -> set[Tie]:
    """Those of two entities: nothing joins one with itself."""
    return {tie for tie in ties if tie[0] != tie[1]}
