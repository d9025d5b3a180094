# ruff: noqa: N802  (calls have the names of proto/)
"""QueryService over the shared handlers."""

from __future__ import annotations

from contextlib import aclosing

from trivium import api
from trivium.rpc_calls import Context
from trivium.v1 import query_pb2, query_pb2_grpc
from trivium_query import views
from trivium_query.handlers import contradictions, queries
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class Query(Servicer, query_pb2_grpc.QueryServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """Search and cited answers. The caller's deadline bounds the work; a cancelled call stops it."""

    async def Search(self, request: query_pb2.SearchRequest, context: Context) -> query_pb2.SearchResponse:
        """Ranked passages."""
        async with self._calls.open("Search", context) as call:
            wanted = messages.wanted(request)
            result = await queries.search(self._services, call.tenant, wanted, call.timeout_s)
            return messages.found(queries.mode_of(self._services, wanted), result)

    async def Ask(self, request: query_pb2.AskRequest, context: Context) -> query_pb2.AskResponse:
        """One whole answer."""
        async with self._calls.open("Ask", context) as call:
            answer = await queries.ask(self._services, call.tenant, messages.asked(request), call.timeout_s)
            return query_pb2.AskResponse(answer=messages.fields(views.to_api(api.Answer, answer)))

    async def AskStream(self, request: query_pb2.AskStreamRequest, context: Context) -> None:
        """The answer as it is written."""
        async with self._calls.open("AskStream", context) as call:
            asked = messages.asked(request.request)
            stream = await queries.open_stream(self._services, call.tenant, asked, call.timeout_s)
            async with aclosing(stream) as events:
                async for event in events:
                    await context.write(messages.event(event))

    async def ListContradictions(
        self, request: query_pb2.ListContradictionsRequest, context: Context
    ) -> query_pb2.ListContradictionsResponse:
        """Cards, the surest first."""
        async with self._calls.open("ListContradictions", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            page = await contradictions.browse(self._services, call.tenant, messages.cards(request), limit, cursor)
            return messages.card_page(page)

    async def DismissContradiction(
        self, request: query_pb2.DismissContradictionRequest, context: Context
    ) -> query_pb2.DismissContradictionResponse:
        """Put a card aside."""
        async with self._calls.open("DismissContradiction", context) as call:
            wanted = validated(api.DismissRequest, {"why": request.why})
            card = await contradictions.dismiss(
                self._services, call.tenant, request.id, wanted, messages.actor(request.actor)
            )
            return query_pb2.DismissContradictionResponse(contradiction=messages.card(card))
