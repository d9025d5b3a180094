"""The trail names what each deed was done to, drops nothing, and no entry takes another's place."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import Any

import grpc
import httpx2
import msgspec
import pytest
from grpc_doors import over_grpc
from waiting import wait_until_async

from trivium.access import trail as trail_module
from trivium.access.trail import MAX_TARGETS, Trail
from trivium.config import Settings
from trivium.domain.access import Caller, Role
from trivium.domain.documents import Document
from trivium.domain.edits import Edit
from trivium.domain.errors import Conflict, NeverWill, TriviumError, TryLater
from trivium.domain.limits import TooMany
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.edits.curation import Curated, Curation, Decide
from trivium.v1 import (
    access_pb2,
    access_pb2_grpc,
    graph_pb2,
    graph_pb2_grpc,
    graph_schema_pb2,
    graph_schema_pb2_grpc,
    ingest_pb2,
    ingest_pb2_grpc,
)
from trivium_query.failures import seen
from trivium_query.http.app import create_app
from trivium_query.requests import Services

from .conftest import MemoryIntake, TenantMemoryIntake

MAX_FILES = 100  # of one upload
ALPHA = {"x-api-key": "alpha"}
WORKS = {"name": "WORKS_FOR", "domain": ["person"], "range": ["organization"], "targets": "many"}


@pytest.fixture
def settings() -> Settings:
    return Settings(api_keys="default:alpha")


async def entries(client: httpx2.AsyncClient) -> list[tuple[str, list[str]]]:
    page = (await client.get("/v1/trail", params={"limit": 200}, headers=ALPHA)).json()
    return [(one["action"], one["targets"]) for one in page["entries"]]


async def outcomes(client: httpx2.AsyncClient) -> list[tuple[str, list[str], str | None]]:
    page = (await client.get("/v1/trail", params={"limit": 200}, headers=ALPHA)).json()
    return [(one["action"], one["targets"], one.get("outcome")) for one in page["entries"]]


async def test_edits_undos_and_decisions_on_a_schema_name_their_target(client: httpx2.AsyncClient) -> None:
    async def post(path: str, **body: object) -> dict[str, Any]:
        answer = await client.post(f"/v1/graph/{path}", json=body, headers=ALPHA)
        assert answer.is_success, answer.text
        told: dict[str, Any] = answer.json()
        return told

    first = await post("tools/create_todo", task="Look at the weir.")
    second = await post("tools/create_todo", task="Look at the ladder.")
    undone = await post(f"edits/{first['edits'][0]['id']}/undo")
    dismissed = await post(f"edits/{second['edits'][0]['id']}/dismiss")
    await post("schema/propose", dataset="papers", types=[WORKS])
    await post("schema/accept", dataset="papers")
    await post("schema/reject", dataset="papers", names=["WORKS_FOR"])
    ids = [made["edits"][0]["id"] for made in (first, second, undone, dismissed)]
    assert len(set(ids)) == 4
    assert await entries(client) == [
        ("graph.create_todo", [ids[0]]),
        ("graph.create_todo", [ids[1]]),
        ("edit.undo", [ids[2], ids[0]]),
        ("edit.dismiss", [ids[3], ids[1]]),
        ("schema.propose", ["papers"]),
        ("schema.accept", ["papers"]),
        ("schema.reject", ["papers"]),
    ]


async def test_they_do_so_over_grpc_too(client: httpx2.AsyncClient, channel: grpc.aio.Channel) -> None:
    admin = tuple(ALPHA.items())
    graph, schemas = graph_pb2_grpc.GraphServiceStub(channel), graph_schema_pb2_grpc.GraphSchemaServiceStub(channel)
    todo = graph_pb2.RunToolRequest(name="create_todo", arguments='{"task": "Look at the weir."}')
    [made] = json.loads((await graph.RunTool(todo, metadata=admin)).result)["edits"]
    [undone] = (await graph.UndoEdit(graph_pb2.UndoEditRequest(id=made["id"]), metadata=admin)).edits
    kind = graph_schema_pb2.ProposedType(**WORKS)
    await schemas.ProposeSchema(graph_schema_pb2.ProposeSchemaRequest(dataset="papers", types=[kind]), metadata=admin)
    decision = graph_schema_pb2.SchemaDecision(dataset="papers", names=["WORKS_FOR"])
    await schemas.AcceptSchema(graph_schema_pb2.AcceptSchemaRequest(decision=decision), metadata=admin)
    await schemas.RejectSchema(graph_schema_pb2.RejectSchemaRequest(decision=decision), metadata=admin)
    assert await entries(client) == [
        ("graph.create_todo", [made["id"]]),
        ("edit.undo", [undone.id, made["id"]]),
        ("schema.propose", ["papers"]),
        ("schema.accept", ["papers"]),
        ("schema.reject", ["papers"]),
    ]


async def test_more_than_one_entry_holds_are_several_and_nothing_is_dropped(client: httpx2.AsyncClient) -> None:
    count, wanted = 2 * MAX_TARGETS + 5, set[str]()
    for start in range(0, count, MAX_FILES):
        numbers = range(start, min(start + MAX_FILES, count))
        files = [("file", (f"{number}.txt", f"note {number}".encode())) for number in numbers]
        taken = await client.post("/v1/sources", files=files, data={"dataset": "many"}, headers=ALPHA)
        assert taken.is_success, taken.text
        wanted |= {source["id"] for source in taken.json()["sources"]}
    gone = await client.delete("/v1/sources", params={"dataset": "many"}, headers=ALPHA)
    assert gone.json()["deleted"] == count
    told = await entries(client)
    deleted = [targets for action, targets in told if action == "source.delete"]
    assert [len(targets) for targets in deleted] == [MAX_TARGETS, MAX_TARGETS, 5]
    assert {target for targets in deleted for target in targets} == wanted


class BreaksOff(MemoryIntake):
    """Deletes some of what is inside a document, and never all."""

    def __init__(self, services: Services, error: Exception) -> None:
        super().__init__(services.registry)
        self._error = error

    def for_tenant(self, tenant: Tenant) -> TenantBreaksOff:
        return TenantBreaksOff(self, tenant, self._error)


class TenantBreaksOff(TenantMemoryIntake):
    def __init__(self, world: MemoryIntake, tenant: Tenant, error: Exception) -> None:
        super().__init__(world, tenant)
        self._error = error

    def delete(self, document_id: str) -> Document:
        raise self._error


@pytest.mark.parametrize(
    ("error", "of_one", "of_many"),
    [
        (TryLater("deletion_goes_on", "36 of 41 documents are left.", "Delete it again."), 503, 200),
        (TryLater("store_busy", "The store is busy."), 503, 503),
        (Conflict("busy_document", "It is being changed by many at once."), 409, 409),
        (TooMany("That is much.", 1.0), 429, 429),
        (NeverWill("damaged", "An artifact is damaged."), 422, 422),
        (NeverWill("store_corrupt", "The store is damaged."), 500, 500),
        (RuntimeError("a fault of ours"), 500, 500),
    ],
    ids=lambda value: getattr(value, "code", str(value)),
)
async def test_a_deletion_that_breaks_off_is_in_the_trail(
    services: Services, engine: str, error: Exception, of_one: int, of_many: int
) -> None:
    intake = BreaksOff(services, error)
    services, admin = msgspec.structs.replace(services, intake=intake), tuple(ALPHA.items())
    transport = httpx2.ASGITransport(create_app(services))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        one = await client.delete(f"/v1/sources/{engine}", headers=ALPHA)
        assert (one.status_code, one.json()["code"]) == (of_one, getattr(error, "code", "internal"))
        many = await client.delete("/v1/sources", params={"dataset": "default"}, headers=ALPHA)
        assert many.status_code == of_many
        async with over_grpc(services) as channel:
            ingest = ingest_pb2_grpc.IngestServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as later:
                await ingest.DeleteSource(ingest_pb2.DeleteSourceRequest(id=engine), metadata=admin)
            told = seen(error).grpc if isinstance(error, TriviumError) else grpc.StatusCode.INTERNAL
            assert later.value.code() is told
            with suppress(grpc.aio.AioRpcError):
                await ingest.DeleteSources(ingest_pb2.DeleteSourcesRequest(dataset="default"), metadata=admin)
            listed = await access_pb2_grpc.AccessServiceStub(channel).ListTrail(
                access_pb2.ListTrailRequest(), metadata=admin
            )
        assert await outcomes(client) == [("source.delete", [engine], "broke_off")] * 4
        assert [entry.outcome for entry in listed.entries] == ["broke_off"] * 4


class TakesItsTime(MemoryIntake):
    """Is at a deletion until it is told to go on."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.registry)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def for_tenant(self, tenant: Tenant) -> TenantTakesItsTime:
        return TenantTakesItsTime(self, tenant)


