"""What the agent will cost is told before it begins."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.reading_cost import (
    CHARS_PER_TOKEN,
    PREFIX_TOKENS,
    lengths_of_passages,
    passage_cost,
    reading_cost,
)
from trivium.llm.dialect import functions
from trivium_graph.agent.read_passage import PROMPT
from trivium_graph.agent.tools import FOR_MODEL


def test_the_prefix_is_about_what_goes_with_each_request() -> None:
    """JSON takes more tokens than prose: the figure may be above the count of characters, and not below it."""
    counted = (len(PROMPT.text) + len(msgspec.json.encode(functions(FOR_MODEL)))) / CHARS_PER_TOKEN
    assert counted <= PREFIX_TOKENS <= 1.3 * counted


@given(st.lists(st.integers(1, 5_000), max_size=30))
def test_a_document_costs_what_its_passages_cost(passages: list[int]) -> None:
    assert reading_cost(passages) == sum(map(passage_cost, passages))
    assert reading_cost(passages) >= PREFIX_TOKENS * len(passages)


@given(st.integers(0, 1_000_000), st.integers(1, 3_000), st.integers(0, 300))
def test_as_many_passages_are_counted_as_cover_the_text(chars: int, size: int, overlap: int) -> None:
    lengths = lengths_of_passages(chars, size, min(overlap, size - 1))
    assert sum(lengths) >= chars
    assert all(0 < length <= size for length in lengths)
