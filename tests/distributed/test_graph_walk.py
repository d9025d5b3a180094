"""What a stranger finds in the graph of examples/ on servers is what he finds embedded."""

from __future__ import annotations

from pathlib import Path

from cluster import Cluster
from embedded_server import Server
from graph_walk import walk


def test_a_stranger_finds_on_servers_what_he_finds_embedded(cluster: Cluster, tmp_path: Path) -> None:
    embedded = Server(tmp_path / "data").start()
    try:
        there = walk(embedded)
    finally:
        embedded.stop()
    here = walk(cluster)
    for part in there.__struct_fields__:
        assert getattr(here, part) == getattr(there, part), part
