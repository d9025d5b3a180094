"""`trivium ingest --sync`: what is gone from a folder goes from Trivium too, once a person has seen the list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium import api
from trivium.cli.absent import is_root, tell_each
from trivium.cli.documents import delete_one
from trivium.cli.terminal import counted, note
from trivium.cli.walk import expanded

if TYPE_CHECKING:
    from trivium.client import TriviumClient


def require_folders(what: Sequence[str], *, sync: bool, yes: bool) -> None:
    """Raises `click.UsageError` for what is no folder that is there: what came from it cannot be known to be gone."""
    if yes and not sync:
        raise click.UsageError("--yes belongs to --sync.")
    for entry in what if sync else ():
        if not expanded(entry).is_dir():
            raise click.UsageError(f"--sync takes folders that are there, and {entry!r} is none; nothing was done.")


def refuse_whole_root(what: Sequence[str], root: Path) -> None:
    """Raises `click.UsageError` for the folder that names are relative to: what is called so need not come from it."""
    for entry in what:
        if is_root(expanded(entry), root):
            raise click.UsageError(
                f"Names are relative to {entry!r}: --sync would remove every document that is no file there, whoever "
                "brought it. Name a dataset that holds nothing else with --dataset; nothing was done."
            )


def holding_files(folders: Sequence[Path], files: Sequence[Path]) -> list[Path]:
    """The folders in which a file was found; of another nothing counts as gone, for an unmounted disk looks so."""
    held = [folder for folder in folders if any(file.is_relative_to(folder) for file in files)]
    for folder in folders:
        if folder not in held:
            note(f"{folder} holds no file: a disk that is not mounted looks so, and what was read of it stays.")
    return held


def remove_absent(client: TriviumClient, gone: Sequence[api.Source], *, yes: bool) -> None:
    """List the documents and, unless `yes`, ask; then delete each."""
    tell_each([source.name for source in gone])
    if not gone:
        return
    if not yes and not click.confirm(f"Remove {counted(len(gone), 'document')}?", err=True):
        note("Nothing was removed.")
        return
    for source in gone:
        delete_one(client, source)
