"""`trivium chat`: question after question in one conversation, which the server keeps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from trivium.cli.ask import Asked, answer_to
from trivium.cli.session import connected, server_is_running
from trivium.cli.terminal import note, one_line
from trivium.cli.within import takes_within
from trivium.config import load_settings
from trivium.domain.errors import TriviumError
from trivium.domain.retrieval import Mode
from trivium.within import Within

if TYPE_CHECKING:
    from trivium.client import TriviumClient

MAX_TITLE_CHARS = 80


@click.command()
@click.option("--mode", type=click.Choice([mode.value for mode in Mode]), help="How to retrieve.")
@click.option("--top-k", type=click.IntRange(1, 100), help="How many passages to answer each question from.")
@click.option("--conversation", default="", metavar="ID", help="Continue a conversation.")
@takes_within
def chat(mode: str | None, top_k: int | None, conversation: str, within: Within) -> None:
    """Ask question after question; each may lean on those before it. An empty line is passed over, Ctrl-D ends."""
    chosen = Mode(mode) if mode else None
    settings = load_settings()
    lasting = server_is_running(settings)
    with connected(settings) as client:
        server = client.url if lasting else ""
        if conversation:
            client.conversation(conversation)  # one that is not there is told before the first question
        for question in _questions():
            conversation = conversation or _begun(client, question)
            with _told():
                answer_to(client, question, Asked(chosen, top_k, conversation, within=within), server)


def _begun(client: TriviumClient, question: str) -> str:
    begun = client.create_conversation(one_line(question, MAX_TITLE_CHARS)).id
    note(f"Conversation {begun}")
    return begun


def _questions() -> Iterator[str]:
    """Each line of standard input that says something; a person is prompted and may edit."""
    lines = _typed() if sys.stdin.isatty() else sys.stdin
    return (line.strip() for line in lines if line.strip())


def _typed() -> Iterator[str]:
    with suppress(ImportError):
        import readline  # noqa: F401  (gives `input` its editing and its history)
    with suppress(EOFError):
        while True:
            yield input("> ")


@contextmanager
def _told() -> Iterator[None]:
    """A failure is told to a person, who may ask something else; it ends a script."""
    try:
        yield
    except TriviumError as error:
        if not sys.stdin.isatty():
            raise
        note(f"Error: {error.message} {error.action}")
