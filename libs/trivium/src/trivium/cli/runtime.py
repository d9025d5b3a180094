"""What other packages offer to the command line, found by entry point so that the library imports no service.

Group `trivium.runtime`: `embedded` names an `EmbeddedRuntime`, `eval` an `Evaluation` (modules will do).
Group `trivium.upkeep`: `stores` names an `Upkeep` (a module will do).
Group `trivium.doctor`: `embedded` and `distributed` each name a `trivium.checkup.Checkup`.
Group `trivium.prepare`: `distributed` names a `Prepare`.
Group `trivium.stores`: `embedded` and `distributed` each name an `OpenStores`.
Group `trivium.backfill`: `s3` names a `Backfill`.
Group `trivium.model`: `default` names a function that fetches the default embedding model and returns its folder.
Group `trivium.parser`: `sandboxed` names a `ParseFile`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from trivium.domain.errors import NeverWill
from trivium.struct_types import prepare_struct_types

if TYPE_CHECKING:  # the ports load numpy, which no command that talks to a server needs
    from trivium.checkup import Checkup, Finding
    from trivium.config import Settings
    from trivium.domain.drift import Drift, Store
    from trivium.domain.parsed import ParsedFile
    from trivium.domain.retrieval import Mode
    from trivium.ports.parser import Blob
    from trivium.ports.stores import BucketStores, Stores

    Prepare = Callable[[Settings, float], list[Finding]]
    """Waits so many seconds for the servers, makes what they need to hold; what stands in the way. Empty: nothing."""
    OpenStores = Callable[[Settings], AbstractContextManager[Stores]]
    """A deployment's stores for as long as the context is open; where a server may run beside it."""
    Backfill = Callable[[Settings, BucketStores, "BackfillRequest"], bool]
    """Takes in what a bucket holds; shows progress and a summary. Whether all went well."""
    ParseFile = Callable[[Settings, Blob], Iterator[ParsedFile]]
    """Reads a file, then those inside it, within the settings' limits, in a sandbox. `NeverWill` for the first."""


class EmbeddedRuntime(Protocol):
    """Trivium in this process."""

    def running(self, settings: Settings) -> AbstractContextManager[str]:
        """A server on a free loopback port for as long as the context is open; gives its base URL."""
        ...

    def serve(self, settings: Settings, on_ready: Callable[[str, str], None]) -> None:
        """Serve until stopped; `on_ready` gets the HTTP base URL and the gRPC address."""
        ...


class AnswerEvaluation(NamedTuple):
    """Which answers to measure: `questions` of the set (0: all), and of the set in folder `foreign`.

    Questions are worded as those of the same id in folder `asked_in` are. `json_file` gets a line a question.
    """

    questions: int = 0
    foreign: Path | None = None
    asked_in: Path | None = None
    json_file: Path | None = None


class Evaluation(Protocol):
    """Measures a data set in a throw-away tenant. Raises `Refused` (`bad_evaluation_set`)."""

    def retrieval(self, settings: Settings, folder: Path, run_dir: Path | None, modes: Sequence[Mode]) -> None:
        """Run these modes, print the table, write the run files."""
        ...

    def answers(self, settings: Settings, folder: Path, wanted: AnswerEvaluation) -> None:
        """Ask every question, print how good and how trustworthy the answers are."""
        ...


class Upkeep(Protocol):
    """Work on the configured stores, without a server. Embedded, raises `Refused` while one is running."""

    def opened(self, settings: Settings) -> AbstractContextManager[Stores]:
        """The stores for as long as the context is open."""
        ...

    def audit(self, settings: Settings, *, repair: bool, quick: bool = False) -> Iterator[Drift]:
        """Every drift between artifacts and stores, put right where asked for and possible."""
        ...

    def rebuild(self, settings: Settings, store: Store, on_documents: Callable[[int], None]) -> list[str]:
        """Write one store anew; returns the sources of documents whose artifacts are gone."""
        ...

    def reembed(self, settings: Settings, on_documents: Callable[[int], None]) -> list[str]:
        """Make every vector anew by the settings' model; returns as `rebuild` does."""
        ...


class BackfillRequest(NamedTuple):
    """What to take in, and how fast: `per_s` objects a second (0: as fast as it goes), `max_in_flight` unfinished.

    `dataset` "": as the rules for buckets say.
    """

    bucket: str
    prefix: str = ""
    per_s: float = 0.0
    max_in_flight: int = 1000
    dry_run: bool = False
    from_start: bool = False
    dataset: str = ""


def embedded() -> EmbeddedRuntime:
    """The runtime of package trivium-embedded."""
    found: EmbeddedRuntime = _load("trivium.runtime", "embedded", "trivium-embedded")
    return found


def evaluation() -> Evaluation:
    """The evaluation of package trivium-embedded."""
    found: Evaluation = _load("trivium.runtime", "eval", "trivium-embedded")
    return found


def checkup(backend: str) -> Checkup:
    """The checkup of `embedded` or `distributed`; the library itself has the latter."""
    found: Checkup = _load("trivium.doctor", backend, "trivium-embedded")
    return found


def prepare() -> Prepare:
    """The preparation of servers, which the library itself has."""
    found: Prepare = _load("trivium.prepare", "distributed", "trivium")
    return found


def upkeep() -> Upkeep:
    """The upkeep of package trivium-embedded."""
    found: Upkeep = _load("trivium.upkeep", "stores", "trivium-embedded")
    return found


def stores(settings: Settings) -> AbstractContextManager[Stores]:
    """The stores that the settings name."""
    found: OpenStores = _load("trivium.stores", settings.backend, "trivium-embedded")
    prepare_struct_types()
    return found(settings)


def backfill() -> Backfill:
    """The backfill of package trivium-ingest-worker."""
    found: Backfill = _load("trivium.backfill", "s3", "trivium-ingest-worker")
    return found


def model_installer() -> Callable[[], Path]:
    """What fetches the default embedding model, of package trivium-gpu-inference."""
    found: Callable[[], Path] = _load("trivium.model", "default", "trivium-gpu-inference")
    return found


def parser() -> ParseFile:
    """The parser of package trivium-ingest-worker."""
    found: ParseFile = _load("trivium.parser", "sandboxed", "trivium-ingest-worker")
    return found


def _load(group: str, name: str, package: str) -> Any:
    for entry in entry_points(group=group, name=name):
        return entry.load()
    instead = ", or name a running server in TRIVIUM_URL" if group == "trivium.runtime" else ""
    why = f"This needs the package {package}, which is not installed."
    install = f"pip install --find-links dist {package} (`make wheels` builds dist)"
    raise NeverWill("not_installed", why, f"{install}{instead}")
