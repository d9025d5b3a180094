"""Vectors of texts by the model that questions go through (OpenAI API reference, "Embeddings")."""

from __future__ import annotations

import asyncio
import base64

import msgspec
import numpy as np

from trivium.llm.spending import owe
from trivium.ports.inference import Vector
from trivium_query.access.limiter import refuse_debtors, settle
from trivium_query.failures import deadline_passed
from trivium_query.http.bodies import invalid_field
from trivium_query.http.openai.bodies import EmbeddingRequest
from trivium_query.http.openai.models import EMBEDDINGS, unknown_model
from trivium_query.question_vectors import MAX_TOGETHER
from trivium_query.requests import Services


class Embedding(msgspec.Struct, frozen=True):
    """One text's: numbers, or float32 in base64."""

    index: int
    embedding: list[float] | str
    object: str = "embedding"


class Spent(msgspec.Struct, frozen=True):
    """Tokens as the model counts them."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(msgspec.Struct, frozen=True):
    """In the order of the texts."""

    data: tuple[Embedding, ...]
    model: str
    usage: Spent
    object: str = "list"


async def embedded(services: Services, wanted: EmbeddingRequest) -> Embeddings:
    """The texts' vectors, L2-normalised.

    Raises `NotFound` (`model_not_found`), `InvalidRequest`, `TryLater`, `TooMany`.
    """
    texts = wanted.texts
    model = services.embeddings
    if wanted.model != EMBEDDINGS or model is None:
        raise unknown_model(wanted.model)
    dimension = model.embedder.dimension
    if wanted.dimensions not in (None, dimension):
        raise invalid_field("dimensions", f"This model has {dimension}; send that or nothing")
    allowed = services.settings.query_timeout_s
    await refuse_debtors()
    try:
        async with asyncio.timeout(allowed):
            counts = await asyncio.to_thread(model.embedder.count_tokens, texts)
            rows: list[Vector] = []
            for start in range(0, len(texts), MAX_TOGETHER):  # people's questions come between
                together = slice(start, start + MAX_TOGETHER)
                rows += list(await model.questions.embed(texts[together]))
                owe(sum(counts[together]))
    except TimeoutError as error:
        raise deadline_passed(allowed) from error
    await settle()
    tokens = sum(counts)
    encode = _base64 if wanted.encoding_format == "base64" else _numbers
    data = tuple(Embedding(number, encode(row)) for number, row in enumerate(rows))
    return Embeddings(data, EMBEDDINGS, Spent(tokens, tokens))


def _numbers(row: Vector) -> list[float]:
    return [float(value) for value in row]


def _base64(row: Vector) -> str:
    return base64.b64encode(row.astype(np.dtype("<f4")).tobytes()).decode()
