"""Write docs/openapi.json from the application. With --check: fail when the committed one is stale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from written import write_or_check

from trivium.config import Settings
from trivium_query.http.app import create_app
from trivium_query.requests import Services

TARGET = Path(__file__).parent / "openapi.json"


def document() -> str:
    """The document; building it calls nothing that stands behind the application."""
    nothing = cast("Any", None)
    services = Services(
        settings=Settings(),
        intake=nothing,
        registry=nothing,
        keywords=nothing,
        vectors=nothing,
        graphs=nothing,
        curation=nothing,
        objects=nothing,
        conversations=nothing,
        searcher=nothing,
        answerer=nothing,
        crawler=nothing,
        contradictions=nothing,
        topics=nothing,
        connecting=nothing,
    )
    return json.dumps(create_app(services).openapi(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_or_check(TARGET, document())
