"""What an administrator says to browsers: headers of every answer, and the origins whose pages may ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NoReturn

from trivium.domain.errors import Refused

_ANY = r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?"
HEADERS: Mapping[str, str] = {
    "content-security-policy": _ANY,
    "content-security-policy-report-only": _ANY,
    "cross-origin-embedder-policy": r"unsafe-none|require-corp|credentialless",
    "cross-origin-opener-policy": r"unsafe-none|same-origin|same-origin-allow-popups|noopener-allow-popups",
    "cross-origin-resource-policy": r"same-site|same-origin|cross-origin",
    "permissions-policy": _ANY,
    "referrer-policy": r"[a-z-]+(, ?[a-z-]+)*",
    "reporting-endpoints": _ANY,
    "strict-transport-security": r"max-age=[0-9]+(; ?[A-Za-z]+)*",
    "x-content-type-options": r"nosniff",
    "x-frame-options": r"DENY|SAMEORIGIN",
    "x-permitted-cross-domain-policies": r"[a-z-]+",
    "x-robots-tag": _ANY,
}
"""Those of the OWASP Secure Headers Project that say something to browsers, and what each may be (full match)."""
MAX_VALUE_CHARS = 4096
_HOW = "Write NAME: VALUE, several of them with | between; no value leaves a header out."
_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?", re.I)


def read_headers(text: str) -> dict[str, str]:
    """Header in small letters to its value, "" for one to leave out. Raises `Refused` (`bad_setting`)."""
    found: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split("|"))):
        given, colon, value = (part.strip() for part in entry.partition(":"))
        name = given.lower()
        if not colon:
            _refuse(f"{entry[:80]!r} in TRIVIUM_HTTP_HEADERS is no header.", _HOW)
        if name.startswith("access-control-"):
            _refuse(f"TRIVIUM_HTTP_HEADERS cannot have {given[:80]}.", "Name origins in TRIVIUM_CORS_ORIGINS.")
        if name not in HEADERS:
            meant = get_close_matches(name, HEADERS, 1)
            action = f"Did you mean {meant[0]}?" if meant else f"It may have {', '.join(HEADERS)}."
            _refuse(f"TRIVIUM_HTTP_HEADERS cannot have {given[:80]!r}.", action)
        if name in found:
            _refuse(f"TRIVIUM_HTTP_HEADERS has {given} twice.", "Say it once.")
        if value and (len(value) > MAX_VALUE_CHARS or not re.fullmatch(HEADERS[name], value)):
            kinds = "" if HEADERS[name] is _ANY else f", as {HEADERS[name]}"
            expected = f"At most {MAX_VALUE_CHARS} printable ASCII characters{kinds}."
            _refuse(f"TRIVIUM_HTTP_HEADERS says {value[:80]!r} of {given}.", expected)
        found[name] = value
    return found


def read_origins(text: str) -> tuple[str, ...]:
    """Origins as browsers write them (RFC 6454), or `*`. Raises `Refused` (`bad_setting`)."""
    found = tuple(filter(None, (part.strip().rstrip("/") for part in text.split(","))))
    for origin in found:
        if not _ORIGIN.fullmatch(origin) and found != ("*",):
            _refuse(
                f"{origin[:80]!r} in TRIVIUM_CORS_ORIGINS is no origin.",
                "Write scheme and host, as https://app.example.org, with commas between, or * alone.",
            )
    return tuple(origin.lower() for origin in found)


def _refuse(message: str, action: str) -> NoReturn:
    raise Refused("bad_setting", message, action)
