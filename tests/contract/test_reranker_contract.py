"""What a `Reranker` (`trivium.ports.inference`) promises: here, and behind the service."""

from __future__ import annotations

import pytest

from trivium.adapters.distributed.inference.models import RemoteReranker
from trivium.adapters.distributed.inference.server import Inference
from trivium.ports.inference import Reranker
from trivium_inference.rerank import CrossEncoderReranker

from .conftest import TinyModels

pytestmark = pytest.mark.models

PASSAGES = ["the bridge", "bread", "the old river bridge", "", "the bridge", "bread " * 2000]
CLOSE = 1e-4  # the company in a batch moves the last digits


@pytest.fixture(scope="module")
def embedded(tiny_models: TinyModels) -> Reranker:
    return CrossEncoderReranker(str(tiny_models.cross_encoder))


@pytest.fixture(scope="module")
def remote(inference: Inference, tiny_models: TinyModels) -> Reranker:
    return RemoteReranker(inference, str(tiny_models.cross_encoder))


@pytest.fixture(params=["embedded", "remote"])
def reranker(request: pytest.FixtureRequest) -> Reranker:
    found: Reranker = request.getfixturevalue(request.param)
    return found


async def test_empty_no_passages_have_no_scores(reranker: Reranker) -> None:
    assert await reranker.score("river", []) == []
    assert len(await reranker.score("", [""])) == 1


async def test_order_each_passage_has_the_score_that_it_has_alone(reranker: Reranker) -> None:
    together = await reranker.score("river", PASSAGES)
    alone = [(await reranker.score("river", [passage]))[0] for passage in PASSAGES]
    assert together == pytest.approx(alone, abs=CLOSE)
    assert await reranker.score("river", PASSAGES[::-1]) == pytest.approx(alone[::-1], abs=CLOSE)


async def test_duplicate_passages_score_the_same(reranker: Reranker) -> None:
    scores = await reranker.score("river", PASSAGES)
    assert scores[0] == pytest.approx(scores[4], abs=CLOSE)
    assert len(set(scores)) > 2, "and others do not"


async def test_scores_are_shared_between_both(embedded: Reranker, remote: Reranker) -> None:
    assert remote.name == embedded.name
    assert await remote.score("river", PASSAGES) == pytest.approx(await embedded.score("river", PASSAGES), abs=CLOSE)
