"""A page of an original as a picture, with a passage marked.

original + passage -> which page, which boxes -> a child process that draws (`child.py`, `draw.py`) -> PNG
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.errors import NotFound, TryLater
from trivium.logs.said import log_lines
from trivium.ports.parser import Blob
from trivium_query.pages.order import Drawn, Order

TIMEOUT_S = 30.0
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
    command = [sys.executable, "-m", "trivium_query.pages.child"]
    try:
        done = subprocess.run(
            command,
            input=msgspec.msgpack.encode(order),
            capture_output=True,
            timeout=TIMEOUT_S,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TryLater("page_not_drawn", "Drawing the page takes too long.", "Download the original.") from error
    log_lines(done.stderr, "pages")
    if done.returncode != 0:
        raise NotFound("page_not_drawn", "Drawing the page failed on this file.", "Download the original instead.")
    drawn = msgspec.msgpack.decode(done.stdout, type=Drawn)
    if drawn.code:
        raise NotFound(drawn.code, drawn.message, drawn.action)
    return drawn.png
