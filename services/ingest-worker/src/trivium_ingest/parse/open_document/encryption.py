"""OpenDocument packages opened by their password.

ODF 1.2 deflates and encrypts each part by itself; LibreOffice 24.8 and later can encrypt a whole package instead, as
the one part of another. The manifest says how much work that is, so what it may ask for is bounded.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Collection

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from trivium.domain.errors import NeverWill
from trivium.domain.password import Password
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import corrupt, password_wrong, sealed, too_large
from trivium_ingest.parse.office.package import RATIO_FLOOR_BYTES, Package
from trivium_ingest.parse.open_document.locks import MANIFEST_PART, MANIFEST_SPACE, Lock, locks

_WHAT = "OpenDocument file"
_WHOLE = "encrypted-package"
_MAIN = "content.xml"
_UNREAD = ("META-INF/", "Configurations2/", "Thumbnails/", "settings.xml", "manifest.rdf", "layout-cache")
_NOTHING_LOCKED = f'<manifest xmlns="{MANIFEST_SPACE}"/>'  # calamine wants one
MAX_ROUNDS = 50_000_000  # of PBKDF2 for one file; LibreOffice asks for 100,000 a part, OpenOffice for 1,024
MAX_ARGON2_KIB = 256 * 1024  # LibreOffice asks for 64 MiB
MAX_ARGON2_WORK_KIB = 16 * MAX_ARGON2_KIB  # memory times passes over it
_CHECKED_BYTES = 1024
_BROKEN = (ValueError, LookupError, TypeError, OverflowError, zlib.error)


def unlocked(content: bytes, password: Password, limits: ParseLimits) -> bytes:
    """The package without its encryption and without what nobody reads; as it is where nothing is encrypted.

    Raises `NeverWill` (`password_wrong`, `encryption_unsupported`, `corrupt_file`, `limit_exceeded`).
    """
    package = Package(content, limits, _WHAT)
    stated = locks(package, _WHAT)
    if not stated:
        return content
    locked = {name: lock for name, lock in stated.items() if not name.startswith(_UNREAD)}
    _check_work(locked.values())
    parts = _Parts(package, password, limits)
    if _WHOLE in locked:
        return parts.opened(_WHOLE, locked[_WHOLE])
    names = [name for name in package.names("") if not name.startswith(_UNREAD) and not name.endswith("/")]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(MANIFEST_PART, _NOTHING_LOCKED)
        for name in sorted(names, key=lambda name: name != _MAIN):
            archive.writestr(name, parts.opened(name, locked[name]) if name in locked else parts.plain(name))
    return made.getvalue()


def _check_work(locked: Collection[Lock]) -> None:
    """Raises `NeverWill` (`limit_exceeded`) where deriving the keys would take long, or much memory."""
    rounds = sum(lock.rounds for lock in locked if lock.derivation == "pbkdf2")
    work_kib = sum(lock.rounds * lock.memory_kib for lock in locked if lock.derivation == "argon2id")
    most_kib = max((lock.memory_kib for lock in locked), default=0)
    if rounds > MAX_ROUNDS or work_kib > MAX_ARGON2_WORK_KIB or most_kib > MAX_ARGON2_KIB:
        raise NeverWill(
            "limit_exceeded",
            f"Opening this {_WHAT} with its password takes more work than Trivium does for one file.",
            "Save it with its password again, or without one, and upload the new copy.",
        )


class _Parts:
    """Opens parts one after the other, within what they may hold together."""

    def __init__(self, package: Package, password: Password, limits: ParseLimits) -> None:
        self._package = package
        self._password = password
        self._limits = limits
        self._left = limits.max_unpacked_bytes
        self._proven = False  # the password has opened a part

    def plain(self, name: str) -> bytes:
        """A part that is not encrypted."""
        return self._counted(self._package.read(name))

    def opened(self, name: str, lock: Lock) -> bytes:
        """A part deciphered and inflated."""
        try:
            deflated = _deciphered(self._package.read(name), lock, self._password)
            if deflated is not None:
                self._proven = True
                return self._inflated(deflated, name)
        except UnsupportedAlgorithm as error:
            raise sealed(_WHAT) from error
        except _BROKEN as error:
            raise corrupt(_WHAT, f"its part {name} cannot be unpacked") from error
        raise corrupt(_WHAT, f"its part {name} is not what it was") if self._proven else password_wrong(_WHAT)

    def _inflated(self, deflated: bytes, name: str) -> bytes:
        bound = max(RATIO_FLOOR_BYTES, self._limits.max_ratio * len(deflated))
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        content = self._counted(inflater.decompress(deflated, min(self._left, bound) + 1))
        if len(content) > bound:
            raise too_large("max_ratio", f"a part that unpacks to more than {self._limits.max_ratio} times its size")
        if not inflater.eof:
            raise corrupt(_WHAT, f"its part {name} ends too early")
        return content

    def _counted(self, content: bytes) -> bytes:
        self._left -= len(content)
        if self._left < 0:
            most = self._limits.max_unpacked_bytes
            raise too_large("max_unpacked_bytes", f"more than {most:,} bytes when unpacked")
        return content


def _deciphered(data: bytes, lock: Lock, password: Password) -> bytes | None:
    """The deflated part; None where the password does not fit. Raises what `_BROKEN` names, for damage."""
    key = _key(lock, password)
    if lock.cipher == "aes256-gcm":
        try:
            return AESGCM(key).decrypt(lock.iv, data.removeprefix(lock.iv), None)
        except InvalidTag:
            return None
    if lock.cipher == "aes256-cbc":
        aes = Cipher(AES(key), CBC(lock.iv)).decryptor()
        padded = aes.update(data) + aes.finalize()
        deflated = padded[: -padded[-1]]  # the last byte counts the padding
    else:  # fed back by 64 bits, as every program does it; ODF 1.2 says 8
        deflated = Cipher(Blowfish(key), CFB(lock.iv)).decryptor().update(data)
    fits = hashlib.new(lock.digest, deflated[:_CHECKED_BYTES]).digest() == lock.checksum
    return deflated if fits else None


def _key(lock: Lock, password: Password) -> bytes:
    start = hashlib.new(lock.start, password.text.encode()).digest()
    if lock.derivation == "pbkdf2":
        return hashlib.pbkdf2_hmac("sha1", start, lock.salt, lock.rounds, lock.key_bytes)
    return Argon2id(
        salt=lock.salt,
        length=lock.key_bytes,
        iterations=lock.rounds,
        lanes=lock.lanes,
        memory_cost=lock.memory_kib,
    ).derive(start)
