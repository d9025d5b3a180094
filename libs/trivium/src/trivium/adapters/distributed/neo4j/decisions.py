"""What edits decide, as it is stored and as it shall be, and what differs between the two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import msgspec

from trivium.batches import batches
from trivium.domain.edits import Decisions, RelationKey
from trivium.domain.graph import ChunkGraph


class Call(msgspec.Struct, frozen=True):
    """What is decided of one entity: how it is called, its type ("": nothing is decided), whether it is removed."""

    called: str = ""
    type: str = ""
    removed: bool = False

    def row(self) -> dict[str, Any]:
        """As the statement takes it."""
        return {
            "called": self.called or None,
            "type": self.type or None,
            "removed": self.removed,
            "decided": self != Call(),
        }


class Differences(msgspec.Struct, frozen=True):
    """Some of what differs. A share that shall go is None, and a relation that shall hold again has no mark ("").

    `calls` are as they were and as they shall be.
    """

    shares: dict[str, ChunkGraph | None]
    calls: dict[str, tuple[Call, Call]]
    marks: dict[RelationKey, str]

    def __len__(self) -> int:
        return len(self.shares) + len(self.calls) + len(self.marks)


class Decided(msgspec.Struct, frozen=True):
    """Decisions by what they are about."""

    shares: dict[str, ChunkGraph]
    calls: dict[str, Call]
    marks: dict[RelationKey, str]

    @classmethod
    def of(cls, decisions: Decisions) -> Self:
        """As the graph shall hold them."""
        keys = decisions.names.keys() | decisions.types.keys() | decisions.removed
        calls = {
            key: Call(decisions.names.get(key, ""), decisions.types.get(key, ""), key in decisions.removed)
            for key in keys
        }
        return cls({share.chunk_id: share for share in decisions.shares}, calls, decisions.hidden)

    def changes(self, stored: Self, size: int) -> Iterator[Differences]:
        """What is to be written so that `stored` becomes this, at most `size` at a time."""
        shares = _differing(stored.shares, self.shares)
        calls = _differing(stored.calls, self.calls)
        marks = _differing(stored.marks, self.marks)
        all_of_it = [
            *(("share", it) for it in shares),
            *(("call", it) for it in calls),
            *(("mark", it) for it in marks),
        ]
        for some in batches(all_of_it, size):
            yield Differences(
                {it: self.shares.get(it) for kind, it in some if kind == "share"},
                {it: (stored.calls.get(it, Call()), self.calls.get(it, Call())) for kind, it in some if kind == "call"},
                {it: self.marks.get(it, "") for kind, it in some if kind == "mark"},
            )


def _differing(stored: dict[Any, Any], wanted: dict[Any, Any]) -> list[Any]:
    return [key for key in stored.keys() | wanted.keys() if stored.get(key) != wanted.get(key)]
