"""A busy vLLM holds ingest back, lane by lane, and nothing fails; its stages have a worker of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from cluster import CONTROL, GRAPH, INFERENCE, INGEST, QUERY, Cluster
from doors import TRIVIUM
from openai_peer import OpenAiPeer, Reply, Seen
from waiting import wait_until

LIMIT = 2
LLM = f"{INGEST}#2"
SAID = "It is told of a barge that carried slate."


class Vllm:
    """Answers everybody, and says that so many requests wait."""

    waiting = 0.0

    def __call__(self, seen: Seen) -> Reply:
        if seen.path == "/metrics":
            return Reply(raw=f'vllm:num_requests_waiting{{engine="0"}} {self.waiting}\n'.encode())
        return Reply(SAID)


def test_a_backfill_waits_for_a_busy_model_while_uploads_pass(new_cluster: Callable[..., Cluster]) -> None:
    vllm = Vllm()
    with OpenAiPeer(vllm) as peer:
        cluster = new_cluster(
            TRIVIUM_LLM="vllm",
            TRIVIUM_LLM_MODEL="m",
            TRIVIUM_LLM_URL=f"{peer.url}/v1",
            TRIVIUM_LLM_WAITING_LIMIT=str(LIMIT),
            TRIVIUM_EXTRACTOR="rules",
        )
        cluster.start(INFERENCE, CONTROL, GRAPH, QUERY)
        cluster.start(INGEST, TRIVIUM_WORKER_QUEUES="parse,embed,index")
        cluster.start(LLM, TRIVIUM_WORKER_QUEUES="llm")
        vllm.waiting = LIMIT  # a backfill's limit, not an upload's
        with cluster.archive(old=b"Ledger: the barge Halvard carried slate.") as archive:
            with subprocess.Popen([TRIVIUM, "backfill", archive], env=cluster.env) as backfill:
                wait_until(lambda: [d for d in cluster.documents() if d.get("stage")], "it is read", limit_s=120)
                cluster.upload("new.txt", b"The barge Corrin carried lamps.")
                assert cluster.document("new.txt")["state"] == "ready"
                assert any("Corrin" in seen.prompt for seen in peer.seen)
                assert not any("Halvard" in seen.prompt for seen in peer.seen), "the model was asked nothing of it"
                assert {d["state"] for d in cluster.documents()} == {"ready", "running"}
                vllm.waiting = 0.0
                assert backfill.wait(120) == 0
            assert {document["state"] for document in cluster.documents()} == {"ready"}
