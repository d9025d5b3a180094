"""Documents take turns across processes: workers kept free of large files, or of a backfill, answer for the pages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from doors import TRIVIUM
from turns import ask_for_a_page_while_tables_are_read
from waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_a_page_is_answerable_while_tables_of_many_rows_are_read(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster(events=False)
    cluster.start()
    cluster.start(f"{INGEST}#2", TRIVIUM_WORKER_LANES="others")
    ask_for_a_page_while_tables_are_read(cluster)


def test_workers_for_uploads_leave_a_backfill_to_the_others(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster()
    cluster.start(INFERENCE, CONTROL, QUERY)
    cluster.start(INGEST, GRAPH, TRIVIUM_WORKER_LANES="uploads")
    with cluster.archive(old=b"The barge Halvard carried slate.") as archive:
        with subprocess.Popen([TRIVIUM, "backfill", archive], env=cluster.env) as backfill:
            wait_until(lambda: unfinished(cluster) == ["old.txt"], "the backfill's document waits", told=cluster.logs)
            cluster.upload("new.txt", b"The barge Corrin carried lamps.")
            assert cluster.document("new.txt")["state"] == "ready"
            assert unfinished(cluster) == ["old.txt"]
            cluster.start(f"{INGEST}#2", f"{GRAPH}#2", TRIVIUM_WORKER_LANES="others")
            assert backfill.wait(120) == 0
        assert {document["state"] for document in cluster.documents()} == {"ready"}


def unfinished(cluster: Cluster) -> list[str]:
    """What these documents are called."""
    found = [each for each in cluster.documents() if each["state"] in ("pending", "running")]
    return [each["name"].rpartition("/")[2] for each in found]
