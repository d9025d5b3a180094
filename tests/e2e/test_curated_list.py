"""A curated list of entities, their other names and relations is imported as edits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Server

REPORT = (
    "# The report of 2024\n\nO. Prant counted salmon below Tarn Hollow. O. Prant works for the Oxley Water Board.\n\n"
    "Karla Vosk lives in Kelmore.\n"
)
LIST = (
    "\ufeffName;Type;Aliases\r\n"
    "Odalys Prant;person;O. Prant | Prant\r\n"
    "Oxley Water Board;organization;OWB|The Board of Oxley\r\n"
    "Grey Weir;;Old Weir\r\n"
)


@pytest.fixture(scope="module")
def river(server: Server) -> Server:
    server.take("report.md", REPORT)
    return server


def imported(server: Server, file: Path, *options: str, code: int = 0) -> dict[str, Any]:
    ran = server.cli("graph", "import", str(file), "--json", *options, check=False)
    assert ran.returncode == code, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def entities(server: Server) -> dict[str, dict[str, Any]]:
    with server.http() as client:
        listed = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
    return {entity["name"]: entity for entity in listed}


def test_a_list_names_what_documents_call_otherwise_and_can_be_undone(river: Server, tmp_path: Path) -> None:
    before = entities(river)
    file = tmp_path / "list.csv"
    file.write_text(LIST, encoding="utf-8", newline="")
    told = imported(river, file, "--dry-run")
    assert (told["created"], told["renamed"], told["records"]) == (1, 1, [])
    assert entities(river) == before
    told = imported(river, file, "--why", "the board's register")
    assert [told[name] for name in ("created", "renamed", "named", "refused")] == [1, 1, 4, []]
    now = entities(river)
    assert now["Odalys Prant"]["mentions"] == before["O. Prant"]["mentions"]
    assert {"O. Prant", "Prant"} <= set(now["Odalys Prant"]["aliases"])
    assert now["Grey Weir"]["type"] == "concept"
    assert "the board's register" in river.cli("graph", "why", "OWB").stdout
    again = imported(river, file)
    assert (again["unchanged"], again["records"]) == (3, [])
    for record in told["records"]:
        river.cli("graph", "undo", record)
    assert entities(river) == before


def test_what_one_place_exports_another_imports(
    river: Server, start_server: Callable[..., Server], tmp_path: Path
) -> None:
    file = tmp_path / "graph.jsonl"
    river.cli("graph", "export", "-o", str(file))
    relations = {
        (it["source"], it["type"], it["target"])
        for it in map(json.loads, file.read_text().splitlines())
        if it["kind"] == "relation" and it["type"] != "CO_OCCURS_WITH"
    }
    assert relations
    other = start_server("other")
    told = imported(other, file)
    assert (told["created"], told["related"]) == (len(entities(river)), len(relations))
    assert entities(other).keys() == entities(river).keys()
    told = imported(other, file)
    assert (told["created"], told["related"], told["records"]) == (0, 0, [])


def test_a_name_that_another_thing_has_is_refused_and_the_other_rows_count(river: Server, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("name,aliases\nMill Bridge,Brand Bridge\n")
    imported(river, file)
    file.write_text("name,type,aliases\nTown Hall,location,\nLong Bridge,location,Brand Bridge\n")
    told = imported(river, file, code=1)
    assert [(row["line"], row["code"]) for row in told["refused"]] == [(3, "name_taken")]
    assert "Mill Bridge" in told["refused"][0]["message"]
    assert "Town Hall" in entities(river)
    assert "Long Bridge" not in entities(river)


def test_a_title_that_is_no_name_is_refused_and_the_other_rows_of_an_export_count(
    river: Server, tmp_path: Path
) -> None:
    file = tmp_path / "graph.jsonl"
    names = ["What is a fish ladder?", "Ladder Hall"]
    file.write_text("\n".join(json.dumps({"kind": "entity", "name": name, "type": "concept"}) for name in names))
    told = imported(river, file, code=1)
    assert [(row["line"], row["code"]) for row in told["refused"]] == [(1, "name_refused")]
    assert entities(river).keys() & set(names) == {"Ladder Hall"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no rows"),
        ("titel,art\nX,person\n", "Name them name, type, aliases."),
        ("name,type\nIlse Brandt,wizard\n", "Types are person, organization"),
        ("name,aliases\nIlse Brandt,Brandt\nKarl Brandt,Brandt\n", "'brandt' stands in line 2 too"),
        ("name\nIlse Brandt,person\n", "more cells than columns"),
        ('{"kind": "entity", "name": "Ilse Brandt"}\n{"kind": \n', "Line 2"),
        ('{"kind": "relation", "source": "A"}\n', "Line 1"),
        ("name\nf(x) = 3\n", "cannot be the name of an entity"),
    ],
)
def test_a_bad_list_says_which_line_and_nothing_is_imported(
    river: Server, tmp_path: Path, text: str, said: str
) -> None:
    before = entities(river)
    file = tmp_path / "list.csv"
    file.write_text(text)
    ran = river.cli("graph", "import", str(file), check=False)
    assert ran.returncode != 0
    assert said in " ".join(ran.stderr.split())
    assert entities(river) == before
