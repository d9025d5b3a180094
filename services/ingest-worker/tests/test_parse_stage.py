"""Parsing as a stage: a batch's originals are fetched together, and each document keeps its own fate."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from folder_stores import FolderStores

from trivium.domain.documents import Document, Lane
from trivium.domain.errors import NeverWill, NotFound
from trivium.domain.ids import document_id
from trivium.domain.parsed import ParsedDocument
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.in_turns import GoesOn
from trivium.flow.originals import Originals
from trivium.flow.queues import TASK_LIMIT_S, WARNING_S
from trivium.flow.stage import Job, Outcome, PatientWork
from trivium.llm.address import LlmAddress
from trivium.ports.inference import Segment, Transcript
from trivium.ports.llm import Llm
from trivium.ports.parser import Blob, Hearing, ParseLimits, ParserModels
from trivium_ingest.describe import Describer
from trivium_ingest.hearing import KeptHearing
from trivium_ingest.stages import ParseWork


def parse(blob: Blob, *_: object) -> ParsedDocument:
    if blob.content == b"broken":
        raise NeverWill("corrupt", "It is broken.")
    return ParsedDocument("text/plain", (), title=blob.content.decode())


class World:
    def __init__(self, folder: Path) -> None:
        self.stores = FolderStores(folder)
        self.objects = self.stores.objects.for_tenant(DEFAULT_TENANT)
        self.work = ParseWork(
            parse, lambda: "1", ParserModels(), Originals(self.stores.objects), self.stores, ParseLimits()
        )

    def job(self, name: str, content: bytes | None) -> Job:
        """Of a document whose original is gone where `content` is None."""
        identifier = document_id(DEFAULT_TENANT, name)
        if content is not None:
            self.objects.put(artifacts.original_key(identifier, "v"), content)
            origin = msgspec.msgpack.encode(artifacts.Origin(name))
            self.objects.put(artifacts.origin_key(identifier, "v"), origin)
        document = Document(identifier, DEFAULT_TENANT.name, name, "v")
        return Job(document, Entry(identifier, "v", 1), self.objects)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_batch_is_parsed_in_its_order_and_as_one_by_one(world: World) -> None:
    jobs = [world.job(f"{number}.txt", f"title {number}".encode()) for number in range(20)]
    together = world.work.run_all(jobs)
    assert [outcome.facts["title"] for outcome in together if isinstance(outcome, Outcome)] == [
        f"title {number}" for number in range(20)
    ]
    assert together == [world.work.run(job) for job in jobs]


def test_an_original_that_is_gone_or_broken_is_its_own_documents_fault(world: World) -> None:
    jobs = [
        world.job("a.txt", b"a"),
        world.job("gone.txt", None),
        world.job("bad.txt", b"broken"),
        world.job("z.txt", b"z"),
    ]
    first, gone, bad, last = world.work.run_all(jobs)
    assert isinstance(first, Outcome)
    assert isinstance(last, Outcome)
    assert isinstance(gone, NotFound)
    assert isinstance(bad, NeverWill)
    assert (gone.code, bad.code) == ("no_such_object", "corrupt")


def test_what_may_hold_pictures_waits_unread_while_their_model_is_busy_for_its_lane(world: World) -> None:
    busy = LlmAddress("vllm:m", connect=never, reason_to_wait=lambda lane: "It is." if lane is Lane.BACKFILL else "")
    work = msgspec.structs.replace(world.work, describer=Describer(busy))

    def waits(name: str, lane: Lane, work: ParseWork = work) -> bool:
        job = world.job(name, None)  # nobody may look into it
        return bool(
            work.gives_way(msgspec.structs.replace(job, document=msgspec.structs.replace(job.document, lane=lane)))
        )

    assert isinstance(work, PatientWork)
    assert [waits("scan.pdf", lane) for lane in (Lane.BACKFILL, Lane.LARGE, Lane.INTERACTIVE)] == [True, False, False]
    assert waits("s3://drop/without-a-name", Lane.BACKFILL)
    assert not waits("mail.eml > notes.md", Lane.BACKFILL), "a text holds no picture"
    assert not waits("scan.pdf", Lane.BACKFILL, world.work), "nobody describes pictures"


HEARD = Transcript("en", 30.0, (Segment(1.0, 2.0, "The otter swims.", 0.9),))


def test_what_is_heard_of_a_recording_is_kept_for_its_document(world: World) -> None:
    KeptHearing(world.job("talk.wav", b"sound")).keep("talk", HEARD)
    kept = KeptHearing(world.job("talk.wav", b"sound"))
    assert (kept.before("talk"), kept.before("other")) == (HEARD, None)
    assert KeptHearing(world.job("another.wav", b"sound")).before("talk") is None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_recording_is_heard_for_a_turn_and_goes_on_in_the_next(world: World, clock: list[float]) -> None:
    job = world.job("talk.wav", b"sound")
    hearing = KeptHearing(job)
    hearing.keep("talk", HEARD)
    hearing.tell(0.25)
    clock[0] = TASK_LIMIT_S - WARNING_S - 300.0
    with pytest.raises(GoesOn) as turn:
        hearing.tell(0.25)
    assert (turn.value.share, turn.value.asks_model) == (0.25, False)


def test_a_turn_ends_for_what_was_heard_in_it_and_for_nothing_else(world: World, clock: list[float]) -> None:
    hearing = KeptHearing(world.job("film.mp4", b"pictures, whose sound was heard in the turns before"))
    clock[0] = TASK_LIMIT_S - WARNING_S - 300.0
    hearing.tell(0.5)


def test_the_recordings_of_a_batch_share_one_turn(world: World, clock: list[float]) -> None:
    heard: list[str] = []

    def parse(blob: Blob, progress: Callable[[float], None], _: object, hearing: Hearing) -> ParsedDocument:
        name = blob.content.decode()
        for second in range(3):
            hearing.keep(name, Transcript("en", second + 1.0))
            heard.append(name)
            clock[0] += TASK_LIMIT_S / 4
            progress(0.1)
        return ParsedDocument("audio/wav", ())

    work = msgspec.structs.replace(world.work, parse=parse)
    outcomes = work.run_all([world.job(f"{name}.wav", name.encode()) for name in ("first", "second")])
    assert [type(outcome) for outcome in outcomes] == [GoesOn, GoesOn]
    assert heard == ["first"] * 3 + ["second"]


def never() -> Llm:
    raise AssertionError
