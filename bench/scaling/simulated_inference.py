"""An inference service whose model takes the time that was measured, and computes nothing.

`simulated_inference.py PORT PAGE_S PASSAGE_S` speaks `proto/trivium/v1/inference.proto` as the real one does. Each call
sleeps for itself: there are as many model replicas as callers. Vectors are drawn at random from the text's hash, so
equal texts have equal vectors; OCR answers lines of made-up words.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy as np
from grpc_health.v1 import health
from grpc_health.v1.health_pb2 import HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from trivium.v1 import inference_pb2 as pb
from trivium.v1.inference_pb2_grpc import InferenceServiceServicer, add_InferenceServiceServicer_to_server

FINGERPRINT = "simulated"
DIMENSION = 384
MAX_TOKENS = 512
CALLERS = 64
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
LINES = 18  # of a page
WORDS = ("harbour", "slate", "barge", "weir", "ladder", "river", "bridge", "engineer", "survey", "council", "ledger")


class Simulated(InferenceServiceServicer):  # type: ignore[misc]  # generated code is untyped
    """Sleeps `page_s` for a page of OCR, `passage_s` for each passage."""

    def __init__(self, page_s: float, passage_s: float) -> None:
        self._page_s, self._passage_s = page_s, passage_s

    def Info(self, request: pb.InfoRequest, context: grpc.ServicerContext) -> pb.InfoResponse:  # noqa: N802
        embedding = pb.InfoResponse.Embedding(fingerprint=FINGERPRINT, dimension=DIMENSION, max_tokens=MAX_TOKENS)
        return pb.InfoResponse(embedding=embedding, ocr_fingerprint=FINGERPRINT)

    def Embed(self, request: pb.EmbedRequest, context: grpc.ServicerContext) -> pb.EmbedResponse:  # noqa: N802
        passages = request.passages.passages
        texts = list(request.queries.texts) or [passage.text for passage in passages]
        sentences = [p.text[span.start : span.end] for p in passages for span in p.sentences]
        time.sleep(self._passage_s * len(passages))
        return pb.EmbedResponse(
            vectors=_vectors(texts), sentences=_vectors(sentences), dimension=DIMENSION, fingerprint=FINGERPRINT
        )

    def CountTokens(self, request: pb.CountTokensRequest, context: grpc.ServicerContext) -> pb.CountTokensResponse:  # noqa: N802
        return pb.CountTokensResponse(counts=[len(text.split()) for text in request.texts], fingerprint=FINGERPRINT)

    def Ocr(self, request: pb.OcrRequest, context: grpc.ServicerContext) -> pb.OcrResponse:  # noqa: N802
        time.sleep(self._page_s)
        seed = int.from_bytes(hashlib.blake2b(request.image, digest_size=8).digest())
        draw = np.random.default_rng(seed)
        return pb.OcrResponse(
            lines=[
                pb.OcrResponse.Line(
                    text=f"{' '.join(draw.choice(WORDS, 9))} {draw.integers(1000, 9999)}.",
                    left=10,
                    top=10 + 20 * line,
                    right=190,
                    bottom=26 + 20 * line,
                    confidence=0.98,
                )
                for line in range(LINES)
            ]
        )


def _vectors(texts: Sequence[str]) -> bytes:
    rows = [np.frombuffer(hashlib.shake_128(text.encode()).digest(DIMENSION), np.int8) for text in texts]
    if not rows:
        return b""
    vectors = np.stack(rows).astype(np.float32) + 0.5
    normed: bytes = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f4").tobytes()
    return normed


def main(port: str, page_s: str, passage_s: str) -> None:
    """Serve until killed."""
    options = [
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ]
    server = grpc.server(ThreadPoolExecutor(CALLERS), options=options)
    add_InferenceServiceServicer_to_server(Simulated(float(page_s), float(passage_s)), server)
    healthy = health.HealthServicer()
    healthy.set("", HealthCheckResponse.SERVING)
    add_HealthServicer_to_server(healthy, server)
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
