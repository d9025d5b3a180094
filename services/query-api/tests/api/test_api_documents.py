"""What the OpenAPI document says. `make check-generated` tells whether the committed one is fresh."""

from __future__ import annotations

import json

from trivium_query.http.app import create_app
from trivium_query.requests import Services


def test_every_reference_in_the_openapi_document_leads_somewhere(services: Services) -> None:
    document = create_app(services).openapi()
    text = json.dumps(document)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(document["components"]["schemas"])


def test_every_field_that_a_caller_sends_is_bounded(services: Services) -> None:
    schemas = create_app(services).openapi()["components"]["schemas"]
    for model in ("SearchRequest", "QueryRequest", "FollowUp", "Filters", "NewConversation", "UrlSource"):
        for name, field in schemas[model]["properties"].items():
            for form in field.get("anyOf", [field]):
                if form.get("type") == "string":
                    assert {"maxLength", "enum"} & form.keys(), (model, name)
                if form.get("type") == "array":
                    assert "maxItems" in form, (model, name)
                if form.get("type") == "integer":
                    assert {"minimum", "maximum"} <= set(form), (model, name)
