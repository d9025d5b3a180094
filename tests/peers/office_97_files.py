"""Files of Office 97-2003 under a password: by [MS-OFFCRYPTO] 2.3.5 (RC4 by CryptoAPI), 2.3.6 (RC4), 2.3.7 (XOR).

What is encrypted of each is in [MS-DOC] 2.2.6, [MS-XLS] 2.2.10 and [MS-PPT] 2.3.7.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping, Sequence
from typing import Literal

from Cryptodome.Cipher import ARC4
from msoffcrypto.method.xor_obfuscation import DocumentXOR
from outlook_files import SMALL, Tree, compound_file
from word_files import NOTHING, word_streams

Kind = Literal["rc4", "cryptoapi"]
_BOF, _FILE_PASS, _WRITE_ACCESS, _BOUND_SHEET, _LABEL, _EOF = 0x0809, 0x2F, 0x5C, 0x85, 0x0204, 0x0A
_RC4_ID, _SHA1_ID, _PROVIDER = 0x6801, 0x8004, "Microsoft Enhanced Cryptographic Provider v1.0\0"


class _Cipher:
    """RC4 with a key for each block; `header` tells a reader how to check the password."""

    def __init__(self, kind: Kind, password: str) -> None:
        self._kind = kind
        self._salt = os.urandom(16)
        self._password = password.encode("utf-16-le")
        verifier = os.urandom(16)
        sealer = ARC4.new(self._key(0))
        if kind == "rc4":
            proof = sealer.encrypt(verifier) + sealer.encrypt(hashlib.md5(verifier).digest())
            self.header = struct.pack("<HH", 1, 1) + self._salt + proof
        else:
            wide = _PROVIDER.encode("utf-16-le")
            facts = struct.pack("<8I", 4, 0, _RC4_ID, _SHA1_ID, 128, 1, 0, 0) + wide
            proof = struct.pack("<I", 16) + self._salt + sealer.encrypt(verifier)
            proof += struct.pack("<I", 20) + sealer.encrypt(hashlib.sha1(verifier).digest())
            self.header = struct.pack("<HHII", 4, 2, 4, len(facts)) + facts + proof

    def encrypt(self, content: bytes, block_bytes: int) -> bytes:
        parts = (content[at : at + block_bytes] for at in range(0, len(content), block_bytes))
        return b"".join(ARC4.new(self._key(number)).encrypt(part) for number, part in enumerate(parts))

    def encrypt_alone(self, content: bytes, block: int) -> bytes:
        """All under the key of one block."""
        return ARC4.new(self._key(block)).encrypt(content)

    def _key(self, block: int) -> bytes:
        number = struct.pack("<I", block)
        if self._kind == "cryptoapi":
            return hashlib.sha1(hashlib.sha1(self._salt + self._password).digest() + number).digest()[:16]
        start = hashlib.md5(self._password).digest()[:5]
        return hashlib.md5(hashlib.md5((start + self._salt) * 16).digest()[:5] + number).digest()


def locked_word_file(body: str, password: str, kind: Kind) -> bytes:
    """Word keeps 68 bytes of its first stream readable, and how to check the password before its table."""
    cipher = _Cipher(kind, password)
    stream, table = word_streams(body, table_at=len(cipher.header), flags=0x0100)
    stream = stream[:14] + struct.pack("<I", len(cipher.header)) + stream[18:]
    stream, table = stream.ljust(SMALL, b"\0"), (cipher.header + table).ljust(SMALL, b"\0")
    locked = stream[:68] + cipher.encrypt(stream, 512)[68:]
    locked_table = cipher.header + cipher.encrypt(table, 512)[len(cipher.header) :]
    return compound_file({"WordDocument": locked, "1Table": locked_table})


def locked_presentation_file(said: str, password: str) -> bytes:
    """One record that says something, under the key of its number; the records that lead to it stay readable."""
    cipher = _Cipher("cryptoapi", password)
    document = cipher.encrypt_alone(_record(0x03E8, said.encode()), 1)
    session = _record(0x2F14, cipher.header, container=True)
    directory = _record(0x1772, struct.pack("<III", 1 | 2 << 20, 0, len(document)))
    places = (0, 0, 0, 3, 0, len(document) + len(session), 1, 2, 0, 0, 2)
    edit = _record(0x0FF5, struct.pack("<IHBBIIIIHHI", *places))
    stream = document + session + directory + edit
    edit_at = len(stream) - len(edit)
    name = SMALL // 3  # so long that the stream needs no filling up
    user = struct.pack("<IIIHHBBH", 20, 0xF3D1C4DF, edit_at, name, 0x03F4, 3, 0, 0) + bytes(name)
    user = _record(0x0FF6, user + struct.pack("<I", 8) + bytes(2 * name))
    return compound_file({"Current User": user, "PowerPoint Document": stream})


def _record(kind: int, body: bytes, *, container: bool = False) -> bytes:
    return struct.pack("<HHI", 0xF if container else 0, kind, len(body)) + body


def workbook_file(
    cells: list[str],
    password: str = "",
    kind: Kind | Literal["xor"] = "rc4",
    more: Mapping[str, bytes | Tree] = NOTHING,
    of_book: Sequence[tuple[int, bytes]] = (),
    of_sheet: Sequence[tuple[int, bytes]] = (),
) -> bytes:
    """One sheet with one column, in BIFF8: the headers of its records stay readable, and where its sheet begins.

    `of_book` and `of_sheet` are further records: number and body.
    """
    sheet = [(_BOF, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))]
    sheet += [(_LABEL, struct.pack("<4HB", row, 0, 0, len(cell), 0) + cell.encode()) for row, cell in enumerate(cells)]
    sheet += [*of_sheet, (_EOF, b"")]
    cipher = None if kind == "xor" else _Cipher(kind, password)
    proof = struct.pack("<HHH", 0, 0, _xor_verifier(password)) if cipher is None else b"\1\0" + cipher.header
    lock = [(_FILE_PASS, proof)] if password else []
    book = [(_BOF, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0)), *lock, (0x42, struct.pack("<H", 1200))]
    book += of_book
    filler = bytes(-(_size(book + sheet) + 2) % 4)  # the zeros that fill up the stream are whole records, too
    book.append((_WRITE_ACCESS, filler))
    listed = struct.pack("<IBBBB", _size(book) + 22, 0, 0, 6, 0) + b"Sluice"
    book += [(_BOUND_SHEET, listed), (_EOF, b"")]
    plain = b"".join(struct.pack("<HH", number, len(body)) + body for number, body in book + sheet)
    if not password:
        return compound_file({"Workbook": plain, **more})
    locked, at = b"", 0
    encrypted = None if cipher is None else cipher.encrypt(plain, 1024)
    for number, body in book + sheet:
        end = at + 4 + len(body)
        hidden_at = at + 4 + {_BOF: len(body), _FILE_PASS: len(body), _BOUND_SHEET: 4}.get(number, 0)
        locked += plain[at:hidden_at]
        if encrypted is None:
            locked += _xored(plain[hidden_at:end], end + hidden_at - at - 4, password)
        else:
            locked += encrypted[hidden_at:end]
        at = end
    return compound_file({"Workbook": locked})


def _size(records: list[tuple[int, bytes]]) -> int:
    return sum(4 + len(body) for _, body in records)


def _xored(content: bytes, first: int, password: str) -> bytes:
    """Under XOR, beginning with the key number `first`."""
    keys = DocumentXOR.create_xor_array_method1(password)
    turned = (byte << 5 & 0xFF | byte >> 3 for byte in content)
    return bytes(byte ^ keys[(first + place) % 16] for place, byte in enumerate(turned))


def _xor_verifier(password: str) -> int:
    verifier = 0
    for byte in reversed([len(password), *password.encode("latin-1")]):
        verifier = (verifier >> 14 & 1 | verifier << 1 & 0x7FFF) ^ byte
    return verifier ^ 0xCE4B
