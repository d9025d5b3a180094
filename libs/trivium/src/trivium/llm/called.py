"""One call of a language model, counted: its time, its tokens, its failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trivium.domain.errors import TriviumError
from trivium.ports.llm import Completion
from trivium.telemetry import LLM_FAILED, LLM_SECONDS, LLM_TOKENS
from trivium.tracing import spans
from trivium.watching.labels import code_label


@contextmanager
def called(llm: str) -> Iterator[Callable[[Completion], Completion]]:
    """Around one call of `llm` (`provider:model`); the block hands over what came of it, and gets it back."""

    def spend(completion: Completion) -> Completion:
        span.tell(
            gen_ai__usage__input_tokens=completion.input_tokens, gen_ai__usage__output_tokens=completion.output_tokens
        )
        LLM_TOKENS.labels(llm, "input").inc(completion.input_tokens)
        LLM_TOKENS.labels(llm, "output").inc(completion.output_tokens)
        return completion

    started = time.perf_counter()
    try:
        with spans.beside("chat", gen_ai__request__model=llm.partition(":")[2]) as span:
            yield spend
    except TriviumError as fault:
        LLM_FAILED.labels(llm, code_label(fault.code)).inc()
        raise
    finally:
        LLM_SECONDS.labels(llm).observe(time.perf_counter() - started)
