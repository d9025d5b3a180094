"""Where traces go, from what the setting says."""

from __future__ import annotations

from urllib.parse import urlsplit

from trivium.domain.errors import Refused

PATH = "/v1/traces"


def traces_address(url: str) -> str:
    """The address of a collector, its path (`/v1/traces`) added where there is none.

    Raises `Refused` (`bad_setting`) for what is no HTTP address.
    """
    parts = urlsplit(url)
    try:
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if not fits or parts.username or parts.query or parts.fragment:
        raise Refused(
            "bad_setting",
            f"TRIVIUM_TRACES_URL {url[:100]!r} is no address of a collector.",
            "Name its OTLP/HTTP door, such as http://collector:4318, or leave it empty.",
        )
    return parts._replace(path=parts.path.rstrip("/") or PATH).geturl()
