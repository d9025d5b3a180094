"""Keys given and taken back, and what the trail says of it, over HTTP and gRPC."""

from __future__ import annotations

import grpc
import httpx2
import pytest

from trivium.access.stored_keys import StoredKeys
from trivium.access.trail import Trail
from trivium.config import Settings
from trivium.domain.errors import TryLater
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import access_pb2 as pb
from trivium.v1 import (
    access_pb2_grpc,
    graph_pb2,
    graph_pb2_grpc,
    ingest_pb2,
    ingest_pb2_grpc,
    query_pb2,
    query_pb2_grpc,
)
from trivium_query.requests import Services

ALPHA = {"x-api-key": "alpha"}


@pytest.fixture
def settings() -> Settings:
    return Settings(api_keys="default:alpha,other:beta")


async def test_an_administrator_gives_a_key_sees_its_use_and_takes_it_back(client: httpx2.AsyncClient) -> None:
    made = await client.post("/v1/keys", json={"name": "Mira", "role": "writer", "expires_in_s": 3600}, headers=ALPHA)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    secret, key = made.json()["secret"], made.json()["key"]
    mira = {"authorization": f"Bearer {secret}"}
    taken = await client.post("/v1/sources", files={"file": ("mira.txt", b"a secret sentence")}, headers=mira)
    source = taken.json()["sources"][0]["id"]
    assert (await client.delete(f"/v1/sources/{source}", headers=mira)).status_code == 200
    rotated = (await client.post(f"/v1/keys/{key['id']}/rotate", headers=ALPHA)).json()
    assert rotated["key"]["role"] == "writer"
    revoked = await client.delete(f"/v1/keys/{rotated['key']['id']}", headers=ALPHA)
    assert revoked.json()["ended_at"]
    listed = (await client.get("/v1/keys", headers=ALPHA)).json()["keys"]
    assert [one["id"] for one in listed] == [rotated["key"]["id"], key["id"]]
    assert listed[1]["used_at"] > key["created_at"] - 1
    assert secret.rpartition(".")[2] not in str(listed)

    page = (await client.get("/v1/trail", headers=ALPHA)).json()
    told = [(one["key_id"], one["by"], one["action"], one["targets"]) for one in page["entries"]]
    assert told == [
        ("environment-1", "", "key.create", [key["id"]]),
        (key["id"], "Mira", "source.add", [source]),
        (key["id"], "Mira", "source.delete", [source]),
        ("environment-1", "", "key.rotate", [key["id"], rotated["key"]["id"]]),
        ("environment-1", "", "key.revoke", [rotated["key"]["id"]]),
    ]
    assert {one["outcome"] for one in page["entries"]} == {"done"}
    assert "sentence" not in str(page)
    assert "mira.txt" not in str(page)
    assert (await client.get("/v1/trail", headers={"x-api-key": "beta"})).json()["entries"] == []


async def test_an_administrator_sees_what_a_readers_key_was_used_for(
    client: httpx2.AsyncClient, channel: grpc.aio.Channel, services: Services, engine: str
) -> None:
    made = (await client.post("/v1/keys", json={"name": "Mira"}, headers=ALPHA)).json()
    mira = {"x-api-key": made["secret"]}
    for _ in range(2):
        assert (await client.post("/v1/search", json={"query": "engine"}, headers=mira)).status_code == 200
    await client.post("/v1/queries", json={"question": "Who designed the engine?"}, headers=mira)
    await client.get(f"/v1/sources/{engine}/chunks", headers=mira)
    await client.post("/v1/graph/tools/search_kg", json={"query": "ada"}, headers=mira)
    assert (await client.delete(f"/v1/sources/{engine}", headers=mira)).status_code == 403
    assert (await client.get("/v1/sources", headers={"x-api-key": "trv.nonsense"})).status_code == 401
    query = query_pb2_grpc.QueryServiceStub(channel)
    await query.Search(query_pb2.SearchRequest(query="engine"), metadata=tuple(mira.items()))
    with pytest.raises(grpc.aio.AioRpcError, match="reader"):
        await graph_pb2_grpc.GraphServiceStub(channel).RunTool(
            graph_pb2.RunToolRequest(name="delete_entity", arguments="{}"), metadata=tuple(mira.items())
        )
    expected = {"search": 3, "ask": 1, "read": 1, "graph.search_kg": 1, "refused": 2}
    listed = (await client.get("/v1/keys", headers=ALPHA)).json()["keys"]
    assert [key["uses"] for key in listed] == [expected]
    assert listed[0]["used_at"] >= made["key"]["created_at"]
    access = access_pb2_grpc.AccessServiceStub(channel)
    [told] = (await access.ListKeys(pb.ListKeysRequest(), metadata=(("x-api-key", "alpha"),))).keys
    assert dict(told.uses) == expected
    [noted] = StoredKeys(services.objects).listed(DEFAULT_TENANT)
    assert noted.uses == expected, "what is told is noted"


