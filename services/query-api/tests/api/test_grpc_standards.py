"""What gRPC's tools and libraries count on, of every service: reflection, health, deadlines, standard error details."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_doors import over_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from waiting import wait_until_async

from trivium import v1
from trivium.access.stored_keys import StoredKeys
from trivium.adapters.embedded.objects import LocalObjects, LocalObjectStore
from trivium.domain.access import Role
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.telemetry import REQUESTS_INFLIGHT
from trivium.v1 import access_pb2, conversations_pb2, graph_pb2, graph_schema_pb2, ingest_pb2, query_pb2, topics_pb2
from trivium_query.requests import Services
from trivium_query.rpc.server import DESCRIPTORS, SERVICES

ELSEWHERE = {"trivium.v1.InferenceService"}  # a server of its own
METHODS = [method for service in DESCRIPTORS for method in service.methods]


class HangingObjects(LocalObjects):
    """Keys are asked for and never told, until `released`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.released = threading.Event()

    def for_tenant(self, tenant: Tenant) -> LocalObjectStore:
        self.released.wait()
        return super().for_tenant(tenant)


@pytest.fixture
async def hanging(services: Services, tmp_path: Path) -> AsyncIterator[grpc.aio.Channel]:
    objects = HangingObjects(tmp_path)
    async with over_grpc(msgspec.structs.replace(services, objects=objects)) as opened:
        yield opened
        objects.released.set()


async def failed(
    channel: grpc.aio.Channel, method: MethodDescriptor, request: Message | None = None, key: str = "", **how: float
) -> grpc.aio.AioRpcError:
    """How a call of `method` fails."""
    sent = (request or method.input_type._concrete_class()).SerializeToString()
    path = f"/{method.containing_service.full_name}/{method.name}"
    call = channel.stream_stream(path)([sent], metadata=(("x-api-key", key),) if key else (), **how)
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        async for _ in call:
            pass
    return failure.value


def details(error: grpc.aio.AioRpcError) -> dict[type[Message], Any]:
    """What the status tells, by kind."""
    status = rpc_status.from_call(error)
    assert status is not None
    assert (status.code, status.message) == (error.code().value[0], error.details())
    told = {}
    for packed in status.details:
        kind = next(kind for kind in (ErrorInfo, BadRequest, RetryInfo) if packed.Is(kind.DESCRIPTOR))
        told[kind] = kind.FromString(packed.value)
    return told


def test_every_service_that_is_described_is_served_somewhere() -> None:
    assert v1.__file__ is not None
    files = [f"trivium.v1.{path.stem}" for path in Path(v1.__file__).parent.glob("*_pb2.py")]
    described = {
        service.full_name for file in files for service in import_module(file).DESCRIPTOR.services_by_name.values()
    }
    assert described == {*SERVICES, *ELSEWHERE}


@pytest.mark.parametrize("service", DESCRIPTORS, ids=lambda service: service.name)
async def test_each_service_is_reflected_and_healthy(channel: grpc.aio.Channel, service: Any) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)

    async def asked(**what: str) -> reflection_pb2.ServerReflectionResponse:
        requests = [reflection_pb2.ServerReflectionRequest(**what)]
        return await anext(aiter(stub.ServerReflectionInfo(iter(requests))))

    listed = (await asked(list_services="")).list_services_response.service
    assert service.full_name in {each.name for each in listed}
    files = (await asked(file_containing_symbol=service.full_name)).file_descriptor_response.file_descriptor_proto
    for method in service.methods:
        assert any(method.name.encode() in file for file in files)
    checked = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service.full_name))
    assert checked.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
async def test_each_call_that_fails_tells_its_reason_and_what_to_do(
    channel: grpc.aio.Channel, method: MethodDescriptor
) -> None:
    error = await failed(channel, method, key="trv.default.000000000000." + "0" * 64)
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    info = details(error)[ErrorInfo]
    assert (info.reason, info.domain) == ("UNAUTHENTICATED", "trivium")
    assert info.metadata["action"]
    assert info.metadata["request_id"]


