"""The graph is brought to the log, also where its store was away when an edit came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from folder_stores import FolderStores
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from waiting import wait_until

from trivium.domain.edits import Actor, CreateEntity, Decisions, Draft
from trivium.domain.errors import TryLater
from trivium.domain.graph import EntityType
from trivium.domain.ids import entity_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.edits.curation import Curation, curation_of
from trivium.tenants.create import create_tenant
from trivium.tenants.erase import erase_tenant

ACME = Tenant("acme")
WEIR = Draft(CreateEntity("old weir", "Old Weir", EntityType.LOCATION), Actor(name="anna"))
PIER = Draft(CreateEntity("pier", "Pier", EntityType.LOCATION), Actor(name="bert"))


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[FolderStores]:
    with closing(FolderStores(tmp_path)) as opened:
        yield opened


def times_behind() -> float:
    return REGISTRY.get_sample_value("trivium_store_drift_total", {"store": "graph", "found_by": "edits"}) or 0.0


async def test_an_edit_counts_while_the_graph_is_away_and_is_brought_along_later(
    stores: FolderStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = type(stores.graphs.writer(DEFAULT_TENANT))
    decide = writer.decide
    away = [True, True]

    def fails_twice(self: object, decisions: Decisions, since: Decisions | None = None) -> None:
        if away:
            away.pop()
            raise TryLater("store_io_error", "The graph could not be written.")
        decide(self, decisions, since)

    monkeypatch.setattr(writer, "decide", fails_twice)
    before = times_behind()
    curation = curation_of(stores)
    assert isinstance(curation, Curation)
    with capture_logs() as logged:
        [edit] = curation.append(DEFAULT_TENANT, lambda _: [WEIR])
    assert edit.id == "1.0"
    assert times_behind() == before + 1
    assert [(line["event"], line["log_level"], line["tenant"], line["error"]) for line in logged] == [
        ("graph_behind_edits", "warning", "default", "The graph could not be written.")
    ]
    decisions = curation.now(DEFAULT_TENANT).folded.decisions
    wait_until(lambda: stores.graphs.writer(DEFAULT_TENANT).undecided(decisions) == 0, "the graph is with the log")
    found = await stores.graphs.reader(DEFAULT_TENANT).entity(entity_id(DEFAULT_TENANT, "old weir"))
    assert found.name == "Old Weir"


@pytest.mark.parametrize("identified", [True, False])
async def test_whoever_gets_an_erased_tenants_name_has_none_of_its_edits(
    stores: FolderStores, tmp_path: Path, identified: bool
) -> None:
    with closing(FolderStores(tmp_path)) as elsewhere:
        query, worker = curation_of(stores), curation_of(elsewhere)
        query.append(ACME, lambda _: [WEIR])
        if not identified:  # as an earlier version wrote it
            stores.objects.for_tenant(ACME).delete("edits-identity")
        kept = [curation.shown(ACME).edits for curation in (query, worker)]
        assert [[edit.change for edit in edits] for edits in kept] == [[WEIR.change]] * 2
        erase_tenant(elsewhere, ACME, None, 0.0, lambda _: None)
        create_tenant(elsewhere, ACME)
        for curation in (query, worker):
            assert curation.now(ACME).edits == ()
            assert curation.shown(ACME).folded.created == {}
        [edit] = query.append(ACME, lambda curated: [] if curated.edits else [PIER])
        assert edit.id == "1.0"
        for curation in (query, worker):
            assert [each.change for each in curation.shown(ACME).edits] == [PIER.change]
            assert curation.unreadable(ACME) == ()
        page = await elsewhere.graphs.reader(ACME).entities()
        assert [entity.name for entity in page.entities] == ["Pier"]
