"""A document's life, from accepted to published, failed or deleted."""

from __future__ import annotations

import enum
from typing import Literal

import msgspec


class DocumentState(enum.StrEnum):
    """PENDING -> RUNNING -> READY | EMPTY | FAILED; DELETED from any of them.

    EMPTY is "opened, no text": visible, terminal, with nothing to find.
    """

    PENDING = "pending"
    RUNNING = "running"
    READY = "ready"
    EMPTY = "empty"
    FAILED = "failed"
    DELETED = "deleted"

    @property
    def terminal(self) -> bool:
        """True when no stage is left to run."""
        return self not in (DocumentState.PENDING, DocumentState.RUNNING)


class Stage(enum.StrEnum):
    """The stages of ingest, in order; what each works from, and whose it is, stands in `trivium.flow.pipeline`."""

    PARSE = "parse"
    CHUNK = "chunk"
    ENRICH = "enrich"
    EMBED = "embed"
    INDEX = "index"
    EXTRACT = "extract"
    LINK = "link"
    PUBLISH = "publish"


STAGES: tuple[Stage, ...] = tuple(Stage)
DEFAULT_DATASET = "default"
DATASET = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
MAX_DATASET_CHARS = 100
MAX_RUN_CHARS = MAX_DATASET_CHARS
INSIDE = " > "  # between a source and the file inside it: "mail.eml > offer.pdf", "drive.zip > plans/report.docx"


def file_name(source: str) -> str:
    """What a source's file is called by itself: "offer.pdf" of "letters/mail.eml > offer.pdf"."""
    return source.rpartition(INSIDE)[2].rpartition("/")[2] or source


class Lane(enum.StrEnum):
    """How urgent a document is: somebody waits for an upload, nobody for one of a million files.

    Whoever uploads a recording, a film or anything large waits as well, and makes nobody else wait meanwhile.
    """

    INTERACTIVE = "interactive"
    RECORDING = "recording"
    LARGE = "large"
    BACKFILL = "backfill"


LONG_LANES = (Lane.RECORDING, Lane.LARGE)

WorkerLanes = Literal["all", "recordings", "others", "uploads"]
LANES_OF: dict[WorkerLanes, tuple[Lane, ...]] = {
    "all": (Lane.INTERACTIVE, *LONG_LANES, Lane.BACKFILL),
    "recordings": LONG_LANES,
    "others": (Lane.INTERACTIVE, Lane.BACKFILL),
    "uploads": (Lane.INTERACTIVE, *LONG_LANES),
}
"""The lanes that a worker of each setting looks into, the more urgent ones first."""


class Failure(msgspec.Struct, frozen=True):
    """Why a document failed, for a person: stable code, what was wrong, what to do."""

    code: str
    message: str
    action: str = ""
    stage: str = ""


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a document says of itself beside its title and its date, each on one line; "" where it says nothing."""

    author: str = ""
    site: str = ""
    description: str = ""

    @property
    def by(self) -> str:
        """Whose it is."""
        return ", ".join(filter(None, (self.author, self.site)))


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """One registry record: the newest state known of a source.

    `version` is the one being ingested, `active_version` the one queries see ("" when none).
    `attempt` counts starts of the task that works on `stage`, before the work; `stage_share` is how much of the stage
    was done at the last sign of life, 0 to 1, where it tells. `fence` grows with every claim; a late holder's commit
    with an older fence is refused. Times are Unix seconds.
    `holder` names the process that has it in hand, "" while it waits in a queue; a hindrance is what its stage met and
    will try again, until it does.
    `parent` is the id of the document that this one was found in, "" for one that was handed over by itself;
    `children` counts the documents that were found in this version.
    `extractor` is the one that its upload asked for, "" where that was left to the dataset or the settings.
    `trace` is the id of the request that handed it over, "" where none did; the lines logged about it carry it.
    `traceparent` is the trace that its stages stand in (W3C), "" where nobody traces.
    `run` names the ingest call or backfill that brought this version, "" where none did, and `uploaded_at` is when it
    came (0.0 in a record of before: `created_at`). `dated_at` is what the document says of its own date, None where it
    says nothing, and `about` what else it says of itself.
    """

    id: str
    tenant: str
    source: str
    version: str
    state: DocumentState = DocumentState.PENDING
    stage: str = ""
    active_version: str = ""
    title: str = ""
    media_type: str = ""
    dataset: str = DEFAULT_DATASET
    lane: Lane = Lane.INTERACTIVE
    size_bytes: int = 0
    chunks: int = 0
    attempt: int = 0
    fence: int = 0
    failure: Failure | None = None
    warnings: tuple[str, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0
    lease_until: float = 0.0
    parent: str = ""
    children: int = 0
    stage_share: float = 0.0
    holder: str = ""
    hindrance: Failure | None = None
    trace: str = ""
    run: str = ""
    uploaded_at: float = 0.0
    dated_at: int | None = None
    extractor: str = ""
    traceparent: str = ""
    about: About | None = None

    @property
    def uploaded(self) -> float:
        """When the newest version was handed over, in Unix seconds."""
        return self.uploaded_at or self.created_at

    @property
    def progress(self) -> float:
        """Share of the stages done, 0 to 1."""
        if self.state.terminal:
            return 1.0
        return (STAGES.index(Stage(self.stage)) + self.stage_share) / len(STAGES) if self.stage else 0.0
