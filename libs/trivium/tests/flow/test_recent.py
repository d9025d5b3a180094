"""Artifacts in memory: never other than what the store was given, and never more than the bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.errors import NotFound
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.recent import RecentArtifacts

KEY = "artifacts/d/v/parse-1"


@pytest.fixture
def truth(tmp_path: Path) -> LocalObjects:
    return LocalObjects(tmp_path)


def test_what_was_put_is_not_fetched_again(truth: LocalObjects) -> None:
    recent = RecentArtifacts(truth).for_tenant(DEFAULT_TENANT)
    recent.put(KEY, b"parsed")
    assert truth.for_tenant(DEFAULT_TENANT).get(KEY) == b"parsed"
    truth.for_tenant(DEFAULT_TENANT).delete(KEY)
    assert recent.get(KEY) == b"parsed"
    assert not recent.exists(KEY)


def test_what_was_fetched_is_not_fetched_again(truth: LocalObjects) -> None:
    truth.for_tenant(DEFAULT_TENANT).put(KEY, b"parsed elsewhere")
    recent = RecentArtifacts(truth).for_tenant(DEFAULT_TENANT)
    assert recent.get(KEY) == b"parsed elsewhere"
    truth.for_tenant(DEFAULT_TENANT).delete(KEY)
    assert recent.get(KEY) == b"parsed elsewhere"


def test_what_was_replaced_or_deleted_is_not_remembered(truth: LocalObjects) -> None:
    recent = RecentArtifacts(truth).for_tenant(DEFAULT_TENANT)
    recent.put(KEY, b"old")
    recent.put(KEY, b"new")
    assert recent.get(KEY) == b"new"
    recent.delete(KEY)
    with pytest.raises(NotFound):
        recent.get(KEY)


def test_only_artifacts_are_remembered(truth: LocalObjects) -> None:
    recent = RecentArtifacts(truth).for_tenant(DEFAULT_TENANT)
    recent.put("originals/d/v", b"old")
    truth.for_tenant(DEFAULT_TENANT).put("originals/d/v", b"new")
    assert recent.get("originals/d/v") == b"new"


def test_one_tenant_never_gets_anothers(truth: LocalObjects) -> None:
    recent = RecentArtifacts(truth)
    recent.for_tenant(DEFAULT_TENANT).put(KEY, b"mine")
    with pytest.raises(NotFound):
        recent.for_tenant(Tenant("other")).get(KEY)


def test_the_oldest_are_forgotten_past_the_bound(truth: LocalObjects) -> None:
    recent, store = RecentArtifacts(truth, max_bytes=20).for_tenant(DEFAULT_TENANT), truth.for_tenant(DEFAULT_TENANT)
    keys = [f"artifacts/d/v/{number}" for number in range(4)]
    for key in keys:
        recent.put(key, b"x" * 8)
        store.delete(key)
    assert [recent.get(key) for key in keys[2:]] == [b"x" * 8] * 2
    for key in keys[:2]:
        with pytest.raises(NotFound):
            recent.get(key)
    recent.put("artifacts/large", b"x" * 21)
    assert recent.get("artifacts/large") == b"x" * 21  # from the store
    assert [recent.get(key) for key in keys[2:]] == [b"x" * 8] * 2  # which it did not push out


def test_what_went_with_its_tenant_is_not_remembered(truth: LocalObjects) -> None:
    recent = RecentArtifacts(truth)
    recent.for_tenant(DEFAULT_TENANT).put(KEY, b"parsed")
    recent.drop(DEFAULT_TENANT)
    with pytest.raises(NotFound):
        recent.for_tenant(DEFAULT_TENANT).get(KEY)
