"""One connection over HTTP/1.1: uvicorn's, with an end to waiting for what does not come."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from trivium_query import pace

LINGER_S = 5.0  # for the rest of a body that was answered early, so that its sender sees the answer (nginx's default)


class Connection(H11Protocol):
    """Closes when a request's headers, or the rest of an answered one, take too long; bodies are `Bounded`'s matter."""

    _clock: asyncio.TimerHandle | None = None
    _runs_for = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody who says nothing is waited for as long as for headers."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the clock."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A request's end stops the clock of its headers."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """What still comes of the request is read for a moment."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._watch()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is told so, unless an answer is on its way; nobody waits for the rest of it."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _watch(self) -> None:
        """One clock at a time, started when its reason begins."""
        awaited = self._awaited()
        if awaited != self._runs_for:
            self._stop()
            self._runs_for = awaited
            if awaited:
                seconds = pace.HEADERS_S if awaited == "headers" else LINGER_S
                self._clock = self.loop.call_later(seconds, self.transport.close)

    def _awaited(self) -> str:
        if self.conn.their_state is h11.IDLE:
            return "headers"
        answered = self.cycle is not None and self.cycle.response_complete
        return "the rest" if answered and self.conn.their_state is h11.SEND_BODY else ""

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock, self._runs_for = None, ""
