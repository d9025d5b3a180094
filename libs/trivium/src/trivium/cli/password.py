"""How a command is given the password of a file: typed, from a file or from standard input, or as it stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import IO, Any

import click

_ASKED = "\0"  # what no password holds: the option came without one


def takes_password(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take `--password` or `--password-file`: its argument `password`, "" where none is given."""

    @click.option(
        "--password",
        metavar="[SECRET]",
        is_flag=False,
        flag_value=_ASKED,
        default="",
        help="Opens encrypted files. Without SECRET it is asked for, and stays out of the shell's history.",
    )
    @click.option(
        "--password-file",
        type=click.File(encoding="utf-8"),
        help="The password is this file's first line; - for standard input.",
    )
    @wraps(command)
    def with_password(*arguments: Any, password: str, password_file: IO[str] | None, **options: Any) -> Any:
        return command(*arguments, password=_chosen(password, password_file), **options)

    return with_password


def asked_password() -> str:
    """Typed by a person, unseen."""
    typed: str = click.prompt("Password", hide_input=True, err=True)
    return typed


def _chosen(password: str, file: IO[str] | None) -> str:
    if password and file:
        raise click.UsageError("Give --password or --password-file, not both.")
    if file:
        return _first_line(file)
    return asked_password() if password == _ASKED else password


def _first_line(file: IO[str]) -> str:
    try:
        line = file.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise click.UsageError("The password's file is not text in UTF-8.") from error
    if not line:
        raise click.UsageError("The first line of the password's file is empty.")
    return line
