"""`trivium search`: passages, and why each was found."""

from __future__ import annotations

import click

from trivium import api
from trivium.cli.session import connected
from trivium.cli.terminal import address, counted, json_option, note, one_line, print_json, say
from trivium.cli.within import takes_within
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Mode
from trivium.within import Within

MAX_TEXT_CHARS = 320


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--mode", type=click.Choice([mode.value for mode in Mode]), help="How to retrieve.")
@click.option("--top-k", type=click.IntRange(1, 100), help="How many passages to show.")
@click.option(
    "--modality",
    "modalities",
    multiple=True,
    type=click.Choice([kind.value for kind in UnitKind]),
    help="Have a passage of this kind among them; give it again for more.",
)
@takes_within
@click.option("--full", is_flag=True, help="Print whole passages.")
@json_option
def search(
    words: tuple[str, ...],
    mode: str | None,
    top_k: int | None,
    modalities: tuple[str, ...],
    full: bool,
    as_json: bool,
    within: Within,
) -> None:
    """Find the passages for WORDS, and show why each was found."""
    query = " ".join(words)
    if not query.strip():
        raise click.UsageError("There is nothing to search for.")
    with connected() as client:
        kinds = tuple(map(UnitKind, modalities))
        chosen = Mode(mode) if mode else None
        found = client.search(query, mode=chosen, top_k=top_k, modalities=kinds, within=within)
    if as_json:
        print_json(found)
        return
    for hit in found.hits:
        _show(hit, full)
    if not found.hits:
        say(" ".join(found.notes) or "Nothing found.")
    for source in found.degraded:
        note(f"Note: the {source.source} search took no part: {source.reason}")
    if found.uncovered:
        note(f"Nothing found of: {', '.join(found.uncovered)}")
    total_ms = found.timings_ms.get("search", sum(found.timings_ms.values()))
    note(f"{counted(len(found.hits), 'passage')}, mode {found.mode.value}, {total_ms:.0f} ms")


def _show(hit: api.Hit, full: bool) -> None:
    chunk = hit.chunk
    say(f"{hit.rank}. {address(chunk.source, chunk.number, chunk.positions)}")
    say(chunk.text if full else f"   {one_line(chunk.text, MAX_TEXT_CHARS)}")
    ranks = ", ".join(f"{at.source} #{at.rank} ({at.score:.3f})" for at in hit.sources)
    say(f"   score {hit.score:.4f}{ranks and ': ' + ranks}")
    if hit.topic:
        say(f"   topic “{one_line(hit.topic)}”")
    if hit.hypernode:
        say(f"   in “{one_line(hit.hypernode, MAX_TEXT_CHARS)}”")
    if hit.bridge:
        say(f"   through “{one_line(hit.bridge.name)}”: “{one_line(hit.bridge.sentence, MAX_TEXT_CHARS)}”")
    if hit.nearby:
        say(f"   {hit.nearby.type} with passage {hit.nearby.from_chunk_id}")
    say()
