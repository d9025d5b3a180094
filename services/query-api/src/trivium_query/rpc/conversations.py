# ruff: noqa: N802  (calls have the names of proto/)
"""ConversationService over the shared handlers."""

from __future__ import annotations

from trivium import api
from trivium.rpc_calls import Context
from trivium.v1 import conversations_pb2 as pb
from trivium.v1 import conversations_pb2_grpc
from trivium_query.handlers import conversations
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class Conversations(Servicer, conversations_pb2_grpc.ConversationServiceServicer):  # type: ignore[misc]  # generated, untyped
    """What HTTP's /v1/conversations does; questions go through `QueryService`."""

    async def CreateConversation(
        self, request: pb.CreateConversationRequest, context: Context
    ) -> pb.CreateConversationResponse:
        """A new, empty one."""
        async with self._calls.open("CreateConversation", context) as call:
            wanted = validated(api.NewConversation, {"title": request.title})
            made = await conversations.create(self._services, call.tenant, wanted.title)
            return pb.CreateConversationResponse(conversation=messages.conversation(made))

    async def GetConversation(self, request: pb.GetConversationRequest, context: Context) -> pb.GetConversationResponse:
        """One with its turns."""
        async with self._calls.open("GetConversation", context) as call:
            found = await conversations.find(self._services, call.tenant, request.id)
            return pb.GetConversationResponse(conversation=messages.conversation(found))

    async def ListConversations(
        self, request: pb.ListConversationsRequest, context: Context
    ) -> pb.ListConversationsResponse:
        """Newest change first."""
        async with self._calls.open("ListConversations", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            page, following = await conversations.browse(self._services, call.tenant, limit, cursor)
            return pb.ListConversationsResponse(
                conversations=[messages.conversation(one) for one in page], next_page_token=following
            )

    async def DeleteConversation(
        self, request: pb.DeleteConversationRequest, context: Context
    ) -> pb.DeleteConversationResponse:
        """Forgotten when this returns."""
        async with self._calls.open("DeleteConversation", context) as call:
            await conversations.delete(self._services, call.tenant, request.id)
            return pb.DeleteConversationResponse()
