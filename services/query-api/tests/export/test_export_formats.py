"""Each format is read back by a library that is not the one which wrote it, whatever names and snippets hold."""

from __future__ import annotations

import io
import json
import re

import msgspec
import networkx
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.exports import ExportFormat
from trivium.domain.graph import Entity, EntityType
from trivium_query.export.formats import FORMATS
from trivium_query.export.parts import Part, Statement

HOSTILE = (
    'Robert"); DETACH DELETE n; //',
    "it's \\u0022 \\\\ `back` 'ticks'",
    "two\nlines\r\nand\ta tab",
    "]]> <!-- &amp; <script>",
    "\x00\x01\x1b[2J\ufffe\uffff",
    "\u202eright to left\U0001f600",
    '<urn:x> <urn:y> "z"@en .',
    " ",
    "",
)
texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def entity(number: int, name: str, *aliases: str) -> Entity:
    return Entity(f"{number:032x}", name, name, EntityType.PERSON, aliases, number, 1)


def statement(number: int, source: Entity, target: Entity, kind: str, snippet: str) -> Statement:
    where = ("d" * 32, snippet, "c" * 32)
    return Statement(f"{number:032x}", source.id, target.id, kind, 0.75, *where, snippet, snippet)


def file_of(form: ExportFormat, parts: list[Part]) -> bytes:
    writing = FORMATS[form]
    return writing.beginning + writing.parts(parts[:1]) + writing.parts(parts[1:]) + writing.end


def world(name: str, kind: str, snippet: str) -> tuple[list[Entity], list[Statement]]:
    ones = [entity(1, name, snippet, "alias"), entity(2, "Plain")]
    return ones, [statement(n, *ones, kind, snippet) for n in (7, 8)]


@given(texts, texts, texts)
def test_json_lines_hold_everything(name: str, kind: str, snippet: str) -> None:
    entities, relations = world(name, kind, snippet)
    lines = [json.loads(line) for line in file_of(ExportFormat.JSONL, [*entities, *relations]).split(b"\n")[:-1]]
    assert [line["kind"] for line in lines] == ["entity", "entity", "relation", "relation"]
    assert (lines[0]["name"], lines[0]["aliases"]) == (name, [snippet, "alias"])
    assert (lines[2]["type"], lines[2]["snippet"], lines[2]["source"]) == (kind, snippet, entities[0].id)


@given(texts, texts, texts)
def test_graphml_is_read_by_networkx(name: str, kind: str, snippet: str) -> None:
    def told(text: str) -> str | None:  # XML reads line ends as line feeds unless escaped, and empty text as none
        return _NOT_XML.sub("\ufffd", text) or None

    entities, relations = world(name, kind, snippet)
    content = io.BytesIO(file_of(ExportFormat.GRAPHML, [*entities, *relations]))
    graph = networkx.read_graphml(content, edge_key_type=str, force_multigraph=True)
    assert sorted(graph.nodes) == [one.id for one in entities]
    assert (graph.nodes[entities[0].id].get("name") or None) == told(name)
    edges = graph.get_edge_data(entities[0].id, entities[1].id)
    assert sorted(edges) == [one.id for one in relations]
    first = edges[relations[0].id]
    assert (first.get("relation") or None, first["confidence"]) == (told(kind), 0.75)
    assert (first.get("snippet") or None) == told(snippet)


@given(texts, texts, texts)
def test_n_triples_are_read_by_rdflib(name: str, kind: str, snippet: str) -> None:
    entities, relations = world(name, kind, snippet)
    graph = rdflib.Graph().parse(data=file_of(ExportFormat.RDF, [*entities, *relations]), format="nt")
    subject = rdflib.URIRef(f"urn:trivium:entity:{entities[0].id}")
    assert graph.value(subject, rdflib.SKOS.prefLabel) == rdflib.Literal(name)
    assert set(graph.objects(subject, rdflib.SKOS.altLabel)) == {rdflib.Literal(snippet), rdflib.Literal("alias")}
    said = rdflib.URIRef(f"urn:trivium:statement:{relations[0].id}")
    assert graph.value(said, rdflib.RDF.subject) == subject
    assert graph.value(said, rdflib.URIRef("urn:trivium:snippet")) == rdflib.Literal(snippet)
    assert (subject, graph.value(said, rdflib.RDF.predicate), None) in graph


def test_what_an_edit_states_by_itself_is_of_no_document_in_n_triples() -> None:
    one, other = entity(1, "Ada"), entity(2, "Babbage")
    told = msgspec.structs.replace(statement(7, one, other, "KNOWS", ""), document_id="", document="")
    graph = rdflib.Graph().parse(data=file_of(ExportFormat.RDF, [one, other, told]), format="nt")
    assert (rdflib.URIRef(f"urn:trivium:entity:{one.id}"), None, None) in graph
    assert not list(graph.subject_objects(rdflib.DCTERMS.source))
    assert not list(graph.subject_objects(rdflib.DCTERMS.title))


@given(texts, texts, texts)
def test_cypher_is_one_ascii_statement_a_line_whose_strings_hold_every_text(name: str, kind: str, snippet: str) -> None:
    entities, relations = world(name, kind, snippet)
    lines = file_of(ExportFormat.CYPHER, [*entities, *relations]).decode("ascii").split("\n")
    assert len(lines) == 6
    assert all(line.endswith(";") for line in lines[:-1])
    bare = [re.sub(r'"(?:[^"\\]|\\.)*"', '""', line) for line in lines[1:5]]
    assert len(set(bare[:1])) == len(set(bare[2:])) == 1  # nothing of the text is outside a string
    assert bare[0].startswith('MERGE (n:TriviumEntity {id: ""}) SET n += {name: ""')


@pytest.mark.parametrize("form", ExportFormat)
def test_an_empty_graph_is_a_file_that_can_be_read(form: ExportFormat) -> None:
    writing = FORMATS[form]
    content = writing.beginning + writing.parts([]) + writing.end
    if form is ExportFormat.GRAPHML:
        assert len(networkx.read_graphml(io.BytesIO(content)).nodes) == 0
    else:
        assert content in (b"", writing.beginning)
