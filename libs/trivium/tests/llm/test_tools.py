"""Tools that a language model asks for, against a scripted server over real HTTP, in every provider's dialect."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from openai_peer import OpenAiPeer, Reply

from trivium.domain.errors import NeverWill
from trivium.llm.connect import PROVIDERS, connect_llm
from trivium.llm.transport import LlmLimits
from trivium.ports.llm import Completion, Message, Tool


class Lookup(msgspec.Struct, frozen=True):
    """Where to look."""

    name: Annotated[str, msgspec.Meta(description="Whom to look up.")]
    hops: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1


LOOK_UP = Tool("look_up", "Look a person up.", Lookup)
SCHEMA = {
    "type": "object",
    "description": "Where to look.",
    "properties": {
        "name": {"type": "string", "description": "Whom to look up."},
        "hops": {"type": "integer", "minimum": 1, "maximum": 3},
    },
    "required": ["name", "hops"],
    "additionalProperties": False,
}
ASKED = [Message("system", "Be brief."), Message("user", "Who is Ada, and who is Bo?")]
TWO_CALLS = (("look_up", {"name": "Ada", "hops": 2}), ("look_up", {"name": "Bo"}))


async def chat(
    provider: str, *replies: Reply, results: tuple[str, ...] = ()
) -> tuple[list[Completion], list[dict[str, Any]]]:
    """Turns until there is an answer, `results` given for the calls; and the requests that came."""
    with OpenAiPeer(replies) as peer:
        llm = connect_llm(provider, model="m-1", base_url=peer.url, api_key="k", limits=LlmLimits(backoff_s=0.01))
        try:
            messages, turns = [*ASKED], [await llm.complete_with_tools(ASKED, [LOOK_UP])]
            while turns[-1].calls:
                messages.append(Message("assistant", turns[-1].text, calls=turns[-1].calls))
                told = zip(turns[-1].calls, results, strict=True)
                messages.extend(Message("tool", result, call=call) for call, result in told)
                turns.append(await llm.complete_with_tools(messages, [LOOK_UP]))
        finally:
            await llm.close()
        return turns, [seen.body for seen in peer.seen]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_provider_asks_for_tools_and_hears_their_results(provider: str) -> None:
    replies = Reply("<think>Hm</think>Looking.", calls=TWO_CALLS), Reply("A poet and a smith.")
    (first, last), (asked, told) = await chat(provider, *replies, results=("a poet", "a smith"))
    assert [(call.name, call.arguments) for call in first.calls] == list(TWO_CALLS)
    assert (first.text, last.text, last.calls) == ("Looking.", "A poet and a smith.", ())
    function = {"name": "look_up", "description": "Look a person up.", "parameters": SCHEMA}
    function |= {"strict": True} if provider == "vllm" else {}  # which holds arguments to any schema
    if provider == "anthropic":
        assert asked["tools"] == [{"name": "look_up", "description": "Look a person up.", "input_schema": SCHEMA}]
    else:
        assert asked["tools"] == [{"type": "function", "function": function}]
    assert told["messages"][-len(EXPECTED[provider]) :] == EXPECTED[provider]


EXPECTED: dict[str, list[dict[str, Any]]] = {
    "openai": [
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"id": at, "type": "function", "function": {"name": "look_up", "arguments": arguments}}
                for at, arguments in (("id-0", '{"name":"Ada","hops":2}'), ("id-1", '{"name":"Bo"}'))
            ],
        },
        {"role": "tool", "tool_call_id": "id-0", "content": "a poet"},
        {"role": "tool", "tool_call_id": "id-1", "content": "a smith"},
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "id-0", "name": "look_up", "input": {"name": "Ada", "hops": 2}},
                {"type": "tool_use", "id": "id-1", "name": "look_up", "input": {"name": "Bo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "id-0", "content": "a poet"},
                {"type": "tool_result", "tool_use_id": "id-1", "content": "a smith"},
            ],
        },
    ],
    "ollama": [
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"function": {"name": "look_up", "arguments": {"name": "Ada", "hops": 2}}},
                {"function": {"name": "look_up", "arguments": {"name": "Bo"}}},
            ],
        },
        {"role": "tool", "content": "a poet", "tool_name": "look_up"},
        {"role": "tool", "content": "a smith", "tool_name": "look_up"},
    ],
}
EXPECTED["vllm"] = EXPECTED["openai"]

WRONG = [
    ("erase", {"name": "Ada"}, "there is no tool 'erase'"),
    ("look_up", {"hops": 1}, "missing required field `name`"),
    ("look_up", {"name": "Ada", "hops": 9}, "Expected `int` <= 3"),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("name", "arguments", "fault"), WRONG)
async def test_a_wrong_call_is_shown_to_the_model_once(
    provider: str, name: str, arguments: dict[str, Any], fault: str
) -> None:
    wrong = Reply(calls=(("look_up", {"name": "Bo"}), (name, arguments)))
    (first, _), (_, again, _) = await chat(provider, wrong, Reply(calls=TWO_CALLS), Reply("Done."), results=("", ""))
    assert [call.arguments for call in first.calls] == [arguments for _, arguments in TWO_CALLS]
    assert first.input_tokens == 22
    shown = str(again["messages"])
    assert fault in shown
    assert "another call of this turn was wrong" in shown


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_that_calls_wrongly_twice_is_told_to_be_another(provider: str) -> None:
    with pytest.raises(NeverWill, match="there is no tool 'erase'") as failure:
        await chat(provider, Reply(calls=(("erase", {}),)))
    assert failure.value.code == "bad_tool_call"


@pytest.mark.parametrize("arguments", ['{"name": ', '{"name": ' + "[" * 5_000])
async def test_arguments_that_are_no_json_are_a_wrong_call(arguments: str) -> None:
    function = {"name": "look_up", "arguments": arguments}
    message = {"content": None, "tool_calls": [{"id": "1", "function": function}]}
    body = msgspec.json.encode({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    with pytest.raises(NeverWill, match="the arguments of look_up are no JSON object"):
        await chat("openai", Reply(raw=body))


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_is_demanded_where_the_provider_can_have_it_so(provider: str) -> None:
    with OpenAiPeer([Reply(calls=TWO_CALLS)]) as peer:
        llm = connect_llm(provider, model="m-1", base_url=peer.url, api_key="k")
        await llm.complete_with_tools(ASKED, [LOOK_UP], must_call=True)
        await llm.complete_with_tools(ASKED, [LOOK_UP])
        await llm.close()
    demanded: dict[str, Any] = {"anthropic": {"type": "any"}, "ollama": None}
    assert [seen.body.get("tool_choice") for seen in peer.seen] == [demanded.get(provider, "required"), None]


async def test_a_server_that_knows_no_demand_is_asked_without() -> None:
    replies = Reply("tool_choice is not supported", status=400), Reply(calls=TWO_CALLS)
    with OpenAiPeer(replies) as peer:
        llm = connect_llm("openai", model="m-1", base_url=peer.url, api_key="k")
        assert (await llm.complete_with_tools(ASKED, [LOOK_UP], must_call=True)).calls
        await llm.close()
    assert [seen.body.get("tool_choice") for seen in peer.seen] == ["required", None]
