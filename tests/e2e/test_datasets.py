"""Documents in named groups: asked about apart, kept apart, and deleted together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.domain.retrieval import Mode

from .conftest import Server

LETTER = "# Skerry Point\n\nThe lighthouse at Skerry Point was painted red by Ilse Brandt in 1931."

NOTE = "# Skerry Point\n\nThe lighthouse at Skerry Point. Ilse Brandt painted the lighthouse at Skerry Point."


@pytest.fixture(scope="module")
def harbour(server: Server) -> Server:
    """A letter in a dataset of its own, beside notes that say more about the same."""
    for number in range(30):
        server.take(f"notes/{number}.md", f"{NOTE} Note {number}.".encode(), dataset="notes")
    server.take("letter.md", LETTER.encode(), dataset="letters")
    return server


@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_a_dataset_of_one_document_is_found_by_each_mode(harbour: Server, mode: str) -> None:
    wanted = {"query": "Who painted the lighthouse at Skerry Point?", "mode": mode, "top_k": 3}
    with harbour.http() as client:
        found = client.post("/v1/search", json=wanted | {"filters": {"dataset": "letters"}}).json()
    assert [hit["chunk"]["source"] for hit in found["hits"]] == ["letter.md"]


def test_an_answer_of_one_dataset_cites_nothing_else(harbour: Server) -> None:
    answered = harbour.cli("ask", "When was the lighthouse at Skerry Point painted?", "--dataset", "letters").stdout
    assert "1931" in answered
    assert "notes/" not in answered
    shown = harbour.cli("search", "lighthouse", "--dataset", "letters").stdout
    assert ("letter.md" in shown, "notes/" in shown) == (True, False)


def test_a_document_is_not_taken_into_a_second_dataset(harbour: Server) -> None:
    with harbour.http() as client:
        refused = client.post("/v1/sources", files={"file": ("letter.md", LETTER.encode())})
        assert (refused.status_code, refused.json()["code"]) == (400, "other_dataset")
        listed = client.get("/v1/sources", params={"dataset": "letters"}).json()["sources"]
    assert [source["name"] for source in listed] == ["letter.md"]


def test_a_dataset_is_deleted_as_a_whole(tmp_path: Path, start_server: Callable[..., Server]) -> None:
    server = start_server()
    for name, dataset in (("a.txt", "old"), ("b.txt", "old"), ("c.txt", "new")):
        server.take(name, name.encode(), dataset=dataset)
    server.cli("delete", "--dataset", "old", "--yes")
    with server.http() as client:
        assert [source["name"] for source in client.get("/v1/sources").json()["sources"]] == ["c.txt"]
