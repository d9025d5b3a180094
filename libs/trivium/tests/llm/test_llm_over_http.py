"""The language-model client against a scripted server over real HTTP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

import msgspec
import pytest
from cancelling import DELAY_S, cancel_at_every_step
from openai_peer import OpenAiPeer, Reply, Seen

from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.llm.connect import PROVIDERS, connect_llm
from trivium.llm.reasoning import SpokenText, json_of, spoken
from trivium.llm.shapes import decode_shape
from trivium.llm.transport import LlmLimits
from trivium.ports.llm import Completion, Llm, Message, Picture, ToolCall

HELLO = [Message("system", "Be brief."), Message("user", "Hello?")]
QUICK = LlmLimits(backoff_s=0.01, max_backoff_s=0.02)
SECRET = "sk-secret-7c1f"


class City(msgspec.Struct, frozen=True):
    """A city."""

    name: str
    people: Annotated[int, msgspec.Meta(ge=0, description="How many live there.")]


def client(peer: OpenAiPeer, provider: str = "openai", limits: LlmLimits = QUICK) -> Llm:
    return connect_llm(provider, model="m-1", base_url=peer.url, api_key=SECRET, limits=limits)


async def streamed(llm: Llm, timeout_s: float = 5.0) -> list[str]:
    return [delta.text async for delta in llm.stream(HELLO, timeout_s=timeout_s) if delta.text]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_provider_is_shown_pictures_before_the_words(provider: str) -> None:
    shown = [Message("user", "What is it?", (Picture("image/png", b"pixels"), Picture("image/jpeg", b"others")))]
    with OpenAiPeer([Reply("A heron.")]) as peer:
        llm = client(peer, provider)
        await llm.complete(shown)
        await llm.close()
    first, second = "cGl4ZWxz", "b3RoZXJz"
    words = {"type": "text", "text": "What is it?"}
    pictures = {
        "openai": [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{first}"}},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{second}"}},
        ],
        "anthropic": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": first}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": second}},
        ],
    }
    message = peer.seen[0].body["messages"][-1]
    if provider == "ollama":
        assert message == {"role": "user", "content": "What is it?", "images": [first, second]}
    else:
        assert message == {"role": "user", "content": [*pictures.get(provider, pictures["openai"]), words]}


@pytest.mark.parametrize(
    ("said", "least"),
    [
        (Message("user", "河边的水车在每年春天转动" * 1000), 12_000),  # a token for each letter
        (
            Message("assistant", "", calls=(ToolCall("1", "note", {"text": "The mill turns. " * 3200}),)),
            14_000,
        ),
    ],
)
async def test_ollama_gets_a_window_that_holds_all_that_is_said(said: Message, least: int) -> None:
    with OpenAiPeer([Reply("In spring.")]) as peer:
        llm = client(peer, "ollama")
        await llm.complete([*HELLO, said])
        await llm.close()
    assert peer.seen[0].body["options"]["num_ctx"] > least


async def test_a_server_that_knows_no_json_schemas_gets_it_in_the_prompt() -> None:
    replies = [
        Reply("response_format is not supported", status=400),
        Reply('<think>Hm {</think> {"name": "Oslo", "people": 1}'),
    ]
    with OpenAiPeer(replies) as peer:
        llm = client(peer)
        city, _ = await llm.complete_json(HELLO, City)
        await llm.close()
    assert city.name == "Oslo"
    assert "response_format" not in peer.seen[1].body
    assert "people" in peer.seen[1].prompt


THOUGHTS = (
    "<think>Is it Bergen [3]?</think>\n\nOslo it is.",
    "<THINKING>Bergen?</THINKING> <reasoning>No: Bergen is second.</reasoning> Oslo it is.",
    "Is it Bergen? No.\n</think>\nOslo it is.",
    "Oslo <thought>or Bergen?</thought>it is.",
    "<think>Bergen?</think>Oslo it is.<think>Or was it Bergen after",
)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", THOUGHTS)
async def test_what_a_model_thinks_aloud_is_left_out(provider: str, text: str) -> None:
    with OpenAiPeer([Reply(text)]) as peer:
        llm = client(peer, provider)
        whole = await llm.complete(HELLO)
        deltas = [delta async for delta in llm.stream(HELLO)]
        await llm.close()
    shown: list[str] = []
    for delta in deltas:
        shown = [] if delta.withdrawn else [*shown, delta.text]
    final = deltas[-1].final
    assert final is not None
    assert {whole.text, final.text, "".join(shown)} == {"Oslo it is."}


@pytest.mark.parametrize("cut", range(1, 40))
def test_thoughts_are_left_out_wherever_the_pieces_are_cut(cut: int) -> None:
    text, said = "<think>a < b</think> 1 <2, x</y> is <b>bold</b>", SpokenText()
    assert said.feed(text[:cut]).text + said.feed(text[cut:]).text + said.finish() == "1 <2, x</y> is <b>bold</b>"


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_quoted_tag_is_told_of_wherever_the_pieces_are_cut(cut: int) -> None:
    told = 'It reasons between `<think>` and "</think>", and then it\'s said.'
    text, said = f"<think>`</think>`?</think>{told}", SpokenText()
    assert said.feed(text[:cut]).text + said.feed(text[cut:]).text + said.finish() == told


@pytest.mark.parametrize("cut", range(1, 40))
def test_thoughts_that_end_with_a_quotation_end_wherever_the_pieces_are_cut(cut: int) -> None:
    text, said = '<think>They ask "is it open?"</think>It is.', SpokenText()
    assert said.feed(text[:cut]).text + said.feed(text[cut:]).text + said.finish() == "It is."


@pytest.mark.parametrize("text", ["word " * 40_000, '"<' * 100_000, "</think>" * 25_000, "```json\n" + "\n" * 200_000])
def test_an_answer_without_end_takes_no_time_without_end(text: str) -> None:
    began = time.process_time()
    spoken(Completion(text))
    json_of(text)
    with pytest.raises(msgspec.DecodeError):
        decode_shape(text, City)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "provider", sorted(set(PROVIDERS) - {"anthropic"})
)  # its JSON is a tool's input, beside the text
async def test_thoughts_before_json_are_left_out_and_a_tag_within_it_stays(provider: str) -> None:
    with OpenAiPeer([Reply('A city {"name": ...}</think>{"name": "<think>Oslo</think>", "people": 1}')]) as peer:
        llm = client(peer, provider)
        city, _ = await llm.complete_json(HELLO, City)
        await llm.close()
    assert city.name == "<think>Oslo</think>"


@pytest.mark.parametrize("second", ['{"name": "Ely", "people": 3}', None])
async def test_json_that_never_stops_nesting_is_repaired_once(second: str | None) -> None:
    looping = '{"name": "Ely", "people": 3, "more": ' + "[" * 5_000
    with OpenAiPeer([Reply(looping), Reply(second or looping)]) as peer:
        llm = client(peer)
        if second:
            assert (await llm.complete_json(HELLO, City))[0] == City("Ely", 3)
        else:
            with pytest.raises(NeverWill) as caught:
                await llm.complete_json(HELLO, City)
            assert caught.value.code == "bad_json"
        await llm.close()
    assert len(peer.seen) == 2


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_answer_that_never_stops_nesting_is_not_understood(provider: str, streaming: bool) -> None:
    line = '{"more": ' + "[" * 5_000
    body = f"data: {line}\n\n" if streaming and provider != "ollama" else f"{line}\n"
    with OpenAiPeer([Reply(raw=body.encode())]) as peer:
        llm = client(peer, provider)
        with pytest.raises(NeverWill) as caught:
            await (streamed(llm) if streaming else llm.complete(HELLO))
        await llm.close()
    assert caught.value.code == "llm_not_understood"


async def test_a_busy_server_is_asked_again_after_the_time_it_names() -> None:
    with OpenAiPeer([Reply(status=429, headers={"retry-after": "0.3"}), Reply("Now")]) as peer:
        llm = client(peer)
        started = time.monotonic()
        assert (await llm.complete(HELLO)).text == "Now"
        assert time.monotonic() - started >= 0.3
        await llm.close()
    assert len(peer.seen) == 2


@pytest.mark.parametrize(
    ("said", "requests"),
    [
        ("Rate limit reached, 3 a minute. Add a payment method at https://platform.example/account/billing.", 2),
        ("insufficient_quota: check your plan and billing details.", 1),
        ("Your credit balance is too low.", 1),
    ],
)
async def test_only_a_busy_server_that_names_spent_credit_is_not_asked_again(said: str, requests: int) -> None:
    with OpenAiPeer([Reply(said, status=429, headers={"retry-after": "0"}), Reply("Now")]) as peer:
        llm = client(peer)
        told = (await asyncio.gather(llm.complete(HELLO), return_exceptions=True))[0]
        await llm.close()
    assert len(peer.seen) == requests
    assert getattr(told, "code", "") == ("llm_quota" if requests == 1 else "")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("streaming", [False, True])
async def test_calls_at_once_all_go_on_without_what_the_server_refuses(provider: str, streaming: bool) -> None:
    def choose(seen: Seen) -> Reply:
        if "temperature" in seen.body:
            return Reply("temperature is not supported", status=400, delay_s=0.2)
        return Reply("Oslo")

    with OpenAiPeer(choose) as peer:
        llm = client(peer, provider)
        if streaming:
            told = ["".join(pieces) for pieces in await asyncio.gather(*(streamed(llm) for _ in range(5)))]
        else:
            told = [answer.text for answer in await asyncio.gather(*(llm.complete(HELLO) for _ in range(5)))]
        await llm.close()
    assert told == ["Oslo"] * 5
    assert "temperature" not in peer.seen[-1].body


async def test_a_caller_cannot_wait_longer_than_the_client_allows() -> None:
    with OpenAiPeer([Reply("late", delay_s=10)]) as peer:
        llm = client(peer, limits=LlmLimits(timeout_s=0.3))
        with pytest.raises(TryLater):
            await llm.complete(HELLO, timeout_s=60)
        await llm.close()


async def test_a_trickling_stream_does_not_outlive_the_time_limit() -> None:
    with OpenAiPeer([Reply("word " * 200, pause_s=0.05)]) as peer:
        llm = client(peer)
        with pytest.raises(TryLater, match="in time"):
            await streamed(llm, 0.5)
        await llm.close()


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_flood_is_stopped_at_its_bound(streaming: bool) -> None:
    with OpenAiPeer([Reply(raw=b"x" * 300_000)]) as peer:
        llm = client(peer, limits=LlmLimits(max_body_bytes=100_000))
        with pytest.raises(NeverWill) as caught:
            await (streamed(llm) if streaming else llm.complete(HELLO))
        await llm.close()
    assert caught.value.code == "llm_too_much"


async def test_a_line_without_end_takes_no_time_without_end() -> None:
    with OpenAiPeer([Reply(raw=b"data: " + b"a" * 4_000_000)]) as peer:
        llm = client(peer)
        with pytest.raises(NeverWill) as caught:
            await streamed(llm, timeout_s=10)
        await llm.close()
    assert caught.value.code == "llm_not_understood"


@pytest.mark.parametrize("streaming", [True, False])
async def test_an_answer_in_crumbs_lets_others_go_on(streaming: bool) -> None:
    crumbs = 3_000
    turns = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal turns
        await reader.readuntil(b"\r\n\r\n")
        turns = 0
        head = b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head + b"1\r\na\r\n" * crumbs + b"0\r\n\r\n")
        writer.close()

    async def go_on() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        llm = connect_llm("openai", model="m", base_url=url, limits=QUICK)
        other = asyncio.create_task(go_on())
        with pytest.raises((NeverWill, TryLater)):
            await (streamed(llm) if streaming else llm.complete(HELLO))
        other.cancel()
        await llm.close()
    assert turns > crumbs


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("tokens", [(-5, -1), (10**30, 2**63)])
async def test_counts_of_tokens_that_cannot_be_true_count_as_untold(provider: str, tokens: tuple[int, int]) -> None:
    with OpenAiPeer([Reply("Hello", tokens=tokens)]) as peer:
        llm = client(peer, provider)
        whole = await llm.complete(HELLO)
        await llm.close()
    assert (whole.text, whole.input_tokens, whole.output_tokens) == ("Hello", 0, 0)


async def test_no_more_calls_at_once_than_configured() -> None:
    with OpenAiPeer([Reply("ok", delay_s=0.05)]) as peer:
        llm = client(peer, limits=LlmLimits(concurrency=2))
        await asyncio.gather(*(llm.complete(HELLO) for _ in range(8)))
        await llm.close()
    assert peer.most_at_once <= 2
    assert len(peer.seen) == 8


async def test_a_stream_that_is_abandoned_gives_its_place_back() -> None:
    with OpenAiPeer([Reply("word " * 100, pause_s=0.01)]) as peer:
        llm = client(peer, limits=LlmLimits(concurrency=1))
        stream = llm.stream(HELLO)
        await anext(stream)
        assert isinstance(stream, AsyncIterator)
        await stream.aclose()  # type: ignore[attr-defined]
        assert (await llm.complete(HELLO, timeout_s=5)).text
        await llm.close()


def test_the_key_goes_where_each_provider_wants_it() -> None:
    async def ask(provider: str) -> Sequence[dict[str, str]]:
        with OpenAiPeer([Reply("ok")]) as peer:
            llm = client(peer, provider)
            await llm.complete(HELLO)
            await llm.close()
        return [seen.headers for seen in peer.seen]

    assert asyncio.run(ask("openai"))[0]["authorization"] == f"Bearer {SECRET}"
    assert asyncio.run(ask("anthropic"))[0]["x-api-key"] == SECRET


@pytest.mark.parametrize(
    ("provider", "model", "url"),
    [
        ("cohere", "m", ""),
        ("openai", "", ""),
        ("openai", "m", "not a url"),
        ("openai", "m", "ftp://host/v1"),
        ("openai", "m", "http://user:pw@host/v1"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(provider: str, model: str, url: str) -> None:
    with pytest.raises(Refused) as caught:
        connect_llm(provider, model=model, base_url=url)
    assert caught.value.action
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("key", ["schlüssel", "two keys", "line\nbreak"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(Refused) as caught:
        connect_llm("openai", model="m", api_key=key)
    assert key not in str(caught.value)


async def test_a_key_is_used_without_the_line_break_that_came_with_it() -> None:
    with OpenAiPeer([Reply("ok")]) as peer:
        llm = connect_llm("openai", model="m", base_url=peer.url, api_key="k1\n")
        await llm.complete(HELLO)
        await llm.close()
    assert peer.seen[0].headers["authorization"] == "Bearer k1"


async def test_calls_that_are_cancelled_take_no_connection_with_them() -> None:
    with OpenAiPeer([Reply("Hello there", delay_s=DELAY_S)]) as peer:
        llm = client(peer, limits=LlmLimits(concurrency=1))
        await cancel_at_every_step(lambda: llm.complete(HELLO), lambda: len(peer.seen))
        answer = await llm.complete(HELLO, timeout_s=5)
        await llm.close()
    assert answer.text == "Hello there"