class TenantTakesItsTime(TenantMemoryIntake):
    def __init__(self, world: TakesItsTime, tenant: Tenant) -> None:
        super().__init__(world, tenant)
        self._intake = world

    def delete(self, document_id: str) -> Document:
        self._intake.begun.set()
        self._intake.go_on.wait()
        return super().delete(document_id)


async def test_a_deletion_whose_caller_gives_up_is_in_the_trail(services: Services, engine: str) -> None:
    intake = TakesItsTime(services)
    services = msgspec.structs.replace(services, intake=intake)
    async with over_grpc(services) as channel:
        ingest = ingest_pb2_grpc.IngestServiceStub(channel)
        call = ingest.DeleteSource(ingest_pb2.DeleteSourceRequest(id=engine), metadata=tuple(ALPHA.items()))
        try:
            await wait_until_async(intake.begun.is_set, "the deletion begun")
            call.cancel()
            [entry] = await wait_until_async(lambda: Trail(services.objects).read(DEFAULT_TENANT, 10)[0], "an entry")
        finally:
            intake.go_on.set()
    assert (entry.action, entry.targets) == ("source.delete", (engine,))


class BehindTheEdit(Curation):
    """Is away for a moment once an edit stands in the log."""

    away = False

    def append(self, tenant: Tenant, decide: Decide) -> tuple[Edit, ...]:
        appended = super().append(tenant, decide)
        self.away = True
        return appended

    def now(self, tenant: Tenant) -> Curated:
        if self.away:
            self.away = False
            raise TryLater("store_down", "The store is away.")
        return super().now(tenant)


