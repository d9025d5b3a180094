# ruff: noqa: N802  (calls have the names of proto/)
"""AccessService over the shared handlers."""

from __future__ import annotations

from msgspec.structs import asdict

from trivium import api
from trivium.domain.access import AccessKey, Role
from trivium.rpc_calls import Context
from trivium.v1 import access_pb2 as pb
from trivium.v1 import access_pb2_grpc
from trivium_query.handlers import access
from trivium_query.rpc import messages
from trivium_query.rpc.calls import Servicer
from trivium_query.validation import validated


class Access(Servicer, access_pb2_grpc.AccessServiceServicer):  # type: ignore[misc]  # generated, untyped
    """What HTTP's /v1/keys and /v1/trail do."""

    async def CreateKey(self, request: pb.CreateKeyRequest, context: Context) -> pb.CreateKeyResponse:
        """A new key."""
        async with self._calls.open("CreateKey", context) as call:
            sent = {"name": request.name, "role": request.role or Role.READER.value}
            expiry = {"expires_in_s": request.expires_in_s} if request.expires_in_s else {}
            key, secret = await access.create(self._services, call.caller, validated(api.CreateKey, sent | expiry))
            return pb.CreateKeyResponse(key=_key(key), secret=secret)

    async def ListKeys(self, request: pb.ListKeysRequest, context: Context) -> pb.ListKeysResponse:
        """Newest first."""
        async with self._calls.open("ListKeys", context) as call:
            return pb.ListKeysResponse(keys=[_key(key) for key in await access.listed(self._services, call.tenant)])

    async def RotateKey(self, request: pb.RotateKeyRequest, context: Context) -> pb.RotateKeyResponse:
        """Another in its place."""
        async with self._calls.open("RotateKey", context) as call:
            wanted = validated(api.RotateKey, {"keep_s": request.keep_s})
            key, secret = await access.rotate(
                self._services, call.caller, messages.short(request.id, "id"), wanted.keep_s
            )
            return pb.RotateKeyResponse(key=_key(key), secret=secret)

    async def RevokeKey(self, request: pb.RevokeKeyRequest, context: Context) -> pb.RevokeKeyResponse:
        """It opens nothing any more."""
        async with self._calls.open("RevokeKey", context) as call:
            key = await access.revoke(self._services, call.tenant, messages.short(request.id, "id"))
            return pb.RevokeKeyResponse(key=_key(key))

    async def ListTrail(self, request: pb.ListTrailRequest, context: Context) -> pb.ListTrailResponse:
        """Oldest first."""
        async with self._calls.open("ListTrail", context) as call:
            limit, cursor = messages.page_of(request.page_size, request.page_token)
            since = messages.short(request.since, "since")
            entries, following = await access.trail(self._services, call.tenant, limit, cursor, since)
            return pb.ListTrailResponse(
                entries=[pb.TrailEntry(**asdict(entry)) for entry in entries], next_page_token=following
            )


def _key(key: AccessKey) -> pb.Key:
    told = asdict(key)
    del told["tenant"]
    return pb.Key(**told)
