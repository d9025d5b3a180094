"""Topics: communities of a graph's names at several levels, with what tells them apart and where to read of them."""

from __future__ import annotations

import msgspec

from trivium.domain.graph import EntityType


class TopicMember(msgspec.Struct, frozen=True, gc=False):
    """A name of a topic. `passages` counts those of the topic that hold it, `weight` says how telling it is."""

    id: str
    name: str
    type: EntityType
    passages: int
    weight: float


class Topic(msgspec.Struct, frozen=True):
    """A community of names and the passages that are most about them.

    `level` counts from 0, the coarsest; `parent` is "" there. `members` and `central` (chunk ids) are the most telling
    of `names` names and `passages` passages, best first. `terms` are words of its passages that others seldom use.
    `named_by` is "terms", or the language model that gave the name (`provider:model`); `told` digests what it was told.
    """

    id: str
    level: int
    parent: str
    name: str
    terms: tuple[str, ...]
    members: tuple[TopicMember, ...]
    central: tuple[str, ...]
    names: int
    passages: int
    documents: int
    named_by: str = "terms"
    told: str = ""


class Topics(msgspec.Struct, frozen=True):
    """All topics of one tenant or of one of its datasets, level by level, the largest of each first.

    Made from the graph at `stamp`, of `documents` (id to version). `left` names belong to none, for nothing ties them
    to others. `made_at` in Unix seconds.
    """

    stamp: str
    made_at: float
    documents: dict[str, str]
    topics: tuple[Topic, ...]
    left: int = 0
    took_s: float = 0.0

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return 1 + max((topic.level for topic in self.topics), default=-1)

    def at(self, level: int) -> tuple[Topic, ...]:
        """The topics that cover everything at a level: its own, and coarser ones that do not divide further."""
        divided = {topic.parent for topic in self.topics}
        cover = [t for t in self.topics if t.level == level or (t.level < level and t.id not in divided)]
        return tuple(sorted(cover, key=lambda topic: (-topic.passages, -topic.names, topic.id)))
