"""The top hits put in a better order by a model that reads question and passage together (CORTEX C7)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated

import msgspec

from trivium.domain.retrieval import Hit, SourceRank
from trivium.llm.prompt_files import prompt_named
from trivium.ports.inference import Reranker
from trivium.ports.llm import Completion, Llm, Message
from trivium_query.answer.fence import fenced

RERANK_DEPTH = 20  # CORTEX C7
SOURCE = "rerank"
_PASSAGE_CHARS = 1_200
PROMPT = prompt_named("rerank")


class Order(msgspec.Struct, frozen=True):
    """The passages' numbers, best first. The bounds guide the model; what it answers beyond them does no harm."""

    passages: Annotated[
        list[Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": RERANK_DEPTH})]],
        msgspec.Meta(description="Numbers of passages, best first.", extra_json_schema={"maxItems": RERANK_DEPTH}),
    ]


async def rerank_with_llm(
    question: str, hits: Sequence[Hit], llm: Llm, timeout_s: float
) -> tuple[tuple[Hit, ...], Completion]:
    """The first 20 as the model orders them; passages it does not name keep their order behind the others.

    Raises what the client raises.
    """
    head = hits[:RERANK_DEPTH]
    passages = fenced([f"{hit.chunk.heading}\n{hit.chunk.text[:_PASSAGE_CHARS]}" for hit in head], secrets.token_hex(8))
    messages = [Message("system", PROMPT.text), Message("user", f"{passages}\n\nQuestion: {question}")]
    order, completion = await llm.complete_json(messages, Order, max_tokens=256, timeout_s=timeout_s)
    named = [number - 1 for number in dict.fromkeys(order.passages) if 1 <= number <= len(head)]
    unnamed = [index for index in range(len(head)) if index not in set(named)]
    ordered = [head[index] for index in (*named, *unnamed)]
    return _ranked([(hit, None) for hit in ordered], hits), completion


async def rerank_with_model(question: str, hits: Sequence[Hit], reranker: Reranker) -> tuple[Hit, ...]:
    """The first 20 by the cross-encoder's score, ties as they were. Raises `TryLater`."""
    head = hits[:RERANK_DEPTH]
    passages = [f"{hit.chunk.heading}\n{hit.chunk.text}".strip() for hit in head]
    scores = await reranker.score(question, passages)
    ordered = sorted(zip(head, scores, strict=True), key=lambda pair: (-pair[1], pair[0].rank))
    return _ranked(ordered, hits)


def _ranked(head: Sequence[tuple[Hit, float | None]], hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """New ranks from 1, and the reranker's among each hit's sources."""
    moved = [
        msgspec.structs.replace(
            hit,
            rank=rank,
            score=hit.score if score is None else score,
            sources=(*hit.sources, SourceRank(SOURCE, rank, 1.0 / rank if score is None else score)),
        )
        for rank, (hit, score) in enumerate(head, 1)
    ]
    return (*moved, *hits[len(moved) :])