async def test_each_callers_deadline_ends_the_work_too(hanging: grpc.aio.Channel, services: Services) -> None:
    _, key = StoredKeys(services.objects).create(DEFAULT_TENANT, "late", Role.ADMIN)
    before = REQUESTS_INFLIGHT._value.get()
    errors = await asyncio.gather(*(failed(hanging, method, key=key, timeout=1) for method in METHODS))
    assert {error.code() for error in errors} == {grpc.StatusCode.DEADLINE_EXCEEDED}
    await wait_until_async(lambda: REQUESTS_INFLIGHT._value.get() <= before, "no call is worked on")


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (query_pb2.SearchRequest(query="x", top_k=1000), "top_k"),
        (query_pb2.SearchRequest(query="x", filter=query_pb2.SearchFilter(dataset="../x")), "filter.dataset"),
        (query_pb2.AskRequest(), "question"),
        (query_pb2.ListContradictionsRequest(kind="x"), "kind"),
        (query_pb2.ListContradictionsRequest(document_id="a\0"), "document_id"),
        (query_pb2.ListContradictionsRequest(min_confidence=float("nan")), "min_confidence"),
        (query_pb2.DismissContradictionRequest(why=LONG), "why"),
        (ingest_pb2.ListSourcesRequest(state="x"), "state"),
        (ingest_pb2.ListSourcesRequest(dataset="../x"), "dataset"),
        (ingest_pb2.SubmitSourceRequest(content=b"x"), "header"),
        (ingest_pb2.SubmitSourceRequest(header=ingest_pb2.SourceHeader(title=LONG)), "header.title"),
        (ingest_pb2.CrawlSiteRequest(url="https://a.org/", depth=1000), "depth"),
        (ingest_pb2.DeleteSourcesRequest(), "dataset"),
        (conversations_pb2.CreateConversationRequest(title=LONG), "title"),
        (graph_pb2.ListEntitiesRequest(type="wizard"), "type"),
        (graph_pb2.GetProvenanceRequest(other=LONG), "other"),
        (graph_pb2.GetProvenanceRequest(operation=LONG), "operation"),
        (graph_pb2.GetProvenanceRequest(actor="a\0"), "actor"),
        (graph_pb2.GetProvenanceRequest(since=float("nan")), "since"),
        (graph_pb2.GetProvenanceRequest(until=-1), "until"),
        (graph_pb2.ListEditsRequest(kind=LONG), "kind"),
        (graph_pb2.ListEditsRequest(actor=LONG), "actor"),
        (graph_pb2.RunToolRequest(name="search_kg", arguments="{"), "arguments"),
        (graph_pb2.DismissEditRequest(id="1", actor=graph_pb2.Actor(kind="x")), "actor.kind"),
        (topics_pb2.ExportGraphRequest(depth=1000), "depth"),
        (topics_pb2.ExportGraphRequest(format="x"), "format"),
        (graph_schema_pb2.GetSchemaRequest(dataset="../x"), "dataset"),
        (
            graph_schema_pb2.AcceptSchemaRequest(decision=graph_schema_pb2.SchemaDecision(dataset="../x")),
            "decision.dataset",
        ),
        (access_pb2.CreateKeyRequest(name="x", role="king"), "role"),
        (access_pb2.RevokeKeyRequest(id=LONG), "id"),
    ],
)
async def test_a_field_that_does_not_fit_is_named_as_the_message_names_it(
    channel: grpc.aio.Channel, request_: Message, field: str
) -> None:
    method = next(each for each in METHODS if each.input_type.full_name == request_.DESCRIPTOR.full_name)
    error = await failed(channel, method, request_)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    told = details(error)
    assert told[ErrorInfo].reason == "INVALID_REQUEST"
    (violation,) = told[BadRequest].field_violations
    assert violation.field == field
    assert violation.description
    assert LONG not in violation.description
    assert RetryInfo not in told


async def test_what_is_away_says_when_to_come_back(channel: grpc.aio.Channel) -> None:
    method = next(each for each in METHODS if each.name == "AskStream")
    asked = query_pb2.AskStreamRequest(request=query_pb2.AskRequest(question="break engine"))
    error = await failed(channel, method, asked)
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert details(error)[RetryInfo].retry_delay.ToMilliseconds() == 1000
