"""The servers made ready: waited for, asked whether they can serve, given what must stand before the first write.

Indexes of vectors and keywords are made with the first document, whose model says how they look; the graph's schema is
known before. Every statement of it does nothing where it was done.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from trivium.adapters.distributed.neo4j.graph import Neo4jGraphs
from trivium.adapters.distributed.probes import servers
from trivium.checkup import Finding, examine
from trivium.config import Settings
from trivium.domain.errors import TriviumError

PAUSE_S: Final = 2.0
ADVICE: Final = frozenset({"notification", "free space", "memory"})
"""What the doctor complains about and Trivium works without."""


def prepare(settings: Settings, wait_s: float) -> list[Finding]:
    """What stands in the way after `wait_s` seconds at most, and one look more; empty when all is ready."""
    deadline = time.monotonic() + wait_s
    while in_the_way := _in_the_way(examine(servers(), settings)):
        if time.monotonic() + PAUSE_S > deadline:
            return in_the_way
        time.sleep(PAUSE_S)
    try:
        with closing(Neo4jGraphs(settings)) as graphs:
            graphs.prepare()
    except TriviumError as error:
        return [Finding("neo4j", error.code, False, error.message, error.action)]
    return []


def _in_the_way(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.ok and finding.check not in ADVICE]
