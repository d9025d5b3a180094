"""Queues: which a worker looks into, and in which order."""

from __future__ import annotations

import ssl
from typing import get_args

import pytest

from trivium.config import Settings
from trivium.domain.documents import LANES_OF, STAGES, Lane, Stage, WorkerLanes
from trivium.domain.errors import Refused
from trivium.flow.chain import Entry, Message, send
from trivium.flow.pipeline import Worker, stages_of
from trivium.flow.queues import (
    LARGE_BYTES,
    consumed_by,
    consumed_in_turn_by,
    lane_of,
    of_resources,
    queue_of,
    read_resources,
    resource_of,
)
from trivium.flow.tasks import VISIBILITY_S, make_app


def test_uploads_come_before_a_backfill_and_late_stages_before_early_ones() -> None:
    assert consumed_by(STAGES) == [
        *("index", "graph", "embed", "llm", "parse"),
        *("index.recording", "graph.recording", "embed.recording", "llm.recording", "parse.recording"),
        *("index.large", "graph.large", "embed.large", "llm.large", "parse.large"),
        *("index.backfill", "graph.backfill", "embed.backfill", "llm.backfill", "parse.backfill"),
    ]


def test_a_worker_of_some_stages_looks_into_their_queues_alone() -> None:
    assert consumed_by({Stage.EXTRACT, Stage.LINK}) == ["graph", "graph.recording", "graph.large", "graph.backfill"]


def test_what_a_language_model_reads_waits_in_queues_of_its_own_that_graph_workers_alone_look_into() -> None:
    graph, ingest = {Stage.EXTRACT, Stage.LINK}, set(STAGES) - {Stage.EXTRACT, Stage.LINK}
    in_turn = consumed_in_turn_by(graph)
    assert in_turn == ["llm.graph", "llm.graph.recording", "llm.graph.large", "llm.graph.backfill"]
    assert consumed_in_turn_by(ingest) == []
    assert not set(in_turn) & set(consumed_by(STAGES))
    assert queue_of(Stage.PUBLISH, Lane.INTERACTIVE, in_turn=True) == "index"


def test_stages_that_share_a_queue_are_done_by_the_same_worker() -> None:
    """A worker that takes a message whose task it does not know throws it away."""
    graph = {Stage.EXTRACT, Stage.LINK}
    ingest = set(STAGES) - graph
    for lane in Lane:
        assert not {queue_of(stage, lane) for stage in graph} & {queue_of(stage, lane) for stage in ingest}


@pytest.mark.parametrize(
    ("name", "media_type", "lane"),
    [
        ("talks/Opening.MP4", "", Lane.RECORDING),
        ("s3://drop/memo.m4a", "", Lane.RECORDING),
        ("drive.zip > talks/opening.webm", "", Lane.RECORDING),
        ("recording", "audio/mpeg; charset=binary", Lane.RECORDING),
        ("minutes.mp3.txt", "text/plain", Lane.INTERACTIVE),
        ("talk.srt", "", Lane.INTERACTIVE),
        ("mp4", "", Lane.INTERACTIVE),
    ],
)
def test_an_uploaded_recording_has_a_lane_of_its_own(name: str, media_type: str, lane: Lane) -> None:
    assert lane_of(name, media_type, 1, Lane.INTERACTIVE) is lane
    assert lane_of(name, media_type, 1, Lane.BACKFILL) is Lane.BACKFILL


def test_an_uploaded_large_file_has_a_lane_of_its_own() -> None:
    assert lane_of("rows.csv", "", LARGE_BYTES + 1, Lane.INTERACTIVE) is Lane.LARGE
    assert lane_of("rows.csv", "", LARGE_BYTES, Lane.INTERACTIVE) is Lane.INTERACTIVE
    assert lane_of("rows.csv", "", LARGE_BYTES + 1, Lane.BACKFILL) is Lane.BACKFILL
    assert lane_of("talk.mp3", "", LARGE_BYTES + 1, Lane.INTERACTIVE) is Lane.RECORDING


