"""TLS on both doors by files that are read again when they change, so that a renewed certificate needs no restart."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import grpc
import structlog

from trivium.config import Settings
from trivium.domain.errors import Refused

LOOK_S = 2.0
log = structlog.get_logger()


class Certificate:
    """A certificate's chain and its key, both in PEM."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Raises `Refused` (`bad_setting`) for files that cannot be used."""
        self._chain, self._key = chain, key
        self._seen = self._stamp()
        try:
            self.context = self._newest = _context(chain, key)
            self._pem = chain.read_bytes(), key.read_bytes()
        except (OSError, ValueError) as error:
            raise Refused(
                "bad_setting",
                f"TRIVIUM_TLS_CERT and TRIVIUM_TLS_KEY cannot be used: {error}.",
                "Have them name a chain and its key in PEM, which this process may read.",
            ) from error
        self.context.sni_callback = self._take_newest  # asked at each handshake, also where no name is sent

    async def follow(self) -> None:
        """Take what the files hold whenever they change, for connections to come. Half of a pair changes nothing."""
        while True:
            await asyncio.sleep(LOOK_S)
            await asyncio.to_thread(self.look)

    def look(self) -> None:
        """Take what the files hold, if it is another and fits together."""
        stamp = self._stamp()
        if stamp == self._seen:
            return
        try:
            pem = self._chain.read_bytes(), self._key.read_bytes()
            self._newest = _context(self._chain, self._key)
        except (OSError, ValueError) as error:
            log.warning("certificate_not_taken", reason=str(error))
            return
        self._pem, self._seen = pem, stamp
        log.info("certificate_taken")

    def for_grpc(self) -> grpc.ServerCredentials:
        """Asks at each handshake, so that it follows too."""
        return grpc.dynamic_ssl_server_credentials(self._configured(), self._configured)

    def _take_newest(self, handshake: ssl.SSLObject, _name: str | None, _first: ssl.SSLContext) -> None:
        """One context alone would keep a certificate of another kind of key beside the newest, and show either."""
        handshake.context = self._newest

    def _configured(self) -> grpc.ServerCertificateConfiguration:
        chain, key = self._pem
        return grpc.ssl_server_certificate_configuration([(key, chain)])

    def _stamp(self) -> tuple[tuple[int, int, int], ...]:
        """What changes with a file, also where a link is turned, as Kubernetes does with mounted secrets."""
        try:
            found = [path.stat() for path in (self._chain, self._key)]
        except OSError:
            return ()
        return tuple((each.st_mtime_ns, each.st_ino, each.st_size) for each in found)


def _context(chain: Path, key: Path) -> ssl.SSLContext:
    """Raises `OSError` and `ValueError` for what cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(chain, key, _no_passphrase)
    return context


def _no_passphrase() -> str:
    """Nobody is there to be asked."""
    raise ValueError("the key has a passphrase; write it without one")


def certificate_of(settings: Settings) -> Certificate | None:
    """What the settings name; None where they name none. Raises `Refused` (`bad_setting`)."""
    return Certificate(Path(settings.tls_cert), Path(settings.tls_key)) if settings.tls_cert else None
