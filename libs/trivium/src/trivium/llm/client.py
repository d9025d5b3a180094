"""The client that every provider shares."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

import msgspec

from trivium.domain.errors import NeverWill, TryLater
from trivium.llm.called import called
from trivium.llm.dialect import UNREADABLE, Dialect, Prompt
from trivium.llm.reasoning import SpokenText, spoken
from trivium.llm.shapes import decode_shape, schema_of
from trivium.llm.spending import Bill
from trivium.llm.transport import BadRequest, LlmLimits, Transport
from trivium.ports.llm import Completion, Delta, Message, T, Tool, ToolCall

_REPAIR = "That was not valid: {fault}. Answer again, with nothing but JSON of this schema: {schema}"
_NOT_READ = (msgspec.DecodeError, UnicodeError, RecursionError)  # the last of JSON that nests without end
_MOST_TOKENS = 100_000_000  # of one call; ten times the longest window there is
_SHOWN_CHARS = 4_000  # of a broken answer, when it is shown to the model again


class HttpLlm:
    """An `Llm` over HTTP. One instance serves many callers of one event loop; close it there."""

    def __init__(self, dialect: Dialect, base_url: str, api_key: str, limits: LlmLimits, ca_file: str = "") -> None:
        self._dialect = dialect
        headers = dialect.headers(api_key)
        self._transport = Transport(self.name, base_url + dialect.path, headers, api_key, limits, ca_file)

    @property
    def name(self) -> str:
        """`provider:model`."""
        return f"{self._dialect.provider}:{self._dialect.model}"

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 1024, timeout_s: float = 60.0
    ) -> Completion:
        """One answer as text."""
        return await self._complete(Prompt(tuple(messages), max_tokens), self._deadline(timeout_s))

    async def complete_json(
        self,
        messages: Sequence[Message],
        shape: type[T],
        *,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> tuple[T, Completion]:
        """One answer as a value. An answer that does not fit is shown to the model once, to repair it."""
        deadline = self._deadline(timeout_s)
        prompt = Prompt(tuple(messages), max_tokens, schema_of(shape))
        first = await self._complete(prompt, deadline)
        try:
            return decode_shape(first.text, shape), first
        except _NOT_READ as fault:
            request = _REPAIR.format(fault=fault, schema=msgspec.json.encode(prompt.schema).decode())
        asked_again = (
            *messages,
            Message("assistant", first.text[:_SHOWN_CHARS] or "(nothing)"),
            Message("user", request),
        )
        second = await self._complete(Prompt(asked_again, max_tokens, prompt.schema), deadline)
        spent = _both(first, second)
        try:
            return decode_shape(second.text, shape), spent
        except _NOT_READ as fault:
            why = "it was cut off at its limit of tokens" if second.truncated else str(fault)
            raise NeverWill(
                "bad_json",
                f"{self.name} answered twice with something else than the JSON asked for ({why}).",
                "Use a model that follows JSON schemas, or allow it more tokens.",
            ) from fault

    async def complete_with_tools(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        must_call: bool = False,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> Completion:
        """The next turn of a chat. Calls that are of no tool, or do not fit theirs, are shown to the model once."""
        deadline = self._deadline(timeout_s)
        prompt = Prompt(tuple(messages), max_tokens, tools=tuple(tools), must_call=must_call)
        first = await self._complete(prompt, deadline)
        if not any(faults := [_fault_of(call, tools) for call in first.calls]):
            return first
        results = (
            Message("tool", f"Not called: {fault or 'another call of this turn was wrong'}. Call again.", call=call)
            for call, fault in zip(first.calls, faults, strict=True)
        )
        asked_again = (*messages, Message("assistant", first.text, calls=first.calls), *results)
        second = await self._complete(msgspec.structs.replace(prompt, messages=asked_again), deadline)
        if fault := next(filter(None, (_fault_of(call, tools) for call in second.calls)), ""):
            raise NeverWill(
                "bad_tool_call",
                f"{self.name} called a tool wrongly, twice: {fault}.",
                "Use a model that was made to call tools.",
            )
        return _both(first, second)

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int = 1024, timeout_s: float = 60.0
    ) -> AsyncIterator[Delta]:
        """One answer piece by piece, then the whole of it."""
        deadline = self._deadline(timeout_s)
        prompt = Prompt(tuple(messages), max_tokens, stream=True)
        while True:
            dialect = self._dialect
            try:
                with called(self.name, prompt.messages) as call:
                    async with aclosing(self._stream(dialect, prompt, deadline, call.bill)) as deltas:
                        async for delta in deltas:
                            if delta.final:
                                call.spend(delta.final)
                            yield delta
                return
            except BadRequest as refusal:  # raised before anything was yielded
                self._concede(refusal, dialect)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    def _deadline(self, timeout_s: float) -> float:
        return time.monotonic() + min(timeout_s, self._transport.limits.timeout_s)

    async def _complete(self, prompt: Prompt, deadline: float) -> Completion:
        with called(self.name, prompt.messages) as call:
            return call.spend(await self._completed(prompt, deadline, call.bill))

    async def _completed(self, prompt: Prompt, deadline: float, bill: Bill) -> Completion:
        while True:
            dialect = self._dialect
            try:
                body = await self._transport.post(dialect.encode(prompt), deadline, bill.sent)
            except BadRequest as refusal:
                self._concede(refusal, dialect)
                continue
            try:
                answer = _credible(dialect.decode(body))
            except _NOT_READ as fault:
                raise self._gibberish(fault) from fault
            bill.came(answer.text + answer.thought)
            return answer if prompt.schema is not None else spoken(answer)  # JSON is freed of thoughts by its decoder

    async def _stream(self, dialect: Dialect, prompt: Prompt, deadline: float, bill: Bill) -> AsyncGenerator[Delta]:
        reader, said = dialect.reader(), SpokenText()
        try:
            async for line in self._transport.lines(dialect.encode(prompt), deadline, bill.sent):
                try:
                    text = reader.feed(line)
                except _NOT_READ as fault:
                    raise self._gibberish(fault) from fault
                bill.came(text + reader.thought)
                heard = said.feed(text)
                if heard.withdrawn:
                    yield Delta(withdrawn=True)
                if heard.text:
                    yield Delta(heard.text)
        except TryLater:
            if not reader.finished:  # the answer is whole; only the good-bye is missing
                raise
        if not reader.finished:
            raise TryLater("stream_cut", f"{self.name} broke off in the middle of its answer.", "Ask again.")
        if rest := said.finish():
            yield Delta(rest)
        yield Delta(final=spoken(_credible(reader.completion())))

    def _concede(self, refusal: BadRequest, refused: Dialect) -> None:
        """Go on without the parameter the server refused, for this call and later ones; else raise.

        `refused` is what the request was encoded with: where another call conceded meanwhile, that is tried first.
        """
        if self._dialect is not refused:
            return
        conceded = self._dialect.concede(refusal.complaint)
        if conceded is None:
            raise refusal
        self._dialect = conceded

    def _gibberish(self, fault: Exception) -> NeverWill:
        return NeverWill(
            "llm_not_understood",
            f"{self.name} answered with something else than its protocol promises ({fault}).",
            "Check that the address belongs to this provider.",
        )


def _credible(completion: Completion) -> Completion:
    """With no counts of tokens where they cannot be true."""
    return msgspec.structs.replace(
        completion, input_tokens=_count(completion.input_tokens), output_tokens=_count(completion.output_tokens)
    )


def _count(told: int) -> int:
    return told if 0 <= told <= _MOST_TOKENS else 0


def _both(first: Completion, second: Completion) -> Completion:
    """The second, with what both took."""
    return msgspec.structs.replace(
        second,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
    )


def _fault_of(call: ToolCall, tools: Sequence[Tool]) -> str:
    """What is wrong with a call; "" where nothing is."""
    tool = next((tool for tool in tools if tool.name == call.name), None)
    if tool is None:
        return f"there is no tool {call.name[:100]!r}"
    if UNREADABLE in call.arguments:
        return f"the arguments of {tool.name} are no JSON object"
    try:
        msgspec.convert(call.arguments, tool.arguments)
    except msgspec.ValidationError as fault:
        return f"the arguments of {tool.name} do not fit: {fault}"
    return ""
