"""Recordings over a real channel, with a model of random weights."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO

import grpc
import numpy as np
import pytest
from prometheus_client import REGISTRY
from sounds import encoded, silence, tone
from tiny_disk import tiny_disk
from waiting import wait_until_async

from trivium.adapters.distributed.inference.models import TRANSCRIBE_TIMEOUT_S, RemoteTranscriber
from trivium.adapters.distributed.inference.server import Inference
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.ports.inference import Transcript
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceStub
from trivium_inference.audio import Recording, Window
from trivium_inference.embed import TextEmbedder
from trivium_inference.serving import recordings, server
from trivium_inference.serving.engines import Engines, with_queues
from trivium_inference.serving.server import running
from trivium_inference.serving.vowels import vowels
from trivium_inference.speech import Heard, WhisperTranscriber

from .conftest import WAIT_S, BlindOcr


class HeldTranscriber(WhisperTranscriber):
    """Hears when it may, and counts how often it was asked."""

    def __init__(self, model: str) -> None:
        super().__init__(model, threads=1)
        self.go = threading.Event()
        self.go.set()
        self.heard = 0

    def hear(self, window: Window, language: str = "") -> Heard:
        self.heard += 1
        assert self.go.wait(WAIT_S)
        return super().hear(window, language)


@pytest.fixture
def transcriber(tiny_whisper: Path) -> Iterator[HeldTranscriber]:
    made = HeldTranscriber(str(tiny_whisper))
    made.load()
    yield made
    made.go.set()


@pytest.fixture
def engines(embedder: TextEmbedder, transcriber: HeldTranscriber) -> Iterator[Engines]:
    with with_queues(embedder, BlindOcr(1), None, transcriber, Settings()) as made:
        yield made


@pytest.fixture
async def remote(address: str) -> AsyncIterator[RemoteTranscriber]:
    with closing(Inference(address)) as inference:
        yield RemoteTranscriber(inference)


def sent(content: bytes, language: str = "") -> Iterator[pb.TranscribeRequest]:
    yield pb.TranscribeRequest(language=language)
    yield pb.TranscribeRequest(content=content)


async def quiet(engines: Engines) -> None:
    """The health check's own windows are through."""
    windows = engines.windows
    assert windows is not None
    await wait_until_async(lambda: windows.last_success_s >= 0, "the health check is through")


@pytest.mark.models
async def test_the_client_gets_what_the_engine_hears(remote: RemoteTranscriber, transcriber: HeldTranscriber) -> None:
    content = encoded(np.concatenate([silence(20), vowels(10), silence(15), vowels(10)]), "flac", "flac")
    told: list[Transcript] = []
    found = await asyncio.to_thread(remote.transcribe, content, "sv", told.append)
    assert found == transcriber.transcribe(content, "sv")
    assert len(found.segments) >= 2
    assert told[-1] == found
    assert found.duration_s == pytest.approx(55, abs=0.1)
    assert await asyncio.to_thread(lambda: remote.fingerprint) == transcriber.fingerprint


@pytest.mark.models
async def test_nothing_more_is_heard_when_the_caller_leaves(
    remote: RemoteTranscriber, transcriber: HeldTranscriber, engines: Engines
) -> None:
    await quiet(engines)
    before = transcriber.heard

    def leave(_: Transcript) -> None:
        transcriber.go.clear()  # the next window is in the model already, or will be
        raise InterruptedError

    with pytest.raises(InterruptedError):
        await asyncio.to_thread(remote.transcribe, encoded(silence(600), "flac", "flac"), "", leave)
    await asyncio.sleep(0.2)
    transcriber.go.set()
    await asyncio.sleep(0.5)
    assert transcriber.heard - before <= 3


@pytest.mark.models
async def test_what_was_heard_before_is_not_heard_again(
    remote: RemoteTranscriber, transcriber: HeldTranscriber, engines: Engines
) -> None:
    await quiet(engines)
    content = encoded(np.concatenate([vowels(10), silence(60), vowels(10)]), "flac", "flac")
    told: list[Transcript] = []
    whole = await asyncio.to_thread(remote.transcribe, content, "sv", told.append)
    transcriber.heard = 0
    assert await asyncio.to_thread(remote.transcribe, content, "sv", None, told[-2]) == whole
    assert transcriber.heard == 1


@pytest.mark.models
async def test_a_deadline_is_kept_while_the_model_hangs(
    stub: InferenceServiceStub, transcriber: HeldTranscriber, engines: Engines
) -> None:
    await quiet(engines)
    transcriber.go.clear()
    call = stub.Transcribe(sent(encoded(vowels(3))), timeout=1)
    with pytest.raises(grpc.aio.AioRpcError):
        await call.read()
    assert await call.code() is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.models
async def test_of_two_recordings_the_short_one_does_not_wait_for_the_long_one(
    address: str, transcriber: HeldTranscriber
) -> None:
    long, short = (encoded(silence(seconds), "flac", "flac") for seconds in (1200, 5))
    channels = [grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(2)]
    slow, quick = (
        InferenceServiceStub(channel).Transcribe(sent(one))
        for channel, one in zip(channels, (long, short), strict=True)
    )
    assert (await slow.read()).done_s < 40
    async for answer in quick:
        assert answer.done_s == pytest.approx(5, abs=0.1)
    assert not slow.done()
    slow.cancel()
    for channel in channels:
        await channel.close()


async def test_more_than_it_takes_is_refused_and_nothing_stays() -> None:
    made = recordings.Recordings(max_bytes=1000)

    async def pieces() -> AsyncIterator[pb.TranscribeRequest]:
        for _ in range(11):
            yield pb.TranscribeRequest(content=bytes(100))

    for _ in range(recordings.MAX_RECORDINGS + 1):  # none of the refused is still in hand
        with pytest.raises(Refused) as failure:
            async with made.received(pieces()):
                pass
        assert failure.value.code == "request_too_large"


