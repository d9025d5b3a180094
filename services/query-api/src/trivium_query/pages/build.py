"""A page of an original as a picture, with a passage marked.

original + passage -> which page, which boxes -> a child process that draws (`child.py`, `draw.py`) -> PNG
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from trivium.child_process.child import ChildProcess
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.reply import Reply
from trivium.domain.chunks import Chunk
from trivium.domain.errors import NeverWill, NotFound, TryLater
from trivium.ports.parser import Blob
from trivium_query.pages.order import Order

TIMEOUT_S = 30.0
MEMORY_BYTES = 1024 * 1024 * 1024
AT_ONCE = 2  # pages drawn at the same time; each takes up to a processor and some hundred megabytes

_artists = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pages")


def order_of(blob: Blob, page: int | None, passage: Chunk | None, quote: str = "") -> Order:
    """What is to be drawn: the page asked for, else the quote's first or the passage's, with the boxes on it."""
    places = [place for place in passage.positions_of(quote) if place.box] if passage else []
    number = page or next((place.page for place in places if place.page), None) or 1
    boxes = tuple(place.box for place in places if place.box and (place.page or 1) == number)
    return Order(blob.content, number, boxes, quote, blob.password)


async def page_image(order: Order) -> bytes:
    """PNG. Raises `NotFound` (`no_such_page`, `page_not_drawn`) and `TryLater`."""
    return await asyncio.get_running_loop().run_in_executor(_artists, _drawn, order)


def _drawn(order: Order) -> bytes:
    child = ChildProcess("trivium_query.pages.child", memory_bytes=MEMORY_BYTES)
    try:
        return child.ask(order, Reply[bytes], TIMEOUT_S).result()
    except DeadlineExceeded as error:
        raise TryLater("page_not_drawn", "Drawing the page takes too long.", "Download the original.") from error
    except NeverWill as error:
        raise NotFound(error.code, error.message, error.action) from error
    except (ChildExited, MemoryExhausted) as error:
        raise NotFound(
            "page_not_drawn", "Drawing the page failed on this file.", "Download the original instead."
        ) from error
    finally:
        child.kill()
