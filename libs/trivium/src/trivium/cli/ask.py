"""`trivium ask`: a question in, a cited answer out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import click

from trivium import api
from trivium.cli.session import connected, server_is_running
from trivium.cli.terminal import address, clean, note, one_line, print_json, say
from trivium.cli.within import takes_within
from trivium.config import load_settings
from trivium.domain.answers import Kind, Verdict
from trivium.domain.errors import TryLater
from trivium.domain.retrieval import Mode, Rerank
from trivium.within import EVERYTHING, Within

if TYPE_CHECKING:
    from trivium.client import TriviumClient

MAX_QUOTE_CHARS = 240


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--mode", type=click.Choice([mode.value for mode in Mode]), help="How to retrieve.")
@click.option("--top-k", type=click.IntRange(1, 100), help="How many passages to answer from.")
@click.option("--conversation", default="", metavar="ID", help="Continue a conversation; 'new' begins one.")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="What the question asks for.")
@click.option("--rerank", type=click.Choice([one.value for one in Rerank]), help="Who orders the passages once more.")
@takes_within
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
def ask(
    question: tuple[str, ...],
    mode: str | None,
    top_k: int | None,
    conversation: str,
    kind: str | None,
    rerank: str | None,
    as_json: bool,
    within: Within,
) -> None:
    """Answer QUESTION from the documents, with the sources of every claim."""
    words = " ".join(question)
    if not words.strip():
        raise click.UsageError("The question is empty.")
    chosen, asks_for = Mode(mode) if mode else None, Kind(kind) if kind else None
    ordered_by = Rerank(rerank) if rerank else None
    settings = load_settings()
    lasting = server_is_running(settings)
    with connected(settings) as client:
        if conversation == "new":
            conversation = client.create_conversation(one_line(words, 80)).id
            note(f"Conversation {conversation}")
        asked = Asked(chosen, top_k, conversation, asks_for, within, ordered_by)
        if as_json:
            print_json(client.ask(words, **asked._asdict()))
        else:
            answer_to(client, words, asked, client.url if lasting else "")


class Asked(NamedTuple):
    """How one question is asked: what `TriviumClient.ask` takes."""

    mode: Mode | None
    top_k: int | None
    conversation: str
    kind: Kind | None = None
    within: Within = EVERYTHING
    rerank: Rerank | None = None


def answer_to(client: TriviumClient, question: str, asked: Asked, server: str) -> None:
    """Ask and print: on a terminal while the answer is written, else when it is whole; `server` as in `show`."""
    if sys.stdout.isatty():
        show(written(client.ask_stream(question, **asked._asdict())), server, seen=True)
    else:
        show(client.ask(question, **asked._asdict()), server, seen=False)


def written(events: Iterable[api.AnswerEvent]) -> api.Answer:
    """Print the text as it comes; what the finished answer says differently is printed again."""
    so_far = short = ""
    try:
        for event in events:
            match event:
                case api.ShortAnswer():
                    short = event.short
                case api.TextPiece():
                    _lead(short, event.text)
                    short = ""
                    so_far += event.text
                    click.echo(clean(event.text), nl=False)
                case api.TextWithdrawn() if so_far:
                    say(f"\n[withdrawn: {one_line(event.reason)}]\n")
                    so_far = ""
                case api.Answer():
                    _finish(so_far, event.text)
                    so_far = ""
                    return event
    finally:
        if so_far:
            say()  # what broke off stands on a line of its own
    raise TryLater("connection_lost", "The answer broke off before its end.", "Ask again.")


def _lead(short: str, text: str) -> None:
    """The short answer on a line of its own, unless the text begins with such a line."""
    if short and text.partition("\n")[0] != short:
        say(short)


def _finish(so_far: str, text: str) -> None:
    if not so_far:
        say(text)
    elif so_far.strip() != text.strip():
        say(f"\n[checked answer]\n{text}")
    elif not so_far.endswith("\n"):
        say()


def show(answer: api.Answer, server: str, *, seen: bool) -> None:
    """The answer's text unless it was `seen` already, then what it stands on.

    `server` is the URL that links lead to; without one that outlives the command ("") none are shown.
    """
    if not seen:
        _lead(answer.short, answer.text)
        say(answer.text)
    if answer.citations:
        say("\nSources")
    for number, citation in enumerate(_once(answer.citations), start=1):
        say(f"  {number}. {address(citation.source, citation.chunk_number, citation.positions)}")
        if citation.quote:
            say(f"     “{one_line(citation.quote, MAX_QUOTE_CHARS)}”")
        if citation.url not in ("", citation.source):
            say(f"     {one_line(citation.url)}")
        if server:
            say(f"     {one_line(server + citation.link)}")
    say()
    verdict = f"{_VERDICTS[answer.verdict]} " if answer.found else ""
    say(f"{verdict}Answered by: {answer.engine}.")
    for sub_question in answer.sub_questions:
        say(f"Also asked: {one_line(sub_question)}")
    _show_remarks(answer)


def _show_remarks(answer: api.Answer) -> None:
    """What stands against it, and what a reader should know."""
    for card in answer.contradictions:
        say(f"Contradicted: {_against(answer, card)}")
    for remark in answer.notes:
        say(f"Note: {one_line(remark)}")
    for source in answer.degraded:
        say(f"Note: the {one_line(source.source)} search took no part: {one_line(source.reason)}")


def _against(answer: api.Answer, card: api.Contradiction) -> str:
    """What stands against the answer: the passage of the card that is not the cited one."""
    cited = {citation.chunk_id for citation in answer.citations}
    other = next((side for side in card.sides if side.citation.chunk_id not in cited), card.sides[1])
    place = address(other.citation.source, other.citation.chunk_number, other.citation.positions)
    return f"{place} says “{one_line(other.citation.quote, MAX_QUOTE_CHARS)}” ({card.id})"


_VERDICTS = {
    Verdict.SUPPORTED: "Supported by the sources.",
    Verdict.PARTIALLY_SUPPORTED: "Only partly supported by the sources.",
    Verdict.NOT_SUPPORTED: "Not supported by the sources: check it before you rely on it.",
}


def _once(citations: Iterable[api.Citation]) -> list[api.Citation]:
    """Each passage once, in the order of its first mention."""
    return list({citation.chunk_id: citation for citation in reversed(list(citations))}.values())[::-1]
