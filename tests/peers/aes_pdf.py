"""A PDF of one line under AES-256, as ISO 32000-2 has it (7.6.4, revision 6): what programs encrypt with today."""

from __future__ import annotations

import hashlib
import os

from Cryptodome.Cipher import AES

_NO_IV = bytes(16)


def aes_pdf(said: str, password: str) -> bytes:
    """One page that says `said`, in Helvetica at (72, 700)."""
    key, secret = os.urandom(32), password.encode()
    user, user_key = _proof(secret, b"", key)
    owner, owner_key = _proof(b"the owner's", user, key)
    permissions = b"\xfc\xff\xff\xff\xff\xff\xff\xffTadb" + os.urandom(4)
    perms = AES.new(key, AES.MODE_ECB).encrypt(permissions)
    text = _padded(f"BT /F 14 Tf 72 700 Td ({said}) Tj ET".encode())
    iv = os.urandom(16)
    content = iv + AES.new(key, AES.MODE_CBC, iv).encrypt(text)
    parts = {"U": user, "UE": user_key, "O": owner, "OE": owner_key, "Perms": perms}
    proofs = " ".join(f"/{name} <{value.hex()}>" for name, value in parts.items())
    crypt = "/CF <</StdCF <</CFM /AESV3 /AuthEvent /DocOpen /Length 32>>>> /StmF /StdCF /StrF /StdCF"
    page = "/Resources <</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>"
    return _file(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        f"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R {page}>>".encode(),
        b"<</Length %d>> stream\n%s\nendstream" % (len(content), content),
        f"<</Filter /Standard /V 5 /R 6 /Length 256 /P -4 {crypt} {proofs}>>".encode(),
    )


def _proof(password: bytes, user: bytes, key: bytes) -> tuple[bytes, bytes]:
    """What proves a password (algorithms 8 and 9), and the file's key under it."""
    check, salt = os.urandom(8), os.urandom(8)
    wrapped = AES.new(_hash(password, salt, user), AES.MODE_CBC, _NO_IV).encrypt(key)
    return _hash(password, check, user) + check + salt, wrapped


def _hash(password: bytes, salt: bytes, user: bytes) -> bytes:
    """Algorithm 2.B."""
    key = hashlib.sha256(password + salt + user).digest()
    count, last = 0, 0
    while count < 64 or last > count - 32:
        repeated = (password + key + user) * 64
        mixed = AES.new(key[:16], AES.MODE_CBC, key[16:32]).encrypt(repeated)
        kind = (hashlib.sha256, hashlib.sha384, hashlib.sha512)[int.from_bytes(mixed[:16], "big") % 3]
        key, last, count = kind(mixed).digest(), mixed[-1], count + 1
    return key[:32]


def _padded(text: bytes) -> bytes:
    room = 16 - len(text) % 16
    return text + bytes([room]) * room


def _file(*objects: bytes) -> bytes:
    """The first is the catalog, the last the encryption."""
    body, places = b"%PDF-2.0\n", []
    for number, value in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    trailer = b"<</Size %d /Root 1 0 R /Encrypt %d 0 R /ID [<00><00>]>>" % (count, len(objects))
    return body + b"xref\n0 %d\n%strailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (count, table, trailer, len(body))
