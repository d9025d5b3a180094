"""Documents take turns across processes: a worker that is kept free of large files answers for the pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cluster import INGEST, Cluster
from turns import ask_for_a_page_while_tables_are_read

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_a_page_is_answerable_while_tables_of_many_rows_are_read(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster(events=False)
    cluster.start()
    cluster.start(f"{INGEST}#2", TRIVIUM_WORKER_LANES="others")
    ask_for_a_page_while_tables_are_read(cluster)
