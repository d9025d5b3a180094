"""Where a browser shows a passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from urllib.parse import quote as percent_encoded

from trivium.domain.parsed import Position

_WEB = ("http://", "https://")
MAX_QUOTE_CHARS = 1_000  # of a quote in a link
_VIDEO = "https://youtu.be/"
Sign = Callable[[str, str], str]
"""From a link and the id of the passage that it shows to the link with a signature."""
_sign: ContextVar[Sign | None] = ContextVar("sign", default=None)


def web_address(source: str, positions: Sequence[Position]) -> str:
    """The source's address, at the passage's first second or page; "" for what did not come from the web.

    YouTube: `?t=`. Other recordings: media fragments (W3C). Pages: RFC 8118.
    """
    if not source.startswith(_WEB):
        return ""
    seconds = min((at.seconds[0] for at in positions if at.seconds is not None), default=None)
    if seconds is not None:
        return f"{source}?t={int(seconds)}" if source.startswith(_VIDEO) else f"{source}#t={int(seconds)}"
    page = min((at.page for at in positions if at.page is not None), default=None)
    return source if page is None else f"{source}#page={page}"


def view_link(document_id: str, passage: str, number: int, quote: str) -> str:
    """The path of the HTTP API that shows a passage (its id, its number) with the quote marked.

    Of a long quote its beginning. Signed as the request that is being served signs its links.
    """
    words = percent_encoded(quote[:MAX_QUOTE_CHARS], safe="", errors="replace")
    return signed(f"/v1/sources/{document_id}/view?unit={number}&quote={words}#quote", passage)


def sign_links(sign: Sign | None) -> None:
    """Every link that the request that is being served tells is signed so; None: stays as it is."""
    _sign.set(sign)


def signed(link: str, passage: str) -> str:
    """The link to that passage, as `sign_links` said."""
    sign = _sign.get()
    return sign(link, passage) if sign else link
