"""Credentials by reference: a connection names a file, and nothing but that file holds the secret."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import msgspec

from trivium.config import Settings
from trivium.domain.connections import CREDENTIAL_NAME
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant

MAX_SECRET_BYTES = 64 * 1024
KNOWN_HOSTS = ".known_hosts"


class _Hidden(msgspec.Struct, frozen=True):
    """What no log and no traceback shows."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(********)"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("secret", "********")]


class Secret(_Hidden, frozen=True):
    """A user's name and password, or an access key and its secret, or a token alone."""

    user: str
    password: str

    def hidden_in(self, text: str) -> str:
        """`text` without it."""
        return text.replace(self.password, "********") if self.password else text


class RefreshToken(_Hidden, frozen=True, kw_only=True):
    """What an OAuth 2 client has of a user's mailbox (RFC 6749, section 6); fields are called as in Google's files."""

    user: Annotated[str, msgspec.Meta(pattern=r"\A[^\x00-\x20\x7f]+\Z")]
    client_id: Annotated[str, msgspec.Meta(min_length=1)]
    refresh_token: Annotated[str, msgspec.Meta(min_length=1)]
    token_uri: str
    client_secret: str = ""


class SshKey(_Hidden, frozen=True):
    """A private key, and the keys of hosts that it may be shown to, both as OpenSSH writes them."""

    private: bytes
    known_hosts: bytes


def read_secret(settings: Settings, tenant: Tenant, name: str) -> Secret | RefreshToken | None:
    """The credential that a connection of the tenant names; None for no name.

    Its file holds `user:password` on one line, or a token, or the fields of a `RefreshToken` as JSON.
    Raises `Refused` (`no_such_credential`, `bad_credential`).
    """
    if not name:
        return None
    missing = _missing("user:password, on one line,", tenant, name)
    try:
        text = _read(settings, tenant, name).decode().strip()
    except (OSError, ValueError) as error:
        raise missing from error
    if text.startswith("{"):
        return _refresh_token(text, name)
    if not text or "\n" in text or "\0" in text:
        raise missing
    user, told, password = text.partition(":")
    return Secret(user, password) if told else Secret("", text)


def _refresh_token(text: str, name: str) -> RefreshToken:
    try:
        return msgspec.json.decode(text, type=RefreshToken)
    except msgspec.DecodeError as error:  # tells the field, and nothing of what is in it
        raise Refused(
            "bad_credential",
            f"The credential {name[:80]!r} cannot be read: {error}.",
            "Write user, client_id, client_secret if there is one, refresh_token and token_uri as JSON.",
        ) from error


def read_ssh_key(settings: Settings, tenant: Tenant, name: str) -> SshKey:
    """The key that a connection of the tenant names: the file of that name, and of it with `.known_hosts`.

    Raises `Refused` (`key_needed`, `no_such_credential`).
    """
    if not name:
        raise Refused("key_needed", "SSH wants a key, and the host's own.", "Name a key's file: --credential NAME.")
    found: list[bytes] = []
    for ending, what in (("", "a private key"), (KNOWN_HOSTS, "the host's keys, as ssh-keyscan tells them,")):
        try:
            found.append(_read(settings, tenant, name, ending))
        except (OSError, ValueError) as error:
            raise _missing(what, tenant, name + ending) from error
    return SshKey(*found)


def _read(settings: Settings, tenant: Tenant, name: str, ending: str = "") -> bytes:
    """Raises `OSError` or `ValueError`."""
    folder = Path(settings.connect_secrets).expanduser() if settings.connect_secrets else settings.data_dir / "secrets"
    if not re.fullmatch(CREDENTIAL_NAME, name):
        raise ValueError("no name")
    with (folder / tenant.name / f"{name}{ending}").open("rb") as file:
        return file.read(MAX_SECRET_BYTES)


def _missing(what: str, tenant: Tenant, name: str) -> Refused:
    return Refused(
        "no_such_credential",
        f"There is no credential {name[:80]!r} that can be read.",
        f"Put {what} into the file {tenant.name}/{name[:80]} of TRIVIUM_CONNECT_SECRETS.",
    )
