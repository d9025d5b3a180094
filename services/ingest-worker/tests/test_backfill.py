"""Backfill: everything that is there, once, within its bounds, from where it was stopped."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from folder_stores import FolderStores
from uploads_peer import UploadsPeer

from trivium.cli.main import cli
from trivium.cli.runtime import BackfillRequest
from trivium.config import Settings
from trivium.domain.documents import Document, DocumentState, Failure, Lane
from trivium.domain.errors import TryLater
from trivium.domain.reading_cost import lengths_of_passages, reading_cost
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.intake import StoreIntake
from trivium.ports.uploads import Upload
from trivium_ingest import backfill, backfill_cost
from trivium_ingest.backfill import Backfill, Checkpoint, DryRun, dry_run
from trivium_ingest.backfill_command import backfill_bucket
from trivium_ingest.backfill_cost import ForTheAgent, estimated
from trivium_ingest.uploads.follow import Bucket


class World:
    """A bucket, and a worker that finishes what it is given whenever `tell` is called."""

    def __init__(self, folder: Path, keys: list[str]) -> None:
        self.uploads = UploadsPeer({key: key.encode() for key in keys})
        self.stores = FolderStores(folder)
        self.documents = self.stores.registry.for_tenant(DEFAULT_TENANT)
        self.intake = StoreIntake(self.stores, lambda: None, str, 10**9, lambda _: self.uploads)
        self.most_unfinished = 0

    @property
    def bucket(self) -> Bucket:
        return Bucket("archive", self.uploads, "default")

    def backfill(self, stopped: Callable[[], bool] = lambda: False, **fields: Any) -> Backfill:
        objects = self.stores.objects.for_tenant(DEFAULT_TENANT)
        return Backfill(self.bucket, BackfillRequest("archive", **fields), self.intake, objects, stopped)

    def dry_run(self) -> DryRun:
        return dry_run(self.bucket, "", self.stores.registry)

    def work(self, checkpoint: Checkpoint) -> None:
        """As workers would, only at once."""
        waiting = self.stores.registry.unfinished(time.time(), lane=Lane.BACKFILL)
        self.most_unfinished = max(self.most_unfinished, len(waiting))
        if checkpoint.unfinished:
            for document in self.documents.claim_many(waiting, 60, time.time()):
                self.documents.save(msgspec.structs.replace(document, **self.end_of(document)))

    def end_of(self, document: Document) -> dict[str, object]:
        if "bad" in document.source:
            return {"state": DocumentState.FAILED, "failure": Failure("corrupt", "It is broken."), "lease_until": 0.0}
        return {"state": DocumentState.READY, "lease_until": 0.0}

    def sources(self) -> list[str]:
        return sorted(document.source for document in self.documents.list(limit=1000).documents)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "POLL_S", 0.01)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, [f"in/{number:03}" for number in range(30)] + ["out/1"])


def stopping_after(count: int) -> Callable[[], bool]:
    asked = itertools.count()
    return lambda: next(asked) >= count


def test_every_object_under_the_prefix_is_accepted_in_the_slower_lane(world: World) -> None:
    work = world.backfill(prefix="in/")
    assert work.run(world.work)
    assert world.sources() == [f"s3://archive/in/{number:03}" for number in range(30)]
    assert {document.lane for document in world.documents.list(limit=100).documents} == {Lane.BACKFILL}
    assert (work.checkpoint.accepted, work.checkpoint.unchanged, work.checkpoint.unfinished) == (30, 0, 0)


def test_a_second_run_finds_only_what_changed(world: World) -> None:
    world.backfill(prefix="in/").run(world.work)
    world.uploads.put("in/007", b"another value")
    again = world.backfill(prefix="in/")
    assert again.run(world.work)
    assert (again.checkpoint.accepted, again.checkpoint.unchanged) == (1, 29)


def test_it_goes_on_where_it_was_stopped(world: World) -> None:
    first = world.backfill(stopping_after(12), prefix="in/")
    assert not first.run(world.work)
    accepted = first.checkpoint.accepted
    assert 0 < accepted < 30
    second = world.backfill(prefix="in/")
    assert second.checkpoint.cursor == first.checkpoint.cursor
    assert second.run(world.work)
    assert second.checkpoint.accepted == 30
    assert second.checkpoint.unchanged == 0
    assert len(world.sources()) == 30


def test_it_can_be_told_to_start_again(world: World) -> None:
    world.backfill(stopping_after(12), prefix="in/").run(world.work)
    again = world.backfill(prefix="in/")
    again.start_again()
    assert again.run(world.work)
    assert again.checkpoint.looked_at == 30


def test_a_store_that_is_away_in_the_middle_costs_no_place(world: World) -> None:
    broken = world.backfill(prefix="in/")

    def tell(checkpoint: Checkpoint) -> None:
        world.work(checkpoint)
        if checkpoint.looked_at == 10:
            raise TryLater("store_down", "The registry does not answer.")

    with pytest.raises(TryLater):
        broken.run(tell)
    again = world.backfill(prefix="in/")
    assert (again.checkpoint.looked_at, again.checkpoint.cursor) == (10, "in/009")
    assert again.run(world.work)
    assert again.checkpoint.accepted == 30


def test_no_more_than_so_many_are_unfinished(world: World) -> None:
    assert world.backfill(prefix="in/", max_in_flight=4).run(world.work)
    assert world.most_unfinished == 4


def test_no_more_than_so_many_a_second_are_accepted(world: World) -> None:
    started = time.monotonic()
    assert world.backfill(prefix="in/", per_s=100.0).run(world.work)
    assert time.monotonic() - started >= 29 / 100


def test_failures_are_counted_by_their_reason(world: World) -> None:
    world.uploads.put("in/bad-1", b"x")
    world.uploads.put("in/bad-2", b"y")
    work = world.backfill(prefix="in/")
    assert work.run(world.work)
    assert work.failures() == {"corrupt": 2}


class BucketOf(FolderStores):
    """Stores with one bucket."""

    def __init__(self, folder: Path, values: dict[str, bytes]) -> None:
        super().__init__(folder)
        self.values = UploadsPeer(values)

    def uploads(self, bucket: str = "") -> UploadsPeer:
        return self.values


TEXT = b"# The weir\n\n" + b"Odalys Prant leads the removal of the weir at Tarn Hollow. " * 40
BY_AGENT = {"llm": "openai", "llm_model": "scripted", "dataset_extractors": "read=agent"}


def told_of(tmp_path: Path, values: dict[str, bytes], capsys: pytest.CaptureFixture[str], **options: Any) -> str:
    settings = Settings(data_dir=tmp_path / "data", **{**BY_AGENT, **options})
    with closing(BucketOf(tmp_path / "stores", values)) as stores:
        assert backfill_bucket(settings, stores, BackfillRequest("archive", dry_run=True, dataset="read"))
        assert list(stores.registry.tenants()) == []
    return " ".join(capsys.readouterr().err.split())


def tokens_in(told: str) -> int:
    found = re.search(r"about ([\d,]+) tokens", told)
    assert found, told
    return int(found[1].replace(",", ""))


def test_a_dry_run_estimates_what_the_agent_would_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = told_of(tmp_path / "one", {"a.md": TEXT}, capsys)
    assert "for 1 of them." in one
    lengths = lengths_of_passages(len(TEXT) - len("# "), Settings().chunk_size, Settings().chunk_overlap)
    assert tokens_in(one) == pytest.approx(reading_cost(lengths), rel=0.05)
    several = told_of(tmp_path / "several", {"a.md": TEXT, "b.md": TEXT, "c.md": b"\x00\x01 no text"}, capsys)
    assert tokens_in(several) == 2 * tokens_in(one)
    bounded = told_of(tmp_path / "bounded", {"a.md": TEXT}, capsys, agent_budget_tokens=5_000)
    assert tokens_in(bounded) == 5_000
    by_rules = told_of(tmp_path / "rules", {"a.md": TEXT}, capsys, dataset_extractors="")
    assert "tokens" not in by_rules


def test_the_cost_of_many_is_estimated_from_a_sample_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = tokens_in(told_of(tmp_path / "one", {"a.md": TEXT}, capsys))
    monkeypatch.setattr(backfill_cost, "SAMPLE", 3)
    many = told_of(tmp_path / "many", {f"{n:02}.md": TEXT for n in range(20)}, capsys)
    assert "for 20 of them, by 3 that were looked into." in many
    assert tokens_in(many) == 20 * one


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_look_at_a_bucket_ends_when_it_is_told_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, dry_run: bool
) -> None:
    seen: list[str] = []

    class Interrupted(UploadsPeer):
        def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]:
            for count in range(200_000):
                if count == 10:
                    os.kill(os.getpid(), number)
                seen.append(f"{count:09}")
                yield Upload(seen[-1], "etag", 10, 0.0)

    with closing(BucketOf(tmp_path / "stores", {})) as stores:
        stores.values = Interrupted()
        request = BackfillRequest("archive", dry_run=dry_run)
        assert not backfill_bucket(Settings(data_dir=tmp_path / "data"), stores, request)
        assert list(stores.registry.tenants()) == []
    assert 10 < len(seen) < 200_000
    assert capsys.readouterr().err == "Stopped.\n"


def test_what_the_agent_would_cost_is_looked_into_no_further_when_it_is_told_to_stop(world: World) -> None:
    wanted = ForTheAgent(Settings(**BY_AGENT), world.bucket, "read")
    dry_run(world.bucket, "in/", world.stores.registry, tell=wanted.add)
    assert wanted.documents == 30
    assert estimated(Settings(), world.bucket, wanted, stopping_after(1)).read == 1


def test_a_dry_run_counts_and_changes_nothing(world: World) -> None:
    world.backfill(prefix="in/00").run(world.work)
    assert world.dry_run() == DryRun(31, 21, 20 * len(b"in/000") + len(b"out/1"))
    assert len(world.sources()) == 10


def test_a_backfill_may_name_the_dataset_and_counts_what_is_in_another(world: World) -> None:
    world.backfill(prefix="in/00", dataset="papers").run(world.work)
    assert {document.dataset for document in world.documents.list(limit=100).documents} == {"papers"}
    again = world.backfill(prefix="in/0", dataset="reports")
    again.run(world.work)
    assert (again.checkpoint.accepted, again.checkpoint.unchanged, again.checkpoint.refused) == (20, 0, 10)
    by_source = {document.source: document.dataset for document in world.documents.list(limit=100).documents}
    assert (by_source["s3://archive/in/009"], by_source["s3://archive/in/010"]) == ("papers", "reports")


def test_a_document_that_was_deleted_stays_so_whatever_dataset_a_backfill_names(world: World) -> None:
    world.uploads.put("out/1", b"out/1", age_s=60)
    world.backfill(prefix="out/").run(world.work)
    (document,) = world.documents.list(limit=10).documents
    world.intake.for_tenant(DEFAULT_TENANT).delete(document.id)
    world.backfill(prefix="out/", dataset="papers").run(world.work)
    assert world.documents.get(document.id).state is DocumentState.DELETED


def test_memory_does_not_grow_with_the_bucket(tmp_path: Path) -> None:
    class Endless(UploadsPeer):
        def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]:
            return (Upload(f"{number:09}", "etag", 10, 0.0) for number in range(self.count))

    def peak(count: int) -> int:
        world = World(tmp_path / str(count), [])
        world.uploads = Endless()
        world.uploads.count = count  # type: ignore[attr-defined]
        tracemalloc.start()
        assert world.dry_run().uploads == count
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1000)
    assert peak(20_000) < 1.5 * peak(2000)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["s3://bucket/prefix"], "TRIVIUM_BACKEND=distributed"),
        (["/home/me"], "not an address like s3://bucket/prefix"),
        (["s3://bucket/prefix", "--rate", "quick"], "not a rate like 50/s"),
        (["s3://bucket/prefix", "--dataset", "../x"], "cannot name a dataset"),
        (["s3://bucket/prefix", "--dataset", "x" * 101], "cannot name a dataset"),
    ],
)
def test_a_command_that_cannot_be_done_says_what_to_do(
    words: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_BACKEND", "distributed" if told != "TRIVIUM_BACKEND=distributed" else "embedded")
    answer = CliRunner().invoke(cli, ["backfill", *words])
    assert answer.exit_code != 0
    assert told in answer.stderr


def test_a_dry_run_from_the_start_counts_all_and_leaves_what_was_stopped_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World(tmp_path, [f"in/{number:03}" for number in range(30)])
    world.backfill(stopping_after(12)).run(world.work)
    kept = world.backfill().checkpoint
    with closing(BucketOf(tmp_path, {f"in/{number:03}": f"in/{number:03}".encode() for number in range(30)})) as stores:
        request = BackfillRequest("archive", dry_run=True, from_start=True)
        assert backfill_bucket(Settings(data_dir=tmp_path), stores, request)
    told = capsys.readouterr().err
    assert "30 objects" in told
    assert "Going on" not in told
    assert kept.looked_at
    assert world.backfill().checkpoint == kept
