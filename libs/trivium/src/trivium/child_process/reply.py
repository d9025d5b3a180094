"""What one side answers the other: a value, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from trivium.child_process.errors import ChildExited, MemoryExhausted
from trivium.domain.errors import NeverWill, TriviumError, TryLater

T = TypeVar("T")


class Failed(msgspec.Struct, frozen=True):
    """A typed failure; `later` tells that the request is not to blame."""

    code: str
    message: str
    action: str
    later: bool = False

    @classmethod
    def by(cls, error: TriviumError) -> Failed:
        """For the way to the other side."""
        return cls(error.code, error.message, error.action, isinstance(error, TryLater))

    def error(self) -> TriviumError:
        """At the other side: `TryLater` or `NeverWill`."""
        return (TryLater if self.later else NeverWill)(self.code, self.message, self.action)


class Reply(msgspec.Struct, Generic[T], frozen=True, omit_defaults=True, tag="reply"):
    """Exactly one of the three is set."""

    value: T | None = None
    failed: Failed | None = None
    out_of_memory: bool = False

    @classmethod
    def of(cls, call: Callable[[], T]) -> Reply[T]:
        """Of what `call` returns, or the `TriviumError` that it raises."""
        try:
            return cls(call())
        except TriviumError as error:
            return cls(failed=Failed.by(error))

    def result(self) -> T:
        """Raises `NeverWill`, `TryLater`, `MemoryExhausted`, and `ChildExited` where nothing is set."""
        if self.failed is not None:
            raise self.failed.error()
        if self.out_of_memory:
            raise MemoryExhausted
        if self.value is None:
            raise ChildExited(None)
        return self.value
