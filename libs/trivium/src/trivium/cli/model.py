"""`trivium model install`: the embedding model, for installations that came without it."""

from __future__ import annotations

import click

from trivium.cli import runtime


@click.group()
def model() -> None:
    """The embedding model that is used where TRIVIUM_EMBED_MODEL names no other."""


@model.command()
def install() -> None:
    """Fetch all-MiniLM-L6-v2 (88 MB), checked by hash, without torch."""
    click.echo(f"Installed in {runtime.model_installer()()}.")
