"""`trivium tenants`: see, create, export, import and erase them. For whoever runs the servers or the data directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from trivium.cli import runtime
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import counted, json_option, note, print_json, print_table, say
from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.domain.scope import DEFAULT_TENANT, Tenant

if TYPE_CHECKING:  # the stores load numpy
    from trivium.ports.stores import BucketStores, Stores
    from trivium.tenants.erase import OwnUploads


@click.group(invoke_without_command=True)
@click.pass_context
def tenants(context: click.Context) -> None:
    r"""Tenants: see what there is of each, begin one, carry one elsewhere, erase one.

    \b
      trivium tenants list
      trivium tenants create acme
      trivium tenants export acme acme.zip
      trivium tenants erase acme
      trivium tenants import acme.zip
      trivium tenants import acme.zip --as acme-test

    A tenant begins with its first key or document: `create` makes that key. These commands work on the stores
    themselves, as `trivium audit` does: whoever may run them may read all of it anyway.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_tenants)


@tenants.command("list")
@json_option
def list_tenants(as_json: bool = False) -> None:
    """List tenants with their documents, the bytes of these, and their keys."""
    from trivium.tenants.totals import tenants_totals

    with runtime.stores(settings_of_stores()) as stores:
        found = list(tenants_totals(stores))
    if as_json:
        print_json(found)
    elif found:
        heads = {"Tenant": "left", "State": "left", "Documents": "right", "Bytes": "right", "Keys": "right"}
        print_table(heads, [(t.name, t.state, str(t.documents), str(t.size_bytes), str(t.keys)) for t in found])
    else:
        note("There are no tenants yet.")


@tenants.command()
@click.argument("name")
def create(name: str) -> None:
    """Make the first admin's key of tenant NAME and print its text, this once.

    It opens a running server within seconds. A tenant that has a key, stored or in TRIVIUM_API_KEYS, or a document is
    refused.
    """
    from trivium.tenants.create import create_tenant

    settings, tenant = settings_of_stores(), Tenant(name)
    if tenant in settings.tenants_by_key.values():
        why = f"TRIVIUM_API_KEYS has a key of {name} already: it is an admin's."
        raise Refused("key_in_environment", why, "Run `trivium keys create` with it, or name another tenant.")
    with runtime.stores(settings) as stores:
        key, secret = create_tenant(stores, tenant)
    say(secret)
    note(f"Key {key.id}, the first admin's of tenant {name}. It is not shown again.")


@tenants.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(name: str, yes: bool) -> None:
    """Erase tenant NAME from every store: documents, graph, edits, conversations, keys, trail.

    With it goes its part of the bucket of uploads, old values of objects too. It cannot be taken back. Broken off, the
    same command finishes it. Of the trail one entry stays: that the tenant was erased, and when. Take its keys out of
    TRIVIUM_API_KEYS first. Embedded, no server may be running on the data directory; on servers the workers go on.
    """
    from trivium.tenants.erase import erase_tenant, require_known
    from trivium.tenants.totals import totals

    settings, tenant = settings_of_stores(), Tenant(name)
    _refuse_with_key(settings, tenant)
    with runtime.upkeep().opened(settings) as stores:
        require_known(stores, tenant)
        own = _own_uploads(settings, stores, tenant)
        if not yes:
            held = totals(stores, tenant)
            what = f"{counted(held.documents, 'document')} of {held.size_bytes:,} bytes, {counted(held.keys, 'key')}"
            where = f" With it goes what lies in {settings.s3_uploads}/{own.prefix}." if own else ""
            note(f"Tenant {name} has {what}.{where}")
            click.confirm(f"Erase {name} for ever?", abort=True, err=True)
        erase_tenant(stores, tenant, own, settings.lease_s if settings.backend == "distributed" else 0.0, note)
    say(f"Erased: {name}")


@tenants.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(name: str, file: Path) -> None:
    """Write tenant NAME into FILE, a ZIP archive: originals, edits, schemas, conversations. No keys, no passwords."""
    from trivium.flow.originals import Originals, no_buckets
    from trivium.tenants.export_tenant import export_tenant

    settings = settings_of_stores()
    with runtime.stores(settings) as stores:
        buckets = cast("BucketStores", stores).uploads if settings.backend == "distributed" else no_buckets
        left_out = export_tenant(stores, Originals(stores.objects, buckets), Tenant(name), file)
    for source in left_out:
        note(f"Left out, its original is gone: {source}")
    say(f"Exported: {file}")


@tenants.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--as", "name", default="", metavar="NAME", help="Call it NAME from now on.")
def import_file(file: Path, name: str) -> None:
    """Read the tenant that FILE holds into one of the same name, or of another, that has nothing yet.

    Its documents are ingested anew from their originals, by whatever serves next. Embedded, no server may be running on
    the data directory.
    """
    from trivium.tenants.create import first_admin
    from trivium.tenants.import_archive import import_archive
    from trivium.tenants.totals import totals

    settings = settings_of_stores()
    with runtime.upkeep().opened(settings) as stores:
        tenant, documents = import_archive(stores, file, settings.max_upload_bytes, name)
        stores.work_signal.notify()
        closed = bool(settings.tenants_by_key or tenant != DEFAULT_TENANT) and not (
            tenant in settings.tenants_by_key.values() or totals(stores, tenant).keys
        )
    say(f"Imported: {tenant.name}")
    note(f"{counted(documents, 'document')} will be ingested, at once where workers run, else by `trivium serve`.")
    if closed:
        note(f"Nobody has a key of {tenant.name}. {first_admin(tenant)}")


def _refuse_with_key(settings: Settings, tenant: Tenant) -> None:
    if tenant in settings.tenants_by_key.values():
        raise Refused(
            "key_in_environment",
            f"TRIVIUM_API_KEYS has a key of {tenant.name}: its holder would begin the tenant anew.",
            "Take it out, start every query service again without it, then erase the tenant.",
        )


def _own_uploads(settings: Settings, stores: Stores, tenant: Tenant) -> OwnUploads | None:
    from trivium.tenants.erase import OwnUploads

    if settings.backend != "distributed" or settings.uploads_tenant not in ("*", tenant.name):
        return None
    prefix = f"{tenant.name}/" if settings.uploads_tenant == "*" else ""
    return OwnUploads(cast("BucketStores", stores).uploads(), prefix)
