"""What is sent to the child that draws, without the libraries that it draws with."""

from __future__ import annotations

import msgspec

from trivium.domain.parsed import Box
from trivium.domain.password import Password


class Order(msgspec.Struct, frozen=True):
    """What is to be drawn. `page` counts from 1; `boxes` as in `Position`; `quote` is looked for on a PDF's page.

    `password` opens the PDF where it is encrypted.
    """

    content: bytes
    page: int
    boxes: tuple[Box, ...] = ()
    quote: str = ""
    password: Password | None = None
