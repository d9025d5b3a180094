"""The service over real channels."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import grpc
import numpy as np
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import REGISTRY
from waiting import wait_until_async

from trivium.config import Settings
from trivium.domain.chunks import Span
from trivium.ports.inference import Passage, Vector
from trivium.rpc_status import reason_of
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceStub
from trivium_inference.embed import TextEmbedder
from trivium_inference.image_child import corrupt_image
from trivium_inference.serving import engines as serving_engines
from trivium_inference.serving import health, service
from trivium_inference.serving.engines import Engines, with_queues
from trivium_inference.serving.server import SERVICE, running

from .conftest import POISON, WAIT_S, BlindOcr, CountingEncoder

CALLERS = 64
WORDS = ["river", "bridge", "stone", "city", "people"]


class HeldPictures:
    """Stands in for `ClipEncoder`: its decoders take a picture each, when they may; it remembers them."""

    fingerprint, dimension, max_tokens, image_tokens = "held:1", 8, 77, 50

    def __init__(self, decoders: int) -> None:
        self.decoders = decoders
        self.begun: list[bytes] = []
        self.go = threading.Event()
        self.go.set()
        self._turn = threading.Semaphore(decoders)

    def read_images(self, images: Sequence[bytes]) -> list[Vector]:
        for image in images:
            with self._turn:
                self.begun.append(image)
                assert self.go.wait(WAIT_S * 3)
        return [np.zeros((3, 2, 2), np.float32) for _ in images]

    def encode_images(self, pixels: Sequence[Vector]) -> Vector:
        return np.ones((len(pixels), 8), np.float32)

    def read_texts(self, texts: Sequence[str]) -> list[Vector]:
        return [np.ones(3, np.float32) for _ in texts]

    encode_texts = encode_images


@pytest.fixture
def held_pictures(request: pytest.FixtureRequest) -> Iterator[HeldPictures]:
    made = HeldPictures(getattr(request, "param", 1))
    yield made
    made.go.set()


@pytest.fixture
async def seeing(
    embedder: TextEmbedder, held_pictures: HeldPictures, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[InferenceServiceStub]:
    """Its service has decoders that are held now, room for few pictures, and one thread for what is quick."""
    monkeypatch.setattr(serving_engines, "QUEUED_FILES", 8)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    visual: Any = held_pictures
    with with_queues(embedder, BlindOcr(1), None, None, Settings(), visual) as engines:
        async with (
            running(engines, "127.0.0.1:0", grace_s=0) as port,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            warm = (engines.files, engines.pictures)
            await wait_until_async(lambda: all(one and one.last_success_s > 0 for one in warm), "it is warm")
            held_pictures.begun.clear()
            held_pictures.go.clear()
            yield InferenceServiceStub(channel)
            held_pictures.go.set()


def pictures(*files: bytes) -> pb.EmbedVisualRequest:
    return pb.EmbedVisualRequest(images=pb.EmbedVisualRequest.Images(files=files))


def queries(*texts: str, expected: str = "") -> pb.EmbedRequest:
    return pb.EmbedRequest(queries=pb.EmbedRequest.Queries(texts=texts), expected_fingerprint=expected)


def passages(*texts: str) -> pb.EmbedRequest:
    spans = [pb.TextSpan(start=0, end=5), pb.TextSpan(start=5, end=9)]
    messages = [pb.EmbedRequest.Passage(text=text, prefix="t", sentences=spans) for text in texts]
    return pb.EmbedRequest(passages=pb.EmbedRequest.Passages(passages=messages))


def rows(packed: bytes, dimension: int) -> np.ndarray:
    return np.frombuffer(packed, "<f4").reshape(-1, dimension)


async def failure(call: grpc.aio.UnaryUnaryCall) -> tuple[grpc.StatusCode, ErrorInfo]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), reason_of(caught.value)


async def asked(stub: health_pb2_grpc.HealthStub, service: str = "") -> int:
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


async def becomes(channel: grpc.aio.Channel, status: int) -> None:
    """Returns when the health of the server and of the service is `status`."""
    stub = health_pb2_grpc.HealthStub(channel)
    async with asyncio.timeout(WAIT_S):
        while await asked(stub) != status or await asked(stub, SERVICE) != status:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def hold(
    stub: InferenceServiceStub, engines: Engines, encoder: CountingEncoder
) -> asyncio.Future[list[pb.EmbedResponse]]:
    """Every passage thread stands in the model with one passage until `encoder.go`."""
    warm = (engines.passages, engines.queries)
    await wait_until_async(lambda: all(engine.last_success_s > 0 for engine in warm), "the engines are warm")
    encoder.go.clear()
    encoder.seen.clear()
    held: list[asyncio.Future[pb.EmbedResponse]] = []
    for number in range(encoder.lanes):
        held.append(asyncio.ensure_future(stub.Embed(passages(f"held {number}"))))
        await wait_until_async(lambda: len(encoder.seen) == len(held), "it is in the model")
    return asyncio.gather(*held)


async def one_caller(number: int, address: str, embedder: TextEmbedder) -> str:
    """Ask for something that nobody else asks for, and check the answer; some leave, and some have no time."""
    rng = random.Random(number)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 120))) for _ in range(20)]
    texts = [f"{text} {number}" for text in texts]
    kind = ("leaves", "hurries", "asks", "submits")[number % 4]
    async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        stub = InferenceServiceStub(channel)
        if kind == "leaves":
            call = stub.Embed(passages(*[f"leaving {text}" for text in texts]))
            await asyncio.sleep(rng.random() / 50)
            call.cancel()
            return kind
        if kind == "hurries":
            try:
                answer = await stub.Embed(passages(*texts), timeout=rng.random() / 5)
            except grpc.aio.AioRpcError as error:
                return "late" if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED else str(error)
        else:
            answer = await stub.Embed(queries(*texts) if kind == "asks" else passages(*texts), timeout=WAIT_S * 6)
    if kind == "asks":
        assert np.array_equal(rows(answer.vectors, 384), embedder.embed_queries(texts))
        return kind
    wanted = embedder.embed_passages([Passage(text, "t", (Span(0, 5), Span(5, 9))) for text in texts])
    assert np.array_equal(rows(answer.vectors, 384), np.stack([one.passage for one in wanted]))
    assert np.array_equal(rows(answer.sentences, 384), np.concatenate([one.sentences for one in wanted]))
    return "submits"


async def test_of_many_callers_each_gets_its_own_and_those_who_leave_get_nothing(
    address: str, embedder: TextEmbedder
) -> None:
    outcomes = await asyncio.gather(*(one_caller(number, address, embedder) for number in range(CALLERS)))
    assert outcomes.count("leaves") == outcomes.count("asks") == CALLERS // 4
    assert outcomes.count("submits") + outcomes.count("late") == CALLERS // 2


async def test_the_model_never_sees_what_was_cancelled_or_came_too_late(
    stub: InferenceServiceStub, engines: Engines, encoder: CountingEncoder
) -> None:
    held = await hold(stub, engines, encoder)
    leaving = [stub.Embed(passages(*(f"leaving {n} {m}" for m in range(50)))) for n in range(8)]
    hurrying = [stub.Embed(passages(*(f"hurrying {n} {m}" for m in range(50))), timeout=0.5) for n in range(8)]
    staying = asyncio.ensure_future(stub.Embed(passages("staying")))
    for call in hurrying:
        assert (await failure(call))[0] is grpc.StatusCode.DEADLINE_EXCEEDED
    for call in leaving:
        call.cancel()
    await wait_until_async(lambda: len(engines.passages._queue) == 1, "one waits")
    encoder.go.set()
    await asyncio.gather(held, staying)
    assert len(encoder.seen) == encoder.lanes + 1


async def test_queries_do_not_wait_for_passages(
    stub: InferenceServiceStub, engines: Engines, encoder: CountingEncoder
) -> None:
    held = await hold(stub, engines, encoder)
    bulk = asyncio.ensure_future(stub.Embed(passages(*(f"word {number} " * 200 for number in range(500)))))
    await wait_until_async(lambda: engines.passages._queue.cost > 10_000, "thousands wait")
    encoder.seen.clear()
    query = asyncio.ensure_future(stub.Embed(queries("who?")))
    await wait_until_async(lambda: len(encoder.seen) > 0, "in the model, while thousands of passages wait")
    assert len(encoder.seen) == 1
    encoder.go.set()
    assert len((await query).vectors) == 4 * 384
    assert len((await bulk).vectors) == 500 * 4 * 384
    await held


async def test_queries_do_not_wait_for_pictures_and_those_of_who_left_are_not_decoded(
    seeing: InferenceServiceStub, held_pictures: HeldPictures
) -> None:
    leaving = [seeing.EmbedVisual(pictures(b"first", b"second")) for _ in range(3)]
    queued = partial(REGISTRY.get_sample_value, "trivium_inference_queued", {"engine": "files"})
    await wait_until_async(lambda: queued() == 5, "one is being decoded, the others wait")
    assert len((await seeing.Embed(queries("who?"), timeout=WAIT_S)).vectors) == 4 * 384
    for call in leaving:
        call.cancel()
    await wait_until_async(lambda: queued() == 0, "nobody waits any more")
    held_pictures.go.set()
    answer = await seeing.EmbedVisual(pictures(b"third", b"fourth"), timeout=WAIT_S)
    assert len(answer.vectors) == 4 * 2 * 8
    assert held_pictures.begun == [b"first", b"third", b"fourth"]


@pytest.mark.parametrize("held_pictures", [2], indirect=True)
async def test_as_many_pictures_are_decoded_at_a_time_as_there_are_decoders(
    seeing: InferenceServiceStub, held_pictures: HeldPictures
) -> None:
    call = asyncio.ensure_future(seeing.EmbedVisual(pictures(b"first", b"second", b"third")))
    await wait_until_async(lambda: len(held_pictures.begun) == 2, "two are being decoded")
    assert sorted(held_pictures.begun) == [b"first", b"second"]
    held_pictures.go.set()
    assert len((await call).vectors) == 4 * 3 * 8


async def test_more_pictures_than_it_decodes_are_told_to_come_again(
    seeing: InferenceServiceStub, held_pictures: HeldPictures
) -> None:
    first = asyncio.ensure_future(seeing.EmbedVisual(pictures(*[b"first"] * 10)))
    await wait_until_async(lambda: held_pictures.begun, "one is being decoded, nine wait")
    code, reason = await failure(seeing.EmbedVisual(pictures(b"second"), timeout=WAIT_S))
    assert (code, reason.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "INFERENCE_BUSY")
    held_pictures.go.set()
    assert len((await first).vectors) == 4 * 10 * 8
    await seeing.EmbedVisual(pictures(b"second"), timeout=WAIT_S)
    assert held_pictures.begun == [b"first"] * 10 + [b"second"]


async def test_what_breaks_the_model_fails_alone(
    stub: InferenceServiceStub, embedder: TextEmbedder, engines: Engines, encoder: CountingEncoder
) -> None:
    held = await hold(stub, engines, encoder)
    bad = stub.Embed(passages(f"a {POISON}"))
    good = [asyncio.ensure_future(stub.Embed(passages(f"river {number}"))) for number in range(5)]
    await wait_until_async(lambda: len(engines.passages._queue) == 6, "six wait")
    encoder.go.set()
    code, reason = await failure(bad)
    assert (code, reason.reason) == (grpc.StatusCode.INTERNAL, "INFERENCE_FAILED")
    for number, answer in enumerate(await asyncio.gather(*good)):
        (wanted,) = embedder.embed_passages([Passage(f"river {number}", "t")])
        assert np.array_equal(rows(answer.vectors, 384)[0], wanted.passage)
    await held


async def test_more_words_than_an_answer_holds_are_refused_before_work(
    seeing: InferenceServiceStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_ANSWER_BYTES", 10 * 8 * 4)
    texts = pb.EmbedVisualRequest.Texts
    answer = await seeing.EmbedVisual(pb.EmbedVisualRequest(texts=texts(texts=["a"] * 10)))
    assert len(answer.vectors) == service.MAX_ANSWER_BYTES
    code, reason = await failure(seeing.EmbedVisual(pb.EmbedVisualRequest(texts=texts(texts=["a"] * 11))))
    assert (code, reason.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_TOO_LARGE")


async def test_health_is_serving_once_a_decoder_that_died_at_the_start_is_back(
    embedder: TextEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class DiesOnce(HeldPictures):
        def read_images(self, images: Sequence[bytes]) -> list[Vector]:
            if not self.begun:
                self.begun.append(b"")
                raise corrupt_image("it crashes the decoder")
            return super().read_images(images)

    monkeypatch.setattr(health, "EVERY_S", 0.05)
    visual: Any = DiesOnce(1)
    with with_queues(embedder, BlindOcr(1), None, None, Settings(), visual) as engines:
        async with (
            running(engines, "127.0.0.1:0", grace_s=0) as port,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            await becomes(channel, health_pb2.HealthCheckResponse.SERVING)


async def test_health_is_serving_after_a_batch_and_not_when_batches_fail_or_hang(
    address: str, engines: Engines, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "EVERY_S", 0.05)
    monkeypatch.setattr(health, "STUCK_S", 0.3)
    async with (
        running(engines, "127.0.0.1:0", grace_s=0) as port,
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        await becomes(channel, health_pb2.HealthCheckResponse.SERVING)
        encoder.go.clear()  # hangs
        await becomes(channel, health_pb2.HealthCheckResponse.NOT_SERVING)
        encoder.go.set()
        await becomes(channel, health_pb2.HealthCheckResponse.SERVING)
        monkeypatch.setattr(encoder, "_table", None)  # every batch fails
        await becomes(channel, health_pb2.HealthCheckResponse.NOT_SERVING)


async def test_health_is_not_serving_while_the_decoder_of_pictures_hangs(
    embedder: TextEmbedder, held_pictures: HeldPictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "EVERY_S", 0.05)
    monkeypatch.setattr(health, "STUCK_S", 0.3)
    visual: Any = held_pictures
    with with_queues(embedder, BlindOcr(1), None, None, Settings(), visual) as engines:
        async with (
            running(engines, "127.0.0.1:0", grace_s=0) as port,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            await becomes(channel, health_pb2.HealthCheckResponse.SERVING)
            held_pictures.go.clear()
            await becomes(channel, health_pb2.HealthCheckResponse.NOT_SERVING)
            held_pictures.go.set()
            await becomes(channel, health_pb2.HealthCheckResponse.SERVING)


async def test_a_new_server_is_not_serving_before_its_first_batch(engines: Engines, encoder: CountingEncoder) -> None:
    encoder.go.clear()
    async with (
        running(engines, "127.0.0.1:0", grace_s=0) as port,
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        await asyncio.to_thread(encoder.begun.acquire, timeout=WAIT_S)
        assert await asked(health_pb2_grpc.HealthStub(channel)) == health_pb2.HealthCheckResponse.NOT_SERVING
        encoder.go.set()


async def test_info_names_the_models_and_another_one_is_not_taken_for_them(
    stub: InferenceServiceStub, embedder: TextEmbedder
) -> None:
    info = await stub.Info(pb.InfoRequest())
    assert info.embedding.fingerprint == embedder.fingerprint
    assert (info.embedding.dimension, info.embedding.max_tokens) == (384, 256)
    assert info.ocr_fingerprint.startswith("rapidocr@")
    await stub.Embed(queries("a", expected=embedder.fingerprint))
    code, reason = await failure(stub.Embed(queries("a", expected="another")))
    assert (code, reason.reason) == (grpc.StatusCode.ABORTED, "MODEL_CHANGED")


async def test_models_that_are_not_there_are_named_with_what_to_do(stub: InferenceServiceStub) -> None:
    assert (await stub.Info(pb.InfoRequest())).reranker == ""
    code, reason = await failure(stub.Rerank(pb.RerankRequest(query="a", passages=["b"])))
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "TRIVIUM_RERANK_MODEL" in reason.metadata["action"]


async def test_an_answer_too_large_to_send_is_refused_before_the_model_is_asked(
    stub: InferenceServiceStub, encoder: CountingEncoder
) -> None:
    many = pb.EmbedRequest.Passage(text="a", sentences=[pb.TextSpan(start=0, end=1)] * 40_000)
    code, reason = await failure(stub.Embed(pb.EmbedRequest(passages=pb.EmbedRequest.Passages(passages=[many]))))
    assert (code, reason.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_TOO_LARGE")


async def test_reflection_lists_the_service(address: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        call = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
        async for answer in call:
            assert {SERVICE, "grpc.health.v1.Health"} <= {one.name for one in answer.list_services_response.service}
