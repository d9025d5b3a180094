"""Questions that come while the models are being prepared wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx2
import msgspec
import numpy as np
import pytest
from waiting import wait_until_async

from trivium.config import load_settings
from trivium.domain.errors import TryLater
from trivium.ports.inference import Vector
from trivium_embedded.wiring import open_stores
from trivium_query.answering import PassageModels
from trivium_query.assembly import query_services
from trivium_query.http.app import create_app
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import Services
from trivium_query.retrieve.budgeted_reads import Budgets
from trivium_query.warm import QUESTIONS, warming

BUDGETS = Budgets(0.05, 0.05, 0.05)


class Compiling:
    """A model that answers nobody before it is ready."""

    fingerprint = "compiling:1"
    dimension = 4

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.asked = threading.Event()
        self.times = 0
        self.is_away = False

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        self.times += 1
        self.asked.set()
        assert self.ready.wait(30)
        if self.is_away:
            raise TryLater("model_away", "The model does not answer.", "Start it.")
        return np.zeros((len(texts), 4), np.float32)


@pytest.fixture
def model() -> Compiling:
    return Compiling()


@pytest.fixture
async def services(tmp_path: Path, model: Compiling) -> AsyncIterator[Services]:
    settings = msgspec.structs.replace(load_settings({}), data_dir=tmp_path / "data", vector_budget_s=0.05)
    with open_stores(settings) as stores, closing(QuestionVectors(model)) as questions:
        yield query_services(settings, stores, questions, PassageModels(), lambda: None)
        model.ready.set()


def client_of(services: Services) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), base_url="http://localhost")


async def ask(services: Services, question: str) -> httpx2.Response:
    async with client_of(services) as client:
        return await client.post("/v1/search", json={"query": question, "mode": "vector"})


async def readyz(services: Services) -> httpx2.Response:
    async with client_of(services) as client:
        return await client.get("/readyz")


async def test_a_question_waits_for_a_model_that_is_being_prepared(services: Services, model: Compiling) -> None:
    with warming(services):
        await asyncio.to_thread(model.asked.wait, 30)
        early = asyncio.create_task(ask(services, "early"))
        await asyncio.wait({early}, timeout=10 * services.settings.vector_budget_s)
        assert not early.done()
        model.ready.set()
        answer = await early
    assert (answer.status_code, answer.json()["degraded"]) == (200, [])


async def test_a_prepared_process_keeps_its_budgets(services: Services, model: Compiling) -> None:
    model.ready.set()
    with warming(services):
        await wait_until_async(lambda: services.warmth.budgets(BUDGETS) == BUDGETS, "the process is prepared")
        model.ready.clear()
        assert (await ask(services, "late")).status_code == 503


async def test_a_process_is_not_ready_before_its_own_first_questions_are_answered(
    services: Services, model: Compiling
) -> None:
    with warming(services):
        await asyncio.to_thread(model.asked.wait, 30)
        early = await readyz(services)
        assert (early.status_code, early.json()["status"]) == (503, "not_ready")
        assert list(early.json()["missing"]) == ["warm-up"]
        model.ready.set()
        await wait_until_async(lambda: not services.warmth.preparing, "the process is prepared")
        assert (await readyz(services)).json()["missing"] == {}
    assert model.times == len(QUESTIONS)


async def test_what_is_away_is_not_waited_for_with_every_question(services: Services, model: Compiling) -> None:
    model.is_away = True
    model.ready.set()
    with warming(services):
        await wait_until_async(lambda: not services.warmth.preparing, "the process is prepared")
    assert model.times == 1


async def test_a_stop_does_not_wait_for_what_is_being_prepared(services: Services, model: Compiling) -> None:
    with warming(services):
        await asyncio.to_thread(model.asked.wait, 30)
    assert not model.ready.is_set()
