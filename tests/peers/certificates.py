"""Certificates of authorities of their own, as an administrator makes them with openssl."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa


def write_certificate(folder: Path, name: str, passphrase: bytes = b"", kind: str = "EC") -> tuple[Path, Path]:
    """A certificate of its own authority for localhost, called `name`, in the same two files each time.

    `kind` is its key's, EC or RSA.
    """
    elliptic = kind == "EC"
    key = ec.generate_private_key(ec.SECP256R1()) if elliptic else rsa.generate_private_key(65537, 2048)
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "tls.crt", folder / "tls.key"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    locked = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked))
    return chain, secret


def trusting(chain: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=chain.decode())
    return context
