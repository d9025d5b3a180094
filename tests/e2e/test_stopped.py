"""SIGTERM in the middle of an ingest: the server ends in time, and what was being read goes on at the next start."""

from __future__ import annotations

import signal
from collections.abc import Callable

from waiting import wait_until

from .conftest import Server

STOP_S = 10  # what is promised
NOTES = 20


def test_a_stop_while_a_large_table_is_embedded_is_short_and_fails_no_document(
    start_server: Callable[[str], Server],
) -> None:
    table = "row,keeper,place\n" + "".join(f"{i},Ilse Marten{i},Weir of Skerra {i % 97}\n" for i in range(60_000))
    server = start_server("data")
    with server.http() as client:
        files = [("file", ("table.csv", table.encode()))]
        files += [("file", (f"note-{i}.md", f"# Note {i}\n\nMill {i} was let.\n".encode())) for i in range(NOTES)]
        client.post("/v1/sources", files=files).raise_for_status()
        (row,) = [each for each in client.get("/v1/sources").json()["sources"] if each["name"] == "table.csv"]
        wait_until(
            lambda: client.get(f"/v1/sources/{row['id']}").json()["stage"] == "embed", "the table is being embedded"
        )
    assert server.process
    for _ in range(3):
        server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(STOP_S) == 0
    server.start()
    with server.http() as client:
        found = client.get("/v1/sources", params={"limit": NOTES + 1}).json()["sources"]
        assert not [each["name"] for each in found if each["state"] == "failed"]
        wait_until(
            lambda: client.get(f"/v1/sources/{row['id']}").json()["stage"] == "embed", "the table is taken up again"
        )
    server.kill()
