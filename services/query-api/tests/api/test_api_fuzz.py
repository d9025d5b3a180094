"""Schemathesis sends what the OpenAPI document allows and what it forbids: no 500, no answer that it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from fastapi import FastAPI
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode, openapi
from schemathesis.specs.openapi.checks import positive_data_acceptance

from trivium_query.http.app import create_app
from trivium_query.requests import Services

DOCUMENT = Path(__file__).parents[4] / "docs" / "openapi.json"
OPERATIONS = [
    (path, method)
    for path, methods in json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"].items()
    for method in methods
]
EXAMPLES = 8
LOCAL = {"host": "localhost"}
_UNTOLD = [positive_data_acceptance]


class Documented:
    """One application for the world of each test: to read its document and its code's constants is half of a test."""

    def __init__(self) -> None:
        self._app: FastAPI | None = None

    def over(self, services: Services) -> Any:
        """The document; what is sent by it goes to an application over `services`."""
        app = create_app(services)
        if self._app is None:
            self._app = app
            self._document = openapi.from_asgi("/openapi.json", app, headers=LOCAL)
        self._app.state, self._app.middleware_stack = app.state, app.build_middleware_stack()
        return self._document


@pytest.fixture(scope="module")
def documented() -> Documented:
    return Documented()


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda part: part)
def test_no_request_brings_a_500_or_an_answer_the_document_does_not_know(
    services: Services, documented: Documented, engine: str, path: str, method: str
) -> None:
    operation = documented.over(services)[path][method]

    takes = operation.definition.raw
    modes = list(GenerationMode) if takes.get("parameters") or takes.get("requestBody") else [GenerationMode.POSITIVE]
    for mode in modes:
        _send(operation.as_strategy(generation_mode=mode), mode, engine if mode is GenerationMode.POSITIVE else "")


def _is_told_wrong_by_its_type_alone(case: Case) -> bool:
    """A form carries a number or a list as text, which is as good as any other."""
    form = case.body if case.media_type == "multipart/form-data" and isinstance(case.body, dict) else {}
    return any(isinstance(value, int | float | list | dict) for value in form.values())


def _is_turned(filters: object) -> bool:
    """No schema tells that `until` must not lie before `since`: one of the two is tried at a time."""
    return isinstance(filters, dict) and bool(filters.get("since")) and bool(filters.get("until"))


def _says_nothing_to_delete(case: Case) -> bool:
    """Of many sources: a dataset or a run has to be named."""
    return (case.method, case.path) == ("DELETE", "/v1/sources") and not any(
        case.query.get(name) for name in ("dataset", "run")
    )


def _has_rules_of_its_own(case: Case) -> bool:
    """The graph refuses names and relations that no schema tells from others, and what was settled a moment ago.

    Nor does one tell private addresses from others; hypothesis finds this machine's among the product's constants. What
    may be a connection's location depends on its kind, and whether an export has topics on its format.
    """
    graph = ("tools/", "edits/", "provenance", "schema", "export")
    rules = (*(f"/v1/graph/{path}" for path in graph), "/v1/connections")
    return case.path.startswith(rules) or (isinstance(case.body, dict) and "url" in case.body)


def _send(cases: SearchStrategy[Case], mode: GenerationMode, known_id: str) -> None:
    """Send generated requests as they are and, where a known id is given, once more with it in the path."""

    @hypothesis.given(cases)
    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    def send(case: Case) -> None:
        hypothesis.assume(not _is_told_wrong_by_its_type_alone(case))
        hypothesis.assume(not _says_nothing_to_delete(case))
        if mode is GenerationMode.POSITIVE:  # what a forbidden case is forbidden for stays in it
            if isinstance(case.body, dict):
                case.body.pop("extractor", None)  # most need a language model, which is a matter of the server
            case.query.pop("cursor", None)  # opaque: no schema tells a real one from another string
        hypothesis.assume(not _is_turned(case.query))
        hypothesis.assume(not isinstance(case.body, dict) or not _is_turned(case.body.get("filters")))
        case.call_and_validate(headers=LOCAL, excluded_checks=_UNTOLD if _has_rules_of_its_own(case) else None)
        if known_id and "id" in case.path_parameters:
            case.path_parameters["id"] = known_id
            case.call_and_validate(headers=LOCAL, excluded_checks=_UNTOLD if _has_rules_of_its_own(case) else None)

    send()
