"""One client, and replicas of the inference service behind one name that come and go, also with other models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import grpc
import numpy as np
import pytest

from trivium.adapters.distributed.inference.models import (
    RemoteEmbedder,
    RemoteOcr,
    RemoteReader,
    RemoteReranker,
    RemoteTranscriber,
)
from trivium.adapters.distributed.inference.server import Inference
from trivium.domain.errors import TryLater
from trivium.ports.inference import Passage, Segment, Transcript
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceServicer, add_InferenceServiceServicer_to_server

CALLS = 40


class Replica(InferenceServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """Counts who asks for its models."""

    def __init__(self) -> None:
        self.asked = 0
        self.model = "one"

    def Info(self, request: pb.InfoRequest, context: grpc.ServicerContext) -> pb.InfoResponse:  # noqa: N802
        self.asked += 1
        return pb.InfoResponse(
            embedding=pb.InfoResponse.Embedding(fingerprint=self.model),
            ocr_fingerprint=self.model,
            reranker=self.model,
            transcriber_fingerprint=self.model,
            reader_fingerprint=self.model,
        )

    def CountTokens(  # noqa: N802
        self, request: pb.CountTokensRequest, context: grpc.ServicerContext
    ) -> pb.CountTokensResponse:
        return pb.CountTokensResponse(counts=[1 for _ in request.texts], fingerprint=self.model)

    def Rerank(self, request: pb.RerankRequest, context: grpc.ServicerContext) -> pb.RerankResponse:  # noqa: N802
        return pb.RerankResponse(scores=[1 for _ in request.passages], model=self.model)

    def Read(self, request: pb.ReadRequest, context: grpc.ServicerContext) -> pb.ReadResponse:  # noqa: N802
        return pb.ReadResponse(readings=[pb.ReadResponse.Reading() for _ in request.passages], fingerprint=self.model)

    def Ocr(self, request: pb.OcrRequest, context: grpc.ServicerContext) -> pb.OcrResponse:  # noqa: N802
        return pb.OcrResponse(fingerprint=self.model)

    def Transcribe(  # noqa: N802
        self, requests: Iterator[pb.TranscribeRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.TranscribeResponse]:
        list(requests)
        yield pb.TranscribeResponse(fingerprint=self.model, done_s=1)


@contextmanager
def serving(replica: Replica) -> Iterator[tuple[str, grpc.Server]]:
    server = grpc.server(ThreadPoolExecutor(2))
    add_InferenceServiceServicer_to_server(replica, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", server
    finally:
        server.stop(0).wait()


def test_a_client_asks_all_replicas_in_turn_and_goes_on_without_one_that_ends() -> None:
    first, second = Replica(), Replica()
    with (
        serving(first) as (one, server),
        serving(second) as (other, _),
        closing(Inference(f"ipv4:{one},{other}")) as inference,
    ):
        for _ in range(CALLS):
            inference.call("Info", pb.InfoRequest(), timeout_s=10)
        assert min(first.asked, second.asked) >= CALLS // 4
        server.stop(0).wait()
        before = second.asked
        for _ in range(CALLS):
            inference.call("Info", pb.InfoRequest(), timeout_s=10)
        assert second.asked == before + CALLS


def count(inference: Inference) -> str:
    embedder = RemoteEmbedder(inference)
    embedder.count_tokens(["river"])
    return embedder.fingerprint


def read(inference: Inference) -> str:
    ocr = RemoteOcr(inference)
    ocr.read(np.zeros((20, 20, 3), np.uint8))
    return ocr.fingerprint


def transcribe(inference: Inference) -> str:
    transcriber = RemoteTranscriber(inference)
    transcriber.transcribe(b"sound")
    return transcriber.fingerprint


def rerank(inference: Inference) -> str:
    asyncio.run(RemoteReranker(inference, "m").score("river", ["bridge"]))
    return inference.info.reranker


def point(inference: Inference) -> str:
    reader = RemoteReader(inference)
    asyncio.run(reader.read("river", [Passage("bridge")]))
    return reader.fingerprint


def test_what_a_service_of_before_hears_again_is_left_out() -> None:
    with serving(Replica()) as (address, _), closing(Inference(address)) as inference:
        before = Transcript("en", 1.0, (Segment(0.0, 1.0, "The otter swims.", 0.9),))
        assert RemoteTranscriber(inference).transcribe(b"sound", before=before) == before


@pytest.mark.parametrize("ask", [count, read, transcribe, rerank, point])
def test_an_answer_of_another_model_is_refused_once_and_the_next_goes_by_its_name(
    ask: Callable[[Inference], str],
) -> None:
    replica = Replica()
    with serving(replica) as (address, _), closing(Inference(address)) as inference:
        assert ask(inference) == "one"
        replica.model = "two"
        with pytest.raises(TryLater) as failure:
            ask(inference)
        assert failure.value.code == "model_changed"
        assert ask(inference) == "two"
