"""The gRPC server: its services, health and reflection."""

from __future__ import annotations

import socket
from typing import Any

import grpc
import msgspec
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_health.v1.health import aio as health_aio  # type: ignore[attr-defined]  # its stubs lag behind
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection

from trivium.domain.errors import Refused
from trivium.rpc_requests import DecodableOnly
from trivium.v1 import (
    access_pb2,
    access_pb2_grpc,
    connections_pb2,
    connections_pb2_grpc,
    conversations_pb2,
    conversations_pb2_grpc,
    graph_pb2,
    graph_pb2_grpc,
    graph_schema_pb2,
    graph_schema_pb2_grpc,
    ingest_pb2,
    ingest_pb2_grpc,
    query_pb2,
    query_pb2_grpc,
    topics_pb2,
    topics_pb2_grpc,
)
from trivium_query.requests import Services
from trivium_query.rpc.access import Access
from trivium_query.rpc.calls import Calls
from trivium_query.rpc.connections import Connections
from trivium_query.rpc.conversations import Conversations
from trivium_query.rpc.graph import Graph
from trivium_query.rpc.graph_schema import GraphSchemas
from trivium_query.rpc.ingest import Ingest
from trivium_query.rpc.query import Query
from trivium_query.rpc.topics import GraphTopics

MAX_RECEIVED_BYTES = 4 * 1024 * 1024  # a source comes in pieces; gRPC's own default, said aloud
MAX_SENT_BYTES = 64 * 1024 * 1024
HANDSHAKE_S = 20.0  # from connecting to HTTP/2's settings
IDLE_S = 300.0  # a connection without a call
PING_S = 60.0  # a caller that does not answer a ping within PONG_S is gone
PONG_S = 20.0
DESCRIPTORS = (
    ingest_pb2.DESCRIPTOR.services_by_name["IngestService"],
    query_pb2.DESCRIPTOR.services_by_name["QueryService"],
    conversations_pb2.DESCRIPTOR.services_by_name["ConversationService"],
    graph_pb2.DESCRIPTOR.services_by_name["GraphService"],
    topics_pb2.DESCRIPTOR.services_by_name["TopicService"],
    graph_schema_pb2.DESCRIPTOR.services_by_name["GraphSchemaService"],
    access_pb2.DESCRIPTOR.services_by_name["AccessService"],
    connections_pb2.DESCRIPTOR.services_by_name["ConnectionService"],
)
SERVICES = tuple(each.full_name for each in DESCRIPTORS)


class GrpcServer(msgspec.Struct, frozen=True):
    """A bound server, not started yet, its health, and the port it got."""

    server: grpc.aio.Server
    health: Any
    port: int

    async def start(self) -> None:
        """Serve, and say so through the health service."""
        await self.server.start()
        for name in ("", *SERVICES):
            await self.health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self, grace_s: float) -> None:
        """Tell health checks first, then let running calls end within `grace_s`."""
        await self.health.enter_graceful_shutdown()
        await self.server.stop(grace_s)


def create_grpc_server(services: Services, address: str, tls: grpc.ServerCredentials | None = None) -> GrpcServer:
    """A server on `address` (`host:port`, port 0 for any). Raises `Refused` (`port_in_use`).

    Call it within the event loop that will serve.
    """
    server = grpc.aio.server(
        interceptors=(DecodableOnly(),),
        options=[
            ("grpc.max_receive_message_length", MAX_RECEIVED_BYTES),
            ("grpc.max_send_message_length", MAX_SENT_BYTES),
            ("grpc.so_reuseport", 0),  # else a second server would share the port in silence
            ("grpc.server_handshake_timeout_ms", int(HANDSHAKE_S * 1000)),
            ("grpc.max_connection_idle_ms", int(IDLE_S * 1000)),
            ("grpc.keepalive_time_ms", int(PING_S * 1000)),
            ("grpc.keepalive_timeout_ms", int(PONG_S * 1000)),
        ],
    )
    calls = Calls(services)
    ingest_pb2_grpc.add_IngestServiceServicer_to_server(Ingest(services, calls), server)
    query_pb2_grpc.add_QueryServiceServicer_to_server(Query(services, calls), server)
    conversations_pb2_grpc.add_ConversationServiceServicer_to_server(Conversations(services, calls), server)
    graph_pb2_grpc.add_GraphServiceServicer_to_server(Graph(services, calls), server)
    topics_pb2_grpc.add_TopicServiceServicer_to_server(GraphTopics(services, calls), server)
    graph_schema_pb2_grpc.add_GraphSchemaServiceServicer_to_server(GraphSchemas(services, calls), server)
    access_pb2_grpc.add_AccessServiceServicer_to_server(Access(services, calls), server)
    connections_pb2_grpc.add_ConnectionServiceServicer_to_server(Connections(services, calls), server)
    checks = health_aio.HealthServicer()
    add_HealthServicer_to_server(checks, server)
    reflection.enable_server_reflection((*SERVICES, HEALTH, reflection.SERVICE_NAME), server)
    try:
        _probe(address)
        port = server.add_secure_port(address, tls) if tls else server.add_insecure_port(address)
    except (OSError, RuntimeError) as error:
        raise Refused(
            "port_in_use",
            f"Cannot listen on {address} for gRPC: the port is in use or not allowed.",
            "Stop what listens there, or set TRIVIUM_GRPC_PORT to another port.",
        ) from error
    return GrpcServer(server, checks, port)


def _probe(address: str) -> None:
    """Bind and let go. Raises `OSError`; gRPC itself would also print a line that only its authors can read."""
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    socket.create_server((host.strip("[]"), int(port)), family=family).close()
