"""Text from documents inside a prompt: data between marks that no document can know or close."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.retrieval import Hit

MAX_SOURCE_CHARS = 4_000
_MARK = re.compile(r"<<<(?:end )?\d{1,4} [0-9a-f]{16}>{0,3}")  # a weak model does not even close it well
_CUT_OFF = re.compile(r"<<<(?:end )?\d{1,4}(?: [0-9a-f]{0,16})?$")
_BEGUN = re.compile(r"<(?:<(?:<[a-z0-9 ]{0,25}(?:>{1,3})?)?)?$")  # a mark, as far as it has come


def fenced(texts: Sequence[str], token: str) -> str:
    """The texts, numbered from 1, each between marks that carry `token` (random, made for one request)."""
    return "\n".join(
        f"<<<{number} {token}>>>\n{text}\n<<<end {number} {token}>>>" for number, text in enumerate(texts, 1)
    )


def source_of(hit: Hit) -> str:
    """What whoever writes or judges an answer reads of the hit: its heading and its text."""
    heading = f"{hit.chunk.heading}\n" if hit.chunk.heading else ""
    return f"{heading}{hit.chunk.text}"[:MAX_SOURCE_CHARS]


class Unfenced:
    """Text that comes piece by piece, without the marks of a fence that a weak model repeats."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that is ready; what may become a mark is held back until it is one, or cannot be."""
        text = self._held + piece
        begun = _BEGUN.search(text)
        cut = begun.start() if begun else len(text)
        self._held = text[cut:]
        return _MARK.sub("", text[:cut])

    def finish(self) -> str:
        """What was still held back."""
        rest, self._held = self._held, ""
        return _CUT_OFF.sub("", _MARK.sub("", rest))
