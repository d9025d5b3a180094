"""A stranger gives the graph of examples/ a schema: proposed, accepted, evolved, refused."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import EXAMPLES, Server

FILES = ("people.html", "weir-removal-plan.docx", "field-guide.md")


@pytest.fixture(scope="module")
def river(server: Server) -> Server:
    for name in FILES:
        assert server.take(name, (EXAMPLES / "files" / name).read_bytes())["state"] == "ready"
    return server


def test_a_schema_is_proposed_accepted_and_evolves(river: Server) -> None:
    assert "has no schema" in river.cli("graph", "schema", "show").stderr
    told = river.cli("graph", "schema", "show", "--dataset", "staff-2").stderr
    assert told.endswith("Have one proposed with: trivium graph schema propose --dataset staff-2\n")
    told = river.cli("graph", "schema", "propose", "--dataset", "staff-2").stderr
    assert "Nothing was found to propose for staff-2" in told
    refused = river.cli("graph", "schema", "accept", "--dataset", "staff-2", check=False)
    assert "Nothing is proposed.\nHave something proposed with: trivium graph schema propose" in refused.stderr
    told = river.cli("graph", "export", "--dataset", "staff-2").stderr
    assert told.startswith("There is nothing to export of dataset staff-2.")
    assert "dataset staff-2" in river.cli("graph", "topics", "--dataset", "staff-2").stderr
    proposed = river.cli("graph", "schema", "propose").stdout
    assert "BUILT  person -> location" in proposed
    assert "“Ilse Brandt built the fish ladder at Corrin Gorge”  people.html" in proposed
    refused = river.cli("graph", "schema", "accept", check=False)
    assert (refused.returncode != 0, "Nothing is proposed that has no problem" in refused.stderr) == (True, True)
    accepted = river.cli("graph", "schema", "accept", "LED_BY", "--by", "ana", "--why", "we need to know who leads")
    assert "Version 2 by person ana: accepted LED_BY (we need to know who leads)" in accepted.stdout

    shown = river.cli("graph", "show", "Ilse Brandt").stdout
    assert "harrow weir LED_BY ilse brandt:" in shown
    assert "ilse brandt BUILT corrin gorge (proposed):" in shown

    difference = river.cli("graph", "schema", "diff", "0", "2").stdout
    assert "+ LED_BY  location -> person" in difference
    with river.http() as client:
        late = client.post("/v1/graph/schema/accept", json={"names": ["BUILT"], "number": 1})
        assert (late.status_code, late.json()["code"]) == (409, "schema_changed")
        seen = client.get("/v1/graph/schema").json()
        assert ([kind["name"] for kind in seen["types"]], seen["number"], seen["active"]) == (["LED_BY"], 2, 2)
        assert "BUILT" in [one["type"]["name"] for one in seen["proposed"]]
        again = client.post("/v1/graph/schema/propose").json()
        assert again["number"] == 2  # nothing new is no version


def test_what_a_deleted_document_said_is_in_no_schema(river: Server) -> None:
    note = "Mira Quill works for Harrow Trust."
    for number in range(3):
        river.take(f"staff-{number}.txt", f"{note} Note {number} of the reserve.", dataset="staff")
    with river.http() as client:
        made = client.post("/v1/graph/schema/propose", json={"dataset": "staff"}).json()
        [one] = [one for one in made["proposed"] if one["type"]["name"] == "WORKS_FOR"]
        assert (one["type"]["domain"], one["type"]["range"], one["problems"]) == (["person"], ["organization"], [])
        assert {example["place"]["source"] for example in one["type"]["examples"]} == {
            f"staff-{number}.txt" for number in range(3)
        }
        stored = [
            path.read_text() for path in river.data_dir.glob("tenants/default/objects/schemas*/**/*") if path.is_file()
        ]
        assert stored
        assert not any("Quill" in text or "quill" in text for text in stored)
        for source in client.get("/v1/sources", params={"dataset": "staff"}).json()["sources"]:
            client.delete(f"/v1/sources/{source['id']}")
        [left] = client.get("/v1/graph/schema", params={"dataset": "staff"}).json()["proposed"]
        assert left["type"].get("examples", []) == []
        gone = client.post("/v1/graph/schema/propose", json={"dataset": "staff"}).json()
        assert gone["proposed"] == []


def test_a_dataset_whose_relations_are_alike_is_of_the_domain_of_the_other_and_told_what_is_known_there(
    river: Server,
) -> None:
    texts = {
        "crew": ("Odalys Prant works for Oxley Trust.", "Mira Quill works for Harrow Trust."),
        "guides": ("Tomas Vey works for Solway Trust.", "Orrin Vale works for Kelmore Trust."),
        "births": ("Ada Keller was born in Oslo.", "Maren Tuck was born in Bergen."),
    }
    for dataset, sentences in texts.items():
        for number, sentence in enumerate(sentences):
            river.take(f"{dataset}-{number}.txt", f"{sentence} Note {number} of {dataset}.", dataset=dataset)
    with river.http() as client:

        def propose(dataset: str, **of: object) -> dict[str, Any]:
            answer = client.post("/v1/graph/schema/propose", json={"dataset": dataset, **of})
            assert answer.status_code == 200, answer.text
            schema: dict[str, Any] = answer.json()
            return schema

        crew = propose("crew")
        assert crew["domain"] == "organization, person: works for"
        written = {"name": "WORKS_FOR", "domain": ["person"], "range": ["organization"]}
        propose("crew", types=[{**written, "targets": "one", "description": "who pays a person"}])
        client.post("/v1/graph/schema/accept", json={"dataset": "crew", "names": ["WORKS_FOR"]}).raise_for_status()
        guides, births = propose("guides"), propose("births")
    assert guides["domain"] == crew["domain"]
    [alike] = [one["type"] for one in guides["proposed"] if one["type"]["name"] == "WORKS_FOR"]
    assert (alike["targets"], alike["description"]) == ("one", "who pays a person")
    assert births["domain"] == "location, person: born in"
    [other] = [one["type"] for one in births["proposed"] if one["type"]["name"] == "BORN_IN"]
    assert other["description"] != "who pays a person"


def test_what_was_rejected_of_a_type_in_force_is_told(river: Server) -> None:
    def schema(command: str, *arguments: str) -> str:
        return river.cli("graph", "schema", command, *arguments, "--dataset", "fleet").stdout

    ends = ("OWNS", "--from", "person", "--to", "technology")
    schema("propose", *ends)
    schema("accept")
    schema("propose", *ends, "--to", "organization", "--targets", "one")
    schema("reject", "OWNS")
    assert "Rejected: OWNS (· -> organization, one target)\n" in schema("show")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("accept", "WORKS_AT"), "Nothing is proposed under the name 'WORKS_AT'"),
        (("propose", "works for", "--from", "person", "--to", "organization"), "Write it as WORKS_FOR"),
        (("propose", "LEADS"), "Name at least one type of its source"),
        (("propose", "--from", "person"), "Say its NAME first"),
        (("show", "--version", "99"), "has no version 99"),
        (("diff", "5", "6"), "has no version 6"),
        (("show", "--dataset", "../x"), "dataset"),
    ],
)
def test_a_tired_person_is_told_what_to_do(river: Server, arguments: tuple[str, ...], told: str) -> None:
    refused = river.cli("graph", "schema", *arguments, check=False)
    assert refused.returncode != 0
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr
