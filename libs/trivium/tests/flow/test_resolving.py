"""Names are resolved behind the questions that are being answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import structlog
from folder_stores import FolderStores
from structlog.testing import LogCapture
from waiting import wait_until

from trivium.domain.chunks import Span
from trivium.domain.errors import TryLater
from trivium.domain.graph import ChunkGraph, Mention
from trivium.domain.scope import DEFAULT_TENANT, Scope, Tenant
from trivium.flow import resolving
from trivium.flow.asking import Asking
from trivium.flow.resolving import NAMES_BESIDE, Resolving
from trivium.ports.graph import GraphRow

NAMES = 120


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FolderStores]:
    monkeypatch.setattr(resolving, "LOOK_S", 0.01)
    with closing(FolderStores(tmp_path)) as opened:
        mentions = [Mention(f"name {n}", "c", 0, Span(0, 1), f"Name {n}") for n in range(NAMES)]
        row = GraphRow(ChunkGraph("c", tuple(mentions), (), ()), "d", "v", Scope(DEFAULT_TENANT))
        opened.graphs.writer(DEFAULT_TENANT).upsert([row])
        yield opened


@pytest.mark.parametrize(("asked", "most"), [(True, NAMES_BESIDE), (False, NAMES)])
def test_few_names_are_resolved_at_once_while_a_question_is_answered(
    stores: FolderStores, monkeypatch: pytest.MonkeyPatch, asked: bool, most: int
) -> None:
    writer = type(stores.graphs.writer(DEFAULT_TENANT))
    resolve, settled = writer.resolve, list[int]()

    def counted(self: object, limit: int) -> int:
        settled.append(resolve(self, limit))  # type: ignore[arg-type]
        return settled[-1]

    monkeypatch.setattr(writer, "resolve", counted)
    asking = Asking()
    if asked:
        with asking.question():
            pass
    thread = Resolving(stores.graphs, asking)
    thread.start()
    wait_until(lambda: sum(settled) == NAMES, "every name is resolved")
    thread.stop()
    assert settled[0] == most


def test_a_moment_without_a_question_is_waited_for_and_not_for_ever() -> None:
    asking = Asking()
    assert not asking.lately()
    with asking.question():
        assert asking.lately()
        assert not asking.wait_for_none(0.01)
    assert asking.wait_for_none(0.01)
    assert asking.lately()  # who has just been answered may ask again


def test_a_store_that_stays_away_is_told_once(stores: FolderStores, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = list[None]()

    def away() -> frozenset[Tenant]:
        tries.append(None)
        raise TryLater("graph_away", "The graph does not answer.", "Wait.")

    monkeypatch.setattr(type(stores.graphs), "unresolved", lambda _: away())
    logged = LogCapture()
    own = structlog.wrap_logger(None, [logged], wrapper_class=structlog.make_filtering_bound_logger("info"))
    monkeypatch.setattr(resolving, "log", own)  # whatever this process has set for its logs
    thread = Resolving(stores.graphs)
    thread.start()
    wait_until(lambda: len(tries) > 3, "it was tried several times")
    thread.stop()
    assert [entry["log_level"] for entry in logged.entries] == ["warning"]
