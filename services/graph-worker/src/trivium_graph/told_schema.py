"""What a language model is told of the dataset's schema, and how its relations say which version that was.

The version is part of a relation's provenance (`llm:extract@1 schema@4`, and `schema@4:proposed` for what the version
did not know), and not of the stage's fingerprint: accepting a type reads no document again.
"""

from __future__ import annotations

from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import Compliance, GraphSchema, RelationType, Targets
from trivium.llm.prompt_files import prompt_named

PROMPT = prompt_named("extract_schema")
MAX_TOLD = 100  # types: the most frequent; every chunk's request carries them
NO_SCHEMA = GraphSchema("")


def told(schema: GraphSchema) -> str:
    """What follows the instructions: the types in force with their ends, "" where there are none.

    Names and types alone, no words from documents.
    """
    if not schema.types:
        return ""
    return "\n".join(["", PROMPT.text, *map(_line, schema.types[:MAX_TOLD])])


def in_force(schema: GraphSchema, name: str) -> str:
    """The type in force that `name` is another name of, or else itself."""
    kind = schema.type_named(name)
    return kind.name if kind else name


def mark(schema: GraphSchema, name: str, source: EntityType, target: EntityType) -> str:
    """What a relation's operation ends with."""
    compliance = schema.compliance(name, source, target)
    if compliance is Compliance.UNCHECKED:
        return ""
    return f" schema@{schema.active}{'' if compliance is Compliance.ACTIVE else f':{compliance}'}"


def _line(kind: RelationType) -> str:
    ends = f"{' or '.join(kind.domain)} -> {' or '.join(kind.range)}"
    more = ["one target"] if kind.targets is Targets.ONE else []
    more += ["both ways"] if kind.symmetric else []
    return f"- {kind.name}: {ends}" + (f" ({', '.join(more)})" if more else "")
