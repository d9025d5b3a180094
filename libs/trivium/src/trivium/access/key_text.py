"""A key as people carry it: `trv.TENANT.ID.SECRET`. The secret has 256 random bits and is kept as its SHA-256.

A slow password hash would protect words that people choose; nobody guesses 256 random bits, however fast the hash is.
"""

from __future__ import annotations

import hashlib
import re
import secrets

import msgspec

from trivium.domain.scope import Tenant

PREFIX = "trv."
SECRET_BYTES = 32
_KEY = re.compile(r"trv\.([a-z0-9][a-z0-9_-]{0,62})\.([0-9a-f]{12})\.([0-9a-f]{64})")


class KeyText(msgspec.Struct, frozen=True):
    """A key taken apart."""

    tenant: Tenant
    id: str
    secret: str

    def __repr__(self) -> str:
        return f"KeyText({self.tenant.name}, {self.id})"

    @property
    def text(self) -> str:
        """What its holder sends."""
        return f"{PREFIX}{self.tenant.name}.{self.id}.{self.secret}"

    @property
    def digest(self) -> str:
        """What is kept of the secret."""
        return digest(self.secret)


def new_key(tenant: Tenant) -> KeyText:
    """A key that nobody has."""
    return KeyText(tenant, secrets.token_hex(6), secrets.token_hex(SECRET_BYTES))


def read_key(text: str) -> KeyText | None:
    """The parts of a key, None for what is none."""
    found = _KEY.fullmatch(text)
    return KeyText(Tenant(found[1]), found[2], found[3]) if found else None


def digest(secret: str) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
