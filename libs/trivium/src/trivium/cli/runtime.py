"""What other packages offer to the command line, found by entry point so that the library imports no service.

Group `trivium.runtime`: `embedded` names an `EmbeddedRuntime` (a module will do), `eval` an `Evaluate`.
Group `trivium.doctor`: `embedded` and `distributed` each name a `trivium.checkup.Checkup`.
Group `trivium.parser`: `sandboxed` names a `ParseFile`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from trivium.domain.errors import NeverWill

if TYPE_CHECKING:  # the ports load numpy, which no command that talks to a server needs
    from trivium.checkup import Checkup
    from trivium.config import Settings
    from trivium.domain.parsed import ParsedDocument
    from trivium.ports.parser import Blob


class EmbeddedRuntime(Protocol):
    """Trivium in this process."""

    def running(self, settings: Settings) -> AbstractContextManager[str]:
        """A server on a free loopback port for as long as the context is open; gives its base URL."""
        ...

    def serve(self, settings: Settings, on_ready: Callable[[str, str], None]) -> None:
        """Serve until stopped; `on_ready` gets the HTTP base URL and the gRPC address."""
        ...


class Evaluate(Protocol):
    """Measures retrieval on a data set."""

    def __call__(self, settings: Settings, folder: Path, run_dir: Path | None) -> None:
        """Ingest `folder` into a throw-away tenant, run every mode, print the table, write the run files."""
        ...


class ParseFile(Protocol):
    """The parser in its sandbox."""

    def __call__(self, settings: Settings, blob: Blob) -> ParsedDocument:
        """Read one file within the limits of `settings`. Raises `NeverWill`."""
        ...


def embedded() -> EmbeddedRuntime:
    """The runtime of package trivium-embedded."""
    found: EmbeddedRuntime = _load("trivium.runtime", "embedded", "trivium-embedded")
    return found


def evaluation() -> Evaluate:
    """The evaluation of package trivium-embedded."""
    found: Evaluate = _load("trivium.runtime", "eval", "trivium-embedded")
    return found


def checkup(backend: str) -> Checkup:
    """The checkup of `embedded` or `distributed`; the library itself has the latter."""
    found: Checkup = _load("trivium.doctor", backend, "trivium-embedded")
    return found


def parser() -> ParseFile:
    """The parser of package trivium-ingest-worker."""
    found: ParseFile = _load("trivium.parser", "sandboxed", "trivium-ingest-worker")
    return found


def _load(group: str, name: str, package: str) -> Any:
    for entry in entry_points(group=group, name=name):
        return entry.load()
    raise NeverWill(
        "not_installed", f"This needs the package {package}, which is not installed.", f"pip install {package}"
    )
