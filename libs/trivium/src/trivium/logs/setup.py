"""What a process does about its logs, at its start.

`configure_logging` for every process, also a command's: its own events and its libraries' go through one handler
(`lines.py`), which counts what repeats (`repeats.py`). `log_everything` for a service: what is printed, what nobody
caught and what a child process says (`said.py`) are lines too.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from types import TracebackType
from typing import Any

import structlog

from trivium.logs.lines import OWN, Lines, formatter, own_processors
from trivium.logs.said import Printed

JSON = "json"


def configure_logging(level: str, form: str) -> None:
    """Structured logs on standard error: words for people, or a JSON object a line with `time`, `level`, `event`.

    Bind `tenant`, `document` and `trace` (the id of the request that began it) with `structlog.contextvars`.
    A library's lines have its `logger`; they are told from warnings on.
    """
    threshold = getattr(logging, level.upper())
    root = logging.getLogger()
    for earlier in [handler for handler in root.handlers if isinstance(handler, Lines)]:
        root.removeHandler(earlier)
    stream = sys.stderr.instead_of if isinstance(sys.stderr, Printed) else sys.stderr
    root.addHandler(Lines(stream, formatter(form, colors=stream.isatty())))
    root.setLevel(max(threshold, logging.WARNING))
    logging.getLogger(OWN).setLevel(threshold)
    structlog.configure(
        processors=own_processors(),
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=lambda *_: logging.getLogger(OWN),
    )


def log_everything(form: str) -> None:
    """Also what nobody caught, Python's warnings and, in JSON, what anybody prints. For a process that is ours alone.

    What a library's C code prints as it crashes stays as it is.
    """
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread
    sys.unraisablehook = _unraisable
    if form == JSON:
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # its C core prints what its Python side raises
        sys.stdout = sys.__stdout__ = Printed("stdout", logging.INFO, sys.stdout)  # type: ignore[assignment, misc]
        sys.stderr = sys.__stderr__ = Printed("stderr", logging.ERROR, sys.stderr)  # type: ignore[assignment, misc]


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _log().critical("uncaught", exc_info=(kind, error, trace))


def _uncaught_in_thread(found: threading.ExceptHookArgs) -> None:
    if found.exc_type is not SystemExit:
        error = found.exc_value or found.exc_type()
        thread = found.thread.name if found.thread else ""
        _log().error("uncaught", thread=thread, exc_info=(found.exc_type, error, found.exc_traceback))


def _unraisable(found: Any) -> None:  # `sys.UnraisableHookArgs` exists for type checkers only
    _log().error(
        "uncaught",
        reason=f"{found.err_msg or 'Ignored in'}: {found.object!r}",
        exc_info=(found.exc_type, found.exc_value, found.exc_traceback),
    )


def _log() -> Any:
    return structlog.get_logger()
