"""`trivium ingest --estimate`: what the agent would cost, before anything is handed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from trivium.cli import runtime
from trivium.cli.terminal import counted, note, one_line, say
from trivium.cli.walk import FoundFile
from trivium.config import Settings
from trivium.domain.errors import TriviumError
from trivium.domain.password import given_password
from trivium.domain.reading_cost import lengths_of_passages, reading_cost


def tell_estimate(settings: Settings, files: Sequence[FoundFile], urls: Sequence[str], password: str) -> int:
    """A line a file, then the sum; files that cannot be read, and addresses, are told and count nothing.

    Answers how many files could not be read.
    """
    passages = tokens = beyond = unread = 0
    for file in files:
        try:
            lengths = list(chain.from_iterable(_passages(settings, file, password)))
        except (TriviumError, OSError) as error:
            note(f"Not read: {one_line(str(file.path))}: {one_line(str(error))}")
            unread += 1
            continue
        cost = reading_cost(lengths)
        over = cost > settings.agent_budget_tokens
        passages, tokens, beyond = passages + len(lengths), tokens + cost, beyond + over
        mark = " (more than its budget)" if over else ""
        say(f"{one_line(file.name)}\t{counted(len(lengths), 'passage')}\t{cost:,} tokens{mark}")
    say(f"About {tokens:,} tokens for {counted(passages, 'passage')}.")
    if beyond:
        note(
            f"A document may cost {settings.agent_budget_tokens:,} tokens (TRIVIUM_AGENT_BUDGET_TOKENS);"
            " what is beyond is read by rules."
        )
    if urls:
        note(f"{counted(len(urls), 'address')} not fetched, and not counted.")
    return unread


def _passages(settings: Settings, file: FoundFile, password: str) -> Iterator[list[int]]:
    """The lengths of the passages of the file, and of each file inside it."""
    from trivium.ports.parser import Blob

    blob = Blob(file.path.name, file.path.read_bytes(), password=given_password(password))
    for one in runtime.parser()(settings, blob):
        chars = sum(len(unit.text) for unit in one.document.units) if one.document else 0
        yield lengths_of_passages(chars, settings.chunk_size, settings.chunk_overlap)
