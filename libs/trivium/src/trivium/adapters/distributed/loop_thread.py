"""An event loop in a thread of its own, for clients that belong to one loop while their callers come from many.

An asynchronous client (gRPC, HTTP) is bound to the loop that made its connections. Here that loop is the adapter's:
any caller's loop may wait for it, and closing needs no loop of the caller, so nothing is left open.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

CLOSING_TIMEOUT_S = 5.0


class LoopThread:
    """Starts with its first work. After `close` it may be used again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """`work()` on the thread's loop. Cancelling the caller cancels the work."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), self._started()))

    def close(self, last_work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what runs, then do `last_work` (closing clients) and end the thread; nothing if it never started."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_end(last_work), loop).result(CLOSING_TIMEOUT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop


async def _end(last_work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last_work()
    await asyncio.get_running_loop().shutdown_default_executor()
