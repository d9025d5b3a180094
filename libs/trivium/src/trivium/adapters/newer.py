"""What a newer Trivium wrote is left alone: this one could misread it, and would write what that one misreads."""

from __future__ import annotations

from trivium.domain.errors import TryLater

STATE_FORMAT = 1
"""Of what has no schema of its own: objects, files beside them, what Redis remembers.

It grows where the release before would misread what is written from then on.
"""
NEWER = "store_newer"
UPGRADE = "Run the newer Trivium, or name another place for this one."


def refuse_newer(store: str, found: int, known: int = STATE_FORMAT, action: str = UPGRADE) -> None:
    """Raises `TryLater` (`store_newer`) where a store has a later format than this release knows."""
    if found > known:
        message = f"The {store} was written by a newer Trivium (format {found}, known {known})."
        raise TryLater(NEWER, message, action)
