"""What is replaced or deleted is gone from every mode and place; what stays survives restarts unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trivium.domain.retrieval import Mode

from .conftest import Server

OLD = "# The beacon of Tarn Hollow\n\nThe beacon of Tarn Hollow is tended by Odalys Prant since 1990.\n"
NEW = "# The beacon of Tarn Hollow\n\nThe beacon of Tarn Hollow is tended by Tibor Wessel since 2020.\n"
OTHER = "# The ferry\n\nThe ferry below Tarn Hollow is steered by Mirela Strand, a sister of Tibor Wessel.\n"
QUESTIONS = ("Who tends the beacon of Tarn Hollow?", "Odalys Prant", "sister of Tibor Wessel")


def seen(server: Server) -> dict[str, Any]:
    """Everything that queries can tell: hits with scores and reasons in every mode, names, and passages."""
    found: dict[str, Any] = {
        f"{mode.value}: {question}": [_of(hit) for hit in server.search(question, mode, top_k=50)]
        for mode in Mode
        for question in QUESTIONS
    }
    with server.http() as client:
        entities = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
        found["names"] = entities
        found["pictures"] = [client.get(f"/v1/graph/entities/{entity['id']}").json() for entity in entities]
        sources = client.get("/v1/sources", params={"limit": 200}).json()["sources"]
        for source in sorted(sources, key=lambda source: str(source["name"])):
            found[source["name"]] = client.get(f"/v1/sources/{source['id']}/chunks").json()["chunks"]
    return found


def _of(hit: dict[str, Any]) -> dict[str, Any]:
    return {**hit, "score": round(hit["score"], 6), "sources": [(s["source"], s["rank"]) for s in hit["sources"]]}


def delete(server: Server, source: dict[str, Any]) -> None:
    with server.http() as client:
        assert client.delete(f"/v1/sources/{source['id']}").json()["state"] == "deleted"


@pytest.fixture
def tarn(server: Server) -> Server:
    """The module's server, with nothing in it."""
    with server.http() as client:
        for source in client.get("/v1/sources", params={"limit": 200}).json()["sources"]:
            client.delete(f"/v1/sources/{source['id']}")
    return server


def test_a_new_version_replaces_the_old_one_in_every_mode(tarn: Server) -> None:
    old = tarn.take("beacon.md", OLD)
    new = tarn.take("beacon.md", NEW)
    assert new["id"] == old["id"]
    assert new["active_version"] == new["version"] != old["version"]
    for mode in Mode:
        for question in QUESTIONS:
            hits = tarn.search(question, mode, top_k=50)
            assert {hit["chunk"]["version"] for hit in hits} <= {new["version"]}, mode
            assert "Odalys" not in str(hits)
        assert tarn.search(QUESTIONS[0], mode), mode
    with tarn.http() as client:
        assert client.get(f"/v1/sources/{new['id']}/content").text == NEW
        assert client.get("/v1/graph/entities", params={"prefix": "odalys"}).json()["entities"] == []
    assert "Tibor Wessel" in tarn.ask(QUESTIONS[0])["text"]


def test_the_way_back_to_an_older_version_is_another_upload(tarn: Server) -> None:
    tarn.take("beacon.md", OLD)
    first = seen(tarn)
    tarn.take("beacon.md", NEW)
    assert seen(tarn) != first
    tarn.take("beacon.md", OLD)
    assert seen(tarn) == first


def test_a_version_that_cannot_be_read_leaves_the_old_one_findable(tarn: Server) -> None:
    good = tarn.take("beacon.md", OLD)
    before = seen(tarn)
    bad = tarn.take("beacon.md", b"%PDF-1.7\n" + b"\x00\xff" * 100)
    assert bad["state"] == "failed"
    assert bad["active_version"] == good["version"]
    assert seen(tarn) == before
    assert "Odalys Prant" in tarn.ask(QUESTIONS[0])["text"]
    with tarn.http() as client:
        assert client.get(f"/v1/sources/{good['id']}/content").text == OLD


def test_the_same_bytes_again_change_nothing(tarn: Server) -> None:
    first = tarn.take("beacon.md", OLD)
    before = seen(tarn)
    again = tarn.take("beacon.md", OLD)
    assert again == first
    assert seen(tarn) == before


def test_a_deleted_document_leaves_nothing_and_comes_back_the_same(tarn: Server) -> None:
    source = tarn.take("beacon.md", OLD)
    before = seen(tarn)
    delete(tarn, source)
    assert all(value == [] for value in seen(tarn).values())
    with tarn.http() as client:
        for end in ("", "/content", "/chunks", "/content?chunk=1"):
            assert client.get(f"/v1/sources/{source['id']}{end}").status_code == 404
    back = tarn.take("beacon.md", OLD)
    assert (back["id"], back["version"]) == (source["id"], source["version"])
    assert seen(tarn) == before


def test_deleting_one_of_two_leaves_what_the_other_alone_would_give(tarn: Server) -> None:
    tarn.take("ferry.md", OTHER)
    alone = seen(tarn)
    beacon = tarn.take("beacon.md", NEW)
    assert seen(tarn) != alone
    delete(tarn, beacon)
    assert seen(tarn) == alone


def test_a_document_deleted_while_it_is_read_does_not_come_back(tarn: Server) -> None:
    with tarn.http() as client:
        for number in range(10):
            answer = client.post("/v1/sources", files={"file": (f"race-{number}.md", OLD)})
            assert client.delete(f"/v1/sources/{answer.json()['id']}").status_code == 200
    tarn.wait_idle()
    tarn.take("after.txt", "Something else.")
    assert "Odalys" not in str(list(seen(tarn).values()))


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_restart_keeps_everything(start_server: Callable[..., Server], ending: str) -> None:
    server = start_server()
    server.take("beacon.md", OLD)
    server.take("beacon.md", NEW)
    server.take("ferry.md", OTHER)
    gone = server.take("gone.md", OLD)
    delete(server, gone)
    with server.http() as client:
        talk = client.post("/v1/conversations").json()["id"]
        client.post(f"/v1/conversations/{talk}/queries", json={"question": QUESTIONS[0]})
        conversation = client.get(f"/v1/conversations/{talk}").json()
    before = seen(server)
    getattr(server, ending)()
    server.start()
    assert seen(server) == before
    with server.http() as client:
        assert client.get(f"/v1/conversations/{talk}").json() == conversation
        assert client.get(f"/v1/sources/{gone['id']}").status_code == 404
    assert server.wait_idle()["ready"] == 2
