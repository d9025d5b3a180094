"""One call of a language model, counted: its time, its tokens, its failure; and billed to whom it is made for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from trivium.domain.errors import TriviumError
from trivium.llm.spending import Bill
from trivium.llm.transport import SLOW
from trivium.ports.llm import Completion, Message
from trivium.telemetry import LLM_FAILED, LLM_SECONDS, LLM_TOKENS
from trivium.tracing import spans
from trivium.watching.labels import code_label


class Call:
    """What the block tells of its call."""

    def __init__(self, llm: str, bill: Bill, span: spans.Span) -> None:
        self.bill = bill
        self._llm, self._span = llm, span

    def spend(self, completion: Completion) -> Completion:
        """What came of it; the same is given back."""
        self._span.tell(
            gen_ai__usage__input_tokens=completion.input_tokens, gen_ai__usage__output_tokens=completion.output_tokens
        )
        LLM_TOKENS.labels(self._llm, "input").inc(completion.input_tokens)
        LLM_TOKENS.labels(self._llm, "output").inc(completion.output_tokens)
        self.bill.told(completion)
        return completion


@contextmanager
def called(llm: str, messages: Sequence[Message]) -> Iterator[Call]:
    """Around one call of `llm` (`provider:model`)."""
    bill = Bill(messages)
    started = time.perf_counter()
    try:
        with spans.beside("chat", gen_ai__request__model=llm.partition(":")[2]) as span:
            yield Call(llm, bill, span)
    except TriviumError as fault:
        LLM_FAILED.labels(llm, code_label(fault.code)).inc()
        if fault.code == SLOW:
            bill.broken_off()
        raise
    except asyncio.CancelledError:
        bill.broken_off()
        raise
    finally:
        LLM_SECONDS.labels(llm).observe(time.perf_counter() - started)
