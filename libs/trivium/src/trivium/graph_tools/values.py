"""What arguments and results of several tools share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from trivium.api import ONE_LINE, Input
from trivium.domain.edits import MAX_WHY_CHARS

MAX_REFERENCE_CHARS = 200
MAX_SNIPPET_CHARS = 2000
MAX_EVIDENCE = 20
MAX_TYPE_CHARS = 64

Reference = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_REFERENCE_CHARS,
        pattern=ONE_LINE,
        description="An entity: its name, one of its other names, or its id.",
        examples=["Ada Lovelace"],
    ),
]
NewName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_REFERENCE_CHARS,
        pattern=ONE_LINE,
        description="A name as it shall be written.",
        examples=["Ada Lovelace"],
    ),
]
RelationType = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_TYPE_CHARS,
        pattern=ONE_LINE,
        description="What the relation is, in upper snake case.",
        examples=["WORKS_FOR"],
    ),
]
Why = Annotated[str, Meta(max_length=MAX_WHY_CHARS, description="The reason, for who looks at it later.")]
Confidence = Annotated[float, Meta(ge=0, le=1, description="How sure it is; relations below 0.6 are refused.")]
Limit = Annotated[int, Meta(ge=1, le=100, description="How many at most.")]


class Passage(Input, frozen=True):
    """The passage that something rests on."""

    chunk_id: Annotated[str, Meta(max_length=64, description="The passage's id.")]
    snippet: Annotated[
        str,
        Meta(max_length=MAX_SNIPPET_CHARS, description="The words that say so, exactly as they stand in the passage."),
    ] = ""


Passages = Annotated[tuple[Passage, ...], Meta(max_length=MAX_EVIDENCE, description="What it rests on.", examples=[[]])]


class NamedRelation(Input, frozen=True):
    """A relation between two entities; it points from `source` to `target`."""

    source: Reference
    type: RelationType
    target: Reference
