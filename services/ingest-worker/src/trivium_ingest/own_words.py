"""What a document says of itself beside its title and date, from what its parser read of it."""

from __future__ import annotations

from collections.abc import Mapping

from trivium.domain.documents import About

MAX_CHARS = 300


def about(metadata: Mapping[str, str]) -> About | None:
    """By the names that the parsers give these, each cut at `MAX_CHARS`; None where it says nothing."""

    def said(*names: str) -> str:
        found = next(filter(None, (metadata.get(name) for name in names)), "")
        return " ".join(found.split())[:MAX_CHARS]

    found = About(said("author", "creator", "from"), said("site", "publisher"), said("description"))
    return None if found == About() else found
