"""OpenDocument packages under a password: by ODF 1.2 (part 3, 3.4), and whole as LibreOffice 24.8 writes them."""

from __future__ import annotations

import hashlib
import os
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Literal

from Cryptodome.Cipher import AES, Blowfish
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from zip_files import zipped

_MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_OFFICE = "urn:org:documentfoundation:names:experimental:office"
_SPACES = f'xmlns:manifest="{_MANIFEST}" xmlns:loext="{_OFFICE}:xmlns:loext:1.0"'
_ROUNDS = 1024
_DATA = "<manifest:encryption-data{proof}>{algorithm}{start}{derivation}</manifest:encryption-data>"
_CHECKED = ' manifest:checksum-type="{}" manifest:checksum="{}"'
_ALGORITHM = '<manifest:algorithm manifest:algorithm-name="{}" manifest:initialisation-vector="{}"/>'
_START = '<manifest:start-key-generation manifest:start-key-generation-name="{}" manifest:key-size="{}"/>'
_PBKDF2 = '<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="{}" '
_PBKDF2 += f'manifest:iteration-count="{_ROUNDS}" manifest:salt="{{}}"/>'
_ARGON2 = f'<manifest:key-derivation manifest:key-derivation-name="{_OFFICE}:manifest:argon2id" '
_ARGON2 += 'manifest:key-size="32" manifest:salt="{}" loext:argon2-iterations="3" loext:argon2-memory="1024" '
_ARGON2 += 'loext:argon2-lanes="4"/>'
Rewritten = Callable[[str], str]


def packed(media_type: str, parts: Mapping[str, str | bytes]) -> bytes:
    """An OpenDocument package."""
    return zipped({"mimetype": media_type, **parts})


def locked_by_part(
    media_type: str,
    parts: Mapping[str, str | bytes],
    password: str,
    cipher: Literal["aes", "blowfish"] = "aes",
    manifest: Rewritten = str,
) -> bytes:
    """Each part by itself: under AES as since ODF 1.2, under Blowfish as in ODF 1.0; `manifest` may rewrite that."""
    entries, encrypted = "", {}
    for name, content in parts.items():
        deflated = _deflated(content if isinstance(content, bytes) else content.encode())
        encrypted[name], data = (_under_aes if cipher == "aes" else _under_blowfish)(deflated, password.encode())
        entries += f'<manifest:file-entry manifest:full-path="{name}">{data}</manifest:file-entry>'
    written = manifest(f"<manifest:manifest {_SPACES}>{entries}</manifest:manifest>")
    return packed(media_type, {**encrypted, "META-INF/manifest.xml": written})


def locked_whole(media_type: str, package: bytes, password: str, manifest: Rewritten = str) -> bytes:
    """A package as the only part of another, under AES-GCM with a key by Argon2id."""
    iv, salt = os.urandom(12), os.urandom(16)
    start = hashlib.sha256(password.encode()).digest()
    key = Argon2id(salt=salt, length=32, iterations=3, lanes=4, memory_cost=1024).derive(start)
    content, tag = AES.new(key, AES.MODE_GCM, nonce=iv).encrypt_and_digest(_deflated(package))
    data = _DATA.format(
        proof="",
        algorithm=_ALGORITHM.format("http://www.w3.org/2009/xmlenc11#aes256-gcm", _text(iv)),
        start=_START.format("http://www.w3.org/2001/04/xmlenc#sha256", 32),
        derivation=_ARGON2.format(_text(salt)),
    )
    entry = f'<manifest:file-entry manifest:full-path="encrypted-package">{data}</manifest:file-entry>'
    written = manifest(f"<manifest:manifest {_SPACES}>{entry}</manifest:manifest>")
    return packed(media_type, {"encrypted-package": iv + content + tag, "META-INF/manifest.xml": written})


def _under_aes(deflated: bytes, password: bytes) -> tuple[bytes, str]:
    iv, salt = os.urandom(16), os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password).digest(), salt, _ROUNDS, 32)
    room = 16 - len(deflated) % 16
    content = AES.new(key, AES.MODE_CBC, iv).encrypt(deflated + os.urandom(room - 1) + bytes([room]))
    checksum = hashlib.sha256(deflated[:1024]).digest()
    data = _DATA.format(
        proof=_CHECKED.format(f"{_MANIFEST}#sha256-1k", _text(checksum)),
        algorithm=_ALGORITHM.format("http://www.w3.org/2001/04/xmlenc#aes256-cbc", _text(iv)),
        start=_START.format("http://www.w3.org/2000/09/xmldsig#sha256", 32),
        derivation=_PBKDF2.format(32, _text(salt)),
    )
    return content, data


def _under_blowfish(deflated: bytes, password: bytes) -> tuple[bytes, str]:
    iv, salt = os.urandom(8), os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha1(password).digest(), salt, _ROUNDS, 16)
    content = Blowfish.new(key, Blowfish.MODE_CFB, iv, segment_size=64).encrypt(deflated + bytes(-len(deflated) % 8))
    checksum = hashlib.sha1(deflated[:1024]).digest()
    data = _DATA.format(
        proof=_CHECKED.format("SHA1/1K", _text(checksum)),
        algorithm=_ALGORITHM.format("Blowfish CFB", _text(iv)),
        start="",
        derivation=_PBKDF2.format(16, _text(salt)),
    )
    return content[: len(deflated)], data


def _deflated(content: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(content) + engine.flush()


def _text(content: bytes) -> str:
    return b64encode(content).decode()
