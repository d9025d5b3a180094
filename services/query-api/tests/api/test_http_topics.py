"""Topics over HTTP: listings by level, one topic with its passages, and what is told while they are made."""

from __future__ import annotations

import httpx2
import pytest

from trivium.domain.scope import Tenant
from trivium_query.requests import Services


async def test_topics_are_listed_by_level_the_largest_first(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/v1/graph/topics")).json()
    assert [topic["name"] for topic in page["topics"]] == ["Ada Lovelace: engines", "Looms"]
    assert (page["level"], page["levels"], page["left"], page["stale"], page["cursor"]) == (0, 2, 4, False, "")
    assert page["topics"][0]["members"][0]["name"] == "Ada Lovelace"
    finer = (await client.get("/v1/graph/topics", params={"level": 1})).json()
    assert {topic["name"] for topic in finer["topics"]} == {"Notes on engines", "Looms"}  # what is not divided stays


async def test_a_listing_goes_on_with_its_cursor_and_with_no_other(client: httpx2.AsyncClient) -> None:
    first = (await client.get("/v1/graph/topics", params={"limit": 1})).json()
    second = (await client.get("/v1/graph/topics", params={"limit": 1, "cursor": first["cursor"]})).json()
    assert [page["topics"][0]["name"] for page in (first, second)] == ["Ada Lovelace: engines", "Looms"]
    assert second["cursor"] == ""
    for cursor in ("x", "WzIuNSwxXQ==", "WzEuNSwtMV0=", "\u2603"):
        refused = await client.get("/v1/graph/topics", params={"cursor": cursor})
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_cursor")


async def test_a_topic_shows_the_passages_that_queries_see_with_their_most_telling_sentence(
    client: httpx2.AsyncClient,
) -> None:
    seen = (await client.get(f"/v1/graph/topics/{'0' * 32}")).json()
    assert [(p["place"]["chunk_number"], p["quote"]) for p in seen["central"]] == [
        (2, "Ada Lovelace wrote notes on the Analytical Engine."),
        (1, "Charles Babbage designed the Analytical Engine."),
    ]
    assert seen["central"][0]["link"].startswith(
        f"/v1/sources/{seen['central'][0]['place']['document_id']}/view?unit=2"
    )
    assert [child["name"] for child in seen["children"]] == ["Notes on engines"]
    assert (await client.get(f"/v1/graph/topics/{'2' * 32}")).json()["parent"]["name"] == "Ada Lovelace: engines"


@pytest.mark.parametrize(
    ("path", "params", "status", "code"),
    [
        ("topics", {"level": "2"}, 404, "no_such_level"),
        ("topics", {"level": "-1"}, 422, "invalid_request"),
        ("topics", {"dataset": "../other"}, 422, "invalid_request"),
        ("topics/nothing", {}, 404, "no_such_topic"),
        (f"topics/{'0' * 32}", {"dataset": "a b"}, 422, "invalid_request"),
    ],
)
async def test_a_bad_request_says_what_to_do(
    client: httpx2.AsyncClient, path: str, params: dict[str, str], status: int, code: str
) -> None:
    refused = await client.get(f"/v1/graph/{path}", params=params)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.json()["action"]


async def test_topics_that_are_being_made_are_no_fault(client: httpx2.AsyncClient, services: Services) -> None:
    services.topics.late = True
    answered = await client.get("/v1/graph/topics")
    assert (answered.status_code, answered.json()["code"]) == (503, "topics_in_the_making")
    services.topics.late, services.topics.stale = False, True
    assert (await client.get("/v1/graph/topics", params={"dataset": "mine"})).json()["stale"] is True
    assert services.topics.asked[-1] == (Tenant("default"), "mine")
