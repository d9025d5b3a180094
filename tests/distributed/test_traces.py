"""One trace through all processes: the query service, the control process, both workers and the inference service."""

from __future__ import annotations

import secrets

from otlp_receiver import otlp_receiver
from waiting import wait_until

TEXT = "Ilse Brandt built the fish ladder at Corrin Gorge in 2016. The ladder has twelve steps."


def test_an_upload_and_a_question_are_one_trace_each_through_all_processes(new_cluster):
    with otlp_receiver() as receiver:
        cluster = new_cluster(TRIVIUM_TRACES_URL=receiver.url).start()
        traces = {}
        with cluster.http() as client:
            for name in ("upload", "question"):
                trace, span = secrets.token_hex(16), secrets.token_hex(8)
                headers = {"traceparent": f"00-{trace}-{span}-01"}
                traces[name] = (trace, span)
                if name == "upload":
                    answer = client.post("/v1/sources", files={"file": ("people.txt", TEXT)}, headers=headers)
                    cluster.settled(answer.json()["id"])
                else:
                    client.post("/v1/queries", json={"query": "Who built the fish ladder?"}, headers=headers)
        expected = {
            "upload": {
                "trivium-query-api",
                "trivium-ingest-control",
                "trivium-ingest-worker",
                "trivium-graph-worker",
                "trivium-gpu-inference",
            },
            "question": {"trivium-query-api", "trivium-gpu-inference"},
        }
        for name, (trace, span) in traces.items():
            wait_until(
                lambda name=name, trace=trace: expected[name] <= receiver.services(trace),
                f"every process told its part of the {name}",
                told=lambda trace=trace: (receiver.services(trace), sorted(receiver.of(trace))),
            )
            wait_until(lambda trace=trace, span=span: receiver.under_one_root(trace, span), "all leads to the caller")