@pytest.mark.models
async def test_a_language_without_end_is_refused_in_few_words(remote: RemoteTranscriber) -> None:
    with pytest.raises(NeverWill) as failure:
        await asyncio.to_thread(remote.transcribe, encoded(tone(1)), "x" * 100_000)
    assert failure.value.code == "unknown_language"
    assert len(failure.value.message) <= 500


async def test_an_empty_piece_at_the_end_takes_back_nothing_that_was_asked() -> None:
    async def pieces() -> AsyncIterator[pb.TranscribeRequest]:
        yield pb.TranscribeRequest(language="sv", heard_s=0.5)
        yield pb.TranscribeRequest(content=encoded(tone(1)))
        yield pb.TranscribeRequest(content=b"")

    with closing(recordings.Recordings()) as made:
        async with made.received(pieces()) as (_, asked):
            assert (asked.language, asked.heard_s) == ("sv", 0.5)


async def test_a_caller_who_leaves_while_the_decoder_starts_leaves_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    made = recordings.Recordings()
    started: list[Recording] = []
    go = threading.Event()

    def slowly(file: BinaryIO) -> Recording:
        started.append(Recording(file))
        assert go.wait(WAIT_S)
        return started[-1]

    async def pieces() -> AsyncIterator[pb.TranscribeRequest]:
        yield pb.TranscribeRequest(content=encoded(tone(60)))  # more than a pipe holds: the child cannot end by itself

    async def receive() -> None:
        async with made.received(pieces()):
            raise AssertionError("the caller is gone")

    monkeypatch.setattr(recordings, "Recording", slowly)
    call = asyncio.create_task(receive())
    await wait_until_async(lambda: started, "the decoder has started")
    for _ in range(2):  # the second as when the server stops
        call.cancel()
        await asyncio.sleep(0.01)
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not started[0]._child.is_alive
    assert made._free == recordings.MAX_RECORDINGS


async def test_recordings_have_threads_of_their_own() -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    held: list[int] = []
    go = threading.Event()

    def windows(number: int) -> Iterator[Window]:
        held.append(number)
        assert go.wait(WAIT_S)
        yield Window(number, silence(1))

    with closing(recordings.Recordings()) as made:
        waiting = [asyncio.ensure_future(made.next_window(windows(n))) for n in range(recordings.MAX_RECORDINGS)]
        await wait_until_async(lambda: len(held) == recordings.MAX_RECORDINGS, "each recording is being decoded")
        assert await asyncio.wait_for(asyncio.to_thread(int, "7"), WAIT_S) == 7
        go.set()
        found = await asyncio.gather(*waiting)
        assert [window.start_s for window in found if window] == list(range(recordings.MAX_RECORDINGS))
        assert await made.next_window(iter([])) is None


def test_a_connection_outlasts_the_longest_transcription() -> None:
    grace_ms = dict(server._OPTIONS)["grpc.max_connection_age_grace_ms"]
    assert grace_ms >= (TRANSCRIBE_TIMEOUT_S + 60) * 1000


async def test_a_full_disk_is_told_to_come_again_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = recordings.Recordings()

    async def pieces() -> AsyncIterator[pb.TranscribeRequest]:
        for _ in range(20):
            yield pb.TranscribeRequest(content=bytes(100_000))

    with tiny_disk(tmp_path / "disk") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk.folder))
        for _ in range(recordings.MAX_RECORDINGS + 1):
            with pytest.raises(TryLater) as failure:
                async with made.received(pieces()):
                    pass
            assert failure.value.code == "disk_full"


@pytest.mark.models
async def test_more_recordings_than_it_takes_are_told_to_come_again(
    stub: InferenceServiceStub, remote: RemoteTranscriber, transcriber: HeldTranscriber, engines: Engines
) -> None:
    await quiet(engines)
    transcriber.go.clear()
    content = encoded(silence(3))
    held = [stub.Transcribe(sent(content)) for _ in range(recordings.MAX_RECORDINGS)]
    waiting = [asyncio.ensure_future(call.read()) for call in held]
    in_hand = recordings.MAX_RECORDINGS - 1  # one is in the model, the others wait for it
    queued = partial(REGISTRY.get_sample_value, "trivium_inference_queued", {"engine": "windows"})
    await wait_until_async(lambda: queued() == in_hand, "every recording is in hand")
    with pytest.raises(TryLater) as failure:
        await asyncio.to_thread(remote.transcribe, content)
    assert failure.value.code == "inference_busy"
    transcriber.go.set()
    assert {round(answer.done_s) for answer in await asyncio.gather(*waiting)} == {3}


@pytest.mark.models
async def test_the_canary_asks_the_model_itself(engines: Engines) -> None:
    (canary,) = [one for one in engines.canaries() if one.name == "windows"]
    heard = await canary.sing(WAIT_S)
    assert isinstance(heard, list)
    assert heard[0].segments


async def test_without_a_model_it_says_so_and_is_healthy(embedder: TextEmbedder) -> None:
    with with_queues(embedder, BlindOcr(1), None, None, Settings()) as made:
        assert "windows" not in {canary.name for canary in made.canaries()}
        async with (
            running(made, "127.0.0.1:0", grace_s=0) as port,
        ):
            with closing(Inference(f"127.0.0.1:{port}")) as inference:
                remote = RemoteTranscriber(inference)
                assert await asyncio.to_thread(lambda: remote.fingerprint) == ""
                with pytest.raises(NeverWill) as failure:
                    await asyncio.to_thread(remote.transcribe, bytes(20_000_000))
            assert failure.value.code == "not_served"
            assert "TRIVIUM_SPEECH_MODEL" in failure.value.action
