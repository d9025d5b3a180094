"""Names under lock: which are one entity, and how that entity is called, typed and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Self

import msgspec

from trivium.adapters.distributed.neo4j.changes import PIN, RULE, Changes
from trivium.adapters.graph_rules import Spelling, display, root_of, usual_type
from trivium.adapters.resolved_names import is_another


class Name(msgspec.Struct):
    """A name as stored, then as it shall be.

    `root` is the key of its entity; `claimants` counts names said to be it. `decided_type` is "" where no edit decides,
    `veil` tells that the name is removed or an end of an invalid relation.
    """

    key: str
    root: str
    spellings: Counter[Spelling]
    claims: dict[str, Counter[Spelling]]
    claimants: int
    mentions: int
    grouped: bool
    decided_type: str
    removed: bool
    veil: bool

    @classmethod
    def of(cls, row: list[Any]) -> Self:
        """From a row of `write_statements.LOCK_NAMES` or `LOCK_GROUPS`."""
        key, root, spellings, claims, claimants, mentions, grouped, decided_type, removed, veil = row
        said = {canonical: parsed(spellings) for canonical, spellings in claims}
        counted = parsed(spellings or ())
        return cls(key, root, counted, said, claimants, mentions or 0, grouped, decided_type or "", removed, veil)

    @property
    def target(self) -> str:
        """The name that an edit gives it to, else the one that most chunks say it stands for, or rules, else itself."""
        return min(
            self.claims,
            key=lambda canonical: (not _pins(self.claims[canonical]), -_chunks(self.claims[canonical]), canonical),
            default=self.key,
        )

    @property
    def pinned(self) -> bool:
        """Whether an edit gives it to a name."""
        return any(map(_pins, self.claims.values()))

    @property
    def ruled(self) -> bool:
        """Whether rules alone give it to a name."""
        return bool(self.claims) and not any(map(_chunks, self.claims.values()))

    @property
    def surface(self) -> str:
        """How it is written."""
        claimed = min((surface for said in self.claims.values() for surface, _ in said), default=self.key)
        return display(self.key, self.spellings) or claimed


class Names(dict[str, Name]):
    """The names that one transaction has locked, by key, with all names of each one's entity."""

    def retold(self, changes: Changes) -> set[str]:
        """The names that go, or are of another type than before, once spellings are counted."""
        before = {key: self[key].spellings for key in changes.spellings if self[key].spellings}
        return {
            key for key, stored in before.items() if is_another(stored, _without_zeros(stored, changes.spellings[key]))
        }

    def count_spellings(self, changes: Changes) -> set[str]:
        """Returns the names that changed."""
        for key, counted in changes.spellings.items():
            self[key].spellings = _without_zeros(self[key].spellings, counted)
        return set(changes.spellings)

    def count_claims(self, changes: Changes) -> set[tuple[str, str]]:
        """Returns the (name, canonical) pairs whose claims changed."""
        changed: dict[tuple[str, str], Counter[Spelling]] = {}
        for (key, canonical, spelling), n in changes.claims.items():
            changed.setdefault((key, canonical), Counter())[spelling] += n
        for (key, canonical), counted in changed.items():
            claims = self[key].claims
            before, after = canonical in claims, _without_zeros(claims.pop(canonical, Counter()), counted)
            if after:
                claims[canonical] = after
            self[canonical].claimants += bool(after) - before
        return set(changed)

    def regroup(self) -> dict[str, tuple[str, str]]:
        """Set every root anew; returns the names that moved, with the root before and after."""
        targets = {key: name.target for key, name in self.items()}
        pinned = {key for key, name in self.items() if name.pinned}
        ruled = {key for key, name in self.items() if name.ruled}
        moved = {}
        for key, name in self.items():
            root = root_of(key, targets, pinned, ruled)
            if root != name.root:
                moved[key] = (name.root, root)
                name.root = root
        return moved

    def roots(self, keys: Iterable[str]) -> set[str]:
        """The roots of some names."""
        return {self[key].root for key in keys}

    def count_mentions(self, changes: Changes) -> set[str]:
        """Returns the roots whose count of chunks changed."""
        counted: Counter[str] = Counter()
        for sign, keys in changes.namings:
            for root in self.roots(keys):
                counted[root] += sign
        changed = {root: n for root, n in counted.items() if n}
        for root, n in changed.items():
            self[root].mentions += n
        return set(changed)

    def neighbours(self, changes: Changes, but: set[str]) -> dict[tuple[str, str], int]:
        """Statements more or less between two entities neither of which is in `but`, in either direction."""
        counted: Counter[tuple[str, str]] = Counter()
        for (source, target), n in changes.pairs.items():
            left, right = sorted((self[source].root, self[target].root))
            if left != right and not {left, right} & but:
                counted[left, right] += n
        return {pair: n for pair, n in counted.items() if n}

    def pairs(self, statements: Iterable[tuple[str, str, str]], but: set[str]) -> set[tuple[str, str]]:
        """The two entities of each of these (source, target, type), neither of which is in `but`."""
        roots = [(self[source].root, self[target].root) for source, target, _ in statements]
        return {(min(two), max(two)) for two in roots if two[0] != two[1] and but.isdisjoint(two)}

    def described(self, roots: set[str]) -> list[dict[str, Any]]:
        """The properties of every name of some entities, and the label each shall have besides `Name`."""
        members: dict[str, list[Name]] = {root: [] for root in roots}
        for name in self.values():
            if name.root in members:
                members[name.root].append(name)
        return [
            _description(name, self[root].decided_type or usual_type(member.spellings for member in group))
            for root, group in members.items()
            for name in group
        ]


def _description(name: Name, kind: str) -> dict[str, Any]:
    is_root = name.root == name.key
    used = bool(name.spellings or name.claims or name.claimants)
    return {
        "key": name.key,
        "label": "Alias" if not is_root else "Entity" if used and not name.removed else "",
        "properties": {
            "name": name.surface,
            "type": kind,
            "mentions": name.mentions if is_root else 0,
            "spellings": written(name.spellings),
        },
    }


def written(spellings: Mapping[Spelling, int]) -> list[str]:
    """As a property, for people too: "12 location Kelmore"."""
    return [f"{n} {kind} {surface}" for (surface, kind), n in spellings.items()]


def _pins(said: Mapping[Spelling, int]) -> bool:
    return any(kind == PIN for _, kind in said)


def _chunks(said: Mapping[Spelling, int]) -> int:
    """By how many chunks and edits, not rules."""
    return sum(n for (_, kind), n in said.items() if kind != RULE)


def parsed(spellings: Iterable[str]) -> Counter[Spelling]:
    """From a property that is `written` so."""
    parts = (spelling.split(" ", 2) for spelling in spellings)
    return Counter({(surface, kind): int(n) for n, kind, surface in parts})


def _without_zeros(stored: Mapping[Spelling, int], changed: Mapping[Spelling, int]) -> Counter[Spelling]:
    total = Counter(stored)
    total.update(changed)
    return Counter({what: n for what, n in total.items() if n})
