"""What replacing some chunks' shares changes in the graph, counted before anything is written."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

from trivium.adapters.graph_rules import Spelling, places_of, statements_of, sure_mentions
from trivium.adapters.resolved_names import ANEW, ends_of
from trivium.domain.edits import is_share_of_edit
from trivium.domain.graph import ChunkGraph, MentionRole, StepType

ALIAS = "alias"  # stands where a spelling has its type, when a chunk claims a name
PIN = "pin"  # and when an edit gives it
RULE = "rule"  # and when rules find it


class NameInChunk(msgspec.Struct, frozen=True):
    """A name in one chunk, in one role."""

    key: str
    chunk: str
    sentence: int
    confidence: float


class Statement(msgspec.Struct, frozen=True):
    """What one chunk states."""

    source: str
    target: str
    type: str
    chunk: str
    confidence: float


class Changes:
    """Shares that go and shares that come. What they have in common cancels out in the counters."""

    def __init__(self) -> None:
        self.emptied: list[str] = []
        """Chunks whose relations go."""
        self.places: dict[MentionRole, list[NameInChunk]] = {role: [] for role in MentionRole}
        self.statements: list[Statement] = []
        self.steps: dict[StepType, list[tuple[str, str]]] = {kind: [] for kind in StepType}
        """(chunk, chunk) by type."""
        self.spellings: dict[str, Counter[Spelling]] = defaultdict(Counter)
        self.claims: Counter[tuple[str, str, Spelling]] = Counter()
        """(name, the name it is said to stand for, how it is written and who says so) by chunks."""
        self.pairs: Counter[tuple[str, str]] = Counter()
        """(source, target) by statements."""
        self.strengthened: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        """(source, target, type) by the confidences of what comes."""
        self.weakened: set[tuple[str, str, str]] = set()
        """Those that lose a statement."""
        self.namings: list[tuple[int, frozenset[str]]] = []
        """One chunk more (1) or less (-1) that surely mentions these names."""
        self.keys: set[str] = set()
        self.decided: set[str] = set()
        """Names whose call, type or removal is decided anew."""
        self.veiled: set[str] = set()
        """Names all of whose relations may be seen or not otherwise than before."""
        self.marked: set[tuple[str, str, str]] = set()
        """(source, target, type) of which it is decided anew whether it holds."""

    def remove(self, share: ChunkGraph) -> None:
        """The chunk says this no more."""
        self.emptied.append(share.chunk_id)
        self.weakened.update(statements_of(share))
        self._count(share, -1)

    def add(self, share: ChunkGraph) -> None:
        """The chunk says this now."""
        chunk = share.chunk_id
        for (key, role), (sentence, confidence) in places_of(share).items():
            self.places[MentionRole(role)].append(NameInChunk(key, chunk, sentence, confidence))
        for (source, target, kind), confidence in statements_of(share).items():
            self.statements.append(Statement(source, target, kind, chunk, confidence))
            self.strengthened[source, target, kind].append(confidence)
        for step in dict.fromkeys(share.steps):
            self.steps[step.type].append((chunk, step.chunk_id))
        self._count(share, 1)

    def claim_by_rule(self, key: str, before: str | None, now: str | None) -> None:
        """Rules give a name to another one than before, or to none."""
        for canonical, sign in ((before, -1), (now, 1)):
            if canonical is not None:
                self.claims[key, canonical, (key, RULE)] += sign
                self.keys.update((key, canonical))

    def settle(self) -> None:
        """Forget what cancelled out; the keys stay."""
        self.claims = Counter({claim: n for claim, n in self.claims.items() if n})
        self.pairs = Counter({pair: n for pair, n in self.pairs.items() if n})
        self.spellings = {key: counted for key, counted in self.spellings.items() if any(counted.values())}

    def others(self) -> dict[str, list[str] | None]:
        """Of each name the neighbours that may come or go; None where more may be known otherwise."""
        ends = ends_of(self.weakened ^ self.strengthened.keys())
        anew = {*self.decided, *self.veiled, *(key for edge in self.marked for key in edge[:2])}
        anew.update(key for key, others in ends.items() if ANEW in others)
        return {key: None if key in anew else sorted(ends.get(key, ())) for key in self.keys}

    def _count(self, share: ChunkGraph, sign: int) -> None:
        sure = sure_mentions(share)
        for mention in sure:
            self.spellings[mention.key][mention.surface, mention.type.value] += sign
        if sure:
            self.namings.append((sign, frozenset(mention.key for mention in sure)))
        for source, target, _ in statements_of(share):
            self.pairs[source, target] += sign
            self.keys.update((source, target))
        kind = PIN if is_share_of_edit(share.chunk_id) else ALIAS
        for (key, canonical), surface in {(a.key, a.canonical_key): a.surface for a in share.aliases}.items():
            self.claims[key, canonical, (surface, kind)] += sign
            self.keys.update((key, canonical))
        self.keys.update(mention.key for mention in share.mentions)
