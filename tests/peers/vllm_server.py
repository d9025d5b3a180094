"""vLLM as `make test-servers` installs it, for the length of a test module, and its own account of what it did."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
from local_services import services
from waiting import wait_until

SERVER = f"http://127.0.0.1:{os.environ.get('VLLM_PORT', '18000')}"  # deploy/local/ports.env
LEAST_PRIORITY = 19  # nice(2)


class VllmServer:
    """The server's own account of what it did."""

    def count(self, metric: str, label: str = "") -> int:
        """A metric's value when all requests are accounted for; `label` chooses among several of one name."""
        return int(_value(self._at_rest(), metric, label))

    @property
    def served_s(self) -> float:
        """Seconds from arrival to end, summed over all requests that have ended."""
        return _value(self._at_rest(), "vllm:e2e_request_latency_seconds_sum")

    @property
    def in_flight(self) -> int:
        """Requests that run or wait."""
        return _in_flight(_metrics())

    @property
    def waiting(self) -> int:
        """Requests that wait for a place among those that run."""
        return int(_value(_metrics(), "vllm:num_requests_waiting"))

    @property
    def written(self) -> int:
        """Tokens of all answers so far, of those too that nobody waited for."""
        return self.count("vllm:generation_tokens_total")

    def _at_rest(self) -> list[str]:
        """An answer comes a moment before it is counted."""
        return wait_until(_metrics_at_rest, "no request is open")


def _metrics() -> list[str]:
    return httpx2.get(f"{SERVER}/metrics").text.splitlines()


def _metrics_at_rest() -> list[str]:
    lines = _metrics()
    return [] if _in_flight(lines) else lines


def _value(lines: list[str], metric: str, label: str = "") -> float:
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{metric}{{") and label in line)


def _in_flight(lines: list[str]) -> int:
    return int(_value(lines, "vllm:num_requests_running") + _value(lines, "vllm:num_requests_waiting"))


@contextmanager
def vllm_server(
    model: Path, *, http_first: bool = False, last: bool = False, options: str = ""
) -> Iterator[VllmServer]:
    """Serves the model in this folder under the folder's name, with more `options`; takes a minute to start.

    `http_first`: its HTTP server goes before its engine. One that is outrun hears that a client left when the answer is
    whole. `last`: also, all of it takes what everybody else leaves, as if it had a machine of its own.
    Both by priority: where it was bound to a processor, what else was bound to that one got no turn for minutes.
    """
    services("restart", "vllm", VLLM_MODEL=str(model), VLLM_ARGS=options)
    try:
        if http_first or last:
            _give_way(last=last)
        yield VllmServer()
    finally:
        services("stop", "vllm")


def _give_way(*, last: bool) -> None:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if (process / "cmdline").read_bytes().startswith(b"VLLM::"):  # the engine and its worker call themselves so
                for thread in (process / "task").iterdir():
                    os.setpriority(os.PRIO_PROCESS, int(thread.name), LEAST_PRIORITY)
                if last:  # sched(7): of its whole session; without such groups the threads' priority is everybody's
                    (process / "autogroup").write_text(str(LEAST_PRIORITY))


@contextmanager
def crowd(model: str, people: int, tokens: int) -> Iterator[None]:
    """So many callers, each of whom asks for `tokens` again as soon as it is answered; all hang up at the end."""
    left = threading.Event()

    def ask(client: httpx2.Client) -> None:
        question = {"model": model, "prompt": "And then?", "max_tokens": tokens, "ignore_eos": True}
        while not left.is_set():
            with suppress(httpx2.HTTPError):  # it hung up
                client.post("/v1/completions", json=question)

    limits = httpx2.Limits(max_connections=people)
    with httpx2.Client(base_url=SERVER, timeout=None, limits=limits, trust_env=False) as client:
        callers = [threading.Thread(target=ask, args=(client,), daemon=True) for _ in range(people)]
        for caller in callers:
            caller.start()
        try:
            yield
        finally:
            left.set()
            client.close()
    for caller in callers:
        caller.join(30)
