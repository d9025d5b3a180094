"""What every intake promises; see `trivium.ports.intake`. One intake, over each deployment's stores."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from uploads_peer import UploadsPeer

from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.flow.intake import StoreIntake
from trivium.ports.intake import Destination, Intake, NewSource
from trivium.ports.parser import Blob
from trivium.ports.web import Page, Validators

MAX_BYTES = 1000
PAGE = Page(b"fetched", "text/plain", "A title", Validators("", ""))


@pytest.fixture
def intake(stores: Any) -> Intake:
    """Nobody hears its signal."""
    return StoreIntake(stores, lambda: None, lambda url, known: PAGE, MAX_BYTES, lambda name: UploadsPeer())


def source(content: bytes = b"hello", name: str = "a.txt") -> NewSource:
    return NewSource(Blob(name, content, "text/plain"))


def finished(stores: Any, accepted: Document) -> Document:
    """As the workers leave it."""
    registry = stores.registry.for_tenant(Tenant(accepted.tenant))
    claimed = registry.claim(accepted.id, accepted.version, 60, 1000.0)
    ready = {"state": DocumentState.READY, "active_version": claimed.version, "lease_until": 0.0}
    registry.save(msgspec.structs.replace(claimed, **ready))
    found: Document = registry.get(accepted.id)
    return found


def test_missing_documents_and_those_of_others_are_not_found(intake: Intake, tenant: Tenant, other: Tenant) -> None:
    theirs = intake.for_tenant(other).accept(source())
    mine = intake.for_tenant(tenant)
    for identifier in ("0" * 32, theirs.id):
        for call in (mine.delete, mine.original, lambda found: mine.children(found, 10)):
            with pytest.raises(NotFound):
                call(identifier)
        with pytest.raises(NotFound):
            mine.asset(identifier, "page-1.png")


def test_duplicate_bytes_under_one_name_are_the_document_as_it_is(intake: Intake, tenant: Tenant, stores: Any) -> None:
    mine = intake.for_tenant(tenant)
    first = mine.accept(source())
    assert mine.accept(source()) == first
    ready = finished(stores, first)
    assert mine.accept(source()) == ready
    assert mine.accept(source(name="b.txt")).id != first.id


def test_duplicate_bytes_for_another_extractor_are_read_again(intake: Intake, tenant: Tenant, stores: Any) -> None:
    mine = intake.for_tenant(tenant)
    for_agent = msgspec.structs.replace(source(), to=Destination(extractor="agent"))
    first = finished(stores, mine.accept(source()))
    again = mine.accept(for_agent)
    assert (again.id, again.version, again.state) == (first.id, first.version, DocumentState.PENDING)
    assert (again.extractor, again.active_version) == ("agent", first.version), "queries go on seeing it"
    ready = finished(stores, again)
    assert mine.accept(for_agent) == mine.accept(source()) == ready


def test_empty_sources_are_accepted_like_any_other(intake: Intake, tenant: Tenant) -> None:
    mine = intake.for_tenant(tenant)
    accepted = mine.accept(source(b""))
    assert accepted.state is DocumentState.PENDING
    assert mine.original(accepted.id).content == b""


def test_order_the_newest_accepted_version_of_a_name_wins(intake: Intake, tenant: Tenant, stores: Any) -> None:
    mine = intake.for_tenant(tenant)
    old = finished(stores, mine.accept(source(b"old")))
    new = mine.accept(source(b"new"))
    assert (new.id, new.state) == (old.id, DocumentState.PENDING)
    assert new.version != old.version == new.active_version
    assert mine.original(new.id).content == b"old", "what queries still see"
    finished(stores, new)
    assert mine.original(new.id).content == b"new"


def test_half_done_what_is_accepted_is_durable(intake: Intake, tenant: Tenant, stores: Any) -> None:
    mine = intake.for_tenant(tenant)
    for accepted in (mine.accept(source()), mine.accept_url("https://example.org/page")):
        assert accepted.id in {found.id for found in stores.registry.unfinished(1e10)}
        assert mine.original(accepted.id).content in (b"hello", PAGE.content)


def test_a_deleted_document_is_gone_and_may_come_back(intake: Intake, tenant: Tenant) -> None:
    mine = intake.for_tenant(tenant)
    accepted = mine.accept(source())
    assert mine.delete(accepted.id).state is DocumentState.DELETED
    with pytest.raises(NotFound):
        mine.original(accepted.id)
    assert mine.accept(source()).state is DocumentState.PENDING
    assert mine.original(accepted.id).content == b"hello"


def test_a_document_stays_in_its_dataset_until_it_is_deleted(intake: Intake, tenant: Tenant, stores: Any) -> None:
    mine = intake.for_tenant(tenant)
    first = mine.accept(msgspec.structs.replace(source(), to=Destination("papers")))
    page = mine.accept_url("https://example.org/", Destination("papers"))
    elsewhere = (
        lambda: mine.accept(source()),
        lambda: mine.accept(source(b"other bytes")),
        lambda: mine.accept_url("https://example.org/"),
    )
    for accept in elsewhere:
        with pytest.raises(Refused) as refused:
            accept()
        assert (refused.value.code, "'papers'" in refused.value.action) == ("other_dataset", True)
    registry = stores.registry.for_tenant(tenant)
    assert registry.get_many([first.id, page.id]) == {first.id: first, page.id: page}
    mine.delete(first.id)
    assert mine.accept(source()).dataset == "default"


def test_a_document_moves_where_it_is_told_to_and_is_worked_on_again(
    intake: Intake, tenant: Tenant, stores: Any
) -> None:
    mine, registry = intake.for_tenant(tenant), stores.registry.for_tenant(tenant)
    first = mine.accept(msgspec.structs.replace(source(), to=Destination("papers", "monday")))
    running = registry.claim(first.id, first.version, 60.0, time.time())
    registry.save(msgspec.structs.replace(running, state=DocumentState.READY, active_version=first.version))
    there = msgspec.structs.replace(source(), to=Destination("letters", "tuesday", move=True))
    moved = mine.accept(there)
    assert (moved.dataset, moved.state, moved.version) == ("letters", DocumentState.PENDING, first.version)
    assert (moved.active_version, moved.run, moved.uploaded_at) == (first.version, "monday", first.uploaded_at)
    assert mine.accept(there) == moved
    newer = mine.accept(msgspec.structs.replace(source(b"other bytes"), to=Destination("papers", "tuesday", move=True)))
    assert (newer.dataset, newer.run, newer.uploaded > first.uploaded) == ("papers", "tuesday", True)
