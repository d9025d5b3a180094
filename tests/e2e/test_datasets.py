"""Documents in named groups: asked about apart, kept apart, and deleted together."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.client import TriviumClient
from trivium.domain.retrieval import Mode
from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium.within import Within

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


def test_the_datasets_are_listed_with_what_is_in_them(harbour: Server) -> None:
    table = [line.split() for line in harbour.cli("datasets").stdout.splitlines()]
    assert [row[:2] for row in table] == [["dataset", "documents"], ["letters", "1"], ["notes", "30"]]
    told = [json.loads(line) for line in harbour.cli("datasets", "--json").stdout.splitlines()]
    with TriviumClient(harbour.url) as client, harbour.channel() as channel:
        assert [each.name for each in client.all_datasets()] == [each["name"] for each in told]
        first = client.datasets(limit=1)
        assert [each.name for each in first.datasets] == ["letters"]
        assert [each.name for each in client.datasets(limit=1, cursor=first.cursor).datasets] == ["notes"]
        same = ingest_pb2_grpc.IngestServiceStub(channel).ListDatasets(ingest_pb2.ListDatasetsRequest())
        passages = {
            each.id: sum(1 for _ in client.chunks(each.id)) for each in client.all_sources(within=Within("notes"))
        }
    assert [(each.name, each.documents, each.chunks) for each in same.datasets] == [
        tuple(each.values()) for each in told
    ]
    assert told[1] == {"name": "notes", "documents": 30, "chunks": sum(passages.values())}


def test_a_document_moves_to_another_dataset_without_being_read_again(
    tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    server = start_server()
    (tmp_path / "letter.md").write_text(LETTER)
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        archive.writestr("inside.md", NOTE)
    at = ("--root", str(tmp_path))
    server.cli("ingest", str(tmp_path / "letter.md"), str(tmp_path / "old.zip"), *at)
    refused = server.cli("ingest", str(tmp_path / "letter.md"), *at, "--dataset", "letters", check=False)
    assert (refused.returncode, "trivium ingest --move" in refused.stderr) == (1, True)
    kept = {path: path.stat().st_mtime_ns for path in artifacts_of(server) if "publish" not in path.name}
    moved = server.cli(
        "ingest", str(tmp_path / "letter.md"), str(tmp_path / "old.zip"), *at, "--dataset", "letters", "--move"
    )
    assert "3 ready" in moved.stdout
    with server.http() as client:
        listed = client.get("/v1/sources", params={"dataset": "letters"}).json()["sources"]
    assert {source["name"] for source in listed} == {"letter.md", "old.zip", "old.zip > inside.md"}
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    made = {path.name.partition("-")[0] for path in set(artifacts_of(server)) - kept.keys()}
    assert made <= {"index", "link", "publish"}
    for mode in Mode:
        within = server.search("Who painted the lighthouse?", mode, filters={"dataset": "letters"})
        assert {hit["chunk"]["source"] for hit in within} >= {"letter.md", "old.zip > inside.md"}, mode
        assert not server.search("Who painted the lighthouse?", mode, filters={"dataset": "default"}), mode
    server.stop()
    server.cli("audit")


def artifacts_of(server: Server) -> list[Path]:
    return [path for path in server.data_dir.glob("tenants/*/objects/artifacts+/**/*") if path.is_file()]


def test_a_dataset_and_a_run_are_deleted_page_by_page(server: Server) -> None:
    for number in range(7):
        server.take(f"many/{number}.txt", b"One of many.", dataset="many", run="odd" if number % 2 else "even")
    with server.http() as client:
        nothing = client.delete("/v1/sources")
        assert (nothing.status_code, nothing.json()["code"]) == (422, "invalid_request")
        gone = client.delete("/v1/sources", params={"dataset": "many", "run": "odd"}).json()
        assert (gone["deleted"], gone["done"]) == (3, True)
        again = client.delete("/v1/sources", params={"dataset": "many", "run": "odd"}).json()
        assert (again["deleted"], again["done"]) == (0, True)
    with server.channel() as channel:
        ingests = ingest_pb2_grpc.IngestServiceStub(channel)
        told = ingests.DeleteSources(ingest_pb2.DeleteSourcesRequest(dataset="many"))
        assert (told.deleted, told.done) == (4, True)
    told = server.cli("delete", "--dataset", "many", "--yes", check=False)
    assert "There is no document in dataset many" in told.stderr


def test_a_dataset_is_deleted_as_a_whole(tmp_path: Path, start_server: Callable[..., Server]) -> None:
    server = start_server()
    for name, dataset in (("a.txt", "old"), ("b.txt", "old"), ("c.txt", "new")):
        server.take(name, name.encode(), dataset=dataset)
    server.cli("delete", "--dataset", "old", "--yes")
    with server.http() as client:
        assert [source["name"] for source in client.get("/v1/sources").json()["sources"]] == ["c.txt"]
