"""RDF as N-Triples: entities with SKOS labels, relations as triples, and each statement reified with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from trivium.domain.graph import Entity
from trivium_query.export.parts import Part, Statement

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_DCTERMS = "http://purl.org/dc/terms/"
_OURS = "urn:trivium:"
_TYPE = NamedNode(f"{_RDF}type")


def written(parts: Iterable[Part]) -> bytes:
    """The triples of each part, in its order."""
    triples = (triple for part in parts for triple in _triples(part))
    return serialize(triples, format=RdfFormat.N_TRIPLES) or b""


def _triples(part: Part) -> Iterator[Triple]:
    return _of_entity(part) if isinstance(part, Entity) else _of_statement(part)


def _of_entity(entity: Entity) -> Iterator[Triple]:
    node = _entity(entity.id)
    yield Triple(node, _TYPE, NamedNode(f"{_OURS}type:{entity.type.value}"))
    yield Triple(node, NamedNode(f"{_SKOS}prefLabel"), Literal(entity.name))
    for alias in entity.aliases:
        yield Triple(node, NamedNode(f"{_SKOS}altLabel"), Literal(alias))
    yield Triple(node, NamedNode(f"{_OURS}mentions"), Literal(entity.mentions))


def _of_statement(one: Statement) -> Iterator[Triple]:
    source, target = _entity(one.source), _entity(one.target)
    relation = NamedNode(f"{_OURS}relation:{quote(one.type, safe='')}")
    yield Triple(source, relation, target)
    node = NamedNode(f"{_OURS}statement:{one.id}")
    yield Triple(node, _TYPE, NamedNode(f"{_RDF}Statement"))
    yield Triple(node, NamedNode(f"{_RDF}subject"), source)
    yield Triple(node, NamedNode(f"{_RDF}predicate"), relation)
    yield Triple(node, NamedNode(f"{_RDF}object"), target)
    yield Triple(node, NamedNode(f"{_OURS}confidence"), Literal(one.confidence))
    yield Triple(node, NamedNode(f"{_OURS}operation"), Literal(one.operation))
    yield Triple(node, NamedNode(f"{_OURS}snippet"), Literal(one.snippet))
    yield Triple(node, NamedNode(f"{_OURS}chunk"), Literal(one.chunk_id))
    if one.document_id:
        document = NamedNode(f"{_OURS}document:{one.document_id}")
        yield Triple(node, NamedNode(f"{_DCTERMS}source"), document)
        yield Triple(document, NamedNode(f"{_DCTERMS}title"), Literal(one.document))


def _entity(identity: str) -> NamedNode:
    return NamedNode(f"{_OURS}entity:{identity}")
