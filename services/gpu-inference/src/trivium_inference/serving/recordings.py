"""Recordings that callers send: kept on disk while they come, decoded in a child process when they are there."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import BinaryIO, Final, TypeVar

from trivium.domain.errors import Refused, TryLater
from trivium.full_disk import full_disk
from trivium.v1 import inference_pb2 as pb
from trivium_inference.audio import MAX_BYTES, Recording, Window

MAX_RECORDINGS: Final = 8  # at a time: each has a file of up to `MAX_BYTES` and a child

T = TypeVar("T")


class Recordings:
    """Those in hand. Their files and decoders keep threads of their own waiting: nobody else waits for them."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._free = MAX_RECORDINGS
        self._threads = ThreadPoolExecutor(MAX_RECORDINGS, "recording")

    def close(self) -> None:
        """Begin nothing more; what a thread is at goes on."""
        self._threads.shutdown(wait=False)

    @asynccontextmanager
    async def received(
        self, requests: AsyncIterator[pb.TranscribeRequest]
    ) -> AsyncIterator[tuple[Recording, pb.TranscribeRequest]]:
        """A recording and what is asked of it, when all of it has come; nothing of it is left after the block.

        Raises `TryLater` (`inference_busy`, `disk_full`) and `Refused` (`request_too_large`).
        """
        if not self._free:
            raise TryLater(
                "inference_busy", "The inference service has as many recordings in hand as it takes.", "Try again."
            )
        self._free -= 1
        try:
            with tempfile.TemporaryFile() as file:
                asked = await self._store(requests, file)
                recording = await self._opened(file)
                try:
                    yield recording, asked
                finally:
                    recording.close()
        except OSError as error:
            raise full_disk(error) or error from error
        finally:
            self._free += 1

    async def next_window(self, windows: Iterator[Window]) -> Window | None:
        """The next one of a recording; None behind the last. Raises as `Recording.windows`."""
        return await self._beside(partial(next, windows, None))

    async def _store(self, requests: AsyncIterator[pb.TranscribeRequest], file: BinaryIO) -> pb.TranscribeRequest:
        asked = pb.TranscribeRequest()
        size = 0
        async for request in requests:
            size += len(request.content)
            if size > self._max_bytes:
                raise Refused(
                    "request_too_large", f"The recording has more than {self._max_bytes:,} bytes.", "Divide it."
                )
            if request.WhichOneof("part") != "content":
                asked.MergeFrom(request)
            await self._beside(partial(file.write, request.content))
        await self._beside(file.flush)
        return asked

    async def _opened(self, file: BinaryIO) -> Recording:
        """With its child, which takes a moment to start; who leaves meanwhile leaves neither child nor file."""
        starting = self._beside(partial(Recording, file))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            while not starting.done():  # the caller may be told to go more than once; `file` stays open as long
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([starting])
            if starting.exception() is None:
                starting.result().close()
            raise

    def _beside(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """`call` on a thread for recordings."""
        return asyncio.get_running_loop().run_in_executor(self._threads, call)
