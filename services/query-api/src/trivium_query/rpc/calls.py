"""What every call passes: who is asking, how long it may take, metrics, and rich errors."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import msgspec
import structlog
from grpc.aio import AbortError, ServicerContext

from trivium.domain.errors import TriviumError
from trivium.domain.scope import Tenant
from trivium.rpc_status import abort
from trivium.telemetry import REQUEST_SECONDS, REQUESTS
from trivium_query.doors import Services
from trivium_query.failures import internal, seen
from trivium_query.identity import Keyring

Context = ServicerContext[object, object]


class Call(msgspec.Struct, frozen=True):
    """Who is asking, and the seconds that the caller still waits (None: no deadline)."""

    tenant: Tenant
    timeout_s: float | None


class Calls:
    """Opens calls for one server."""

    def __init__(self, services: Services) -> None:
        self._keys = Keyring(services.settings)

    @asynccontextmanager
    async def open(self, method: str, context: Context) -> AsyncIterator[Call]:
        """Everything around one call's work; a `TriviumError` in the block becomes the call's rich status."""
        request_id = secrets.token_hex(8)
        started = time.perf_counter()
        code = grpc.StatusCode.OK
        try:
            with structlog.contextvars.bound_contextvars(request_id=request_id):
                metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
                tenant = self._keys.tenant(metadata.get("authorization", ""), metadata.get("x-api-key", ""))
                yield Call(tenant, context.time_remaining())
        except TriviumError as error:
            code = seen(error).grpc
            await abort(context, code, error, request_id)
        except AbortError:
            code = grpc.StatusCode.UNKNOWN
            raise
        except Exception as error:  # noqa: BLE001  the boundary: nothing of it may reach the caller
            code = grpc.StatusCode.INTERNAL
            await abort(context, code, internal(error, request_id), request_id)
        except BaseException:
            code = grpc.StatusCode.CANCELLED
            raise
        finally:
            REQUESTS.labels("grpc", method, code.name).inc()
            REQUEST_SECONDS.labels("grpc", method).observe(time.perf_counter() - started)