def test_no_limit_of_a_page_ends_an_hour_of_speech() -> None:
    app = make_app("memory://an-hour-of-speech/")
    limits = {}
    with app.connection_for_read() as connection:
        for lane in Lane:
            send(app, Message("default", lane, (Entry("document", "v", 2),)))
            queue = connection.SimpleQueue(queue_of(Stage.PARSE, lane))
            sent = queue.get(timeout=5)
            limits[lane] = sent.headers["timelimit"][0] or app.conf.task_time_limit
            sent.ack()
            queue.close()
    assert limits[Lane.RECORDING] > 3600 > limits[Lane.INTERACTIVE] == limits[Lane.BACKFILL]
    assert max(limits.values()) < VISIBILITY_S


def queues_of(lanes: WorkerLanes) -> list[str]:
    return consumed_by(STAGES, Settings(worker_lanes=lanes).lanes)


def test_the_workers_for_recordings_and_for_others_together_look_into_every_queue_once() -> None:
    every = sorted(consumed_by(STAGES))
    assert sorted(queues_of("recordings") + queues_of("others")) == sorted(queues_of("all")) == every


def test_a_worker_for_uploads_looks_into_every_queue_but_a_backfills_and_into_the_urgent_ones_first() -> None:
    assert queues_of("uploads") == [queue for queue in queues_of("all") if not queue.endswith(".backfill")]
    assert {*queues_of("uploads"), *queues_of("others")} == {*queues_of("all")}


@pytest.mark.parametrize("lanes", get_args(WorkerLanes))
def test_every_setting_of_lanes_names_lanes_in_their_order(lanes: WorkerLanes) -> None:
    assert LANES_OF[lanes] == tuple(lane for lane in Lane if lane in LANES_OF[lanes]) != ()


def test_a_worker_may_look_into_some_queues_of_its_kind() -> None:
    ingest, graph = stages_of(Worker.INGEST), stages_of(Worker.GRAPH)
    assert of_resources(ingest, read_resources("llm")) == [Stage.ENRICH]
    assert Stage.ENRICH not in of_resources(ingest, read_resources("parse, embed,index"))
    assert of_resources(ingest, read_resources("")) == ingest
    assert of_resources(graph, read_resources("llm.graph")) == graph, "whoever reads in turns links as well"
    assert of_resources(graph, read_resources("llm")) == []
    every = [*consumed_by(STAGES), *consumed_in_turn_by(STAGES)]
    assert {resource_of(queue) for queue in every} == read_resources("")
    with pytest.raises(Refused, match="'gpu' is no queue"):
        read_resources("llm,gpu")


REQUIRED, NONE = ssl.CERT_REQUIRED, ssl.CERT_NONE


@pytest.mark.parametrize(
    ("url", "tls"),
    [
        ("redis://r/0", False),
        ("memory://", False),
        ("rediss://r/0", {"ssl_cert_reqs": REQUIRED, "ssl_ca_certs": "/a b.pem"}),
        ("REDISS://r/0#x", {"ssl_cert_reqs": REQUIRED, "ssl_ca_certs": "/a b.pem"}),
        ("rediss://r/0?ssl_cert_reqs=none", {"ssl_cert_reqs": NONE, "ssl_ca_certs": "/a b.pem"}),
        (
            "rediss://r/0?ssl_certfile=/c&ssl_ca_certs=/y",
            {"ssl_cert_reqs": REQUIRED, "ssl_certfile": "/c", "ssl_ca_certs": "/y"},
        ),
        ("rediss://r/0;rediss://s/0", {"ssl_cert_reqs": REQUIRED, "ssl_ca_certs": "/a b.pem"}),
    ],
)
def test_a_broker_on_redis_is_verified_as_its_address_says_and_else_by_the_authorities_of_the_settings(
    url: str, tls: object
) -> None:
    with make_app(url, "/a b.pem").connection_for_write() as connection:
        assert connection.ssl == tls
        connection.maybe_switch_next()
        assert connection.ssl == tls
