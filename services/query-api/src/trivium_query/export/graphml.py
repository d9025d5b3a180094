"""GraphML (graphdrawing.org): a directed graph; parallel edges have ids of their own.

A topic is a node of type "topic"; its most telling members lead to it (MEMBER_OF), and it to its parent (PART_OF).

XML 1.0 cannot hold most control characters, not even escaped: they become U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trivium.domain.graph import Entity
from trivium.domain.ids import digest
from trivium.domain.topics import Topic
from trivium_query.export.parts import Part, Statement

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ENTITY = {"name": "string", "type": "string", "aliases": "string", "mentions": "int", "key": "string"}
_RELATION = {
    "relation": "string",
    "confidence": "double",
    "document_id": "string",
    "document": "string",
    "chunk_id": "string",
    "snippet": "string",
    "operation": "string",
}
_BETWEEN_ALIASES = "\n"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _keys() -> str:
    told = [("node", "n", name, kind) for name, kind in _ENTITY.items()]
    told += [("edge", "e", name, kind) for name, kind in _RELATION.items()]
    return "".join(
        f'<key id="{short}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>\n'
        for of, short, name, kind in told
    )


BEGINNING = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_NAMESPACE}">\n{_keys()}<graph edgedefault="directed">\n'
).encode()
END = b"</graph>\n</graphml>\n"


def written(parts: Iterable[Part]) -> bytes:
    """Nodes and edges, to stand between `BEGINNING` and `END`."""
    return b"".join(_node(part) if isinstance(part, Entity) else _edge(part) for part in parts)


def topics(all_of_them: Iterable[Topic]) -> bytes:
    """Nodes and edges behind those of the parts."""
    return b"".join(line for topic in all_of_them for line in _around(topic))


def _around(topic: Topic) -> Iterator[bytes]:
    told = (topic.name, "topic", _BETWEEN_ALIASES.join(topic.terms), str(topic.passages), "")
    yield _line("node", {"id": topic.id}, zip(_ENTITY, told, strict=True))
    for member in topic.members:
        yield _belongs(member.id, topic.id, "MEMBER_OF")
    if topic.parent:
        yield _belongs(topic.id, topic.parent, "PART_OF")


def _belongs(source: str, target: str, relation: str) -> bytes:
    ends = {"id": digest("belongs", source, target), "source": source, "target": target}
    return _line("edge", ends, [("relation", relation)])


def _node(entity: Entity) -> bytes:
    aliases = _BETWEEN_ALIASES.join(entity.aliases)
    told = (entity.name, entity.type.value, aliases, str(entity.mentions), entity.key)
    return _line("node", {"id": entity.id}, zip(_ENTITY, told, strict=True))


def _edge(one: Statement) -> bytes:
    told = (one.type, repr(one.confidence), one.document_id, one.document, one.chunk_id, one.snippet, one.operation)
    ends = {"id": one.id, "source": one.source, "target": one.target}
    return _line("edge", ends, zip(_RELATION, told, strict=True))


def _line(tag: str, attributes: dict[str, str], told: Iterable[tuple[str, str]]) -> bytes:
    from lxml import etree  # noqa: PLC0415 - 3 MB, and exports are seldom

    element = etree.Element(tag, attributes)
    for name, value in told:
        etree.SubElement(element, "data", {"key": f"{tag[0]}_{name}"}).text = _NOT_XML.sub("\ufffd", value)
    return etree.tostring(element, encoding="utf-8") + b"\n"
