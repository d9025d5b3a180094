"""vLLM's own metrics decide who asks it now; what cannot be read makes nobody wait."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_peer import OpenAiPeer, Reply, Seen

from trivium.config import Settings
from trivium.domain.documents import Lane
from trivium.domain.errors import Refused
from trivium.llm.connect import llm_address
from trivium.llm.load import STALE_S, WAIT_S, LlmLoad, VllmLoad, read_metrics, reason_to_wait

LIMIT = 8
# As vLLM 0.32 writes it; 0.11 and earlier called the cache gpu_cache_usage_perc.
PAGE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{engine="0",model_name="language"}} 16.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{{engine="0",model_name="language"}} {waiting}
vllm:num_requests_waiting_by_reason{{engine="0",model_name="language",reason="capacity"}} 99.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{{engine="0",model_name="language"}} {cache}
"""


class Vllm:
    """What the peer tells of its queue, and how often it was asked."""

    def __init__(self) -> None:
        self.reply = Reply(raw=PAGE.format(waiting=0.0, cache=0.1).encode())
        self.asked = 0

    def busy(self, waiting: float, cache: float = 0.1) -> None:
        self.reply = Reply(raw=PAGE.format(waiting=waiting, cache=cache).encode())

    def __call__(self, seen: Seen) -> Reply:
        assert seen.path == "/metrics"
        self.asked += 1
        return self.reply


@pytest.fixture
def vllm() -> Vllm:
    return Vllm()


@pytest.fixture
def url(vllm: Vllm) -> Iterator[str]:
    with OpenAiPeer(vllm) as peer:
        yield f"{peer.url}/v1"


def test_the_settings_make_a_stage_of_a_backfill_wait_before_an_upload(vllm: Vllm, url: str) -> None:
    def waits() -> list[bool]:
        address = llm_address(Settings(llm="vllm", llm_model="m", llm_url=url, llm_waiting_limit=LIMIT))
        assert address
        return [bool(address.reason_to_wait(lane)) for lane in (Lane.BACKFILL, Lane.LARGE, Lane.INTERACTIVE)]

    assert waits() == [False, False, False]
    vllm.busy(LIMIT)
    assert waits() == [True, False, False]
    vllm.busy(2 * LIMIT)
    assert waits() == [True, True, False]
    vllm.busy(4 * LIMIT)
    assert waits() == [True, True, True]
    vllm.busy(0, cache=0.95)
    assert waits() == [True, True, False]


@pytest.mark.parametrize("settings", [{"llm": "openai"}, {"llm": "vllm", "llm_waiting_limit": 0}])
def test_others_and_a_limit_of_none_are_not_looked_at(vllm: Vllm, url: str, settings: dict[str, object]) -> None:
    address = llm_address(Settings(llm_model="m", llm_url=url, **settings))  # type: ignore[arg-type]
    assert address
    assert address.reason_to_wait(Lane.BACKFILL) == ""
    assert vllm.asked == 0


def test_its_queue_is_read_at_the_address_that_is_asked(vllm: Vllm, url: str) -> None:
    address = llm_address(Settings(llm="vllm", llm_model="m", llm_url=f" {url.removesuffix('/v1')}/ "))
    assert address
    vllm.busy(0, cache=0.95)
    assert address.reason_to_wait(Lane.BACKFILL)


@pytest.mark.parametrize("wrong", ["http://gpu:80a/v1", "http://[gpu]:8000/v1", "not a url", "http://me:pw@gpu/v1"])
def test_an_address_that_is_none_is_refused_and_not_repeated(wrong: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_LLM_URL") as caught:
        llm_address(Settings(llm="vllm", llm_model="m", llm_url=wrong))
    assert "pw" not in str(caught.value)


def test_it_is_asked_once_a_second_however_many_tasks_there_are(vllm: Vllm, url: str) -> None:
    load = VllmLoad(url)
    assert {load() for _ in range(100)} == {LlmLoad(0.0, 0.1)}
    assert vllm.asked == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(status=404),
        Reply(raw=b"not metrics"),
        Reply(raw=b"vllm:num_requests_waiting much\n"),
        Reply(raw=b"x" * 2_000_000),
        Reply(raw=PAGE.encode(), cut_after=0),
        Reply(delay_s=60),
    ],
)
def test_what_cannot_be_read_makes_nobody_wait_and_costs_no_time(vllm: Vllm, url: str, reply: Reply) -> None:
    vllm.reply = reply
    load, began = VllmLoad(url), time.monotonic()
    assert {load() for _ in range(1000)} == {None}
    assert time.monotonic() - began < WAIT_S + 2
    assert reason_to_wait(None, Lane.BACKFILL, LIMIT) == ""
    assert vllm.asked <= 1


def test_nobody_is_there() -> None:
    assert VllmLoad("http://127.0.0.1:1/v1")() is None


def test_several_engines_add_up_and_the_fullest_cache_counts() -> None:
    text = PAGE.format(waiting=3, cache=0.2) + PAGE.format(waiting=4, cache=0.7).replace('"0"', '"1"')
    assert read_metrics(text) == LlmLoad(7.0, 0.7)
    assert read_metrics("vllm:num_requests_waiting 2\nvllm:gpu_cache_usage_perc 0.4\n") == LlmLoad(2.0, 0.4)
    assert STALE_S > 1


@given(st.floats(0, 1000), st.floats(0, 1), st.integers(1, 100))
def test_a_lane_never_asks_where_one_before_it_waits(waiting: float, cache: float, limit: int) -> None:
    reasons = [bool(reason_to_wait(LlmLoad(waiting, cache), lane, limit)) for lane in Lane]
    assert reasons == sorted(reasons)
