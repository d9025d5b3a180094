"""Words that end both places and surnames: the given name decides."""

from __future__ import annotations

import pytest

from trivium.domain.graph import EntityType
from trivium_graph.types import by_form


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Corrin Gorge", EntityType.LOCATION),
        ("Stennet Mill", EntityType.LOCATION),
        ("Henry Ford", EntityType.PERSON),
        ("Paul Marsh", EntityType.PERSON),
        ("Tamsin River Programme", EntityType.ORGANIZATION),
    ],
)
def test_a_given_name_tells_a_person_from_a_place(name: str, kind: EntityType) -> None:
    vote = by_form(name)
    assert vote is not None
    assert vote[0] is kind
