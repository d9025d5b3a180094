"""What a dataset's graph says, in one pass over its shares and in bounded memory.

Counters are exact. Which sources have one target, and which pairs are joined both ways, is looked at in a sample: the
sources (pairs) whose hashes are smallest, each with all that is said of it. So the profile does not depend on the order
of the shares, as long as there are no more than `MAX_NAMES` types.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from trivium.domain.chunks import Span
from trivium.domain.graph import ChunkGraph, EntityType, Relation, document_of
from trivium.domain.graph_schema import Example, Targets
from trivium.graph_schema.names import RESERVED
from trivium.ports.graph import GraphRow

MAX_NAMES = 2000  # of relation types; what is stated under further ones is counted together
SAMPLED = 1024  # sources, and pairs, of one type
KEPT_EXAMPLES = 5
KEPT_TARGETS = 4  # of a source: more say no more
MIN_REPEATED = 5  # sources of which a type is stated more than once, before anything follows from it
MAX_SEVERAL = 0.15  # of those, with several targets, where the type has one: extraction errs, and so do documents
MIN_BOTH_WAYS = 3
SYMMETRIC_SHARE = 0.2  # of pairs; who writes that A is B's brother seldom adds that B is A's
SAMPLED_PASSAGES = 12
INHERITED = "+located_in"  # born in Springfield, Ohio: no second target


class Observed(msgspec.Struct, frozen=True):
    """What the graph says of one relation type. `ends` counts relations by the types of source and target.

    Of the sampled sources, `repeated` have it stated more than once, `several` of these with several targets.
    """

    name: str
    relations: int
    confidence: float
    ends: dict[tuple[EntityType, EntityType], int]
    repeated: int
    several: int
    pairs: int
    both_ways: int
    examples: tuple[Example, ...]

    @property
    def targets(self) -> Targets:
        """How many targets a source has, where enough is said of it."""
        if self.several >= MIN_REPEATED and self.several > MAX_SEVERAL * self.repeated:
            return Targets.MANY
        if self.repeated >= MIN_REPEATED and self.several <= MAX_SEVERAL * self.repeated:
            return Targets.ONE
        return Targets.UNKNOWN

    @property
    def symmetric(self) -> bool:
        """Whether the pairs are joined both ways often enough."""
        return self.both_ways >= MIN_BOTH_WAYS and self.both_ways >= SYMMETRIC_SHARE * self.pairs


class _Sample:
    """The `SAMPLED` keys with the smallest hashes, each with what is noted of it."""

    def __init__(self) -> None:
        self.noted: dict[int, list[int]] = {}
        self._largest: list[int] = []

    def note(self, key: int, value: int) -> None:
        known = self.noted.get(key)
        if known is None:
            if len(self.noted) >= SAMPLED:
                if key > -self._largest[0]:
                    return
                del self.noted[-heapq.heappop(self._largest)]
            heapq.heappush(self._largest, -key)
            known = self.noted[key] = [0]
        known[0] += 1
        if value not in known[1:] and len(known) <= KEPT_TARGETS:
            known.append(value)


class _Seen:
    def __init__(self) -> None:
        self.relations = 0
        self.confidence = 0.0
        self.ends: Counter[tuple[EntityType, EntityType]] = Counter()
        self.sources = _Sample()
        self.pairs = _Sample()
        self.examples: list[tuple[float, str, int, int, str]] = []

    def add(self, relation: Relation, ends: tuple[EntityType, EntityType], names: tuple[str, str], where: str) -> None:
        self.relations += 1
        self.confidence += relation.confidence
        self.ends[ends] += 1
        source, target = map(_hash, names)
        if not relation.operation.endswith(INHERITED):
            self.sources.note(source, target)
            self.pairs.note(min(source, target) ^ _turned(max(source, target)), int(source < target))
        span = relation.span
        place = (-relation.confidence, relation.chunk_id, span.start, span.end, where)
        if len(self.examples) < KEPT_EXAMPLES or place < self.examples[-1]:
            self.examples = sorted({*self.examples, place})[:KEPT_EXAMPLES]

    def observed(self, name: str) -> Observed:
        repeated = [targets for count, *targets in self.sources.noted.values() if count > 1]
        return Observed(
            name,
            self.relations,
            self.confidence / self.relations,
            dict(self.ends),
            len(repeated),
            sum(len(targets) > 1 for targets in repeated),
            len(self.pairs.noted),
            sum(len(ways) > 2 for ways in self.pairs.noted.values()),
            tuple(Example(where, chunk, Span(start, end)) for _, chunk, start, end, where in self.examples),
        )


class Profile:
    """Add every share once, in any order."""

    def __init__(self) -> None:
        self.left_out = 0  # relations of more types than `MAX_NAMES`
        self._seen: dict[str, _Seen] = {}
        self._telling: list[tuple[int, str]] = []

    def add(self, row: GraphRow, roots: Mapping[str, str]) -> None:
        """`roots` leads from a name to the entity that it stands for, where that has another."""
        stated = 0
        for relation, *ends in ends_of(row.share):
            stated += 1
            seen = self._seen.get(relation.type)
            if seen is None:
                if len(self._seen) >= MAX_NAMES:
                    self.left_out += 1
                    continue
                seen = self._seen[relation.type] = _Seen()
            source, target = relation.source_key, relation.target_key
            names = roots.get(source, source), roots.get(target, target)
            seen.add(relation, (ends[0], ends[1]), names, row.document_id)
        if stated:
            telling = heapq.heappush if len(self._telling) < SAMPLED_PASSAGES else heapq.heappushpop
            telling(self._telling, (stated, row.share.chunk_id))

    def observed(self) -> list[Observed]:
        """Every type, most stated first."""
        found = [seen.observed(name) for name, seen in self._seen.items()]
        return sorted(found, key=lambda one: (-one.relations, one.name))

    def telling_passages(self) -> list[str]:
        """The ids of the chunks that state most."""
        return [chunk for _, chunk in sorted(self._telling, reverse=True)]


def is_typed(relation: Relation) -> bool:
    """Whether a schema has a say in it: not a mere co-occurrence, and not a link between documents."""
    return relation.type not in RESERVED and not document_of(relation.source_key)


def names_in(rows: list[GraphRow]) -> list[str]:
    """The ends of all typed relations."""
    return sorted(
        {
            key
            for row in rows
            for relation in row.share.relations
            if is_typed(relation)
            for key in (relation.source_key, relation.target_key)
        }
    )


def ends_of(share: ChunkGraph) -> Iterator[tuple[Relation, EntityType, EntityType]]:
    """The typed relations of a chunk with the types that it gives their ends."""
    types = _types_of(share)
    for relation in share.relations:
        if is_typed(relation):
            yield (
                relation,
                types.get(relation.source_key, EntityType.CONCEPT),
                types.get(relation.target_key, EntityType.CONCEPT),
            )


def _types_of(share: ChunkGraph) -> dict[str, EntityType]:
    """The type of each name as the chunk has it: that of its surest mention."""
    best: dict[str, tuple[float, EntityType]] = {}
    for mention in share.mentions:
        known = best.get(mention.key)
        if known is None or mention.confidence > known[0]:
            best[mention.key] = (mention.confidence, mention.type)
    return {key: kind for key, (_, kind) in best.items()}


def _hash(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _turned(number: int) -> int:
    return ((number << 1) | (number >> 63)) & (2**64 - 1)
