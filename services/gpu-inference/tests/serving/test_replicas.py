"""One client and several replicas of the inference service behind one name."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import grpc

from trivium.adapters.distributed.inference.server import Inference
from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceServicer, add_InferenceServiceServicer_to_server

CALLS = 40


class Replica(InferenceServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """Counts who asks for its models."""

    def __init__(self) -> None:
        self.asked = 0

    def Info(self, request: pb.InfoRequest, context: grpc.ServicerContext) -> pb.InfoResponse:  # noqa: N802
        self.asked += 1
        return pb.InfoResponse()


@contextmanager
def serving(replica: Replica) -> Iterator[tuple[str, grpc.Server]]:
    server = grpc.server(ThreadPoolExecutor(2))
    add_InferenceServiceServicer_to_server(replica, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", server
    finally:
        server.stop(0).wait()


def test_a_client_asks_all_replicas_in_turn_and_goes_on_without_one_that_ends() -> None:
    first, second = Replica(), Replica()
    with (
        serving(first) as (one, server),
        serving(second) as (other, _),
        closing(Inference(f"ipv4:{one},{other}")) as inference,
    ):
        for _ in range(CALLS):
            inference.call("Info", pb.InfoRequest(), timeout_s=10)
        assert min(first.asked, second.asked) >= CALLS // 4
        server.stop(0).wait()
        before = second.asked
        for _ in range(CALLS):
            inference.call("Info", pb.InfoRequest(), timeout_s=10)
        assert second.asked == before + CALLS
