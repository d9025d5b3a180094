"""Which HyperNodes a document has, and where their vectors lie."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import ChunkVectors
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.hypernodes.centroids import Centroids
from trivium.hypernodes.sections import MAX_DEPTH, all_of, hypernode_id, section_of, within
from trivium.ports.vectors import VectorRow


class Passage(msgspec.Struct, frozen=True):
    id: str
    section: tuple[str, ...] = ()


def node(*section: str) -> str:
    return hypernode_id("d", "v", section)


def test_a_passage_is_within_its_document_and_its_sections_the_widest_first() -> None:
    passages = [
        Passage("p0"),
        Passage("p1", ("Methods",)),
        Passage("p2", ("Methods", "Survey")),
        Passage("p3", ("Methods", "Survey")),
        Passage("p4", ("Results",)),
    ]
    assert within("d", "v", passages) == {
        "p0": (node(),),
        "p1": (node(), node("Methods")),
        "p2": (node(), node("Methods"), node("Methods", "Survey")),
        "p3": (node(), node("Methods"), node("Methods", "Survey")),
        "p4": (node(), node("Results")),
    }
    assert within("d", "v", []) == {}


def test_a_section_that_holds_all_of_what_it_stands_in_is_no_second_node() -> None:
    alone = [Passage("p1", ("Report", "Summary")), Passage("p2", ("Report", "Summary"))]
    assert all_of(within("d", "v", alone)) == {node()}
    assert all_of(within("d", "v", [*alone, Passage("p3", ("Report",))])) == {node(), node("Report", "Summary")}


def test_other_versions_and_documents_have_other_nodes() -> None:
    assert len({node(), hypernode_id("d", "w"), hypernode_id("e", "v"), node(""), node("a", "b"), node("ab")}) == 6


def test_what_is_nested_without_end_has_a_bounded_number_of_nodes() -> None:
    deep = [Passage(f"p{n}", tuple(map(str, range(n)))) for n in range(100)]
    assert max(map(len, within("d", "v", deep).values())) == MAX_DEPTH + 1


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(tuple), max_size=12))
def test_every_node_tells_which_part_of_its_passages_path_it_stands_for(sections: list[tuple[str, ...]]) -> None:
    passages = [Passage(f"p{n}", section) for n, section in enumerate(sections)]
    found = within("d", "v", passages)
    members: dict[str, set[str]] = {}
    for passage in passages:
        parts = [section_of(one, "d", "v", passage.section) for one in found[passage.id]]
        assert parts[0] == ()
        assert all(part == passage.section[: len(part or ())] for part in parts)
        assert section_of("nobody", "d", "v", passage.section) is None
        for one in found[passage.id]:
            members.setdefault(one, set()).add(passage.id)
    assert len({frozenset(of_one) for of_one in members.values()}) == len(members)


def row(name: str, vector: Sequence[float], kind: str = "text") -> VectorRow:
    stored = ChunkVectors(name, np.array(vector, np.float32).tobytes(), b"sentences")
    return VectorRow(stored, "d", "v", Scope(DEFAULT_TENANT, "papers", "run-1", 5, 7), (kind,))


def test_a_nodes_vector_is_the_centroid_of_its_passages_weighted_by_their_length() -> None:
    centroids = Centroids()
    centroids.add(("all", "one"), row("p1", (1, 0)), text_chars=300)
    centroids.add(("all",), row("p2", (0, 1), "table"), text_chars=400)
    both, one = centroids.rows()
    assert np.frombuffer(both.vectors.passage, np.float32) == pytest.approx([0.6, 0.8])
    assert np.frombuffer(one.vectors.passage, np.float32) == pytest.approx([1, 0])
    assert (both.kinds, one.kinds) == (("text", "table"), ("text",))
    assert (both.vectors.chunk_id, both.vectors.sentences) == ("all", b"")
    assert (both.document_id, both.version, both.scope) == ("d", "v", Scope(DEFAULT_TENANT, "papers", "run-1", 5, 7))


def test_how_a_text_was_cut_does_not_move_its_node() -> None:
    whole, cut = Centroids(), Centroids()
    whole.add(("n",), row("p", (0.6, 0.8)), text_chars=200)
    whole.add(("n",), row("q", (1, 0)), text_chars=50)
    for part in range(4):
        cut.add(("n",), row(f"p{part}", (0.6, 0.8)), text_chars=50)
    cut.add(("n",), row("q", (1, 0)), text_chars=50)
    vectors = [np.frombuffer(made.rows()[0].vectors.passage, np.float32) for made in (whole, cut)]
    assert vectors[0] == pytest.approx(vectors[1])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1)


def test_passages_that_cancel_each_other_and_empty_ones_leave_a_finite_vector() -> None:
    centroids = Centroids()
    centroids.add(("n",), row("p1", (1, 0)), text_chars=0)
    centroids.add(("n",), row("p2", (-1, 0)), text_chars=0)
    assert np.isfinite(np.frombuffer(centroids.rows()[0].vectors.passage, np.float32)).all()
