"""What a language model is told of the answer's form, by the kind of the question."""

from __future__ import annotations

from functools import cache

from trivium.domain.answers import Kind
from trivium.llm.prompt_files import prompt_named


def instruction(kind: Kind) -> str:
    """A sentence; "" for a kind that has no form of its own."""
    return _by_kind().get(kind, "")


@cache
def _by_kind() -> dict[str, str]:
    lines = (line.partition(": ") for line in prompt_named("answer_forms").text.splitlines())
    return {kind: said for kind, _, said in lines}
