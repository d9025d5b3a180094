"""What a language model makes of the relation types that were found: meanings, duplicates, gaps.

It proposes; names, duplicates, ends and numbers are checked afterwards as those of the rules are.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import RelationType, Targets
from trivium.graph_schema.names import RESERVED, is_name, named, said_by
from trivium.graph_schema.profile import Observed
from trivium.graph_schema.vocabulary import Meaning
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message
from trivium_query.answer.fence import fenced

PROMPT = prompt_named("schema")
MAX_TOKENS = 4096
TIMEOUT_S = 30.0  # half of what a request may take, unless configured otherwise
MAX_DEFINED = 100
SHOWN_TYPES = 100
SHOWN_ENDS = 3
PASSAGE_CHARS = 1000
MAX_SAID_CHARS = 200

_Text = Annotated[str, msgspec.Meta(max_length=2000)]


class DefinedType(msgspec.Struct, frozen=True):
    """One relation type."""

    name: _Text
    description: _Text
    domain: list[EntityType]
    range: list[EntityType]
    targets: Literal["one", "many", "unknown"]
    symmetric: bool
    same_as: Annotated[list[_Text], msgspec.Meta(max_length=MAX_DEFINED)]


class DefinedSchema(msgspec.Struct, frozen=True):
    """The schema of the collection."""

    domain_label: _Text
    types: Annotated[list[DefinedType], msgspec.Meta(max_length=MAX_DEFINED)]


class Definitions(msgspec.Struct, frozen=True):
    """What the model said, by what names say; `same_as` leads from a name to the one it is another of."""

    domain: str
    meanings: Mapping[str, Meaning]
    same_as: Mapping[str, str]
    added: tuple[RelationType, ...]


NOTHING_SAID = Definitions("", {}, {}, ())


async def definitions(llm: Llm, observed: Sequence[Observed], passages: Sequence[str]) -> Definitions:
    """Raises `TryLater` and `NeverWill` as the client does."""
    listed = "\n".join(map(_line, observed[:SHOWN_TYPES]))
    texts = [listed, *(text[:PASSAGE_CHARS] for text in passages)]
    messages = [Message("system", PROMPT.text), Message("user", fenced(texts, secrets.token_hex(8)))]
    written, _ = await llm.complete_json(messages, DefinedSchema, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S)
    return read(written, {one.name for one in observed})


def read(written: DefinedSchema, seen: set[str]) -> Definitions:
    """Without what has no name, or what is the graph's own."""
    kinds = [kind for kind in map(_type, written.types) if kind.name and kind.name not in RESERVED]
    meanings = {
        said_by(one.name): Meaning(one.targets, one.symmetric, one.description, one.domain, one.range) for one in kinds
    }
    same_as = {other: one.name for one in kinds for other in one.aliases if other in seen and one.name in seen}
    added = tuple(
        msgspec.structs.replace(one, aliases=()) for one in kinds if one.name not in seen and one.domain and one.range
    )
    return Definitions(_said(written.domain_label), meanings, same_as, added)


def _type(written: DefinedType) -> RelationType:
    name = written.name if is_name(written.name) else named(written.name)
    aliases = tuple(other for other in written.same_as if other != name)
    return RelationType(
        name,
        tuple(dict.fromkeys(written.domain)),
        tuple(dict.fromkeys(written.range)),
        Targets(written.targets),
        written.symmetric,
        aliases,
        _said(written.description),
    )


def _said(text: str) -> str:
    """One line without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:MAX_SAID_CHARS]


def _line(one: Observed) -> str:
    ends = sorted(one.ends.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_ENDS]
    shown = "; ".join(f"{source} to {target} {count} times" for (source, target), count in ends)
    return f"{one.name}: {one.relations} times; {shown}"
