"""`trivium parse`: what the parser sees in a file."""

from __future__ import annotations

from pathlib import Path

import click

from trivium.cli import runtime
from trivium.cli.password import takes_password
from trivium.cli.terminal import note, one_line, print_json, say, where
from trivium.config import load_settings
from trivium.domain.password import given_password
from trivium.ports.parser import Blob


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the whole parsed document as JSON.")
@takes_password
def parse(file: Path, as_json: bool, password: str) -> None:
    """Print what the parser sees in FILE, one unit a line: type, text, position.

    Nothing is stored and no server is needed. The file is read in a process of its own, within limits.
    """
    settings = load_settings()
    blob = Blob(file.name, file.read_bytes(), password=given_password(password))
    parsed = runtime.parser()(settings, blob)
    if as_json:
        print_json(parsed)
        return
    for unit in parsed.units:
        say(f"{unit.kind.value}\t{one_line(unit.text)}\t{one_line(where((unit.position,)))}")
    for warning in parsed.warnings:
        note(f"Warning: {warning}")
    pages = f", {parsed.pages} pages" if parsed.pages else ""
    note(f"{parsed.media_type}{pages}, {len(parsed.units)} units, title: {one_line(parsed.title) or '(none)'}")
