"""Two persons of one name are one entity, as a name is its key: that they were born twice is a card for a person."""

from __future__ import annotations

import time
from collections.abc import Callable

from .conftest import Server

HALDEN = "# Harbour\n\nJohn Smith was born in Halden. John Smith keeps the harbour books.\n"
DRAMMEN = "# Choir\n\nJohn Smith was born in Drammen. John Smith leads the choir.\n"
SCHOOL = "# School\n\nMary Ellison was born on 3 March 1950. Mary Ellison teaches.\n"
CLINIC = "# Clinic\n\nMary Ellison was born on 9 June 1971. Mary Ellison is a nurse.\n"


def test_two_births_of_one_name_are_a_card_with_both_passages_since_the_second_came(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    server.take("halden.md", HALDEN)
    server.take("school.md", SCHOOL)
    with server.http() as client:
        assert client.get("/v1/contradictions").json()["contradictions"] == []
        before = time.time()
        server.take("drammen.md", DRAMMEN)
        server.take("clinic.md", CLINIC)
        after = time.time()
        found = {card["subject"]: card for card in client.get("/v1/contradictions").json()["contradictions"]}
    assert found.keys() == {"john smith", "mary ellison"}
    sides = {
        subject: (card["attribute"], {(side["value"], side["citation"]["source"]) for side in card["sides"]})
        for subject, card in found.items()
    }
    assert sides == {
        "john smith": ("birthplace", {("Halden", "halden.md"), ("Drammen", "drammen.md")}),
        "mary ellison": ("born", {("3 March 1950", "school.md"), ("9 June 1971", "clinic.md")}),
    }
    assert all(before <= card["since"] <= after for card in found.values())
    server.cli("delete", "clinic.md", "--yes")
    with server.http() as client:
        [left] = client.get("/v1/contradictions").json()["contradictions"]
    assert left == found["john smith"]
