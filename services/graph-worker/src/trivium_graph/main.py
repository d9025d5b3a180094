"""`trivium-graph-worker`: extract and link, on the servers that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import Settings
from trivium.domain.errors import TryLater
from trivium.flow.pipeline import Worker, stages_of
from trivium.flow.worker import Equipment, envelope_of, run_worker
from trivium.heap import kept_small
from trivium.process import run_process
from trivium.stopping import Stopping
from trivium_graph.assembly import graph_stages


def main() -> None:
    """Work until told to stop."""
    run_process("trivium-graph-worker", _work)


def _work(settings: Settings) -> None:
    with DistributedStores(settings) as stores:
        run_worker(settings, stages_of(Worker.GRAPH), partial(_equipped, settings), stores.work_measures)


@contextmanager
def _equipped(settings: Settings, stopping: Stopping) -> Iterator[Equipment]:
    with kept_small(), DistributedStores(settings) as stores:
        with suppress(TryLater):  # the first write makes them where this could not
            stores.graphs.prepare()
        envelope = envelope_of(settings, stores, stores.work_signal, stopping)
        yield Equipment(envelope, graph_stages(settings, stores))


if __name__ == "__main__":
    main()
