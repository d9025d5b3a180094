"""A child process from its own side: it restricts itself, then answers whoever started it, for as long as that lives.

It is a module that ends with `run_child(main)`. Nothing here is imported that such a child need not have.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from trivium.child_process.errors import Disconnected
from trivium.child_process.messages import Connection
from trivium.child_process.reply import Reply
from trivium.child_process.restrict import is_out_of_memory, restrict_process

Q = TypeVar("Q")
T = TypeVar("T")


def run_child(main: Callable[..., None]) -> None:
    """Restrict this process; then `main(parent, *arguments)`, as `ChildProcess` was given them."""
    descriptor, memory_bytes, *arguments = sys.argv[1:]
    restrict_process(int(memory_bytes))
    with contextlib.suppress(Disconnected):
        main(Connection(int(descriptor)), *arguments)


def serve(parent: Connection, request: type[Q], answer: Callable[[Q], Any]) -> None:
    """Answer one request after the other, until the parent goes."""
    while True:
        asked = parent.receive(request)
        parent.send(reply_to(lambda: answer(asked)))  # noqa: B023 - called at once


def reply_to(answer: Callable[[], T]) -> Reply[T]:
    """What it returns, or its `TriviumError`, or that there was no memory for it; whatever else it raises is raised."""
    try:
        return Reply.of(answer)
    except Exception as error:
        if is_out_of_memory(error):
            return Reply(out_of_memory=True)
        raise
