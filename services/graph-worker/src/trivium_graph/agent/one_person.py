"""A model may not join two persons whose facts differ: the check of merge_entity, over what was read so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from trivium.domain.errors import Refused
from trivium.domain.graph import Edge
from trivium.graph_tools.same_facts import Bearer, require_same_facts
from trivium.ports.graph import GraphReader
from trivium.text.names import fold_name
from trivium_graph.agent.record import OtherName, Question, Reading
from trivium_graph.llm_extract import ExtractedEntity, ExtractedRelation


async def require_one_person(
    graph: GraphReader,
    entity: ExtractedEntity,
    made: OtherName,
    others: Sequence[OtherName],
    stated: Iterable[ExtractedRelation],
) -> None:
    """Raises `Refused` (`facts_differ`). `others` are merges that hold already, `stated` what the graph may not say."""
    edges = [Edge(fold_name(each.source), fold_name(each.target), each.type, each.confidence) for each in stated]
    one = Bearer(entity.name, entity.type, _keys(fold_name(entity.name), others))
    await require_same_facts(graph, one, Bearer(made.into, made.into_type, _keys(made.into_key, others)), edges)


async def of_one_person(graph: GraphReader, readings: Sequence[Reading]) -> list[Reading]:
    """Without the merges that the document's later passages, or the graph by now, speak against.

    Each of these becomes a question for a person, which says what was joined and what speaks against it. A merge of a
    name that is no entity of its passage is left out.
    """
    stated = [relation for reading in readings for relation in reading.draft.relations]
    held: list[OtherName] = []
    left = []
    for reading in readings:
        entities = {fold_name(entity.name): entity for entity in reading.draft.entities}
        names, questions = [], list(reading.draft.questions)
        for name in reading.draft.names:
            entity, into = entities.get(fold_name(name.name)), entities.get(name.into_key)
            if entity is None:
                continue
            meant = msgspec.structs.replace(name, into_type=into.type) if into else name
            try:
                await require_one_person(graph, entity, meant, held, stated)
            except Refused as error:
                questions.append(
                    Question(name.name, f"Is it {name.into!r}? So it was read, and parted again: {error.message}")
                )
                continue
            names.append(name)
            held.append(name)
        draft = msgspec.structs.replace(reading.draft, names=tuple(names), questions=tuple(questions))
        left.append(msgspec.structs.replace(reading, draft=draft))
    return left


def _keys(key: str, merges: Sequence[OtherName]) -> tuple[str, ...]:
    """It, what it was merged into, and what was merged into either."""
    keys = {key}
    while more := {end for one in merges for end in _ends(one) if not keys.isdisjoint(_ends(one))} - keys:
        keys |= more
    return tuple(sorted(keys))


def _ends(one: OtherName) -> tuple[str, str]:
    return fold_name(one.name), one.into_key
