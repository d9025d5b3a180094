"""A server whose model can be held, counted and broken: everything else about it is real."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing

import grpc
import numpy as np
import pytest
from numpy.typing import NDArray

from trivium.config import Settings
from trivium.ports.inference import OcrLine, Vector
from trivium.v1.inference_pb2_grpc import InferenceServiceStub
from trivium_inference.embed import TextEmbedder
from trivium_inference.model_files import locate_model
from trivium_inference.serving.engines import Engines, with_queues
from trivium_inference.serving.ocr_process import OcrProcess
from trivium_inference.serving.server import running

WAIT_S = 10.0
POISON = "zebra"


class CountingEncoder:
    """Token states that depend on the tokens alone, so that answers can be checked; remembers what it was given."""

    description = "counting"
    lanes = 2
    batch_tokens = 2048
    call_tokens = 32

    def __init__(self, dimension: int, poison: int) -> None:
        self._table = np.random.default_rng(5).normal(size=(40_000, dimension)).astype(np.float32)
        self._poison = poison
        self.seen: list[tuple[int, ...]] = []
        self.go = threading.Event()
        self.go.set()
        self.begun = threading.Semaphore(0)

    def encode(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        self.seen.extend(tuple(ids.tolist()) for ids in batch)
        self.begun.release()
        assert self.go.wait(WAIT_S)
        if any(self._poison in ids for ids in batch):
            raise ValueError("the model broke")
        return [self._table[ids] for ids in batch]

    encode_urgent = encode


class BlindOcr(OcrProcess):
    """Sees no text, at once."""

    def read(self, image: bytes) -> list[OcrLine]:
        return []


@pytest.fixture(scope="session")
def encoder() -> CountingEncoder:
    files = locate_model()
    reader = TextEmbedder(files, CountingEncoder(files.dimension, -1))
    with closing(reader):
        return CountingEncoder(files.dimension, int(reader.read_queries([POISON])[0].ids[1]))


@pytest.fixture
def embedder(encoder: CountingEncoder) -> Iterator[TextEmbedder]:
    encoder.seen.clear()
    while encoder.begun.acquire(blocking=False):
        pass
    with closing(TextEmbedder(locate_model(), encoder)) as made:
        yield made
        encoder.go.set()


@pytest.fixture
def engines(embedder: TextEmbedder) -> Iterator[Engines]:
    with with_queues(embedder, BlindOcr(1), None, None, Settings()) as made:
        yield made


@pytest.fixture
async def address(engines: Engines) -> AsyncIterator[str]:
    async with running(engines, "127.0.0.1:0", grace_s=0) as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture
async def stub(address: str) -> AsyncIterator[InferenceServiceStub]:
    async with grpc.aio.insecure_channel(address) as channel:
        yield InferenceServiceStub(channel)
