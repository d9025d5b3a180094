"""A stranger builds the graph of examples/, corrects it, asks why, takes it back and takes it with him."""

from __future__ import annotations

from graph_walk import walk

from .conftest import Server


def test_a_stranger_merges_asks_why_undoes_sees_what_disagrees_and_exports(server: Server) -> None:
    found = walk(server)
    assert {name for name, *_ in found.entities} >= {"Ilse Brandt", "Harrow Weir", "Tamsin River Programme"}
    assert found.why
    assert any('"Ilse Brandt"' in line for line in found.export)
