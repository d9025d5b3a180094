"""Elasticsearch's asynchronous requests over httpx2.

The package's own node over httpx loses a connection for good where a request is cancelled as its answer comes
(httpcore, issue 1093), until none is left; its node over aiohttp would be one more HTTP library.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import httpx2
from elastic_transport import (
    ApiResponseMeta,
    BaseAsyncNode,
    ConnectionError,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
)
from elastic_transport.client_utils import DEFAULT, client_meta_version


class Response(NamedTuple):
    """What the transport takes."""

    meta: ApiResponseMeta
    body: bytes


class HttpNode(BaseAsyncNode):
    """One address of a server. A request that is cancelled closes its connection, by which the server ends it too."""

    _CLIENT_META_HTTP_CLIENT = ("hx", client_meta_version(httpx2.__version__))

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._client = httpx2.AsyncClient(
            base_url=self.base_url,
            limits=httpx2.Limits(max_connections=config.connections_per_node),
            timeout=config.request_timeout,
            verify=config.ssl_context or True,
        )

    async def perform_request(  # type: ignore[override]
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: Any = DEFAULT,
    ) -> Response:
        """Raises `ConnectionTimeout`, or `ConnectionError` for what else kept an answer from coming."""
        began = time.perf_counter()
        timeout = httpx2.USE_CLIENT_DEFAULT if request_timeout is DEFAULT else request_timeout
        try:
            response = await self._client.request(
                method, target, content=body, headers={**self._headers, **(headers or {})}, timeout=timeout
            )
        except httpx2.TimeoutException as error:
            raise ConnectionTimeout("No answer in time.", errors=(error,)) from None
        except httpx2.HTTPError as error:
            raise ConnectionError(str(error), errors=(error,)) from None
        spent_s = time.perf_counter() - began
        told = HttpHeaders(response.headers)
        meta = ApiResponseMeta(response.status_code, response.http_version, told, spent_s, self.config)
        return Response(meta, response.content)

    async def close(self) -> None:  # type: ignore[override]
        """Close its connections."""
        await self._client.aclose()
