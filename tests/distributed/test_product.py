"""Files dropped into a bucket become answerable; what is done to the bucket is done to the documents."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from cluster import CONTROL, Cluster, free_ports
from waiting import wait_until

from trivium.adapters.distributed.stores import DistributedStores
from trivium.config import load_settings
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import query_pb2 as pb
from trivium.v1.query_pb2_grpc import QueryServiceStub

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_file_dropped_into_the_bucket_is_answered_from_over_every_door(cluster: Cluster) -> None:
    key = "notes/lighthouse plan ü.txt"
    cluster.upload(key, b"The lighthouse of Brannock Head was lit first in 1873 by Ada Quill.")
    document = cluster.document(key)
    assert document["state"] == "ready", document
    answer = cluster.ask("When was the lighthouse of Brannock Head lit first?")
    assert "1873" in answer["text"], answer
    assert answer["citations"][0]["document_id"] == document["id"]
    assert {"vector", "keyword"} <= {row["source"] for row in cluster.search("Brannock Head lighthouse")[0]["sources"]}
    with grpc.insecure_channel(cluster.grpc) as channel:
        request = pb.SearchRequest(query="Brannock Head lighthouse", top_k=1)
        found = QueryServiceStub(channel).Search(request, timeout=30)
    assert "Ada Quill" in found.hits[0].chunk.text
    with cluster.http() as client:
        content = client.get(f"/v1/sources/{document['id']}/content").content
    assert b"Ada Quill" in content


def test_every_example_format_is_read_by_the_workers(cluster: Cluster) -> None:
    files = sorted((EXAMPLES / "files").iterdir())
    for file in files:
        cluster.upload(f"examples/{file.name}", file.read_bytes())
    states = {file.name: cluster.document(f"examples/{file.name}", 240)["state"] for file in files}
    assert set(states.values()) == {"ready"}, states


def answer_with(cluster: Cluster, question: str, words: str) -> dict[str, Any]:
    """The first answer that has these words in it."""
    given: list[dict[str, Any]] = []

    def says() -> bool:
        given.append(cluster.ask(question))
        return words in given[-1]["text"]

    wait_until(says, f"the answer says {words}", told=lambda: given[-1], pause_s=0.2)
    return given[-1]


@pytest.mark.parametrize(
    ("file", "question", "answer", "source", "place"),
    [
        (
            "files/weir-removal-plan.docx",
            "Who leads the removal of Harrow Weir?",
            "led by the engineer Ilse Brandt",
            "weir-removal-plan.docx",
            {"section": ["Responsibilities"]},
        ),
        (
            "files/fishing-permits.eml",
            "What does a season permit for the whole river cost?",
            "137",
            "fishing-permits.eml > permits-2024.csv",
            {"rows": [4, 4]},
        ),
        (
            "files/open-day-slides.mp4",
            "Who is the skipper of the boat trip?",
            "Petra Lund",
            "open-day-slides.mp4",
            {"seconds": [6.0, 12.0]},
        ),
        (
            "files/annual-report-2023.pdf",
            "What was the mean summer temperature at Lower Ford after the bank planting?",
            "18.1",
            "annual-report-2023.pdf",
            {"page": 1},
        ),
        (
            "formats/oxygen-at-stennet.ipynb",
            "Which alga bloomed in the mill pond?",
            "Spirogyra",
            "oxygen-at-stennet.ipynb",
            {"section": ["Oxygen at Stennet", "Why", "Cell 3"]},
        ),
    ],
    ids=["a Word file", "a mail's attachment", "a film", "a PDF", "a notebook"],
)
def test_an_example_is_answered_from_with_its_exact_place(
    cluster: Cluster, file: str, question: str, answer: str, source: str, place: dict[str, Any]
) -> None:
    key = f"examples/{Path(file).name}"
    cluster.upload(key, (EXAMPLES / file).read_bytes())
    assert cluster.document(key)["state"] == "ready"
    given = answer_with(cluster, question, answer)  # what is inside a file is ready a little later than the file
    cited = [one for one in given["citations"] if one["source"].endswith(source) and answer in one["quote"]]
    assert cited, given["citations"]
    (position,) = cited[0]["positions"]
    assert place.items() <= position.items()


def test_an_upload_over_http_goes_the_same_way(cluster: Cluster) -> None:
    document = cluster.take("ferry.txt", "The ferry to Inish Orla leaves at 06:40 on weekdays.")
    assert document["state"] == "ready", document
    assert "06:40" in cluster.ask("When does the ferry to Inish Orla leave on weekdays?")["text"]


def test_another_value_replaces_the_old_one_and_a_deletion_removes_it(cluster: Cluster) -> None:
    cluster.upload("tower.txt", b"The Corvane tower has 211 steps.")
    cluster.document("tower.txt")
    assert "211" in cluster.ask("How many steps has the Corvane tower?")["text"]
    cluster.upload("tower.txt", b"The Corvane tower has 347 steps.")
    assert "211" not in answer_with(cluster, "How many steps has the Corvane tower?", "347")["text"]
    cluster.s3.remove_object(cluster.uploads, "tower.txt")
    cluster.until_unlisted("tower.txt")
    assert all("Corvane" not in hit["chunk"]["text"] for hit in cluster.search("Corvane tower steps"))


def test_bad_files_fail_with_their_reason_and_hinder_nobody(cluster: Cluster) -> None:
    cluster.upload("bad/empty.txt", b"")
    cluster.upload("bad/broken.pdf", b"%PDF-1.7 nothing follows")
    cluster.upload("bad/good.txt", b"The heron of Lough Eske stands on one leg.")
    assert cluster.document("bad/empty.txt")["reason"]["code"] == "empty_file"
    broken = cluster.document("bad/broken.pdf")
    assert broken["state"] == "failed"
    assert broken["reason"]["message"]
    assert cluster.document("bad/good.txt")["state"] == "ready"


def test_a_process_that_was_not_there_finds_what_it_missed(cluster: Cluster) -> None:
    cluster.stop("trivium-ingest-control")
    cluster.upload("missed.txt", b"The Velmar comet returns every 83 years.")
    time.sleep(1)
    cluster.s3.remove_object(cluster.uploads, "bad/empty.txt")
    cluster.start("trivium-ingest-control")
    assert cluster.document("missed.txt")["state"] == "ready"
    cluster.until_unlisted("bad/empty.txt")


def test_two_control_processes_at_once_double_nothing_and_lose_nothing(cluster: Cluster) -> None:
    """Each document is handed out as often as by one; when one is killed the other goes on."""
    second, [port] = f"{CONTROL}#2", free_ports(1)
    cluster.upload("controlled/alone.txt", b"The keeper of the mole is Ida Quill.")
    ids = [cluster.document("controlled/alone.txt")["id"]]
    cluster.start(second, TRIVIUM_EVENTS_PORT=str(port))
    wait_until(lambda: _listens(port), "the second is up")
    keys = [f"controlled/{number}.txt" for number in range(24)]
    for number, key in enumerate(keys):
        if number == len(keys) // 2:
            ids += [cluster.document(early)["id"] for early in keys[:number]]
            cluster.kill(CONTROL)
        cluster.upload(key, f"The keeper of pier {number} is Ida Quill.".encode())
    found = [cluster.document(key) for key in keys]
    assert {document["state"] for document in found} == {"ready"}
    ids += [document["id"] for document in found[len(keys) // 2 :]]
    with DistributedStores(load_settings(cluster.env)) as stores:
        records = stores.registry.for_tenant(DEFAULT_TENANT).get_many(ids)
    assert {record.attempt for record in records.values()} == {1}
    assert {record.fence for record in records.values()} == {records[ids[0]].fence}
    cluster.start(CONTROL)
    cluster.stop(second)
    assert cluster.cli("audit", "--json").stdout == "[]\n"


def _listens(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex(("127.0.0.1", port)) == 0
