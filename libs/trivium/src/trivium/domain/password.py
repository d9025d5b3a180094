"""Passwords of encrypted files: a secret that nothing shows which shows values."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.errors import Refused

MAX_CHARS = 256  # ISO 32000-2 takes 127 bytes, ECMA-376 255 characters
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
NEEDED, WRONG = "password_needed", "password_wrong"
LOCKED = frozenset({NEEDED, WRONG})
"""The codes of failures that a password mends."""


class Password(msgspec.Struct, frozen=True):
    """What opens an encrypted file."""

    text: str

    def __repr__(self) -> str:
        return "Password(********)"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("text", "********")]


def given_password(text: str) -> Password | None:
    """What a caller gave, None for nothing. Raises `Refused` (`bad_password`), without repeating it."""
    if not text:
        return None
    if len(text) > MAX_CHARS or _CONTROLS.search(text):
        raise Refused(
            "bad_password",
            "That cannot be the password of a file.",
            f"Give at most {MAX_CHARS} characters, none of them a control character.",
        )
    return Password(text)
