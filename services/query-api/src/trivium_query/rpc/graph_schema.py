# ruff: noqa: N802  (calls have the names of proto/)
"""GraphSchemaService over the shared handlers."""

from __future__ import annotations

from trivium import api
from trivium.domain.documents import DEFAULT_DATASET
from trivium.rpc_calls import Context
from trivium.v1 import graph_schema_pb2 as pb
from trivium.v1 import graph_schema_pb2_grpc
from trivium_query import schema_views
from trivium_query.handlers import graph_schema
from trivium_query.handlers.sources import check_dataset
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class GraphSchemas(Servicer, graph_schema_pb2_grpc.GraphSchemaServiceServicer):  # type: ignore[misc]  # generated, untyped
    """What HTTP's /v1/graph/schema does."""

    async def GetSchema(self, request: pb.GetSchemaRequest, context: Context) -> pb.GetSchemaResponse:
        """The newest version, or an older one."""
        async with self._calls.open("GetSchema", context) as call:
            number = request.number if request.HasField("number") else None
            seen = await graph_schema.show(self._services, call.tenant, _dataset(request.dataset), number)
            return pb.GetSchemaResponse(schema=_schema(seen))

    async def ProposeSchema(self, request: pb.ProposeSchemaRequest, context: Context) -> pb.ProposeSchemaResponse:
        """From what the graph says, or the types given."""
        async with self._calls.open("ProposeSchema", context) as call:
            types = [_given(kind) for kind in request.types]
            sent = {"dataset": request.dataset or DEFAULT_DATASET, "types": types, "by": request.by, "why": request.why}
            asked = validated(api.ProposeSchema, sent)
            return pb.ProposeSchemaResponse(
                schema=_schema(await graph_schema.propose(self._services, call.tenant, asked))
            )

    async def AcceptSchema(self, request: pb.AcceptSchemaRequest, context: Context) -> pb.AcceptSchemaResponse:
        """Put proposals in force."""
        async with self._calls.open("AcceptSchema", context) as call:
            made = await graph_schema.accept(self._services, call.tenant, _decision(request.decision))
            return pb.AcceptSchemaResponse(schema=_schema(made))

    async def RejectSchema(self, request: pb.RejectSchemaRequest, context: Context) -> pb.RejectSchemaResponse:
        """Have proposals not made again."""
        async with self._calls.open("RejectSchema", context) as call:
            made = await graph_schema.reject(self._services, call.tenant, _decision(request.decision))
            return pb.RejectSchemaResponse(schema=_schema(made))

    async def DiffSchema(self, request: pb.DiffSchemaRequest, context: Context) -> pb.DiffSchemaResponse:
        """What lies between two versions."""
        async with self._calls.open("DiffSchema", context) as call:
            older = request.older if request.HasField("older") else None
            newer = request.newer if request.HasField("newer") else None
            found = await graph_schema.compare(self._services, call.tenant, _dataset(request.dataset), older, newer)
            told = schema_views.difference(found)
            return pb.DiffSchemaResponse(difference=pb.SchemaDifference(**messages.fields(told)))


def _schema(seen: graph_schema.Seen) -> pb.GraphSchema:
    return pb.GraphSchema(**messages.fields(schema_views.schema(seen)))


def _dataset(named: str) -> str:
    dataset = named or DEFAULT_DATASET
    check_dataset(dataset)
    return dataset


def _given(kind: pb.ProposedType) -> dict[str, object]:
    return {
        "name": kind.name,
        "domain": list(kind.domain),
        "range": list(kind.range),
        "targets": kind.targets or "unknown",
        "symmetric": kind.symmetric,
        "description": kind.description,
    }


def _decision(sent: pb.SchemaDecision) -> api.DecideSchema:
    return validated(
        api.DecideSchema,
        {
            "dataset": sent.dataset or DEFAULT_DATASET,
            "names": list(sent.names),
            "number": sent.number if sent.HasField("number") else None,
            "by": sent.by,
            "why": sent.why,
        },
        "decision",
    )
