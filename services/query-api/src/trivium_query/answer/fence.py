"""Text from documents inside a prompt: data between marks that no document can know or close."""

from __future__ import annotations

from collections.abc import Sequence


def fenced(texts: Sequence[str], token: str) -> str:
    """The texts, numbered from 1, each between marks that carry `token` (random, made for one request)."""
    return "\n".join(
        f"<<<{number} {token}>>>\n{text}\n<<<end {number} {token}>>>" for number, text in enumerate(texts, 1)
    )
