"""`trivium dead` beside a running server: list, show, replay, drop."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from waiting import wait_until

from trivium.cli.main import cli
from trivium.domain.documents import Document, DocumentState

from .conftest import Product


@pytest.fixture
def dead(product: Product, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("TRIVIUM_DATA_DIR", str(data_dir(product)))
    return lambda *words: CliRunner().invoke(cli, ["dead", *words], catch_exceptions=False)


def data_dir(product: Product) -> Path:
    return product.services.settings.data_dir


def failed(product: Product, name: str) -> Document:
    document = product.ingest(name, b"")
    assert document.state is DocumentState.FAILED
    return document


def settled(product: Product, document_id: str, fence: int) -> Document:
    def done() -> bool:
        document = product.registry.get(document_id)
        return document.state.terminal and document.fence > fence

    wait_until(done, "it was worked on again")
    return product.registry.get(document_id)


def test_what_failed_is_listed_with_its_reason_and_shown_whole(product: Product, dead: Callable[..., Result]) -> None:
    document = failed(product, "listed.pdf")
    found = [json.loads(line) for line in dead("list", "--json").stdout.splitlines()]
    assert document.id in {each["id"] for each in found}
    told = dead("list", "--code", "empty_file").stdout
    assert "listed.pdf" in told
    assert "empty_file" in told
    assert "listed.pdf" not in dead("list", "--code", "poison").stdout
    shown = json.loads(dead("show", document.id).stdout)
    assert (shown["source"], shown["failure"]["code"]) == ("listed.pdf", "empty_file")


def test_a_replayed_one_is_worked_on_again(product: Product, dead: Callable[..., Result]) -> None:
    document = failed(product, "again.pdf")
    assert "1 document" in dead("replay", document.id).stdout
    assert settled(product, document.id, document.fence).state is DocumentState.FAILED


def test_a_dropped_one_is_gone(product: Product, dead: Callable[..., Result]) -> None:
    document = failed(product, "dropped.pdf")
    assert dead("drop", document.id, "--yes").exit_code == 0
    assert product.registry.get(document.id).state is DocumentState.DELETED
    assert dead("drop", document.id, "--yes").exit_code == 1


def test_one_whose_older_version_is_still_read_is_not_dropped(product: Product, dead: Callable[..., Result]) -> None:
    assert product.ingest("two.pdf", b"The first version is text.").state is DocumentState.READY
    document = failed(product, "two.pdf")
    answer = dead("drop", document.id, "--yes")
    assert answer.exit_code == 1
    assert "older version" in answer.stderr
    assert product.registry.get(document.id).active_version


def test_nothing_is_replayed_or_dropped_that_was_not_named(product: Product, dead: Callable[..., Result]) -> None:
    failed(product, "safe.pdf")
    for words in (("replay",), ("drop", "--yes")):
        answer = dead(*words)
        assert answer.exit_code == 1
        assert "--all" in answer.stderr
