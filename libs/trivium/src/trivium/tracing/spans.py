"""READ FIRST: what is being done, as spans of one trace. Off, each call is one look at a variable.

A span says what kind of work it was, how much of it, and by which code it failed; never a question, a document's name
or its text, and no error's message. The trace of a request is W3C's `traceparent`: over HTTP and gRPC from the caller
and to the inference service, in Celery's headers, and in a document's record, from which its stages go on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol, TypeAlias

from trivium.domain.errors import TriviumError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer

TRACEPARENT = "traceparent"

Value: TypeAlias = str | int | float | bool


class Span(Protocol):
    """One piece of work under way."""

    def tell(self, **attributes: Value) -> None:
        """Add what is known of it by now; `a__b` is the attribute `a.b`."""
        ...

    def rename(self, name: str) -> None:
        """Call it by what it turned out to be."""
        ...

    def fail(self, code: str) -> None:
        """It did not do what it was to do."""
        ...


class _Nothing:
    """Where nobody listens."""

    def tell(self, **attributes: Value) -> None: ...

    def rename(self, name: str) -> None: ...

    def fail(self, code: str) -> None: ...


_NOTHING: Span = _Nothing()
_OFF: AbstractContextManager[Span] = nullcontext(_NOTHING)
_tracer: Tracer | None = None


def listen(tracer: Tracer | None) -> None:
    """Make spans with it from now on; None: no more."""
    global _tracer  # noqa: PLW0603 - one process has one; passing it through every call would not be free
    _tracer = tracer


def listening() -> bool:
    """Whether spans are made."""
    return _tracer is not None


def span(name: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around a piece of work; what is done in the block, on this thread or task, stands below it."""
    return _OFF if _tracer is None else _current(_tracer, name, "internal", attributes)


def calling(name: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around a request to somebody else."""
    return _OFF if _tracer is None else _current(_tracer, name, "client", attributes)


def reading(name: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around a read that also happens of itself, as looks for new files do: a span only within somebody's trace."""
    return _OFF if not current_traceparent() else calling(name, **attributes)


def serving(name: str, traceparent: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around somebody's request, in the trace that the caller named; what is no traceparent begins a new one."""
    return _OFF if _tracer is None else _current(_tracer, name, "server", attributes, parent(traceparent))


def consuming(name: str, traceparent: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around what a queue handed over."""
    return _OFF if _tracer is None else _current(_tracer, name, "consumer", attributes, parent(traceparent))


def beside(name: str, /, **attributes: Value) -> AbstractContextManager[Span]:
    """Around work whose block is left and entered again by others (a generator): nothing stands below it."""
    return _OFF if _tracer is None else _apart(_tracer, name, attributes)


def noted(name: str, /, **attributes: Value) -> None:
    """Something happened in the span of this thread or task."""
    if _tracer is not None:
        from opentelemetry import trace  # noqa: PLC0415 - nobody pays for it while it is off

        trace.get_current_span().add_event(name, _dotted(attributes))


def current_traceparent() -> str:
    """Of the span of this thread or task, "" without one."""
    if _tracer is None:
        return ""
    from opentelemetry import trace  # noqa: PLC0415

    context = trace.get_current_span().get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}" if context.is_valid else ""


def current_trace_id() -> str:
    """32 hexadecimal digits, "" without a span."""
    return trace_of(current_traceparent())


def trace_of(traceparent: str) -> str:
    """The trace that a traceparent names, "" where it is empty."""
    return traceparent[3:35]


def headers() -> dict[str, str]:
    """What a request to another process carries."""
    traceparent = current_traceparent()
    return {TRACEPARENT: traceparent} if traceparent else {}


@contextmanager
def shared(name: str, traceparents: Sequence[str], /, **attributes: Value) -> Iterator[None]:
    """Around what is done for many at once: a span in each one's trace.

    What is done in the block stands below the first; the others' spans link to it.
    """
    if _tracer is None or not traceparents:
        yield
        return
    from opentelemetry import trace  # noqa: PLC0415

    begun = time.time_ns()
    elsewhere = traceparents[0] and trace_of(traceparents[0]) != current_trace_id()
    first = parent(traceparents[0]) if elsewhere else None
    with _current(_tracer, name, "internal", {**attributes, "trivium__together": len(traceparents)}, first):
        led = trace.get_current_span().get_span_context()
        try:
            yield
        finally:
            for traceparent in traceparents[1:]:
                if traceparent:
                    links = [trace.Link(led)]
                    other = _tracer.start_span(
                        name, parent(traceparent), links=links, start_time=begun, attributes=_dotted(attributes)
                    )
                    other.end()


def parent(traceparent: str) -> Context:
    """What a span of that trace is begun in."""
    from opentelemetry.context import Context  # noqa: PLC0415
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    return TraceContextTextMapPropagator().extract({TRACEPARENT: traceparent}, Context())


@contextmanager
def _current(
    tracer: Tracer, name: str, kind: str, attributes: dict[str, Value], context: Context | None = None
) -> Iterator[Span]:
    from opentelemetry import trace  # noqa: PLC0415

    begun = tracer.start_span(
        name,
        context,
        kind=trace.SpanKind[kind.upper()],
        attributes=_dotted(attributes),
        record_exception=False,
        set_status_on_exception=False,
    )
    with trace.use_span(begun, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        yield from _told(begun)


@contextmanager
def _apart(tracer: Tracer, name: str, attributes: dict[str, Value]) -> Iterator[Span]:
    from opentelemetry import trace  # noqa: PLC0415

    begun = tracer.start_span(name, kind=trace.SpanKind.CLIENT, attributes=_dotted(attributes))
    try:
        yield from _told(begun)
    finally:
        begun.end()


def _told(begun: OtelSpan) -> Iterator[Span]:
    told = _Listened(begun)
    try:
        yield told
    except TriviumError as error:
        told.fail(error.code)
        raise
    except GeneratorExit:
        raise
    except BaseException as error:
        told.fail(type(error).__name__)
        raise


class _Listened:
    def __init__(self, begun: OtelSpan) -> None:
        self._span = begun

    def tell(self, **attributes: Value) -> None:
        self._span.set_attributes(_dotted(attributes))

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self, code: str) -> None:
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

        self._span.set_status(Status(StatusCode.ERROR, code))
        self._span.set_attribute("error.type", code)


def _dotted(attributes: dict[str, Value]) -> dict[str, Value]:
    return {name.replace("__", "."): value for name, value in attributes.items()}
