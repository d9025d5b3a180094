"""What Celery's own tools (`celery inspect`, Flower) may ask of a worker: to look, and nothing else.

Whoever reaches the broker could otherwise stop a worker or throw its tasks away; a worker is stopped by its signal, and
a document by `trivium delete`.
"""

from __future__ import annotations

from typing import Final

from celery.worker.control import Panel

LOOKING: Final = frozenset({"enable_events", "disable_events", "heartbeat"})  # beside all that Celery calls `inspect`
HIDDEN: Final = frozenset({"objgraph", "memdump", "memsample"})  # they write files or take long


def allow_looking() -> None:
    """Take away every other command, in this process."""
    for name, told in list(Panel.meta.items()):
        if name in HIDDEN or (told.type != "inspect" and name not in LOOKING):
            Panel.data.pop(name, None)
