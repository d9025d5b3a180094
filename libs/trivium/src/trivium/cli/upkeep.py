"""`trivium audit`, `rebuild`, `reembed`: the stores kept in step with the artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click
import msgspec

from trivium.cli import runtime
from trivium.cli.main import EXIT_FAILED
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import counted, json_option, note, one_line, print_json, print_table
from trivium.domain.drift import Drift, Store
from trivium.domain.errors import Refused

_STORES = {store.value: store for store in Store} | {
    "milvus": Store.VECTORS,
    "elasticsearch": Store.KEYWORDS,
    "neo4j": Store.GRAPH,
}


@click.command()
@click.option("--repair", is_flag=True, help="Write what is missing and remove what is too much.")
@click.option("--quick", is_flag=True, help="Compare ids alone, not contents.")
@json_option
@click.pass_context
def audit(ctx: click.Context, repair: bool, quick: bool, as_json: bool) -> None:
    """Compare every store with the artifacts, document by document, and find what belongs to nobody.

    It reads every row and every artifact, some hundred at a time, and writes the graph anew into a temporary file to
    compare its names and relations; with --quick it reads ids alone. Embedded, no server may be running on the data
    directory. Exit code 1 when something differs and was not repaired.
    """
    drifts = list(runtime.upkeep().audit(settings_of_stores(), repair=repair, quick=quick))
    if as_json:
        print_json(drifts)
    elif drifts:
        columns = {"tenant": "left", "document": "left", "store": "left", "found": "left", "state": "left"}
        print_table(columns, [_row(drift) for drift in drifts])
    left = sum(not drift.repaired for drift in drifts)
    if not left:
        note(f"Every store is as the artifacts say{f'; {len(drifts)} repaired' if drifts else ''}.")
        return
    note(f"{counted(left, 'fault')}. {_advice(drifts, repair=repair)}")
    ctx.exit(EXIT_FAILED)


@click.command()
@click.option("--store", "name", type=click.Choice(sorted(_STORES)), required=True, help="Which one.")
def rebuild(name: str) -> None:
    """Empty one store and write it anew from the artifacts.

    Until it is done questions find less there; the other stores go on answering. With the vectors go those of
    pictures and HyperNodes. `trivium audit --repair` finishes a rebuild that was interrupted.
    """
    with _counting("written") as count:
        lost = runtime.upkeep().rebuild(settings_of_stores(), _STORES[name], count)
    _tell_lost(lost)


@click.command()
@click.option("--model", help="A local path or a hub name, as TRIVIUM_EMBED_MODEL. Without it: the configured one.")
def reembed(model: str | None) -> None:
    """Make every vector anew by another model, from the artifacts; nothing is parsed again.

    First all passages are embedded while questions go on with the old vectors; this can be interrupted and goes on
    where it was. Then the vector store is emptied and filled, so that vectors of two models, of the same dimension or
    not, never meet. Stop ingest before it ends, and start every process again with TRIVIUM_EMBED_MODEL set to the new
    model: questions must be embedded by the model of the passages.
    """
    settings = settings_of_stores()
    if model and settings.inference_url:
        raise Refused(
            "model_elsewhere",
            "The inference service chooses the model.",
            "Start it with TRIVIUM_EMBED_MODEL set to the new model, then run `trivium reembed` without --model.",
        )
    if model:
        settings = msgspec.structs.replace(settings, embed_model=model)
    with _counting("embedded") as count:
        lost = runtime.upkeep().reembed(settings, count)
    if model:
        note(f"From now on set TRIVIUM_EMBED_MODEL={model} for every process.")
    _tell_lost(lost)


def _row(drift: Drift) -> tuple[str, ...]:
    found = drift.found or ("no query may see this version" if drift.orphaned else _counts(drift))
    state = "repaired" if drift.repaired else "differs"
    return drift.tenant, one_line(drift.source) or drift.document_id, drift.store, found, state


def _counts(drift: Drift) -> str:
    changed = f", {drift.changed} changed" if drift.changed else ""
    return f"{drift.missing} missing, {drift.surplus} too many{changed}"


def _advice(drifts: Sequence[Drift], *, repair: bool) -> str:
    if not repair:
        return "Run `trivium audit --repair`."
    left = [drift for drift in drifts if not drift.repaired]
    lost = ", ".join(sorted({drift.source for drift in left if not drift.action})[:5])
    told = [f"{drift.source or drift.document_id or drift.tenant}: {drift.action}" for drift in left if drift.action]
    return " ".join([*([f"Their artifacts are gone: delete and ingest again: {lost}."] if lost else []), *told[:5]])


def _tell_lost(sources: Sequence[str]) -> None:
    if sources:
        note(f"{counted(len(sources), 'document')} without artifacts; delete and ingest again:")
        for source in sources:
            note(f"  {source}")
        click.get_current_context().exit(EXIT_FAILED)


@contextmanager
def _counting(verb: str) -> Iterator[Callable[[int], None]]:
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more

    yield count
    note(f"{counted(done, 'document')} {verb}.")
