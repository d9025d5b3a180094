"""`trivium-graph-worker`: extract and link, on the servers that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import Settings
from trivium.flow.queues import GRAPH_STAGES
from trivium.flow.worker import Equipment, envelope_of, run_worker
from trivium.process import run_process
from trivium_graph.assembly import graph_stages


def main() -> None:
    """Work until told to stop."""
    run_process("trivium-graph-worker", _work)


def _work(settings: Settings) -> None:
    run_worker(settings, GRAPH_STAGES, partial(_equipped, settings))


@contextmanager
def _equipped(settings: Settings) -> Iterator[Equipment]:
    with DistributedStores(settings) as stores:
        yield Equipment(envelope_of(settings, stores, stores.doorbell), graph_stages(settings, stores.graphs))


if __name__ == "__main__":
    main()
