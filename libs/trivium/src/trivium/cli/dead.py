"""`trivium dead`: what failed, with the reasons; replay it when the reason is gone, or drop it.

It works on the stores themselves, so that it does not need a server, and does not mind one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from trivium.cli import runtime
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import counted, note, one_line, print_json, print_table, say
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant

if TYPE_CHECKING:
    from trivium.domain.documents import Document
    from trivium.ports.stores import Stores

MAX_LISTED = 1000

_tenant = click.option(
    "--tenant", help="Only this tenant's (default: all).", callback=lambda _c, _p, v: v and Tenant(v)
)
_code = click.option("--code", default="", help="Only those that failed for this reason.")
_all = click.option("--all", "everything", is_flag=True, help="All of them, or all of --code.")
_documents = click.argument("documents", nargs=-1, metavar="[ID]...")


@click.group()
def dead() -> None:
    """Look at the documents that failed, and replay or drop them."""


@dead.command(name="list")
@_tenant
@_code
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(tenant: Tenant | None, code: str, as_json: bool) -> None:
    """List what failed, newest first, and count the reasons."""
    from trivium.flow.dead import dead_letters

    reasons: Counter[str] = Counter()
    shown: list[tuple[str, ...]] = []
    with _stores() as stores:
        for document in dead_letters(stores.registry, tenant, code):
            reasons[_reason(document)] += 1
            if as_json:
                print_json(document, indent=0)
            elif len(shown) < MAX_LISTED:
                shown.append(_row(document))
    if as_json:
        return
    if not shown:
        note("Nothing has failed.")
        return
    columns = {"tenant": "left", "id": "left", "name": "left", "stage": "left", "code": "left", "reason": "left"}
    print_table(columns, shown)
    for reason, count in reasons.most_common():
        note(f"{reason}: {count}")


@dead.command()
@_tenant
@click.argument("document")
def show(tenant: Tenant | None, document: str) -> None:
    """Print all that is known of one of them, by its id."""
    from trivium.flow.dead import dead_letter

    with _stores() as stores:
        print_json(dead_letter(stores.registry, document, tenant))


@dead.command()
@_tenant
@_code
@_all
@_documents
def replay(tenant: Tenant | None, code: str, everything: bool, documents: Sequence[str]) -> None:
    """Work on them again, from the stage that failed."""
    from trivium.flow.dead import replay as replay_one

    with _stores() as stores:
        count = 0
        for document in _chosen(stores, tenant, code, everything, documents):
            replay_one(stores, document)
            count += 1
    say(f"{counted(count, 'document')} will be worked on again.")


@dead.command()
@_tenant
@_code
@_all
@_documents
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def drop(tenant: Tenant | None, code: str, everything: bool, documents: Sequence[str], yes: bool) -> None:
    """Remove them and what they left behind."""
    from trivium.flow.dead import drop as drop_one

    with _stores() as stores:
        chosen = _chosen(stores, tenant, code, everything, documents)
        if chosen and not yes:
            click.confirm(f"Drop {counted(len(chosen), 'document')}?", abort=True, err=True)
        for document in chosen:
            drop_one(stores, document)
    say(f"Dropped {counted(len(chosen), 'document')}.")


def _chosen(
    stores: Stores, tenant: Tenant | None, code: str, everything: bool, documents: Sequence[str]
) -> list[Document]:
    """All before the first is changed, because changing them changes the listing."""
    from trivium.flow.dead import dead_letter, dead_letters

    if bool(documents) == (everything or bool(code)):
        raise Refused("nothing_named", "Which ones?", "Give their ids, or --all, or --code REASON.")
    if documents:
        return [dead_letter(stores.registry, each, tenant) for each in documents]
    return list(dead_letters(stores.registry, tenant, code))


def _stores() -> AbstractContextManager[Stores]:
    return runtime.stores(settings_of_stores())


def _reason(document: Document) -> str:
    return document.failure.code if document.failure else "unknown"


def _row(document: Document) -> tuple[str, ...]:
    failure = document.failure
    told = f"{failure.message} {failure.action}".strip() if failure else ""
    return (
        document.tenant,
        document.id,
        one_line(document.source),
        failure.stage if failure else "",
        _reason(document),
        one_line(told),
    )
