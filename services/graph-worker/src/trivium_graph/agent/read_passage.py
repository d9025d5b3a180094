"""The rounds of one passage: the model asks for tools, sees what they answer, and goes on until it is done.

It ends with `finish_paragraph`, or an answer without calls; after so many rounds, tokens or repeated calls; or with an
error that asking again does not mend. What was constructed until then counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from trivium.domain.errors import NeverWill
from trivium.domain.graph_schema import GraphSchema
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message, ToolCall
from trivium_graph.agent.limits import (
    MAX_ANSWER_TOKENS,
    MAX_CALLS_A_TURN,
    MAX_PASSAGE_TOKENS,
    MAX_REPEATS,
    TIMEOUT_S,
    BudgetSpent,
    Limits,
    Turns,
    cost_of,
    paid_for,
)
from trivium_graph.agent.record import Reading, State, Turn
from trivium_graph.agent.tools import FOR_MODEL, refusal, run_call
from trivium_graph.agent.workbench import Workbench
from trivium_graph.llm_extract import unfenced
from trivium_graph.told_schema import NO_SCHEMA, told

PROMPT = prompt_named("read")
LOOKING = frozenset({"search_kg", "explore_fusion", "read_paragraph", "browse_context", "get_progress"})
MAX_KNOWN = 40  # names of earlier passages that a passage is told of
_USE_TOOLS = "Use the tools, and call finish_paragraph when everything is in the graph."
_OF_THE_SERVICE = frozenset({"llm_unauthorized", "llm_quota", "llm_not_found", "llm_not_understood"})


class Carried(msgspec.Struct, frozen=True):
    """What earlier passages hand on: tokens that the document has taken, and the failure of the one before."""

    spent: int = 0
    failure: str = ""


async def read_passage(
    llm: Llm,
    bench: Workbench,
    reading: Reading,
    carried: Carried,
    limits: Limits,
    turns: Turns,
    keep: Callable[[Reading], None],
    schema: GraphSchema = NO_SCHEMA,
) -> Reading:
    """The passage as VERIFIED; `keep` is called after each answer.

    Raises `TryLater` as the model does, `BudgetSpent` before a question that could pass the budget, `NeverWill` where
    the model's service does not serve us at all, and what `turns` raise.
    """
    opening = _opening(bench, carried, schema)
    while True:
        reading = await _with_results(bench, reading)
        if bench.draft.finished or (failure := _stopped(reading, limits)) is not None:
            failure = "" if bench.draft.finished else failure
            return msgspec.structs.replace(reading, state=State.VERIFIED, draft=bench.draft, failure=failure)
        messages = [*opening, *_told(reading.turns)]
        if carried.spent + reading.tokens + cost_of(messages) + MAX_ANSWER_TOKENS > limits.budget_tokens:
            raise BudgetSpent(limits.budget_tokens)
        turns.look()
        try:
            answer = await llm.complete_with_tools(
                messages, FOR_MODEL, must_call=True, max_tokens=MAX_ANSWER_TOKENS, timeout_s=TIMEOUT_S
            )
        except NeverWill as error:
            if error.code in _OF_THE_SERVICE:
                raise
            tokens = reading.tokens + 2 * cost_of(messages)  # it was shown its fault, and made it again
            return msgspec.structs.replace(
                reading, state=State.VERIFIED, draft=bench.draft, tokens=tokens, failure=error.message
            )
        reading = Reading(
            State.READING,
            (*reading.turns, Turn(answer.text, answer.calls)),
            bench.draft,
            reading.tokens + paid_for(messages, answer),
        )
        keep(reading)


async def _with_results(bench: Workbench, reading: Reading) -> Reading:
    """The calls of the last turn are run, unless they were."""
    if not reading.turns or len(reading.turns[-1].results) == len(reading.turns[-1].calls):
        return reading
    *before, last = reading.turns
    seen = [call for turn in before for call in turn.calls]
    results: list[str] = []
    for number, call in enumerate(last.calls):
        if number >= MAX_CALLS_A_TURN:
            results.append(_shown("too_many", "So many calls at once are not run.", "Make fewer."))
        elif _repeats(call, seen):
            results.append(_shown("called_before", "You have made this call already.", "Use what it answered."))
        else:
            results.append(await run_call(bench, call))
        seen.append(call)
    done = msgspec.structs.replace(last, results=tuple(results))
    return msgspec.structs.replace(reading, turns=(*before, done))


def _stopped(reading: Reading, limits: Limits) -> str | None:
    """Why nothing more is asked, "" where the model said no more itself; None while it goes on."""
    if not reading.turns:
        return None
    calls = [call for turn in reading.turns for call in turn.calls]
    if not reading.turns[-1].calls:
        if calls:
            return ""
        return "The model called no tool." if len(reading.turns) > 1 else None
    return _bound(reading, calls, limits)


def _bound(reading: Reading, calls: Sequence[ToolCall], limits: Limits) -> str | None:
    repeated = [call.name for at, call in enumerate(calls) if _repeats(call, calls[:at])]
    if len(repeated) >= MAX_REPEATS:
        return f"The model called {repeated[-1]} again and again."
    if len(reading.turns) >= limits.rounds:
        return f"The model was not done after {limits.rounds} rounds."
    if reading.tokens >= MAX_PASSAGE_TOKENS:
        return f"The model took more than {MAX_PASSAGE_TOKENS:,} tokens."
    return None


def _repeats(call: ToolCall, seen: Sequence[ToolCall]) -> bool:
    """Whether it asks for what was asked before; refused calls may be made again once what they lacked is there."""
    looking = call.name in LOOKING
    same = sum((one.name, one.arguments) == (call.name, call.arguments) for one in seen)
    return same > (0 if looking else 1)


def _opening(bench: Workbench, carried: Carried, schema: GraphSchema) -> list[Message]:
    chunk = bench.chunk
    lines = [told(schema)] if schema.types else []
    lines += [f"<document>{unfenced(chunk.title or chunk.source)}</document>"]
    if bench.found:
        names = [f"{one.name} ({one.type.value})" for one in list(bench.found.values())[-MAX_KNOWN:]]
        lines.append(f"Entities of earlier passages: {unfenced(', '.join(names))}")
    lines += [f"Open todo {todo.number}: {unfenced(todo.task)}" for todo in bench.todos]
    if carried.failure:
        lines.append(f"What went wrong with the passage before: {unfenced(carried.failure)}")
    section = f"\nSection: {unfenced(' > '.join(chunk.section))}" if chunk.section else ""
    lines.append(f"Passage {bench.at + 1} of {len(bench.chunks)}:")
    lines.append(f"<passage>{section}\n{unfenced(chunk.text)}\n</passage>")
    return [Message("system", PROMPT.text), Message("user", "\n".join(lines))]


def _told(turns: Sequence[Turn]) -> list[Message]:
    said: list[Message] = []
    for turn in turns:
        said.append(Message("assistant", turn.text or ("" if turn.calls else "(nothing)"), calls=turn.calls))
        said += [Message("tool", result, call=call) for call, result in zip(turn.calls, turn.results, strict=True)]
        if not turn.calls:
            said.append(Message("user", _USE_TOOLS))
    return said


def _shown(code: str, message: str, action: str) -> str:
    return msgspec.json.encode(refusal(code, message, action)).decode()