async def test_what_cannot_be_noted_of_a_keys_use_is_noted_later(
    client: httpx2.AsyncClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = (await client.post("/v1/keys", json={"name": "Mira"}, headers=ALPHA)).json()["secret"]

    def away(*_: object) -> None:
        raise TryLater("objects_down", "The object store does not answer.", "Start it.")

    with monkeypatch.context() as broken:
        broken.setattr(StoredKeys, "used", away)
        await client.get("/v1/sources", headers={"x-api-key": secret})
        assert (await client.get("/v1/keys", headers=ALPHA)).json()["keys"][0]["uses"] == {}
    await client.get("/v1/sources", headers={"x-api-key": secret})
    assert (await client.get("/v1/keys", headers=ALPHA)).json()["keys"][0]["uses"] == {"read": 2}


async def test_the_trail_is_read_page_by_page_and_from_a_time_on(client: httpx2.AsyncClient) -> None:
    for number in range(5):
        await client.post("/v1/keys", json={"name": f"k{number}"}, headers=ALPHA)
    seen, cursor = [], ""
    while True:
        page = (await client.get("/v1/trail", params={"limit": 2, "cursor": cursor}, headers=ALPHA)).json()
        seen += page["entries"]
        cursor = page["cursor"]
        if not cursor:
            break
    assert len(seen) == 5
    assert [one["at"] for one in seen] == sorted(one["at"] for one in seen)
    assert (await client.get("/v1/trail", params={"since": "2100"}, headers=ALPHA)).json()["entries"] == []
    assert (await client.get("/v1/trail", params={"cursor": "../keys/x"}, headers=ALPHA)).status_code == 400


async def test_what_is_refused_or_fails_leaves_no_trace_and_what_cannot_be_traced_is_told(
    client: httpx2.AsyncClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await client.delete("/v1/keys/000000000000", headers=ALPHA)).status_code == 404
    assert (await client.post("/v1/keys", json={"name": ""}, headers=ALPHA)).status_code == 422
    assert (await client.get("/v1/trail", headers=ALPHA)).json()["entries"] == []

    def away(*_: object) -> None:
        raise TryLater("objects_down", "The object store does not answer.", "Start it.")

    monkeypatch.setattr(Trail, "add", away)
    assert (await client.post("/v1/keys", json={"name": "one"}, headers=ALPHA)).status_code == 503


async def test_grpc_gives_lists_and_takes_back_as_http_does(channel: grpc.aio.Channel) -> None:
    access = access_pb2_grpc.AccessServiceStub(channel)
    admin = (("x-api-key", "alpha"),)
    made = await access.CreateKey(pb.CreateKeyRequest(name="robot", role="writer"), metadata=admin)
    robot = (("authorization", f"Bearer {made.secret}"),)
    sent = [
        ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(name="a.txt")),
        ingest_pb2.SubmitSourceRequest(content=b"words"),
    ]
    source = (await ingest_pb2_grpc.IngestServiceStub(channel).SubmitSource(iter(sent), metadata=robot)).source
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await access.ListKeys(pb.ListKeysRequest(), metadata=robot)
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    rotated = await access.RotateKey(pb.RotateKeyRequest(id=made.key.id, keep_s=60), metadata=admin)
    await access.RevokeKey(pb.RevokeKeyRequest(id=made.key.id), metadata=admin)
    keys = (await access.ListKeys(pb.ListKeysRequest(), metadata=admin)).keys
    assert [(key.id, key.HasField("ended_at")) for key in keys] == [(rotated.key.id, False), (made.key.id, True)]
    entries = (await access.ListTrail(pb.ListTrailRequest(), metadata=admin)).entries
    assert [(one.action, list(one.targets)) for one in entries] == [
        ("key.create", [made.key.id]),
        ("source.add", [source.id]),
        ("key.rotate", [made.key.id, rotated.key.id]),
        ("key.revoke", [made.key.id]),
    ]
