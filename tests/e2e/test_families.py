"""A source and what is inside it, over HTTP: listed together, deleted together."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from zip_files import zipped

from trivium.v1 import ingest_pb2 as pb
from trivium.v1.ingest_pb2_grpc import IngestServiceStub

from .conftest import Server

GATE = b"The gate of the Marrick lock weighs 830 kilograms."


def inside(server: Server, source: dict[str, Any]) -> list[dict[str, Any]]:
    with server.http() as client:
        found = client.get("/v1/sources", params={"parent": source["id"]}).json()["sources"]
    return [server.settled(child["id"]) for child in found]


def test_what_is_inside_a_source_is_listed_handed_back_and_deleted_with_it(server: Server) -> None:
    outer = server.take(
        "lock.zip", zipped({"inner.zip": zipped({"gate.txt": GATE}), "readme.md": b"# Lock\n\nMarrick."})
    )
    assert (outer["state"], outer["children"]) == ("ready", 2)
    children = {child["name"]: child for child in inside(server, outer)}
    assert set(children) == {"lock.zip > inner.zip", "lock.zip > readme.md"}
    (gate,) = inside(server, children["lock.zip > inner.zip"])
    assert (gate["name"], gate["parent"]) == (
        "lock.zip > inner.zip > gate.txt",
        children["lock.zip > inner.zip"]["id"],
    )
    with server.http() as client:
        content = client.get(f"/v1/sources/{gate['id']}/content")
        assert content.content == GATE
        assert content.headers["content-disposition"].endswith("gate.txt")
    with server.channel() as channel:
        listed = IngestServiceStub(channel).ListSources(pb.ListSourcesRequest(parent=outer["id"]), timeout=30)
    assert {source.name for source in listed.sources} == set(children)
    assert "830" in server.ask("How much does the gate of the Marrick lock weigh?")["text"]

    with server.http() as client:
        assert client.delete(f"/v1/sources/{outer['id']}").json()["state"] == "deleted"
        assert client.get("/v1/sources").json()["sources"] == []
        for gone in (outer, gate, *children.values()):
            assert client.get(f"/v1/sources/{gone['id']}").status_code == 404
    assert server.search("Marrick lock gate") == []


def test_a_hostile_archive_ends_as_a_reason_or_a_warning(server: Server) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"\0" * 30_000_000)
    assert server.take("bomb.zip", bomb.getvalue())["reason"]["code"] == "limit_exceeded"
    climbing = server.take("climbing.zip", zipped({"../../etc/passwd": b"root", "fine.txt": b"All is well."}))
    assert climbing["state"] == "ready"
    assert "leads out" in climbing["warnings"][0]
    assert [child["name"] for child in inside(server, climbing)] == ["climbing.zip > fine.txt"]
