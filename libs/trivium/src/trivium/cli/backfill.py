"""`trivium backfill`: take in what a bucket holds already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import click

from trivium.cli import runtime
from trivium.cli.session import settings_of_stores
from trivium.domain.documents import DATASET, MAX_DATASET_CHARS
from trivium.domain.errors import Refused

if TYPE_CHECKING:
    from trivium.ports.stores import BucketStores

_ADDRESS = re.compile(r"s3://([^/]+)/?(.*)", re.DOTALL)
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/s)?")


@click.command()
@click.argument("address", metavar="s3://BUCKET/PREFIX")
@click.option("--rate", default="", metavar="N/s", help="At most so many objects a second.")
@click.option("--max-inflight", type=click.IntRange(1), default=1000, show_default=True, help="Unfinished at a time.")
@click.option("--dataset", default="", metavar="NAME", help="Instead of what TRIVIUM_BUCKET_DATASETS says.")
@click.option("--dry-run", is_flag=True, help="Count what is new; change nothing.")
@click.option("--from-start", is_flag=True, help="Do not go on where an earlier run was stopped.")
@click.pass_context
def backfill(
    ctx: click.Context, address: str, rate: str, max_inflight: int, dataset: str, dry_run: bool, from_start: bool
) -> None:
    """Take in the objects of a bucket, in a lane that uploads overtake, and wait until they are done.

    Objects that are known and unchanged are passed over. It may be stopped at any time, and goes on where it stopped.
    An object that is in another dataset than --dataset already stays there, and counts as refused.
    The exit code is 1 when it was stopped or anything failed.
    """
    settings = settings_of_stores()
    if settings.backend != "distributed":
        raise Refused(
            "no_buckets",
            "A backfill needs an object server.",
            "Set TRIVIUM_BACKEND=distributed and the TRIVIUM_S3_ settings, or use: trivium ingest FOLDER",
        )
    found = _ADDRESS.fullmatch(address)
    if not found:
        raise click.BadParameter(f"{address!r} is not an address like s3://bucket/prefix.")
    if dataset and not (len(dataset) <= MAX_DATASET_CHARS and re.fullmatch(DATASET, dataset)):
        wanted = f"use at most {MAX_DATASET_CHARS} letters, digits, '_', '.' and '-'"
        raise click.BadParameter(f"{dataset[:80]!r} cannot name a dataset: {wanted}.")
    request = runtime.BackfillRequest(
        found[1], found[2], _per_second(rate), max_inflight, dry_run=dry_run, from_start=from_start, dataset=dataset
    )
    with runtime.stores(settings) as stores:
        good = runtime.backfill()(settings, cast("BucketStores", stores), request)
    if not good:
        ctx.exit(1)


def _per_second(rate: str) -> float:
    found = _RATE.fullmatch(rate)
    if rate and (not found or not float(found[1])):
        raise click.BadParameter(f"{rate!r} is not a rate like 50/s.")
    return float(found[1]) if found else 0.0
