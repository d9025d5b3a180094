"""`trivium parse`: what the parser sees in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from trivium.cli import runtime
from trivium.cli.password import takes_password
from trivium.cli.terminal import note, one_line, print_json, say, where
from trivium.config import load_settings
from trivium.domain.parsed import ParsedFile
from trivium.domain.password import given_password


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the whole parsed document as JSON.")
@takes_password
def parse(file: Path, as_json: bool, password: str) -> None:
    """Print what the parser sees in FILE and in the files inside it, one unit a line: type, text, position.

    Nothing is stored and no server is needed. The files are read in a process of its own, within limits.
    """
    settings = load_settings()
    read = runtime.parser()
    from trivium.ports.parser import Blob  # after the help, and with the parser: it loads numpy

    blob = Blob(file.name, file.read_bytes(), password=given_password(password))
    files = read(settings, blob)
    if as_json:
        print_json(_as_json(files))
        return
    for one in files:
        _print(one)


def _print(read: ParsedFile) -> None:
    if read.names:
        say(f"--- {one_line(' > '.join(read.names))}")
    parsed = read.document
    if parsed is None:
        note(f"Not read: {read.failure}")
        return
    for unit in parsed.units:
        say(f"{unit.kind.value}\t{one_line(unit.text)}\t{one_line(where((unit.position,)))}")
    for warning in parsed.warnings:
        note(f"Warning: {warning}")
    pages = f", {parsed.pages} pages" if parsed.pages else ""
    inside = f", {len(parsed.children)} files inside" if parsed.children else ""
    note(f"{parsed.media_type}{pages}, {len(parsed.units)} units{inside}, title: {one_line(parsed.title) or '(none)'}")


def _as_json(files: Iterator[ParsedFile]) -> dict[str, object]:
    """The file's own document; its `children` are what was read of all files inside it, in place of their bytes."""
    first, *inside = [_without_bytes(read) for read in files]
    return {**msgspec.to_builtins(first.document), "children": msgspec.to_builtins(inside)}


def _without_bytes(read: ParsedFile) -> ParsedFile:
    if read.document is None:
        return read
    return msgspec.structs.replace(read, document=msgspec.structs.replace(read.document, children=()))
