# ruff: noqa: N802  (calls have the names of proto/)
"""TopicService over the shared handlers."""

from __future__ import annotations

from contextlib import aclosing

import msgspec

from trivium.domain.exports import ExportFormat
from trivium.invalid_request import misfit
from trivium.rpc_calls import Context
from trivium.v1 import topics_pb2 as pb
from trivium.v1 import topics_pb2_grpc
from trivium_query import views
from trivium_query.handlers import export, topics
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer


class GraphTopics(Servicer, topics_pb2_grpc.TopicServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """What HTTP's /v1/graph/topics and /v1/graph/export do."""

    async def ListTopics(self, request: pb.ListTopicsRequest, context: Context) -> pb.ListTopicsResponse:
        """The largest first."""
        async with self._calls.open("ListTopics", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            found = await topics.browse(self._services, call.tenant, request.level, request.dataset, limit, cursor)
            fields = msgspec.to_builtins(views.topic_page(found))
            return pb.ListTopicsResponse(next_page_token=fields.pop("cursor"), **fields)

    async def GetTopic(self, request: pb.GetTopicRequest, context: Context) -> pb.GetTopicResponse:
        """One with its central passages."""
        async with self._calls.open("GetTopic", context) as call:
            found = await topics.picture(self._services, call.tenant, request.id, request.dataset)
            return pb.GetTopicResponse(**msgspec.to_builtins(views.topic_picture(found)))

    async def ExportGraph(self, request: pb.ExportGraphRequest, context: Context) -> None:
        """The file in pieces."""
        async with self._calls.open("ExportGraph", context) as call:
            form = messages.one_of(ExportFormat, request.format or ExportFormat.JSONL, "format")
            depth = request.depth if request.HasField("depth") else 1
            if depth > export.MAX_DEPTH:
                raise misfit("depth", f"0 to {export.MAX_DEPTH}")
            asked = (form, request.entity, depth, request.dataset, request.topics)
            pieces = await export.export(self._services, call.tenant, *asked)
            async with aclosing(pieces) as written:
                async for piece in written:
                    await context.write(pb.ExportGraphResponse(content=piece))
