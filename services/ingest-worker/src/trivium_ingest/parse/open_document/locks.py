"""How the parts of an OpenDocument package are encrypted, as its manifest says (ODF 1.2 part 3, 3.4 and 4.8)."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Literal, cast

import msgspec
from lxml import etree

from trivium_ingest.parse.failures import corrupt, sealed
from trivium_ingest.parse.office.package import Package

MANIFEST_PART = "META-INF/manifest.xml"
MANIFEST_SPACE = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_MANIFEST = f"{{{MANIFEST_SPACE}}}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_MAX_KEY_BYTES = 64  # more than any of the ciphers takes
Cipher = Literal["aes256-gcm", "aes256-cbc", "blowfish"]
Derivation = Literal["pbkdf2", "argon2id"]
# By the last word of their IRIs, and by what ODF 1.0 called them.
_CIPHERS: dict[str, Cipher] = {
    "aes256-gcm": "aes256-gcm",
    "aes256-cbc": "aes256-cbc",
    "blowfish": "blowfish",
    "blowfish cfb": "blowfish",
}
_DIGESTS = ("sha1", "sha256", "sha512")
_CHECKSUMS = {"sha1/1k": "sha1", **{f"{name}-1k": name for name in _DIGESTS}}


class Lock(msgspec.Struct, frozen=True):
    """How one part is encrypted.

    The key is derived from the digest `start` of the password. `digest` and `checksum` are of the beginning of the
    deflated part; AES-GCM needs none. Argon2 alone uses `memory_kib` and `lanes`.
    """

    cipher: Cipher
    iv: bytes
    derivation: Derivation
    salt: bytes
    rounds: int
    memory_kib: int
    lanes: int
    key_bytes: int
    start: str
    digest: str
    checksum: bytes


def locks(package: Package, what: str) -> dict[str, Lock]:
    """The encrypted parts, by name. Raises `NeverWill` (`encryption_unsupported`, `corrupt_file`)."""
    if MANIFEST_PART not in package:
        return {}
    found = {}
    for entry in package.xml(MANIFEST_PART).iter(f"{_MANIFEST}file-entry"):
        name, data = entry.get(f"{_MANIFEST}full-path", "").lstrip("/"), entry.find(f"{_MANIFEST}encryption-data")
        if data is not None and name in package:
            try:
                lock = _lock(data)
            except ValueError as error:
                raise corrupt(what, "its manifest does not say how it is encrypted") from error
            if lock is None:
                raise sealed(what)
            found[name] = lock
    return found


def _lock(data: etree._Element) -> Lock | None:
    """What is left out has the value that it had in ODF 1.0. None for what Trivium does not open."""
    algorithm, derivation = _attributes(data, "algorithm"), _attributes(data, "key-derivation")
    cipher = _CIPHERS.get(_named(algorithm.get(f"{_MANIFEST}algorithm-name", "")))
    function = _named(derivation.get(f"{_MANIFEST}key-derivation-name", ""))
    start = _named(_attributes(data, "start-key-generation").get(f"{_MANIFEST}start-key-generation-name", "sha1"))
    digest = _CHECKSUMS.get(_named(data.get(f"{_MANIFEST}checksum-type", "")), "")
    if cipher is None or function not in ("pbkdf2", "argon2id") or start not in _DIGESTS:
        return None
    if not digest and cipher != "aes256-gcm":
        return None
    rounds = f"{_LOEXT}argon2-iterations" if function == "argon2id" else f"{_MANIFEST}iteration-count"
    return Lock(
        cipher=cipher,
        iv=b64decode(algorithm.get(f"{_MANIFEST}initialisation-vector", "")),
        derivation=cast("Derivation", function),
        salt=b64decode(derivation.get(f"{_MANIFEST}salt", "")),
        rounds=_count(derivation, rounds),
        memory_kib=_count(derivation, f"{_LOEXT}argon2-memory"),
        lanes=_count(derivation, f"{_LOEXT}argon2-lanes"),
        key_bytes=min(_count(derivation, f"{_MANIFEST}key-size", "16"), _MAX_KEY_BYTES),
        start=start,
        digest=digest,
        checksum=b64decode(data.get(f"{_MANIFEST}checksum", "")),
    )


def _attributes(data: etree._Element, name: str) -> Mapping[str, str]:
    node = data.find(f"{_MANIFEST}{name}")
    return {} if node is None else {str(key): str(value) for key, value in node.items()}


def _named(name: str) -> str:
    return re.split("[#:]", name)[-1].lower()


def _count(attributes: Mapping[str, str], name: str, default: str = "0") -> int:
    count = int(attributes.get(name, default))
    if count < 0:
        raise ValueError(f"{name} is less than nothing")
    return count
