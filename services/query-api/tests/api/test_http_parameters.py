"""What stands behind the `?` of an address."""

from __future__ import annotations

import re

import httpx2
import pytest

from trivium_query.http.middleware import OPEN_PATHS


async def test_an_unknown_parameter_of_any_path_is_refused(client: httpx2.AsyncClient) -> None:
    paths = (await client.get("/openapi.json")).json()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method in methods if path not in OPEN_PATHS else ():
            answer = await client.request(method, re.sub(r"\{\w+\}", "0" * 32, path), params={"colour": "blue"})
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), (method, path)
            assert [each["field"] for each in answer.json()["errors"]] == ["query.colour"], (method, path)
            asked += 1
    assert asked > 20


async def test_the_refusal_names_the_parameters_that_there_are(client: httpx2.AsyncClient) -> None:
    problem = (await client.get("/v1/sources", params={"data_set": "papers", "limit": 3})).json()
    assert problem["errors"] == [
        {
            "field": "query.data_set",
            "message": "Unknown parameter; known are: state, parent, dataset, since, until, time, run, limit, cursor",
        }
    ]
    assert "papers" not in str(problem)
    refused = (await client.get("/v1/status", params={"dataset": "papers"})).json()
    assert refused["errors"] == [{"field": "query.dataset", "message": "This path takes no parameters"}]


@pytest.mark.parametrize(
    ("path", "field"), [("/v1/sources", "dataset"), ("/v1/sources", "run"), ("/v1/graph/export", "dataset")]
)
async def test_what_a_name_may_be_is_told_in_words(client: httpx2.AsyncClient, path: str, field: str) -> None:
    refused = (await client.get(path, params={field: "ü space"})).json()
    words = "Expected letters, digits, '.', '_' or '-', beginning with a letter or digit"
    assert refused["errors"] == [{"field": f"query.{field}", "message": words}]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_probes_and_scrapers_may_send_what_they_like(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path, params={"name[]": "up"})).status_code == 200
