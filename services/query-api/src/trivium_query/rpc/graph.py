# ruff: noqa: N802  (calls have the names of proto/)
"""GraphService over the shared handlers."""

from __future__ import annotations

import msgspec

from trivium import api
from trivium.api import FieldProblem
from trivium.domain.errors import NotFound
from trivium.domain.graph import EntityType
from trivium.graph_tools.tools import CALLABLE, GraphTool
from trivium.invalid_request import InvalidRequest, misfit
from trivium.json_schemas import json_schema
from trivium.rpc_calls import Context
from trivium.v1 import graph_pb2 as pb
from trivium.v1 import graph_pb2_grpc
from trivium_query import views
from trivium_query.access.rules import rule_of_tool
from trivium_query.handlers import curation, duplicates, graph, provenance
from trivium_query.handlers.links import links
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class Graph(Servicer, graph_pb2_grpc.GraphServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """What HTTP's /v1/graph/entities, /links, /tools, /edits, /provenance and /duplicates do."""

    async def ListTools(self, request: pb.ListToolsRequest, context: Context) -> pb.ListToolsResponse:
        """Each with the JSON Schema of its arguments."""
        async with self._calls.open("ListTools", context):
            return pb.ListToolsResponse(tools=[_described(tool) for tool in CALLABLE.values()])

    async def RunTool(self, request: pb.RunToolRequest, context: Context) -> pb.RunToolResponse:
        """One tool's answer."""
        async with self._calls.open("RunTool", context) as call:
            tool = CALLABLE.get(request.name)
            if tool is None:
                raise NotFound(
                    "unknown_tool", f"There is no tool {request.name[:80]!r}.", f"Use one of {', '.join(CALLABLE)}."
                )
            call.permit(rule_of_tool(tool.name))
            arguments = validated(tool.arguments, _json(request.arguments))
            result = await curation.run_tool(
                self._services, call.tenant, tool, arguments, messages.actor(request.actor)
            )
            return pb.RunToolResponse(result=msgspec.json.encode(result).decode())

    async def UndoEdit(self, request: pb.UndoEditRequest, context: Context) -> pb.UndoEditResponse:
        """An edit does not count any more."""
        async with self._calls.open("UndoEdit", context) as call:
            why = validated(api.Reasoned, {"why": request.why}).why
            done = await curation.undo(self._services, call.tenant, request.id, why, messages.actor(request.actor))
            return pb.UndoEditResponse(edits=messages.edits(done.edits))

    async def DismissEdit(self, request: pb.DismissEditRequest, context: Context) -> pb.DismissEditResponse:
        """A review or a task is settled."""
        async with self._calls.open("DismissEdit", context) as call:
            why = validated(api.Reasoned, {"why": request.why}).why
            done = await curation.dismiss(
                self._services, call.tenant, messages.short(request.id, "id"), why, messages.actor(request.actor)
            )
            return pb.DismissEditResponse(edits=messages.edits(done.edits))

    async def ListEdits(self, request: pb.ListEditsRequest, context: Context) -> pb.ListEditsResponse:
        """Newest first."""
        async with self._calls.open("ListEdits", context) as call:
            wanted = curation.WantedEdits(
                messages.short(request.entity, "entity"),
                kind=messages.short(request.kind, "kind"),
                actor=messages.short(request.actor, "actor"),
            )
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            edits, following = await curation.log(self._services, call.tenant, wanted, limit, cursor)
            return pb.ListEditsResponse(edits=messages.edits(edits), next_page_token=following)

    async def GetProvenance(self, request: pb.GetProvenanceRequest, context: Context) -> pb.GetProvenanceResponse:
        """Why the graph is as it is."""
        async with self._calls.open("GetProvenance", context) as call:
            wanted = provenance.Wanted(
                messages.short(request.entity, "entity"),
                messages.short(request.relation, "relation"),
                messages.short(request.other, "other"),
                messages.short(request.document, "document"),
                messages.short(request.chunk, "chunk"),
                messages.short(request.operation, "operation"),
                messages.short(request.actor, "actor"),
                messages.moment(request.since, "since"),
                messages.moment(request.until, "until") or provenance.Wanted().until,
            )
            limit, _ = messages.page_of(request.limit, "")
            found = await provenance.provenance(self._services, call.tenant, wanted, limit)
            return pb.GetProvenanceResponse(**messages.fields(found))

    async def ListDuplicates(self, request: pb.ListDuplicatesRequest, context: Context) -> pb.ListDuplicatesResponse:
        """The likeliest first."""
        async with self._calls.open("ListDuplicates", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            page = await duplicates.browse(self._services, call.tenant, request.dismissed, limit, cursor)
            found = [pb.Duplicate(**messages.fields(each)) for each in page.duplicates]
            return pb.ListDuplicatesResponse(duplicates=found, next_page_token=page.cursor)

    async def AcceptDuplicate(self, request: pb.AcceptDuplicateRequest, context: Context) -> pb.AcceptDuplicateResponse:
        """They are one thing."""
        async with self._calls.open("AcceptDuplicate", context) as call:
            done = await duplicates.accept(self._services, call.tenant, _pair(request), messages.actor(request.actor))
            return pb.AcceptDuplicateResponse(edits=messages.edits(done.edits))

    async def DismissDuplicate(
        self, request: pb.DismissDuplicateRequest, context: Context
    ) -> pb.DismissDuplicateResponse:
        """They are two."""
        async with self._calls.open("DismissDuplicate", context) as call:
            done = await duplicates.dismiss(self._services, call.tenant, _pair(request), messages.actor(request.actor))
            return pb.DismissDuplicateResponse(edits=messages.edits(done.edits))

    async def ListEntities(self, request: pb.ListEntitiesRequest, context: Context) -> pb.ListEntitiesResponse:
        """Most mentioned first."""
        async with self._calls.open("ListEntities", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            kind = messages.one_of(EntityType, request.type, "type") if request.type else ""
            prefix = messages.short(request.prefix, "prefix")
            page = await graph.browse(self._services, call.tenant, prefix, kind, limit, cursor)
            told = messages.fields(views.to_api(api.EntityPage, page))
            return pb.ListEntitiesResponse(next_page_token=told.pop("cursor"), **told)

    async def GetEntity(self, request: pb.GetEntityRequest, context: Context) -> pb.GetEntityResponse:
        """With what is around it."""
        async with self._calls.open("GetEntity", context) as call:
            neighbours = min(request.neighbours or graph.NEIGHBOURS, graph.MAX_NEIGHBOURS)
            evidence = min(request.evidence or graph.EVIDENCE, graph.MAX_EVIDENCE)
            _, cursor = messages.page_of(0, request.page_token)
            found = await graph.picture(self._services, call.tenant, request.id, neighbours, evidence, cursor)
            told = messages.fields(views.picture(found))
            return pb.GetEntityResponse(next_page_token=told.pop("cursor"), **told)

    async def GetLinks(self, request: pb.GetLinksRequest, context: Context) -> pb.GetLinksResponse:
        """Between sources that are here."""
        async with self._calls.open("GetLinks", context) as call:
            found = await links(self._services, call.tenant, messages.short(request.id, "id"))
            return pb.GetLinksResponse(**messages.fields(views.links(found)))


def _pair(request: pb.AcceptDuplicateRequest | pb.DismissDuplicateRequest) -> api.NamePair:
    return validated(api.NamePair, {"name": request.name, "other": request.other, "why": request.why})


def _described(tool: GraphTool) -> pb.GraphTool:
    schema = msgspec.json.encode(json_schema(tool.arguments)).decode()
    return pb.GraphTool(name=tool.name, description=tool.description, arguments=schema)


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text) if text else {}
    except msgspec.DecodeError as error:
        raise InvalidRequest([FieldProblem("arguments", f"Expected JSON: {error}")]) from error
    except RecursionError as error:
        raise misfit("arguments", "JSON that is not nested so deeply") from error
