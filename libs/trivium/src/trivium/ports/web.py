"""The web: pages by their address, within the egress limits."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Validators(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a server said of the copy that it sent from `url` (RFC 9110 8.8); to be shown to that very address only."""

    url: str = ""
    etag: str = ""
    last_modified: str = ""


class Page(msgspec.Struct, frozen=True):
    """What lies behind an address. `title` is the site's word for it, "" when its content says so itself.

    `declared_type` is the declared media type with its `charset`; content decides. `validators.url` is the address
    after redirects.
    """

    content: bytes
    declared_type: str = ""
    title: str = ""
    validators: Validators = Validators()


Fetch = Callable[[str, Validators | None], Page | None]
"""Gets a page, synchronously and bounded in time and size; None: it is still what the validators came with.

Missing, private, denied or too large: raises `Refused` or `NeverWill`; `TryLater` where another time may help.
"""
