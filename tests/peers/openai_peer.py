"""A scripted language-model server: real HTTP in OpenAI's, Anthropic's and Ollama's shapes, with the faults they have.

`with OpenAiPeer([Reply("Hello"), Reply(status=429)]) as peer:` serves on `peer.url` from a thread of its own, so
that it serves this process and others alike. Replies are given in order, the last one again and again; a function
may choose instead. `python tests/peers/openai_peer.py PORT TEXT` serves one text until interrupted.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Reply:
    """One scripted answer. A streamed `text` is sent word by word, behind its `thought` in that field of its own
    which `thought_field` is in OpenAI's shape.

    `delay_s` passes before the status line, `pause_s` before each piece. After `cut_after` pieces the stream
    ends: "abort" drops the connection, "early" ends it politely but without the provider's good-bye.
    `raw` replaces the body. `reason` is the finish reason in OpenAI's words. `calls` are tools' names and
    arguments, in an answer that is not streamed; `tokens` were read and written for it.
    """

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    pause_s: float = 0.0
    cut_after: int | None = None
    cut: Literal["abort", "early"] = "abort"
    raw: bytes | None = None
    reason: str = "stop"
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    tokens: tuple[int, int] = (11, 7)
    thought: str = ""
    thought_field: str = "reasoning_content"


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """All messages in one text."""
        messages = [str(message["content"]) for message in self.body.get("messages", [])]
        return "\n".join([str(self.body.get("system", "")), *messages])


Script = Sequence[Reply] | Callable[[Seen], Reply]


class OpenAiPeer:
    """The server.

    `seen` holds every request, in order; `open` is how many are served now,
    `most_at_once` the most so far.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._script = script
        self._port = port
        self.open = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> OpenAiPeer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        """Without a path: each client adds its own."""
        return f"http://127.0.0.1:{self._port}"

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            serving[asyncio.ensure_future(self._converse(reader, writer))] = writer

        serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        server = await asyncio.start_server(accept, "127.0.0.1", self._port)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:  # who is being let in comes too
            for task in others & serving.keys():
                task.cancel()
            await asyncio.wait(others)
        server.close()  # not before: it would leave who is being let in without a transport
        for writer in serving.values():  # of a task that was cancelled before its first step, too
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in serving.values()), return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        self.open += 1
        self.most_at_once = max(self.most_at_once, self.open)
        try:
            seen = await _read_request(reader)
            self.seen.append(seen)
            await self._answer(seen, self._choose(seen), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, as some tests want
        finally:
            self.open -= 1
            writer.close()

    def _choose(self, seen: Seen) -> Reply:
        if callable(self._script):
            return self._script(seen)
        return self._script[min(len(self.seen), len(self._script)) - 1]

    async def _answer(self, seen: Seen, reply: Reply, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(reply.delay_s)
        extra = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
        head = f"HTTP/1.1 {reply.status} Scripted\r\nconnection: close\r\ntransfer-encoding: chunked\r\n{extra}\r\n"
        writer.write(head.encode())
        sent = 0
        async for piece in _pieces(seen, reply):
            if sent == reply.cut_after:
                if reply.cut == "abort":
                    writer.transport.abort()
                    return
                break
            await asyncio.sleep(reply.pause_s)
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
            sent += 1
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _read_request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(first.split()[1], headers, json.loads(body or b"{}"))


async def _pieces(seen: Seen, reply: Reply) -> AsyncIterator[bytes]:
    if reply.raw is not None:
        for start in range(0, len(reply.raw), 4096):
            yield reply.raw[start : start + 4096]
    elif reply.status != 200:
        yield json.dumps({"error": {"message": reply.text}}).encode()
    elif not seen.body.get("stream"):
        yield json.dumps(_whole(seen, reply)).encode()
    else:
        for piece in _words(reply.thought):
            yield _thought(seen, piece, reply.thought_field)
        for piece in _words(reply.text) or [""]:
            yield _event(seen, piece)
        for closing in _closing(seen, reply):
            yield closing


def _whole(seen: Seen, reply: Reply) -> dict[str, Any]:
    read, written = reply.tokens
    if seen.path.endswith("/messages"):
        block: dict[str, Any] = {"type": "text", "text": reply.text}
        if seen.body.get("tools") and (given := _json_object(reply.text)) is not None:
            block = {"type": "tool_use", "id": "t", "name": "give_answer", "input": given}
        usage = {"input_tokens": read, "output_tokens": written}
        used = [{"type": "tool_use", "id": f"id-{at}", "name": n, "input": i} for at, (n, i) in enumerate(reply.calls)]
        reason = "tool_use" if used else "end_turn"
        return {"type": "message", "content": [block, *used], "stop_reason": reason, "usage": usage}
    if seen.path.endswith("/api/chat"):
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.calls:
            message["tool_calls"] = [{"function": {"name": n, "arguments": i}} for n, i in reply.calls]
        return {
            "message": message,
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": read,
            "eval_count": written,
        }
    said: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        said["tool_calls"] = [
            {"id": f"id-{at}", "type": "function", "function": {"name": n, "arguments": json.dumps(i)}}
            for at, (n, i) in enumerate(reply.calls)
        ]
    choice = {"index": 0, "message": said, "finish_reason": reply.reason}
    return {"choices": [choice], "usage": {"prompt_tokens": read, "completion_tokens": written}}


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _words(text: str) -> list[str]:
    return re.findall(r"^[^ ]*| [^ ]*", text) if text else []


def _thought(seen: Seen, text: str, field: str) -> bytes:
    if seen.path.endswith("/messages"):
        return _sse({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": text}})
    if seen.path.endswith("/api/chat"):
        said = {"role": "assistant", "content": "", "thinking": text}
        return json.dumps({"message": said, "done": False}).encode() + b"\n"
    return _sse({"choices": [{"index": 0, "delta": {field: text}, "finish_reason": None}]})


def _event(seen: Seen, text: str) -> bytes:
    if seen.path.endswith("/messages"):
        return _sse({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
    if seen.path.endswith("/api/chat"):
        return json.dumps({"message": {"role": "assistant", "content": text}, "done": False}).encode() + b"\n"
    return _sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def _closing(seen: Seen, reply: Reply) -> list[bytes]:
    if seen.path.endswith("/messages"):
        start = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 11}}}
        delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}
        return [_sse(start), _sse(delta), _sse({"type": "message_stop"})]
    if seen.path.endswith("/api/chat"):
        return [json.dumps(_whole(seen, Reply())).encode() + b"\n"]
    finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.reason}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
    return [_sse(finish), _sse(usage), b"data: [DONE]\n\n"]


def _sse(event: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(event)}\n\n".encode()


if __name__ == "__main__":
    with OpenAiPeer([Reply(sys.argv[2])], int(sys.argv[1])) as peer:
        sys.stdout.write(f"{peer.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
