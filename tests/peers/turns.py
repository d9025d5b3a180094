"""A page among large files, at the doors of one process or many."""

from __future__ import annotations

from typing import Any

import httpx2
from doors import Doors
from waiting import wait_until

ROWS = 60_000
TABLES = 3


def ask_for_a_page_while_tables_are_read(doors: Doors) -> None:
    """The page is answerable before any table of `ROWS` rows is, and their progress moves meanwhile."""
    with doors.http() as client:
        tables = [_taken(client, f"table-{number}.csv", _table(number)) for number in range(TABLES)]
        wait_until(lambda: "embed" in {_told(client, each)["stage"] for each in tables}, "a table is being embedded")
        page = _taken(client, "page.md", b"# Mill\n\nThe mill of Vardo was let to Oda Kranz.\n")
        wait_until(
            lambda: _told(client, page)["state"] == "ready", "the page is ready", told=lambda: _told(client, page)
        )
        answer = client.post("/v1/search", json={"query": "Who let the mill of Vardo?"}).json()
        assert answer["hits"][0]["chunk"]["source"] == "page.md"
        assert "ready" not in {_told(client, each)["state"] for each in tables}
        progress = {each: _told(client, each)["progress"] for each in tables}
        wait_until(
            lambda: progress != {each: _told(client, each)["progress"] for each in tables},
            "their progress moves",
            limit_s=180,  # a slice of two tables at once, where others have the processors too
        )


def _table(number: int) -> bytes:
    rows = (f"{i},Ilse Marten{i},Weir of Skerra {i % 97},{number}\n" for i in range(ROWS))
    return ("row,keeper,place,table\n" + "".join(rows)).encode()


def _taken(client: httpx2.Client, name: str, content: bytes) -> str:
    return str(client.post("/v1/sources", files={"file": (name, content)}).json()["id"])


def _told(client: httpx2.Client, source: str) -> dict[str, Any]:
    return dict(client.get(f"/v1/sources/{source}").json())
