"""Where all lines meet: one handler of the root logger, one form, one line each, repetitions counted."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

from trivium.logs.repeats import REPEATED, Repeats

_CONTEXT = "trivium_context"  # whose request or document a library's line was about
OWN = "trivium"  # the logger behind structlog: its events need no name


class Lines(logging.Handler):
    """Writes records to `stream`. What repeats is held back; a thread of its own tells of it when its time has come."""

    def __init__(self, stream: TextIO, form: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(form)
        self._stream = stream
        self._thread: threading.Thread | None = None
        self._repeats = Repeats()
        os.register_at_fork(after_in_child=self._forget)

    def emit(self, record: logging.LogRecord) -> None:
        """Called under the handler's lock."""
        now = time.monotonic()
        setattr(record, _CONTEXT, structlog.contextvars.get_contextvars())
        self._write(self._repeats.due(now))
        if self._repeats.full:
            self.flush()
        if self._repeats.first(record, now):
            self._write([record])
        elif self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="logs", daemon=True)
            self._thread.start()

    def flush(self) -> None:
        """Tell what is held back."""
        with self._locked():
            self._write(self._repeats.rest())

    def _write(self, records: Iterable[logging.LogRecord]) -> None:
        for record in records:
            try:
                self._stream.write(self.format(record) + "\n")
                self._stream.flush()
            except Exception:  # noqa: BLE001 - a line that cannot be written must not end what it tells of
                self.handleError(record)

    def _watch(self) -> None:
        while True:
            with self._locked():
                self._write(self._repeats.due(time.monotonic()))
                ends = self._repeats.next_end()
                if ends is None:
                    self._thread = None
                    return
            time.sleep(max(0.0, ends - time.monotonic()))

    def _forget(self) -> None:
        """A forked process has none of its parent's threads, and tells only what it counted itself."""
        self._thread = None
        self._repeats = Repeats()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.acquire()
        try:
            yield
        finally:
            self.release()


def formatter(form: str, *, colors: bool) -> logging.Formatter:
    """`form` "json": one object a line with `time`, `level`, `event`; else words for people."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(
            colors=colors, timestamp_key="time", exception_formatter=structlog.dev.plain_traceback
        )
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.processors.format_exc_info],
        processors=[_complete, structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def own_processors() -> list[Processor]:
    """What a line of ours passes before it is a record."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.format_exc_info,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ]


def _complete(_logger: Any, _name: str, event: EventDict) -> EventDict:
    """When it was, how grave it is, who said it unless it was us, and how often."""
    record: logging.LogRecord = event["_record"]
    begun: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
        "level": record.levelname.lower(),
        "event": event["event"],
    }
    if record.name != OWN:
        begun |= {"logger": record.name, **getattr(record, _CONTEXT, {})}
    if repeated := getattr(record, REPEATED, 0):
        event[REPEATED] = repeated
    return {**begun, **event}
