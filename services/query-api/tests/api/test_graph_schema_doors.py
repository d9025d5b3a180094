"""The schema through HTTP and gRPC: decided on, refused, compared."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import httpx2
import pytest

from trivium.domain.scope import Tenant
from trivium.v1 import graph_schema_pb2 as pb
from trivium.v1 import graph_schema_pb2_grpc
from trivium_query.requests import Services
from trivium_query.rpc.server import create_grpc_server

WORKS = {"name": "WORKS_FOR", "domain": ["person"], "range": ["organization"], "targets": "many"}
LEADS = {"name": "LEADS", "domain": ["person"], "range": ["organization"]}


async def post(client: httpx2.AsyncClient, what: str, **body: object) -> httpx2.Response:
    return await client.post(f"/v1/graph/schema/{what}", json=body)


async def test_nothing_is_known_at_first(client: httpx2.AsyncClient) -> None:
    seen = (await client.get("/v1/graph/schema")).json()
    assert (seen["number"], seen["types"], seen["proposed"]) == (0, [], [])
    assert (await client.get("/v1/graph/schema", params={"number": 3})).status_code == 404


async def test_what_is_proposed_is_in_force_once_accepted(client: httpx2.AsyncClient) -> None:
    proposed = (await post(client, "propose", types=[WORKS], by="ana", why="staff list")).json()
    assert [one["type"]["name"] for one in proposed["proposed"]] == ["WORKS_FOR"]
    assert proposed["change"] | {"at": 0} == {
        "by": "person ana", "at": 0, "why": "staff list", "what": ["proposed WORKS_FOR"],
    }  # fmt: skip
    accepted = (await post(client, "accept", number=1)).json()
    assert ([kind["name"] for kind in accepted["types"]], accepted["active"]) == (["WORKS_FOR"], 2)
    out = (await post(client, "reject", names=["WORKS_FOR"])).json()
    assert (out["types"], [one["name"] for one in out["rejected"]]) == ([], ["WORKS_FOR"])
    diff = (await client.get("/v1/graph/schema/diff", params={"older": 0, "newer": 2})).json()
    assert ([kind["name"] for kind in diff["added"]], [each["number"] for each in diff["changes"]]) == (
        ["WORKS_FOR"], [1, 2],
    )  # fmt: skip


async def test_a_rejected_number_of_targets_is_told(client: httpx2.AsyncClient) -> None:
    await post(client, "propose", types=[LEADS])
    await post(client, "accept")
    await post(client, "propose", types=[LEADS | {"targets": "one"}])
    out = (await post(client, "reject", names=["LEADS"])).json()
    assert out["rejected"] == [{"name": "LEADS", "domain": [], "range": [], "targets": "one"}]


async def test_a_decision_on_what_another_changed_meanwhile_is_refused(client: httpx2.AsyncClient) -> None:
    await post(client, "propose", types=[WORKS])
    await post(client, "propose", types=[LEADS])
    late = await post(client, "accept", names=["WORKS_FOR"], number=1)
    assert (late.status_code, late.json()["code"]) == (409, "schema_changed")
    assert (await client.get("/v1/graph/schema")).json()["types"] == []


@pytest.mark.parametrize(
    ("what", "body", "status", "code"),
    [
        ("propose", {"types": [WORKS | {"name": "works for"}]}, 400, "bad_relation_type"),
        ("propose", {"types": [WORKS | {"name": "LINKS_TO"}]}, 400, "bad_relation_type"),
        ("propose", {"types": [WORKS | {"domain": []}]}, 400, "bad_ends"),
        ("propose", {"types": [WORKS | {"domain": ["animal"]}]}, 422, "invalid_request"),
        ("propose", {"dataset": "../x"}, 422, "invalid_request"),
        ("propose", {"types": [WORKS | {"name": "A" * 10_000}]}, 422, "invalid_request"),
        ("accept", {}, 400, "nothing_to_accept"),
        ("accept", {"names": ["NOTHING"]}, 404, "no_such_proposal"),
        ("reject", {"names": ["NOTHING"]}, 404, "no_such_proposal"),
        ("accept", {"names": ["A\n"]}, 422, "invalid_request"),
        ("reject", {"why": "x" * 3000, "names": ["A"]}, 422, "invalid_request"),
    ],
)
async def test_bad_input_is_refused_and_changes_nothing(
    client: httpx2.AsyncClient, what: str, body: dict[str, object], status: int, code: str
) -> None:
    refused = await post(client, what, **body)
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
    assert (await client.get("/v1/graph/schema")).json()["number"] == 0


async def test_rejecting_needs_a_name(client: httpx2.AsyncClient) -> None:
    await post(client, "propose", types=[WORKS])
    refused = await post(client, "reject")
    assert (refused.status_code, refused.json()["code"]) == (400, "nothing_to_reject")


async def test_one_tenants_schema_is_not_anothers(services: Services, client: httpx2.AsyncClient) -> None:
    await post(client, "propose", types=[WORKS])
    kept = {key.partition("/")[0] for key in services.objects.for_tenant(Tenant("other")).keys("schemas/")}
    assert kept == set()


@pytest.fixture
async def schemas(services: Services) -> AsyncIterator[graph_schema_pb2_grpc.GraphSchemaServiceStub]:
    server = create_grpc_server(services, "127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        yield graph_schema_pb2_grpc.GraphSchemaServiceStub(channel)
    await server.stop(0)


async def test_grpc_says_the_same(schemas: graph_schema_pb2_grpc.GraphSchemaServiceStub) -> None:
    kind = pb.ProposedType(**WORKS)
    made = await schemas.ProposeSchema(pb.ProposeSchemaRequest(types=[kind], by="ana"))
    assert [one.type.name for one in made.schema.proposed] == ["WORKS_FOR"]
    done = await schemas.AcceptSchema(pb.AcceptSchemaRequest(decision=pb.SchemaDecision(number=1)))
    assert ([kind.name for kind in done.schema.types], done.schema.active) == (["WORKS_FOR"], 2)
    diff = await schemas.DiffSchema(pb.DiffSchemaRequest())
    assert [kind.name for kind in diff.difference.added] == ["WORKS_FOR"]
    out = await schemas.RejectSchema(pb.RejectSchemaRequest(decision=pb.SchemaDecision(names=["WORKS_FOR"])))
    assert (list(out.schema.types), [one.targets for one in out.schema.rejected]) == ([], ["unknown"])
    assert (await schemas.GetSchema(pb.GetSchemaRequest(number=2))).schema.types[0].targets == "many"


async def test_grpc_refuses_with_the_code(schemas: graph_schema_pb2_grpc.GraphSchemaServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await schemas.GetSchema(pb.GetSchemaRequest(number=7))
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    await schemas.ProposeSchema(pb.ProposeSchemaRequest(types=[pb.ProposedType(**WORKS)]))
    with pytest.raises(grpc.aio.AioRpcError) as late:
        await schemas.AcceptSchema(pb.AcceptSchemaRequest(decision=pb.SchemaDecision(number=0)))
    assert late.value.code() is grpc.StatusCode.ABORTED
    with pytest.raises(grpc.aio.AioRpcError) as bad:
        await schemas.GetSchema(pb.GetSchemaRequest(dataset="../x"))
    assert bad.value.code() is grpc.StatusCode.INVALID_ARGUMENT
