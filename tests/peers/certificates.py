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


class Authority:
    """A company's own: `file` is its certificate, `chain` and `key` are a server's of localhost that it certified."""

    def __init__(self, folder: Path) -> None:
        self.file, self.chain, self.key = (folder / name for name in ("authority.pem", "server.pem", "server.key"))
        root, secret = _certificate("Acme's own authority", ec.generate_private_key(ec.SECP256R1()))
        self.file.write_bytes(root.public_bytes(serialization.Encoding.PEM))
        key = ec.generate_private_key(ec.SECP256R1())
        server, _ = _certificate("localhost", key, root, secret)
        self.chain.write_bytes(server.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        self.key.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, plain)
        )

    def serving(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain, self.key)
        context.set_alpn_protocols(["h2", "http/1.1"])
        return context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    root: x509.Certificate | None = None,
    secret: ec.EllipticCurvePrivateKey | None = None,
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Of an authority, or of a server of localhost that the authority `root` certifies."""
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signer = secret or key
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only"), False
    )
    built = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(root.subject if root else called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=root is None, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=bool(root), key_cert_sign=not root, crl_sign=not root, decipher_only=False, **usage
            ),
            critical=True,
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if root:
        built = built.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    return built.sign(signer, hashes.SHA256()), key


def trusting(chain: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=chain.decode())
    return context
