"""Parts of a stage's output, kept until all of it is stored: what stops or kills the work costs the part in hand.

They lie among the version's artifacts and go with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from trivium.domain.errors import NotFound
from trivium.flow import artifacts
from trivium.ports.objects import ObjectStore

T = TypeVar("T")


class Parts(msgspec.Struct, frozen=True):
    """Those that lie in `folder`, which says all that shapes them."""

    objects: ObjectStore
    folder: str

    def find(self, name: str, kind: type[T]) -> T | None:
        """What was kept under `name`; None where there is nothing, or it is damaged."""
        try:
            return artifacts.load(self.objects, self._key(name), kind)
        except NotFound:
            return None

    def keep(self, name: str, value: Any) -> None:
        """Store it in the place of what was kept before."""
        artifacts.save(self.objects, self._key(name), value)

    def made_once(self, name: str, kind: type[T], make: Callable[[], T]) -> T:
        """What was kept, or else is made and kept now."""
        found = self.find(name, kind)
        if found is None:
            found = make()
            self.keep(name, found)
        return found

    def forget(self) -> None:
        """Remove all of them."""
        for key in list(self.objects.keys(f"{self.folder}/")):
            self.objects.delete(key)

    def _key(self, name: str) -> str:
        return f"{self.folder}/{name}"
