"""Links of a document as edges to the documents at their addresses."""

from __future__ import annotations

from trivium.domain.graph import LINKS_TO, ChunkGraph, document_key, document_of
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.text.names import fold_name
from trivium_graph.links import MAX_LINKS, with_links

ACME = Tenant("acme")
HERE = document_id(ACME, "https://a.test/")
SHARES = [ChunkGraph("c0"), ChunkGraph("c1")]


def targets(*links: str) -> list[str]:
    first, *others = with_links(SHARES, links, HERE, ACME)
    assert others == SHARES[1:]
    assert all((r.source_key, r.type, r.chunk_id) == (document_key(HERE), LINKS_TO, "c0") for r in first.relations)
    return [document_of(relation.target_key) for relation in first.relations]


def test_each_address_is_one_edge_however_it_is_written() -> None:
    there = document_id(ACME, "https://b.test/x")
    assert targets("https://b.test/x#part", "HTTPS://B.test:443/x", "mailto:x@b.test") == [there]


def test_a_document_does_not_lead_to_itself() -> None:
    assert targets("https://a.test/#top", "https://a.test") == []


def test_only_the_first_links_count() -> None:
    assert len(targets(*(f"https://b.test/{n}" for n in range(2 * MAX_LINKS)))) == MAX_LINKS


def test_a_document_without_passages_has_no_edges() -> None:
    assert with_links([], ["https://b.test/"], HERE, ACME) == []


def test_no_name_is_taken_for_a_document() -> None:
    assert document_of(fold_name(document_key(HERE))) == ""
