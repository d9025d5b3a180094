"""What language models are told: a file each in `prompts/`, its first line the version that answers and artifacts name.

A change of the words is a new version; tests/llm/test_prompts.py holds the digests.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

_VERSION = "version: "


class Prompt(msgspec.Struct, frozen=True):
    """The words, and `name@version`."""

    name: str
    version: int
    text: str

    @property
    def label(self) -> str:
        """As answers name it."""
        return f"{self.name}@{self.version}"


@cache
def prompt_named(name: str) -> Prompt:
    """That of `prompts/NAME.txt`."""
    said = resources.files("trivium.llm").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    version, _, text = said.partition("\n")
    return Prompt(name, int(version.removeprefix(_VERSION)), text.rstrip("\n"))
