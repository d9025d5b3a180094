"""How many of the mails that a mail quotes are kept: said with its media type by where it lies among others.

A mail by itself keeps all. Where the mails that it answers lie beside it, its words of them would be there many times.
"""

from __future__ import annotations

import re

MAIL = "message/rfc822"
QUOTED = "quoted"
"""The section in which an answer has what it quotes, and in it a section for each mail. Stored; never rename it."""
_LEVELS = re.compile(r";\s*quoted=(\d{1,4})\b")


def keeps(media_type: str, levels: int) -> str:
    """The type of a mail of which so many quoted mails are kept: the one that it answers, the one that that answers."""
    return f"{media_type}; quoted={levels}"


def quoted_levels(declared_type: str) -> int | None:
    """How many are, as its type says; None for all."""
    found = _LEVELS.search(declared_type)
    return int(found[1]) if found else None
