"""Refresh tokens that took the place of those in credentials' files (OAuth 2, RFC 6749 section 6), each kept sealed.

`credentials/rotated/<name>` among the tenant's objects, in no archive: a salt, a nonce and what AES-256-GCM made of the
token, under a key that HKDF (RFC 5869) derives from all that stands in the file. It opens with that file alone, so
the object store by itself tells nothing; and what was kept for one file is not read any more once another is there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from trivium.connections.secrets import RefreshToken
from trivium.domain.errors import NotFound
from trivium.domain.scope import Tenant
from trivium.ports.objects import Objects, ObjectStore
from trivium.tenants.being_erased import refuse_while_erased

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ROTATED = "credentials/rotated/"
_SALT_BYTES, _NONCE_BYTES, _KEY_BYTES = 32, 12, 32
_PURPOSE = b"trivium rotated refresh token"


class RotatedToken:
    """Of one credential of a tenant, as its file is now."""

    def __init__(self, objects: ObjectStore, name: str, grant: RefreshToken) -> None:
        self._objects, self._key, self._grant = objects, ROTATED + name, grant

    def find(self) -> str | None:
        """The newest; None where none is kept that this file opens."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - 9 MB, for whoever has such a credential

        try:
            content = self._objects.get(self._key)
            salt, nonce = content[:_SALT_BYTES], content[_SALT_BYTES : _SALT_BYTES + _NONCE_BYTES]
            return self._cipher(salt).decrypt(nonce, content[_SALT_BYTES + _NONCE_BYTES :], None).decode()
        except (NotFound, InvalidTag, ValueError):
            return None

    def keep(self, token: str) -> None:
        """From now on it is the newest. Raises `Refused` (`tenant_being_erased`)."""
        refuse_while_erased(self._objects)
        salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
        self._objects.put(self._key, salt + nonce + self._cipher(salt).encrypt(nonce, token.encode(), None))

    def _cipher(self, salt: bytes) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

        derived = HKDF(SHA256(), _KEY_BYTES, salt, _PURPOSE).derive(msgspec.json.encode(self._grant))
        return AESGCM(derived)


class RotatedTokens:
    """Those of all tenants."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def of(self, tenant: Tenant, name: str, grant: RefreshToken) -> RotatedToken:
        """That of the credential `name`, whose file holds `grant`."""
        return RotatedToken(self._objects.for_tenant(tenant), name, grant)
