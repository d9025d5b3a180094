"""What calls of a language model are charged, over real HTTP: as far as they came, and by whose count."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import pytest
from openai_peer import OpenAiPeer, Reply
from waiting import wait_until

from trivium.domain.errors import TryLater
from trivium.llm.connect import connect_llm
from trivium.llm.spending import Account, owe, pay_from
from trivium.llm.transport import LlmLimits
from trivium.ports.llm import Llm, Message

SAID = "Herons stand still."
ASKED = [Message("system", "x" * 39), Message("user", "y" * 41)]  # 80 bytes: 20 tokens
UNTOLD = b'{"choices": [{"message": {"content": "twelve bytes"}, "finish_reason": "stop"}]}'


def client(peer: OpenAiPeer, provider: str = "openai") -> Llm:
    limits = LlmLimits(attempts=1, concurrency=1)
    return connect_llm(provider, model="m", base_url=peer.url, api_key="k", limits=limits)


@pytest.fixture
def account() -> Account:
    opened = Account()
    pay_from(opened)
    return opened


@pytest.mark.parametrize("provider", ["openai", "ollama"])
async def test_a_whole_answer_is_charged_as_the_provider_counts_it(account: Account, provider: str) -> None:
    with OpenAiPeer([Reply(SAID)]) as peer:
        llm = client(peer, provider)
        await llm.complete(ASKED)
        assert account.settle() == 18
        assert [delta async for delta in llm.stream(ASKED)]
        assert account.settle() == 18
        await llm.close()
    assert account.settle() == 0


async def test_where_the_provider_counts_nothing_bytes_are_counted(account: Account) -> None:
    with OpenAiPeer([Reply(raw=UNTOLD)]) as peer:
        llm = client(peer)
        await llm.complete(ASKED)
        await llm.close()
    assert account.settle() == 20 + 3


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ("openai", {"choices": [{"message": {"content": "twelve bytes", "reasoning_content": "They may sit down."}}]}),
        ("openai", {"choices": [{"message": {"content": "twelve bytes", "reasoning": "They may sit down."}}]}),
        ("openai", {"choices": [{"message": {"content": "<think>I think</think>twelve bytes"}}]}),
        (
            "anthropic",
            {
                "content": [
                    {"type": "thinking", "thinking": "They may sit down."},
                    {"type": "text", "text": "twelve bytes"},
                ]
            },
        ),
        ("ollama", {"message": {"content": "twelve bytes", "thinking": "They may sit down."}, "done": True}),
    ],
)
async def test_reasoning_of_a_whole_answer_that_nobody_counted_is_charged_and_is_no_answer(
    account: Account, provider: str, said: dict[str, object]
) -> None:
    with OpenAiPeer([Reply(raw=json.dumps(said).encode())]) as peer:
        llm = client(peer, provider)
        assert (await llm.complete(ASKED)).text == "twelve bytes"
        await llm.close()
    assert account.settle() in (20 + 8, 20 + 9)  # 30 or 34 bytes


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
async def test_a_stream_that_is_left_is_charged_for_what_came(account: Account, provider: str) -> None:
    with OpenAiPeer([Reply(SAID, pause_s=0.05)]) as peer:
        llm = client(peer, provider)
        async with aclosing(llm.stream(ASKED)) as deltas:  # type: ignore[type-var]  # an async generator
            assert (await anext(deltas)).text == "Herons"
            assert (await anext(deltas)).text == " stand"
        await llm.close()
    assert account.settle() == 20 + 3


@pytest.mark.parametrize(
    ("provider", "field"),
    [("openai", "reasoning_content"), ("openai", "reasoning"), ("anthropic", ""), ("ollama", "")],
)
async def test_reasoning_in_a_field_of_its_own_is_charged_where_the_stream_is_left_and_is_no_answer(
    account: Account, provider: str, field: str
) -> None:
    with OpenAiPeer([Reply(SAID, pause_s=0.05, thought="They may sit. " * 4, thought_field=field)]) as peer:
        llm = client(peer, provider)
        async with aclosing(llm.stream(ASKED)) as deltas:  # type: ignore[type-var]  # an async generator
            assert (await anext(deltas)).text == "Herons"
        await llm.close()
    assert account.settle() == 20 + 16  # 56 bytes of thought, and a word


async def test_reasoning_of_a_whole_stream_that_nobody_counted_is_charged(account: Account) -> None:
    events = [{"reasoning_content": "They may sit down."}, {"content": "Herons"}]
    lines = [f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\n" for delta in events]
    with OpenAiPeer([Reply(raw="".join([*lines, "data: [DONE]\n\n"]).encode())]) as peer:
        llm = client(peer)
        assert [delta.text for delta in [delta async for delta in llm.stream(ASKED)]] == ["Herons", ""]
        await llm.close()
    assert account.settle() == 20 + 6


async def test_what_the_provider_broke_off_is_charged_for_what_came(account: Account) -> None:
    with OpenAiPeer([Reply(SAID, cut_after=2)]) as peer:
        llm = client(peer)
        with pytest.raises(TryLater, match="broke off"):
            _ = [delta async for delta in llm.stream(ASKED)]
        await llm.close()
    assert account.settle() == 20 + 3


async def test_a_call_that_is_stopped_has_read_its_prompt_and_one_in_the_queue_nothing(account: Account) -> None:
    with OpenAiPeer([Reply(SAID, delay_s=30)]) as peer:
        llm = client(peer)
        calls = [asyncio.ensure_future(llm.complete(ASKED)) for _ in range(2)]  # one at a time
        await asyncio.to_thread(wait_until, lambda: peer.seen, "one is asked")
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        with pytest.raises(TryLater, match="in time"):
            await llm.complete(ASKED, timeout_s=0.3)
        await llm.close()
    assert account.settle() == 20 + 20


async def test_who_cannot_be_reached_costs_nothing(account: Account) -> None:
    llm = connect_llm("openai", model="m", base_url="http://127.0.0.1:9", limits=LlmLimits(attempts=1))
    with pytest.raises(TryLater):
        await llm.complete(ASKED)
    await llm.close()
    assert account.settle() == 0


def test_what_was_estimated_too_high_is_given_back(account: Account) -> None:
    owe(10)
    assert account.settle() == 10
    owe(-4)
    assert account.settle() == 0
    owe(5)
    assert account.settle() == 1