async def test_a_tool_that_breaks_off_behind_its_edit_is_in_the_trail_by_its_name(services: Services) -> None:
    curation = BehindTheEdit(services.objects, services.registry, services.graphs)
    services, admin = msgspec.structs.replace(services, curation=curation), tuple(ALPHA.items())
    transport = httpx2.ASGITransport(create_app(services))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        path = "/v1/graph/tools/create_todo"
        assert (await client.post(path, json={"task": "Look at it."}, headers=ALPHA)).status_code == 503
        async with over_grpc(services) as channel:
            todo = graph_pb2.RunToolRequest(name="create_todo", arguments='{"task": "Look at it."}')
            with pytest.raises(grpc.aio.AioRpcError) as later:
                await graph_pb2_grpc.GraphServiceStub(channel).RunTool(todo, metadata=admin)
        assert later.value.code() is grpc.StatusCode.UNAVAILABLE
        edits = [edit.id for edit in curation.now(DEFAULT_TENANT).edits]
        assert await entries(client) == [("graph.create_todo", [edit]) for edit in edits]
        assert len(edits) == 2


class DeletesOne(TenantMemoryIntake):
    """Is away for every document but one."""

    def __init__(self, world: MemoryIntake, tenant: Tenant, first: str) -> None:
        super().__init__(world, tenant)
        self._first = first

    def delete(self, document_id: str) -> Document:
        if document_id != self._first:
            raise TryLater("store_busy", "The store is busy.")
        return super().delete(document_id)


async def test_of_a_deletion_of_many_the_trail_says_which_was_done_and_which_broke_off(
    services: Services, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = services.registry.for_tenant(DEFAULT_TENANT)
    registry.accept(msgspec.structs.replace(registry.get(engine), id="f" * 32, source="another"))
    first, second = (document.id for document in registry.list().documents)
    monkeypatch.setattr(MemoryIntake, "for_tenant", lambda intake, tenant: DeletesOne(intake, tenant, first))
    services = msgspec.structs.replace(services, intake=MemoryIntake(services.registry))
    transport = httpx2.ASGITransport(create_app(services))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        gone = await client.delete("/v1/sources", params={"dataset": "default"}, headers=ALPHA)
        assert (gone.json()["deleted"], gone.json()["done"]) == (1, False)
        assert await outcomes(client) == [
            ("source.delete", [first], "done"),
            ("source.delete", [second], "broke_off"),
        ]


async def test_an_entry_of_before_outcomes_were_kept_has_none(services: Services, client: httpx2.AsyncClient) -> None:
    entry = {"at": 1.5, "key_id": "environment-1", "by": "", "action": "source.delete", "targets": ["x"]}
    key = f"{trail_module.ENTRIES}{1_500_000_000:020d}-0000000a"
    services.objects.for_tenant(DEFAULT_TENANT).put(key, json.dumps(entry).encode())
    assert await outcomes(client) == [("source.delete", ["x"], None)]


async def test_what_was_not_there_to_delete_is_not(client: httpx2.AsyncClient) -> None:
    assert (await client.delete(f"/v1/sources/{'0' * 32}", headers=ALPHA)).status_code == 404
    assert await entries(client) == []


def test_an_entry_is_never_overwritten_and_two_of_one_instant_are_two(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(("0000000a", "0000000a", "0000000b"))
    monkeypatch.setattr(trail_module.secrets, "token_hex", lambda _: next(drawn))
    monkeypatch.setattr(trail_module.time, "time_ns", lambda: 1_700_000_000_000_000_000)
    trail, caller = Trail(services.objects), Caller(DEFAULT_TENANT, Role.ADMIN, "environment-1")
    for target in ("one", "two"):
        trail.add(caller, "source.delete", (target,))
    found, _ = trail.read(DEFAULT_TENANT, 10)
    assert [entry.targets for entry in found] == [("one",), ("two",)]
