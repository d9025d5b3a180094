"""`trivium keys`: give keys, see them, replace them, take them back."""

from __future__ import annotations

import re
import time

import click

from trivium import api
from trivium.cli.session import connected
from trivium.cli.terminal import json_option, note, one_line, print_json, print_table, say
from trivium.domain.access import Role

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}


class Span(click.ParamType[int]):
    """A length of time as people write it: 30s, 30m, 12h, 90d."""

    name = "span"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """In seconds."""
        found = re.fullmatch(r"([1-9][0-9]{0,6})([smhd])", str(value))
        if isinstance(value, int):
            return value
        if not found:
            self.fail(f"{value!r} is no span of time: write 30m, 12h or 90d.", param, ctx)
        return int(found[1]) * _SECONDS[found[2]]


@click.group(invoke_without_command=True)
@click.pass_context
def keys(context: click.Context) -> None:
    r"""Keys of your tenant: who may open it, and as what.

    \b
      trivium keys create "Mira's laptop" --role reader --expires 90d
      trivium keys list
      trivium keys rotate ID --keep 1h
      trivium keys revoke ID

    A reader searches, asks and reads; a writer adds, deletes and corrects too; an admin gives keys too. Needs an
    admin's key in TRIVIUM_API_KEY; those in TRIVIUM_API_KEYS are the first.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_keys)


@keys.command()
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in Role]), default=Role.READER.value, show_default=True)
@click.option("--expires", type=Span(), default=None, help="After 30m, 12h or 90d; without it never.")
@json_option
def create(name: str, role: str, expires: int | None, as_json: bool) -> None:
    """Make a key and print its text, this once."""
    with connected() as client:
        _say_new(client.create_key(name, Role(role), expires), as_json)


@keys.command("list")
@json_option
def list_keys(as_json: bool = False) -> None:
    """List keys, newest first, with their state, their last use and what they were used for."""
    with connected() as client:
        found = client.keys()
    if as_json:
        print_json(found)
        return
    if not found.keys:
        note("There are no keys but those of TRIVIUM_API_KEYS.")
        return
    heads = dict.fromkeys(("Id", "Name", "Role", "State", "Last used", "Used for"), "left")
    print_table(heads, [_row(key) for key in found.keys])


@keys.command()
@click.argument("key_id", metavar="ID")
@click.option("--keep", type=Span(), default=0, help="The old one opens this much longer (30m, 12h, 2d).")
@json_option
def rotate(key_id: str, keep: int, as_json: bool) -> None:
    """Make another key in the place of ID."""
    with connected() as client:
        _say_new(client.rotate_key(key_id, keep), as_json)


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Take ID back: some seconds later it opens nothing anywhere."""
    with connected() as client:
        known = client.keys().keys  # before: it may be the key in use
        key = client.revoke_key(key_id)
    namesakes = [other.id for other in known if other.name == key.name and other.id != key.id and _opens(other)]
    say(f"Revoked: {key.id} ({one_line(key.name)})")
    if namesakes:
        note(f"Of the same name and still open: {', '.join(namesakes)}")


def _say_new(made: api.NewKey, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    say(made.secret)
    until = f" until {_when(made.key.expires_at)}" if made.key.expires_at else ""
    note(f"Key {made.key.id}, a {made.key.role}'s{until}. It is not shown again.")


def _row(key: api.Key) -> tuple[str, ...]:
    uses = sorted(key.uses.items(), key=lambda use: (-use[1], use[0]))
    used_for = ", ".join(f"{use} {times}" for use, times in uses)
    return key.id, one_line(key.name), key.role, _state(key), _when(key.used_at), used_for


def _opens(key: api.Key) -> bool:
    ends = [at for at in (key.ended_at, key.expires_at) if at is not None]
    return not ends or min(ends) > time.time()


def _state(key: api.Key) -> str:
    now = time.time()
    if key.ended_at is not None:
        return f"ended {_when(key.ended_at)}" if key.ended_at <= now else f"ends {_when(key.ended_at)}"
    if key.expires_at is None:
        return "in force"
    return f"expired {_when(key.expires_at)}" if key.expires_at <= now else f"until {_when(key.expires_at)}"


def _when(at: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at is not None else "never"
