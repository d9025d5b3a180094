"""Where a browser shows a passage of something that came from the web."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.domain.parsed import Position

_WEB = ("http://", "https://")
_VIDEO = "https://youtu.be/"


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
